"""Prefix expressions drawn at random, a block of rows at a time.

The released generator (Li et al. 2023, code; section 3 of the paper): an expression of n operators
has a uniform operator at its root and a left part of uniform size 0..n-1; a number is uniform. For
n <= 2 all expressions are enumerated. Rows are arrays of token codes, one row per expression, so
that a million takes seconds; the randomness is the output of SHAKE-128 on a key, the same on every
machine and with every version of NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import shake_128
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...rewards.errors import suggest
from .semantics import CONCEPTS, DIGITS, NUMBERS, OPERATORS, PRECEDENCE

SYMBOLS = (*NUMBERS, *PRECEDENCE)
CODES = {symbol: code for code, symbol in enumerate(SYMBOLS)}
#: Expressions with at most this many operators are enumerated.
ENUMERATED = 2
#: The largest value of any node that is drawn (the paper's bound for its test sets).
HIGHEST = 10_000
#: The share of a draw that may have the same result, for more than `ENUMERATED` operators.
SAME_RESULT = 0.05
_MIN_ROWS, _MAX_ROWS = 1_024, 32_768  # rows of a block

Row: TypeAlias = npt.NDArray[np.uint8]
Rows: TypeAlias = npt.NDArray[np.uint8]
Values: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Draw:
    """The parameters of a draw.

    Attributes:
        operators: The number of operators of each expression.
        wanted: The number of expressions; few operators may have fewer expressions.
        low: The least value allowed for the largest node of an expression.
        high: The greatest value allowed for any node.
        concept: An additional symbol of the vocabulary, contained in every expression.

    """

    operators: int
    wanted: int
    low: int = 0
    high: int = HIGHEST
    concept: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= HIGHEST:
            raise ValueError(f"bounds must be 0 <= low <= high <= {HIGHEST}")
        if self.concept is not None and self.concept not in CONCEPTS:
            raise ValueError(f"unknown concept {self.concept!r}; {suggest(self.concept, CONCEPTS)}")

    @property
    def numbers(self) -> str:
        return DIGITS + "".join(NUMBERS.keys() & {self.concept})

    @property
    def symbols(self) -> str:
        return OPERATORS + "".join(PRECEDENCE.keys() & {self.concept})


def draw(what: Draw, *key: object) -> Rows:
    """Distinct prefix expressions in random order.

    With more than two operators, results are neither undefined nor 0, and no result makes up more
    than 5 % of the draw. With two or fewer, the draw has all defined expressions within the bounds,
    up to ``wanted``.

    Args:
        what: The operators, the number of expressions, the bounds.
        key: The name of the random stream; the same key draws the same rows.

    Returns:
        Token codes, a row for each expression.

    """
    if what.operators <= ENUMERATED:
        rows = _enumerated(what)
        rows = rows[_fits(what, rows, zero=True)[0]]
    else:
        rows = _sampled(what, key)
    return rows[permutation(len(rows), *key, "order")][: what.wanted]


def text(row: Row) -> str:
    """The prefix text of a row."""
    return "".join(SYMBOLS[code] for code in row.tolist())


def permutation(size: int, *key: object) -> npt.NDArray[np.intp]:
    """A random order of ``size`` things."""
    return np.argsort(_stream(size * 8, *key).view("<u8"), kind="stable")


def evaluate(rows: Rows) -> tuple[Values, Values]:
    """The result and the largest node value of each prefix row; -1 and -1 where undefined.

    For a row with a value beyond `HIGHEST`, the largest value is also beyond `HIGHEST`, or -1.
    """
    count, length = rows.shape
    stack = np.zeros((length + 2, count), np.int64)
    size = np.zeros(count, np.intp)  # of each row's stack
    largest = np.zeros(count, np.int64)
    undefined = np.zeros(count, bool)
    across = np.arange(count)
    for codes in rows.T[::-1]:
        number = codes < len(NUMBERS)
        i, j = stack[size - 1, across], stack[size - 2, across]
        value = _NUMBER_VALUES[codes]
        for code in np.unique(codes[~number]).tolist():
            selected = np.flatnonzero(codes == code)
            result, wrong = _applied(SYMBOLS[code], i[selected], j[selected])
            value[selected] = result
            undefined[selected[wrong]] = True
        np.maximum(largest, value, out=largest)
        value[value > HIGHEST] = 0  # refused already; keeps later products small
        size += np.where(number, 1, -1)
        stack[size - 1, across] = value
    result = stack[0]
    result[undefined] = largest[undefined] = -1
    return result, largest


_NUMBER_VALUES = np.array([NUMBERS.get(symbol, 0) for symbol in SYMBOLS], np.int64)


def _applied(operator: str, i: Values, j: Values) -> tuple[Values, npt.NDArray[np.bool_]]:
    """Values of ``i operator j``, and a mask of undefined values."""
    none = np.zeros(len(i), bool)
    match operator:
        case "+":
            return i + j, none
        case "-":
            return np.maximum(i - j, 0), none
        case "*":
            return i * j, none
        case "a":
            return np.maximum(i, j), none
        case "b":
            return np.minimum(i, j), none
        case "c":
            return (i + j + 1) // 2, none
        case "/":
            numerator, denominator = i, j
        case "d":
            numerator, denominator = 2 * i * j, i + j
    none = denominator == 0
    return -(-numerator // np.where(none, 1, denominator)), none


def _fits(what: Draw, rows: Rows, *, zero: bool) -> tuple[npt.NDArray[np.bool_], Values]:
    result, largest = evaluate(rows)
    fits = (result >= (0 if zero else 1)) & (largest >= what.low) & (largest <= what.high)
    if what.concept is not None:
        fits &= (rows == CODES[what.concept]).any(axis=1)
    return fits, result


def _sampled(what: Draw, key: tuple[object, ...]) -> Rows:
    limit = int(what.wanted * SAME_RESULT)
    if limit == 0:
        raise ValueError(f"at least {round(1 / SAME_RESULT)} expressions must be drawn at a time")
    drawn: dict[bytes, None] = {}
    counts: Counter[int] = Counter()
    for rows in blocks(what, key):
        fits, results = _fits(what, rows, zero=False)
        for row, result in zip(rows[fits], results[fits].tolist(), strict=True):
            if counts[result] < limit and (name := row.tobytes()) not in drawn:
                drawn[name] = None
                counts[result] += 1
                if len(drawn) == what.wanted:
                    joined = np.frombuffer(b"".join(drawn), np.uint8)
                    return joined.reshape(len(drawn), -1)
    raise AssertionError("blocks do not end")


def blocks(what: Draw, key: tuple[object, ...]) -> Iterator[Rows]:
    """Random rows without end, a block at a time; no bounds apply yet.

    Each row is written from left to right, with a stack of the sizes of the parts to come.
    """
    numbers = np.array([CODES[symbol] for symbol in what.numbers], np.uint8)
    operators = np.array([CODES[symbol] for symbol in what.symbols], np.uint8)
    count = min(max(what.wanted, _MIN_ROWS), _MAX_ROWS)
    length = 2 * what.operators + 1
    across = np.arange(count)
    block = 0
    while True:
        drawn = _stream(4 * count * length, *key, block).view("<u4").reshape(length, count)
        rows = np.empty((length, count), np.uint8)
        todo = np.zeros((what.operators + 2, count), np.int64)
        todo[0] = what.operators
        top = np.zeros(count, np.intp)
        for index, number in enumerate(drawn.astype(np.int64)):
            size = todo[top, across]
            remaining, operator = np.divmod(number, len(operators))
            leaf = size == 0
            rows[index] = np.where(leaf, numbers[number % len(numbers)], operators[operator])
            on_the_left = remaining % np.maximum(size, 1)
            todo[top, across] = size - 1 - on_the_left  # the right part, below the left one
            top += np.where(leaf, -1, 1)
            todo[top, across] = np.where(leaf, todo[top, across], on_the_left)
        yield np.ascontiguousarray(rows.T)
        block += 1


def _enumerated(what: Draw) -> Rows:
    """All prefix expressions with a number of operators, in the order of tokens."""

    def texts(operators: int) -> Iterator[tuple[str, ...]]:
        if operators == 0:
            yield from ((number,) for number in what.numbers)
        for size in range(operators):
            choices = what.symbols, texts(size), list(texts(operators - 1 - size))
            yield from ((root, *i, *j) for root, i, j in product(*choices))

    return np.array([[CODES[symbol] for symbol in row] for row in texts(what.operators)], np.uint8)


def _stream(size: int, *key: object) -> Rows:
    return np.frombuffer(shake_128(repr(key).encode()).digest(size), np.uint8)
