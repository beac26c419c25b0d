"""Enclosures of the integral of an analytic expression, or a proof that the integral diverges.

The range is cut at the singularities of the integrand f. The range is also cut at the zero of a
linear sub-expression, if this zero is far from 0. An example is the mean of a normal density. From
such a point, f is integrated in both directions. Finite pieces on which f is bounded are left to
python-flint's rigorous integration. All other pieces are left to `approach`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import acb, arb, fmpq_poly

from ....reading.expression.build import add, div, neg
from ....reading.expression.traversal import additive_terms, all_nodes, substitute
from ....reading.expression.tree import Call, Expression, Symbol
from ...ball_arithmetic.balls import precision
from ...ball_arithmetic.jets import Ball
from ...ball_arithmetic.magnitude import BITS_PER_DIGIT
from .. import analytic
from ..line import RealLine, is_regular
from ..pieces import monomial
from ..singularities import named_number
from ..work import target_bits, tolerance
from .approach import Approach, DivergesError, Edge, NotEnclosedError
from .rotation import Rotation

#: Zeros of linear parts at least so far from the origin are places to begin: nearer ones lie within
#: the first cut of a tail, 2^3.
FAR = 8
#: Binary places that a small value gets beyond the places of a value of size 1: enough for values
#: down to 10^{-180}.
MAX_EXTRA_BITS = 600
#: Bits beyond the accuracy aimed at: the rounding of sums and of the arithmetic of an integrand.
GUARD_BITS = 64
#: Where a piece is cut to see how large an odd f is, as a share of its length: off the middle, the
#: quarters and the thirds, at which the parts of a symmetric or periodic f cancel again.
OFF_MIDDLE = Fraction(5, 16)

#: Most terms of a sum that are integrated one by one if the sum cannot be integrated. A term may
#: take as long as the sum; the work for all terms is limited (`work.ONE_INTEGRAL`).
MAX_TERMS = 6

#: A number as a polynomial in pi, or None if it is not known exactly.
Exact = fmpq_poly | None


@dataclass(slots=True)
class Enclosure:
    r"""The enclosure of one integral of an analytic expression.

    Attributes:
        line: the integrand on the real line.
        expression: the integrand.
        variable: the variable of integration.
        digits: decimal digits that are wanted.
        exact: maps the `id` of a limit's ball to its exact value.
        size: the sum of the absolute values of the integrals over all parts. This sum is a lower
            bound of the integral of the integrand's absolute value.

    """

    line: RealLine
    expression: Expression
    variable: str
    digits: int
    exact: Mapping[int, Exact] = field(default_factory=dict)
    size: arb = field(default_factory=arb)
    bits: int = 0

    def integral(self, points: list[arb]) -> arb:
        """The integral from the first to the last point.

        Between the first and the last point, the integrand may be singular only at the other
        points.

        Raises:
            DivergesError: divergence is proved.
            NotEnclosedError: neither a value nor divergence was found.

        """
        value = self.total(points)
        if value.contains(0):
            # an odd f: the sizes of two unequal parts show how large |f| is
            self.size = arb(0)
            points = _with_cuts(points, self._unit())
            value = self._sum(points)
        size = self.size
        if value.rel_accuracy_bits() < BITS_PER_DIGIT * self.digits and not size > 1:
            # small values: as many digits relative to their size
            extra = min(
                int(-float(size.upper().log()) / 0.69 + 8) if size > 0 else GUARD_BITS,
                MAX_EXTRA_BITS,
            )
            self.bits, self.size = self.bits + max(extra, 0), arb(0)
            value = self._sum(points)
        if not value.rad() <= tolerance(self.digits) * self.size:
            raise NotEnclosedError("the integral is known to few digits")
        return value

    def total(self, points: list[arb]) -> arb:
        """The integral from the first to the last point, without a limit on its error."""
        self.bits, self.size = target_bits(self.digits), arb(0)
        return self._sum(points)

    def principal(self, pole: arb, farthest: arb) -> tuple[arb, arb]:
        """The principal value around a pole or around infinity, and a distance r.

        Around a pole p, the range is |x - p| < r, and r is at most ``farthest``. Around infinity,
        the range is |x| > r, and r is at least ``farthest``.
        """
        bits = target_bits(self.digits)
        edge = Edge(pole, 1, named_number(pole) if pole.is_finite() else None)
        return Approach(self.expression, self.variable, self.line.values, edge, bits).principal(
            farthest
        )

    def _sum(self, points: list[arb]) -> arb:
        signs: list[int] = []
        failure: NotEnclosedError | None = None
        total = arb(0)
        with precision(self.bits + GUARD_BITS):
            for low, high in itertools.pairwise(points):
                try:
                    for value in self._parts(low, high):
                        total += value
                        self.size += abs(value)
                except DivergesError as error:
                    signs.append(error.sign)
                except NotEnclosedError as error:
                    failure = error
        if signs and failure is None:
            raise DivergesError(signs[0] if len(set(signs)) == 1 else 0)
        if failure is not None:
            raise failure
        return total

    def _parts(self, low: arb, high: arb) -> Iterator[arb]:
        """Yield the integrals over the parts of a piece that lies between two singularities."""
        regular = is_regular(self.line, low, 1), is_regular(self.line, high, -1)
        if all(regular):
            value = self._direct(low, high)
            if value is not None:
                yield value
                return
        origins = list(self._origins(low, high))
        if origins:
            leftmost, rightmost = origins[0], origins[-1]
            yield from self._one(low, leftmost[0], regular[0], leftmost[1])
            for origin, next_origin in itertools.pairwise(origins):
                middle = arb(((origin[0] + next_origin[0]) / 2).mid())
                yield self._from(origin, middle, 1)
                yield self._from(next_origin, middle, -1)
            yield from self._one(high, rightmost[0], regular[1], rightmost[1])
            return
        if not low.is_finite() and not high.is_finite():
            middle = arb(0)
        elif not low.is_finite():
            middle = high if regular[1] else arb((high - self._unit()).mid())
        elif not high.is_finite():
            middle = low if regular[0] else arb((low + self._unit()).mid())
        elif regular[0] != regular[1]:
            middle = low if regular[0] else high
        else:
            middle = arb(((low + high) / 2).mid())
        yield from self._one(low, middle, regular[0], None)
        yield from self._one(high, middle, regular[1], None)

    def _one(self, end: arb, start: arb, regular: bool, origin: Expression | None) -> Iterator[arb]:
        """Yield the integrals over parts of the range between an inner point and an end.

        ``regular`` tells whether the integrand is bounded near the end. ``origin`` is an exact
        expression for the inner point, or None.
        """
        if end is start:
            return
        side = 1 if bool(end < start) else -1
        if origin is not None and (regular or not end.is_finite()):
            yield self._from((start, origin), end, -side)
            return
        if regular:
            low, high = (end, start) if side > 0 else (start, end)
            value = self._direct(low, high)
            if value is not None:
                yield value
                return
        edge = Edge(end, side, self._exactly(end))
        try:
            yield from self._towards(self.expression, edge, start)
        except NotEnclosedError:
            # phases of several kinds: terms that converge each at the end
            terms = _summands(self.expression, self.variable)
            if not 1 < len(terms) <= MAX_TERMS:
                raise
            try:
                yield from [value for term in terms for value in self._towards(term, edge, start)]
            except DivergesError:
                raise NotEnclosedError("terms that diverge where their sum may converge") from None

    def _towards(self, expression: Expression, edge: Edge, start: arb) -> list[arb]:
        """Values whose sum is an integral between an inner point and an end.

        ``expression`` is the integrand or a term of it.
        """
        values = self.line.values
        try:
            rotation = Rotation(expression, self.variable, values, edge, self.bits)
            value, turned = rotation.integral(start)
            low, high = (turned, start) if edge.side > 0 else (start, turned)
            between = self._direct(low, high, expression)
            if between is not None:
                return [value, between]
        except NotEnclosedError:
            pass
        approach = Approach(expression, self.variable, values, edge, self.bits)
        return [approach.integral(start)]

    def _from(self, origin: tuple[arb, Expression], end: arb, side: int) -> arb:
        """The integral from a point far from 0 towards an end.

        The variable is shifted so that this point becomes 0.
        """
        moved = Symbol(self.variable) if side > 0 else neg(Symbol(self.variable))
        expression = substitute(self.expression, self.variable, add(moved, origin[1]))
        limit = abs(end - origin[0]) if end.is_finite() else None
        edge = Edge(arb("inf"), -1)
        values = self.line.values
        approach = Approach(expression, self.variable, values, edge, self.bits, limit)
        return approach.integral(arb(0))

    def _origins(self, low: arb, high: arb) -> Iterator[tuple[arb, Expression]]:
        """Yield zeros of linear sub-expressions that lie inside a piece and far from 0.

        The points are in ascending order, each with its exact value.
        """
        zeros: dict[Expression, arb] = {}
        for node in all_nodes(self.expression):
            if node.function != "add" or len(node.args) != 2:
                continue
            zero = _zero(node, self.variable)
            if zero is None:
                continue
            value = analytic_value(zero, self.line.values)
            if value is not None and abs(value) > FAR and low < value and value < high:
                zeros[zero] = value
        ordered = sorted(zeros.items(), key=lambda pair: float(pair[1]))
        for at, (zero, value) in enumerate(ordered):
            if not at or bool(value > ordered[at - 1][1]):
                yield value, zero

    def _unit(self) -> arb:
        """A length of at most 1 on which the integrand's sines and cosines oscillate little."""
        # An eighth of a turn is 0.8: slopes of a phase below 4 do not shorten the length of 1.
        slowest = fastest = arb(4)
        for node in all_nodes(self.expression):
            if node.function in ("sin", "cos"):
                terms = node.args[0].args if node.args[0].function == "add" else node.args
                for term in terms:
                    linear_form = monomial(term, self.variable)
                    if linear_form is None or linear_form[1] != 1:
                        continue
                    value = analytic_value(linear_form[0], self.line.values)
                    fastest = fastest if value is None else fastest.max(abs(value))
        return arb((slowest / fastest).mid())

    def _direct(self, low: arb, high: arb, summand: Expression | None = None) -> arb | None:
        expression = summand or self.expression
        function = analytic.box_function(expression, self.variable, self.line.values)
        if function is None:
            return None
        value = analytic.integrate(
            function, low, high, self.bits, analytic.evaluations_of(expression)
        )
        if value is None or not value.imag.contains(0):
            return None
        return arb(value.real)

    def _exactly(self, end: arb) -> Exact:
        """The exact value of an end of the range, if known."""
        if not end.is_finite():
            return None
        if id(end) in self.exact:
            return self.exact[id(end)]
        return named_number(end)


