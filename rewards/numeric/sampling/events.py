"""Events of an expression on the real line: zeros, turning points, and changes of the dominant
term.

An event is a zero or a turning point of a function's argument. A point where the absolute value of
an argument passes 1 is an event, too, and so is a point where two terms of a sum have the same
size. Each kind of event is a sign change of a quantity. The signs of these quantities are compared
on a grid of powers of two. If a sign changes between neighbouring points, the interval is bisected.
Around each event a finer grid shows narrow features, such as the unit width of ``e^{-(x-20)^2}``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from flint import acb

from ..ball_arithmetic import jets as rules
from ..ball_arithmetic.balls import Tape, UnusableError, precision
from ..ball_arithmetic.jets import Ball, Jet

T = TypeVar("T")

#: Bits with which signs are found.
BITS = 64
#: Exponents of the first grid: dense where people's numbers are, then up to where floats end.
_EXPONENTS = (1, 2, 3, 4, 6, 8, 10, 13, 18, 27, 40, 70, 120, 250, 500, 1000)
GRID = (*(-k for k in reversed(_EXPONENTS)), 0, *_EXPONENTS)
#: Factor of the first grid, so that it misses round numbers, where signs may be zero.
OFF_GRID = 1.0859375
#: Exponents of the grid around each change, relative to its size.
LOCAL = (-30, -20, -13, -8, -4, -1)
#: Steps of one bisection, and the places looked for on each side of 0.
STEPS, MAX_PLACES = 24, 8
#: Slots evaluated in one search.
SEARCH_UNITS = 12_000
#: The same for events that are found to the last bit of a float, so that a window of any width
#: that floats can show has a point inside: 60 steps instead of 24, for more places.
EXACT_STEPS, EXACT_UNITS = 60, 200_000
#: Ends of two intervals beyond the last event, relative to it. If the event is u = 1 in ``e^{iu}``,
#: the points between the ends are in the second and the fourth quadrant.
BEYOND = (4.0, 6.25)

#: Points far from the origin and close to it, which the usual sample seldom has.
FAR_POINTS = (137.28, -153.7, 2.9e3, -3.3e3, 1.31e6, -1.7e6, 1.9e10, -2.3e10, 3.1e-6, -3.7e-6)

#: Binary length of the numbers up to which usual samples reach: 10^12 of the line, and constants of
#: 2^40 (`parameters.EXTREME`). Of greater ones so many are looked at.
REACH, MAX_GREAT = 39, 8

_SUMS = frozenset((rules.add, rules.sub))
_SMOOTH = frozenset((rules.add, rules.sub, rules.mul, rules.neg, rules.div, rules.sqrt))


class _Search:
    """A search for sign changes, with a budget of evaluations.

    The module's docstring names the quantities whose signs are monitored.
    """

    def __init__(
        self, tape: Tape, values: Mapping[str, Ball], steps: int = STEPS, units: int = SEARCH_UNITS
    ) -> None:
        self.tape, self.values, self.steps = tape, values, steps
        self.left = units // max(tape.size, 1)
        self.pairs: list[tuple[int, int]] = []
        watched: dict[int, None] = {}
        varying = tape.varying
        for _, rule, arguments in tape.operations():
            moving = [a for a in arguments if varying[a]]
            if rule in _SUMS and len(arguments) == 2 and moving:
                self.pairs.append((arguments[0], arguments[1]))
            elif rule not in _SMOOTH:
                watched.update(dict.fromkeys(moving))
        self.watched = [slot for slot in watched if slot not in tape.symbols.values()]
        self.signs_at: dict[float, tuple[int, ...]] = {}

    def signs(self, x: float) -> tuple[int, ...]:
        """The sign of each monitored quantity at x, or 0 for a sign that cannot be determined."""
        signs = self.signs_at.get(x)
        if signs is None:
            self.left -= 1
            jets = self.tape.run(acb(x), self.values)
            signs = self.signs_at[x] = tuple(
                itertools.chain(
                    (_order(abs(jets[a][0]) - abs(jets[b][0])) for a, b in self.pairs),
                    (_order(abs(jets[slot][0]) - 1) for slot in self.watched),
                    (_order(jets[slot][0].real) for slot in self.watched),
                    (_slope(jets[slot]) for slot in self.watched),
                )
            )
        return signs

    def changes(self, grid: Sequence[float], seen: set[int]) -> Iterator[tuple[float, float]]:
        """Yield narrow intervals in which a monitored quantity changes its sign. Each quantity has
        at most one interval.

        ``seen`` contains the indices of quantities that have an interval already. The method adds
        further indices.
        """
        for low, high in itertools.pairwise(grid):
            signs = zip(self.signs(low), self.signs(high), strict=True)
            for i, (sign_low, sign_high) in enumerate(signs):
                if sign_low * sign_high < 0 and i not in seen and self.left > 0:
                    seen.add(i)
                    yield self._bisect(low, high, i)

    def _bisect(self, low: float, high: float, at: int) -> tuple[float, float]:
        sign = self.signs(low)[at]
        for _ in range(self.steps):
            middle = _between(low, high)
            if not low < middle < high or self.left <= 0:
                break
            sign_middle = self.signs(middle)[at]
            if sign_middle == 0:
                return middle, middle
            low, high = (middle, high) if sign_middle == sign else (low, middle)
        return low, high


def _order(value: Ball) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0


def _slope(jet: Jet) -> int:
    return 0 if jet[1] is None else _order(jet[1].real)


def _between(low: float, high: float) -> float:
    """A number between two numbers.

    If both numbers have the same sign and their ratio is at least four, the result is the geometric
    mean. Otherwise the result is the arithmetic mean.
    """
    if low and high and (low > 0) == (high > 0) and not 0.25 < low / high < 4.0:
        return math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)
    return (low + high) / 2


def places(tape: Tape, values: Mapping[str, Ball]) -> list[float]:
    """Distinct points at the events of an expression and close to these events. Zeros and turning
    points are examples of events.

    Args:
        tape: the expression.
        values: the values of the expression's parameters.

    """
    with precision(BITS):
        search = _Search(tape, values)
        if not (search.pairs or search.watched):
            return []
        positive = [OFF_GRID * 2.0**k for k in GRID]
        changes = [
            interval
            for grid in (positive, [-x for x in reversed(positive)])
            for interval in itertools.islice(search.changes(grid, set()), MAX_PLACES)
        ]
        points: dict[float, None] = {}
        for low, high in changes:
            middle = (low + high) / 2
            # Both sides, at unequal distances: f may be the same at equal ones.
            points.update(dict.fromkeys((middle * (1 + 2.0**-7), middle * (1 - 2.0**-5))))
        for low, high in changes:
            middle, scale = (low + high) / 2, abs(low) or 1.0
            steps = [scale * 2.0**k for k in LOCAL]
            nearby = [middle - s for s in reversed(steps)] + [middle + s for s in steps]
            for a, b in itertools.islice(search.changes(nearby, set()), 2):
                # Beyond a point where f was zero exactly: a 64th of its distance farther.
                points[a + (a - middle) / 64 if a == b else (a + b) / 2] = None
            # A point that is off the grid, for what happens within a unit of the place.
            points[middle + 0.37 * min(scale, 1.0)] = None
        return list(points)


def between_events(tape: Tape, values: Mapping[str, Ball], sign: int = 0) -> list[float]:
    """A point in each interval between neighbouring events of an expression.

    Near 7.3, ``max(0, 0.001 - |x - 7.3|)`` has events at 7.299, 7.3 and 7.301. The points between
    them lie within the narrow feature. `places` returns points beside the events instead.

    Args:
        tape: the expression.
        values: the values of the expression's parameters.
        sign: the sign of the points, or 0 for both signs.

    Raises:
        UnusableError: the expression has too many events.

    """
    with precision(BITS):
        search = _Search(tape, values, EXACT_STEPS, EXACT_UNITS)
        if not (search.pairs or search.watched):
            return []
        positive = [OFF_GRID * 2.0**k for k in GRID]
        ends: list[float] = []
        grids = {1: positive, -1: [-x for x in reversed(positive)]}
        for grid in grids.values() if sign == 0 else (grids[sign],):
            found = dict.fromkeys(search.changes(grid, set()))
            events = {end for interval in found for end in interval}
            for low, high in found:
                middle = (low + high) / 2
                steps = [(abs(low) or 1.0) * 2.0**k for k in LOCAL]
                nearby = [middle - s for s in reversed(steps)] + [middle + s for s in steps]
                events.update(itertools.chain(*search.changes(nearby, set())))
            if events:
                inner, outer = sorted((min(events), max(events)), key=abs)
                ends += [inner / BEYOND[0], *events, *(outer * factor for factor in BEYOND)]
        if search.left <= 0:
            raise UnusableError("the search for events takes too long")
        return [_between(low, high) for low, high in itertools.pairwise(sorted(ends)) if low < high]


def beyond_reach(*tapes: Tape) -> list[Ball]:
    """Sample points that are larger or nearer to 0 than the points of all other samples.

    An expression may change its behaviour at a threshold, such as ``10^1000``. A threshold is a
    number in the expression, the reciprocal of such a number, or a product of numbers and
    reciprocals. Let n be the sum of the bit lengths of all numbers. Then each threshold is less
    than 2^n. Some of the points lie beyond all thresholds. Other points lie slightly above and
    below the largest numbers in the expression.
    """
    lengths = {key: length for tape in tapes for key, length in tape.literals.items()}
    great = [key for key, length in lengths.items() if length > REACH]
    if not great:
        return []
    sizes = [acb(2) ** (sum(lengths.values()) + 8)]  # 2^8: a sum of 256 such products is less
    for number, times in sorted(great, key=lambda key: -lengths[key])[:MAX_GREAT]:
        size = acb(abs(number.numerator) or 1) ** times / acb(number.denominator) ** times
        # A step at the number itself shows between both sides of it, one percent apart.
        sizes += [size * (1 + sign * acb(2) ** -7) for sign in (1, -1)]
    return [*sizes, *(1 / size for size in sizes)]


def spread(points: Sequence[T], count: int) -> list[T]:
    """At most ``count`` of the points, at equal distances from each other in the list."""
    if len(points) <= count:
        return list(points)
    return [points[i * len(points) // count] for i in range(count)]
