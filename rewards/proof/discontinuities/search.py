"""The search for points where an answer may jump: breakpoints, zeros of radicands, and poles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial

from flint import acb, arb, ctx

from ...numeric.ball_arithmetic import jets as rules
from ...numeric.ball_arithmetic.balls import Branch, precision
from ...numeric.ball_arithmetic.domain import (
    WINDOW,
    breakpoints,
    isolate,
    pole_crossings,
)
from ...numeric.ball_arithmetic.jets import ZERO, Ball, is_unreal
from ...numeric.ball_arithmetic.magnitude import log2
from ...numeric.ball_arithmetic.point_count import BRANCHING_POINTS, has_fixed_branch, points_wanted
from ...numeric.comparison import radicals
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...numeric.sampling.pool import BASE_BITS, Point
from ...reading.expression.tree import Expression, Number
from ...verdict import Status, Witness
from .branches import (
    MAX_SEARCH,
    MAX_THOROUGH_SEARCH,
    BranchSearch,
    CriticalInterval,
    isolating_width,
)
from .form import branching_divisors, cannot_jump
from .jumps import TINY, enclosure, has_another_value, is_level, is_tiny, is_unbounded, jump

#: Breakpoints are isolated at this precision, so that slopes do not pass for jumps.
JUMP_BITS, MAX_JUMP_BITS = 512, 2048
#: Beside larger values of f, in bits, or smaller constants, a jump cannot be excluded.
MAX_MAGNITUDE = 20_000
#: Places are isolated to so many bits, and three more for each bit of the size of f.
CLOSE_BITS = 192
#: Operations on parts of which each may have a tiny jump.
ARITHMETIC = frozenset((rules.add, rules.sub, rules.neg, rules.mul, rules.div))
#: Values of an answer that differ by less are no two sides of a jump.
NEAR_VALUES = arb(2) ** -12
#: The size of f is first measured so far away, and then closer, so many times.
NEARBY, MAX_CLOSER_LOOKS = arb(2) ** -128, 3
#: Where f is larger, in bits, and the place not in `WINDOW`, jumps by inverse functions that turn
#: back are not looked for.
MAX_FAR_BITS = 64
#: How well the ends of an inverse function's real domain are known.
ENDS_WIDTH = 2.0**-40
#: Longer answers are not searched for jumps of inverse functions, which are only flagged.
MAX_FLAGGED = 400


class JumpSearch:
    """The search for jumps of an answer F.

    F may jump at *critical points*. Such points are zeros of radicands, zeros of arguments of
    logarithms, and breakpoints of functions such as ``|u|``. Points where an inverse function turns
    back, as arcsin(sin x) does, are also critical.

    Args:
        comparison: F' compared with the integrand f.
        formulas: F and f as expressions, to examine their form. If None, the form of F is not
            examined.

    Attributes:
        branches: the search for places where a root, logarithm or inverse function changes branch.
        touching: intervals around points where a radicand may touch zero, or where a complex
            logarithm may change branch.
        too_large: whether the search fails at some critical point. The reason is an f that is too
            large near this point, or a constant of F that is too small.

    """

    def __init__(
        self, comparison: Comparison, formulas: tuple[Expression, Expression] | None = None
    ) -> None:
        self.at, self._formulas = comparison, formulas
        self.tape, self.pool = comparison.tape, comparison.pool
        self.too_large = False
        self.touching: list[CriticalInterval] = []
        self.branches = BranchSearch(comparison, formulas)
        self._hides_jumps = False

    @property
    def doubt(self) -> str:
        """The reason why F may have jumps that were not found, or an empty text."""
        if self.too_large:
            return "f is too large, or a constant too small, where the answer may jump"
        if self._hides_jumps or self.branches.is_incomplete:
            return "places where the answer may jump are too close to isolate"
        return ""

    def impossible(self) -> bool:
        """Whether the answer F cannot jump: it has no critical points, or its form excludes jumps.

        The result is False if the search for critical points was incomplete.
        """
        if not (self.tape.breaks or self.tape.branches):
            return not self.tape.pointwise
        # Beside complex constants, imaginary steps of the terms may be real ones.
        if not any(branch.outermost for branch in self.tape.branches) and (
            self._formulas and cannot_jump(*self._formulas, self.tape.variable)
        ):
            return True
        width = isolating_width(self.at.bits)
        if self.tape.breaks or any(
            self.branches.turns(branch, width) for branch in self.tape.branches
        ):
            return False
        return not self.branches.is_incomplete

    def has_value(self) -> bool:
        """Whether an answer that has a value somewhere has values everywhere.

        Isolated points are left out. An analytic continuation of the answer to another interval is
        the answer with other values of its roots. If all choices of roots have a value at one
        point, so has each continuation.
        """
        if self._formulas is None:
            return False
        answer, f = self._formulas
        f = f if self.pool.tier == "real" else Number(1)
        roots = branching_divisors(answer, f, self.tape.variable)
        if self.tape.breaks or self.tape.pointwise:
            return False
        if not roots:
            return roots is not None
        orders = [order for _, order, _ in self.tape.radicals]
        points = self.pool.take(1)
        if not points or math.prod(orders) > radicals.MAX_BRANCHES:
            return False
        choices = [(), *radicals.choices(self.tape)]
        self.at.budget.spend(len(choices) * self.tape.work(ctx.prec))
        values = self.at.values
        return all(
            radicals.value(self.tape, points[0].x, values, choice).is_finite() for choice in choices
        )

    def refute(self, *, proved: bool) -> Outcome | None:
        """Refute the answer F if F jumps where the integrand f is bounded, or if F' is not f.

        ``proved`` says whether F' = f is proved.
        """
        if self.tape.pointwise:
            return self.at.undecided("a condition singles out points")
        ctx.prec = max(self.at.bits, JUMP_BITS) if self.tape.breaks else self.at.bits
        width = isolating_width(min(ctx.prec, MAX_JUMP_BITS))
        cells: list[Ball] = []
        if not proved:
            if points_wanted(self.pool.tape) == BRANCHING_POINTS:
                self.branches.budget = MAX_THOROUGH_SEARCH
            cells += [low for low, _ in self._poles()]
            cells += [low for branch in self.tape.branches for low in self._ends(branch)]
        refuted = self._at_breaks(cells, width) or self._at_branches(cells, width)
        if refuted is not None:
            return refuted
        return self._in_cells([*cells, *(interval.low for interval in self.touching)])

    def _at_breaks(self, cells: list[Ball], width: float) -> Outcome | None:
        """Refute an answer that jumps at a breakpoint of a non-analytic part, such as ``|u|``.

        The list ``cells`` contains the ends of intervals in which the answer is analytic. The
        breakpoints are added to this list.
        """
        for brk in self.tape.breaks:
            # A quarter of the work that is left: values beside the breakpoints need the others.
            budget = min(MAX_SEARCH, self.at.budget.left // (4 * self.tape.work(ctx.prec)))
            subexpression = partial(self.at.part, self.tape, brk.slot)
            intervals, unsure = breakpoints(
                subexpression, brk.at, budget, width, self.branches.reach
            )
            if unsure:
                return self.at.undecided("a non-analytic part has breakpoints too close to isolate")
            for low, high in intervals:
                interval = CriticalInterval(low, high, self.tape, brk)
                if not self.at.order:
                    if self._has_another_value(interval):
                        return self.at.undecided(
                            "the answer may have another value at a breakpoint"
                        )
                    continue
                if witness := self._jump(interval):
                    return self._jumped(witness)
                self._hides_jumps |= self._may_hide_jumps(interval)
            cells += [low for low, _ in intervals]
        return None

    def _at_branches(self, cells: list[Ball], width: float) -> Outcome | None:
        """Refute an answer that jumps where a root or another function may change branch."""
        for branch in self.tape.branches:
            turns = self.branches.turns(branch, width)
            if not branch.root:
                cells += [interval.low for interval in turns]
            elif not has_fixed_branch(branch, self.tape.variable):
                self.touching += turns
            elif branch.outermost:
                self.touching += [
                    interval for interval in turns if self.branches.is_cut(branch, interval)
                ]
            # Incomplete gamma functions and their like come with factors such as x/(x^3)^(1/3).
            for interval in turns if self.at.order and not self.tape.special else ():
                if self.too_large:
                    break
                if branch.turns and self._is_far_and_large(interval):
                    continue
                if branch.outermost and self.branches.is_cut(branch, interval):
                    continue
                if not self.branches.is_regular(interval):
                    continue
                if witness := self._jump(interval, real=True):
                    return self._jumped(witness)
                # An argument touches 0 where a factor of its slope is 0, which is looked at, too.
                if interval.tape is not self.tape:
                    self._hides_jumps |= self._may_hide_jumps(interval)
        return None

    def _in_cells(self, cells: list[Ball]) -> Outcome | None:
        """Refute an answer F if F' is not the integrand between two critical points.

        If F has no value between two critical points, the outcome is undecided.
        """
        ctx.prec = self.at.bits
        refuted = self.at.visit(self._between(cells), thorough=True)
        if refuted is None and any(self._nowhere(x, cells) for x in self.at.valueless):
            return self.at.undecided("the answer has no value on part of the integrand's domain")
        if refuted is None and self.at.hides_a_term and self.tape.breaks:
            return self.at.undecided(
                "a term of the answer is too small to be seen between breakpoints"
            )
        return refuted

    def discontinuous(self) -> bool:
        """Whether the answer F jumps at one of a few points near 0, although F' = f on both sides.

        Such a point is a pole of an inverse function's argument, or a point where a radicand may
        touch zero.
        """
        if not (self.tape.poles or self.touching):
            return False
        ctx.prec = BASE_BITS
        # An answer of the corpora has up to 266 touching places, of periodic radicands: a few tell.
        touching = ((interval.low, interval.high) for interval in self.touching[:8])
        return any(
            jump(self.at, *interval)[0] for interval in itertools.chain(touching, self._poles())
        )

    def changes_roots(self) -> bool:
        """Whether F may jump where a radicand touches zero, apart from poles of arc tangents."""
        ctx.prec = BASE_BITS
        return any(
            jump(self.at, low, high) != (None, True)
            for low, high, *_ in self.touching
            if all(
                self.at.part(self.tape, slot, acb(low.union(high)))[0].is_finite()
                for slot in self.tape.poles
            )
        )

    def _poles(self) -> Iterator[tuple[Ball, Ball]]:
        """Yield small intervals around points where an inverse function's argument has a pole.

        For a long answer, no intervals are yielded, because the search would take too long.
        """
        # Of 699 answers of the corpora with poles or touching places none has more than two poles.
        poles = self.tape.poles[:4] if self.tape.size <= MAX_FLAGGED else []
        for slot in poles:
            yield from pole_crossings(self.tape, slot, self.at.values)

    def _ends(self, branch: Branch) -> list[Ball]:
        """The points where the domain of an inverse function ends.

        Such points are sought only if the function's argument is linear, as in arcsec(x - 3).
        """
        if not (branch.turns and has_fixed_branch(branch, self.tape.variable)):
            return []
        subexpression = partial(self.at.part, self.tape, branch.slot)
        intervals, _ = breakpoints(subexpression, "turn", self.branches.budget, ENDS_WIDTH)
        return [low for low, _ in intervals]

    def _nowhere(self, x: float, cells: Sequence[Ball]) -> bool:
        """Whether the answer has no value at four points of the cell around x.

        The answer has no value at x. The cell is the interval between the neighbours of x in
        ``cells``. For ``(x + |x|)/(x + |x|)`` and x < 0, the result is True. For ``artanh(tanh
        x)``, the result is False, even if the computation overflows at x.
        """
        if self.pool.usable(acb(x)) is None:
            return False
        ends = _finite(cells)
        low = max((end for end in ends if end < x), default=x - 2 * (1 + abs(x)))
        high = min((end for end in ends if end > x), default=x + 2 * (1 + abs(x)))
        # Two points beside the lower end, and two farther away; no round shares, where F may be
        # undefined at single points.
        for share in (0.004, 0.04, 0.37, 0.87):
            point = Point(acb(low + share * (high - low)), measured=False)
            for bits in (2 * self.at.bits, self.at.max_bits):
                if not self.at.has_no_value(self.at.derivative(point, bits)[0]):
                    return False
        return True

    def _jumped(self, witness: Witness) -> Outcome:
        detail = "the answer jumps where the integrand is bounded"
        return Outcome(
            Status.INCORRECT, self.at.usable, witness=witness, detail=detail, proof="witness"
        )

    def _may_hide_jumps(self, interval: CriticalInterval) -> bool:
        """Whether several jumps of the answer, which cancel, may lie in an interval.

        This is impossible if the sub-expression that passes its value is monotone, if f is
        unbounded, or if the values of the answer in the interval are near each other.
        """
        low, high, tape, passing = interval
        x = acb(low.union(high))
        slope = self.at.part(tape, passing.slot, x)[1]
        if slope is not None and slope.is_finite() and not slope.contains(ZERO):
            return False
        if enclosure(self.at, acb(low), acb(high)) is None:
            return False
        value = self.at.run(self.tape, x, derivative=False)[self.tape.root][0]
        return not (value.is_finite() and value.rad() < NEAR_VALUES)

    def _has_another_value(self, interval: CriticalInterval) -> bool:
        # A difference is no smaller than a product of the answer's numbers.
        fine = self.branches.reach
        if fine > MAX_MAGNITUDE:
            return True
        low, high, _, passing = self._isolated(interval, fine)
        with precision(_sharpness(fine)[1]):
            return has_another_value(self.at, low, high, passing, TINY * arb(2) ** -fine)

    def _is_far_and_large(self, interval: CriticalInterval) -> bool:
        """Whether an interval is far from 0, and the integrand is too large there to find jumps."""
        if abs(interval.low) < WINDOW:
            return False
        value = self.pool.f(Point(acb(interval.low.mid()), measured=False), self.at.bits)
        return not value.is_finite() or log2(value.abs_upper()) > MAX_FAR_BITS

    def _between(self, cells: Sequence[Ball]) -> list[Point]:
        """Sample points between the breakpoints in ``cells``, near each breakpoint, and outside."""
        ends = _finite(cells)
        if not ends:
            return []
        # No round numbers, and beside the middle: F may be undefined there.
        middles = [(a + b) / 2 + (b - a) / 64 for a, b in itertools.pairwise(ends)]
        outer = [ends[0] - 1.03 - abs(ends[0]) / 8, ends[-1] + 1.03 + abs(ends[-1]) / 8]
        near = [end + s * 2.03e-4 * (1 + abs(end)) for end in ends for s in (1, -1)]
        points = (Point(acb(x), measured=False) for x in (*middles, *outer, *near))
        return [point for point in points if self.pool.usable(point.x) is not None]

    def _jump(self, interval: CriticalInterval, *, real: bool = False) -> Witness | None:
        """A jump of the answer F in an interval. The result is None if no jump is found.

        Before the search, the interval is narrowed. If the integrand f is large, a jump can be
        detected only between points that are very close to each other. An example is F = ``e^x +
        sgn(x - 1000)``. The same holds near a peak of f.
        """
        interval = self._isolated(interval)
        if is_unbounded(self.at, interval.low, interval.high):
            return None
        magnitude = self._magnitude(interval.low)
        fine = self._fineness(interval) // 2
        for _ in range(MAX_CLOSER_LOOKS):
            width, bits = _sharpness(magnitude + fine)
            wide, interval = interval, self._isolated(interval, magnitude + fine)
            with precision(bits):
                seen, magnitude = magnitude, max(magnitude, self._magnitude(interval.high, width))
                if magnitude == MAX_MAGNITUDE or (magnitude and interval is wide):
                    self.too_large |= self._is_bounded(interval)
            if magnitude in (seen, MAX_MAGNITUDE):
                break
        low, high, *_ = interval
        witness, is_clear = jump(self.at, low, high, magnitude + fine, real=real)
        self._hides_jumps |= not is_clear
        return witness

    def _isolated(self, interval: CriticalInterval, magnitude: int = 0) -> CriticalInterval:
        """Narrow an interval in which a sub-expression crosses zero or an integer.

        An interval around a pole is returned unchanged. ``magnitude`` is log2 of the integrand's
        size. A larger integrand needs a narrower interval.
        """
        low, high, tape, passing = interval
        width, bits = _sharpness(magnitude)
        subexpression = partial(self.at.part, tape, passing.slot)
        with precision(bits + int(log2((1 + abs(low)).upper()))):
            value = subexpression(acb(low))[0].real
            target = arb(0) if passing.at == "zero" else (value + 0.5).floor().mid()
            if abs(value - target) > 1 + abs(low):
                return interval
            slack = arb(2) ** -BASE_BITS * (1 + abs(low))
            ends = ((low - slack).mid(), (high + slack).mid())
            closer = isolate(subexpression, target, *ends, width)
        return interval._replace(low=closer[0], high=closer[1]) if closer else interval

    def _fineness(self, interval: CriticalInterval) -> int:
        """Estimate an n such that every jump in the interval is at least 2^-n.

        The estimate uses three kinds of summands of the answer. Summands of the first kind are
        constants, except the constant of integration. Summands of the second kind are constant near
        the interval but may jump, such as ``sgn(x)/10^300``. Summands and factors of the third kind
        are tiny, and do not tend to 0 in the interval.
        """
        summand_slots, products = set(self.tape.terms), set(self.tape.terms)
        for slot, rule, arguments in self.tape.operations():
            if slot in summand_slots:
                summand_slots.update(arguments)
            if slot in products and rule in ARITHMETIC:
                products.update(arguments)
        with precision(max(JUMP_BITS, ctx.prec)):
            distance = (1 + abs(interval.low)) * NEARBY
            left, right = (
                acb((interval.low - distance).mid()),
                acb((interval.high + distance).mid()),
            )
            if any(is_unreal(self.at.integrand(x) or ZERO) for x in (left, right)):
                return 0  # the domain ends here
            jets = self.at.run(self.tape, left)
        constants = {slot: jets[slot][0] for slot in summand_slots if not self.tape.varying[slot]}
        unknown = [slot for slot, c in constants.items() if c.contains(ZERO) and not c.is_zero()]
        if unknown:
            with precision(self.at.max_bits):
                jets_left = self.at.run(self.tape, left, derivative=False, until=max(unknown))
                constants |= {slot: jets_left[slot][0] for slot in unknown}
        self.too_large |= any(constants[slot].contains(ZERO) for slot in unknown)
        bits = [-log2(c.abs_lower()) for c in constants.values() if not c.contains(ZERO)]
        varying = [slot for slot in summand_slots if self.tape.varying[slot]]
        level = {slot for slot in varying if is_level(jets[slot])}
        tiny = {slot for slot in products.intersection(varying) if is_tiny(jets[slot])} - level
        if level or tiny:
            with precision(self.at.max_bits):
                jets_left, jets_right = (self.at.run(self.tape, x) for x in (left, right))
                closer = acb((interval.low - distance * NEARBY).mid())
                jets_closer = self.at.run(self.tape, closer) if tiny else jets_left
                for slot in level | tiny:
                    value_left, value_right = jets_left[slot][0], jets_right[slot][0]
                    if (
                        slot in tiny
                        and jets_closer[slot][0].abs_lower() < TINY * value_left.abs_upper()
                    ):
                        continue  # the value tends to 0 on both sides
                    sizes = (
                        value_left.abs_lower(),
                        value_right.abs_lower(),
                        (value_left - value_right).abs_lower(),
                    )
                    bits += [-log2(size) for size in sizes if size > 0]
        finest = max(bits, default=0)
        self.too_large |= finest > MAX_MAGNITUDE
        return int(max(finest, 0)) if not self.too_large else 0

    def _is_bounded(self, interval: CriticalInterval) -> bool:
        """Whether the integrand is finite and real in an interval and very near to the interval."""
        margin = interval.high - interval.low
        ends = acb(interval.low - margin), acb(interval.high + margin)
        return enclosure(self.at, *ends) is not None

    def _magnitude(self, x: Ball, distance: Ball = NEARBY) -> int:
        """The size of the integrand near a point, as log2, or 0 if the integrand is not large."""
        bits = ctx.prec
        for factor in (1, 4, 16, 64):  # with few bits, what is beside x may be x itself
            with precision(bits * factor):
                nearby = acb((x + (1 + abs(x)) * distance).mid())
                value = self.at.integrand(nearby) or ZERO
            if value.is_finite():
                break
        size = log2(value.abs_upper()) if value.is_finite() else math.inf
        # So near to a pole f is finite, and not so large: an overflow.
        self.too_large |= size == math.inf or (factor > 1 and size > MAX_MAGNITUDE)
        if self.too_large:
            return 0
        return int(min(size, MAX_MAGNITUDE)) if size > 64 else 0


def _finite(cells: Sequence[Ball]) -> list[float]:
    """The cells' ends as sorted floats, without those that are too large for a float."""
    return sorted(end for end in {float(cell.mid()) for cell in cells} if math.isfinite(end))


def _sharpness(magnitude: int) -> tuple[Ball, int]:
    """The width of the interval around a critical point, and the precision in bits.

    ``magnitude`` is log2 of the size of the integrand. A width of 2^-n needs 2 n bits, because
    zeros may be double. If the integrand is large, differences of values lose bits. Another 2
    ``magnitude`` bits are therefore added.
    """
    return arb(2) ** (-CLOSE_BITS - 3 * magnitude), 2 * CLOSE_BITS + 8 * magnitude
