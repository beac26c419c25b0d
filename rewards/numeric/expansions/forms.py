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
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import ClassVar

from flint import acb, arb, fmpq, fmpq_poly

from ...reading.expression.build import ONE, PI, ZERO, add, div, mul, neg, number, power
from ...reading.expression.linear import NotLinearError, linear
from ...reading.expression.traversal import fold, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ..ball_arithmetic.balls import UnusableError
from ..ball_arithmetic.evaluation import evaluate
from ..ball_arithmetic.jets import Ball
from . import models
from .functions import FORMULAS, Expander, formula_at
from .models import NoModelError, TaylorModel

#: Most terms that a product is multiplied out to, three by four; longer products are one term.
MAX_TERMS = 12
#: Symbols that stand for the slowly varying factor of a model.
MARK = "@"
#: Formulas for all arguments. The value 1 of tanh and coth at infinity becomes a term of its own.
_FORMULAS = {
    **FORMULAS,
    "tanh": "1 - 2/(exp(2*u) + 1)",
    "coth": "1 + 2/(exp(2*u) - 1)",
    "asin": "atan(u/sqrt(1 - u**2))",
}

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


def single(constant: Expression) -> Exponent:
    """A constant as an exponent."""
    ratio = fold(constant)
    return ((constant, Fraction(1)),) if ratio is None else _exponent({ONE: ratio})


def rate(exponent: Exponent) -> Expression:
    """An exponent as an expression."""
    return add(*(mul(number(q), key) for key, q in exponent))


