"""HINT's data sets: the training set, and the test splits I, SS, LS, SL and LL.

I holds expressions of the training set (with new pictures). The other splits hold new expressions,
by length and by the largest value of any node: short (S, at most 10 operators) or long (L), small
(S, at most 100) or large (L). Sizes are from table A1 of Li et al. 2023. A few-shot data set adds a
concept, contained in every expression. The expressions differ from the released expressions: the
distribution is the same, the random stream is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from .sampling import HIGHEST, Draw, Row, Rows, draw, text
from .semantics import PRECEDENCE, Expression, infix

SPLITS = ("I", "SS", "LS", "SL", "LL")
#: The most operators and the largest value in training; the most operators in a test.
TRAIN_OPERATORS, TRAIN_VALUE, OPERATORS = 10, 100, 20


@dataclass(frozen=True, slots=True)
class Quota:
    """How many expressions of each number of operators are taken for each purpose."""

    train: int
    val: int
    test: int


MAIN, FEWSHOT = Quota(100_000, 100, 1_000), Quota(100, 10, 100)


@dataclass(frozen=True, slots=True)
class Part:
    """The expressions with a number of operators, as rows of prefix codes."""

    train: Rows
    val: Mapping[str, Rows]
    test: Mapping[str, Rows]


@lru_cache(maxsize=256)
def part(seed: int, operators: int, concept: str | None = None) -> Part:
    """Draw all expressions with a number of operators.

    Args:
        seed: The same seed gives the same expressions.
        operators: 0 to 20.
        concept: One of ``xyabcd`` for a few-shot data set, None for the main data set.

    Returns:
        The training rows, and the rows of each split for validation and test. A pool below the
        quota (of 0, 1 and 2 operators) is repeated and leaves no rows for SS.

    """
    if not 0 <= operators <= OPERATORS:
        raise ValueError(f"HINT has 0 to {OPERATORS} operators, not {operators}")
    quota = FEWSHOT if concept else MAIN
    short = operators <= TRAIN_OPERATORS
    train_size = quota.train if short else 0
    held_out = quota.val + quota.test
    key = ("hint", seed, concept, operators)
    small_draw = Draw(operators, train_size + held_out, 0, TRAIN_VALUE, concept)
    small = draw(small_draw, *key, "small")
    if 0 < len(small) < train_size:
        small = _repeated(small, operators, train_size, concept)
    large = draw(Draw(operators, held_out, TRAIN_VALUE + 1, HIGHEST, concept), *key, "large")
    train, unseen = small[:train_size], small[train_size:]
    length = "S" if short else "L"

    def held(size: int, new: slice, beyond: slice) -> dict[str, Rows]:
        seen = len(train) * size // quota.train
        subsets = {"I": train[:seen], f"{length}S": unseen[new], f"{length}L": large[beyond]}
        return {split: rows for split, rows in subsets.items() if len(rows)}

    val, test = slice(quota.val), slice(quota.val, None)
    return Part(train, held(quota.val, val, val), held(quota.test, test, test))


def _repeated(rows: Rows, operators: int, size: int, concept: str | None) -> Rows:
    """A pool smaller than the quota, repeated as in the release: the main sets of 0 and 1 operators
    a fixed number of times, any other until the quota is full.
    """
    times = {0: 2_000, 1: 200}.get(operators) if concept is None else None
    return np.tile(rows, (times or size // len(rows) + 1, 1))[:size]


def expressions(rows: Iterable[Row]) -> list[str]:
    """The infix texts of prefix rows."""
    return [infix(text(row)) for row in rows]


def split_of(expression: Expression, *, trained: bool) -> str:
    """The split of an expression, as labelled in the release.

    Args:
        expression: A test expression.
        trained: Whether the expression is in the training set.

    >>> from .semantics import parse
    >>> split_of(parse("9*(9+9)"), trained=False)
    'SL'

    """
    if trained:
        return "I"
    length = "S" if len(expression.operators) <= TRAIN_OPERATORS else "L"
    return length + ("S" if expression.largest <= TRAIN_VALUE else "L")


@cache
def split_sizes(split: str, concept: str | None = None) -> Mapping[int, int]:
    """The number of expressions of a split, by the number of operators.

    Args:
        split: ``train``, one of `SPLITS` (for test), or ``I_distinct``: I without repetitions.
        concept: One of ``xyabcd`` for a few-shot data set, None for the main data set.

    """
    long = split in ("LS", "LL")
    counts = range(TRAIN_OPERATORS + 1, OPERATORS + 1) if long else range(TRAIN_OPERATORS + 1)
    quota = FEWSHOT if concept else MAIN
    sizes = dict.fromkeys(counts, quota.train if split == "train" else quota.test)
    if concept is None:
        sizes |= _FEW.get(split, {})
    else:
        sizes |= dict.fromkeys(counts[: _LEAST.get(split, (0, 1))[concept in PRECEDENCE]], 0)
    return {count: size for count, size in sizes.items() if size}


#: The fewest operators of expressions with a concept: a number, an operator.
_LEAST = {"SS": (2, 2), "SL": (2, 3), "LS": (0, 0), "LL": (0, 0)}
#: What the pools of 0, 1 and 2 operators come to in the main data set (10, 390, 29230 expressions
#: of small values, 740 of large ones).
_FEW: dict[str, dict[int, int]] = {
    "train": {0: 20_000, 1: 78_000},
    "I": {0: 200, 1: 780},
    "I_distinct": {0: 10, 1: 390},
    "SS": {0: 0, 1: 0, 2: 0},
    "SL": {0: 0, 1: 0, 2: 640},
}


def located(split: str, index: int, concept: str | None = None) -> tuple[int, int]:
    """The number of operators of a split's expression, and the index among such expressions."""
    row = index
    for operators, size in split_sizes(split, concept).items():
        if row < size:
            return operators, row
        row -= size
    raise IndexError(f"{split} has no expression {index}")
