"""Operations on expression trees for generators of problems: build, substitute, differentiate.

They do not use SymPy, so that generated problems do not depend on its version.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from ..rewards.expression.tree import Call, Expression, Number, Symbol
from ..rewards.latex import read

ZERO, ONE = Number(0), Number(1)


def number(value: int | Fraction) -> Number:
    """An exact number as a tree."""
    exact = Fraction(value)
    return Number(exact.numerator, exact.denominator)


def parse(latex: str, variable: str = "x") -> Expression:
    """The tree of a LaTeX formula in its likeliest reading."""
    return read(latex, symbols=[variable])[0].expression


def walk(tree: Expression) -> Iterator[Expression]:
    """Every node, parents first, left to right."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Call):
            stack.extend(reversed(node.args))


def substitute(tree: Expression, name: str, replacement: Expression) -> Expression:
    """``tree`` with ``replacement`` for every occurrence of the symbol ``name``."""
    if isinstance(tree, Symbol):
        return replacement if tree.name == name else tree
    if isinstance(tree, Number):
        return tree
    return Call(tree.function, tuple(substitute(arg, name, replacement) for arg in tree.args))


# --- building; 0, 1, signs and numeric factors are evaluated ---


def add(*terms: Expression) -> Expression:
    """A sum; zeros are dropped and nested sums flattened."""
    flat: list[Expression] = []
    for term in terms:
        flat.extend(term.args if isinstance(term, Call) and term.function == "add" else (term,))
    flat = [term for term in flat if term != ZERO]
    if len(flat) < 2:
        return flat[0] if flat else ZERO
    return Call("add", tuple(flat))


def mul(*factors: Expression) -> Expression:
    """A product as one fraction; nested products are flattened, numbers multiplied."""
    coefficient = Fraction(1)
    above: list[Expression] = []
    below: list[Expression] = []
    stack = list(reversed(factors))
    while stack:
        factor = stack.pop()
        if isinstance(factor, Number):
            coefficient *= Fraction(factor.numerator, factor.denominator)
        elif isinstance(factor, Call) and factor.function == "mul":
            stack.extend(reversed(factor.args))
        elif isinstance(factor, Call) and factor.function == "neg":
            coefficient = -coefficient
            stack.append(factor.args[0])
        elif isinstance(factor, Call) and factor.function == "div":
            stack.append(factor.args[0])
            divisor = factor.args[1]
            if isinstance(divisor, Number):
                coefficient /= Fraction(divisor.numerator, divisor.denominator)
            else:
                below.append(divisor)
        else:
            above.append(factor)
    if not coefficient:
        return ZERO
    size = abs(coefficient)
    if size.numerator != 1 or not above:
        above.insert(0, Number(size.numerator))
    if size.denominator != 1:
        below.insert(0, Number(size.denominator))
    product = _product(above)
    if below:
        product = Call("div", (product, _product(below)))
    return neg(product) if coefficient < 0 else product


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Call("mul", tuple(factors))


def neg(tree: Expression) -> Expression:
    """The negative of a tree."""
    if isinstance(tree, Number):
        return Number(-tree.numerator, tree.denominator)
    if isinstance(tree, Call) and tree.function == "neg":
        return tree.args[0]
    return Call("neg", (tree,))


def div(above: Expression, below: Expression) -> Expression:
    """A quotient."""
    if above == ZERO or below == ONE:
        return above
    return mul(above, Call("div", (ONE, below)))


def power(base: Expression, exponent: Expression) -> Expression:
    """A power."""
    if exponent == ONE:
        return base
    return ONE if exponent == ZERO else Call("pow", (base, exponent))


def polynomial(coefficients: list[int], variable: str = "x") -> Expression:
    """A polynomial; its coefficients are given from the highest degree down."""
    x = Symbol(variable)
    degree = len(coefficients) - 1
    terms = (
        mul(number(c), power(x, number(degree - place))) for place, c in enumerate(coefficients)
    )
    return add(*terms)


# --- differentiating ---

#: Derivatives of functions of one argument u.
_DERIVATIVES = {
    "sqrt": r"\frac{1}{2\sqrt u}",
    "exp": "e^u",
    "ln": r"\frac1u",
    "sin": r"\cos u",
    "cos": r"-\sin u",
    "tan": r"\sec^2 u",
    "cot": r"-\csc^2 u",
    "sec": r"\sec u \tan u",
    "csc": r"-\csc u \cot u",
    "asin": r"\frac{1}{\sqrt{1-u^2}}",
    "acos": r"-\frac{1}{\sqrt{1-u^2}}",
    "atan": r"\frac{1}{1+u^2}",
    "acot": r"-\frac{1}{1+u^2}",
    "asec": r"\frac{1}{u^2\sqrt{1-\frac{1}{u^2}}}",
    "acsc": r"-\frac{1}{u^2\sqrt{1-\frac{1}{u^2}}}",
    "sinh": r"\cosh u",
    "cosh": r"\sinh u",
    "tanh": r"\operatorname{sech}^2 u",
    "coth": r"-\operatorname{csch}^2 u",
    "sech": r"-\operatorname{sech} u \tanh u",
    "csch": r"-\operatorname{csch} u \coth u",
    "asinh": r"\frac{1}{\sqrt{u^2+1}}",
    "acosh": r"\frac{1}{\sqrt{u-1}\sqrt{u+1}}",
    "atanh": r"\frac{1}{1-u^2}",
    "acoth": r"\frac{1}{1-u^2}",
    "abs": r"\operatorname{sgn}(u)",
    "erf": r"\frac{2}{\sqrt\pi}e^{-u^2}",
    "erfi": r"\frac{2}{\sqrt\pi}e^{u^2}",
}


@cache
def _outer_derivative(function: str) -> Expression:
    return parse(_DERIVATIVES[function], "u")


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
        return div(above, power(v, Number(2)))
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
    if name not in _DERIVATIVES:
        raise ValueError(f"no rule to differentiate {name}")
    return mul(inner[0], substitute(_outer_derivative(name), "u", args[0]))


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
