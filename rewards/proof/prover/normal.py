"""Normal forms: an expression is converted to an element of a differential field and back.

Where a function has no rule, or a budget is spent, nothing is returned. The variable is real, and
so are parameters without an assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from ...numeric.ball_arithmetic.ranges import may_have_pole
from ...reading.expression.build import power, product
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number
from .factors import factored, norms
from .field import Field
from .quotients import NotProvedError, Poly, Quotient, is_factored_quickly
from .tower import attempted

#: Polynomials are factored up to this number of terms, and this total degree. Of 4649 answers in
#: tests/rewards/cases the longest has 14 terms. FLINT factors a product with such bounds in 2 ms.
MAX_TERMS, MAX_DEGREE = 60, 60


def normal_forms(
    expression: Expression, variable: str, assumptions: Mapping[str, str]
) -> list[Expression]:
    """An expression as a quotient of expanded polynomials in exponentials, sines, roots, ...

    If the polynomials are small, a second form has factored polynomials.
    """
    with suppress(NotProvedError):
        field, value = _element(expression, variable, assumptions)
        trees = [field.tree(value)]
        if _is_small(value):
            trees.append(Call("div", (_factored(field, value.num), _factored(field, value.den))))
        return trees
    return []


def slope_factors(expression: Expression, variable: str) -> list[Expression]:
    """The factors of an expression's derivative that depend on the variable.

    A factor is zero where the expression is zero without a change of sign (parameters are real).
    """
    with suppress(NotProvedError):
        field, value = _element(expression, variable)
        slope = field.normal(field.derivative(value))
        polys = slope.num.factor()[1] if _is_small(slope) and not slope.is_zero() else ()
        elements = [Quotient(poly) for poly, _ in polys]
        return [
            field.tree(element)
            for element in elements
            if not (field.is_constant(element) or _is_exponential(field, element.num))
        ]
    return []


def has_no_zeros(expression: Expression, variable: str) -> bool:
    """Whether an expression with real parameters has no zeros.

    This holds for a product of exponentials, and if a norm is a nonzero number. For example, the
    product of ``x + sqrt(x^2 + 1)`` with ``x - sqrt(x^2 + 1)`` is -1.
    """
    with suppress(NotProvedError):
        field, value = _element(expression, variable)
        if _is_exponential(field, value.num) and _is_exponential(field, value.den):
            return True
        polys = (value.num, *(field.reduce(norm) for _, _, norm in norms(field, value.num)))
        is_unit = any(_is_exponential(field, poly) for poly in polys)
        return is_unit and not may_have_pole(expression, variable)  # 1/gamma(x) is 0 at poles
    return False


def _is_exponential(field: Field, poly: Poly) -> bool:
    """Whether a polynomial is a number, not zero, or a number times powers of exponentials."""
    is_monomial = len(poly) == 1
    return is_monomial and all(g.function == "exp" for g in field.used(Quotient(poly)))


def zeros_and_poles(expression: Expression, variable: str) -> list[Expression]:
    """Factors that include all zeros and poles of an expression, or none if these are unknown."""
    with suppress(NotProvedError):
        field, value = _element(expression, variable)
        if _is_small(value):
            factors = [Quotient(p) for side in (value.num, value.den) for p, _ in side.factor()[1]]
            return [field.tree(factor) for factor in factors if not field.is_constant(factor)]
    return []


def squares(expression: Expression, variable: str) -> list[Expression]:
    """The factors of an expression that have even exponents and may be zero somewhere.

    Such a power stands in the expression, where a field may not show the power, or comes from a
    factorization. All parameters are real.
    """
    bases: list[Expression] = []
    nodes = [expression]
    for node in nodes:
        nodes += node.args if node.function in ("mul", "div", "neg") else ()
    written = [p.args[0] for p in nodes if p.function == "pow" and (fold(p.args[1]) or 1) % 2 == 0]
    for base, step in [(expression, 2), *((base, 1) for base in written)]:
        with suppress(NotProvedError):
            field, value = _element(base, variable)
            polys = (value.num, value.den) if _is_small(value) and not value.is_zero() else ()
            for poly, e in (pair for p in polys for pair in factored(field, p)[1]):
                factor = Quotient(poly)
                may_vanish = not (field.is_positive(factor) or field.is_constant(factor))
                if may_vanish and (e / step).q == 1:
                    bases.append(field.tree(factor))
    return bases


def _element(
    expression: Expression, variable: str, assumptions: Mapping[str, str] | None = None
) -> tuple[Field, Quotient]:
    state = {"variable": variable, "assumptions": assumptions or {}}
    tower, element = attempted(lambda t: t.field.normal(t.value(expression)), **state)
    if element is None:
        raise NotProvedError("no element of a field")
    return tower.field, element


def _is_small(value: Quotient) -> bool:
    return all(
        len(p) == 1
        or (len(p) <= MAX_TERMS and p.total_degree() <= MAX_DEGREE and is_factored_quickly(p))
        for p in (value.num, value.den)
    )


def _factored(field: Field, poly: Poly) -> Expression:
    number, factors = (0, []) if poly.is_zero() else poly.factor()
    powers = [power(field.tree(Quotient(factor)), Number(int(e))) for factor, e in factors]
    return product([field.tree(field.ring.one * number), *powers])
