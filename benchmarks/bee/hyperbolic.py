"""The substitution x -> ix, an exchange of trigonometric and hyperbolic functions.

sin(ix) = i sinh x, cos(ix) = cosh x and so on: an even formula stays real, an odd formula becomes i
times a real formula. Other formulas have no counterpart.
"""

from __future__ import annotations

from ...rewards.reading.expression.build import add, div, mul, neg, power
from ...rewards.reading.expression.traversal import nodes_of
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol

#: f -> (g, k) with f(iv) = i^k g(v).
_COUNTERPARTS = {
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


class _NoCounterpartError(Exception):
    """The formula is neither real nor imaginary on the imaginary axis, or has no rule."""


def hyperbolic_counterpart(
    integrand: Expression, antiderivative: Expression, variable: str = "x"
) -> tuple[Expression, Expression] | None:
    """The real integral at ix with the antiderivative; None without a counterpart."""
    try:
        power_f, f = at_imaginary(integrand, variable)
        power_big_f, big_f = at_imaginary(antiderivative, variable)
    except _NoCounterpartError:
        return None
    # The derivative of F(ix) is i f(ix).
    difference = (power_f + 1 - power_big_f) % 4
    if difference % 2 or not _functions(f) - _functions(integrand):
        return None
    return f, neg(big_f) if difference else big_f


def _functions(tree: Expression) -> set[str]:
    return {
        node.function for node in nodes_of(tree) if isinstance(node, Call)
    } & _COUNTERPARTS.keys()


def at_imaginary(tree: Expression, variable: str) -> tuple[int, Expression]:
    """``k`` (0 or 1) and a real tree ``t``: ``tree`` at i times the variable is i^k t."""
    if isinstance(tree, Number):
        return 0, tree
    if isinstance(tree, Symbol):
        return int(tree.name == variable), tree
    # Each subtree is i^k times a real tree. Products add the powers, sums need equal powers:
    # otherwise the result would be neither real nor imaginary.
    name = tree.function
    inner = [at_imaginary(arg, variable) for arg in tree.args]
    powers, args = [k for k, _ in inner], [arg for _, arg in inner]
    if name == "i":
        raise _NoCounterpartError
    if name == "mul":
        return _with_sign(sum(powers), mul(*args))
    if name == "div":
        return _with_sign(powers[0] - powers[1], div(*args))
    if name == "neg":
        return powers[0], neg(args[0])
    if name == "add":
        if len(set(powers)) > 1:
            raise _NoCounterpartError
        return powers[0], add(*args)
    if name == "pow" and powers[0]:
        exponent = tree.args[1]
        if not isinstance(exponent, Number) or exponent.denominator != 1:
            raise _NoCounterpartError
        return _with_sign(powers[0] * exponent.numerator, power(args[0], exponent))
    # A function of a real argument stays. A function of an imaginary argument needs a counterpart,
    # such as sin(ix) = i sinh x.
    if not any(powers):
        return 0, Call(name, tuple(args))
    if name not in _COUNTERPARTS:
        raise _NoCounterpartError
    counterpart, k = _COUNTERPARTS[name]
    return _with_sign(k, Call(counterpart, tuple(args)))


def _with_sign(k: int, tree: Expression) -> tuple[int, Expression]:
    """i^k times a tree with k reduced to 0 or 1, as i^2 = -1."""
    return k % 2, neg(tree) if k % 4 > 1 else tree
