"""Worked examples of arithmetic: HINT's expressions, with step-by-step computations.

For a few-shot concept the examples are the concept's training set (Li et al. 2023, section 3):
rounds with one example of each number of operators, in ascending order. Without a concept, examples
are from ``prompts/examples/arithmetic.jsonl``, a part of the main training set, followed by drawn
expressions. The problem's own expression is never an example.
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
    """An example for templates."""

    expression: str
    value: int
    steps: tuple[str, ...]


@cache
def pool(concept: str = "", seed: int = 0) -> tuple[WorkedExpression, ...]:
    """All examples with a concept, or all without concepts, in the order of prompts."""
    counts = range(TRAIN_OPERATORS + 1)
    if concept:
        # A concept's examples are the training set of the few-shot data set.
        leading, drawn = [], [part(seed, n, concept).train for n in counts]
    else:
        leading = [json.loads(line)["expression"] for line in POOL.read_text().splitlines()]
        draws = [Draw(n, FEWSHOT.train, 0, TRAIN_VALUE) for n in counts]
        drawn = [draw(settings, "hint", "examples", seed, settings.operators) for settings in draws]
    texts = dict.fromkeys([*leading, *_in_turn(*map(expressions, drawn))])
    return tuple(
        WorkedExpression(text, node.value or 0, tuple(worked(node)))
        for text, node in ((text, parse(text)) for text in texts)
    )


def _in_turn(*several: Iterable[T]) -> Iterator[T]:
    return (item for item in chain.from_iterable(zip_longest(*several)) if item is not None)


def select(problem: Problem, shots: int) -> list[WorkedExpression]:
    """The examples for a problem, fewer than ``shots`` if the pool has no more.

    Examples of several concepts alternate.
    """
    inputs = problem.inputs
    own = inputs.expression if isinstance(inputs, ArithmeticInputs) else ""
    seed = problem.metadata.get("seed")
    seed = seed if isinstance(seed, int) else 0
    pools = [pool(concept, seed) for concept in concepts_in(own)] or [pool()]
    candidates = (example for example in _in_turn(*pools) if example.expression != own)
    return list(islice(candidates, shots))
