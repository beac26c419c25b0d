"""The component ``steps``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("steps", weight=0.5)
def steps(graded: GradedCompletion) -> float:
    """The share of the problem that is solved by right steps before the first wrong step.

    Use this component for the task ``steps`` only. In this task, the share is the verdict's reward.
    If ``Rubric.gate`` is set, the component counts for right answers only.
    """
    return graded.verdict.reward
