"""Worked examples for few-shot prompts, from pools in ``prompts/examples`` (a file for each task).

The pools are held out: they hold nothing that is in a benchmark of ours (a test says so). Whatever
problem is asked, an example that is the same up to a constant factor and names, or that the problem
was made from, is passed over. The first of the rest are taken, always in the same order, so that 2
examples are the first of 4 and prompts share a prefix. Tasks whose answer is a label have their own
rules (`prompts.labelled`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from ..benchmarks.fingerprint import Fingerprint, fingerprint
from ..benchmarks.problem import Problem
from ..rewards import ProblemError
from . import labelled

Shown = TypeVar("Shown")

POOLS = Path(__file__).parent / "examples"


class NotEnoughExamplesError(ValueError):
    """The pool of a task has fewer examples than were asked for."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked problem, as a template sees it."""

    id: str
    integrand: str
    variable: str
    antiderivative: str
    solution: str
    technique: str = ""


@cache
def pool(task: str) -> tuple[Example, ...]:
    """All examples of a task, in the order in which they are taken."""
    path = POOLS / f"{task}.jsonl"
    if not path.is_file():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(Example(**json.loads(line)) for line in lines if line)


def select(
    problem: Problem, shots: int, pick: str = labelled.OPERATOR
) -> Sequence[Example | labelled.Labelled]:
    """The examples to show with a problem; ``pick`` is for labelled ones (`prompts.labelled`)."""
    if problem.task in labelled.TASKS:
        found = labelled.select(problem, shots, pick)
        return _enough(found, shots, problem.task)
    related = {problem.id, problem.pair_parent, *(parent.id for parent in problem.parents)}
    asked = _fingerprint_of(problem)
    chosen: list[Example] = []
    for example in pool(problem.task):
        if len(chosen) == shots:
            break
        same = asked is not None and asked.resembles(_known(example.integrand, example.variable))
        if not same and example.id not in related:
            chosen.append(example)
    return _enough(chosen, shots, problem.task)


def _enough(chosen: Sequence[Shown], shots: int, task: str) -> Sequence[Shown]:
    if len(chosen) < shots:
        raise NotEnoughExamplesError(
            f"{shots} examples are asked for, but the task {task!r} has {len(chosen)}"
        )
    return chosen


def _fingerprint_of(problem: Problem) -> Fingerprint | None:
    if problem.task != "integration":
        return None
    try:
        return fingerprint(str(problem.inputs["integrand"]), str(problem.inputs["variable"]))
    except ProblemError:
        return None


@cache
def _known(integrand: str, variable: str) -> Fingerprint:
    return fingerprint(integrand, variable)
