r"""Infers the general term of a series with dots: ``1 - \frac{1}{3} + \frac{1}{5} - \cdots``.

The terms are compared without simplification. Numbers at the same place of all terms have to follow
a rule with two unknowns. All places together need at least two more numbers than unknowns, because
the rules have to be overdetermined: three terms of 1/(1*3) + 1/(3*5) + 1/(5*7) have two places with
different numbers, and four terms are needed for a single place. The last term of a finite sum
counts, too. If the text states the general term, the first terms only have to agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from .build import ONE, add, div, mul, number, power
from .traversal import fold, substitute, symbols_of
from .tree import Call, Expression, Number, Symbol

#: The unknowns of a rule, and the numbers beyond them that all rules of a series need together.
_UNKNOWNS, _SURPLUS = 2, 2
#: Exponents of a linear rule, as 2 of 1, 4, 9, 16, whose powers texts write as numbers. The number
#: 0 means factorials: 1, 2, 6, 24.
_POWERS: Final = (0, 2, 3, 4)
#: The n of n!; more digits than 98! has, no text writes out.
_OF_FACTORIAL: Final = {math.factorial(n): n for n in range(1, 100)}
#: The most terms of a finite sum with dots; the sums of textbooks go up to the year.
_MAX_INDEX, _MAX_INDEX_WITH_SYMBOLS = 2_100, 100


def general_term(terms: Sequence[Expression], index: str, further: int = 0) -> Expression | None:
    """The general term, as determined by the terms with the indices 0, 1, 2, ...

    The result is None for too few terms, or if no rule fits all terms. The caller compares the rule
    with ``further`` more terms.

    >>> from .build import number
    >>> general_term([number(Fraction(1, 2**k)) for k in range(4)], "n").function
    'pow'

    """
    compared = len(terms) + further - _UNKNOWNS
    # The first two terms may be written in another way, as 1 + x + x^2/2!.
    for start in range(min(3, len(terms) - 1)):
        term = _common(terms[start:], start, Symbol(index))
        if term is None or compared * _places(terms[start:]) < _SURPLUS:
            continue
        values = (substitute(term, index, number(at)) for at in range(start))
        if all(map(are_equal, values, terms)):
            return term
    numbers = [value for value in map(fold, terms) if value]
    if compared <= _SURPLUS or len({*numbers}) < len(terms):  # not 1, 1, 2, 4, 7
        return None
    top = numbers[0].numerator
    if all(value.numerator == top for value in numbers):  # 1/2 + 1/6 + 1/12
        bottom = _quadratic([top / value for value in numbers], Symbol(index))
        return None if bottom is None else div(number(top), bottom)
    return _quadratic(numbers, Symbol(index))


def finite_term(
    first_terms: Sequence[Expression], last_term: Expression, index: str
) -> tuple[Expression, int] | None:
    """The general term of a finite sum, and the index of the last term.

    The result is None if the first terms do not determine the general term, if the last term is
    not a value of the general term, or if the last term is also a value of another rule.
    """
    term = general_term(first_terms, index, 1)
    at = term and _index_of(last_term, term, index, len(first_terms))
    if term is None or at is None:
        return None
    numbers = [value for value in map(fold, first_terms) if value is not None]
    quadratic = _quadratic(numbers, Symbol(index)) if len(numbers) == len(first_terms) else None
    at_quadratic = quadratic and _index_of(last_term, quadratic, index, len(first_terms))
    if at_quadratic not in (None, at):
        return None  # 1 + 2 + 4 + ... + 16 may be 1 + 2 + 4 + 7 + 11 + 16
    return term, at


def _index_of(value: Expression, term: Expression, index: str, start: int) -> int | None:
    """The only index from ``start`` on with a given value of the term, or None."""
    fits = [
        at
        for at in range(start, _MAX_INDEX_WITH_SYMBOLS if symbols_of(value) else _MAX_INDEX)
        if are_equal(substitute(term, index, number(at)), value)
    ]
    return fits[0] if len(fits) == 1 else None


def first_index(term: Expression, index: str, terms: Sequence[Expression]) -> int | None:
    """The first index of the given terms, as values of a general term.

    The result is None if not exactly one of the indices 0, 1, 2 fits.
    """
    values = [substitute(term, index, number(at)) for at in range(len(terms) + 2)]
    fits = [all(map(are_equal, terms, values[start:])) for start in range(3)]
    return fits.index(True) if sum(fits) == 1 and len(terms) > 1 else None


def _common(nodes: Sequence[Expression], start: int, index: Expression) -> Expression | None:
    """The expression with the values ``nodes`` at the indices from ``start``, or None."""
    if all(node == nodes[0] for node in nodes):
        return nodes[0]
    if all(isinstance(node, Number) for node in nodes):
        return _rule([fold(node) or Fraction(0) for node in nodes], start, index)
    if any(node.function == "pow" for node in nodes):  # x beside x^2
        nodes = [Call("pow", (n, ONE)) if isinstance(n, Symbol) else n for n in nodes]
    if len({(node.function, len(node.args)) for node in nodes}) > 1:
        return None
    columns = zip(*(node.args for node in nodes), strict=True)
    args = [arg for column in columns if (arg := _common(column, start, index)) is not None]
    is_complete = 0 < len(args) == len(nodes[0].args)
    return Call(nodes[0].function, tuple(args)) if is_complete else None


def _places(nodes: Sequence[Expression]) -> int:
    """The number of places with different numbers, in terms of equal shape."""
    if all(node == nodes[0] for node in nodes):
        return 0
    if len({(node.function, len(node.args)) for node in nodes}) > 1 or not nodes[0].args:
        return 1
    return sum(map(_places, zip(*(node.args for node in nodes), strict=True)))


def _rule(values: Sequence[Fraction], start: int, index: Expression) -> Expression | None:
    """The linear, geometric, ... rule of at least two numbers."""
    rules = (_geometric, _linear) if -values[0] in values else (_linear, _geometric)  # signs
    for rule in rules:
        if (term := rule(values, start, index)) is not None:
            return term
    if any(value.denominator != 1 for value in values):
        top = _rule([Fraction(value.numerator) for value in values], start, index)
        bottom = _rule([Fraction(value.denominator) for value in values], start, index)
        return None if top is None or bottom is None else div(top, bottom)
    for exponent in _POWERS:
        integer_roots = [_root(int(value), exponent) for value in values]
        roots = [Fraction(root) for root in integer_roots if root is not None]
        linear = _linear(roots, start, index) if len(roots) == len(values) else None
        if linear is not None:
            return power(linear, number(exponent)) if exponent else Call("factorial", (linear,))
    return None


def _root(value: int, exponent: int) -> int | None:
    """The whole root of a number. For the exponent 0, the n of n!."""
    if exponent == 0:
        return _OF_FACTORIAL.get(value)
    root = round(value ** (1 / exponent)) if 0 <= value < 2**53 else -1  # exact as a float
    return root if root**exponent == value else None


def _linear(values: Sequence[Fraction], start: int, index: Expression) -> Expression | None:
    step = values[1] - values[0]
    if any(next_term - term != step for term, next_term in pairwise(values)):
        return None
    return add(mul(number(step), index), number(values[0] - start * step))


def _quadratic(values: Sequence[Fraction], index: Expression) -> Expression | None:
    """The quadratic function of the index with the given values at 0, 1, 2, ..."""
    second = values[2] - 2 * values[1] + values[0]
    slope = values[1] - values[0] - second / 2
    if any(value != values[0] + slope * at + second / 2 * at**2 for at, value in enumerate(values)):
        return None
    square = mul(number(second / 2), power(index, number(2)))
    return add(square, mul(number(slope), index), number(values[0]))


def _geometric(values: Sequence[Fraction], start: int, index: Expression) -> Expression | None:
    ratio = values[1] / values[0] if values[0] else Fraction(0)
    if not ratio or any(b != a * ratio for a, b in pairwise(values)):
        return None
    return mul(number(values[0] / ratio**start), power(number(ratio), index))


def are_equal(left_term: Expression, right_term: Expression) -> bool:
    """Whether the values of two terms agree at some rational values of the symbols."""
    names = sorted(symbols_of(left_term) | symbols_of(right_term))
    for shift in (2, 3, 7) if names else (1,):
        lhs, rhs = left_term, right_term
        for at, name in enumerate(names):
            value = number(Fraction(shift + at, 5))
            lhs, rhs = substitute(lhs, name, value), substitute(rhs, name, value)
        value_of_left = fold(_without_factorials(lhs))
        if value_of_left is None or value_of_left != fold(_without_factorials(rhs)):
            return False
    return True


def _without_factorials(tree: Expression) -> Expression:
    args = tuple(map(_without_factorials, tree.args))
    argument = fold(args[0]) if tree.function == "factorial" else None
    if argument is not None and argument.denominator == 1 and 0 <= argument <= len(_OF_FACTORIAL):
        return number(math.factorial(int(argument)))
    return Call(tree.function, args) if args else tree
