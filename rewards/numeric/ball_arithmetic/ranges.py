r"""Bounds of an expression over the whole line, by interval arithmetic in floats.

The bounds are coarse and quick to compute, but show that ``x^4 + 9`` or ``2 + \sin x``
never vanishes. A bound that is not exact is rounded outward: the floats of ``10^17 + 9 - 10^17``
add up to 16.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

from ...reading.expression.traversal import all_nodes, fold, is_constant
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS, names

Range = tuple[float, float]
INFINITE: Range = (-math.inf, math.inf)
#: The least positive float, in place of a product or power that is too small for a float.
_TINY = math.ulp(0.0)

#: Functions with poles on the real line, also of an argument that is written first (zeta of s).
_WITH_POLES = names(lambda function: bool(function.poles))
_RANGES = {f.name: f.range for f in RECORDS.values() if f.range}


def bounds(node: Expression) -> Range:
    """A lower and an upper bound of an expression, for all real values of its symbols.

    Values of the symbols for which the expression is not real are disregarded.
    """
    if isinstance(node, Number):
        try:
            value = node.numerator / node.denominator
        except OverflowError:
            return INFINITE
        if value.as_integer_ratio() == (node.numerator, node.denominator):
            return value, value
        value = value or math.copysign(_TINY, node.numerator)
        return _outward(value, value)
    if isinstance(node, Symbol):
        return INFINITE
    if node.function in _RANGES:
        return _RANGES[node.function]
    rule = _RULES.get(node.function)
    return rule(node) if rule else INFINITE


def never_vanishes(node: Expression) -> bool:
    """Whether interval arithmetic shows that the expression is bounded away from zero."""
    low, high = bounds(node)
    return low > 1e-9 or high < -1e-9


def may_have_pole(expression: Expression, variable: str) -> bool:
    """Whether an expression may have a pole on the real line, by its form and by the bounds."""
    return any(_has_pole(node, variable) for node in all_nodes(expression))


def _has_pole(node: Expression, variable: str) -> bool:
    if node.function not in ("div", "pow"):
        return node.function in _WITH_POLES
    base, exponent = node.args
    if node.function == "pow" and (ratio := fold(exponent)) is not None and ratio >= 0:
        return False
    divisor = exponent if node.function == "div" else base
    return not (is_constant(divisor, variable) or never_vanishes(divisor))


def _outward(low: float, high: float) -> Range:
    """A range that contains the exact bounds. The arguments are rounded bounds; zeros are exact."""
    return (
        low and math.nextafter(low, -math.inf),
        high and math.nextafter(high, math.inf),
    )


def _sum(node: Call) -> Range:
    low = high = 0.0
    for arg in node.args:
        a, b = bounds(arg)
        low, high = _added(low, a, -math.inf), _added(high, b, math.inf)
    return low, high


def _added(a: float, b: float, toward: float) -> float:
    total = a + b
    return total if total - a == b and total - b == a else math.nextafter(total, toward)


def _negative(node: Call) -> Range:
    low, high = bounds(node.args[0])
    return -high, -low


def _times(first_range: Range, second_range: Range) -> Range:
    ends = [
        a * b or math.copysign(_TINY, a) * math.copysign(1.0, b) if a and b else 0.0
        for a in first_range
        for b in second_range
    ]
    return _outward(min(ends), max(ends))


def _product(node: Call) -> Range:
    return reduce(_times, map(bounds, node.args))


def _quotient(node: Call) -> Range:
    low, high = bounds(node.args[1])
    if low <= 0.0 <= high:
        return INFINITE
    return _times(bounds(node.args[0]), _outward(1.0 / high, 1.0 / low))


def _power(node: Call) -> Range:
    exponent = fold(node.args[1])
    low, high = bounds(node.args[0])
    if exponent is None or exponent <= 0:
        return (0.0, math.inf) if low >= 0.0 else INFINITE
    if low < 0.0:
        if exponent.denominator != 1 or exponent % 2:
            return INFINITE
        low, high = (0.0 if high >= 0.0 else -high), max(-low, high)
    return _raised((low, high), bounds(node.args[1]))


def _raised(base: Range, exponent: Range) -> Range:
    """The range of a power. A power is monotone in the base and in the exponent."""
    ends = [_corner(b, e) for b in base for e in exponent]
    return _outward(min(ends), max(ends))


def _corner(base: float, exponent: float) -> float:
    try:
        return float(base**exponent) or (_TINY if base else 0.0)
    except OverflowError:
        return math.inf


def _root(node: Call) -> Range:
    low, high = bounds(node.args[0])
    return _outward(math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0)))


def _exponential(node: Call) -> Range:
    return _raised(_RANGES["e"], bounds(node.args[0]))


_RULES: dict[str, Callable[[Call], Range]] = {
    "add": _sum,
    "neg": _negative,
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "sqrt": _root,
    "exp": _exponential,
}
