"""Complete derivations: steps are added, and the dependencies of the last step are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from ...rewards.reading.expression.traversal import nodes_of
from ..hashed_random import HashedRandom
from .expressions.terms import is_applied
from .options import MAX_FAILURES, Options
from .steps import PREMISE, PREMISES, Annotation, Derivation, Step, next_step, premise


def grow(length: int, rng: HashedRandom, options: Options) -> Derivation | None:
    """A random derivation of at least ``length`` steps and without a final premise, or None."""
    derivation = Derivation([Step(premise(rng, options), Annotation(PREMISE))])
    for _ in range(MAX_FAILURES):
        if len(derivation) >= length and derivation.steps[-1].annotation.operator not in PREMISES:
            return derivation
        step = next_step(derivation, rng, options)
        if step is not None:
            derivation.append(step)
    return None


def self_contained(steps: Sequence[Step]) -> list[Step]:
    """The last step (not a premise) and the step's dependencies, renumbered.

    Only references to equations are renumbered. (The released code renumbered exponents, too.)
    """
    needed: set[int] = set()
    pending = [len(steps)]
    while pending:
        index = pending.pop()
        if index not in needed:
            needed.add(index)
            pending.extend(steps[index - 1].annotation.equations)
    order = sorted(needed)
    number = {old: new for new, old in enumerate(order, 1)}
    return [_renumbered(steps[index - 1], number) for index in order]


def _renumbered(step: Step, number: dict[int, int]) -> Step:
    equations = tuple(number[index] for index in step.annotation.equations)
    return replace(step, annotation=replace(step.annotation, equations=equations))


def has_compound_arguments(step: Step) -> bool:
    """Whether a function in the step has an argument other than a symbol, as in f(x + y)."""
    nodes = chain(nodes_of(step.equation.left), nodes_of(step.equation.right))
    return any(is_applied(n) and any(a.function != "symbol" for a in n.args) for n in nodes)


def derivation(length: int, rng: HashedRandom, options: Options) -> list[Step] | None:
    """The first ``length`` steps of a self-contained derivation; None for an unusable draw."""
    count = max(options.kept, length) if options.kept is not None else length
    grown = options.grown if options.kept is not None else length + options.grown
    drawn = grow(max(grown, count), rng, options)
    if drawn is None:
        return None
    steps = self_contained(drawn.steps)
    if len(steps) != count:
        return None
    steps = steps[:length]
    return None if any(map(has_compound_arguments, steps)) else steps
