"""A case of the search for wrong verdicts: an integrand, a completion, and the right verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.build import ONE, ZERO, add, mul
from ....rewards.reading.expression.derivative import differentiate
from ....rewards.reading.expression.tree import Expression
from ....rewards.reading.latex import to_latex

#: The placeholders of the answer and of the integrand in a completion's template.
ANSWER, INTEGRAND = "<F>", "<f>"
BOXED = rf"\boxed{{{ANSWER}}}"


class DiscardedError(ValueError):
    """The right verdict for a drawn case is uncertain. The generator then draws another case."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """The expression trees of a case, which the minimiser edits.

    The integrand is ``truth' * factor + added``, where ``truth'`` is the derivative of ``truth``.
    If ``factor`` is 1 and ``added`` is 0, ``truth`` is an antiderivative of the integrand.
    """

    truth: Expression
    answer: Expression
    added: Expression = ZERO
    factor: Expression = ONE

    @property
    def integrand(self) -> Expression:
        """The integrand ``truth' * factor + added``.

        Raises:
            DiscardedError: a function has no rule of differentiation.

        """
        try:
            return add(mul(differentiate(self.truth), self.factor), self.added)
        except ValueError as error:
            raise DiscardedError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Case:
    r"""An integrand and a completion, with the right verdict (the label).

    Attributes:
        integrand: LaTeX.
        completion: a model's text, as the verifier reads it.
        wanted: whether the verifier should accept the completion.
        note: the reason for the label.
        assumptions: what is assumed of each parameter, for example ``integer``.
        formulas: the trees of the case. They are None if the case is not made of trees, or must not
            be edited.
        voice: the template of the completion, with placeholders for the formulas.
        task: "antiderivative", or the name of another kind of question (`rewards.questions`). For
            another kind, ``integrand`` holds the text of the question.

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
        """Make the case with these trees. Its completion is made from the template ``voice``.

        Args:
            formulas: the trees.
            wanted: whether the verifier should accept the completion.
            note: the reason for the label.
            voice: the template of the completion, with placeholders for the formulas.
            assumptions: what is assumed of each parameter, for example ``integer``.

        Returns:
            The case.

        """
        integrand = to_latex(formulas.integrand)
        text = voice.replace(INTEGRAND, integrand).replace(ANSWER, to_latex(formulas.answer))
        return cls(integrand, text, wanted, note, assumptions or {}, formulas, voice)

    def to_dict(self) -> dict[str, Any]:
        """The case as a line of a case file.

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
#: Generators with groups of cases from one draw, and the sizes of the groups: the verifier's
#: computations for an answer serve the whole group.
_GROUPS: dict[str, tuple[Callable[[HashedRandom, int], Case], int]] = {}


def generator(make: Make) -> Make:
    """Register a function as a generator of cases, under the function's name."""
    GENERATORS[make.__name__] = make
    return make


def group_generator(
    size: int,
) -> Callable[[Callable[[HashedRandom, int], Case]], Callable[[HashedRandom, int], Case]]:
    """Register a generator whose cases come in groups.

    As a further argument, the generator receives the position of the case in its group.

    Args:
        size: the number of cases in a group.

    """

    def register(make: Callable[[HashedRandom, int], Case]) -> Callable[[HashedRandom, int], Case]:
        GENERATORS[make.__name__] = lambda rng: make(rng, rng.below(size))
        _GROUPS[make.__name__] = make, size
        return make

    return register


def case_at(name: str, seed: int, index: int) -> Case:
    """Make the case that a generator draws for a seed and an index.

    The case is the same on every machine.

    Args:
        name: the generator.
        seed: the seed.
        index: the number of the case.

    Returns:
        The case.

    Raises:
        KeyError: no generator has this name.
        RuntimeError: the label of every draw is uncertain.

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
