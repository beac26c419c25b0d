"""A step of a derivation: the answer is the label 1 or 0."""

from __future__ import annotations

from ...rewards.verify.labels import verify_label
from .base import Task, by_text

TASK = Task(
    name="derivation_step",
    summary="Say whether the last step of a derivation follows, as 1 or 0.",
    verifier="label",
    grade=by_text(verify_label),
    prompt="derivation-step",
    metrics=("accuracy", "F1", "macro F1"),
)
