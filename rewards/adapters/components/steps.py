"""The component ``steps``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("steps", weight=0.5)
def steps(graded: GradedCompletion) -> float:
    """The share of the problem that is solved by right steps before the first wrong step.

    The component is for the task ``steps`` only: there, a verdict's reward is this share.
    It counts for right answers only, unless ``Rubric.gate`` is False.
    """
    return graded.verdict.reward
