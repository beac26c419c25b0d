"""Labelled examples for the tasks whose answer is 0 or 1 (Meadows et al., appendix A).

Examples are from a training set (`benchmarks.derivations.training`): half right and half wrong,
each from a different derivation, in random order. With ``operator``, examples have the last
operator of the problem, as in the paper's selected prompt; with ``random``, any operator. The
choice depends only on the unperturbed problem, so that perturbed problems have the same examples.
The problem itself is never an example.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..benchmarks.hashed_random import HashedRandom
from ..benchmarks.payloads import DerivationInputs
from ..benchmarks.problem import Problem

POOLS = Path(__file__).parent / "examples"
OPERATOR, RANDOM = "operator", "random"
PICKS = (OPERATOR, RANDOM)


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """An example for templates; ``reasoning`` explains the label."""

    id: str
    sequence: str
    label: int
    reasoning: str


@cache
def pool(task: str) -> tuple[dict[str, Any], ...]:
    """All training examples of a task."""
    lines = (POOLS / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def select(problem: Problem, shots: int, pick: str = OPERATOR) -> list[LabelledExample]:
    """The examples to show with a problem.

    Args:
        problem: the problem.
        shots: the number of examples.
        pick: ``operator`` or ``random``.

    Returns:
        The examples, fewer than ``shots`` if the pool has no more.

    """
    # Seeded by the original: a perturbed problem has the examples of its original.
    rng = HashedRandom("shots", problem.pair_parent or problem.id, pick, shots)
    itself = problem.metadata.get("example")
    rows = [row for row in rng.shuffled(pool(problem.task)) if row["id"] != itself]
    chosen = sorted(rows, key=lambda row: _distance(row, problem, pick))[:shots]
    # Half of the examples are right; sides and order are drawn apart, so neither tells the label.
    half = (shots + 1) // 2
    labelled = [_labelled(row, int(index < half)) for index, row in enumerate(rng.shuffled(chosen))]
    return rng.shuffled(labelled)


def _labelled(row: dict[str, Any], label: int) -> LabelledExample:
    sequence = row["positive" if label else "negative"]
    return LabelledExample(row["id"], sequence, label, _reasoning(row, label))


def _reasoning(row: dict[str, Any], label: int) -> str:
    """A text with the right result, and whether the shown result is right."""
    *_, premise, annotation, right = row["positive"].split(" [SEP] ")
    wrong = row["negative"].rpartition(" [SEP] ")[2]
    operator = row["operator"]
    if operator in _OPERATIONS:
        reason = f"{_OPERATIONS[operator]} {premise} with respect to {annotation} is {right}."
    elif operator == "renaming_premise":
        reason = f"It gives an expression of the derivation a new name, as in {right}."
    else:
        reason = f"The last annotation, {annotation}, gives {right}."
    ending = "This is" if label else f"This is not {wrong},"
    return f"{reason} {ending} the last part of the prompt."


_OPERATIONS = {"differentiation": "The derivative of", "integration": "An antiderivative of"}


def _distance(row: dict[str, Any], problem: Problem, pick: str) -> tuple[bool, bool]:
    """A sort key: whether an example differs from the problem in operator and number of steps.

    Some operators have too few examples with the right number of steps; examples with other numbers
    of steps follow.
    """
    operator, steps = getattr(problem.inputs, "operator", None), None
    if isinstance(problem.inputs, DerivationInputs):
        steps = problem.inputs.shots_from
    other_steps = steps is not None and row.get("steps") != steps
    if pick == RANDOM and problem.task == "derivation_step":
        return other_steps, not row["natural"]
    return operator is not None and row["operator"] != operator, other_steps
