"""Derivatives of expressions by rewriting."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from .build import ONE, TWO, ZERO, add, div, mul, neg, number, power
from .sympy_text import read_sympy
from .traversal import substitute
from .tree import Call, Expression, Number, Symbol

#: Derivatives of functions of one argument u.
SLOPES: Mapping[str, str] = {
    "sqrt": "1/(2*sqrt(u))",
    "exp": "exp(u)",
    "ln": "1/u",
    "sin": "cos(u)",
    "cos": "-sin(u)",
    "tan": "sec(u)**2",
    "cot": "-csc(u)**2",
    "sec": "sec(u)*tan(u)",
    "csc": "-(csc(u)*cot(u))",
    "asin": "1/sqrt(1 - u**2)",
    "acos": "-(1/sqrt(1 - u**2))",
    "atan": "1/(1 + u**2)",
    "acot": "-(1/(1 + u**2))",
    "asec": "1/(u**2*sqrt(1 - 1/u**2))",
    "acsc": "-(1/(u**2*sqrt(1 - 1/u**2)))",
    "sinh": "cosh(u)",
    "cosh": "sinh(u)",
    "tanh": "sech(u)**2",
    "coth": "-csch(u)**2",
    "sech": "-(sech(u)*tanh(u))",
    "csch": "-(csch(u)*coth(u))",
    "asinh": "1/sqrt(u**2 + 1)",
    "acosh": "1/(sqrt(u + -1)*sqrt(u + 1))",
    "atanh": "1/(1 - u**2)",
    "acoth": "1/(1 - u**2)",
    "asech": "-(1/(u*sqrt(1 - u**2)))",
    "acsch": "-(1/(u**2*sqrt(1 + 1/u**2)))",
    "abs": "sign(u)",
    "erf": "2/sqrt(pi)*exp(-u**2)",
    "erfi": "2/sqrt(pi)*exp(u**2)",
}
template = cache(read_sympy)


def differentiate(tree: Expression, variable: str = "x") -> Expression:
    """The derivative of a tree.

    Args:
        tree: the expression.
        variable: the name of the variable.

    Returns:
        The derivative, evaluated only as far as `add` and `mul` do.

    Raises:
        ValueError: if the derivative of a function in it is not known.

    """
    if isinstance(tree, Number):
        return ZERO
    if isinstance(tree, Symbol):
        return ONE if tree.name == variable else ZERO
    inner = [differentiate(arg, variable) for arg in tree.args]
    if all(slope == ZERO for slope in inner):
        return ZERO
    name, args = tree.function, tree.args
    if name == "add":
        return add(*inner)
    if name == "neg":
        return neg(inner[0])
    if name == "mul":
        return add(*(mul(*args[:i], slope, *args[i + 1 :]) for i, slope in enumerate(inner)))
    if name == "div":
        u, v = args
        if inner[1] == ZERO:
            return div(inner[0], v)
        above = add(mul(inner[0], v), neg(mul(u, inner[1])))
        return div(above, power(v, TWO))
    if name == "pow":
        return _power_rule(args[0], args[1], inner[0], inner[1])
    if name == "root" and isinstance(args[1], Number):
        n = Fraction(args[1].numerator, args[1].denominator)
        below = mul(args[1], power(tree, number(n - 1)))
        return div(inner[0], below)
    if name == "log" and inner[1] == ZERO:
        return div(inner[0], mul(args[0], Call("ln", (args[1],))))
    if name == "ln" and isinstance(args[0], Call) and args[0].function == "abs":
        inside = args[0].args[0]
        return div(differentiate(inside, variable), inside)
    if name not in SLOPES:
        raise ValueError(f"no rule to differentiate {name}")
    return mul(inner[0], substitute(template(SLOPES[name]), "u", args[0]))


def _power_rule(u: Expression, v: Expression, du: Expression, dv: Expression) -> Expression:
    if dv == ZERO:
        if isinstance(v, Number):
            less: Expression = number(Fraction(v.numerator, v.denominator) - 1)
        else:
            less = add(v, Number(-1))
        return mul(v, power(u, less), du)
    whole = Call("pow", (u, v))
    if u == Call("e"):
        return mul(whole, dv)
    logarithmic = mul(dv, Call("ln", (u,)))
    if du == ZERO:
        return mul(whole, logarithmic)
    return mul(whole, add(logarithmic, mul(v, div(du, u))))
