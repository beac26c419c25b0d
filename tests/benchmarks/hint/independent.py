"""A second implementation of HINT by other means: recursive descent over exact fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

NUMBERS = {**{str(i): i for i in range(10)}, "x": 11, "y": 12}


class UndefinedError(Exception):
    """A division by zero."""


def value(text: str) -> int | None:
    """The value by the grammar of table A2, each rule split at the last operator."""
    try:
        return _expression(text)
    except UndefinedError:
        return None


def _expression(text: str) -> int:
    return _split(text, "+-ab", _term)


def _term(text: str) -> int:
    return _split(text, "*/cd", _factor)


def _factor(text: str) -> int:
    if len(text) == 1:
        return NUMBERS[text]
    assert text[0] == "("
    assert text[-1] == ")"
    return _expression(text[1:-1])


def _split(text: str, operators: str, tighter) -> int:
    """Left-associative: the last operator of the level outside parentheses splits the text."""
    level = 0
    for i in range(len(text) - 1, -1, -1):
        level += {")": 1, "(": -1}.get(text[i], 0)
        if level == 0 and text[i] in operators:
            return apply(text[i], _split(text[:i], operators, tighter), tighter(text[i + 1 :]))
    return tighter(text)


def apply(operator: str, i: int, j: int) -> int:
    if operator == "+":
        return i + j
    if operator == "-":
        return i - j if i > j else 0
    if operator == "*":
        return i * j
    if operator == "a":
        return sorted((i, j))[1]
    if operator == "b":
        return sorted((i, j))[0]
    if operator == "c":
        return math.ceil(Fraction(i + j, 2))
    numerator, denominator = (i, j) if operator == "/" else (2 * i * j, i + j)
    if denominator == 0:
        raise UndefinedError
    return math.ceil(Fraction(numerator, denominator))


def random_text(rng: random.Random, operators: int, numbers: str, symbols: str) -> str:
    """An expression with needed and needless parentheses."""
    if operators == 0:
        text = rng.choice(numbers)
    else:
        first = rng.randrange(operators)
        symbol = rng.choice(symbols)
        operands = [
            random_text(rng, count, numbers, symbols) for count in (first, operators - 1 - first)
        ]
        text = symbol.join(
            operand if rng.random() < 0.5 else f"({operand})" for operand in operands
        )
    return f"({text})" if rng.random() < 0.05 else text
