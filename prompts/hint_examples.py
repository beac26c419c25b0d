"""Worked examples of arithmetic: HINT's, with what is computed step by step.

With a few-shot concept they are that concept's training set (Li et al. 2023, section 3), one of
each number of operators from the fewest on, then one more of each, and so on; without one those of
``prompts/examples/arithmetic.jsonl``, which are from the main training set, and then as many drawn
ones. The problem's own expression is never one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TypeVar

from ..benchmarks.hint.problems import concepts_in
from ..benchmarks.hint.sampling import Draw, draw
from ..benchmarks.hint.semantics import parse, worked
from ..benchmarks.hint.splits import FEWSHOT, TRAIN_OPERATORS, TRAIN_VALUE, expressions, part
from ..benchmarks.payloads import ArithmeticInputs
from ..benchmarks.problem import Problem

T = TypeVar("T")

POOL = Path(__file__).parent / "examples/arithmetic.jsonl"


@dataclass(frozen=True, slots=True)
class WorkedExpression:
    """An example as templates use it."""

    expression: str
    value: int
    steps: tuple[str, ...]


@cache
def pool(concept: str = "", seed: int = 0) -> tuple[WorkedExpression, ...]:
    """All examples with a concept, or those without any, in the order in which they are shown."""
    counts = range(TRAIN_OPERATORS + 1)
    if concept:
        first, drawn = [], [part(seed, n, concept).train for n in counts]
    else:
        first = [json.loads(line)["expression"] for line in POOL.read_text().splitlines()]
        most = [Draw(n, FEWSHOT.train, 0, TRAIN_VALUE) for n in counts]
        drawn = [draw(one, "hint", "examples", seed, one.operators) for one in most]
    texts = dict.fromkeys([*first, *_in_turn(*map(expressions, drawn))])
    return tuple(
        WorkedExpression(text, one.value or 0, tuple(worked(one)))
        for text, one in ((text, parse(text)) for text in texts)
    )


def _in_turn(*several: Iterable[T]) -> Iterator[T]:
    return (one for one in chain.from_iterable(zip_longest(*several)) if one is not None)


def select(problem: Problem, shots: int) -> list[WorkedExpression]:
    """The examples to show with a problem, fewer than ``shots`` if the pool has no more.

    Where an expression has several concepts, they take turns.
    """
    inputs = problem.inputs
    own = inputs.expression if isinstance(inputs, ArithmeticInputs) else ""
    seed = problem.metadata.get("seed")
    seed = seed if isinstance(seed, int) else 0
    pools = [pool(concept, seed) for concept in concepts_in(own)] or [pool()]
    others = (one for one in _in_turn(*pools) if one.expression != own)
    return list(islice(others, shots))
