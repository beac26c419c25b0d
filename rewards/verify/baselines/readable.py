"""The formulas that Lample and Charton's released code accepts before it calls SymPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ...reading.expression.tree import Call, Expression, Number

#: This many nested exponentials are refused.
MAX_NESTED = 4
#: A formula must be finite at one of these points.
POINTS = tuple(s * v for v in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 2.1, 3.1) for s in (1, -1))
_EXPONENTIALS = frozenset(("exp", "sinh", "cosh"))


def nested_exponentials(tree: Expression) -> int:
    if not isinstance(tree, Call):
        return 0
    deepest = max(map(nested_exponentials, tree.args), default=0)
    return deepest + (tree.function in _EXPONENTIALS)


def finite_somewhere(tree: Expression) -> bool:
    """Whether a rough evaluation of a formula gives a finite real number at one of `POINTS`.

    All symbols have the value of the point. pi and i count as 1. All functions except sqrt, exp,
    sinh and cosh count as the identity.
    """
    return any(math.isfinite(_value(tree, point)) for point in POINTS)


def _value(node: Expression, point: float) -> float:
    """Evaluate a formula roughly in floating point. An undefined value is nan or infinite."""
    if not isinstance(node, Call):
        if not isinstance(node, Number):
            return point
        try:
            return node.numerator / node.denominator
        except OverflowError:
            return math.inf
    args = [_value(arg, point) for arg in node.args]
    compute = _COMPUTE.get(node.function)
    if compute is None:
        return args[0] if args else _LETTERS.get(node.function, 1.0)
    try:
        value = compute(args)
        return value if isinstance(value, float) else math.nan
    except OverflowError:
        return math.inf
    except (ZeroDivisionError, ValueError):
        return math.nan


_LETTERS = {"e": math.e}
_COMPUTE: Mapping[str, Callable[[list[float]], float]] = {
    "add": sum,
    "mul": math.prod,
    "neg": lambda args: -args[0],
    "div": lambda args: args[0] / args[1],
    "pow": lambda args: args[0] ** args[1],
    "root": lambda args: args[0] ** (1 / args[1]),
    "sqrt": lambda args: math.sqrt(args[0]),
    "exp": lambda args: math.exp(args[0]),
    "sinh": lambda args: math.sinh(args[0]),
    "cosh": lambda args: math.cosh(args[0]),
}
