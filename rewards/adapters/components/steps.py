"""The reward component ``steps``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("steps", weight=0.5)
def steps(graded: GradedCompletion) -> float:
    """The share of the problem that is solved before the first wrong step.

    Use this component with no other task than ``steps``. In this task, the share is the verdict's
    reward. If ``Rubric.gate`` is true, the component does not count for wrong answers.
    """
    return graded.verdict.reward
