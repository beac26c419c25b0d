"""Values of infinite sums whose convergence is certain.

The forms are geometric sums (of r^n), exponential sums (of r^n/n!) and zeta-like sums (of
n^-s). A sum is replaced by the value if the terms have such a form, and the sum converges
without any assumption. The ratio r of a geometric sum must be a number below 1 in absolute value.
The exponent s of a zeta-like sum must be a number above 1, or 1 if the signs alternate. Exponential
sums converge everywhere. Any other sum has no value here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

from .build import ONE, TWO, add, div, mul, neg, number
from .formulas import with_arguments
from .traversal import MAX_FOLD_BITS, fold, is_constant, substitute
from .tree import Call, Expression, Number, Symbol

#: Terms before the index at which a row's formula starts that are added one by one.
_MOST_SHIFTED: Final = 32


@dataclass(frozen=True, slots=True)
class InfiniteSummand:
    """A term of a sum as a product: ``coefficient * ratio^n * n-dependent parts``.

    Attributes:
        coefficient: the factors without the index n.
        ratio: the product of all bases of powers with exponent n.
        powers: the further factors, such as n or n!, with the exponents.

    """

    coefficient: Expression
    ratio: Expression
    powers: dict[Expression, Fraction]


def infinite_sum(
    term: Expression, index: str, start: int, *, power_series: bool = True
) -> Expression | None:
    """Find a closed form of an infinite sum whose index runs from ``start`` to infinity.

    Args:
        term: the term.
        index: the name of the index.
        start: the least value of the index.
        power_series: whether the term may contain powers of a symbol, such as x^n.

    Returns:
        A closed form. The result is None if no closed form is known, or if convergence is
        uncertain.

    Example:
        >>> from calculus_harness.rewards.reading.latex import read, to_latex
        >>> halves = read("2^{-n}", symbols="n")[0].expression
        >>> to_latex(infinite_sum(halves, "n", 1))
        '1'

    """
    summand = _summand(term, index)
    if summand is None or start < 0 or not (power_series or is_constant(summand.ratio)):
        return None
    for rule in (_geometric, _exponential, _zeta):
        value = rule(summand, index, start)
        if value is not None:
            return mul(summand.coefficient, value)
    return None


def _summand(term: Expression, index: str) -> InfiniteSummand | None:
    """Write a term as a product of powers. If impossible, the result is None."""
    coefficient: Expression = ONE
    ratio: Expression = ONE
    powers: dict[Expression, Fraction] = {}
    pending = [(term, 1)]
    while pending:
        node, sign = pending.pop()
        if is_constant(node, index):
            coefficient = mul(coefficient, node) if sign > 0 else div(coefficient, node)
        elif node.function == "neg":
            coefficient = neg(coefficient)
            pending.append((node.args[0], sign))
        elif node.function == "mul":
            pending += [(factor, sign) for factor in node.args]
        elif node.function == "div":
            pending += [(node.args[0], sign), (node.args[1], -sign)]
        elif node.function in ("pow", "exp"):
            base, exponent = node.args if node.function == "pow" else (Call("e"), node.args[0])
            power = fold(exponent)
            if power is not None:
                powers[base] = powers.get(base, Fraction(0)) + sign * power
                continue
            linear = _linear(exponent, index)
            if linear is None or not is_constant(base, index):
                return None
            slope, constant = linear
            ratio = mul(ratio, _power(base, sign * slope))
            coefficient = mul(coefficient, _power(base, sign * constant))
        else:
            powers[node] = powers.get(node, Fraction(0)) + sign
    return InfiniteSummand(
        coefficient, ratio, {base: power for base, power in powers.items() if power}
    )


def _linear(node: Expression, index: str) -> tuple[Fraction, Fraction] | None:
    """Write a tree as a * index + b, and return the numbers a and b.

    The result is None if the tree is not linear in the index.
    """
    values = [fold(substitute(node, index, Number(value))) for value in (0, 1, 2, 3)]
    if None in values:
        return None
    value_0, value_1, value_2, value_3 = (value for value in values if value is not None)
    if not (value_2 - value_1 == value_3 - value_2 == value_1 - value_0):
        return None
    return value_1 - value_0, value_0


def _power(base: Expression, exponent: Fraction) -> Expression:
    if exponent == 0:
        return ONE
    value = fold(Call("pow", (base, number(exponent))))
    if value is not None:
        return number(value)
    if base == Call("e"):
        return Call("exp", (number(exponent),))
    return base if exponent == 1 else Call("pow", (base, number(exponent)))


def _geometric(summand: InfiniteSummand, index: str, start: int) -> Expression | None:
    """The sum of r^n from n = start: r^start / (1 - r). The result is None unless |r| < 1
    is certain.
    """
    if summand.powers or not _is_below_one(summand.ratio):
        return None
    value = fold(summand.ratio)
    if value is not None and start * value.denominator.bit_length() < MAX_FOLD_BITS:
        return number(value**start / (1 - value))
    first_term = _power(summand.ratio, Fraction(start))
    return div(first_term, add(ONE, neg(summand.ratio)))


def _is_below_one(ratio: Expression) -> bool:
    """Whether a ratio is certainly below 1 in absolute value.

    The ratio must be a number, or a number times exponentials of negative numbers.
    """
    size = Fraction(1)
    for factor in ratio.args if ratio.function == "mul" else (ratio,):
        value = fold(factor)
        if value is not None:
            size *= abs(value)
            continue
        exponent = fold(factor.args[0]) if factor.function == "exp" else None
        if exponent is None or exponent >= 0:
            return False
    return size < 1 or (size == 1 and fold(ratio) is None)


#: Factorials below r^n -> the sum from n = 0 for r = u^2, and for r = -u^2 (DLMF 4.19.1-2,
#: 4.33.1-2).
_ENTIRE: Final = {
    "factorial(2*n)": ("cosh(u)", "cos(u)"),
    "factorial(2*n + 1)": ("sinh(u)/u", "sin(u)/u"),
}


def _exponential(summand: InfiniteSummand, index: str, start: int) -> Expression | None:
    """The sum of r^n/n!, r^n/(2n)! or r^n/(2n+1)!, an entire function of r."""
    ratio = summand.ratio
    for shape in ("factorial(n)", *_ENTIRE):
        if summand.powers != {with_arguments(shape, {"n": Symbol(index)}): Fraction(-1)}:
            continue
        if shape in _ENTIRE:
            negative = ratio.function == "neg" or (type(ratio) is Number and ratio.numerator < 0)
            size = neg(ratio) if negative else ratio
            is_square = size.function == "pow" and size.args[1] == TWO
            # Both quotients and functions are even, so that either root of a square serves.
            root = size.args[0] if is_square else Call("sqrt", (size,))
            from_zero = with_arguments(_ENTIRE[shape][negative], {"u": root})
        else:
            from_zero = Call("exp", (ratio,))
        denominators = (with_arguments(shape, {"n": Number(n)}) for n in range(_MOST_SHIFTED))
        terms = (div(_power(ratio, Fraction(n)), below) for n, below in enumerate(denominators))
        return _without_first(from_zero, start, terms)
    return None


def _zeta(summand: InfiniteSummand, index: str, start: int) -> Expression | None:
    """The sum of n^-s or (-1)^n n^-s.

    The sum of n^-s is zeta(s). The sum of (-1)^n n^-s is -(1 - 2^(1-s)) zeta(s) (DLMF 25.2).
    """
    sign = fold(summand.ratio)
    exponent = summand.powers.get(Symbol(index))
    if (
        set(summand.powers) != {Symbol(index)}
        or exponent is None
        or sign not in (1, -1)
        or start < 1
    ):
        return None
    s = -exponent
    if s <= 1 and not (s == 1 and sign == -1):
        return None
    from_one: Expression
    zeta = Call("zeta", (number(s),))
    if sign == 1:
        from_one = zeta
    elif s == 1:
        from_one = neg(Call("ln", (Number(2),)))
    else:
        half = _power(Number(2), 1 - s)
        from_one = neg(mul(add(ONE, neg(half)), zeta))
    terms = (mul(number(sign**n), _power(Number(n), -s)) for n in range(1, _MOST_SHIFTED + 1))
    return _without_first(from_one, start - 1, terms)


def _without_first(total: Expression, count: int, terms: Iterator[Expression]) -> Expression | None:
    """Subtract the first ``count`` terms of a sum. If ``count`` is too large, return None."""
    return None if count > _MOST_SHIFTED else add(total, *map(neg, islice(terms, count)))
