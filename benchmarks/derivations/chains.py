"""Whole derivations: grow one step by step, and keep the steps that the last one needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..draws import Draws
from .expressions.terms import APPLY, SYMBOL, walk
from .options import MAX_FAILURES, Options
from .steps import PREMISE, PREMISES, Annotation, Derivation, Step, next_step, premise


def grow(length: int, draws: Draws, options: Options) -> Derivation | None:
    """At least so many steps, the last of them no premise; None if too many draws failed."""
    derivation = Derivation([Step(premise(draws, options), Annotation(PREMISE))])
    for _ in range(MAX_FAILURES):
        if len(derivation) >= length and derivation.steps[-1].annotation.operator not in PREMISES:
            return derivation
        step = next_step(derivation, draws, options)
        if step is not None:
            derivation.append(step)
    return None


def self_contained(steps: Sequence[Step]) -> list[Step]:
    """The steps that the last one follows from, and itself, with their numbers changed to fit.

    The last must be no premise. Only references to equations are renumbered (the released code
    renumbered exponents, too).
    """
    needed: set[int] = set()
    waiting = [len(steps)]
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting.extend(steps[index - 1].annotation.equations)
    order = sorted(needed)
    number = {old: new for new, old in enumerate(order, 1)}
    return [_renumbered(steps[index - 1], number) for index in order]


def _renumbered(step: Step, number: dict[int, int]) -> Step:
    equations = tuple(number[index] for index in step.annotation.equations)
    return replace(step, annotation=replace(step.annotation, equations=equations))


def has_compound_arguments(step: Step) -> bool:
    """Whether a function in it has an argument that is no symbol, as in f(x + y)."""
    nodes = walk(step.equation.left, step.equation.right)
    return any(n.head == APPLY and any(a.head != SYMBOL for a in n.args) for n in nodes)


def derivation(length: int, draws: Draws, options: Options) -> list[Step] | None:
    """The first ``length`` steps of a self-contained derivation; None if this draw is no good."""
    wanted = max(options.kept, length) if options.kept is not None else length
    grown = options.grown if options.kept is not None else length + options.grown
    drawn = grow(max(grown, wanted), draws, options)
    if drawn is None:
        return None
    steps = self_contained(drawn.steps)
    if len(steps) != wanted:
        return None
    steps = steps[:length]
    return None if any(map(has_compound_arguments, steps)) else steps
