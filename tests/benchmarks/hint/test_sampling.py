from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import product

import numpy as np
import pytest

from calculus_harness.benchmarks.hint import sampling
from calculus_harness.benchmarks.hint.sampling import (
    Draw,
    blocks,
    draw,
    evaluate,
    permutation,
    text,
)
from calculus_harness.benchmarks.hint.semantics import NUMBERS, infix, parse
from tests.benchmarks.hint import independent


def texts(what: Draw, *key: object) -> list[str]:
    return [infix(text(row)) for row in draw(what, *key)]


@pytest.mark.parametrize(
    ("operators", "low", "high", "count"),
    [
        (0, 0, 100, 10),
        (1, 0, 100, 390),
        (2, 0, 100, 29_230),
        (1, 101, 10_000, 0),
        (2, 101, 10_000, 740),
    ],
)
def test_pools_of_few_operators_hold_what_the_release_counts(
    operators: int, low: int, high: int, count: int
) -> None:
    drawn = texts(Draw(operators, 10**6, low, high), 0)
    assert len(drawn) == len(set(drawn)) == count


@pytest.mark.parametrize("concept", [None, *"xyabcd"])
def test_pools_of_one_operator_are_complete(concept: str | None) -> None:
    numbers = [*"0123456789", *({concept} & {*"xy"})]
    symbols = [*"+-*/", *({concept} & {*"abcd"})]
    expected = set()
    for i, symbol, j in product(numbers, symbols, numbers):
        value = independent.value(f"{i}{symbol}{j}")
        if value is not None and max(value, NUMBERS[i], NUMBERS[j]) <= 100:
            expected |= (
                {f"{i}{symbol}{j}"} if concept is None or concept in i + symbol + j else set()
            )
    assert set(texts(Draw(1, 1000, 0, 100, concept), 1)) == expected


@pytest.mark.parametrize("concept", [None, "x", "d"])
@pytest.mark.parametrize(("low", "high"), [(0, 100), (101, 10_000)])
@pytest.mark.parametrize("operators", [3, 10, 20])
def test_drawn_expressions_obey_the_rules(
    operators: int, low: int, high: int, concept: str | None
) -> None:
    drawn = texts(Draw(operators, 200, low, high, concept), "rules")
    read = [parse(expression) for expression in drawn]
    assert len(drawn) == len(set(drawn)) == 200
    assert {len(expression.operators) for expression in read} == {operators}
    assert all(low <= expression.largest <= high for expression in read)
    assert all(expression.value for expression in read)  # neither undefined nor 0
    assert max(Counter(expression.value for expression in read).values()) <= 10  # 5 %
    assert all(concept is None or concept in expression for expression in drawn)


def test_results_reach_the_bound_on_repetitions() -> None:
    counts = Counter(parse(expression).value for expression in texts(Draw(6, 1000, 0, 100), 0))
    assert max(counts.values()) == 50
    assert sum(count == 50 for count in counts.values()) >= 4


def test_rows_are_valued_as_the_parser_values_them() -> None:
    for concept in (None, "a", "b", "c", "d", "y"):
        rows = next(blocks(Draw(7, 1100, concept=concept), ("values", concept)))
        results, largest = evaluate(rows)
        for row, result, largest_value in zip(rows, results, largest, strict=True):
            read = parse(infix(text(row)))
            if read.value is None:
                assert result == -1 or largest_value > sampling.HIGHEST
            elif read.largest <= sampling.HIGHEST:
                assert (result, largest_value) == (read.value, read.largest)
            else:
                assert largest_value > sampling.HIGHEST or largest_value == -1


def test_trees_are_drawn_as_the_release_draws_them() -> None:
    """A uniform operator, a uniform size of the left part, uniform numbers."""
    rows = np.concatenate(
        [row for row, _ in zip(blocks(Draw(3, 32_768), ("u",)), range(4), strict=False)]
    )
    names = [text(row) for row in rows]
    assert abs_error(Counter(name[0] for name in names), 4) < 0.02
    sizes = Counter(map(left_size, names))
    assert set(sizes) == {0, 1, 2}
    assert abs_error(sizes, 3) < 0.02
    assert abs_error(Counter(s for name in names for s in name if s.isdigit()), 10) < 0.02
    assert abs_error(Counter(name[1] for name in names if left_size(name)), 4) < 0.03


def left_size(prefix: str) -> int:
    """The operators of the left part of a prefix expression."""
    open_, end = 1, 1
    while open_:
        open_ += -1 if prefix[end].isdigit() else 1
        end += 1
    return sum(not symbol.isdigit() for symbol in prefix[1:end])


def abs_error(counts: Counter[object], outcomes: int) -> float:
    """The largest relative deviation from a uniform distribution."""
    mean = sum(counts.values()) / outcomes
    return max(abs(count / mean - 1) for count in counts.values()) if len(counts) == outcomes else 1


def test_the_same_key_draws_the_same_bytes_everywhere() -> None:
    rows = b"".join(
        draw(Draw(n, 100, low, high, concept), 0, n).tobytes()
        for n, low, high, concept in [(2, 0, 100, None), (5, 0, 100, "c"), (15, 101, 10_000, "x")]
    )
    assert sha256(rows).hexdigest()[:16] == "f59c387e67debe66"
    assert draw(Draw(5, 100), 1).tobytes() != draw(Draw(5, 100), 2).tobytes()


def test_a_permutation_holds_each_place_once() -> None:
    assert sorted(permutation(1000, "p")) == list(range(1000))
    assert list(permutation(1000, "p")) != list(permutation(1000, "q"))
    assert len(permutation(0, "p")) == 0


@pytest.mark.parametrize(("low", "high"), [(-1, 5), (7, 6), (0, 10_001)])
def test_bounds_that_cannot_be(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="0 <= low <= high <= 10000"):
        Draw(3, 100, low, high)


def test_too_few_to_bound_repetitions() -> None:
    with pytest.raises(ValueError, match="at least 20 expressions"):
        draw(Draw(3, 19), 0)
