"""The component ``length``."""

from __future__ import annotations

from .base import GradedCompletion, component


@component("length")
def brevity(graded: GradedCompletion) -> float:
    """1 up to the first length of ``Rubric.length`` (tokens), falling to 0 at the second.

    0 where the length is not known.
    """
    if graded.tokens is None or graded.length is None:
        return 0.0
    full, none = graded.length
    return min(1.0, max(0.0, (none - graded.tokens) / (none - full)))
