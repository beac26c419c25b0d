"""Normal forms of an expression: an element of a differential field, printed again.

Normal forms are exact. The budgets of `field` and limits of size bound the work, not a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number
from .field import Field
from .quotients import NotProvedError, Poly, Quotient, is_factored_quickly
from .reading import ArgumentReading
from .rules.radicals import conjugates, norm_of
from .tower import NowhereError, Tower

#: Polynomials are factored up to this number of terms, and this total degree.
MAX_TERMS, MAX_DEGREE = 60, 60


def normal_forms(
    expression: Expression, variable: str, kinds: Mapping[str, str]
) -> list[Expression]:
    """Rewrite an expression as a quotient of polynomials in exponentials, sines, roots, ...

    Args:
        expression: the expression.
        variable: the variable, which is real.
        kinds: assumptions on the other symbols; a symbol without an assumption is merely real.

    Returns:
        The quotient in lowest terms with expanded polynomials and, for small polynomials, in
        factors; nothing if a function has no rule, or the work budget is spent.

    """

    def forms(field: Field, value: Quotient) -> list[Expression]:
        trees = [field.tree(value)]
        if _is_small(value):
            trees.append(Call("div", (_factored(field, value.num), _factored(field, value.den))))
        return trees

    return _in_field(expression, variable, kinds, forms)


def slope_factors(expression: Expression, variable: str) -> list[Expression]:
    """Factors of a derivative; at the zeros of a factor, a real expression may touch zero.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    Returns:
        Factors that depend on the variable; an empty list if a function has no rule, or if the
        derivative is too large to be factored.

    """

    def factors(field: Field, value: Quotient) -> list[Expression]:
        slope = field.normal(field.derivative(value))
        if slope.is_zero() or not _is_small(slope):
            return []
        polys = (field.poly(factor) for factor, _ in slope.num.factor()[1])
        return [field.tree(poly) for poly in polys if not field.is_constant(poly)]

    return _in_field(expression, variable, {}, factors)


def has_no_zeros(expression: Expression, variable: str) -> bool:
    """Whether an expression divides a number: ``x + sqrt(x^2 + 1)`` does, by its conjugate.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    Returns:
        True for a divisor of a number; False says nothing.

    """

    def divisors(field: Field, value: Quotient) -> list[Expression]:
        num = value.num
        norms = (norm_of(field, num, conjugate) for conjugate in conjugates(field, num))
        divides = num.is_constant() or any(norm is not None for norm in norms)
        return [expression] if divides and not value.is_zero() else []

    return bool(_in_field(expression, variable, {}, divisors))


def squares(expression: Expression, variable: str) -> list[Expression]:
    """Squared factors of numerator and denominator that may vanish, as far as factoring shows.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    """

    def factors(field: Field, value: Quotient, times: int) -> list[Expression]:
        if value.is_zero() or not _is_small(value):
            return []
        terms = value.num, value.den
        polys = [p for poly in terms for p, power in poly.factor()[1] if power % times == 0]
        for sine in field.related if times == 2 else ():  # sin(x)^2 is 1 - cos(x)^2 in the field
            square = sine.element.num**sine.order - sine.relation
            if sine.partner and any((poly % square).is_zero() for poly in terms):
                polys.append(sine.element.num)
        return [
            field.tree(field.poly(poly))
            for poly in polys
            if not (field.is_positive(poly) or field.is_constant(field.poly(poly)))
        ]

    bases = [(expression, 2), *((base, 1) for base in _written_squares(expression))]
    return [
        factor
        for base, times in bases
        for factor in _in_field(base, variable, {}, partial(factors, times=times))
    ]


def _written_squares(expression: Expression) -> Iterator[Expression]:
    """The bases of even powers among the factors, which may be no squares in the field."""
    if expression.function in ("mul", "div", "neg"):
        for arg in expression.args:
            yield from _written_squares(arg)
    elif expression.function == "pow":
        exponent = fold(expression.args[1])
        if exponent is not None and exponent % 2 == 0:
            yield expression.args[0]


def _in_field(
    expression: Expression,
    variable: str,
    kinds: Mapping[str, str],
    use: Callable[[Field, Quotient], list[Expression]],
) -> list[Expression]:
    """Apply a function to an expression as an element of a field; [] without such an element."""
    reading = ArgumentReading(expression, expression)
    tower = Tower(Field(reading.size), variable, kinds)
    try:
        reading.note(tower, real_parts=False)
        return use(tower.field, tower.normal(tower.value(expression)))
    except (NowhereError, NotProvedError):
        return []


def _is_small(value: Quotient) -> bool:
    polys = (value.num, value.den)
    return all(
        len(p) <= MAX_TERMS and p.total_degree() <= MAX_DEGREE and is_factored_quickly(p)
        for p in polys
    )


def _factored(field: Field, poly: Poly) -> Expression:
    if poly.is_zero():
        return Number(0)
    constant, factors = poly.factor()
    trees: list[Expression] = [Number(int(constant.p), int(constant.q))]
    for factor, exponent in factors:
        tree = field.tree(field.poly(factor))
        trees.append(tree if exponent == 1 else Call("pow", (tree, Number(int(exponent)))))
    return Call("mul", tuple(trees)) if len(trees) > 1 else trees[0]
