r"""Enclosures of an integral towards an end at which the integrand oscillates.

The integrand is written as a sum of amplitudes times cosines. For this, products of cosines are
written as sums. Then the path is turned into the complex plane. Suppose that an amplitude h is
analytic for \|x\| >= T in the right half plane, and tends to 0 there. Then, by Jordan's lemma,
int_T^oo h(x) e^{i w x} dx = i e^{i w T} int_0^oo h(T + i y) e^{-w y} dy. The integrand on the right
decays. The substitution x = y^{1/p} makes phases c x^p linear. Terms that do not oscillate are left
to `approach`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from flint import acb, arb

from ....reading.expression.build import ONE, TWO, add, div, mul, neg, number, power
from ....reading.expression.traversal import (
    additive_terms,
    all_nodes,
    fold,
    is_constant,
    substitute,
)
from ....reading.expression.tree import Expression, Symbol
from ....reading.functions import names
from ...ball_arithmetic.balls import precision
from ...ball_arithmetic.jets import Ball
from ...expansions import models
from ...expansions.forms import Exponent, FormExpander, Term, plus, rate, single
from ...expansions.models import NoModelError
from .. import analytic
from ..work import model_bits
from .approach import (
    NEGLIGIBLE,
    Approach,
    DivergesError,
    Edge,
    NotEnclosedError,
    Tail,
    level_of,
)

#: Functions of a growing argument that oscillate.
_PERIODIC = names(lambda function: function.oscillates)
#: Most cosines in the sum that equals a product of cosines: a product of six, or an eighth power
#: and a square. Each cosine of the sum costs one integral.
MAX_WAVES = 32
#: Largest power of a cosine that is written as a sum: its 2^8 products are grouped into nine waves.
MAX_POWER = 8
#: Evaluations of the integrand on one turned path: half of the evaluations of a range, because the
#: integrand is analytic on the path and decays.
BOX_EVALUATIONS = 12_000


@dataclass(frozen=True, slots=True)
class Wave:
    """The function ``amplitude`` * cos(``frequency`` * y + ``phase`` - ``quarter`` * pi/2) of
    y = x^p.
    """

    amplitude: Expression
    frequency: Exponent
    phase: Exponent
    quarter: int


@dataclass(slots=True)
class Rotation:
    """The integration of an integrand towards an end at which the integrand oscillates.

    Attributes:
        expression: the integrand f.
        variable: the variable of integration.
        values: the values of the parameters.
        edge: the end, which is infinite or 0.
        bits: the accuracy that is wanted, relative to 1.
        exponent: the p for which phases are linear in x^p.

    """

    expression: Expression
    variable: str
    values: Mapping[str, Ball]
    edge: Edge
    bits: int
    exponent: Fraction = Fraction(0)

    def integral(self, start: arb) -> tuple[arb, arb]:
        """The integral between a point T and the end, and the point T itself.

        T lies between ``start`` and the end.

        Raises:
            DivergesError: divergence is proved.
            NotEnclosedError: the integrand does not oscillate, or oscillates in an unknown form.

        """
        if self.edge.point.is_finite() and self.edge.exact != models.AT_ZERO:
            raise NotEnclosedError("an oscillation at a finite end")
        side = self.edge.side if self.edge.point.is_finite() else -self.edge.side
        x = Symbol(self.variable)
        expression = self.expression
        if side < 0:
            expression = substitute(expression, self.variable, neg(x))
        with models.series_length(models.order(self.bits)), precision(model_bits(self.bits)):
            try:
                waves = self._waves(expression)
                value, turned = self._sum(waves, abs(start))
            except NoModelError as error:
                raise NotEnclosedError(str(error)) from None
            return value, turned * side

    def _waves(self, expression: Expression) -> list[Wave]:
        waves = self._expanded(expression)
        if not self.exponent:
            raise NotEnclosedError("no oscillation")
        if (self.exponent > 0) == self.edge.point.is_finite():
            raise NotEnclosedError("no oscillation at this end")
        grouped: dict[tuple[Exponent, Exponent, int], list[Expression]] = {}
        for wave in waves:
            frequency, phase, quarter = wave.frequency, wave.phase, wave.quarter
            size = self._value(frequency)
            if frequency and not size > 0:
                if not size < 0:
                    raise NotEnclosedError("a frequency that may be zero")
                frequency, phase = plus((), frequency, -1), plus((), phase, -1)
                quarter = -quarter
            grouped.setdefault((frequency, phase, quarter % 4), []).append(wave.amplitude)
        return [
            Wave(self._in_y(add(*amplitudes)), frequency, phase, quarter)
            for (frequency, phase, quarter), amplitudes in grouped.items()
        ]

    def _in_y(self, amplitude: Expression) -> Expression:
        """Write an amplitude as a function of y = x^p, multiplied by |dx/dy|."""
        p = self.exponent
        if p == 1:
            return amplitude
        y = Symbol(self.variable)
        slope = mul(number(abs(1 / p)), power(y, number(1 / p - 1)))
        return mul(substitute(amplitude, self.variable, power(y, number(1 / p))), slope)

    def _value(self, constant: Exponent) -> arb:
        function = analytic.box_function(rate(constant), "", self.values)
        if function is None:
            raise NotEnclosedError("a frequency that cannot be computed")
        return arb(function(acb(0), False).real)

    def _expanded(self, node: Expression) -> list[Wave]:
        """Write an expression as a sum of waves (oscillating functions)."""
        if not self._oscillates(node):
            return [Wave(node, (), (), 0)]
        name, args = node.function, node.args
        if name in ("sin", "cos"):
            frequency, phase = self._phase(args[0])
            return [Wave(ONE, frequency, phase, int(name == "sin"))]
        if name == "add":
            return [wave for arg in args for wave in self._expanded(arg)]
        if name == "neg":
            return [_scaled(wave, neg(ONE)) for wave in self._expanded(args[0])]
        if name == "div" and not self._oscillates(args[1]):
            return [_scaled(wave, div(ONE, args[1])) for wave in self._expanded(args[0])]
        if name == "mul":
            result = self._expanded(args[0])
            for arg in args[1:]:
                result = _products(result, self._expanded(arg))
            return result
        if name == "pow":
            ratio = fold(args[1])
            if ratio is not None and ratio.denominator == 1 and 0 < ratio <= MAX_POWER:
                factor = self._expanded(args[0])
                result = factor
                for _ in range(int(ratio) - 1):
                    result = _products(result, factor)
                return result
        raise NotEnclosedError("an oscillation inside another function")

    def _oscillates(self, node: Expression) -> bool:
        return any(
            inner.function in _PERIODIC and not is_constant(inner, self.variable)
            for inner in all_nodes(node)
        )

    def _phase(self, argument: Expression) -> tuple[Exponent, Exponent]:
        """Split the argument c x^p + d of a sine or cosine. Return c and d."""
        frequency: Exponent = ()
        phase: Exponent = ()
        for term in additive_terms(argument, self.variable):
            if is_constant(term, self.variable):
                phase = plus(phase, single(term))
                continue
            coefficient, p = _monomial(term, self.variable)
            if not self.exponent:
                self.exponent = p
            if p != self.exponent or not p:
                raise NotEnclosedError("phases of different kinds")
            frequency = plus(frequency, single(coefficient))
        return frequency, phase

    def _sum(self, waves: list[Wave], start: arb) -> tuple[arb, arb]:
        p = arb(self.exponent.numerator) / self.exponent.denominator
        begin = start**p if start > 0 else arb(1)
        ways = [(wave, self._way(wave)) for wave in waves if wave.frequency]
        for _, tail in ways:
            # the path is turned where the bound of an amplitude holds; no digits are needed of it
            begin = arb(tail.begins(begin.log(), bits=0).exp().mid()).max(begin)
        begin = arb((begin * 9 / 8).mid())
        signs = 0
        total = arb(0)
        for wave, tail in ways:
            if _decays(tail):
                total += self._turned(wave, tail, begin)
            elif tail.diverges(begin.log()):
                signs += 1
            else:
                raise NotEnclosedError("an amplitude that is not known to decay")
        edge = Edge(arb("inf"), -1)
        for wave in waves:
            if not wave.frequency:
                angle = self._value(wave.phase) - arb.pi() * wave.quarter / 2
                quarter = wave.quarter % 2 and not wave.phase
                approach = Approach(wave.amplitude, self.variable, self.values, edge, self.bits)
                if not quarter:
                    total += approach.integral(begin) * angle.cos()
        if signs == 1:
            # on every half period |f| is at least a positive constant on a third of it
            raise DivergesError(0)
        if signs:
            raise NotEnclosedError("several amplitudes that do not decay")
        return total, begin ** (1 / p)

    def _way(self, wave: Wave) -> Tail:
        substituted = models.monomial(1, -1, arb(1))
        expander = FormExpander("y1", (self.variable, substituted), self.values)
        form = expander.terms(expander.expand(wave.amplitude))
        return Tail(level_of("y1", wave.amplitude, form, expander), self.bits)

    def _turned(self, wave: Wave, tail: Tail, begin: arb) -> arb:
        """The integral of an amplitude times a cosine from ``begin`` to infinity.

        The path of integration is turned into the complex plane.
        """
        frequency = self._value(wave.frequency)
        bound = sum((_bound(tail, term, begin) for term in tail.level.form), arb(0))
        end = (bound.log().max(arb(0)) + arb(self.bits + NEGLIGIBLE) * arb(2).log()) / frequency
        end = arb(2) ** arb((end.log() / arb(2).log()).ceil().upper())
        remainder = (bound * (-frequency * end).exp() / frequency).upper()
        function = analytic.box_function(wave.amplitude, self.variable, self.values)
        if function is None:
            raise NotEnclosedError("a function that is not supported on complex boxes")
        h, turn = function, acb(0, 1)

        def integrand(y: Ball, analytic_: bool) -> Ball:
            return h(begin + turn * y, analytic_) * (-frequency * y).exp()

        value = analytic.integrate(integrand, arb(0), end, self.bits, BOX_EVALUATIONS)
        if value is None:
            raise NotEnclosedError("an amplitude that cannot be enclosed")
        value += acb(arb(0, remainder), arb(0, remainder))
        angle = frequency * begin + self._value(wave.phase) - arb.pi() * wave.quarter / 2
        return arb((turn * (turn * angle).exp() * value).real)


def _scaled(wave: Wave, factor: Expression) -> Wave:
    return Wave(mul(wave.amplitude, factor), wave.frequency, wave.phase, wave.quarter)


def _products(left_waves: list[Wave], right_waves: list[Wave]) -> list[Wave]:
    """Multiply sums of cosines term by term: cos A cos B = (cos(A - B) + cos(A + B)) / 2."""
    result: list[Wave] = []
    for a in left_waves:
        for b in right_waves:
            amplitude = mul(a.amplitude, b.amplitude)
            if not (a.frequency or a.phase or a.quarter):
                result.append(Wave(amplitude, b.frequency, b.phase, b.quarter))
                continue
            if not (b.frequency or b.phase or b.quarter):
                result.append(Wave(amplitude, a.frequency, a.phase, a.quarter))
                continue
            for sign in (1, -1):
                result.append(
                    Wave(
                        div(amplitude, TWO),
                        plus(a.frequency, b.frequency, sign),
                        plus(a.phase, b.phase, sign),
                        a.quarter + sign * b.quarter,
                    )
                )
    if len(result) > MAX_WAVES:
        raise NotEnclosedError("too many frequencies")
    return result


def _monomial(node: Expression, variable: str) -> tuple[Expression, Fraction]:
    """The coefficient c and the exponent p of a monomial c x^p."""
    name, args = node.function, node.args
    if node == Symbol(variable):
        return ONE, Fraction(1)
    if is_constant(node, variable):
        return node, Fraction(0)
    if name == "neg":
        coefficient, p = _monomial(args[0], variable)
        return neg(coefficient), p
    if name == "mul":
        monomials = [_monomial(arg, variable) for arg in args]
        return mul(*(c for c, _ in monomials)), sum((p for _, p in monomials), Fraction(0))
    if name == "div":
        (numerator, p), (denominator, q) = (_monomial(arg, variable) for arg in args)
        return div(numerator, denominator), p - q
    if name in ("pow", "sqrt", "root"):
        exponent = Fraction(1, 2) if name == "sqrt" else fold(args[1])
        coefficient, p = _monomial(args[0], variable)
        if exponent and coefficient == ONE:
            return ONE, p * (1 / exponent if name == "root" else exponent)
    raise NotEnclosedError("a phase that is no power of x")


def _decays(tail: Tail) -> bool:
    """Whether the amplitude of a cosine is proved to tend to 0 in the right half plane.

    The proof uses the amplitude's form as a sum of terms. In this half plane, the amplitude is
    analytic.
    """
    for term in tail.level.form:
        if tail.factors(term.factor) is None:
            return False
        if any(key != ONE for key, _ in term.exponent):
            return False
        if not sum((q for _, q in term.exponent), Fraction(0)) > 0:
            return False
    return True


def _bound(tail: Tail, term: Term, begin: arb) -> arb:
    r"""A bound of the absolute value of a term for \|x\| >= ``begin`` in the right half plane."""
    factorization = tail.factors(term.factor)
    if factorization is None:
        return arb("inf")
    scale, degree, model = factorization
    v = sum((q for _, q in term.exponent), Fraction(0))
    size = abs(scale) * (abs(model.bound).upper() if model else 1)
    if not degree:
        return size * begin ** (-arb(v.numerator) / v.denominator)
    # |ln x| <= ln|x| + pi/2, and z^d <= d! e^{e z} / e^d with e = v/2
    half = arb(v.numerator) / v.denominator / 2
    growth = arb(factorial(degree)) / half**degree * (arb.pi() / 2 * half).exp()
    return size * growth * begin ** (-half)
