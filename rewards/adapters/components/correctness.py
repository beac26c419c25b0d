"""The component ``correctness``."""

from __future__ import annotations

from ...verdict import Status
from .base import GradedCompletion, component


@component("correctness", weight=1.0, gated=False)
def correctness(graded: GradedCompletion) -> float:
    """1 for an answer that is proven right, else 0.

    Undecided answers, timeouts and workers killed for memory get 0. Otherwise a model would learn
    to write undecidable answers.
    """
    return float(graded.status is Status.CORRECT)
