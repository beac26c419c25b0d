"""Normal forms: an expression is converted to an element of a differential field and back.

A normal form is exactly equal to the expression. The budgets of `field` and limits on sizes bound
the work. No clock is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number
from .factors import conjugates, factored
from .field import Field
from .quotients import Poly, Quotient, is_factored_quickly, product
from .tower import Tower, attempted

#: Polynomials are factored up to this number of terms, and this total degree. Of 4649 answers in
#: tests/rewards/cases the longest has 14 terms. FLINT factors a product with such bounds in 2 ms.
MAX_TERMS, MAX_DEGREE = 60, 60


def normal_forms(
    expression: Expression, variable: str, kinds: Mapping[str, str]
) -> list[Expression]:
    """Rewrite an expression as a quotient of polynomials in exponentials, sines, roots, ...

    Args:
        expression: the expression.
        variable: the variable, which is real.
        kinds: assumptions about the other symbols. A symbol without an assumption is real.

    Returns:
        The quotient in lowest terms with expanded polynomials. If the polynomials are small, a
        second form has factored polynomials. If a function has no rule, or if the work budget is
        spent, the list is empty.

    """

    def forms(field: Field, value: Quotient) -> list[Expression]:
        trees = [field.tree(value)]
        if _is_small(value):
            trees.append(Call("div", (_factored(field, value.num), _factored(field, value.den))))
        return trees

    return _in_field(expression, variable, kinds, forms)


def slope_factors(expression: Expression, variable: str) -> list[Expression]:
    """The factors of an expression's derivative.

    A real expression may be zero at a point without changing its sign there. At such a point, one
    of the returned factors is zero.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    Returns:
        The factors that depend on the variable. If a function has no rule, or if the derivative is
        too large to be factored, the list is empty.

    """

    def factors(field: Field, value: Quotient) -> list[Expression]:
        slope = field.normal(field.derivative(value))
        if slope.is_zero() or not _is_small(slope):
            return []
        polys = (field.poly(factor) for factor, _ in slope.num.factor()[1])
        return [field.tree(poly) for poly in polys if not field.is_constant(poly)]

    return _in_field(expression, variable, {}, factors)


def has_no_zeros(expression: Expression, variable: str) -> bool:
    """Whether an expression is proved to have no zeros.

    The proof shows that the product of the expression and another one is a nonzero number. For
    example, ``x + sqrt(x^2 + 1)`` has no zeros, because its product with the conjugate ``x -
    sqrt(x^2 + 1)`` is -1.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    Returns:
        True if such a product was found. If the result is False, the expression may or may not have
        zeros.

    """

    def divisors(field: Field, value: Quotient) -> list[Expression]:
        num = value.num
        norms = (field.reduce(product(num, conjugate)) for _, conjugate in conjugates(field, num))
        divides = any(norm.is_constant() and not norm.is_zero() for norm in (num, *norms))
        return [expression] if divides else []

    return bool(_in_field(expression, variable, {}, divisors))


def squares(expression: Expression, variable: str) -> list[Expression]:
    """The factors of an expression that have even exponents and may be zero somewhere.

    The search covers powers in the expression as written, and powers that a factorization yields.

    Args:
        expression: the expression; all parameters are real.
        variable: the variable.

    """

    def factors(field: Field, value: Quotient, times: int) -> list[Expression]:
        if value.is_zero() or not _is_small(value):
            return []
        terms = value.num, value.den
        polys = [p for poly in terms for p, e in factored(field, poly)[1] if (e / times).q == 1]
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
    """Yield the base of each written factor that is an even power.

    The search uses the expression as written. After the conversion to an element of a field, a
    power may no longer be visible as a square.
    """
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
    """Convert an expression to an element of a field, and apply a function to the element.

    If the conversion or the function fails, the result is an empty list.
    """

    def settled(tower: Tower) -> list[Expression]:
        value = tower.normal(tower.value(expression))
        tower.refuse_coarse_units()
        return use(tower.field, value)

    return attempted(settled, variable=variable, kinds=kinds)[1] or []


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
