"""Computes the value of a definite integral, and names the method of the computation."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from flint import arb

from ...reading.expression.build import number
from ...reading.expression.traversal import additive_terms, substitute
from ...reading.expression.tree import Expression
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import Ball
from ..ball_arithmetic.magnitude import DIGITS_PER_BIT, log2
from ..expansions.forms import exact_value
from ..sampling.integrand import Integrand
from . import ranges
from .agreed import oscillation, piece
from .agreed.ends import End, decay_rate
from .enclosed.approach import DivergesError, NotEnclosedError
from .enclosed.enclosure import MAX_TERMS, Enclosure, Exact, off_middle
from .enclosed.poles import signs_at_pole
from .kinks import Segment, has_breaks, segments
from .line import (
    END_BITS,
    OutsideDomainError,
    RealLine,
    inner_point,
    limit_value,
    sample_points,
)
from .problem import DefiniteIntegral
from .singularities import SCAN_BITS, singularities
from .work import (
    ONE_INTEGRAL,
    QuadratureError,
    WorkError,
    tolerance,
    work_limit,
    working_bits,
)

#: How a value was got: an enclosure is a proof; two quadratures, or an extrapolation and the same
#: with fewer terms, agreed to 25 digits or more; divergence follows from the growth at an end.
Method = Literal["enclosure", "two quadratures", "extrapolation", "divergence"]
#: Up to so many pieces get digits relative to their own sizes; more do only if the sum needs it.
FEW_PIECES = 8
_UNPROVED = "it is not clear whether the integral converges"


@dataclass(frozen=True, slots=True)
class IntegralValue:
    r"""The value of an integral, for one choice of its parameters.

    Attributes:
        ball: the value with its error. The ball is not finite if the integral diverges.
        method: the method of the computation.
        sign: +1 or -1 if the integral tends to plus or minus infinity, else 0.
        size: a lower bound of the integral of \|f\|, for the integrand f. If the value may be 0,
            the error of the value is compared with this bound.

    Example:
        >>> IntegralValue(arb("nan"), "divergence", 1).diverges
        True

    """

    ball: arb
    method: Method
    sign: int = 0
    size: arb = field(default_factory=lambda: arb(1))

    @property
    def diverges(self) -> bool:
        """Whether the integral diverges, and therefore has no value."""
        return self.method == "divergence"

    @property
    def digits(self) -> float:
        """The number of known decimal digits, relative to `size` if the value may be 0."""
        if self.diverges:
            return 0.0
        if self.ball.contains(0):
            return (log2(self.size.abs_lower()) - log2(self.ball.abs_upper())) * DIGITS_PER_BIT
        return float(self.ball.rel_accuracy_bits()) * DIGITS_PER_BIT


def evaluate(problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int) -> IntegralValue:
    r"""Compute the value of a definite integral.

    Args:
        problem: the integral.
        values: the values of the parameters.
        digits: decimal digits that are wanted.

    Returns:
        The value with the method that gave it.

    Raises:
        QuadratureError: the value cannot be computed. The message says why.
        OutsideDomainError: the integrand or a limit is not real.

    Example:
        >>> from calculus_harness.rewards.numeric.quadrature import prepare_definite
        >>> evaluate(prepare_definite(r"\int_0^1 x^2 \, dx"), {}, 30).ball.str(10)
        '[0.3333333333 +/- 3.34e-11]'

    """
    with work_limit(ONE_INTEGRAL):
        chosen, free_values = _with_numbers(problem, values) if values else (problem, values)
        return _evaluate(chosen, free_values, digits)


def _with_numbers(
    problem: DefiniteIntegral, values: Mapping[str, Ball]
) -> tuple[DefiniteIntegral, Mapping[str, Ball]]:
    """Substitute the exact parameters. Return the new problem and the inexact parameters."""
    free_values: dict[str, Ball] = {}
    f, limits = problem.integrand.expression, [problem.lower, problem.upper]
    for name, value in values.items():
        if not (value.imag.is_zero() and value.real.rad().is_zero()):
            free_values[name] = value
            continue
        mantissa, exponent = (int(component) for component in value.real.man_exp())
        exact = number(Fraction(mantissa) * Fraction(2) ** exponent)
        f = substitute(f, name, exact)
        limits = [x if isinstance(x, int) else substitute(x, name, exact) for x in limits]
    original = problem.integrand
    integrand = Integrand(f, original.variable, dict(original.assumptions), problem.text)
    return replace(problem, integrand=integrand, lower=limits[0], upper=limits[1]), free_values


def _evaluate(problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int) -> IntegralValue:
    with precision(END_BITS):
        limits = problem.lower, problem.upper
        lower, upper = (limit_value(limit, values) for limit in limits)
        if bool(lower == upper) and lower.is_finite():
            return IntegralValue(arb(0), "enclosure")
        orientation = 1
        if bool(upper < lower):
            lower, upper, orientation = upper, lower, -1
            limits = limits[::-1]
        elif not bool(lower < upper):
            raise QuadratureError("the limits cannot be told apart")
    oriented = replace(problem, lower=limits[0], upper=limits[1])
    summands = _periodic(oriented, values, digits) or _pieces(
        oriented, values, digits, lower, upper
    )
    diverging = [summand for summand in summands if summand.diverges]
    if diverging:
        sign = _common_sign([summand.sign for summand in diverging])
        return IntegralValue(arb("nan"), "divergence", orientation * sign)
    total = _total(summands, digits)
    with precision(working_bits(digits)):
        return total if orientation == 1 else replace(total, ball=-total.ball)


def _periodic(
    problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int
) -> list[IntegralValue]:
    """The integrals over all complete periods and over the rest, or [] if there are few periods."""
    f = problem.integrand
    lower, upper = problem.lower, problem.upper
    if isinstance(lower, int) or isinstance(upper, int) or problem.principal_value:
        return []
    size = ranges.period(f.expression, f.variable)
    periods = ranges.whole_periods(size, lower, upper) if size is not None else None
    if periods is None:
        return []
    count, first_end, last_end = periods
    one_period = _evaluate(replace(problem, upper=first_end), values, digits)
    remainder = IntegralValue(arb(0), "enclosure", size=arb(0))
    if exact_value(last_end) != exact_value(upper):
        remainder = _evaluate(replace(problem, lower=last_end), values, digits)
    with precision(working_bits(digits)):
        return [
            replace(one_period, ball=count * one_period.ball, size=count * one_period.size),
            remainder,
        ]


def _pieces(
    problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int, lower: arb, upper: arb
) -> list[IntegralValue]:
    """Integrate over pieces of the range on which the integrand is an analytic expression."""
    f = problem.integrand
    limits = problem.lower, problem.upper
    exact = {
        id(ball): None if isinstance(limit, int) else exact_value(limit)
        for ball, limit in ((lower, limits[0]), (upper, limits[1]))
    }
    cut_ranges = [ranges.Range(f.expression, lower, upper, arb(0))]
    accumulating = (
        ranges.accumulates(f.expression, f.variable, values, lower, 1),
        ranges.accumulates(f.expression, f.variable, values, upper, -1),
    )

    def at_kinks(cut: ranges.Range) -> tuple[ranges.Range, list[Segment], arb]:
        """A range, its pieces between kinks, and the error that is due to inexact kinks."""
        return cut, *segments(cut.expression, f.variable, values, cut.lower, cut.upper)

    # Cut at all kinks, or reduce a range with many of them, by periods or by substitutions, first.
    try:
        if any(accumulating):
            raise QuadratureError("kinks accumulate at an end")
        segmented = [*map(at_kinks, cut_ranges)]
    except QuadratureError:
        if not has_breaks(f.expression, f.variable) or problem.principal_value:
            raise
        with precision(END_BITS):
            cut_ranges = ranges.cut_ranges(
                f.expression, f.variable, values, lower, upper, limits, digits, accumulating
            )
        segmented = [*map(at_kinks, cut_ranges)]
    # The errors of many pieces are unlimited first; each is limited if their sum is too large.
    count = sum(len(pieces) for _, pieces, _ in segmented)
    for relative in (False, True) if count > FEW_PIECES else (True,):
        piece_values: list[IntegralValue] = []
        for cut_range, pieces, error in segmented:
            piece_values += [
                _segment_value(piece, problem, values, digits, exact, relative) for piece in pieces
            ]
            with precision(working_bits(digits)):
                remainder = cut_range.tail + arb(0, error.upper())
            piece_values.append(IntegralValue(remainder, "enclosure", size=abs(cut_range.tail)))
            if cut_range.sign:
                piece_values.append(IntegralValue(arb("nan"), "divergence", cut_range.sign))
        if any(value.diverges for value in piece_values):
            break
        total = _total(piece_values, digits)
        if total.ball.rad() <= tolerance(digits) * total.size:
            break
    return piece_values


def _total(summands: list[IntegralValue], digits: int) -> IntegralValue:
    method = max((summand.method for summand in summands), key=_METHODS.index)
    with precision(working_bits(digits)):
        ball = sum((summand.ball for summand in summands), arb(0))
        return IntegralValue(ball, method, size=sum((summand.size for summand in summands), arb(0)))


#: The weakest of several methods is that of their sum.
_METHODS: list[Method] = ["enclosure", "two quadratures", "extrapolation"]


def _segment_value(
    segment: Segment,
    problem: DefiniteIntegral,
    values: Mapping[str, Ball],
    digits: int,
    exact: Mapping[int, Exact],
    relative: bool,
) -> IntegralValue:
    variable = problem.integrand.variable

    def over(expression: Expression) -> IntegralValue:
        line = RealLine.of(expression, variable, values)
        computation = _Computation(
            expression, variable, problem.principal_value, line, digits, exact, relative
        )
        return computation.run(segment.lower, segment.upper)

    try:
        return over(segment.expression)
    except WorkError:
        raise
    except QuadratureError:
        terms = additive_terms(segment.expression, variable)
        if len(terms) < 2 or len(terms) > MAX_TERMS:
            raise
        term_values = [over(term) for term in terms]
        if any(term_value.diverges for term_value in term_values):
            raise  # the sum may converge all the same
        return _total(term_values, digits)


@dataclass(slots=True)
class _Computation:
    """The computation of one integral over a range with lower < upper."""

    expression: Expression
    variable: str
    principal_value: bool
    line: RealLine
    digits: int
    exact: Mapping[int, Exact]
    relative: bool

    def run(self, lower: arb, upper: arb) -> IntegralValue:
        with precision(SCAN_BITS):
            values = [self.line.at(x) for x in sample_points(lower, upper)]
        if not any(value.is_finite() for value in values):
            raise OutsideDomainError("the integrand has no value between the limits")
        unknown: QuadratureError | None = None
        points: list[arb] = []
        try:
            points = singularities(self.line, lower, upper, END_BITS)
        except WorkError:
            raise
        except QuadratureError as error:
            unknown = error  # an enclosure does not need them
        marks = [lower, *points, upper]
        enclosure = Enclosure(self.line, self.expression, self.variable, self.digits, self.exact)
        try:
            if self.principal_value:
                return self._principal(marks)
            value = enclosure.integral(marks) if self.relative else enclosure.total(marks)
            return IntegralValue(value, "enclosure", size=enclosure.size)
        except DivergesError as error:
            return IntegralValue(arb("nan"), "divergence", error.sign)
        except NotEnclosedError:
            if self.principal_value:
                raise
            if unknown is not None:
                raise unknown from None
            return self._pieces(marks)

    def _principal(self, marks: list[arb]) -> IntegralValue:
        """Compute the principal value, with symmetric cuts around singularities and at infinity."""
        value, size = arb(0), arb(0)
        with precision(END_BITS):
            if not marks[0].is_finite() and not marks[-1].is_finite():
                nearest = arb(max((abs(float(end)) for end in marks[1:-1]), default=0.0) + 2)
                with suppress(NotEnclosedError):  # if it oscillates, each end converges
                    value, far = self._over(self.expression).principal(arb("inf"), nearest)
                    far = arb(far.mid())
                    marks = [-far, *marks[1:-1], far]
            low = marks[0]
            for previous, pole, following in zip(marks, marks[1:-1], marks[2:], strict=False):
                gaps = [gap for gap in (pole - previous, following - pole) if gap.is_finite()]
                largest = min([arb(2), *gaps], key=float) / 2
                enclosure = self._over(self.expression)
                near, radius = enclosure.principal(pole, largest)
                value += near
                high = arb((pole - radius).mid())
                value += enclosure.total([low, *_inner(low, high), high])
                size += enclosure.size
                low = arb((pole + radius).mid())
            enclosure = self._over(self.expression)
            value += enclosure.total([low, *_inner(low, marks[-1]), marks[-1]])
            size += enclosure.size
        if not value.rad() <= tolerance(self.digits) * size:
            raise NotEnclosedError("the principal value is known to few digits")
        return IntegralValue(value, "enclosure", size=size)

    def _over(self, expression: Expression) -> Enclosure:
        line = RealLine.of(expression, self.variable, self.line.values)
        return Enclosure(line, expression, self.variable, self.digits, self.exact)

    def _pieces(self, ends: list[arb]) -> IntegralValue:
        piece_values: list[arb] = []
        method: Method = "two quadratures"
        for side, phase in self._oscillating(ends).items():
            if not self._settles(phase, side):
                raise QuadratureError(_UNPROVED)
            nearest = max((side * float(end) for end in ends if end.is_finite()), default=0.0)
            start = arb(side * max(nearest + 1.0, 1.0))
            value, ends[-1 if side > 0 else 0] = oscillation.tail(
                self.line, phase, start, side, self.digits
            )
            piece_values.append(value)
            method = "extrapolation"
        pieces = [
            (End(left_end, 1), End(right_end, -1))
            for left_end, right_end in itertools.pairwise(ends)
        ]
        rates = [
            (decay_rate(self.line, left_end), decay_rate(self.line, right_end))
            for left_end, right_end in pieces
        ]
        # No estimate of a decay proves divergence: only a pole inside the range does.
        if any(0 in both for both in rates):
            poles = [*filter(None, map(self._signs_at_pole, ends[1:-1]))]
            signs = {*itertools.chain.from_iterable(poles)}
            divergent_ends = sum(both.count(0) for both in rates)
            if len(signs) == 2 or (signs and divergent_ends == 2 * len(poles)):
                return IntegralValue(arb("nan"), "divergence", sum(signs))
            raise QuadratureError(_UNPROVED)
        for ends_of_piece, rates_of_piece in zip(pieces, rates, strict=True):
            piece_values.append(self._piece(*ends_of_piece, *rates_of_piece))
        with precision(working_bits(self.digits)):
            return IntegralValue(sum(piece_values, arb(0)), method)

    def _signs_at_pole(self, near: arb) -> tuple[int, int] | None:
        return signs_at_pole(self.expression, self.variable, self.line.values, near)

    def _enclosure(self, lower: arb, upper: arb) -> arb | None:
        enclosure = self._over(self.expression)
        try:
            return enclosure.integral([lower, upper])
        except (NotEnclosedError, DivergesError):
            return None

    def _piece(self, left_end: End, right_end: End, left_rate: float, right_rate: float) -> arb:
        """Enclose the integral over a piece. If this fails, compare two quadratures."""
        enclosed = self._enclosure(left_end.point, right_end.point)
        if enclosed is not None:
            return enclosed
        middle = inner_point(left_end.point, right_end.point)
        total = arb(0)
        for half in (
            piece.Piece(left_end, End(middle, -1), left_rate),
            piece.Piece(End(middle, 1), right_end, right_rate),
        ):
            value = self._enclosure(half.left.point, half.right.point)
            if value is None:
                value = piece.integrate(self.line, half, self.digits)
                piece.exclude_spikes(self.expression, self.line, half)
            with precision(working_bits(self.digits)):
                total += value
        return total

    def _oscillating(self, ends: list[arb]) -> dict[int, oscillation.OscillationPhase]:
        """The phases of the integrand at infinite ends, where it oscillates but decays slowly."""
        phases: dict[int, oscillation.OscillationPhase] = {}
        for end, side in ((ends[0], -1), (ends[-1], 1)):
            if end.is_finite() or self._decays_fast(side):
                continue
            phase = oscillation.phase(self.expression, self.variable, self.line.values, side)
            if phase is not None:
                phases[side] = phase
        return phases

    def _decays_fast(self, side: int) -> bool:
        """Whether a bound of the integrand at an infinite end is tiny, or falls like e^{-x}."""
        with precision(BOUND_BITS):
            near, far = (
                self._bound(side * arb(2) ** k, side * (arb(2) ** k + TURN)) for k in EXPONENTIAL_AT
            )
        # e^{-x} falls by 2^1108 between 2^8 and 2^10; a power x^-p by 4^p only.
        return bool(far < arb(2) ** -END_BITS or far < near * arb(2) ** -64)

    def _bound(self, low: arb, high: arb) -> arb:
        """A bound of the integrand's absolute value between two points, from many subintervals."""
        step = (high - low) / _SUBINTERVALS
        bounds = [
            abs(self.line.on((low + k * step).union(low + (k + 1) * step))).upper()
            for k in range(_SUBINTERVALS)
        ]
        infinite = [bound for bound in bounds if not bound.is_finite()]
        return arb("inf") if infinite else max(bounds)

    def _settles(self, phase: oscillation.OscillationPhase, side: int) -> bool:
        """Whether the integrand divided by the slope of its phase seems to tend to 0."""
        with precision(BOUND_BITS):
            sizes = []
            for k in SETTLED_AT:
                x = side * arb(2) ** k
                _, slope = phase.at(x, self.line.values)
                bound = self._bound(x, x + side * TURN / abs(slope))
                if not bound.is_finite():
                    raise QuadratureError("the integrand is not bounded far out")
                sizes.append(bound / abs(slope))
        # x^-p has fallen by 2^-30p.
        return bool(sizes[1] < sizes[0] * arb(2) ** -4)


def _inner(low: arb, high: arb) -> list[arb]:
    """A list with one inner point of a finite range. For an infinite range, the list is empty.

    If an odd function has the integral 0, the two parts show its size. The point is not the
    midpoint.
    """
    finite = low.is_finite() and high.is_finite()
    return [arb(off_middle(low, high).mid())] if finite else []


def _common_sign(signs: list[int]) -> int:
    return signs[0] if len(set(signs)) == 1 else 0


#: A length of phase beyond 2 pi, and its parts: a cosine changes by less than 0.11 on each.
TURN, _SUBINTERVALS = 7, 64
#: Bits at which f is bounded far out: 2^60 with the phase to 400 bits more.
BOUND_BITS = 512
#: Powers of two between which a decay like e^{-x} shows, and between which f/slope has to fall.
EXPONENTIAL_AT, SETTLED_AT = (8, 10), (30, 60)
