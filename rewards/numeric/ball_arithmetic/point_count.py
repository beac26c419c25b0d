"""The number of sample points that an answer needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...reading.expression.traversal import may_have_pole
from ...reading.expression.tree import Expression, Number, Symbol
from .balls import Branch, Tape
from .domain import uniform
from .ranges import never_vanishes

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
    are allowed under a root: a quadratic polynomial without a double zero, a logarithm of a
    linear function, and any function that has neither zeros nor poles.
    """
    argument = branch.argument
    coefficients = polynomial(argument, variable)
    if coefficients is None and branch.root and argument.function == "ln":
        logarithm_argument = polynomial(argument.args[0], variable)
        return logarithm_argument is not None and logarithm_argument[0] == 0.0
    if coefficients is None:
        steady = never_vanishes(argument) and not may_have_pole(argument, variable)
        return branch.root and steady
    a, b, c = coefficients
    if a == 0.0:
        return True
    scale = b * b + abs(4 * a * c)
    return branch.root and abs(b * b - 4 * a * c) > 1e-9 * scale


def polynomial(node: Expression, variable: str) -> tuple[float, float, float] | None:
    """The coefficients of x^2, x and 1 in an expression, as floats.

    The result is None if the expression is not a polynomial of degree 2 or less. Every parameter
    is replaced by an arbitrary value.
    """
    if isinstance(node, Number):
        try:
            return 0.0, 0.0, node.numerator / node.denominator
        except OverflowError:
            return None
    if isinstance(node, Symbol):
        return (0.0, 1.0, 0.0) if node.name == variable else (0.0, 0.0, 0.5 + uniform(node.name))
    name = node.function
    if name == "pi":
        return 0.0, 0.0, math.pi
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
    top, bottom = operands
    if bottom[0] or bottom[1] or not bottom[2]:
        return None
    if name == "pow" and not (top[0] or top[1]):
        return _constant_power(top[2], bottom[2])
    if name == "div":
        return top[0] / bottom[2], top[1] / bottom[2], top[2] / bottom[2]
    if bottom[2] == 2.0:
        return _product([top, top])
    return top if bottom[2] == 1.0 else None


def _constant_power(base: float, exponent: float) -> tuple[float, float, float] | None:
    try:
        value = base**exponent
    except (OverflowError, ZeroDivisionError):
        return None
    return (0.0, 0.0, value) if isinstance(value, float) else None


def _product(factors: Sequence[tuple[float, float, float]]) -> tuple[float, float, float] | None:
    a, b, c = factors[0]
    for p, q, r in factors[1:]:
        if (a and (p or q)) or (b and p):
            return None
        a, b, c = a * r + b * q + c * p, b * r + c * q, c * r
    return a, b, c
