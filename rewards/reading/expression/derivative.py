"""Derivatives of expressions by rewriting."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from .build import ONE, TWO, ZERO, add, div, mul, neg, number, power
from .formulas import slope_of
from .tree import Call, Expression, Number, Symbol

#: Nodes with their derivatives, by the nodes' identities. The nodes are kept, so that no other node
#: gets the same identity.
DerivativeCache: TypeAlias = dict[int, tuple[Call, Expression]]


def differentiate(
    tree: Expression, variable: str = "x", cache: DerivativeCache | None = None
) -> Expression:
    """The derivative of a tree.

    Derivatives share many sub-trees, which would be differentiated again for each use.

    Args:
        tree: the expression.
        variable: the name of the variable.
        cache: derivatives with respect to the same variable from earlier calls. New derivatives are
            added.

    Returns:
        The derivative, built by `add` and `mul`. No further simplification is made.

    Raises:
        ValueError: the tree has a function whose derivative is not known.

    """
    return _slope(tree, variable, {} if cache is None else cache)


def _slope(tree: Expression, variable: str, cache: DerivativeCache) -> Expression:
    if type(tree) is not Call:
        return ONE if type(tree) is Symbol and tree.name == variable else ZERO
    met = cache.get(id(tree))
    if met is None:
        met = cache[id(tree)] = tree, _slope_of_call(tree, variable, cache)
    return met[1]


def _slope_of_call(tree: Call, variable: str, cache: DerivativeCache) -> Expression:
    inner = [_slope(arg, variable, cache) for arg in tree.args]
    if inner.count(ZERO) == len(inner):
        return ZERO
    name, args = tree.function, tree.args
    if name == "add":
        return add(*inner)
    if name == "neg":
        return neg(inner[0])
    if name == "mul":
        slopes = enumerate(inner)
        return add(*(mul(*args[:i], du, *args[i + 1 :]) for i, du in slopes if du != ZERO))
    if name == "div":
        u, v = args
        if inner[1] == ZERO:
            return div(inner[0], v)
        numerator = add(mul(inner[0], v), neg(mul(u, inner[1])))
        return div(numerator, power(v, TWO))
    if name == "pow":
        return _power_rule(args[0], args[1], inner[0], inner[1])
    if name == "root" and isinstance(args[1], Number):
        n = Fraction(args[1].numerator, args[1].denominator)
        denominator = mul(args[1], power(tree, number(n - 1)))
        return div(inner[0], denominator)
    if name == "ln" and isinstance(args[0], Call) and args[0].function == "abs":
        u = args[0].args[0]
        return div(_slope(u, variable, cache), u)
    if name == "piecewise" and all(slope == ZERO for slope in inner[1::2]):
        # conditions on parameters only: the branch is the same for all values of the variable
        branches = (
            slope if at % 2 == 0 or at == len(args) - 1 else args[at]
            for at, slope in enumerate(inner)
        )
        return Call("piecewise", tuple(branches))
    slope = slope_of(tree)
    if slope is None:
        raise ValueError(f"no rule to differentiate {name}")
    at, outer = slope
    if any(slope != ZERO for index, slope in enumerate(inner) if index != at):
        raise ValueError(f"no rule to differentiate {name} in a parameter")
    return mul(inner[at], outer)


def _power_rule(u: Expression, v: Expression, du: Expression, dv: Expression) -> Expression:
    if dv == ZERO:
        if isinstance(v, Number):
            less: Expression = number(Fraction(v.numerator, v.denominator) - 1)
        else:
            less = add(v, Number(-1))
        return mul(v, power(u, less), du)
    raised = Call("pow", (u, v))
    if u == Call("e"):
        return mul(raised, dv)
    logarithmic = mul(dv, Call("ln", (u,)))
    if du == ZERO:
        return mul(raised, logarithmic)
    return mul(raised, add(logarithmic, mul(v, div(du, u))))
