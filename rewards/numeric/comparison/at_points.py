"""Compares F', the derivative of an answer F, with the integrand f at points.

The result at one point is a `PointResult`. A `Comparison` keeps all results so far: the points at
which F' and f agree, the accuracy of the agreement, and the terms of F that were visible at no
point. A term of F is *visible* at a point if the derivative of the term exceeds the error of the
comparison at this point.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from flint import acb, arb, ctx

from ...verdict import Status, Witness
from ..ball_arithmetic.balls import Tape, precision
from ..ball_arithmetic.compare import POINT_BITS, compare, differ
from ..ball_arithmetic.domain import uniform
from ..ball_arithmetic.jets import ONE, ZERO, Ball, Jet
from ..ball_arithmetic.magnitude import log2
from ..outcome import Budget, DecisionPolicy, Outcome, Refutation, show
from ..sampling.pool import BASE_BITS, MIN_POINTS, Point, PointPool
from . import radicals
from .radicals import Choice

#: Precision is doubled up to this many bits, and with special functions only up to fewer.
MAX_BITS, MAX_SPECIAL_BITS = 4096, 512
#: A term of F counts as checked where its derivative exceeds the error radius by this factor.
SEEN = arb(2**16)
#: A ball around zero is taken for zero at this precision, relative to the terms that cancel.
ZERO_BITS = 1024
#: F' cannot be computed well enough to say which branch holds.
UNCLEAR: Choice = ()
#: Precision of the comparison beside zeros of the answer's radicands.
THOROUGH_BITS = 1024


@dataclass(frozen=True, slots=True)
class PointResult:
    """The result of the comparison at one point.

    Attributes:
        point: the point.
        agrees: True if the derivative F' of the answer F and the integrand f agree to `POINT_BITS`,
            False if they are proved to differ, None if the point decides nothing.
        bits: the accuracy of the agreement in bits.
        branch: the branch of f's radicals with which F' agrees, if F' differs from f itself.
        is_finite: whether F has a finite value.
        hides_a_term: whether every term of F must exceed the error at the point, but a term may
            not.
        has_no_value: whether F has no value at the point.
        visible: the terms of F that exceed the error, by their slots (indices in the tape).

    """

    point: Point
    agrees: bool | None = None
    bits: float = math.inf
    branch: Choice | None = None
    is_finite: bool = False
    hides_a_term: bool = False
    has_no_value: bool = False
    visible: frozenset[int] = frozenset()


class Comparison:
    """The comparison of an answer F with an integrand f at a pool of sample points.

    Attributes:
        tape: the answer.
        pool: the integrand with its points.
        order: 1 compares F' with f, 0 compares F with f.
        values: the values of the parameters and of the answer's own constants. The constructor
            multiplies these constants by the argument ``constants``.
        budget: the remaining work of the verdict.
        bits: the precision at which a comparison begins.
        max_bits: the highest precision of a comparison.
        faint: the number of bits that are needed to tell the constants of F from whole numbers
            (`see_constants` sets this number).
        agreeing: points at which F' and f agree.
        flipped: points at which F' and f agree on another branch of f's radicals.
        unseen: the terms of the answer that exceeded the error at no point so far, by their slots.
        is_finite: whether the answer has a finite value at some point.

    """

    def __init__(
        self,
        tape: Tape,
        pool: PointPool,
        policy: DecisionPolicy,
        variant: int,
        order: int,
        budget: Budget,
        *,
        constants: Ball = ONE,
    ) -> None:
        self.tape, self.pool, self.policy, self.order = tape, pool, policy, order
        self.values: dict[str, Ball] = dict(pool.values)
        for name in tape.symbols:
            if name != tape.variable and name not in self.values:
                # A symbol that only the answer has: a constant of integration, any real number.
                self.values[name] = constants * _any_constant(name, variant % 16)
        self.budget = budget
        self.max_bits = MAX_SPECIAL_BITS if tape.special or pool.tape.special else MAX_BITS
        self.bits, self.faint = BASE_BITS, 0
        self.unseen: Collection[int] = frozenset(tape.terms if len(tape.terms) > 1 else ())
        self.agreeing: list[Point] = []
        self.flipped: list[tuple[Point, Choice]] = []
        self.is_finite = False
        self._results: list[PointResult] = []
        self._smooth = not (tape.breaks or tape.branches)
        self._screened: dict[Point, tuple[list[Jet], Ball]] = {}
        self._slopes: dict[tuple[Point, int], Ball] = {}

    def note(self, result: PointResult) -> None:
        """Record the result of the comparison at a point."""
        self._results.append(result)
        self.is_finite |= result.is_finite
        if result.visible:
            self.unseen = frozenset(self.unseen) - result.visible
        if result.agrees:
            self.agreeing.append(result.point)
        elif result.branch:
            self.flipped.append((result.point, result.branch))

    def drop(self, points: Collection[Point]) -> None:
        """Remove points from ``agreeing``: answer and integrand no longer count as equal there."""
        self.agreeing = [point for point in self.agreeing if point not in points]

    @property
    def bits_of_agreement(self) -> float:
        """The lowest accuracy, in bits, among the points at which answer and integrand agree."""
        return min((result.bits for result in self._results if result.agrees), default=MAX_BITS)

    @property
    def hides_a_term(self) -> bool:
        """Whether a term of the answer may be wrong, because the term was too small to compare."""
        return any(result.hides_a_term for result in self._results)

    @property
    def valueless(self) -> list[float]:
        """The real points at which the answer has no value."""
        return [float(result.point.x.real) for result in self._results if result.has_no_value]

    def see_constants(self) -> None:
        """Raise the initial precision until the answer's constants look unlike whole numbers."""
        self.faint = self.tape.faintness(self.max_bits)
        literal = max(self.tape.literal_bits, self.pool.tape.literal_bits, self.faint)
        # A number of 32 bits leaves 96 of the first 128; each 32 more take twice as many.
        bits = BASE_BITS if literal <= 32 else BASE_BITS + 64 * (literal // 32)
        self.bits = min(bits, self.max_bits)

    @property
    def usable(self) -> int:
        """The number of points of agreement. Agreement with another branch of a root counts."""
        return len(self.agreeing) + len(self.flipped)

    def run(
        self, tape: Tape, x: Ball, *, derivative: bool = True, until: int | None = None
    ) -> list[Jet]:
        """Evaluate an expression (``tape``) at ``x``. `Tape.run` describes the result.

        The work is subtracted from the budget.
        """
        self.budget.spend(tape.work(ctx.prec, until))
        return tape.run(x, self.values, derivative=derivative, until=until)

    def part(self, tape: Tape, slot: int, x: Ball, *, derivative: bool = True) -> Jet:
        """Evaluate one sub-expression, by its slot. The work is subtracted from the budget."""
        return self.run(tape, x, derivative=derivative, until=slot)[slot]

    def integrand(self, x: Ball) -> Ball | None:
        """The value of the integrand at a number or on an interval. None means an exact zero.

        The work is subtracted from the budget.
        """
        f, order = self.pool.tape, self.pool.order
        return self.run(f, x, derivative=order == 1)[f.root][order]

    def derivative(self, point: Point, bits: int) -> tuple[list[Jet], Ball]:
        """Evaluate the answer F at a point.

        Return the values of all sub-expressions of F with their derivatives, and the value that is
        compared: F', or F if ``order`` is 0. This method leaves the working precision at ``bits``.
        """
        if ctx.prec != bits:
            ctx.prec = bits
        screened = self._screened.get(point) if bits == BASE_BITS else None
        if screened is not None:
            return screened
        jets = self.run(self.tape, point.x, derivative=self.order == 1)
        slope = self._slopes[point, bits] = jets[self.tape.root][self.order] or ZERO
        return jets, slope

    def has_no_value(self, jets: Sequence[Jet]) -> bool:
        """Whether the answer F or its derivative F' has no finite value.

        Both are checked, because F' may be finite where F has no value. For example, ``1/(sgn x -
        1)`` has no value at positive x, but the computed derivative is 0. If the sole reason is
        that a special function could not be computed, the result is false.
        """
        value, slope = jets[self.tape.root]
        finite = value.is_finite() and (slope is None or slope.is_finite())
        return not finite and self.tape.undefined(jets)

    # --- at one point, and at several ---

    def screen(self, points: Sequence[Point]) -> list[PointResult] | None:
        """Compare the answer's derivative F' with the integrand f at the lowest precision.

        The result is None if the answer is likely to be wrong. Otherwise the intervals for F' and f
        overlap at all points, and the answer has a finite value at one or more points. The caller
        can then search for a proof.
        """
        results: list[PointResult] = []
        for point in points:
            jets, slope = self._screened[point] = self.derivative(point, BASE_BITS)
            expected = self.pool.f(point, BASE_BITS)
            agreement = compare(slope, expected, enough=-math.inf)
            if agreement.same is not True:
                return None
            is_finite = jets[self.tape.root][0].is_finite()
            self.is_finite |= is_finite
            bits = max(0.0, min(agreement.bits, BASE_BITS))
            results.append(PointResult(point, True, bits, is_finite=is_finite))
        return results if self.is_finite else None

    def has_value(self) -> bool:
        """Whether the answer has a finite value at one of the first points.

        The value may be too large for a comparison.
        """
        return self.is_finite or any(
            self.tape.run(point.x, self.values, derivative=False)[self.tape.root][0].is_finite()
            for point in self.pool.take(MIN_POINTS)
        )

    def visit(
        self, points: Sequence[Point], *, thorough: bool = False, enough: int | None = None
    ) -> Outcome | None:
        """Compare the answer with the integrand at the points, until ``enough`` points are usable.

        The result is a refutation if both provably differ at a point. Otherwise the result is None.
        """
        for point in points:
            if enough is not None and self.usable >= enough:
                break
            result = self.compare(point, thorough)
            if result.agrees is False:
                branch = None if self.policy.strict_domain else self.other_branch(point)
                if branch is None:
                    return self.refutation(point)
                result = PointResult(point, branch=branch or None)
            self.note(result)
        return None

    def visit_new(self, spots: Sequence[float]) -> Outcome | None:
        """Compare the answer with the integrand at further real points, at each point once."""
        if self.pool.tier == "complex":
            return None
        fresh = [Point(acb(x), measured=False) for x in dict.fromkeys(spots)]
        with precision(BASE_BITS):
            fresh = [point for point in fresh if self.pool.usable(point.x) is not None]
        return self.visit(fresh)

    def compare(self, point: Point, thorough: bool = False) -> PointResult:
        """Compare the answer with the integrand at a point, with rising precision.

        If ``thorough`` is true, the precision rises until every term of the answer is larger than
        the error of the comparison.
        """
        bits, radius_before = self.bits, math.inf
        # Between breakpoints every term must be checked; beside a radicand's zero it need not be.
        thorough_bits = self.max_bits if self.tape.breaks else THOROUGH_BITS
        while bits <= self.max_bits:
            jets, slope = self.derivative(point, bits)
            expected = self.pool.f(point, bits)
            agreement = compare(slope, expected, scale=partial(self.scale, point, expected, jets))
            difference = agreement.difference
            missing = self.has_no_value(jets)
            if agreement.same is False:
                return PointResult(point, False)
            if difference.is_finite() and not missing:
                hides = bool(agreement.same) and thorough and self._hides(jets, difference)
                if agreement.same and not (hides and bits < thorough_bits):
                    return PointResult(
                        point,
                        True,
                        min(agreement.bits, bits),
                        is_finite=jets[self.tape.root][0].is_finite(),
                        hides_a_term=hides,
                        visible=self.visible(jets, difference),
                    )
                # A ball on a branch cut never shrinks: give this point up.
                radius = log2(difference.abs_upper())
                if radius > radius_before - 16:
                    break
                radius_before = radius
            elif bits > 2 * self.bits or 2 * bits > self.max_bits:
                return PointResult(
                    point, has_no_value=missing and (thorough or bool(self.tape.breaks))
                )
            bits *= 2
        return PointResult(point)

    def _hides(self, jets: Sequence[Jet], difference: Ball) -> bool:
        """Whether the error of a comparison is large enough to hide a term of the answer."""
        least = difference.abs_upper() * SEEN
        slopes = [jets[slot][self.order] for slot in self.tape.terms]
        return any(
            not (slope is None or slope.is_zero() or slope.abs_lower() > least) for slope in slopes
        )

    def scale(self, point: Point, expected: Ball, jets: Sequence[Jet]) -> float:
        """The order of magnitude (log2) of the largest term of answer and integrand at a point.

        The order is needed at points where the integrand appears to be zero. If the precision is
        too low to decide that the integrand is zero, the result is -inf.
        """
        if not expected.is_zero() and ctx.prec < ZERO_BITS:
            return -math.inf
        f = self.pool.tape
        terms = [jets[slot][self.order] for slot in self.tape.terms]
        terms += [f.run(point.x, self.pool.values, derivative=False)[slot][0] for slot in f.terms]
        return max((log2(term.abs_upper()) for term in terms if term is not None), default=0.0)

    def visible(self, jets: Sequence[Jet], difference: Ball) -> frozenset[int]:
        """The terms of the answer that exceed the error of a comparison, by their slots.

        Terms that exceeded the error at an earlier point are left out.
        """
        if not self.unseen:
            return frozenset()
        least = difference.abs_upper() * SEEN
        slopes = [(slot, jets[slot][self.order]) for slot in self.unseen]
        # An exact zero is a term that vanishes, unless it is a step between its jumps.
        return frozenset(
            slot
            for slot, slope in slopes
            if slope is None or (self._smooth and slope.is_zero()) or slope.abs_lower() > least
        )

    def undecided(self, detail: str) -> Outcome:
        return Outcome(Status.UNDECIDED, points=self.usable, detail=detail)

    def refutation(self, point: Point, detail: str = "", *, bits: int | None = None) -> Outcome:
        bits = bits or self.bits
        _, slope = self.derivative(point, bits)
        expected = self.pool.f(point, bits)
        names = "".join(
            f", {name}={show(value)}"
            for name, value in sorted(self.values.items())
            if name in self.pool.values or self._matters(name, point, slope)
        )
        witness = Witness(
            point=f"{self.tape.variable}={show(point.x)}{names}",
            expected=show(expected),
            got=show(slope),
            difference=show(slope - expected),
        )
        apart = differ(slope, expected)
        values = {**self.values, self.tape.variable: point.x}
        return Outcome(
            Status.INCORRECT,
            self.usable + 1,
            witness=witness,
            detail=detail,
            proof="witness",
            refutation=Refutation(values, slope, expected, bits) if apart else None,
        )

    def _matters(self, name: str, point: Point, slope: Ball) -> bool:
        """Whether the value of the constant ``name`` changes the answer's derivative at a point.

        The result is False for a constant of integration.
        """
        shifted = {**self.values, name: self.values[name] + 1}
        shifted_jets = self.tape.run(point.x, shifted, derivative=self.order == 1)
        return show(shifted_jets[self.tape.root][self.order] or ZERO) != show(slope)

    def slope(self, point: Point, bits: int) -> Ball:
        """The value of F' at a point (of the answer F if ``order`` is 0), from a cache if possible.

        This method leaves the working precision at ``bits``.
        """
        ctx.prec = bits
        key = point, bits
        if key not in self._slopes:
            self.derivative(point, bits)
        return self._slopes[key]

    def other_branch(self, point: Point) -> Choice | None:
        """Choose values of the integrand's roots for which the integrand f equals F' at a point.

        The result is None if no choice fits. The result is `UNCLEAR` if the answer's derivative F'
        is not known accurately enough.
        """
        if not self.pool.tape.radicals:
            return None
        previous = self.flipped[-1][1] if self.flipped else None
        bits = self.bits
        while bits <= self.max_bits:
            slope, unclear = self.slope(point, bits), False
            for choice in radicals.choices(self.pool.tape, previous):
                holds = self.holds(slope, point, choice)
                if holds:
                    return choice
                unclear |= holds is None
            if not unclear:
                return None
            bits *= 2
        vague = not slope.contains(ZERO) and slope.rel_accuracy_bits() < POINT_BITS
        return UNCLEAR if vague else None

    def holds(self, slope: Ball, point: Point, choice: Choice) -> bool | None:
        """Whether the answer's derivative ``slope`` agrees with the integrand at a point.

        ``choice`` says which values the roots in the integrand take. The result is None if the
        precision is too low to decide.
        """
        f = self.pool.tape
        self.budget.spend(f.work(ctx.prec))
        value = radicals.value(f, point.x, self.pool.values, choice)
        same = compare(slope, value).same
        # An f that may be zero here tells no branch from another.
        return None if same and value.contains(ZERO) else same


@lru_cache(maxsize=1024)  # names of constants, of which answers have few
def _any_constant(name: str, variant: int) -> Ball:
    return acb(0.5 + uniform(name, variant))
