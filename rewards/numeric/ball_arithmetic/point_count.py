"""The number of sample points that an answer needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, fmpq

from ...reading.expression.tree import Expression, Number, Symbol
from .balls import Branch, Tape
from .domain import uniform
from .ranges import may_have_pole, never_vanishes

#: Sample points of an analytic answer, of one whose branches are fixed, and of any other.
ANALYTIC_POINTS, FIXED_BRANCH_POINTS, BRANCHING_POINTS = 4, 6, 16


def points_wanted(tape: Tape) -> int:
    """The number of sample points that an answer needs.

    More points are needed if a function in the answer may change its branch between points.
    """
    if tape.breaks:
        return BRANCHING_POINTS
    if not tape.branches:
        return ANALYTIC_POINTS
    return (
        FIXED_BRANCH_POINTS
        if all(has_fixed_branch(branch, tape.variable) for branch in tape.branches)
        else BRANCHING_POINTS
    )


def has_fixed_branch(branch: Branch, variable: str) -> bool:
    """Whether a branch can change only at an end of the real domain.

    The result is true if the argument of the branching function is linear. Three other arguments
    are allowed under a root: a quadratic polynomial without a double zero; a logarithm, sine or
    cosine of a linear function, whose zeros are simple; and any function that has neither zeros
    nor poles.
    """
    argument = branch.argument
    coefficients = polynomial(argument, variable)
    if coefficients is None and branch.root and argument.function in ("ln", "sin", "cos"):
        inner = polynomial(argument.args[0], variable)
        return inner is not None and bool(inner[0].is_zero())
    if coefficients is None:
        steady = never_vanishes(argument) and not may_have_pole(argument, variable)
        return branch.root and steady
    a, b, c = coefficients
    return bool(a.is_zero()) or (branch.root and not (b * b - 4 * a * c).contains(0))


#: The coefficients of x^2, x and 1, as real balls.
Coefficients = tuple[Any, Any, Any]
_ZERO = arb(0)


def polynomial(node: Expression, variable: str) -> Coefficients | None:
    """The coefficients of x^2, x and 1 in an expression, as real balls.

    The result is None if the expression is not a polynomial of degree 2 or less. Every parameter
    is replaced by an arbitrary value.
    """
    if isinstance(node, Number):
        return _ZERO, _ZERO, arb(fmpq(node.numerator, node.denominator))
    if isinstance(node, Symbol):
        is_variable = node.name == variable
        return (_ZERO, arb(1), _ZERO) if is_variable else _constant(0.5 + uniform(node.name))
    name = node.function
    if name == "pi":
        return _constant(arb.pi())
    if name not in ("add", "mul", "neg", "div", "pow"):
        return None
    operands = []
    for arg in node.args:
        coefficients = polynomial(arg, variable)
        if coefficients is None:
            return None
        operands.append(coefficients)
    if name == "add":
        return tuple(map(sum, zip(*operands, strict=True)))  # type: ignore[return-value]
    if name == "neg":
        a, b, c = operands[0]
        return -a, -b, -c
    if name == "mul":
        return _product(operands)
    top, (*slopes, bottom) = operands
    if not all(c.is_zero() for c in slopes) or bottom.contains(0):
        return None
    if name == "pow" and top[0].is_zero() and top[1].is_zero():
        value = top[2] ** bottom
        return _constant(value) if value.is_finite() else None
    if name == "div":
        return top[0] / bottom, top[1] / bottom, top[2] / bottom
    if bottom == 2:
        return _product([top, top])
    return top if bottom == 1 else None


def _constant(value: Any) -> Coefficients:
    return _ZERO, _ZERO, arb(value)


def _product(factors: Sequence[Coefficients]) -> Coefficients | None:
    a, b, c = factors[0]
    for p, q, r in factors[1:]:
        if not ((a * p).is_zero() and (a * q).is_zero() and (b * p).is_zero()):
            return None  # of degree 3 or 4
        a, b, c = a * r + b * q + c * p, b * r + c * q, c * r
    return a, b, c
