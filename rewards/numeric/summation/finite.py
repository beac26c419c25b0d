"""Computes exact values of terms at whole numbers, and finite sums of terms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from flint import acb

from ...reading.expression.build import number
from ...reading.expression.traversal import FOLDS
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ..ball_arithmetic.jets import Ball
from ..quadrature.work import QuadratureError, spend
from .hypergeometric import value_of
from .terms import exact_fmpq

#: Bits of an exact number; longer ones are balls. A sum with n = 600, the largest that is compared,
#: has up to 600! 4^600, of 6,000 bits, in each of a few factors.
MAX_BITS: Final = 40_000
#: Largest argument of an exact factorial, which has 25,000 bits.
MAX_FACTORIAL: Final = 2_500

Values = Mapping[str, Fraction]


def exact(node: Expression, values: Values) -> Fraction | None:
    r"""The exact value of an expression in rational numbers.

    Args:
        node: the expression.
        values: the values of the symbols.

    Returns:
        The value. It is None if the value is irrational, undefined or too long.

    Example:
        >>> exact(Call("binomial", (Number(7), Symbol("k"))), {"k": Fraction(3)})
        Fraction(35, 1)

    """
    if isinstance(node, Number):
        return Fraction(node.numerator, node.denominator)
    if isinstance(node, Symbol):
        return values.get(node.name)
    rule = _RULES.get(node.function)
    if rule is None:
        return None
    arguments: list[Fraction] = []
    for arg in node.args:
        value = exact(arg, values)
        if value is None:
            return None
        arguments.append(value)
    return rule(arguments)


def at(node: Expression, values: Values) -> Ball:
    """The value of an expression at the working precision. Rational parts are computed exactly.

    Raises:
        QuadratureError: the expression has no finite value.

    """
    spend(8)
    value = exact(node, values)
    if value is not None:
        return acb(exact_fmpq(value))
    return value_of(_with_exact_parts(node, values))


def _with_exact_parts(node: Expression, values: Values) -> Expression:
    """Replace symbols and all rational sub-expressions of an expression by numbers."""
    value = exact(node, values)
    if value is not None:
        return number(value)
    if isinstance(node, Symbol):
        raise QuadratureError(f"{node.name} has no value")
    if not node.args:
        return node
    return Call(node.function, tuple(_with_exact_parts(arg, values) for arg in node.args))


def finite_sum(
    term: Expression, index: str, low: int, high: int, values: Values
) -> Fraction | Ball:
    """The sum of a term over the indices from ``low`` to ``high``.

    If all terms are rational and the numbers are short enough, the sum is exact. Otherwise it is a
    ball.

    Raises:
        QuadratureError: a term has no finite value.

    """
    total, inexact, is_exact = Fraction(0), acb(0), True
    for k in range(low, high + 1):
        spend(4)
        index_values = {**values, index: Fraction(k)}
        value = exact(term, index_values) if is_exact else None
        if value is None:
            is_exact = False
            inexact += at(term, index_values)
        else:
            total += value
            is_exact = max(total.denominator, abs(total.numerator)).bit_length() <= MAX_BITS
    return total if is_exact else acb(exact_fmpq(total)) + inexact


def _power(arguments: list[Fraction]) -> Fraction | None:
    base, exponent = arguments
    if exponent.denominator != 1:
        return _root(base, exponent)
    if base == 0 and exponent < 0:
        return None
    bits = max(abs(base.numerator), base.denominator).bit_length()
    if bits * abs(exponent.numerator) > MAX_BITS and abs(base) != 1:
        return None
    return Fraction(base ** int(exponent))


def _root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """The power of a base for an exponent n/2 with odd n.

    The result is None if the base is not the square of a rational number.
    """
    if exponent.denominator != 2 or base < 0:
        return None
    roots = math.isqrt(base.numerator), math.isqrt(base.denominator)
    if (roots[0] ** 2, roots[1] ** 2) != (base.numerator, base.denominator):
        return None
    return _power([Fraction(*roots), Fraction(exponent.numerator)])


def _factorial(n: Fraction) -> Fraction | None:
    if n.denominator != 1 or not 0 <= n <= MAX_FACTORIAL:
        return None
    return Fraction(math.factorial(int(n)))


def _double_factorial(n: Fraction) -> Fraction | None:
    if n.denominator != 1 or not -1 <= n <= MAX_FACTORIAL:
        return None
    return Fraction(math.prod(range(int(n), 0, -2)))


def _binomial(arguments: list[Fraction]) -> Fraction | None:
    """The binomial coefficient (u choose k), as a polynomial in u. If k is negative and u is a
    natural number, the result is 0.
    """
    u, k = arguments
    if k.denominator != 1 or abs(k) > MAX_FACTORIAL or abs(u) > MAX_BITS:
        return None
    if u.denominator == 1 and u >= 0:
        return Fraction(math.comb(int(u), int(k))) if k >= 0 else Fraction(0)
    length = max(abs(u.numerator), u.denominator).bit_length()
    if k < 0 or length * k > MAX_BITS:
        return None
    return math.prod((u - i for i in range(int(k))), start=Fraction(1)) / math.factorial(int(k))


_RULES: Final[dict[str, Callable[[list[Fraction]], Fraction | None]]] = {
    **FOLDS,
    "pow": _power,
    "sqrt": lambda values: _root(values[0], Fraction(1, 2)),
    "factorial": lambda values: _factorial(values[0]),
    "gamma": lambda values: _factorial(values[0] - 1),
    "double_factorial": lambda values: _double_factorial(values[0]),
    "binomial": _binomial,
    "abs": lambda values: abs(values[0]),
    "floor": lambda values: Fraction(math.floor(values[0])),
    "ceil": lambda values: Fraction(math.ceil(values[0])),
}
