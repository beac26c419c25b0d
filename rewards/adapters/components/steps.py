"""The component ``steps``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("steps", weight=0.5)
def steps(graded: GradedCompletion) -> float:
    """The share of the problem that right steps settle before the first wrong step.

    Only for the task ``steps``, whose verdicts have the share as reward. With other components, the
    share counts only for a right answer, unless the rubric opens the gate.
    """
    return graded.verdict.reward
