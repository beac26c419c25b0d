"""Sample points of an integrand f, for one choice of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from flint import acb

from ..ball_arithmetic.balls import Break, Tape, precision
from ..ball_arithmetic.domain import (
    candidates,
    finer,
    on_line,
    overlooked,
    real_everywhere,
    search,
    uniform,
)
from ..ball_arithmetic.jets import NAN, ZERO, Ball, is_unreal
from ..ball_arithmetic.point_count import BRANCHING_POINTS, has_fixed_branch
from .cases import Draw
from .events import places

#: Fewest points on which anything is accepted.
MIN_POINTS = 4
#: Where one of so many candidates is usable, more of them will be.
EARLY = 8
#: Bits with which sample points are chosen and verdicts begin.
BASE_BITS = 128

#: Distance, relative to 1 + |x|, at which an interval of the real domain has another point.
NEIGHBOUR = 2.0**-44

#: Draws of the parameters that are tried where f has no real points: of two ordered parameters each
#: draw fits with a chance of one half, so that all four fail once in sixteen problems.
DRAWS = 4
#: Evaluations in the searches for a real domain that the candidates missed, all draws together.
#: (Most that a successful search took in the tests and banks: 580.)
SEARCH_BUDGET = 800
#: Points of the disc, of radius 0.1 beside the unit interval, of which some may be poles of f.
DISC_POINTS = 32
#: Kind of a parameter -> its value, from a uniform number in (0, 1): real ones keep away from 0, at
#: which terms vanish; whole ones are 2 to 8, since exponents 0 and 1 are special.
ASSUMPTIONS: dict[str, Callable[[float], float]] = {
    "positive": lambda u: 0.375 + 3.0 * u,
    "negative": lambda u: -0.375 - 3.0 * u,
    "real": lambda u: (0.375 + 6.0 * abs(u - 0.5)) * (1 if u > 0.5 else -1),
    "integer": lambda u: float(2 + int(7 * u)),
    "signed integer": lambda u: float(2 + int(7 * abs(2 * u - 1))) * (1 if u > 0.5 else -1),
    "even": lambda u: float(2 * (1 + int(4 * u))),
    "odd": lambda u: float(2 * (1 + int(4 * u)) + 1),
}


@dataclass(slots=True, eq=False)
class Point:
    """A sample point, real or complex. ``f`` has the integrand's values by precision in bits."""

    x: Ball
    measured: bool
    f: dict[int, Ball] = field(default_factory=dict)


