"""The reward component ``correctness``."""

from __future__ import annotations

from ...verdict import Status
from .base import GradedCompletion, component


@component("correctness", weight=1.0, gated=False)
def correctness(graded: GradedCompletion) -> float:
    """Return 1 for an answer that the verifier accepts, else 0.

    The number is also 0 if the verifier cannot decide, or runs out of time or memory. Otherwise a
    model would learn to write undecidable answers.
    """
    return float(graded.status is Status.CORRECT)
