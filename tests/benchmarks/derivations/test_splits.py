"""Data sets: the paper's proportions, balanced, without leaks, the same by all workers."""

from __future__ import annotations

from collections import Counter

import pytest

from calculus_harness.benchmarks.derivations.calculus import INTEGRATION
from calculus_harness.benchmarks.derivations.splits import (
    Row,
    SplitSizes,
    data_splits,
)
from calculus_harness.benchmarks.derivations.subsets import step_problem

SMALL = SplitSizes(24, 6, 8)


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Row]]:
    return data_splits(3, SMALL, 7, workers=1)


def test_sizes_are_table_5s() -> None:
    assert SplitSizes.of(20_000, test_share=5) == SplitSizes(20_000, 5_000, 4_000)
    assert SplitSizes.of(32_000, test_share=8) == SplitSizes(32_000, 8_000, 4_000)


def test_sizes_balance_and_no_leaks(splits: dict[str, list[Row]]) -> None:
    sizes = {name: len(rows) for name, rows in splits.items()}
    assert sizes == {"train": 24, "validation": 6, "static": 8, "VR": 8, "EE": 8, "AR": 8}
    for rows in splits.values():
        assert Counter(row["label"] for row in rows) == {0: len(rows) // 2, 1: len(rows) // 2}
    groups = [{row["group"] for row in splits[name]} for name in ("train", "validation", "static")]
    assert sum(map(len, groups)) == len(set.union(*groups))
    texts = [row["text"] for name in ("train", "validation", "static") for row in splits[name]]
    assert len(set(texts)) == len(texts)


def test_perturbed_rows_are_twins_of_the_static_ones(splits: dict[str, list[Row]]) -> None:
    static = splits["static"]
    for name, flip in (("VR", False), ("EE", False), ("AR", True)):
        for twin, origin in zip(splits[name], static, strict=True):
            assert twin["pair"] == origin["id"]
            assert (twin["label"] != origin["label"]) == flip
            if name == "AR":
                assert twin["text"].split(" [SEP] ")[2] == origin["text"].split(" [SEP] ")[2]
                assert twin["text"].split(" [SEP] ")[1] != origin["text"].split(" [SEP] ")[1]


def test_rows_are_the_problems_of_the_benchmark(splits: dict[str, list[Row]]) -> None:
    for name in ("static", "VR", "EE", "AR"):
        for row in splits[name][:4]:
            index = int(row["pair"].rpartition("-")[2])
            perturbation = None if name == "static" else name
            problem = step_problem(3, 7, index, perturbation=perturbation)
            assert problem.inputs.sequence == row["text"]
            assert problem.target.label == row["label"]
            assert problem.id == row["id"]


@pytest.mark.slow
def test_the_same_by_two_workers(splits: dict[str, list[Row]]) -> None:
    assert data_splits(3, SMALL, 7, workers=2) == splits


def test_the_test_set_does_not_depend_on_the_training_set(splits: dict[str, list[Row]]) -> None:
    alone = data_splits(3, SplitSizes(0, 0, 8), 7, workers=1)
    assert alone["static"] == splits["static"]
    assert alone["AR"] == splits["AR"]


def test_calculus() -> None:
    generated = data_splits(INTEGRATION, SplitSizes(20, 4, 6), 1, workers=1)
    sizes = {name: len(rows) for name, rows in generated.items()}
    assert sizes == {"train": 20, "validation": 4, "static": 6, "VR": 6, "EC": 6, "easy": 6}
    for twin, origin in zip(generated["EC"], generated["static"], strict=True):
        assert (twin["pair"], twin["label"]) == (origin["id"], origin["label"])
