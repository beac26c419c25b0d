"""The component ``steps``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("steps", weight=0.5)
def steps(graded: GradedCompletion) -> float:
    """The share of the problem that right steps settle before the first wrong one.

    For the task ``steps`` only, whose verdicts have it as their reward. Beside other components it
    counts with a right answer only, as all do, unless the rubric opens the gate.
    """
    return graded.verdict.reward
