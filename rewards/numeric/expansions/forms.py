"""Writes real functions of y as sums of terms e^{-v y} r(y), for the behaviour as y grows.

Such a sum is called a form. A subexpression that is analytic in u = e^{-y} becomes a model
(`models`). The form has a power of u times a new symbol with bounded values in its place. The
logarithm of a model is linear in y. Hyperbolic functions are rewritten in exponentials. An
exponential of a linear function is a term of its own. The exponents v are exact: 1 - 10^{-6}
differs from 1, and exponents cancel exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from flint import acb, arb, fmpq, fmpq_poly

from ...reading.expression.build import ONE, PI, TWO, E, add, div, mul, neg, number, power
from ...reading.expression.formulas import definition_of
from ...reading.expression.traversal import fold, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import QUOTIENTS
from ..ball_arithmetic.balls import UnusableError
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.jets import ZERO, Ball
from . import models
from .models import NoModelError, TaylorModel

#: Most terms that a product is multiplied out to, three by four; longer products are one term.
MAX_TERMS = 12
#: Symbols that stand for the slowly varying factor of a model.
MARK = "@"

#: v as a sum of constants times rational numbers; the constant 1 is the number 1.
Exponent = tuple[tuple[Expression, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Term:
    """The term e^{-v y} r(y). ``exponent`` is v, and ``factor`` is r."""

    exponent: Exponent
    factor: Expression


Form = TaylorModel | list[Term]


def _exponent(terms: Mapping[Expression, Fraction]) -> Exponent:
    return tuple(sorted(((key, q) for key, q in terms.items() if q), key=repr))


def plus(a: Exponent, b: Exponent, sign: int = 1) -> Exponent:
    coefficients = dict(a)
    for key, q in b:
        coefficients[key] = coefficients.get(key, Fraction(0)) + sign * q
    return _exponent(coefficients)


def rate(exponent: Exponent) -> Expression:
    """An exponent as an expression."""
    return add(*(mul(number(q), key) for key, q in exponent))


def _exponential(exponent: Exponent, variable: str) -> Expression:
    if not exponent:
        return ONE
    return Call("exp", (mul(neg(rate(exponent)), Symbol(variable)),))


@dataclass(slots=True)
class Expander:
    """Writes expressions in x as forms in y. A form is a sum of terms e^{-v y} r(y), and x itself
    is given as a form.

    Attributes:
        variable: the name of y.
        given: the name of x, and the form of x.
        values: the values of parameters.
        varying: names of other symbols that are not constants.
        models: the power-series models made so far, by the names of their symbols.
        holomorphic: a function that computes constants which depend on a complex parameter; None if
            there is no such parameter.

    """

    variable: str
    given: tuple[str, Form]
    values: Mapping[str, Ball]
    varying: frozenset[str] = frozenset()
    models: dict[str, TaylorModel] = field(default_factory=dict)
    holomorphic: Callable[[Expression], Ball] | None = None

    def form(self, node: Expression) -> Form:
        """Write an expression as a form: a sum of terms e^{-v y} r(y), or a power series."""
        if isinstance(node, Symbol) and node.name == self.given[0]:
            return self.given[1]
        names = symbols_of(node)
        if self.given[0] not in names:
            return [Term((), node)] if names & self.varying else self._constant(node)
        if not isinstance(node, Call):
            raise NoModelError(node.function)
        if node.function in ("add", "neg", "mul", "div"):
            return self._arithmetic(node)
        return self._elementary(node)

    def _arithmetic(self, node: Call) -> Form:
        """Write a sum, a negative, a product or a quotient as a sum of terms."""
        name, args = node.function, node.args
        if name == "add":
            return self._add([self.form(arg) for arg in args])
        if name == "neg":
            return self.product(self._constant(Number(-1)), self.form(args[0]))
        if name == "mul":
            # constants together, so that 2 a of 2 a x is one exact slope
            fixed = [arg for arg in args if self._is_fixed(arg)]
            result = self._constant(mul(*fixed)) if fixed else None
            for arg in args:
                if arg not in fixed:
                    form = self.form(arg)
                    result = form if result is None else self.product(result, form)
            return result if result is not None else self._constant(node)
        return self.product(self.form(args[0]), self._power(self.form(args[1]), Number(-1)))

    def _elementary(self, node: Call) -> Form:
        """Write a power, an exponential, a logarithm or another function as a sum of terms."""
        name, args = node.function, node.args
        if name == "sqrt":
            return self._power(self.form(args[0]), Number(1, 2))
        if name == "root":
            return self._power(self.form(args[0]), Call("div", (ONE, args[1])))
        if name == "exp" or (name == "pow" and args[0] == E):
            return self._exp(self.form(args[-1]))
        if name == "pow":
            if self.given[0] in symbols_of(args[1]):
                return self._exp(self.form(mul(args[1], Call("ln", (args[0],)))))
            return self._power(self.form(args[0]), args[1])
        if name == "ln":
            return self._ln(self.form(args[0]))
        if name == "log":
            return self.form(div(Call("ln", (args[0],)), Call("ln", (args[1],))))
        if name in _REWRITTEN:
            return self.form(_REWRITTEN[name](args[0]))
        if name in QUOTIENTS and (quotient := definition_of(node)) is not None:
            return self.form(quotient)
        return self._apply(name, [self.form(arg) for arg in args])

    def _is_fixed(self, node: Expression) -> bool:
        names = symbols_of(node)
        return self.given[0] not in names and not names & self.varying

    def expression(self, form: Form) -> Expression:
        """Convert a form (a sum of terms) to an expression in y."""
        return add(
            *(
                mul(_exponential(term.exponent, self.variable), term.factor)
                for term in self.terms(form)
            )
        )

    def terms(self, form: Form) -> list[Term]:
        """Convert a form, which may be a power series, to a list of terms."""
        if not isinstance(form, TaylorModel):
            return form
        if form.written is not None:
            return [Term((), form.written)]
        exponent = _exponent({ONE: form.valuation})
        if form.is_power and form.at_zero is not None:
            powers = (
                mul(Number(int(c.p), int(c.q)), power(PI, Number(k)))
                for k, c in enumerate(form.at_zero.coeffs())
            )
            return [Term(exponent, add(*powers))]
        for name, model in self.models.items():
            if model is form:
                return [Term(exponent, Symbol(name))]
        name = f"{MARK}{self.variable}{len(self.models)}"
        self.models[name] = form
        return [Term(exponent, Symbol(name))]

    def value(self, node: Expression) -> Ball:
        """Compute the value of a constant expression."""
        if self.holomorphic is not None:
            return self.holomorphic(node)
        try:
            tape = compile_tape(node, "")
            return tape.run(ZERO, self.values, derivative=False)[tape.root][0]
        except (UnusableError, KeyError):
            raise NoModelError("a constant without a value") from None

    def _constant(self, node: Expression) -> Form:
        value = self.value(node)
        if self.holomorphic is None and value.imag.contains(0):
            value = acb(value.real)
        elif self.holomorphic is None or not value.is_finite():
            raise NoModelError("a constant that is not real")
        if value.is_zero():
            return [Term((), Number(0))]
        return models.constant(value, exact_value(node), node)

    def _add(self, forms: list[Form]) -> Form:
        total: list[Term] = []
        model: TaylorModel | None = None
        for form in forms:
            if not isinstance(form, TaylorModel):
                total += form
                continue
            try:
                model = form if model is None else models.add(model, form)
                if model is None:
                    total.append(Term((), Number(0)))
            except NoModelError:
                total += self.terms(form)
        total = [term for term in total if term.factor != Number(0)]
        if not total:
            return model if model is not None else [Term((), Number(0))]
        if model is not None:
            total += self.terms(model)
        grouped: dict[Exponent, list[Expression]] = {}
        for term in total:
            grouped.setdefault(term.exponent, []).append(term.factor)
        sums = [Term(exponent, _sum(factors)) for exponent, factors in grouped.items()]
        return [term for term in sums if term.factor != Number(0)] or [Term((), Number(0))]

    def product(self, a: Form, b: Form) -> Form:
        if isinstance(a, TaylorModel) and isinstance(b, TaylorModel):
            return models.mul(a, b)
        a_terms, b_terms = self.terms(a), self.terms(b)
        if len(a_terms) * len(b_terms) > MAX_TERMS:
            a_terms, b_terms = [self._as_term(a_terms)], [self._as_term(b_terms)]
        return self._add(
            [
                [Term(plus(s.exponent, t.exponent), mul(s.factor, t.factor))]
                for s in a_terms
                for t in b_terms
            ]
        )

    def _as_term(self, terms: list[Term]) -> Term:
        """Combine a sum of terms into a single term: the largest exponential times one factor."""
        if len(terms) == 1:
            return terms[0]
        slowest = min(terms, key=lambda term: float(self.value(rate(term.exponent)).real.mid()))
        factors = [
            mul(_exponential(plus(t.exponent, slowest.exponent, -1), self.variable), t.factor)
            for t in terms
        ]
        return Term(slowest.exponent, add(*factors))

    def _power(self, form: Form, exponent: Expression) -> Form:
        ratio = fold(exponent)
        if isinstance(form, TaylorModel):
            try:
                return models.power(form, self.value(exponent) if ratio is None else ratio)
            except NoModelError:
                pass
        term = self._as_term(self.terms(form))
        if ratio is not None:
            scaled = _exponent({key: q * ratio for key, q in term.exponent})
        elif all(key == ONE for key, _ in term.exponent):
            scaled = _exponent({exponent: sum((q for _, q in term.exponent), Fraction(0))})
        else:
            return [Term((), power(self.expression([term]), exponent))]
        factor = term.factor if term.factor == ONE else power(term.factor, exponent)
        if ratio == -1:
            factor = div(ONE, term.factor)
        return [Term(scaled, factor)]

    def _exp(self, form: Form) -> Form:
        if isinstance(form, TaylorModel):
            try:
                return models.apply("exp", form)
            except NoModelError:
                form = self.terms(form)
        exponent: Exponent = ()
        remainder: list[Term] = []
        for term in form:
            slope = None if term.exponent else self._slopes(term.factor)
            if slope is None:
                remainder.append(term)
            else:
                exponent = plus(exponent, slope[0])
                remainder += [Term((), addend) for addend in slope[1]]
        inner = self._add([remainder]) if remainder else []
        if not remainder:
            return [Term(exponent, ONE)]
        small = self._small(self.terms(inner))
        if small is not None:
            with suppress(NoModelError):
                model = models.apply("exp", small)
                return self.product([Term(exponent, ONE)], model) if exponent else model
        return [Term(exponent, Call("exp", (self.expression(inner),)))]

    def _small(self, terms: list[Term]) -> TaylorModel | None:
        """Write a sum of terms c u^p (constant c, p >= 0) as one power series, or return None."""
        total: TaylorModel | None = None
        for term in terms:
            if [key for key, _ in term.exponent] != [ONE] or self.varies(term.factor):
                return None
            factor = self._constant(term.factor)
            power_ = models.monomial(1, term.exponent[0][1], arb(1))
            if not isinstance(factor, TaylorModel) or power_.valuation < 0:
                return None
            model = models.mul(factor, power_)
            with suppress(NoModelError):
                total = model if total is None else models.add(total, model)
                continue
            return None
        return total

    def _slopes(self, factor: Expression) -> tuple[Exponent, list[Expression]] | None:
        """Split a sum into -v y and its other addends. Return v and a list of the others."""
        addends = factor.args if factor.function == "add" else (factor,)
        exponent: Exponent = ()
        remainder: list[Expression] = []
        for addend in addends:
            slope = self._slope(addend)
            if slope is None:
                remainder.append(addend)
                continue
            ratio = fold(slope)
            term_exponent: dict[Expression, Fraction] = {slope: Fraction(-1)}
            if ratio is not None:
                term_exponent = {ONE: -ratio}
            exponent = plus(exponent, _exponent(term_exponent))
        return exponent, remainder

    def _slope(self, addend: Expression) -> Expression | None:
        """The constant c of an expression c y. For any other expression, the result is None."""
        y = Symbol(self.variable)
        if addend == y:
            return ONE
        name, args = addend.function, addend.args
        if name == "neg":
            inner = self._slope(args[0])
            return None if inner is None else neg(inner)
        if name == "mul" and args.count(y) == 1:
            constants = [arg for arg in args if arg != y]
            if not any(self.varies(arg) for arg in constants):
                return mul(*constants)
        if name == "div" and not self.varies(args[1]):
            inner = self._slope(args[0])
            return None if inner is None else div(inner, args[1])
        return None

    def varies(self, node: Expression) -> bool:
        return any(
            name == self.variable or name.startswith(MARK) or name in self.varying
            for name in symbols_of(node)
        )

    def _ln(self, form: Form) -> Form:
        if isinstance(form, TaylorModel):
            if not form.valuation:
                try:
                    return models.apply("ln", form)
                except NoModelError:
                    pass
            form = self.terms(form)
        term = self._as_term(form)
        y = Symbol(self.variable)
        linear = mul(neg(rate(term.exponent)), y) if term.exponent else Number(0)
        if term.factor == ONE:
            return [Term((), linear)]
        inner = self._inner_ln(term.factor)
        return self._add([[Term((), linear)], inner])

    def _inner_ln(self, factor: Expression) -> Form:
        model = self.models.get(factor.name) if isinstance(factor, Symbol) else None
        if model is not None:
            try:
                parts = model.series, model.bound, model.radius, model.at_zero
                unit = TaylorModel(Fraction(0), *parts)
                return self.terms(models.apply("ln", unit))
            except NoModelError:
                pass
        return [Term((), Call("ln", (factor,)))]

    def _apply(self, name: str, forms: list[Form]) -> Form:
        if name == "atan" and isinstance(forms[0], TaylorModel) and forms[0].valuation < 0:
            # arctan z = pi/2 - arctan(1/z) for z > 0, and the same with -pi/2 for z < 0
            leading = forms[0].series[0].real
            if leading > 0 or leading < 0:
                inner = self._apply("atan", [models.power(forms[0], Fraction(-1))])
                turn = div(PI, TWO) if leading > 0 else neg(div(PI, TWO))
                minus = self.product(self._constant(Number(-1)), inner)
                return self._add([self._constant(turn), minus])
        order = forms[0].valuation if isinstance(forms[0], TaylorModel) else 0
        if name in ("gamma", "lgamma") and order > 0:
            # Gamma(z) = Gamma(1 + z) / z
            shifted = self._apply(name, [self._add([self._constant(ONE), forms[0]])])
            if name == "gamma":
                return self.product(shifted, self._power(forms[0], Number(-1)))
            return self._add(
                [shifted, self.product(self._constant(Number(-1)), self._ln(forms[0]))]
            )
        if len(forms) == 1 and isinstance(forms[0], TaylorModel):
            try:
                return models.apply(name, forms[0])
            except NoModelError:
                pass
        return [Term((), Call(name, tuple(self.expression(form) for form in forms)))]


def _sum(factors: list[Expression]) -> Expression:
    """Add factors. All rational addends are combined into one number."""
    flat = [addend for f in factors for addend in (f.args if f.function == "add" else (f,))]
    total, symbolic = Fraction(0), []
    for addend in flat:
        ratio = fold(addend)
        if ratio is None:
            symbolic.append(addend)
        else:
            total += ratio
    return add(*symbolic, number(total))


def exact_value(node: Expression) -> fmpq_poly | None:
    """A constant as a polynomial in pi with rational coefficients, if it is written as one."""
    ratio = fold(node)
    if ratio is not None:
        return fmpq_poly([fmpq(ratio.numerator, ratio.denominator)])
    if node == PI:
        return fmpq_poly([0, 1])
    values = [value for arg in node.args if (value := exact_value(arg)) is not None]
    if not values or len(values) < len(node.args):
        return None
    if node.function == "add":
        return sum(values, fmpq_poly([0]))
    if node.function == "neg":
        return -values[0]
    if node.function == "mul":
        return prod(values, start=fmpq_poly([1]))
    if node.function == "div" and values[1].degree() == 0:
        return values[0] / values[1][0]
    return None


def linear_in_pi(node: Expression) -> tuple[Fraction, Fraction] | None:
    """Return rational a and b if a constant has the form a + b pi. Other constants give None."""
    exact = exact_value(node)
    if exact is None or exact.degree() > 1:
        return None
    a, b = (Fraction(int(c.p), int(c.q)) for c in (exact[0], exact[1]))
    return a, b


def _exp(z: Expression) -> Expression:
    return Call("exp", (z,))


def _tanh(z: Expression) -> Expression:
    return add(ONE, neg(div(TWO, add(_exp(mul(TWO, z)), ONE))))


def _coth(z: Expression) -> Expression:
    return add(ONE, div(TWO, add(_exp(mul(TWO, z)), Number(-1))))


def _logarithmic(sign: int) -> Callable[[Expression], Expression]:
    """Make the function ln(z + sqrt(z^2 + sign)). Sign 1 gives asinh, and sign -1 gives acosh."""
    return lambda z: Call("ln", (add(z, Call("sqrt", (add(power(z, TWO), Number(sign)),))),))


def _asin(z: Expression) -> Expression:
    cosine = Call("sqrt", (add(ONE, neg(power(z, TWO))),))
    return Call("atan", (div(z, cosine),))


def _atanh(z: Expression) -> Expression:
    return div(Call("ln", (div(add(ONE, z), add(ONE, neg(z))),)), TWO)


_REWRITTEN: dict[str, Callable[[Expression], Expression]] = {
    "sinh": lambda z: div(add(_exp(z), neg(_exp(neg(z)))), TWO),
    "cosh": lambda z: div(add(_exp(z), _exp(neg(z))), TWO),
    "tanh": _tanh,
    "coth": _coth,
    "asin": _asin,
    "acos": lambda z: add(div(PI, TWO), neg(_asin(z))),
    "asinh": _logarithmic(1),
    "acosh": _logarithmic(-1),
    "atanh": _atanh,
}
