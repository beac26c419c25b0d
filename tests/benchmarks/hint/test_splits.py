"""The data sets as a whole: sizes, disjointness, bounds. With the mark slow: all data sets."""

from __future__ import annotations

from collections import Counter

import pytest

from calculus_harness.benchmarks.hint.sampling import Rows, evaluate
from calculus_harness.benchmarks.hint.scoring import notebook_arithmetic, ordinary_answer
from calculus_harness.benchmarks.hint.semantics import CONCEPTS, Expression, parse
from calculus_harness.benchmarks.hint.splits import (
    SPLITS,
    expressions,
    located,
    part,
    split_of,
    split_sizes,
)

pytestmark = pytest.mark.slow

#: Table A1: training, validation, test, and the test splits.
PUBLISHED = {
    None: (998_000, 4_698, 46_620, 9_980, 8_000, 10_000, 8_640, 10_000),
    "x": (1_100, 491, 4_900, 1_100, 900, 1_000, 900, 1_000),
    "y": (1_100, 493, 4_900, 1_100, 900, 1_000, 900, 1_000),
    **dict.fromkeys("abcd", (1_000, 470, 4_700, 1_000, 900, 1_000, 800, 1_000)),
}
#: Percentages of expressions whose truncated ordinary value is HINT's answer: of a simulation of
#: 1,500 unbalanced expressions of a split.
SIMULATED = {"SS": 30, "LS": 9, "LL": 8}


@pytest.mark.parametrize("concept", PUBLISHED)
def test_declared_sizes_are_the_published_ones(concept: str | None) -> None:
    sizes = [sum(split_sizes(split, concept).values()) for split in ("train", *SPLITS)]
    train, _, test, *splits = PUBLISHED[concept]
    assert sizes == [train, *splits]
    assert sum(splits) == test


@pytest.mark.parametrize("concept", CONCEPTS)
def test_few_shot_data_sets(concept: str) -> None:
    check_data_set(concept)


@pytest.mark.slow
def test_the_main_data_set() -> None:
    check_data_set(None)


