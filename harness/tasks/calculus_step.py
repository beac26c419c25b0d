"""A result of calculus: the answer is the label 1 or 0."""

from __future__ import annotations

from ...rewards.verify.labels import verify_label
from .base import Task, by_text

TASK = Task(
    name="calculus_step",
    summary="Say whether a derivative or an integral is right, as 1 or 0.",
    verifier="label",
    grade=by_text(verify_label),
    prompt="calculus-step",
    metrics=("accuracy", "F1", "macro F1"),
)
