"""Terms of the answer that are too small to be seen at the points."""

from __future__ import annotations

import math

from ...numeric.ball_arithmetic.compare import compare
from ...numeric.ball_arithmetic.magnitude import log2
from ...numeric.ball_arithmetic.point_count import BRANCHING_POINTS
from ...numeric.comparison.at_points import Comparison, PointResult
from ...numeric.outcome import Outcome
from ...numeric.sampling.integrand import Point

#: Points at which the terms are looked for before bits are added: four times those of an answer
#: with branches. Half or twice as many change no verdict (tests/perf/constants.py).
POINTS = 4 * BRANCHING_POINTS


def look(comparison: Comparison) -> Outcome | None:
    """Check the remaining terms at more points, then with more bits; else undecided."""
    if not comparison.unseen:
        return None
    refuted = comparison.visit(comparison.pool.take(POINTS)[comparison.usable :])
    if refuted is not None:
        return refuted
    bits = 2 * comparison.bits
    while comparison.unseen and bits <= comparison.max_bits:
        for point in _where_largest(comparison):
            jets, slope = comparison.derivative(point, bits)
            agreement = compare(slope, comparison.pool.f(point, bits), enough=-math.inf)
            if agreement.same is False:
                return comparison.refutation(point, bits=bits)
            if not agreement.difference.is_finite():
                continue
            visible_slots = comparison.shown(jets, agreement.difference)
            comparison.note(PointResult(point, shown=visible_slots))
        bits *= 2
    if comparison.unseen:
        return comparison.undecided("a term of the answer is too small to be seen at any point")
    return None


def _where_largest(comparison: Comparison) -> list[Point]:
    """Per unseen term, the agreeing point at which its derivative is largest."""
    best: dict[int, tuple[float, Point]] = {}
    for point in comparison.agreeing[:BRANCHING_POINTS]:
        jets, _ = comparison.derivative(point, comparison.bits)
        for slot in comparison.unseen:
            slope = jets[slot][comparison.order]
            if slope is not None and slope.is_finite():
                size = log2(slope.abs_upper())
                if slot not in best or size >= best[slot][0]:
                    best[slot] = size, point
    return list(dict.fromkeys(point for _, point in best.values()))
