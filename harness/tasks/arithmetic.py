"""Arithmetic: the answer is a whole number."""

from __future__ import annotations

from ...rewards.arithmetic import verify_integer
from .base import Task, by_text

TASK = Task(
    name="arithmetic",
    summary="Compute a whole number.",
    target="value",
    verifier="integer",
    grade=by_text(verify_integer, "value"),
    prompt="hint-zero-shot",
)
