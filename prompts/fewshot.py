"""Worked examples for few-shot prompts, from pools in ``prompts/examples`` (one file per task).

The pools are disjoint from the benchmarks (a test proves that). An example is skipped if it equals
the problem up to a constant factor and names, or if the problem was made from it. The remaining
examples have a fixed order, so that prompts with 2 and with 4 examples share a prefix. Tasks with
labels as answers have other rules (`prompts.labelled`), as has arithmetic
(`prompts.hint_examples`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from ..benchmarks.fingerprint import Fingerprint, fingerprint
from ..benchmarks.payloads import IntegrationInputs, LabelTarget
from ..benchmarks.problem import Problem
from ..rewards import ProblemError
from . import hint_examples, labelled

ExampleT = TypeVar("ExampleT")

POOLS = Path(__file__).parent / "examples"


class NotEnoughExamplesError(ValueError):
    """The pool of a task has fewer examples than requested."""


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A worked problem for templates."""

    id: str
    integrand: str
    variable: str
    antiderivative: str
    solution: str
    technique: str = ""


@cache
def pool(task: str) -> tuple[WorkedExample, ...]:
    """All examples of a task, in the order of prompts."""
    path = POOLS / f"{task}.jsonl"
    if not path.is_file():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(WorkedExample(**json.loads(line)) for line in lines if line)


def select(
    problem: Problem, shots: int, pick: str = labelled.OPERATOR
) -> Sequence[WorkedExample | labelled.LabelledExample | hint_examples.WorkedExpression]:
    """The examples to show with a problem.

    Args:
        problem: the problem.
        shots: the number of examples.
        pick: how labelled examples are chosen (`prompts.labelled`).

    Raises:
        NotEnoughExamplesError: there are fewer than ``shots`` examples.

    """
    # Labels need balanced examples, and arithmetic has an endless pool.
    if isinstance(problem.target, LabelTarget):
        return _require_enough(labelled.select(problem, shots, pick), shots, problem.task)
    if problem.task == "arithmetic":
        return _require_enough(hint_examples.select(problem, shots), shots, problem.task)
    # An example must not be the problem, a relative of it, or the same integral in other letters.
    related = {problem.id, problem.pair_parent, *(parent.id for parent in problem.parents)}
    own = _fingerprint_of(problem)
    chosen: list[WorkedExample] = []
    for example in pool(problem.task):
        if len(chosen) == shots:
            break
        same = own is not None and own.resembles(_fingerprint(example.integrand, example.variable))
        if not same and example.id not in related:
            chosen.append(example)
    return _require_enough(chosen, shots, problem.task)


def _require_enough(examples: Sequence[ExampleT], shots: int, task: str) -> Sequence[ExampleT]:
    if len(examples) < shots:
        raise NotEnoughExamplesError(
            f"{shots} examples are asked for, but the task {task!r} has {len(examples)}"
        )
    return examples


def _fingerprint_of(problem: Problem) -> Fingerprint | None:
    if not isinstance(inputs := problem.inputs, IntegrationInputs):
        return None
    try:
        return fingerprint(inputs.integrand, inputs.variable)
    except ProblemError:
        return None


@cache
def _fingerprint(integrand: str, variable: str) -> Fingerprint:
    return fingerprint(integrand, variable)
