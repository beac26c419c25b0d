"""Enclosures of the integral towards an end of the range, or a proof that the integral diverges.

A substitution moves the end to infinity: x = p +- e^{-y} for a finite end p, or x = +-y or +-e^y
for an infinite end. If the integrand f changes with ln y only, y = e^t is substituted. The function
f dx/dy is a sum of terms e^{-v y} r(y) (`rewards.numeric.expansions`). Powers of u = e^{-y} and of
y are integrated in closed form. Other terms are integrated rigorously by python-flint up to a
point. The integral beyond this point has a proved bound. Divergence is proved if the sum of terms
has a constant sign and is bounded away from zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import acb, acb_poly, arb, fmpq_poly

from ....reading.expression.build import ONE, mul, neg
from ....reading.expression.traversal import fold, substitute
from ....reading.expression.tree import Call, Expression, Number, Symbol
from ...ball_arithmetic.balls import precision
from ...ball_arithmetic.jets import Ball
from ...expansions import models
from ...expansions.forms import Form, FormExpander, Term
from ...expansions.models import NoModelError, TaylorModel
from .. import analytic
from ..work import QuadratureError, model_bits
from .tails import sign_of_divergence, tail_bound

#: Logarithms on top of one another that are tried: 1/(x ln x ln ln x) needs the third.
MAX_LEVELS = 3
#: Cuts of a range in y, as powers of two. If a power of x is 10^{-9} off the critical power,
#: e^{-y/10^9} is less than 10^{-70} from 2^38 on; the last cuts are for peaks far out.
CUTS = (3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 24, 28, 33, 40, 64, 110, 200, 400)
#: Binary places by which the integral over an omitted rest is smaller than the wanted accuracy.
NEGLIGIBLE = 8
#: Largest power of y integrated in closed form: 12! is 2^29, within the bits that are added.
MAX_POWER = 12
#: Name of the end p in expressions.
_END = "@p"


class DivergesError(Exception):
    """The integral is proved to diverge at an end.

    If the integral tends to plus or minus infinity, ``sign`` is 1 or -1. Otherwise ``sign`` is 0.
    """

    def __init__(self, sign: int) -> None:
        super().__init__(sign)
        self.sign = sign


class NotEnclosedError(QuadratureError):
    """No enclosure was found. The integral may converge or diverge."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An end of the range of integration.

    Attributes:
        point: the end as a ball, infinite or finite.
        side: +1 if the range lies to the right of the end, -1 to the left.
        exact: the end as a polynomial in pi, or None if the exact end is unknown.

    """

    point: arb
    side: int
    exact: fmpq_poly | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """The integrand in a coordinate y that tends to infinity as x tends to an end of the range.

    Attributes:
        variable: the name of y.
        plain: the integrand as a function of y, unexpanded.
        form: the integrand as a sum of terms, for large y.
        expander: the models that the form refers to.
        start: the y at which the range begins. If it is nan, the range begins at ln z, where z is
            the end of the previous level's range.

    """

    variable: str
    plain: Expression
    form: list[Term]
    expander: FormExpander
    start: arb


@dataclass(slots=True)
class Approach:
    """The integration of an integrand f near one end of the range.

    Attributes:
        expression: the integrand f.
        variable: the variable of integration.
        values: the values of the parameters.
        edge: the end.
        bits: the accuracy that is wanted, relative to 1.
        limit: None, or the distance of a finite end from the origin if the end is treated as
            infinite. This is useful if f becomes negligible before the end.

    """

    expression: Expression
    variable: str
    values: Mapping[str, Ball]
    edge: Edge
    bits: int
    limit: arb | None = None

    def integral(self, start: arb) -> arb:
        """The integral between ``start`` and the end, from the smaller x to the larger x.

        Raises:
            DivergesError: divergence is proved.
            NotEnclosedError: neither a value nor divergence was found.

        """
        with models.series_length(models.order(self.bits)), precision(model_bits(self.bits)):
            try:
                return self._integral(start)
            except (NoModelError, ArithmeticError, RecursionError) as error:
                raise NotEnclosedError(str(error)) from None

    def _integral(self, start: arb) -> arb:
        if not self.edge.point.is_finite():
            try:
                return self._levels([self._far(start)])
            except NotEnclosedError:
                if self.limit is not None:
                    raise
            nearest = arb(-self.edge.side)
            if not -self.edge.side * start >= 1:
                function = analytic.box_function(self.expression, self.variable, self.values)
                between = function and analytic.integrated(
                    function, start, nearest, self.bits, analytic.evaluations_of(self.expression)
                )
                if between is None:
                    raise NotEnclosedError("the integrand cannot be enclosed near an end")
                inner = arb(between.real) * -self.edge.side
                return inner + self._levels(self._near(nearest))
        return self._levels(self._near(start))

    def principal(self, farthest: arb) -> tuple[arb, arb]:
        """The principal value near a pole p (|x - p| < r) or near both infinities (|x| > r), and r.

        The odd terms in the series of the integrand cancel.

        Args:
            farthest: the largest allowed r near a pole, or the least allowed r near both
                infinities.

        """
        with models.series_length(models.order(self.bits)), precision(model_bits(self.bits)):
            finite = self.edge.point.is_finite()
            if finite:
                substituted = models.line(acb(self.edge.point), self.edge.exact, 1, arb(1))
                begin, slope = -farthest.log(), Fraction(1)
            else:
                substituted = models.monomial(1, -1, arb(1))
                begin, slope = farthest.log(), Fraction(-1)
            try:
                values = {**self.values}
                expander = FormExpander("y1", (self.variable, substituted), values)
                form = expander.expand(self.expression)
                if not isinstance(form, TaylorModel):
                    raise NoModelError("a pole with logarithms")
                doubled = models.even(form)
            except NoModelError as error:
                raise NotEnclosedError(str(error)) from None
            terms = []
            if doubled is not None:
                terms = expander.terms(expander.mul(doubled, [Term(((ONE, slope),), ONE)]))
            tail = Tail(level_of("y1", self.expression, terms, expander), self.bits)
            cut = tail.begins(begin)
            value = tail.integral(cut)
            if value is None:
                if tail.diverges(cut):
                    raise DivergesError(tail.sign)
                raise NotEnclosedError("the principal value is not known to exist")
            return value, (-cut).exp() if finite else cut.exp()

    def _far(self, start: arb) -> Level:
        """The integrand near an infinite end in the coordinate y, where x = +-y."""
        y, side = Symbol("y"), -self.edge.side
        substituted: Expression = y if side > 0 else neg(y)
        expander = FormExpander("y", (self.variable, [Term((), substituted)]), self.values)
        form = expander.terms(expander.expand(self.expression))
        return Level(
            "y",
            substitute(self.expression, self.variable, substituted),
            form,
            expander,
            start * side,
        )

    def _near(self, start: arb) -> Iterator[Level]:
        """Yield the integrand in y (x = p +- e^{-y} or x = +-e^y), in t (y = e^t), and so on."""
        point, side = self.edge.point, self.edge.side
        values: dict[str, Ball] = {**self.values}
        away = Call("exp", (neg(Symbol("y1")),))
        substituted: Form
        if point.is_finite():
            values[_END] = acb(point)
            end: Expression = Symbol(_END)
            substituted = models.line(acb(point), self.edge.exact, side, arb(1))
            if self.edge.exact == models.AT_ZERO:
                x: Expression = away if side > 0 else neg(away)
            else:
                x = Call("add", (end, away if side > 0 else neg(away)))
            slope: Form = [Term(((ONE, Fraction(1)),), ONE)]
            range_start = -(abs(start - point).log())
            factor: Expression = away
        else:
            substituted = models.monomial(-side, -1, arb(1))
            factor = Call("exp", (Symbol("y1"),))
            x = factor if side < 0 else neg(factor)
            slope = [Term(((ONE, Fraction(-1)),), ONE)]
            range_start = abs(start).log()
        # the integrand times |dx/dy|, expanded for the bound and unexpanded for the integration
        expander = FormExpander("y1", (self.variable, substituted), values)
        form = expander.terms(expander.mul(expander.expand(self.expression), slope))
        plain = mul(substitute(self.expression, self.variable, x), factor)
        yield Level("y1", plain, form, expander, range_start)
        # A term that changes with ln y only, as 1/(y ln y), decays exponentially after y = e^t.
        for k in range(2, MAX_LEVELS + 1):
            outer, name = f"y{k - 1}", f"y{k}"
            inner = expander.expression(form)
            names = frozenset(expander.models)
            substituted = models.monomial(1, -1, arb(1))
            outer_models = expander.models
            expander = FormExpander(name, (outer, substituted), values, names, dict(outer_models))
            up = [Term(((ONE, Fraction(-1)),), ONE)]
            form = expander.terms(expander.mul(expander.expand(inner), up))
            grown = Call("exp", (Symbol(name),))
            plain = mul(substitute(plain, outer, grown), grown)
            yield Level(name, plain, form, expander, arb("nan"))

    def _levels(self, levels: Iterator[Level] | list[Level]) -> arb:
        total = arb(0)
        begin: arb | None = None
        for level in levels:
            begin = level.start if begin is None else begin
            level_begin = begin if level.start.is_finite() else begin.log()
            tail = Tail(level, self.bits, self.limit)
            cut = tail.begins(level_begin)
            value = tail.integral(cut)
            if value is not None:
                return total + self._plain(level, level_begin, cut) + value
            if tail.diverges(cut):
                raise DivergesError(tail.sign)
            # the next level begins where y is at least 1
            begin = level_begin
            if not level_begin >= 2:
                total += self._plain(level, level_begin, arb(2))
                begin = arb(2)
        raise NotEnclosedError("the integral converges too slowly at an end")

    def _plain(self, level: Level, low: arb, high: arb) -> arb:
        if bool(low == high):
            return arb(0)
        function = analytic.box_function(level.plain, level.variable, level.expander.values)
        if function is None:
            raise NotEnclosedError("a function that is not supported on complex boxes")
        value = analytic.integrated(
            function, low, high, self.bits, analytic.evaluations_of(level.plain)
        )
        if value is None or not value.imag.contains(0):
            raise NotEnclosedError("the integrand is not bounded near an end")
        return arb(value.real)


@dataclass(slots=True)
class Tail:
    """The integrand for large values of a coordinate y, as a sum of terms."""

    level: Level
    bits: int
    limit: arb | None = None
    sign: int = 0

    def begins(self, least: arb, bits: int | None = None) -> arb:
        """A y >= ``least`` beyond which all models (power series) are accurate to ``bits`` bits."""
        cut = least
        for name, model in self.level.expander.models.items():
            y = -model.reach(self.bits if bits is None else bits).log()
            for _ in range(self._depth(name)):
                y = y.log() if y > 1 else least
            if y > cut:
                cut = arb(y.mid())
        return cut if cut is least else arb((cut + 1).mid())

    def _depth(self, name: str) -> int:
        """The number of substitutions y = e^t from the coordinate of a model to the present one."""
        own = self.level.variable
        of = name[1:3] if name[1:3] != own and not name[1:].startswith(own) else own
        return int(own[1:] or 0) - int(of[1:] or 0)

    def _coordinate(self, name: str, y: Ball) -> Ball:
        """The value of the variable of a model (a power series) at a given y."""
        for _ in range(self._depth(name)):
            y = y.exp()
        return (-y).exp()

    def integral(self, cut: arb) -> arb | None:
        """The integral from ``cut`` to infinity, or None without an enclosure."""
        total, open_terms = arb(0), []
        for term in self.level.form:
            # 1 of 1 - 2/(e^{2x} + 1), whose rest decays at once
            sum_ = term.factor.function == "add"
            for summand in term.factor.args if sum_ else (term.factor,):
                single = Term(term.exponent, summand)
                value = None if self.limit is not None else self._closed(single, cut)
                if value is not None:
                    total += value
                elif summand != Number(0):
                    open_terms.append(single)
        if not open_terms:
            return total
        enclosed = self._enclosed(open_terms, cut)
        return None if enclosed is None else total + enclosed

    def _closed(self, term: Term, cut: arb) -> arb | None:
        """The integral of a term c y^m P(u) u^v, u = e^{-y}, in closed form, or None."""
        ratio = Fraction(0)
        for key, q in term.exponent:
            if key != ONE:
                return None
            ratio = q
        factorization = self.factors(term.factor)
        if factorization is None:
            return None
        scale, degree, model = factorization
        if model is None:
            if not ratio > 0:
                return None
            return scale * _moment(arb(ratio.numerator) / ratio.denominator, degree, cut)
        if not (model.is_power or 2 * (-cut).exp() <= model.radius):
            return None  # Cauchy's estimate is for half of the disc
        total = arb(0)
        for k, coefficient in enumerate(model.coefficients):
            if coefficient.is_zero():
                continue
            power = ratio + k
            if not power > 0:
                return None
            weight = _moment(arb(power.numerator) / power.denominator, degree, cut)
            total += coefficient.real * weight
        power = ratio + model.series.prec
        if not power > 0:
            return None
        truncation = model.remainder * _moment(
            arb(power.numerator) / power.denominator, degree, cut
        )
        return scale * (total + arb(0, truncation.upper()))

    def factors(self, factor: Expression) -> tuple[arb, int, TaylorModel | None] | None:
        """Split a factor into a constant, an exponent of y, and a power series, or return None."""
        scale, degree = arb(1), 0
        model: TaylorModel | None = None
        stack: list[tuple[Expression, int]] = [(factor, 1)]
        expander = self.level.expander
        while stack:
            node, power = stack.pop()
            name = node.function
            if isinstance(node, Symbol) and node.name == self.level.variable:
                degree += power
            elif isinstance(node, Symbol) and node.name in expander.models:
                if self._depth(node.name) or power < 0:
                    return None
                own = expander.models[node.name]
                own = replace(own, valuation=Fraction(0), written=None)
                for _ in range(power):
                    model = own if model is None else models.mul(model, own)
            elif not expander.is_variable(node):
                value = expander.value(node).real
                scale = scale * value if power > 0 else scale / value
                if abs(power) > 1:
                    return None
            elif name == "mul":
                stack += [(arg, power) for arg in node.args]
            elif name == "neg":
                scale = -scale if power % 2 else scale
                stack.append((node.args[0], power))
            elif name == "div":
                stack += [(node.args[0], power), (node.args[1], -power)]
            elif name == "pow" and (ratio := fold(node.args[1])) is not None:
                if ratio.denominator != 1 or abs(ratio) > MAX_POWER:
                    return None
                stack.append((node.args[0], power * int(ratio)))
            else:
                return None
        return (scale, degree, model) if 0 <= degree <= MAX_POWER else None

    def _enclosed(self, terms: list[Term], cut: arb) -> arb | None:
        """Integrate terms rigorously from ``cut`` to infinity, or return None."""
        expression = self.level.expander.expression(terms)
        end, error = self._end(expression, cut)
        if end is None:
            return None
        functions = {name: self._values(name) for name in self.level.expander.models}
        function = analytic.box_function(
            expression, self.level.variable, self.level.expander.values, functions
        )
        if function is None:
            raise NotEnclosedError("a function that is not supported on complex boxes")
        value = analytic.integrated(
            function, cut, end, self.bits, analytic.evaluations_of(expression)
        )
        if value is None or not value.imag.contains(0):
            raise NotEnclosedError("the integrand cannot be enclosed near an end")
        return arb(value.real + arb(0, error.upper()))

    def _values(self, name: str) -> Callable[[Ball], Ball]:
        """Make a function of y that computes the power series of a model."""
        model = self.level.expander.models[name]
        polynomial = acb_poly(model.coefficients)
        truncation, order = model.remainder, model.series.prec

        def value(y: Ball) -> Ball:
            if model.is_power:
                return model.bound
            u = self._coordinate(name, y)
            size = abs(u).upper()
            if not 2 * size <= model.radius:
                return acb("nan")
            error = truncation * size**order
            return polynomial(u) + acb(arb(0, error.upper()), arb(0, error.upper()))

        return value

    def _ranges(self, cut: arb) -> dict[str, Ball]:
        """The parameters' values, and a ball for each model's values beyond ``cut``."""
        values = dict(self.level.expander.values)
        for name, model in self.level.expander.models.items():
            u = abs(self._coordinate(name, acb(cut))).upper()
            values[name] = acb(model.at(acb(arb(0).union(u))).real)
        return values

    def _end(self, expression: Expression, cut: arb) -> tuple[arb | None, arb]:
        """A point beyond which the integral is negligible, or None, and a bound of the rest."""
        goal = arb(2) ** -(self.bits + NEGLIGIBLE)
        error = arb("inf")
        for k in CUTS:
            end = arb(2) ** k
            if not end > 2 * cut:
                continue
            bound = tail_bound(expression, self.level.variable, self._ranges(end), end, 1)
            if self.limit is not None and not end < self.limit:
                return self.limit, arb(0)
            if bound < goal:
                return end, bound
            error = bound
        return None, error

    def diverges(self, cut: arb) -> bool:
        """Whether the integral is proved to diverge. If the result is True, `sign` is set."""
        if self.limit is not None:
            return False
        expression = self.level.expander.expression(self.level.form)
        for k in CUTS[3::4]:  # one proof of divergence is as good as another: few are tried
            start = arb(2) ** k
            if not start > cut:
                continue
            self.sign = sign_of_divergence(
                expression, self.level.variable, self._ranges(start), start
            )
            if self.sign:
                return True
        return False


def level_of(variable: str, plain: Expression, form: list[Term], expander: FormExpander) -> Level:
    """Make a `Level` whose range has no start (nan), for use in a `Tail`."""
    return Level(variable, plain, form, expander, arb("nan"))


def _moment(rate_: arb, degree: int, cut: arb) -> arb:
    r"""The integral of y^m e^{-a y} from ``cut`` to infinity, for m = ``degree`` and a = ``rate_``.

    >>> bool(abs(_moment(arb(1), 1, arb(0)) - 1) < 1e-12)
    True
    """
    total, factor = arb(0), arb(1)
    for k in range(degree + 1):
        total += factor * cut ** (degree - k) / rate_ ** (k + 1)
        factor *= degree - k
    return (-rate_ * cut).exp() * total
