"""Examples of the step task: a derivation, the right last equation, and a wrong last equation.

An example is addressed by (steps, seed, index) and independent of other examples: random numbers
are hashes of the address. An unproven example is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ...rewards.reading.expression.tree import Expression
from ..errors import BenchmarkError
from ..hashed_random import HashedRandom
from .chains import derivation, has_compound_arguments
from .expressions.rewriting import rename
from .expressions.terms import names_of
from .options import CODE, GREEK, MAX_FAILURES, Options
from .proof import RefutedError, UndecidedError, is_result, prove_steps
from .steps import (
    LEFT_FOR_RIGHT,
    PREMISE,
    PREMISES,
    RIGHT_FOR_LEFT,
    Annotation,
    Constant,
    Derivation,
    DerivationEquation,
    Step,
    next_step,
)


class NoExampleError(BenchmarkError):
    """No draw is usable; with the named options a usable draw is unlikely."""


@dataclass(frozen=True, slots=True)
class StepExample:
    """The steps before the last, the last, and another last step, whose equation is wrong."""

    before: tuple[Step, ...]
    positive: Step
    negative: Step

    @property
    def operator(self) -> str:
        """The operator of the last step."""
        return self.positive.annotation.operator

    @property
    def names(self) -> list[str]:
        """All names of symbols and functions, in order of appearance."""
        names: dict[str, None] = {}
        for step in (*self.before, self.positive, self.negative):
            sides = step.equation.left, step.equation.right
            operand = step.annotation.operand
            for term in (*sides, *(() if operand is None else (operand,))):
                names.update(dict.fromkeys(sorted(names_of(term))))
        return list(names)


#: The version, raised when examples at the same addresses change. 1: other order of arguments. 2:
#: their own algebra.
VERSION = 3
#: The largest number of draws of an example, and of wrong last steps for a derivation.
MAX_DRAWS = 1000
MAX_ALTERNATIVES = 12


@lru_cache(maxsize=1024)
def example(steps: int, seed: int, index: int, options: Options = CODE) -> StepExample:
    """The example at an address.

    Args:
        steps: the number of steps, at least 2.
        seed: the seed.
        index: the number of the example.
        options: the options of drawing derivations.

    Raises:
        ValueError: there are fewer than 2 steps.
        NoExampleError: none of `MAX_DRAWS` draws is usable.

    """
    if steps < 2:
        raise ValueError(f"an example needs a step to judge and one before it, not {steps} steps")
    for attempt in range(MAX_DRAWS):
        rng = HashedRandom("derivation", options.name, steps, seed, index, attempt)
        drawn = draw(steps, rng, options)
        if drawn is not None:
            return drawn
    raise NoExampleError(
        f"no derivation of {steps} steps in {MAX_DRAWS} draws; another seed or variant may have one"
    )


def draw(steps: int, rng: HashedRandom, options: Options) -> StepExample | None:
    """A draw of an example; None if unusable."""
    steps_drawn = derivation(steps, rng, options)
    if steps_drawn is None:
        return None
    *earlier, positive = steps_drawn
    if options.corrected and positive.annotation.operator == PREMISE:
        return None  # any equation may be a premise
    if options.proven and not _follows(earlier, positive):
        return None
    for negative in islice(_alternatives(earlier, positive, rng, options), MAX_ALTERNATIVES):
        drawn = StepExample(tuple(earlier), positive, negative)
        if options.corrected and len(drawn.names) > len(GREEK):
            continue
        if not options.proven or is_proven(drawn):
            return drawn
    return None


def _alternatives(
    earlier: list[Step], positive: Step, rng: HashedRandom, options: Options
) -> Iterator[Step]:
    """Random alternative last steps of a derivation."""
    derivation_before = Derivation(earlier)
    for _ in range(MAX_FAILURES):
        step = next_step(derivation_before, rng, options)
        if step is None or step.annotation.operator in PREMISES or has_compound_arguments(step):
            continue
        if step.equation == positive.equation:
            continue
        if options.corrected and step.annotation == positive.annotation:
            continue
        yield step


# --- perturbations of examples ---


def greek_names(step_example: StepExample, rng: HashedRandom) -> dict[str, str]:
    """A distinct random Greek letter for every name, including names in the negative."""
    letters = rng.shuffled(GREEK)
    names = step_example.names
    if len(names) > len(letters):
        raise ValueError(f"{len(names)} names for {len(letters)} letters")
    return dict(zip(names, letters, strict=False))


def renamed(step_example: StepExample, rng: HashedRandom) -> StepExample:
    """VR: the example with Greek names, renamed one to one."""
    return with_names(step_example, greek_names(step_example, rng))


def with_names(step_example: StepExample, names: dict[str, str]) -> StepExample:
    """The example with new names; names not in ``names`` stay."""

    def term(node: Expression) -> Expression:
        return rename(node, names)

    def step(old: Step) -> Step:
        note = old.annotation
        return Step(
            DerivationEquation(term(old.equation.left), term(old.equation.right)),
            Annotation(note.operator, note.equations, note.operand and term(note.operand)),
            tuple(
                Constant(names.get(c.letter, c.letter), term(c.integral), term(c.closed))
                for c in old.constants
            ),
        )

    return _mapped(step_example, step)


def exchanged(step_example: StepExample) -> StepExample:
    """EE: the example with the sides of every equation swapped, and the two substitutions too."""
    opposite = {LEFT_FOR_RIGHT: RIGHT_FOR_LEFT, RIGHT_FOR_LEFT: LEFT_FOR_RIGHT}

    def step(old: Step) -> Step:
        note = old.annotation
        operator = opposite.get(note.operator, note.operator)
        return Step(
            old.equation.swapped,
            Annotation(operator, note.equations, note.operand),
            old.constants,
        )

    return _mapped(step_example, step)


def reannotated(step_example: StepExample) -> StepExample:
    """AR: the example with the negative's annotation, which makes the negative right."""
    return StepExample(step_example.before, step_example.negative, step_example.positive)


def _mapped(step_example: StepExample, change: Callable[[Step], Step]) -> StepExample:
    earlier = tuple(change(step) for step in step_example.before)
    return StepExample(earlier, change(step_example.positive), change(step_example.negative))


PERTURBATIONS = ("VR", "EE", "AR")


def perturbed(step_example: StepExample, name: str, key: object = 0) -> StepExample:
    """An example under VR, EE or AR; ``key`` is the seed of the letters of VR."""
    if name == "VR":
        return renamed(step_example, HashedRandom("VR", key))
    return {"EE": exchanged, "AR": reannotated}[name](step_example)


# --- proof ---


def is_proven(step_example: StepExample) -> bool:
    """Whether an example and the perturbations are correct (AR follows from the example)."""
    versions = [step_example, exchanged(step_example), renamed(step_example, HashedRandom("proof"))]
    return all(map(holds, versions))


def holds(step_example: StepExample) -> bool:
    """Whether each last step follows by its own annotation, but not by the other annotation."""
    if not all(
        _follows(step_example.before, last_step)
        for last_step in (step_example.positive, step_example.negative)
    ):
        return False
    try:
        return not is_result(
            step_example.negative.equation, step_example.positive, step_example.negative.constants
        )
    except UndecidedError:
        return False


def _follows(earlier: Sequence[Step], step: Step) -> bool:
    try:
        prove_steps([*earlier, step])
    except (RefutedError, UndecidedError):
        return False
    return True
