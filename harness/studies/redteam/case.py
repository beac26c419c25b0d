"""A case of the search: an integrand, a completion, and the verdict that is right for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.build import ONE, ZERO, add, mul
from ....rewards.reading.expression.derivative import differentiate
from ....rewards.reading.expression.tree import Expression
from ....rewards.reading.latex import to_latex

#: Where a completion's template has its answer, and its integrand.
ANSWER, INTEGRAND = "<F>", "<f>"
BOXED = rf"\boxed{{{ANSWER}}}"


class DiscardedError(ValueError):
    """What was drawn has no certain label; the next draw may."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """The trees behind a case, which the minimiser edits.

    The integrand is ``truth' * factor + added``: ``truth`` is an antiderivative of it as long as
    nothing is added and the factor is 1.
    """

    truth: Expression
    answer: Expression
    added: Expression = ZERO
    factor: Expression = ONE

    @property
    def integrand(self) -> Expression:
        """The integrand that these trees make.

        Raises:
            DiscardedError: for a function that has no rule of differentiation.

        """
        try:
            return add(mul(differentiate(self.truth), self.factor), self.added)
        except ValueError as error:
            raise DiscardedError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Case:
    r"""An integrand and a completion, with the verdict that is right.

    Attributes:
        integrand: LaTeX.
        completion: what a model might say.
        wanted: whether the completion is to be accepted.
        note: why.
        assumptions: kinds of the parameters.
        formulas: the trees behind the case, if it has any.
        voice: the template of the completion.
        task: "antiderivative" of the integrand; else the name of another question
            (`rewards.questions`), which stands in the place of the integrand.

    >>> case = Case("2x", r"\boxed{x^3}", wanted=False, note="another power")
    >>> case.to_dict()["wanted"]
    'not correct'

    """

    integrand: str
    completion: str
    wanted: bool
    note: str
    assumptions: Mapping[str, str] = field(default_factory=dict)
    formulas: Formulas | None = None
    voice: str = BOXED
    task: str = "antiderivative"

    @classmethod
    def of(
        cls,
        formulas: Formulas,
        wanted: bool,
        note: str,
        voice: str = BOXED,
        assumptions: Mapping[str, str] | None = None,
    ) -> Case:
        """The case that these trees make, in a voice.

        Args:
            formulas: the trees.
            wanted: whether the completion is to be accepted.
            note: why.
            voice: the template of the completion.
            assumptions: kinds of the parameters.

        Returns:
            The case.

        """
        shown = to_latex(formulas.integrand)
        text = voice.replace(INTEGRAND, shown).replace(ANSWER, to_latex(formulas.answer))
        return cls(shown, text, wanted, note, assumptions or {}, formulas, voice)

    def to_dict(self) -> dict[str, Any]:
        """What a line of a case file says.

        Returns:
            The row.

        """
        row: dict[str, Any] = {
            "integrand": self.integrand,
            "completion": self.completion,
            "wanted": "correct" if self.wanted else "not correct",
            "note": self.note,
        }
        return row | ({"assumptions": dict(self.assumptions)} if self.assumptions else {})


Make = Callable[[HashedRandom], Case]
GENERATORS: dict[str, Make] = {}
#: Generators whose cases come in groups with one draw, and how many are in each: what is computed
#: for one answer serves the others.
_GROUPS: dict[str, tuple[Callable[[HashedRandom, int], Case], int]] = {}


def generator(make: Make) -> Make:
    """Register a generator under its function's name."""
    GENERATORS[make.__name__] = make
    return make


def group_generator(
    size: int,
) -> Callable[[Callable[[HashedRandom, int], Case]], Callable[[HashedRandom, int], Case]]:
    """Register a generator that also takes the number of the case within its group.

    Args:
        size: how many cases are in a group.

    """

    def register(make: Callable[[HashedRandom, int], Case]) -> Callable[[HashedRandom, int], Case]:
        GENERATORS[make.__name__] = lambda rng: make(rng, rng.below(size))
        _GROUPS[make.__name__] = make, size
        return make

    return register


def case_at(name: str, seed: int, index: int) -> Case:
    """The case with this address: the same on any machine.

    Args:
        name: the generator.
        seed: the seed.
        index: which of its cases.

    Returns:
        The case.

    Raises:
        KeyError: there is no such generator.
        RuntimeError: no draw has a certain label.

    >>> from calculus_harness.harness.studies.redteam import case_at
    >>> case_at("mutation", seed=0, index=0) == case_at("mutation", seed=0, index=0)
    True

    """
    for attempt in range(50):
        try:
            if name in _GROUPS:
                make, size = _GROUPS[name]
                shared = HashedRandom("redteam", name, seed, index // size, attempt)
                return make(shared, index % size)
            return GENERATORS[name](HashedRandom("redteam", name, seed, index, attempt))
        except DiscardedError:
            continue
    raise RuntimeError(f"generator {name} found no case at seed {seed}, index {index}")
