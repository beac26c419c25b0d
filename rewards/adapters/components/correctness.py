"""The component ``correctness``."""

from __future__ import annotations

from ...verdict import Status
from .base import GradedCompletion, component


@component("correctness", weight=1.0, gated=False)
def correctness(graded: GradedCompletion) -> float:
    """1 for a proven answer, else 0.

    Undecided answers, timeouts and workers killed for memory are not proven and get 0: otherwise a
    model learns to write undecidable answers.
    """
    return float(graded.status is Status.CORRECT)
