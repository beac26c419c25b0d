"""Constants, and sums, products and quotients of expressions.

`add`, `mul`, `neg`, `div` and `power` evaluate 0, 1, signs and numeric factors, and nothing else.
SymPy is not used, because generated problems must not depend on SymPy's version.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from .tree import Call, Expression, Number, Symbol

ZERO, ONE, TWO = Number(0), Number(1), Number(2)
E, IMAGINARY, PI = Call("e"), Call("i"), Call("pi")


def product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Call("mul", tuple(factors))


def ratio(numerator: int, denominator: int) -> Number:
    common = gcd(numerator, denominator)
    if denominator < 0:
        common = -common
    return Number(numerator // common, denominator // common)


def decimal(digits: str, exponent: int = 0) -> Number:
    """Make an exact decimal number from the digits, times a power of ten."""
    return number(Fraction(f"0{digits}") * Fraction(10) ** exponent)


def quotient(top: Expression, bottom: Expression) -> Expression:
    """Make a fraction. The fraction of two whole numbers becomes an exact number."""
    if (
        type(top) is Number
        and type(bottom) is Number
        and top.denominator == 1
        and bottom.denominator == 1
        and bottom.numerator
    ):
        return ratio(top.numerator, bottom.numerator)
    return Call("div", (top, bottom))


def number(value: int | Fraction) -> Number:
    """Convert an integer or a fraction to a node of an expression tree."""
    exact = Fraction(value)
    return Number(exact.numerator, exact.denominator)


def fraction(
    value: Fraction, numerator_factors: list[Expression], denominator_factors: list[Expression]
) -> Expression:
    """Make a fraction from a number times a quotient of two products.

    The number's numerator becomes the first factor above the bar. The number's denominator becomes
    the first factor below the bar.
    """
    size = abs(value)
    numerator_factors = [Number(size.numerator)] * (
        size.numerator != 1 or not numerator_factors
    ) + numerator_factors
    denominator_factors = [Number(size.denominator)] * (size.denominator != 1) + denominator_factors
    result = product(numerator_factors)
    if denominator_factors:
        result = Call("div", (result, product(denominator_factors)))
    return neg(result) if value < 0 else result


def add(*terms: Expression) -> Expression:
    """Make a sum. Zeros are dropped, and nested sums are flattened."""
    flat: list[Expression] = []
    for term in terms:
        flat.extend(term.args if isinstance(term, Call) and term.function == "add" else (term,))
    flat = [term for term in flat if term != ZERO]
    if len(flat) < 2:
        return flat[0] if flat else ZERO
    return Call("add", tuple(flat))


def mul(*factors: Expression) -> Expression:
    """Make a product as one fraction. Nested products are flattened, and numbers are multiplied."""
    top = bottom = 1
    numerator_factors: list[Expression] = []
    denominator_factors: list[Expression] = []
    stack = list(reversed(factors))
    while stack:
        factor = stack.pop()
        if type(factor) is Number:
            top, bottom = top * factor.numerator, bottom * factor.denominator
        elif factor.function == "mul":
            stack.extend(reversed(factor.args))
        elif factor.function == "neg":
            top = -top
            stack.append(factor.args[0])
        elif factor.function == "div":
            stack.append(factor.args[0])
            divisor = factor.args[1]
            if type(divisor) is Number and divisor.numerator:
                top, bottom = top * divisor.denominator, bottom * divisor.numerator
            else:
                denominator_factors.append(divisor)
        else:
            numerator_factors.append(factor)
    if not top:
        return ZERO
    return fraction(Fraction(top, bottom), numerator_factors, denominator_factors)


def neg(tree: Expression) -> Expression:
    """Negate an expression."""
    if isinstance(tree, Number):
        return Number(-tree.numerator, tree.denominator)
    if isinstance(tree, Call) and tree.function == "neg":
        return tree.args[0]
    return Call("neg", (tree,))


def div(numerator: Expression, denominator: Expression) -> Expression:
    """Make a quotient."""
    if numerator == ZERO or denominator == ONE:
        return numerator
    return mul(numerator, Call("div", (ONE, denominator)))


def power(base: Expression, exponent: Expression) -> Expression:
    """Make a power."""
    if exponent == ONE:
        return base
    return ONE if exponent == ZERO else Call("pow", (base, exponent))


def rational_power(base: Expression, exponent: Fraction) -> Expression:
    """Make a power in the usual notation, as a root or as 1 over a power. Nothing is evaluated."""
    if exponent < 0:
        return Call("div", (ONE, rational_power(base, -exponent)))
    if exponent.numerator != 1:
        return Call("pow", (base, number(exponent)))
    if exponent.denominator < 3:
        return base if exponent == 1 else Call("sqrt", (base,))
    return Call("root", (base, Number(exponent.denominator)))


def polynomial(coefficients: list[int], variable: str = "x") -> Expression:
    """Make a polynomial. The coefficients begin with the highest degree."""
    x = Symbol(variable)
    degree = len(coefficients) - 1
    terms = (
        mul(number(c), power(x, number(degree - index))) for index, c in enumerate(coefficients)
    )
    return add(*terms)
