"""The value of a definite integral, and how it was got."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from flint import arb

from ..decision.balls import Tape, precision
from ..decision.compiler import compile_tape
from ..decision.jets import ZERO, Ball
from ..decision.magnitude import log2
from ..expression.traversal import additive_terms
from ..expression.tree import Expression
from ..reading.problem import Limit
from . import analytic, oscillation, piece
from .ends import END_BITS, Behaviour, Decay, End, decay
from .kinks import Segment, segments
from .line import FoldedLine, OutsideDomainError, QuadratureError, RealLine
from .problem import DefiniteIntegral
from .singularities import singularities
from .tails import tail_bound

#: How a value was got: an enclosure is a proof; two quadratures, or an extrapolation and the same
#: with fewer terms, agreed to 25 digits or more; divergence follows from the growth at an end.
Method = Literal["enclosure", "two quadratures", "extrapolation", "divergence"]
#: Terms of a sum that are integrated one by one where the sum cannot be.
MAX_TERMS = 6
#: Evaluations of the rigorous integration.
BOX_EVALUATIONS = 25_000


@dataclass(frozen=True, slots=True)
class IntegralValue:
    """The value of an integral, for one choice of its parameters.

    Attributes:
        ball: the value with its error; not finite if the integral diverges.
        method: how it was got.
        sign: of a divergent integral: +1 or -1 if it tends to that infinity, else 0.

    Example:
        >>> IntegralValue(arb("nan"), "divergence", 1).diverges
        True

    """

    ball: arb
    method: Method
    sign: int = 0

    @property
    def diverges(self) -> bool:
        """Whether the integral has no value."""
        return self.method == "divergence"

    @property
    def digits(self) -> float:
        """Decimal digits to which the value is known; absolute ones if it may be 0."""
        if self.diverges:
            return 0.0
        if self.ball.contains(0):
            return -log2(self.ball.abs_upper()) * 0.30103
        return float(self.ball.rel_accuracy_bits()) * 0.30103


def evaluate(problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int) -> IntegralValue:
    r"""The value of an integral.

    Args:
        problem: the integral.
        values: the values of its parameters.
        digits: decimal digits that are wanted.

    Returns:
        The value with the method that gave it.

    Raises:
        QuadratureError: it cannot be computed; the message says why.
        OutsideDomainError: the integrand or a limit is not real.

    Example:
        >>> from calculus_harness.rewards.quadrature import prepare_definite
        >>> evaluate(prepare_definite(r"\int_0^1 x^2 \, dx"), {}, 30).ball.str(10)
        '[0.3333333333 +/- 3.34e-11]'

    """
    integrand = problem.integrand
    with precision(END_BITS):
        lower, upper = (limit_value(limit, values) for limit in (problem.lower, problem.upper))
        if bool(lower == upper) and lower.is_finite():
            return IntegralValue(arb(0), "enclosure")
        orientation = 1
        if bool(upper < lower):
            lower, upper, orientation = upper, lower, -1
        elif not bool(lower < upper):
            raise QuadratureError("the limits cannot be told apart")
    parts = [
        _segment_value(segment, problem, values, digits)
        for segment in segments(integrand.expression, integrand.variable, values, lower, upper)
    ]
    diverging = [part for part in parts if part.diverges]
    if diverging:
        sign = _common_sign([part.sign for part in diverging])
        return IntegralValue(arb("nan"), "divergence", orientation * sign)
    total = _total(parts, digits)
    return total if orientation == 1 else replace(total, ball=-total.ball)


def _total(parts: list[IntegralValue], digits: int) -> IntegralValue:
    method = max((part.method for part in parts), key=_METHODS.index)
    with precision(128 + 4 * digits):
        return IntegralValue(sum((part.ball for part in parts), arb(0)), method)


#: The weakest of several methods is that of their sum.
_METHODS: list[Method] = ["enclosure", "two quadratures", "extrapolation"]


def _segment_value(
    segment: Segment, problem: DefiniteIntegral, values: Mapping[str, Ball], digits: int
) -> IntegralValue:
    variable = problem.integrand.variable

    def over(expression: Expression) -> IntegralValue:
        line = RealLine.of(expression, variable, values)
        computation = _Computation(expression, variable, problem.principal_value, line, digits)
        return computation.run(segment.lower, segment.upper)

    try:
        return over(segment.expression)
    except QuadratureError:
        terms = additive_terms(segment.expression, variable)
        if len(terms) < 2 or len(terms) > MAX_TERMS:
            raise
        parts = [over(term) for term in terms]
        if any(part.diverges for part in parts):
            raise  # the sum may converge all the same
        return _total(parts, digits)


def limit_value(limit: Limit, values: Mapping[str, Ball]) -> arb:
    """A limit of integration at the working precision."""
    if isinstance(limit, int):
        return arb("inf") * limit
    tape: Tape = compile_tape(limit, "")
    value = tape.run(ZERO, values, derivative=False)[tape.root][0]
    if not value.is_finite() or not value.imag.contains(0):
        raise OutsideDomainError("a limit of integration is not a real number")
    return arb(value.real)


class _NoPrincipalValueError(Exception):
    """The principal value diverges too, with this sign."""

    def __init__(self, sign: int) -> None:
        super().__init__()
        self.sign = sign


@dataclass(slots=True)
class _Computation:
    """One integral over lower < upper."""

    expression: Expression
    variable: str
    principal_value: bool
    line: RealLine
    digits: int

    def run(self, lower: arb, upper: arb) -> IntegralValue:
        with precision(96):
            values = [self.line.at(x) for x in _samples(lower, upper)]
        if not any(value.is_finite() for value in values):
            raise OutsideDomainError("the integrand has no value between the limits")
        points = singularities(self.line, lower, upper, END_BITS)
        if not points:
            enclosed = self._enclosure(lower, upper)
            if enclosed is not None:
                return IntegralValue(enclosed, "enclosure")
        return self._pieces([lower, *points, upper])

    def _enclosure(self, lower: arb, upper: arb) -> arb | None:
        """The rigorous value over a range where f is bounded, ends included.

        An infinite range ends where the bounds of what follows are negligible.
        """
        with precision(512):
            for low, high in ((lower, lower + _EDGE), (upper - _EDGE, upper)):
                edge = arb(low.mid()).union(arb(high.mid()))
                if low.is_finite() and high.is_finite() and not self.line.on(edge).is_finite():
                    return None
        bits = int(3.33 * self.digits) + 16
        with precision(bits + 64):
            function = analytic.box_function(self.expression, self.variable, self.line.values)
            if function is None:
                return None
            lower, before = self._cut(lower, -1, upper)
            upper, after = self._cut(upper, 1, lower)
            error = before + after
            if not error.is_finite():
                return None
            value = analytic.integrate(function, lower, upper, bits, BOX_EVALUATIONS)
        if value is None:
            return None
        with precision(bits + 64):
            real = value.real + arb(0, error)
        if real.rel_accuracy_bits() < 3.33 * piece.AGREEMENT:
            return None
        if not value.imag.contains(0):
            raise QuadratureError("the integrand is not real between the limits")
        return arb(real)

    def _cut(self, end: arb, side: int, other: arb) -> tuple[arb, arb]:
        """The end, or a point beyond which f is negligible, and a bound of the integral beyond.

        The bound is infinite if f does not decay exponentially, or not in a way that `tail_bound`
        can show.
        """
        if end.is_finite():
            return end, arb(0)
        goal = arb(10) ** (-self.digits - 10)
        nearest = float(abs(other)) if other.is_finite() else 0.0
        first = max(_NEAREST, math.ceil(math.log2(max(nearest, 1.0))) + 1)
        last = first + _DOUBLINGS
        for k in (last, *range(first, last)):
            cut = side * arb(2) ** k
            error = tail_bound(self.expression, self.variable, self.line.values, cut, side)
            if k == last and not error < goal:
                break  # if it does not decay so far out, it does not nearer
            if k < last and error < goal:
                return cut, error
        return end, arb("inf")

    def _pieces(self, ends: list[arb]) -> IntegralValue:
        parts: list[arb] = []
        method: Method = "two quadratures"
        for side, phase in self._oscillating(ends).items():
            if not self._settles(phase, side):
                return IntegralValue(arb("nan"), "divergence")
            nearest = max((side * float(end) for end in ends if end.is_finite()), default=0.0)
            start = arb(side * max(nearest + 1.0, 1.0))
            value, ends[-1 if side > 0 else 0] = oscillation.tail(
                self.line, phase, start, side, self.digits
            )
            parts.append(value)
            method = "extrapolation"
        pieces = [(End(left, 1), End(right, -1)) for left, right in itertools.pairwise(ends)]
        decays = [(decay(self.line, left), decay(self.line, right)) for left, right in pieces]
        if self.principal_value:
            try:
                pieces, decays, folded = self._fold(pieces, decays)
            except _NoPrincipalValueError as error:
                return IntegralValue(arb("nan"), "divergence", error.sign)
            parts += folded
        diverging = _diverging(decays)
        if diverging:
            return IntegralValue(arb("nan"), "divergence", _common_sign(diverging))
        for (left, right), (at_left, at_right) in zip(pieces, decays, strict=True):
            parts.append(self._piece(piece.Piece(left, right, at_left, at_right)))
        with precision(128 + 4 * self.digits):
            return IntegralValue(sum(parts, arb(0)), method)

    def _fold(
        self, pieces: list[tuple[End, End]], decays: list[tuple[Decay, Decay]]
    ) -> tuple[list[tuple[End, End]], list[tuple[Decay, Decay]], list[arb]]:
        """Principal values around the poles and at both infinities, and the pieces that remain.

        Around a pole c the integral over [c - r, c + r] is that of f(c + u) + f(c - u) over [0, r].
        """
        ends = [pieces[0][0].point, *(right.point for _, right in pieces)]
        remaining: list[tuple[arb, arb]] = []
        parts: list[arb] = []
        with precision(END_BITS):
            start = ends[0]
            for at, pole in enumerate(ends[1:-1], 1):
                before, after = pole, pole
                if Behaviour.DIVERGES in (decays[at - 1][1].behaviour, decays[at][0].behaviour):
                    gaps = [abs(end - pole) for end in (ends[at - 1], ends[at + 1])]
                    radius = arb(
                        min([arb(2), *(g for g in gaps if g.is_finite())], key=float).mid()
                    )
                    before, after = pole - radius / 2, pole + radius / 2
                    parts.append(self._folded(pole, arb(0), radius / 2))
                remaining.append((start, before))
                start = after
            remaining.append((start, ends[-1]))
            outermost = decays[0][0].behaviour, decays[-1][1].behaviour
            infinite = not ends[0].is_finite() and not ends[-1].is_finite()
            if infinite and Behaviour.DIVERGES in outermost:
                far = arb(max((abs(float(end)) for end in ends[1:-1]), default=0.0) + 2)
                parts.append(self._folded(arb(0), far, ends[-1]))
                remaining[0] = (-far, remaining[0][1])
                remaining[-1] = (remaining[-1][0], far)
        kept = [(End(low, 1), End(high, -1)) for low, high in remaining]
        return kept, [(decay(self.line, low), decay(self.line, high)) for low, high in kept], parts

    def _folded(self, centre: arb, low: arb, high: arb) -> arb:
        """The integral of f(centre + u) + f(centre - u) for u from ``low`` to ``high``."""
        whole = self.line
        line = FoldedLine(whole.tape, whole.values, whole.spent, whole.slow, centre)
        ends = End(low, 1), End(high, -1)
        decays = [decay(line, end) for end in ends]
        for each in decays:
            if each.behaviour is Behaviour.DIVERGES:
                raise _NoPrincipalValueError(each.sign)
        if any(each.behaviour is not Behaviour.CONVERGES for each in decays):
            raise QuadratureError("it is not clear whether the principal value exists")
        value = piece.integrate(line, piece.Piece(*ends, *decays), self.digits)
        self.line.spent = line.spent
        return value

    def _piece(self, whole: piece.Piece) -> arb:
        """One piece: enclosed, or by two quadratures, or so at its ends and enclosed between."""
        left, right = whole.left.point, whole.right.point
        enclosed = self._enclosure(left, right)
        if enclosed is not None:
            return enclosed
        try:
            return piece.integrate(self.line, whole, self.digits)
        except QuadratureError:
            value = self._between(whole)
            if value is None:
                raise
            return value

    def _between(self, whole: piece.Piece) -> arb | None:
        """A piece that can be enclosed but for its finite ends, or for all ends."""
        left, right = whole.left, whole.right
        core = piece.core(whole)
        widest = (
            left.point if left.infinite else core[0],
            right.point if right.infinite else core[1],
        )
        for first, last in (widest, core):
            between = self._enclosure(first, last)
            if between is not None:
                break
        else:
            return None
        parts = [between]
        calm = Decay(Behaviour.CONVERGES, 1.0, False, 0)
        if first.is_finite():
            outer = piece.Piece(left, End(first, -1), whole.left_decay, calm)
            parts.append(piece.integrate(self.line, outer, self.digits))
        if last.is_finite():
            outer = piece.Piece(End(last, 1), right, calm, whole.right_decay)
            parts.append(piece.integrate(self.line, outer, self.digits))
        with precision(128 + 4 * self.digits):
            return sum(parts, arb(0))

    def _oscillating(self, ends: list[arb]) -> dict[int, oscillation.Phase]:
        """The phases at infinite ends where f oscillates and does not decay quickly."""
        phases: dict[int, oscillation.Phase] = {}
        for end, side in ((ends[0], -1), (ends[-1], 1)):
            if end.is_finite() or self._decays_fast(side):
                continue
            phase = oscillation.phase(self.expression, self.variable, self.line.values, side)
            if phase is not None:
                phases[side] = phase
        return phases

    def _decays_fast(self, side: int) -> bool:
        """Whether |f| is bounded by something like e^{-x} far out, oscillations included."""
        with precision(256):
            near, far = (self._bound(side * arb(2) ** k, side * (arb(2) ** k + 7)) for k in (8, 10))
        return bool(far < arb(2) ** -END_BITS or far < near * arb(2) ** -64)

    def _bound(self, low: arb, high: arb) -> arb:
        """A bound of |f| between two points, from that on many parts of the range."""
        step = (high - low) / _PARTS
        bounds = [
            abs(self.line.on((low + k * step).union(low + (k + 1) * step))).upper()
            for k in range(_PARTS)
        ]
        infinite = [bound for bound in bounds if not bound.is_finite()]
        return arb("inf") if infinite else max(bounds)

    def _settles(self, phase: oscillation.Phase, side: int) -> bool:
        """Whether the oscillating integral converges: f over the slope of the phase tends to 0."""
        with precision(512):
            sizes = []
            for k in (30, 60):
                x = side * arb(2) ** k
                _, slope = phase.at(x, self.line.values)
                bound = self._bound(x, x + side * 7 / abs(slope))
                if not bound.is_finite():
                    raise QuadratureError("the integrand is not bounded far out")
                sizes.append(bound / abs(slope))
        return bool(sizes[1] < sizes[0] * arb(2) ** -4)


def _samples(lower: arb, upper: arb) -> Iterator[arb]:
    """Some points between the limits."""
    low = lower if lower.is_finite() else arb(-1024).min(upper - 1024)
    high = upper if upper.is_finite() else arb(1024).max(low + 1024)
    for k in (1, 9, 45, 100, 163, 191, 199):
        yield arb((low + (high - low) * k / 200).mid())


def _diverging(decays: list[tuple[Decay, Decay]]) -> list[int]:
    """The signs of f at the ends where the integral diverges."""
    ends = [end for both in decays for end in both]
    signs = [end.sign for end in ends if end.behaviour is Behaviour.DIVERGES]
    if not signs and any(end.behaviour is Behaviour.UNKNOWN for end in ends):
        raise QuadratureError("it is not clear whether the integral converges")
    return signs


def _common_sign(signs: list[int]) -> int:
    return signs[0] if len(set(signs)) == 1 else 0


#: The nearest power of two at which a range may be cut, and how many more there are.
_NEAREST, _DOUBLINGS = 3, 20
#: Parts of a period on which f is bounded.
_PARTS = 64
#: How near to an end f has to be bounded for the rigorous integration.
_EDGE = arb(2) ** -300
