"""The decision whether an integral converges at an end of its range.

A substitution moves the end to infinity. At a finite end b, x = b +- e^{-s}. At infinity, x = +-
e^s. The integral of f becomes the integral of g(s) = f(x) |dx/ds|. The integral converges if g
decays exponentially, or if g decays as s^{-p} with p > 1. The latter occurs if f has logarithms.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from enum import Enum

from flint import arb

from ...ball_arithmetic.balls import precision
from ..line import END_BITS, RealLine

#: g is looked at where s is a power of two.
POWERS = range(5, 11)
#: |slope| of log2 g below which g neither decays nor grows exponentially.
FLAT = 1e-2
#: Points farthest out, of `POWERS`, at which the sign and the bounds of g have to be known.
FARTHEST_POINTS = 3
#: Bits that g loses for each unit of s if g decays faster than any power of e^s, and the least
#: growth of the loss from point to point: e^{-x} loses e^s bits at infinity (2^1477 at s = 1024).
FAST_RATE, FAST_GROWTH = 64, 1.5
#: Most that the slopes of log2 g may differ by, in bits for each unit of s, where f does not
#: oscillate: between irregular points the slope of s^{-p} changes by less than p/300, and the
#: slope of cos s by 1.
SMOOTH = 0.25
#: s^{-p} is taken to converge for p over the first number and to diverge for p under the second:
#: powers of two of s show p up to log log terms, so that a p between both numbers is undecided.
CONVERGENT_POWER, DIVERGENT_POWER = 1.2, 1.05


class Behaviour(Enum):
    """Whether the integral converges or diverges at an end of its range."""

    CONVERGES = "converges"
    DIVERGES = "diverges"
    UNKNOWN = "unknown"


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


@dataclass(frozen=True, slots=True)
class Decay:
    """How g(s), the integrand f in the coordinate s of `End.x`, decays at an end of the range.

    Attributes:
        behaviour: whether the integral converges.
        rate: the decrease of log2 g per unit of s, between the two sample points nearest to the
            end. The rate is infinite if g is too small to measure.
        fast: whether g decays faster than exponentially in s, as for f = e^{-x} at infinity.
        sign: the sign of f near the end, or 0 if the sign is unknown.

    """

    behaviour: Behaviour
    rate: float
    fast: bool
    sign: int


def decay(line: RealLine, end: End) -> Decay:
    """Estimate how the integrand decays at an end, and whether the integral converges there.

    If the integrand oscillates and does not decay exponentially in the coordinate s of `End.x`, the
    behaviour is unknown.
    """
    with precision(END_BITS):
        samples = [_sample(line, end, 2**k) for k in POWERS]
        smooth = _is_smooth(line, end)
    upper = [high for _, high, _ in samples]
    lower = [low for low, _, _ in samples]
    if upper[-1] is not None and upper[-1] <= -_HUGE:
        return Decay(Behaviour.CONVERGES, math.inf, True, 0)
    if all(sign == 0 for _, _, sign in samples):
        # Lost in the rounding of terms that cancel: f is zero, or decays as 1 - tanh x does.
        nearest_log, farthest_log = upper[0], upper[-1]
        if nearest_log is not None and nearest_log < -END_BITS / 2:
            return Decay(Behaviour.CONVERGES, 1.0, end.infinite, 0)
        if farthest_log is not None and farthest_log < -END_BITS / 2:
            return Decay(Behaviour.CONVERGES, 1.0, False, 0)
    signs = {sign for _, _, sign in samples[-FARTHEST_POINTS:]}
    sign = signs.pop() if len(signs) == 1 else 0
    if all(value is not None for value in upper[-FARTHEST_POINTS:]):
        slopes = [
            (a - b) / 2.0**k
            for k, a, b in zip(POWERS, upper, upper[1:], strict=False)
            if a is not None and b is not None
        ]
        rate = slopes[-1]
        if min(slopes[-2:]) > FLAT:
            fast = rate > FAST_RATE and rate > FAST_GROWTH * slopes[-2]
            return Decay(Behaviour.CONVERGES, rate, fast, sign)
        if sign and smooth and all(value is not None for value in lower[-FARTHEST_POINTS:]):
            if rate < -FLAT:
                return Decay(Behaviour.DIVERGES, rate, False, sign)
            return Decay(_logarithmic(lower, upper), rate, False, sign)
    return Decay(Behaviour.UNKNOWN, 0.0, False, sign)


def _sample(line: RealLine, end: End, s: int) -> tuple[float | None, float | None, int]:
    """A lower and an upper bound of log2 |g| at ``s``, and the sign of g.

    The function g(s) is the integrand f(x) times |dx/ds| (`End.x`). An unknown bound is None.
    """
    x, slope = end.x(arb(s))
    value = line.at(x)
    if not value.is_finite():
        return None, None, 0
    g = value * slope
    sign = 1 if g > 0 else -1 if g < 0 else 0
    low = _log2(g.abs_lower()) if sign else None
    return low, _log2(g.abs_upper()), sign


def _is_smooth(line: RealLine, end: End) -> bool:
    """Whether the integrand seems to be smooth near an end, judged by its values at some points.

    All values must have the same sign. The slopes of their logarithms must differ by less than
    `SMOOTH`.
    """
    samples = [_sample(line, end, s) for s in _IRREGULAR]
    bounds = [low for low, _, _ in samples]
    if len({sign for _, _, sign in samples}) > 1 or None in bounds:
        return False
    slopes = [
        (b - a) / (t - s)
        for (s, a), (t, b) in itertools.pairwise(zip(_IRREGULAR, bounds, strict=True))
        if a is not None and b is not None
    ]
    return max(slopes) - min(slopes) < SMOOTH


#: Where oscillations show: s without a pattern.
_IRREGULAR = (301, 317, 338, 351, 372, 383, 404, 421, 436, 459, 470, 493)


def _log2(x: arb) -> float:
    if x.is_zero():
        return -float(_HUGE)
    mantissa, exponent = x.man_exp()
    order = math.log2(int(mantissa)) + float(max(-2 * _HUGE, min(2 * _HUGE, int(exponent))))
    return max(-float(_HUGE), min(float(_HUGE), order))


#: Larger binary orders of magnitude are clipped.
_HUGE = 10**18


def _logarithmic(lower: list[float | None], upper: list[float | None]) -> Behaviour:
    """Decide about convergence at an end near which the integrand has powers of logarithms.

    The integrand in the coordinate s of `End.x` then decays as s^{-p}. If s is doubled, its log2
    decreases by p.
    """
    if lower[-2] is None or upper[-1] is None:
        return Behaviour.UNKNOWN
    power = lower[-2] - upper[-1]
    if power > CONVERGENT_POWER:
        return Behaviour.CONVERGES
    return Behaviour.DIVERGES if power < DIVERGENT_POWER else Behaviour.UNKNOWN
