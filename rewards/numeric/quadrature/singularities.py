"""The points inside the range of integration at which an integrand has no finite value.

An interval on which ball arithmetic bounds f contains no singularity. Other intervals are halved.
If f remains unbounded on the smallest intervals, they contain a singularity, which may be removable
(``sin x / x``). The singularity is located exactly, because quadrature has to begin there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial

from flint import arb, fmpq, fmpq_poly

from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.domain import isolate
from .line import RealLine
from .work import QuadratureError

#: Bits with which intervals are examined, and the least width of an interval (relative to 1 + |x|):
#: at first, and if the interval seems to hold a singularity that cannot be located.
SCAN_BITS, NARROW, NARROWEST = 96, 2.0**-12, 2.0**-36
#: Most intervals that are examined, and most singularities: an integral begins at each singularity.
MAX_INTERVALS, MAX_SINGULARITIES = 4_000, 24
#: An infinite range is scanned up to `FAR`, and beyond `NEAR` only in `FAR_INTERVALS` intervals.
NEAR, FAR, FAR_INTERVALS = 80.0, 2.0**12, 400
#: Largest denominator of the rational numbers and multiples of pi with which a singularity is
#: compared: two such numbers differ by 1/552 or more, seven times `NARROW`.
MAX_DENOMINATOR = 24
#: The same for a singularity that is located already: parameters have the denominator 64 and
#: numerators up to 185, by which the places of poles are divided.
LARGEST_DENOMINATOR = 256


#: Bits of the working precision that the isolation of a zero may leave unknown.
ISOLATED = 16
#: Lengths of the first intervals as powers of two: from 1/64, and up to `FAR`.
DOUBLING = range(-6, 13)
#: Error of the ends of an interval and of multiples of pi as floats, with room for four digits.
FLOAT_ERROR = 1e-12


def singularities(line: RealLine, lower: arb, upper: arb, bits: int) -> list[arb]:
    """The points inside (lower, upper) at which the integrand has no finite value, ascending.

    Args:
        line: the integrand.
        lower: the lower limit, which may be infinite.
        upper: the upper limit, which may be infinite.
        bits: the precision of the points.

    Raises:
        QuadratureError: there are too many singularities, or a singularity cannot be located.

    """
    with precision(SCAN_BITS):
        intervals = list(_first(lower, upper))
        near = [pair for pair in intervals if max(map(abs, pair)) < NEAR]
        clusters = _clusters(line, near, NARROW)
        with suppress(QuadratureError):
            # Far out an interval of e^x cannot be bounded away from zero. What is missed there, the
            # two quadratures tell apart.
            far = [pair for pair in intervals if pair not in near]
            clusters = sorted(clusters + _clusters(line, far, NARROW, FAR_INTERVALS), key=_start)
    points = []
    for low, high in clusters:
        point = _locate(line, low, high, bits, (lower, upper))
        if point is not None:
            points.append(point)
            continue
        with precision(SCAN_BITS):
            inner = _clusters(line, [(low, high)], NARROWEST)
        for inner_low, inner_high in inner:
            point = _locate(line, inner_low, inner_high, bits, (lower, upper))
            if point is None:
                raise QuadratureError(
                    f"a singularity near {float(inner_low):.6g} cannot be located"
                )
            points.append(point)
    return [point for point in points if bool(point > lower) and bool(point < upper)]


def _start(cluster: tuple[arb, arb]) -> float:
    return float(cluster[0])


def _clusters(
    line: RealLine,
    intervals: list[tuple[arb, arb]],
    narrow: float,
    budget: int = MAX_INTERVALS,
) -> list[tuple[arb, arb]]:
    """Find narrow separate intervals outside of which the integrand is bounded."""
    queue = intervals[::-1]
    unbounded: list[tuple[arb, arb]] = []
    for _ in range(budget + 1):
        if not queue:
            return unbounded
        low, high = queue.pop()
        if line.on(low.union(high)).is_finite():
            continue
        middle = (low + high) / 2
        if high - low < narrow * (1 + abs(middle)):
            if unbounded and low - unbounded[-1][1] <= high - low:
                unbounded[-1] = (unbounded[-1][0], high)
            else:
                unbounded.append((low, high))
            if len(unbounded) > MAX_SINGULARITIES + 2:
                raise QuadratureError(f"more than {MAX_SINGULARITIES} singularities")
            continue
        middle = arb(middle.mid())
        queue += [(middle, high), (low, middle)]
    raise QuadratureError("the integrand cannot be bounded between its singularities")


def _first(lower: arb, upper: arb) -> Iterator[tuple[arb, arb]]:
    """Yield intervals that divide the range. The lengths of the intervals double from 0 outwards.

    Narrow intervals at both ends are left out, because the ends are examined separately.
    """
    marks = [0.0, *(2.0**k for k in DOUBLING)]
    low, high = max(float(lower), -FAR), min(float(upper), FAR)
    edge = min(NARROW, (high - low) / 64)  # of a short range no more than a 64th
    low, high = low + edge * (1 + abs(low)), high - edge * (1 + abs(high))
    # Off the marks themselves: a singularity at 0 or 1 is then in one interval, not in two.
    shifted = sorted(sign * mark + 1e-3 * (1 + mark) for mark in marks for sign in (1, -1))
    edges = [low, *(mark for mark in shifted if low < mark < high), high]
    for a, b in itertools.pairwise(edges):
        yield arb(a), arb(b)


def _locate(line: RealLine, low: arb, high: arb, bits: int, ends: tuple[arb, arb]) -> arb | None:
    """Find the singular point of the integrand in an interval, or return None.

    The candidates are ``ends``, numbers with a short name such as 1/2 or pi/4, and points where a
    sub-expression is 0 or a multiple of pi/2.
    """
    with precision(bits):
        width = 2 * (high - low)
        for end in ends:
            if end.is_finite() and bool(low - width < end) and bool(end < high + width):
                return end
        for point in named_numbers(float(low), float(high)):
            if line.is_singular(point):
                return point
        for slot, target in line.special_slots(low.union(high)):
            jet_at = partial(line.tape.at, slot, values=line.values)
            isolated = isolate(jet_at, target, low, high, arb(2) ** (ISOLATED - bits))
            if isolated is not None:
                point = arb(isolated[0].union(isolated[1]))
                if line.is_singular(point):
                    return point
    return None


def named_number(point: arb) -> fmpq_poly | None:
    """A polynomial in pi whose value lies in a ball: a rational number, or a multiple of pi.

    The ball encloses a point at which a range is cut. The caller replaces this point by the value.
    If there is no such number with a small denominator, the result is None.
    """
    for at, unit in enumerate((arb(1), arb.pi())):
        near = Fraction(float((point / unit).mid())).limit_denominator(LARGEST_DENOMINATOR)
        ratio = fmpq(near.numerator, near.denominator)
        if (unit * arb(ratio)).overlaps(point):
            return fmpq_poly([0] * at + [ratio])
    return None


def named_numbers(low: float, high: float) -> Iterator[arb]:
    """Yield the numbers p/q and p pi/q that lie in an interval and have a small denominator q."""
    slack = FLOAT_ERROR * (1 + abs(low))
    for unit, exact in ((1.0, arb(1)), (float(arb.pi()), arb.pi())):
        middle = Fraction((low + high) / 2 / unit).limit_denominator(MAX_DENOMINATOR)
        if low - slack <= float(middle) * unit <= high + slack:
            yield exact * arb(fmpq(middle.numerator, middle.denominator))
