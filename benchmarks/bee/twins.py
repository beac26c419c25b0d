"""Trigonometric and hyperbolic twins: what becomes of a formula when x is replaced by ix.

sin(ix) = i sinh x, cos(ix) = cosh x and so on, so that a formula of one parity stays real or
becomes i times a real one; `rotate` keeps account of that factor and gives up on a mixture.
"""

from __future__ import annotations

from ...rewards.expression.tree import Call, Expression, Number, Symbol
from ..expressions import add, div, mul, neg, power, walk

#: At an imaginary argument iv: the twin, and the factor as a power of i.
_TWINS = {
    "sin": ("sinh", 1),
    "cos": ("cosh", 0),
    "tan": ("tanh", 1),
    "cot": ("coth", 3),
    "sec": ("sech", 0),
    "csc": ("csch", 3),
    "sinh": ("sin", 1),
    "cosh": ("cos", 0),
    "tanh": ("tan", 1),
    "coth": ("cot", 3),
    "sech": ("sec", 0),
    "csch": ("csc", 3),
    "asin": ("asinh", 1),
    "atan": ("atanh", 1),
    "acot": ("acoth", 3),
    "asinh": ("asin", 1),
    "atanh": ("atan", 1),
    "acoth": ("acot", 3),
    "abs": ("abs", 0),
}


class _MixedError(Exception):
    """Neither real nor imaginary on the imaginary axis, or not known."""


def twin(
    integrand: Expression, antiderivative: Expression, variable: str = "x"
) -> tuple[Expression, Expression] | None:
    """The twin integral with its antiderivative; None if there is none, or it has no function that
    the rotation changes.
    """
    try:
        turns, f = rotate(integrand, variable)
        turns_of_antiderivative, big_f = rotate(antiderivative, variable)
    except _MixedError:
        return None
    # The derivative of F(ix) is i f(ix).
    turns = (turns + 1) % 4
    if (turns - turns_of_antiderivative) % 2 or not _functions(f) - _functions(integrand):
        return None
    return f, neg(big_f) if (turns - turns_of_antiderivative) % 4 else big_f


def _functions(tree: Expression) -> set[str]:
    return {node.function for node in walk(tree) if isinstance(node, Call)} & _TWINS.keys()


def rotate(tree: Expression, variable: str) -> tuple[int, Expression]:
    """``tree`` at i times the variable, as i to a power times a real tree."""
    if isinstance(tree, Number):
        return 0, tree
    if isinstance(tree, Symbol):
        return int(tree.name == variable), tree
    name = tree.function
    inner = [rotate(arg, variable) for arg in tree.args]
    turns, args = [turn for turn, _ in inner], [arg for _, arg in inner]
    if name == "i":
        raise _MixedError
    if name == "mul":
        return _even(sum(turns), mul(*args))
    if name == "div":
        return _even(turns[0] - turns[1], div(*args))
    if name == "neg":
        return turns[0], neg(args[0])
    if name == "add":
        if len(set(turns)) > 1:
            raise _MixedError
        return turns[0], add(*args)
    if name == "pow" and turns[0]:
        exponent = tree.args[1]
        if not isinstance(exponent, Number) or exponent.denominator != 1:
            raise _MixedError
        return _even(turns[0] * exponent.numerator, power(args[0], exponent))
    if not any(turns):
        return 0, Call(name, tuple(args))
    if name not in _TWINS:
        raise _MixedError
    other, more = _TWINS[name]
    return _even(more, Call(other, tuple(args)))


def _even(turns: int, tree: Expression) -> tuple[int, Expression]:
    """With 0 or 1 turns; the other half turn is a sign."""
    return turns % 2, neg(tree) if turns % 4 > 1 else tree