@dataclass(slots=True)
class FormExpander(Expander[Form]):
    """Writes expressions in x as forms in y. A form is a sum of terms e^{-v y} r(y), and x itself
    is given as a form.

    Attributes:
        variable: the name of y.
        substituted: the name of x, and the form of x, which is substituted for x.
        values: the values of parameters.
        varying: names of other symbols that are not constants.
        models: the power-series models made so far, by the names of their symbols.
        holomorphic: a function that computes constants which depend on a complex parameter; None if
            there is no such parameter.

    """

    formulas: ClassVar = _FORMULAS
    variable: str
    substituted: tuple[str, Form]
    values: Mapping[str, Ball]
    varying: frozenset[str] = frozenset()
    models: dict[str, TaylorModel] = field(default_factory=dict)
    holomorphic: Callable[[Expression], Ball] | None = None
    expansions: dict[Expression, Form] = field(default_factory=dict)

    def varies(self, node: Expression) -> bool:
        return self.substituted[0] in symbols_of(node)

    def leaf(self, node: Expression) -> Form:
        if self.varies(node):
            return self.substituted[1]
        is_fixed = symbols_of(node).isdisjoint(self.varying)
        return self._constant(node) if is_fixed else [Term((), node)]

    def expression(self, form: Form) -> Expression:
        """Convert a form (a sum of terms) to an expression in y."""
        return self._sum_of(self.terms(form), ())

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
            return evaluate(node, self.values)
        except UnusableError:
            raise NoModelError("a constant without a value") from None

    def _constant(self, node: Expression) -> Form:
        value = self.value(node)
        if self.holomorphic is None and value.imag.contains(0):
            value = acb(value.real)
        elif self.holomorphic is None or not value.is_finite():
            raise NoModelError("a constant that is not real")
        if value.is_zero():
            return [Term((), ZERO)]
        return models.constant(value, exact_value(node), node)

    def add(self, *forms: Form) -> Form:
        total: list[Term] = []
        model: TaylorModel | None = None
        for form in forms:
            if not isinstance(form, TaylorModel):
                total += form
                continue
            try:
                model = form if model is None else models.add(model, form)
                if model is None:
                    total.append(Term((), ZERO))
            except NoModelError:
                total += self.terms(form)
        total = [term for term in total if term.factor != ZERO]
        if not total:
            return model if model is not None else [Term((), ZERO)]
        if model is not None:
            total += self.terms(model)
        grouped: dict[Exponent, list[Expression]] = {}
        for term in total:
            grouped.setdefault(term.exponent, []).append(term.factor)
        sums = [Term(exponent, _sum(factors)) for exponent, factors in grouped.items()]
        return [term for term in sums if term.factor != ZERO] or [Term((), ZERO)]

    def neg(self, a: Form) -> Form:
        return self.mul(self._constant(Number(-1)), a)

    def mul(self, *factors: Form) -> Form:
        return reduce(self._mul, factors)

    def _mul(self, a: Form, b: Form) -> Form:
        if isinstance(a, TaylorModel) and isinstance(b, TaylorModel):
            return models.mul(a, b)
        a_terms, b_terms = self.terms(a), self.terms(b)
        if len(a_terms) * len(b_terms) > MAX_TERMS:
            a_terms, b_terms = [self._as_term(a_terms)], [self._as_term(b_terms)]
        return self.add(
            [
                Term(plus(s.exponent, t.exponent), mul(s.factor, t.factor))
                for s in a_terms
                for t in b_terms
            ]
        )

    def _as_term(self, terms: list[Term]) -> Term:
        """Combine a sum of terms into a single term: the largest exponential times one factor."""
        if len(terms) == 1:
            return terms[0]
        slowest = min(terms, key=lambda term: float(self.value(rate(term.exponent)).real.mid()))
        return Term(slowest.exponent, self._sum_of(terms, slowest.exponent))

    def _sum_of(self, terms: list[Term], exponent: Exponent) -> Expression:
        """A sum of terms, divided by the exponential with an exponent."""
        y = Symbol(self.variable)
        factors: list[Expression] = []
        for term in terms:
            v = rate(plus(term.exponent, exponent, -1))
            exponential = ONE if v == ZERO else Call("exp", (mul(neg(v), y),))
            factors.append(mul(exponential, term.factor))
        return add(*factors)

    def raised(self, form: Form, exponent: Expression) -> Form:
        ratio = fold(exponent)
        exponent = exponent if ratio is None else number(ratio)
        if isinstance(form, TaylorModel):
            with suppress(NoModelError):
                return models.power(form, self.value(exponent) if ratio is None else ratio)
        term = self._as_term(self.terms(form))
        if ratio is not None:
            scaled = _exponent({key: q * ratio for key, q in term.exponent})
        else:
            scaled = _exponent({mul(key, exponent): q for key, q in term.exponent})
        factor = term.factor if term.factor == ONE else power(term.factor, exponent)
        if ratio == -1:
            factor = div(ONE, term.factor)
        return [Term(scaled, factor)]

    def exp(self, form: Form) -> Form:
        if isinstance(form, TaylorModel):
            with suppress(NoModelError):
                return models.apply("exp", form)
        exponent: Exponent = ()
        remainder: list[Term] = []
        for term in self.terms(form):
            for addend in term.factor.args if term.factor.function == "add" else (term.factor,):
                slope = None if term.exponent else self._slope(addend)
                if slope is None:
                    remainder.append(Term(term.exponent, addend))
                else:
                    exponent = plus(exponent, single(slope), -1)
        if not remainder:
            return [Term(exponent, ONE)]
        inner = self.add(remainder)
        with suppress(NoModelError):
            model = models.apply("exp", self._small(self.terms(inner)))
            return self.mul([Term(exponent, ONE)], model) if exponent else model
        return [Term(exponent, Call("exp", (self.expression(inner),)))]

    def _small(self, terms: list[Term]) -> TaylorModel:
        """Write a sum of terms c u^p (constant c, p >= 0) as one power series."""
        forms: list[Form] = []
        for term in terms:
            if [key for key, _ in term.exponent] != [ONE] or self.is_variable(term.factor):
                raise NoModelError("not a power of u")
            power_ = models.monomial(1, term.exponent[0][1], arb(1))
            forms.append(self.mul(self._constant(term.factor), power_))
        total = self.add(*forms)
        if not isinstance(total, TaylorModel):
            raise NoModelError("no power series")
        return total

    def _slope(self, addend: Expression) -> Expression | None:
        """The constant c of an expression c y. For any other expression, the result is None."""
        try:
            constant, terms = linear(addend, (self.variable,))
        except NotLinearError:
            return None
        if len(terms) != 1 or mul(constant) != ZERO or self.is_variable(terms[0][0]):
            return None
        return mul(terms[0][0])

    def is_variable(self, node: Expression) -> bool:
        """Whether a factor of a term depends on y."""
        return any(
            name == self.variable or name.startswith(MARK) or name in self.varying
            for name in symbols_of(node)
        )

    def ln(self, form: Form) -> Form:
        if isinstance(form, TaylorModel) and not form.valuation:
            with suppress(NoModelError):
                return models.apply("ln", form)
        term = self._as_term(self.terms(form))
        linear_part = Term((), mul(neg(rate(term.exponent)), Symbol(self.variable)))
        factor = term.factor
        inner: Form = [Term((), Call("ln", (factor,)))]
        model = self.models.get(factor.name) if isinstance(factor, Symbol) else None
        if model is not None:
            with suppress(NoModelError):
                inner = self.terms(models.apply("ln", replace(model, valuation=Fraction(0))))
        return [linear_part] if factor == ONE else self.add([linear_part], inner)

    def function(self, node: Call) -> Form:
        forms = [self.expand(arg) for arg in node.args]
        model = forms[0]
        if len(forms) == 1 and isinstance(model, TaylorModel):
            formula = self._formula_at(node, model)
            if formula is not None:
                return self.expand(formula)
            with suppress(NoModelError):
                return models.apply(node.function, model)
        return [Term((), Call(node.function, tuple(self.expression(form) for form in forms)))]

    @staticmethod
    def _formula_at(node: Call, argument: TaylorModel) -> Expression | None:
        """A formula for arctangents at infinity, and for gamma functions at 0."""
        if node.function == "atan" and argument.valuation < 0:
            leading = argument.series[0].real
            sign = int(leading > 0) - int(leading < 0)
            return formula_at(node, sign, None) if sign else None
        if node.function in ("gamma", "lgamma") and argument.valuation > 0:
            return formula_at(node, 0, 0)
        return None


def _sum(factors: list[Expression]) -> Expression:
    """Add factors. All rational addends are combined into one number."""
    flat = [addend for f in factors for addend in (f.args if f.function == "add" else (f,))]
    ratios = [fold(addend) for addend in flat]
    total = sum((ratio for ratio in ratios if ratio is not None), Fraction(0))
    irrational = (addend for addend, ratio in zip(flat, ratios, strict=True) if ratio is None)
    return add(*irrational, number(total))


def exact_value(node: Expression) -> fmpq_poly | None:
    """A constant as a polynomial in pi with rational coefficients, if written in this form."""
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
