r"""Bounds of an expression over the whole line, by interval arithmetic in floats.

The bounds are coarse and quick to compute, but show that ``x^4 + 9`` or ``2 + \sin x``
never vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS

Range = tuple[float, float]
INFINITE: Range = (-math.inf, math.inf)

_FIXED = {f.name: f.range for f in RECORDS.values() if f.range}


def bounds(node: Expression) -> Range:
    """A lower and an upper bound of an expression, for all real values of its symbols.

    Values of the symbols for which the expression is not real are disregarded.
    """
    if isinstance(node, Number):
        try:
            value = node.numerator / node.denominator
        except OverflowError:
            return INFINITE
        return value, value
    if isinstance(node, Symbol):
        return INFINITE
    if node.function in _FIXED:
        return _FIXED[node.function]
    rule = _RULES.get(node.function)
    return rule(node) if rule else INFINITE


def never_vanishes(node: Expression) -> bool:
    """Whether interval arithmetic shows that the expression is bounded away from zero."""
    low, high = bounds(node)
    return low > 1e-9 or high < -1e-9


def _sum(node: Call) -> Range:
    low = high = 0.0
    for arg in node.args:
        a, b = bounds(arg)
        low, high = low + a, high + b
    return low, high


def _negative(node: Call) -> Range:
    low, high = bounds(node.args[0])
    return -high, -low


def _times(first_range: Range, second_range: Range) -> Range:
    ends = [0.0 if not (a and b) else a * b for a in first_range for b in second_range]
    return min(ends), max(ends)


def _product(node: Call) -> Range:
    result = (1.0, 1.0)
    for arg in node.args:
        result = _times(result, bounds(arg))
    return result


def _quotient(node: Call) -> Range:
    low, high = bounds(node.args[1])
    if low <= 0.0 <= high:
        return INFINITE
    return _times(bounds(node.args[0]), (1.0 / high, 1.0 / low))


def _power(node: Call) -> Range:
    exponent = fold(node.args[1])
    low, high = bounds(node.args[0])
    if exponent is None or exponent <= 0:
        return (0.0, math.inf) if low >= 0.0 else INFINITE
    if low < 0.0:
        if exponent.denominator != 1 or exponent % 2:
            return INFINITE
        nearest = 0.0 if high >= 0.0 else -high
        return _raised(nearest, float(exponent)), _raised(max(-low, high), float(exponent))
    return _raised(low, float(exponent)), _raised(high, float(exponent))


def _raised(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def _root(node: Call) -> Range:
    low, high = bounds(node.args[0])
    return math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0))


def _exponential(node: Call) -> Range:
    low, high = bounds(node.args[0])
    return _raised(math.e, low), _raised(math.e, high)


_RULES: dict[str, Callable[[Call], Range]] = {
    "add": _sum,
    "neg": _negative,
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "sqrt": _root,
    "exp": _exponential,
}
