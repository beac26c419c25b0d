"""Zeros and poles of expressions with real parameters, by their values in a differential field."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from ...numeric.ball_arithmetic.ranges import may_have_pole
from ...reading.expression.build import mul, rational_power
from ...reading.expression.traversal import fold, is_constant
from ...reading.expression.tree import Call, Expression
from ..prover.factors import factored, norms
from ..prover.field import Field
from ..prover.normal import element, is_small
from ..prover.quotients import NotProvedError, Poly, Quotient


def slope_factors(expression: Expression, variable: str) -> list[Expression]:
    """The factors of an expression's derivative that depend on the variable.

    A factor is zero where the expression is zero without a change of sign (parameters are real).
    """
    with suppress(NotProvedError):
        field, value = element(expression, variable)
        slope = field.normal(field.derivative(value))
        polys = slope.num.factor()[1] if is_small(slope) and not slope.is_zero() else ()
        factors = [Quotient(poly) for poly, _ in polys]
        return [
            field.tree(factor)
            for factor in factors
            if not (field.is_constant(factor) or _is_exponential(field, factor.num))
        ]
    return []


def has_no_zeros(expression: Expression, variable: str) -> bool:
    """Whether an expression with real parameters has no zeros.

    This holds for a product of exponentials, and if a norm is a nonzero number. For example, the
    product of ``x + sqrt(x^2 + 1)`` with ``x - sqrt(x^2 + 1)`` is -1.
    """
    with suppress(NotProvedError):
        field, value = element(expression, variable)
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
        field, value = element(expression, variable)
        if is_small(value):
            factors = [Quotient(p) for side in (value.num, value.den) for p, _ in side.factor()[1]]
            return [field.tree(factor) for factor in factors if not field.is_constant(factor)]
    return []


def with_moduli(expression: Expression, variable: str) -> Expression:
    r"""Rewrite an expression, with ``|u|`` in place of roots of squares ``\sqrt{u^2}``.

    Both have the same values, and breaks where u is zero. Parameters are real.
    """
    if not isinstance(expression, Call):
        return expression
    args = tuple(with_moduli(arg, variable) for arg in expression.args)
    node = Call(expression.function, args)
    exponent = _exponent_of_root(node)
    if exponent is None or exponent.denominator % 2 or is_constant(args[0], variable):
        return node
    with suppress(NotProvedError):
        field, value = element(args[0], variable)
        moduli: list[Expression] = []
        square = field.ring.one
        for poly, sign in ((value.num, 1), (value.den, -1)) if is_small(value) else ():
            for base, e in factored(field, poly)[1]:
                factor = Quotient(base)
                if (e / 2).q == 1 and field.is_real(factor) and not field.is_positive(factor):
                    k = sign * int(e.p)
                    moduli.append(rational_power(Call("abs", (field.tree(factor),)), k * exponent))
                    square *= factor**k
        if moduli:
            radicand = field.tree(field.normal(value / square))
            return mul(*moduli, rational_power(radicand, exponent))
    return node


def _exponent_of_root(node: Call) -> Fraction | None:
    """The exponent of a radicand, as 1/2 of a square root, or None for other nodes."""
    if node.function == "sqrt":
        return Fraction(1, 2)
    if node.function not in ("root", "pow"):
        return None
    order = fold(node.args[1])
    return 1 / order if order and node.function == "root" else order


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
            field, value = element(base, variable)
            polys = (value.num, value.den) if is_small(value) and not value.is_zero() else ()
            for poly, e in (pair for p in polys for pair in factored(field, p)[1]):
                factor = Quotient(poly)
                may_vanish = not (field.is_positive(factor) or field.is_constant(factor))
                if may_vanish and (e / step).q == 1:
                    bases.append(field.tree(factor))
    return bases