def _summands(node: Expression, variable: str) -> list[Expression]:
    """The terms of a sum.

    If a factor or the numerator of the expression is a sum, the expression is multiplied out.
    """
    terms = additive_terms(node, variable)
    if len(terms) > 1 or node.function not in ("mul", "div"):
        return terms
    for at, arg in enumerate(node.args if node.function == "mul" else node.args[:1]):
        inner = _summands(arg, variable)
        if len(inner) > 1:
            return [Call(node.function, (*node.args[:at], i, *node.args[at + 1 :])) for i in inner]
    return [node]


def off_middle(low: arb, high: arb) -> arb:
    """A point inside a finite range, other than the midpoint."""
    return low + (high - low) * OFF_MIDDLE.numerator / OFF_MIDDLE.denominator


def _with_cuts(points: list[arb], unit: arb) -> list[arb]:
    """Insert one more point between neighbouring points, but not at the midpoint."""
    result = points[:1]
    for low, high in itertools.pairwise(points):
        if low.is_finite() and high.is_finite():
            cut = off_middle(low, high)
        elif low.is_finite() or high.is_finite():
            cut = low + unit if low.is_finite() else high - unit
        else:
            cut = off_middle(arb(-1), arb(1))
        result += [arb(cut.mid()), high]
    return result


def analytic_value(constant: Expression, values: Mapping[str, Ball]) -> arb | None:
    """The real value of a constant expression, or None without a real value."""
    function = analytic.box_function(constant, "", values)
    value = function(acb(0), False) if function is not None else acb("nan")
    return arb(value.real) if value.is_finite() and value.imag.contains(0) else None


def _zero(node: Expression, variable: str) -> Expression | None:
    """The zero of a linear expression c x + d. For any other expression, the result is None."""
    linear_form = monomial(node, variable)
    return (
        div(neg(linear_form[2]), linear_form[0])
        if linear_form is not None and linear_form[1] == 1
        else None
    )
