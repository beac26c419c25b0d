"""Examples of the step task: a derivation, its true last equation, and one that does not follow.

Each example is addressed by (steps, seed, index): draws come from hashes of these, and an example
that cannot be proven is drawn again, so that it is the same whatever else is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ..draws import Draws
from .chains import derivation, has_compound_arguments
from .expressions.rewriting import rename
from .expressions.terms import Term, names_of
from .options import CODE, GREEK, MAX_FAILURES, Options
from .proof import UndecidedError, WrongError, is_result, prove_steps
from .steps import (
    LEFT_FOR_RIGHT,
    PREMISE,
    PREMISES,
    RIGHT_FOR_LEFT,
    Annotation,
    Constant,
    Derivation,
    Equation,
    Step,
    next_step,
)


class NoExampleError(ValueError):
    """No draw was any good; with the options that are named, none is likely."""


@dataclass(frozen=True, slots=True)
class Example:
    """The steps before the last, the last, and a wrong last one with the annotation it is from."""

    before: tuple[Step, ...]
    positive: Step
    negative: Step

    @property
    def operator(self) -> str:
        """The operator of the last step."""
        return self.positive.annotation.operator

    @property
    def names(self) -> list[str]:
        """All names of symbols and functions, in the order of their appearance."""
        found: dict[str, None] = {}
        for step in (*self.before, self.positive, self.negative):
            sides = step.equation.left, step.equation.right
            for term in (*sides, *filter(None, [step.annotation.operand])):
                found.update(dict.fromkeys(sorted(names_of(term))))
        return list(found)


#: Draws of a whole example, and wrong last steps tried for one derivation.
MAX_DRAWS = 1000
MAX_ALTERNATIVES = 12


@lru_cache(maxsize=1024)
def example(steps: int, seed: int, index: int, options: Options = CODE) -> Example:
    """The example with this number, of so many steps (at least 2)."""
    if steps < 2:
        raise ValueError(f"an example needs a step to judge and one before it, not {steps} steps")
    for turn in range(MAX_DRAWS):
        draws = Draws("derivation", options.name, steps, seed, index, turn)
        drawn = draw(steps, draws, options)
        if drawn is not None:
            return drawn
    raise NoExampleError(
        f"no derivation of {steps} steps in {MAX_DRAWS} draws; another seed or variant may have one"
    )


def draw(steps: int, draws: Draws, options: Options) -> Example | None:
    """One try."""
    made = derivation(steps, draws, options)
    if made is None:
        return None
    *before, positive = made
    if options.mended and positive.annotation.operator == PREMISE:
        return None  # any equation is a premise
    if options.proven and not _follows(before, positive):
        return None
    for negative in islice(_alternatives(before, positive, draws, options), MAX_ALTERNATIVES):
        drawn = Example(tuple(before), positive, negative)
        if options.mended and len(drawn.names) > len(GREEK):
            continue
        if not options.proven or is_proven(drawn):
            return drawn
    return None


def _alternatives(
    before: list[Step], positive: Step, draws: Draws, options: Options
) -> Iterator[Step]:
    """Other steps from the same derivation that are allowed."""
    so_far = Derivation(before)
    for _ in range(MAX_FAILURES):
        step = next_step(so_far, draws, options)
        if step is None or step.annotation.operator in PREMISES or has_compound_arguments(step):
            continue
        if step.equation == positive.equation:
            continue
        if options.mended and step.annotation == positive.annotation:
            continue
        yield step


# --- perturbations: each gives an example again ---


def greek_names(one: Example, draws: Draws) -> dict[str, str]:
    """Another Greek letter for every name, also for those that only the negative has."""
    letters = draws.shuffled(GREEK)
    names = one.names
    if len(names) > len(letters):
        raise ValueError(f"{len(names)} names for {len(letters)} letters")
    return dict(zip(names, letters, strict=False))


def renamed(one: Example, draws: Draws) -> Example:
    """VR: Greek names. The map is one to one, and the inverse map gives the example back."""
    return with_names(one, greek_names(one, draws))


def with_names(one: Example, names: dict[str, str]) -> Example:
    """The example with other names; those not mentioned stay."""

    def term(node: Term) -> Term:
        return rename(node, names)

    def step(old: Step) -> Step:
        note = old.annotation
        return Step(
            Equation(term(old.equation.left), term(old.equation.right)),
            Annotation(note.operator, note.equations, note.operand and term(note.operand)),
            tuple(
                Constant(names.get(c.letter, c.letter), term(c.integral), term(c.closed))
                for c in old.constants
            ),
        )

    return _mapped(one, step)


def exchanged(one: Example) -> Example:
    """EE: the sides of every equation swapped, and the names of the two substitutions."""
    other = {LEFT_FOR_RIGHT: RIGHT_FOR_LEFT, RIGHT_FOR_LEFT: LEFT_FOR_RIGHT}

    def step(old: Step) -> Step:
        note = old.annotation
        operator = other.get(note.operator, note.operator)
        return Step(
            old.equation.swapped,
            Annotation(operator, note.equations, note.operand),
            old.constants,
        )

    return _mapped(one, step)


def reannotated(one: Example) -> Example:
    """AR: the last annotation is the negative's, which is right now; the positive is wrong."""
    return Example(one.before, one.negative, one.positive)


def _mapped(one: Example, change: Callable[[Step], Step]) -> Example:
    before = tuple(change(step) for step in one.before)
    return Example(before, change(one.positive), change(one.negative))


PERTURBATIONS = ("VR", "EE", "AR")


def perturbed(one: Example, name: str, key: object = 0) -> Example:
    """An example under VR, EE or AR; ``key`` decides the letters of VR."""
    if name == "VR":
        return renamed(one, Draws("VR", key))
    return {"EE": exchanged, "AR": reannotated}[name](one)


# --- proof ---


def is_proven(one: Example) -> bool:
    """Whether it is right, and so are its perturbations (AR is right whenever it is)."""
    versions = [one, exchanged(one), renamed(one, Draws("proof"))]
    return all(map(holds, versions))


def holds(one: Example) -> bool:
    """Whether each last step follows by its own annotation, and neither by the other's."""
    if not all(_follows(one.before, last) for last in (one.positive, one.negative)):
        return False
    try:
        return not is_result(one.negative.equation, one.positive, one.negative.constants)
    except UndecidedError:
        return False


def _follows(before: Sequence[Step], last: Step) -> bool:
    try:
        prove_steps([*before, last])
    except (WrongError, UndecidedError):
        return False
    return True
