"""The codec of the released code, with SymPy: for models and data of the released code.

SymPy evaluates a formula on construction and sorts its arguments (`Basic.compare`: classes first,
then arguments). Tokens of published data have this order. Tokens are read as trees
(`benchmarks.lample_charton.codec.prefix`), so SymPy never parses text. The variable is real and
nonzero, as in the released code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....rewards.reading.expression.sympy_bridge import to_sympy
from ....rewards.reading.expression.sympy_text import read_sympy
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ....rewards.verify.baselines.readable import MAX_NESTED, finite_somewhere, nested_exponentials
from ...algebra.normal_form import UnusableFormulaError
from .prefix import MAX_DEPTH, PrefixError, Tokens, from_prefix, to_prefix
from .vocabulary import COEFFICIENTS, VARIABLES

if TYPE_CHECKING:
    import sympy

#: SymPy's assumption on every symbol, which implies real.
ASSUMPTIONS = dict.fromkeys((*VARIABLES, *COEFFICIENTS), "nonzero")


class InvalidError(UnusableFormulaError):
    """A formula refused by the released code."""


def sympy_prefix(expr: sympy.Expr) -> Tokens:
    """The tokens of a SymPy expression, arguments in SymPy's order.

    Raises:
        PrefixError: a function or symbol has no token, or the formula is too large or too deep.

    """
    return to_prefix(_tree(expr, MAX_DEPTH))


def _tree(expr: Any, depth: int) -> Expression:
    """A SymPy expression with SymPy's arguments; nodes without tokens are refused later."""
    if not depth:
        raise PrefixError(f"nested deeper than {MAX_DEPTH} levels")
    if expr.is_Symbol:
        return Symbol(expr.name)
    if expr.is_Rational:
        return Number(int(expr.p), int(expr.q))
    name = type(expr).__name__
    return Call(_NAMES.get(name, name), tuple(_tree(arg, depth - 1) for arg in expr.args))


_NAMES = {
    **{"Add": "add", "Mul": "mul", "Pow": "pow", "log": "ln", "Abs": "abs", "sign": "sgn"},
    **{"Exp1": "e", "Pi": "pi", "ImaginaryUnit": "i"},
}


def sympy_from_prefix(tokens: Sequence[str]) -> sympy.Expr:
    """The formula of tokens as SymPy evaluates it.

    Raises:
        PrefixError: the tokens are no formula.
        InvalidError: the released code refuses the formula.

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
    """A tree as evaluated by SymPy.

    Raises:
        InvalidError: the released code refuses the formula.

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
    """Refuse the formulas that the released code refuses before any call of SymPy.

    Refused formulas have four nested exponentials, or are finite at none of a few points.

    Raises:
        InvalidError: the formula is refused.

    """
    if nested_exponentials(tree) >= MAX_NESTED:
        raise InvalidError(f"{MAX_NESTED} nested exponentials")
    if not finite_somewhere(tree):
        raise InvalidError("finite at none of the points")
