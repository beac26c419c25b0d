"""The reward component ``length``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("length")
def brevity(graded: GradedCompletion) -> float:
    """A number that decreases with the completion's length in tokens.

    ``Rubric.length`` is a pair of lengths. The number is 1 up to the smaller length, and 0 from the
    larger length on. Between the two lengths, the number falls linearly. If the completion's length
    is unknown, the number is 0.
    """
    if graded.tokens is None or graded.length is None:
        return 0.0
    full, none = graded.length
    return min(1.0, max(0.0, (none - graded.tokens) / (none - full)))
