r"""Equations with an indefinite integral times a varying factor: ``\int f dx = h \int g dx``.

All terms are moved to one side: S + h G = 0. Here G is the integral with the varying factor h, and
S is the sum of the other terms. The derivatives S' and G' = g are known formulas. The functions S
and G are known up to a constant. Differentiation of S / h = -G gives S' h - S h' = -g h^2. Hence S
= (S' h + g h^2) / h' for every choice of the constants. The equation is wrong if the quotient's
derivative is not S'.
"""

from __future__ import annotations

from dataclasses import replace

from ....reading.expression.build import ZERO, add, div, mul, neg, power
from ....reading.expression.linear import linear
from ....reading.expression.traversal import size, symbols_of
from ....reading.expression.tree import Expression, Number
from ..extents import NotReadError
from ..operations import Integral, Side
from ..scope import Equation
from ..substitution import MOST_NODES, slope_of


class VaryingFactorError(NotReadError):
    """An indefinite integral is multiplied by a factor with a variable."""


def without_integrals(equation: Equation) -> Equation:
    """Derive a necessary condition of an equation, without integrals.

    An integral in the equation has a varying factor. The module's docstring explains the
    condition.

    Raises:
        NotReadError: several integrals have varying factors, or a side has an operation other than
            indefinite integration over the variable of the equation.

    """
    # Collect the terms of both sides: S' of the terms without a varying factor, and the factors
    # whose sum is h.
    variable, slopes = equation.variable, list[Expression]()
    varying: dict[tuple[Expression, str], list[Expression]] = {}
    for side, sign in ((equation.lhs, 1), (equation.rhs, -1)):
        summand, terms = linear(side.expression, side.operations.keys())
        slopes.append(mul(Number(sign), slope_of(summand, variable)))
        for factor, name in terms:
            integral = side.operations[name]
            signed = mul(Number(sign), factor)
            if not isinstance(integral, Integral) or (integral.variable, integral.limits) != (
                variable,
                None,
            ):
                raise NotReadError("a varying factor beside another variable")
            if symbols_of(integral.integrand) & side.operations.keys():
                raise NotReadError("an integral within another")
            if variable in symbols_of(factor):
                varying.setdefault((integral.integrand, name), []).append(signed)
            else:
                slopes.append(mul(signed, integral.integrand))
    if len(varying) != 1:
        raise NotReadError("varying factors of several integrals")
    (((integrand, _), factors),) = varying.items()
    # The condition says that (S' h + g h^2) / h' has the derivative S'.
    slope, factor = add(*slopes), add(*factors)
    factor_slope = slope_of(factor, variable)
    if factor_slope == ZERO:
        raise NotReadError("a factor of an integral that does not vary")
    moved = add(mul(slope, factor), mul(integrand, power(factor, Number(2))))
    condition = add(slope_of(div(moved, factor_slope), variable), neg(slope))
    if size(condition) > MOST_NODES:
        raise NotReadError("a condition that grows too large")
    return replace(equation, lhs=Side(condition, {}), rhs=Side(ZERO, {}), rates={})