def check_data_set(concept: str | None, seed: int = 0) -> None:
    """Every invariant holds for every drawn expression."""
    train_quota, val_quota, test_quota = (100, 10, 100) if concept else (100_000, 100, 1_000)
    train_total, val_total, counts = 0, 0, Counter[str]()
    for operators in range(21):
        # Sizes by number of operators.
        drawn = part(seed, operators, concept)
        assert len(drawn.train) == split_sizes("train", concept).get(operators, 0)
        train_total += len(drawn.train)
        val_total += sum(map(len, drawn.val.values()))
        for split in SPLITS:
            size = len(drawn.test.get(split, ()))
            assert size == split_sizes(split, concept).get(operators, 0)
            counts[split] += size

        # Training rows are distinct where there are enough expressions, and split I repeats the
        # first rows.
        train = names(drawn.train)
        assert (operators <= 10) or not train
        if len(train) == train_quota and operators > 2:
            assert len(set(train)) == train_quota
        if "I" in drawn.test:
            assert names(drawn.test["I"]) == train[: len(train) * test_quota // train_quota]
            assert names(drawn.val["I"]) == train[: len(train) * val_quota // train_quota]

        # All other splits hold new expressions, each once.
        held = [*drawn.val.items(), *drawn.test.items()]
        new = [name for split, rows in held if split != "I" for name in names(rows)]
        assert len(set(new)) == len(new)
        assert not set(new) & set(train)

        # Bounds and labels of single expressions.
        for text in expressions(drawn.train[:: max(1, len(drawn.train) // 5_000)]):
            check_expression(parse(text), operators, 100, concept)
        for split, rows in held:
            trained = set(names(rows)) <= set(train)
            for text in expressions(rows):
                read = parse(text)
                check_expression(read, operators, 10_000, concept)
                assert split_of(read, trained=trained) == split
        # No result is too frequent within a pool.
        small = [drawn.train, *(rows for split, rows in held if split in ("SS", "LS"))]
        large = [rows for split, rows in held if split in ("SL", "LL")]
        if operators > 2:
            held_out = val_quota + test_quota
            check_repetitions(small, (train_quota if operators <= 10 else 0) + held_out)
            check_repetitions(large, held_out)
    assert (train_total, val_total, sum(counts.values()), *map(counts.get, SPLITS)) == (
        PUBLISHED[concept]
    )


def check_expression(read: Expression, operators: int, highest: int, concept: str | None) -> None:
    assert len(read.operators) == operators
    assert read.value is not None
    assert read.value > 0 or operators <= 2
    assert read.largest <= highest
    assert concept is None or concept in read.text
    assert not set(read.text) & ({*CONCEPTS} - {concept})


def check_repetitions(drawn: list[Rows], size: int) -> None:
    assert sum(map(len, drawn)) == size
    if size > 5_000:  # reading all would take a minute; the vectorised values are tested elsewhere
        results = Counter(value for rows in drawn for value in evaluate(rows)[0].tolist())
    else:
        results = Counter(parse(text).value for rows in drawn for text in expressions(rows))
    assert max(results.values()) <= int(size * 0.05)


def names(rows: Rows) -> list[bytes]:
    return [row.tobytes() for row in rows]


@pytest.mark.parametrize("concept", [None, "x", "c"])
@pytest.mark.parametrize("split", ["train", *SPLITS])
def test_indices_reach_each_expression_of_a_split(split: str, concept: str | None) -> None:
    sizes = split_sizes(split, concept)
    total = sum(sizes.values())
    assert located(split, 0, concept) == (min(sizes), 0)
    assert located(split, total - 1, concept) == (max(sizes), sizes[max(sizes)] - 1)
    with pytest.raises(IndexError):
        located(split, total, concept)


def test_the_same_seed_gives_the_same_data_and_another_another() -> None:
    data = part(0, 4, "x")
    part.cache_clear()
    again, data_of_another_seed = part(0, 4, "x"), part(1, 4, "x")
    assert names(data.train) == names(again.train) != names(data_of_another_seed.train)
    assert (
        names(data.test["SL"]) == names(again.test["SL"]) != names(data_of_another_seed.test["SL"])
    )


@pytest.mark.parametrize(
    ("operators", "concept", "message"),
    [
        (21, None, "0 to 20 operators"),
        (-1, None, "0 to 20"),
        (3, "z", "unknown concept 'z'"),
    ],
)
def test_what_cannot_be_drawn(operators: int, concept: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        part(0, operators, concept)


@pytest.mark.slow
def test_ordinary_arithmetic_is_right_as_rarely_as_the_simulation_says() -> None:
    for split, simulated in SIMULATED.items():
        right, credited, total = agreement(split, min(split_sizes(split)))
        assert right / total == pytest.approx(simulated / 100, abs=0.025)
        assert credited == right  # no drawn result is 0
    # The whole of SL agrees on 52 %: on all of 2 operators, on 20 % of 10.
    right, _, total = agreement("SL", 2)
    assert right / total == pytest.approx(0.52, abs=0.02)
    right, _, total = agreement("SL", 4)
    assert right / total == pytest.approx(0.42, abs=0.03)
    # Of I, 2 % have the answer 0, for which the notebooks give nothing.
    right, credited, total = agreement("I", 0)
    assert right / total == pytest.approx(0.37, abs=0.02)
    assert 0.01 < (right - credited) / total < 0.03


def agreement(split: str, least: int) -> tuple[int, int, int]:
    """Counts: both arithmetics agree, the notebooks credit HINT's answer, and all expressions."""
    read = [
        parse(text)
        for operators in split_sizes(split)
        if operators >= least
        for text in expressions(part(0, operators).test[split])
    ]
    right = sum(ordinary_answer(expression) == expression.value for expression in read)
    credited = sum(notebook_arithmetic(str(expression.value), expression) for expression in read)
    return right, credited, len(read)
