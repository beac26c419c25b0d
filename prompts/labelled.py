"""Labelled examples for the tasks whose answer is 0 or 1 (Meadows et al., appendix A).

They are from a training set (`benchmarks.derivations.training`), half of them right and half wrong,
each from another derivation, in random order. By ``operator`` they have the last operator of the
problem that is asked, as in the paper's chosen prompt; by ``random`` they are as the generator
made them, whatever their operator. The draw depends
on the unperturbed problem only, so that they stay when the problem is perturbed. An example that is
the problem itself is passed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..benchmarks.draws import Draws
from ..benchmarks.problem import Problem

POOLS = Path(__file__).parent / "examples"
TASKS = ("derivation_step", "calculus_step")
OPERATOR, RANDOM = "operator", "random"
PICKS = (OPERATOR, RANDOM)


@dataclass(frozen=True, slots=True)
class Labelled:
    """An example as a template sees it."""

    id: str
    sequence: str
    label: int


@cache
def pool(task: str) -> tuple[dict[str, Any], ...]:
    """All training examples of a task."""
    lines = (POOLS / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def select(problem: Problem, shots: int, pick: str = OPERATOR) -> list[Labelled]:
    """The examples to show; fewer than ``shots`` if there are no more."""
    draws = Draws("shots", problem.pair_parent or problem.id, pick, shots)
    itself = problem.metadata.get("example")
    rows = [row for row in draws.shuffled(pool(problem.task)) if row["id"] != itself]
    chosen = sorted(rows, key=lambda row: _distance(row, problem, pick))[:shots]
    half = (shots + 1) // 2
    labelled = [
        Labelled(row["id"], row["positive" if place < half else "negative"], int(place < half))
        for place, row in enumerate(draws.shuffled(chosen))
    ]
    return draws.shuffled(labelled)


def _distance(row: dict[str, Any], problem: Problem, pick: str) -> tuple[bool, bool]:
    """How far an example is from what is wanted.

    The few operators of which there are not enough examples with as many steps are made up for by
    those with other numbers of steps.
    """
    operator, steps = problem.inputs.get("operator"), problem.inputs.get("shots_from")
    other_steps = steps is not None and row.get("steps") != steps
    if pick == RANDOM and problem.task == "derivation_step":
        return other_steps, not row["natural"]
    return operator is not None and row["operator"] != operator, other_steps
