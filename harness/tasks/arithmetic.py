"""Arithmetic: the answer is a whole number."""

from __future__ import annotations

from ...benchmarks.hint.problems import contradiction, is_hint
from ...benchmarks.problem import Problem
from ...rewards.arithmetic import verify_integer
from .base import Task, by_text


def _check(problem: Problem) -> str | None:
    return contradiction(problem) or "" if is_hint(problem) else None


TASK = Task(
    name="arithmetic",
    summary="Compute a whole number.",
    target="value",
    verifier="integer",
    grade=by_text(verify_integer, "value"),
    prompt="hint-zero-shot",
    check=_check,
)
