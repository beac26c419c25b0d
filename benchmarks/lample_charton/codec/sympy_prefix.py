"""The codec of the released code, which uses SymPy: for models and data of that code.

SymPy evaluates a formula on construction and sorts its arguments (`Basic.compare`: classes first,
then arguments). Tokens of published data have that order. Tokens are read as trees
(`benchmarks.lample_charton.codec.prefix`), so SymPy never parses text. The variable is real and
nonzero, as in that code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....rewards.expression.sympy_bridge import to_sympy
from ....rewards.expression.sympy_text import read_sympy
from ....rewards.expression.tree import Call, Expression, Number
from .prefix import PrefixError, Tokens, folded, from_prefix
from .vocabulary import COEFFICIENTS, OPERATORS, VARIABLES

if TYPE_CHECKING:
    import sympy

#: A formula must be finite at one of these points.
POINTS = tuple(s * v for v in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 2.1, 3.1) for s in (1, -1))
#: This many nested exponentials are refused.
MAX_NESTED = 4
_GROWING = frozenset(("exp", "sinh", "cosh"))
#: SymPy's assumption on every symbol, which implies that it is real.
ASSUMPTIONS = dict.fromkeys((*VARIABLES, *COEFFICIENTS), "nonzero")


class InvalidError(ValueError):
    """A formula that the released code refuses."""


def sympy_prefix(expr: sympy.Expr) -> Tokens:
    """The tokens of a SymPy expression, arguments in SymPy's order."""
    return tuple(_tokens(expr))


def _tokens(expr: Any) -> list[str]:
    import sympy

    if expr.is_Symbol:
        if expr.name not in ASSUMPTIONS:
            raise PrefixError(f"no token for the symbol {expr.name!r}")
        return [expr.name]
    if expr.is_Integer:
        return ["INT-" if expr < 0 else "INT+", *str(abs(expr))]
    if expr.is_Rational:
        return ["div", *_tokens(sympy.Integer(expr.p)), *_tokens(sympy.Integer(expr.q))]
    name = type(expr).__name__
    if name in _CONSTANTS:
        return [_CONSTANTS[name]]
    parts = [_tokens(arg) for arg in expr.args]
    if expr.is_Add or expr.is_Mul:
        return folded("add" if expr.is_Add else "mul", parts)
    if expr.is_Pow:
        return ["sqrt", *parts[0]] if expr.exp == sympy.S.Half else ["pow", *parts[0], *parts[1]]
    token = _NAMES.get(name, name)
    if OPERATORS.get(token) != len(parts):
        raise PrefixError(f"no token for SymPy's {name}")
    return [token, *(token for part in parts for token in part)]


_CONSTANTS = {"Exp1": "E", "Pi": "pi", "ImaginaryUnit": "I"}
_NAMES = {"log": "ln", "Abs": "abs"}


def sympy_from_prefix(tokens: Sequence[str]) -> sympy.Expr:
    """The formula of tokens as SymPy evaluates it.

    Raises:
        PrefixError: if the tokens are not a formula.
        InvalidError: if the released code refuses it.

    """
    return sympy_of(from_prefix(tokens))


def sympy_from_infix(text: str) -> sympy.Expr:
    """The formula of infix text, as in parallel exports; raises as `sympy_from_prefix`."""
    try:
        return sympy_of(read_sympy(text))
    except InvalidError:
        raise
    except ValueError as error:
        raise PrefixError(str(error)) from None


def sympy_of(tree: Expression) -> sympy.Expr:
    """A tree as SymPy evaluates it.

    Raises:
        InvalidError: if the released code refuses it.

    """
    import sympy

    check(tree)
    try:
        expr = to_sympy(tree, ASSUMPTIONS)
    except ValueError as error:
        raise InvalidError(str(error)) from None
    if expr.has(sympy.I, sympy.AccumBounds, sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise InvalidError("not a finite real formula")
    return expr


def check(tree: Expression) -> None:
    """Refuse the formulas that the released code refuses before it calls SymPy.

    These have four nested exponentials, or are finite at none of `POINTS` if all functions but
    sqrt, exp, sinh and cosh are replaced by the identity.

    Raises:
        InvalidError: if the formula is refused.

    """
    if _nesting(tree) >= MAX_NESTED:
        raise InvalidError(f"{MAX_NESTED} nested exponentials")
    if not any(math.isfinite(_value(tree, point)) for point in POINTS):
        raise InvalidError("finite at none of the points")


def _nesting(node: Expression) -> int:
    if not isinstance(node, Call):
        return 0
    return max(map(_nesting, node.args), default=0) + (node.function in _GROWING)


def _value(node: Expression, point: float) -> float:
    """A value in floating point; nan or an infinity if there is none."""
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
