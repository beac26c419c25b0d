"""The codec of the released code, which uses SymPy: for models and data of that code.

SymPy evaluates a formula on construction and sorts its arguments (`Basic.compare`: classes first,
then arguments). Tokens of published data have that order. Tokens are read as trees
(`benchmarks.lample_charton.codec.prefix`), so SymPy never parses text. The variable is real and
nonzero, as in that code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....rewards.baselines.readable import MAX_NESTED, finite_somewhere, nested_exponentials
from ....rewards.expression.sympy_bridge import to_sympy
from ....rewards.expression.sympy_text import read_sympy
from ....rewards.expression.tree import Expression
from .prefix import PrefixError, Tokens, folded, from_prefix
from .vocabulary import COEFFICIENTS, OPERATORS, VARIABLES

if TYPE_CHECKING:
    import sympy

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

    These have four nested exponentials, or are finite at none of a few points.

    Raises:
        InvalidError: if the formula is refused.

    """
    if nested_exponentials(tree) >= MAX_NESTED:
        raise InvalidError(f"{MAX_NESTED} nested exponentials")
    if not finite_somewhere(tree):
        raise InvalidError("finite at none of the points")
