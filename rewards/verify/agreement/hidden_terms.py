"""Terms of the answer that are smaller than the error of the comparison at the sample points."""

from __future__ import annotations

from ...numeric.ball_arithmetic.point_count import BRANCHING_POINTS
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome

#: Points at which the terms are looked for: four times those of an answer with branches. Half or
#: twice as many change no verdict (tests/mutation/constants.py).
POINTS = 4 * BRANCHING_POINTS


def look(comparison: Comparison) -> Outcome | None:
    """Compare at more points, if a term of the answer was too small to be compared so far.

    If the term is too small at the new points as well, the outcome is undecided.
    """
    if not comparison.unseen:
        return None
    refuted = comparison.visit(comparison.pool.take(POINTS)[comparison.usable :])
    if refuted is None and comparison.unseen:
        return comparison.undecided("a term of the answer is too small to be seen at any point")
    return refuted