class PointPool:
    """Sample points for one convention about roots and one choice of the parameters. Points are
    computed on demand.

    ``tier`` says which points are used. ``real``: every part of the integrand f is real there.
    ``value``: only the value of f is real there. ``complex``: too few points were found at which f
    is real, and the points are on a disc away from the real axis.
    """

    def __init__(
        self,
        tape: Tape,
        names: tuple[str, ...],
        assumptions: Mapping[str, str],
        key: str,
        order: int = 0,
        drawn: Draw = (),
    ) -> None:
        self.tape = tape
        self._drawn = dict(drawn)
        self.order = order
        self.tier = "real"
        self._values: dict[str, Ball] = {}
        self._names, self._assumptions, self._key = names, assumptions, key
        self._points: list[Point] = []
        self._source: Iterator[tuple[float, bool]] = iter(())
        self._settled = False
        self._budget = SEARCH_BUDGET
        self._unsure = 0
        self._between: list[Point] | None = None
        self._finer: list[Point] | None = None
        self._events: list[float] | None = None

    @property
    def values(self) -> dict[str, Ball]:
        """The values of the parameters."""
        if not self._settled:
            self._settle()
        return self._values

    def take(self, count: int) -> list[Point]:
        """The first ``count`` sample points, or fewer if the domain is too small."""
        if not self._settled:
            self._settle()
        if len(self._points) < count:
            with precision(BASE_BITS):  # the points must not depend on the caller's precision
                self._extend(count)
                if len(self._points) < min(count, MIN_POINTS) and self.tier == "real":
                    self._search()
        return self._points[:count]

    def between(self) -> list[Point]:
        """Points between breakpoints of the integrand, in intervals without a sample point.

        If the integrand is not analytic, agreement on one interval proves nothing about the next
        interval. Without these points, ``50 - x`` would be accepted for ``|x - 50|``. Points of the
        largest intervals come first.
        """
        if self._between is None:
            breaks = [*self.tape.breaks]
            for branch in self.tape.branches:
                if not has_fixed_branch(branch, self.tape.variable):
                    # A root changes at zeros of its radicand, arcsin turns back at 1 and -1.
                    breaks.append(Break(branch.slot, "zero" if branch.root else "turn"))
            self._between = []
            if breaks and self.tier != "complex":
                with precision(BASE_BITS):
                    seen = [float(point.x.real) for point in self.take(BRANCHING_POINTS)]
                    xs = overlooked(self.tape, list(dict.fromkeys(breaks)), self._values, seen)
                    points = [Point(acb(x), measured=False) for x in xs]
                    self._between = [p for p in points if self.usable(p.x) is not None]
        return self._between

    def finer(self) -> list[Point]:
        """Many further sample points, needed if most of the first points are not usable.

        An example is ``artanh(tanh x)``. For |x| > 200, this function needs more digits than the
        limit allows.
        """
        if self._finer is None:
            with precision(BASE_BITS):
                xs = finer(self._key) if self.tier != "complex" else ()
                points = [Point(acb(x), measured=False) for x in xs]
                self._finer = [point for point in points if self.usable(point.x) is not None]
        return self._finer

    def events(self) -> list[float]:
        """Zeros and other events of the integrand (`rewards.numeric.sampling.events`)."""
        if self._events is None:
            self._events = places(self.tape, self._values)
        return self._events

    def f(self, point: Point, bits: int) -> Ball:
        """The value of the integrand at a point. The caller has set the precision to ``bits``."""
        value = point.f.get(bits)
        if value is None:
            jets = self.tape.run(point.x, self._values, derivative=self.order == 1)
            value = point.f[bits] = jets[self.tape.root][self.order] or ZERO
        return value

    def _draw(self, attempt: int) -> None:
        drawn = draw(self._names, self._assumptions, self._key, attempt)
        self._values = drawn | {name: acb(value) for name, value in self._drawn.items()}

    def _settle(self) -> None:
        """Choose the kind of sample points (``tier``) and the values of the parameters."""
        self._settled = True
        with precision(BASE_BITS):
            self._find_tier()

    def _find_tier(self) -> None:
        vary = self._names and not self._drawn and not self.tape.is_domain_fixed()
        draws = DRAWS if vary else 1
        for tier in ("real", "value"):
            self.tier = tier
            for attempt in range(draws):
                self._draw(attempt)
                self._points, self._unsure = [], 0
                if self._nowhere_real():
                    continue
                self._source = candidates((self._key, attempt))
                self._extend(1, EARLY)
                if self._points:
                    return  # others will be found
                self._extend(MIN_POINTS)
                if len(self._points) >= MIN_POINTS:
                    return
                if tier == "real" and self._search():
                    return
        self.tier = "complex"
        self._source = iter(())
        self._points = list(self._disc())

    def _extend(self, count: int, tries: int | None = None) -> None:
        for real, measured in islice(self._source, tries):
            x = acb(real)
            value, is_certain = self._possible(x)
            self._unsure += not is_certain
            if value is not None and is_certain:
                f_values = {} if self.order else {BASE_BITS: value}
                self._points.append(Point(x, measured, f_values))
                if len(self._points) >= count:
                    return

    def _search(self) -> bool:
        """Search for points of a small real domain, and tell whether enough points are found.

        If so, the found points become sample points. The search is left out if f may be real at
        candidates, and only rounding hides this.
        """
        budget = self._budget if self._unsure < MIN_POINTS else 0
        further, spent = search(self.tape, self._values, MIN_POINTS, budget)
        self._budget -= spent
        further = [x for x in further if not self._isolated(x)]
        enough = len(self._points) + len(further) >= MIN_POINTS
        self._points += [Point(acb(x), measured=False) for x in further if enough]
        return enough

    def usable(self, x: Ball) -> Ball | None:
        """The value of the integrand at a number, or None if the number is no sample point."""
        value, is_certain = self._possible(x)
        return value if is_certain else None

    def _possible(self, x: Ball) -> tuple[Ball | None, bool]:
        """The value of f at a number, and whether ``tier`` certainly admits this number.

        The value is None if ``tier`` certainly excludes the number, and the flag says nothing then.
        """
        is_strict = self.tier == "real"
        jets = self.tape.run(x, self._values, derivative=False, real=is_strict)
        value = jets[self.tape.root][0] if jets else NAN
        if not value.is_finite() or is_unreal(value):
            return None, True
        return value, not is_strict or real_everywhere(self.tape, jets)

    def _nowhere_real(self) -> bool:
        """Whether f is certainly real at isolated points of the line only.

        One point at which a meromorphic function is finite and not real shows this.
        """
        tape = self.tape
        if not (tape.domain or tape.has_complex_constants()) or not tape.is_meromorphic:
            return False
        x = acb(on_line(uniform(self._key)))
        value = tape.run(x, self._values, derivative=False)[tape.root][0]
        return is_unreal(value)

    def _isolated(self, x: float) -> bool:
        """Whether a point at which the integrand f is real is isolated.

        The function f is not real just to the left or just to the right of an isolated point. For
        example, all points at which ``(-5)^{12x}`` is real are isolated.
        """
        step = (1.0 + abs(x)) * NEIGHBOUR
        return all(self.usable(acb(x + s)) is None for s in (step, -step))

    def _disc(self) -> Iterator[Point]:
        """Yield points of a small disc above the real axis at which the integrand is finite."""
        centre = acb(2.0 * uniform(self._key, "re") - 1.0, 0.5 + uniform(self._key, "im"))
        for i in range(DISC_POINTS):
            a, b = uniform(self._key, "re", i), uniform(self._key, "im", i)
            x = centre + acb(0.2 * a - 0.1, 0.2 * b - 0.1)
            value = self.tape.run(x, self._values, derivative=False)[self.tape.root][0]
            if value.is_finite():
                yield Point(x, measured=False)


def draw(
    names: Sequence[str], assumptions: Mapping[str, str], key: str, attempt: int = 0
) -> dict[str, Ball]:
    """Pseudorandom values of parameters, as balls. The values fit the assumptions."""
    if not names:
        return {}
    named_kinds = ((name, assumptions.get(name, "positive")) for name in names)
    return {
        name: acb(ASSUMPTIONS[assumption](uniform(key, attempt, name)))
        for name, assumption in named_kinds
    }
