"""Estimates how fast an integrand decays at an end of its range.

A substitution moves the end to infinity. At a finite end b, x = b +- e^{-s}. At infinity, x = +-
e^s. The integral of f becomes the integral of g(s) = f(x) |dx/ds|. The integral converges if g
decays exponentially. Where f has logarithms, g may decay as a power of s only; the quadratures then
need too many nodes, so that such an end is left undecided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from flint import arb

from ...ball_arithmetic.balls import precision
from ..line import END_BITS, RealLine

#: g is looked at where s is a power of two.
POWERS = range(5, 11)
#: Slope of -log2 g up to which g does not decay exponentially.
FLAT = 1e-2


@dataclass(frozen=True, slots=True)
class End:
    """An end of a range of integration.

    Attributes:
        point: the end, infinite or a finite ball.
        side: +1 if the range lies to the right of the end, -1 to the left.
        origin: the point from which the distance of x is counted, if the end is infinite.

    """

    point: arb
    side: int
    origin: arb = field(default_factory=arb)

    @property
    def infinite(self) -> bool:
        return not self.point.is_finite()

    def x(self, s: arb) -> tuple[arb, arb]:
        """The point x of a coordinate s, which tends to infinity at the end, and |dx/ds| there."""
        if self.infinite:
            distance = s.exp()
            return self.origin - self.side * distance, distance
        distance = (-s).exp()
        return self.point + self.side * distance, distance


def decay_rate(line: RealLine, end: End) -> float:
    """Estimate the decay of an integrand at an end, in the coordinate s of `End.x`.

    Args:
        line: the integrand f, which becomes g(s).
        end: the end.

    Returns:
        The decrease of log2 g per unit of s, between the two sample points nearest to the end. The
        rate is infinite if g is too small to measure, and 0 if no exponential decay is seen.

    """
    with precision(END_BITS):
        samples = [_sample(line, end, 2**k) for k in POWERS]
    sizes = [size for size, _ in samples]
    nearest, *_, third_last, second_last, last = sizes
    if last == -_HUGE:
        return math.inf
    # Lost in the rounding of terms that cancel: f is zero, or decays as 1 - tanh x does.
    if not any(is_signed for _, is_signed in samples) and any(
        size < -END_BITS / 2 for size in (nearest, last)
    ):
        return math.inf
    slopes = (
        (third_last - second_last) / 2.0 ** POWERS[-3],
        (second_last - last) / 2.0 ** POWERS[-2],
    )
    return slopes[1] if all(slope > FLAT for slope in slopes) else 0.0


def _sample(line: RealLine, end: End, s: int) -> tuple[float, bool]:
    """An upper bound of log2 |g| at ``s``, and whether the sign of g is known.

    The function g(s) is the integrand f(x) times |dx/ds| (`End.x`). An unknown bound is nan.
    """
    x, slope = end.x(arb(s))
    value = line.at(x)
    if not value.is_finite():
        return math.nan, False
    g = value * slope
    return _log2(g.abs_upper()), not g.contains(0)


def _log2(x: arb) -> float:
    if x.is_zero():
        return -float(_HUGE)
    mantissa, exponent = x.man_exp()
    order = math.log2(int(mantissa)) + float(max(-2 * _HUGE, min(2 * _HUGE, int(exponent))))
    return max(-float(_HUGE), min(float(_HUGE), order))


#: Larger binary orders of magnitude are clipped.
_HUGE = 10**18
