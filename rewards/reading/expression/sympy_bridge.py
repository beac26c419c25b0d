"""Conversion of expression trees to SymPy and back, without text in between.

SymPy is imported when a function of this module is called; the verifier does not need SymPy. Both
directions raise a `ValueError` in two cases: a function has no counterpart, or SymPy's evaluation
of the formula would not end (``9^{9^9}``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..functions import CONSTANTS, FACTORIALS, GAMMA, RECORDS, names
from .build import fraction, number, rational_power
from .formulas import definition_of
from .infix import LIST
from .sympy_text import BY_COUNT, SAME, SPECIAL, TRUE, piecewise
from .tree import Call, Expression, Number, Symbol

if TYPE_CHECKING:
    import sympy

#: Deeper trees are refused; what the reader lets through is far below.
MAX_DEPTH = 250
#: Bits of the longest number that a power or a factorial may come to.
MAX_BITS = 1 << 16
#: SymPy writes orthogonal polynomials and the like out; the largest order for which it may.
MAX_ORDER = 64

#: Functions whose first argument is an order for which SymPy may write out a polynomial.
_ORDERED = names(lambda function: function.arguments.startswith(("n ", "s ")))
_FACTORIALS = frozenset(f.name for f in (*FACTORIALS, *GAMMA) if f.arguments.startswith("u"))


# --- to SymPy ---


def to_sympy(expression: Expression, assumptions: Mapping[str, str] | None = None) -> sympy.Expr:
    """Convert a tree to a SymPy expression. SymPy evaluates the expression automatically.

    Args:
        expression: the tree.
        assumptions: a dictionary from names of symbols to SymPy's assumptions, such as
            ``{"a": "positive"}``. Other symbols have no assumptions. Roots are principal, as always
            in SymPy.

    Raises:
        ValueError: SymPy lacks a function of the tree, or evaluation would not end.

    >>> to_sympy(Call("sin", (Symbol("x"),)))
    sin(x)

    """
    try:
        return _to_sympy(expression, dict(assumptions or {}), MAX_DEPTH)
    except (TypeError, ArithmeticError, AttributeError, RecursionError) as error:
        # SymPy refuses it, such as an order between complex numbers.
        raise ValueError(f"SymPy cannot express it: {error}") from None


def _to_sympy(node: Expression, assumptions: dict[str, str], depth: int) -> Any:
    import sympy

    if isinstance(node, Number):
        return sympy.Rational(node.numerator, node.denominator)
    if isinstance(node, Symbol):
        assumption = assumptions.get(node.name)
        return sympy.Symbol(node.name, **({assumption: True} if assumption else {}))
    if not depth:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    args = [_to_sympy(arg, assumptions, depth - 1) for arg in node.args]
    name = node.function
    if not node.args and name in SAME:
        return getattr(sympy, SAME[name])
    _check_size(name, args)
    if name not in _BUILDERS and name not in SAME:
        definition = definition_of(node) if name in RECORDS else None
        if definition is None:
            raise ValueError(f"SymPy has no function for {name!r}")
        return _to_sympy(definition, assumptions, depth - 1)
    build = _BUILDERS.get(name) or getattr(sympy, SAME[name])
    value = build(*args)
    infinite = (sympy.zoo, sympy.nan, sympy.oo, sympy.S.NegativeInfinity)
    if any(argument in infinite for argument in (value, *value.args)):
        raise ValueError(f"{name} has no finite value here")
    return value


def _check_size(name: str, args: Sequence[Any]) -> None:
    """Refuse a power that SymPy would evaluate to an enormous number or polynomial."""
    if name in _ORDERED and args[0].is_number and abs(args[0]) > MAX_ORDER:
        raise ValueError(f"{name} of an order as large as {args[0]} cannot be handed to SymPy")
    if name in _FACTORIALS and any(arg.is_Rational and abs(arg) > MAX_BITS // 16 for arg in args):
        raise ValueError(f"{name} of an argument this large cannot be handed to SymPy")


def _power(base: Any, exponent: Any) -> Any:
    import sympy

    if base.is_Rational and exponent.is_Rational:
        bits = max(abs(base.p), base.q).bit_length()
        if bits > 1 and bits * abs(exponent) > MAX_BITS:
            raise ValueError("a power of numbers this large cannot be handed to SymPy")
    elif exponent.is_Integer and abs(exponent) > MAX_BITS and base.is_number:
        raise ValueError("a power of numbers this large cannot be handed to SymPy")
    return sympy.Pow(base, exponent)


def _piecewise(*args: Any) -> Any:
    import sympy

    pairs = list(zip(args[::2], args[1::2], strict=False))
    if len(args) % 2:
        pairs.append((args[-1], True))
    return sympy.Piecewise(*pairs)


def _hypgeom(p: Any, q: Any, *args: Any) -> Any:
    import sympy

    upper, lower = int(p), int(q)
    if len(args) != upper + lower + 1:
        raise ValueError("hypgeom: the numbers of parameters do not fit its arguments")
    return sympy.hyper(args[:upper], args[upper : upper + lower], args[-1])


def _beta_lower(a: Any, b: Any, x: Any) -> Any:
    import sympy

    return sympy.betainc(a, b, 0, x)


_BUILDERS: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "div": lambda x, y: x / y,
    "pow": _power,
    "root": lambda x, n: _power(x, 1 / n),
    "piecewise": _piecewise,
    "hypgeom": _hypgeom,
    "beta_lower": _beta_lower,
}


# --- from SymPy ---


def from_sympy(expr: Any) -> Expression:
    """Convert a SymPy expression to a tree. Terms and factors have the order of SymPy's printer.

    A negative power becomes a quotient, and ``exp_polar`` becomes ``exp``. A floating-point number
    becomes the decimal fraction that SymPy prints. If a subexpression, such as an unevaluated
    integral, cannot be translated, a `ValueError` names the subexpression.
    """
    try:
        return _from_sympy(expr, {}, MAX_DEPTH)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _from_sympy(expr: Any, names: dict[str, Any], depth: int) -> Expression:
    import sympy

    if not depth:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if not isinstance(expr, sympy.Basic):
        raise ValueError(f"not a SymPy expression: {type(expr).__name__}")
    if expr.is_Symbol:
        if names.setdefault(expr.name, expr) != expr:
            raise ValueError(f"two different symbols are called {expr.name!r}")
        return Symbol(expr.name)
    if expr.is_Rational or (expr.is_Float and expr.is_finite):
        return number(Fraction(str(expr)))

    def tree(child: Any) -> Expression:
        return _from_sympy(child, names, depth - 1)

    if expr.is_Add:
        return Call("add", tuple(map(tree, expr.as_ordered_terms())))
    if expr.is_Mul:
        return _from_product(expr, tree)
    if expr.is_Pow:
        return _from_power(expr.base, expr.exp, tree)
    constant = _constants().get(expr)
    if constant is not None:
        return constant
    kind, count = type(expr).__name__, len(expr.args)
    if kind in _SPECIAL:
        return _SPECIAL[kind](expr.args, tree)
    if (kind, count) in SPECIAL:
        return SPECIAL[kind, count](tuple(map(tree, expr.args)))
    by_count = _functions().get(type(expr), {})
    name = by_count.get(count, by_count.get(None))
    if name is None:
        raise ValueError(f"cannot translate SymPy's {kind}")
    return Call(name, tuple(map(tree, expr.args)))


def _from_product(expr: Any, tree: Callable[[Any], Expression]) -> Expression:
    coefficient, factors = expr.as_coeff_Mul(rational=True)
    numerator_factors: list[Expression] = []
    denominator_factors: list[Expression] = []
    for factor in factors.as_ordered_factors() if factors != 1 else ():
        if factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
            denominator_factors.append(_from_power(factor.base, -factor.exp, tree))
        else:
            numerator_factors.append(tree(factor))
    return fraction(
        Fraction(int(coefficient.p), int(coefficient.q)), numerator_factors, denominator_factors
    )


def _from_power(base: Any, exponent: Any, tree: Callable[[Any], Expression]) -> Expression:
    if exponent.is_Rational:
        return rational_power(tree(base), Fraction(int(exponent.p), int(exponent.q)))
    return Call("pow", (tree(base), tree(exponent)))


@lru_cache(maxsize=1)
def _constants() -> dict[Any, Expression]:
    import sympy

    constants: dict[Any, Expression] = {
        getattr(sympy, SAME[constant.name]): Call(constant.name) for constant in CONSTANTS
    }
    golden = Call("div", (Call("add", (Number(1), Call("sqrt", (Number(5),)))), Number(2)))
    return {**constants, sympy.S.GoldenRatio: golden}


@lru_cache(maxsize=1)
def _functions() -> dict[Any, dict[int | None, str]]:
    """Map SymPy's classes and numbers of arguments to names of functions in trees.

    The key None means any number of arguments.
    """
    import sympy

    functions: dict[Any, dict[int | None, str]] = {}
    for ours, theirs in SAME.items():
        target = getattr(sympy, theirs)
        if isinstance(target, type):
            count = RECORDS[ours].arity[0] if theirs in BY_COUNT else None
            functions.setdefault(target, {})[count] = ours
    functions[sympy.exp_polar] = {None: "exp"}
    return functions


_Tree = Callable[[Any], Expression]


def _from_polygamma(args: Sequence[Any], tree: _Tree) -> Expression:
    if args[0] == 0:
        return Call("digamma", (tree(args[1]),))
    return Call("polygamma", tuple(map(tree, args)))


def _from_piecewise(args: Sequence[Any], tree: _Tree) -> Expression:
    import sympy

    return piecewise(
        Call(LIST, (tree(value), TRUE if condition == sympy.true else tree(condition)))
        for value, condition in args
    )


def _from_hyper(args: Sequence[Any], tree: _Tree) -> Expression:
    upper, lower, argument = args
    counts = (Number(len(upper)), Number(len(lower)))
    return Call("hypgeom", (*counts, *map(tree, upper), *map(tree, lower), tree(argument)))


_SPECIAL: dict[str, Callable[[Sequence[Any], _Tree], Expression]] = {
    "polygamma": _from_polygamma,
    "Piecewise": _from_piecewise,
    "hyper": _from_hyper,
}
