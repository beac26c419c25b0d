from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from calculus_harness.benchmarks.hint.pools import (
    DRAWN,
    SPLITS,
    VOCABULARY,
    ExpressionPoolError,
    drawn_pools,
    folder_of,
    folder_pools,
    read_pools,
    split_pictures,
)


def test_pools_are_disjoint_and_shared_out_as_in_the_release() -> None:
    pools = drawn_pools(5)
    for symbol in VOCABULARY:
        shares = [set(pools.names[split][folder_of(symbol)]) for split in SPLITS]
        assert len(set.union(*shares)) == sum(map(len, shares)) == DRAWN[symbol]
        assert len(shares[0]) == int(DRAWN[symbol] * 0.75)
        assert len(shares[1]) == int(DRAWN[symbol] * 0.05)
    assert pools.names == drawn_pools(5).names != drawn_pools(6).names


def test_each_picture_is_taken_once_before_any_is_taken_again() -> None:
    pools = drawn_pools(0)
    size = len(pools.names["val"]["1"])
    take = pools.taker("val")
    pictures = [path for _ in range(3 * size) for path in take("1*1") if path[0] == "1"]
    rounds = [pictures[i * size : (i + 1) * size] for i in range(6)]
    assert {frozenset(order) for order in rounds} == {frozenset(rounds[0])}
    assert len(set(rounds[0])) == size
    assert len({tuple(order) for order in rounds}) == 6  # shuffled again
    later = pools.taker("val", {"1": 10, "*": 5})
    assert [path for _ in range(size) for path in later("1*1") if path[0] == "1"] == (
        pictures[10 : 10 + 2 * size]
    )


def test_paths_name_the_symbols_folders() -> None:
    paths = drawn_pools(0).taker("test")("(1*x)/2a3")
    assert [path.partition("/")[0] for path in paths] == (
        ["(", "1", "times", "x", ")", "div", "2", "a", "3"]
    )


def test_pictures_of_ones_own(tmp_path: Path) -> None:
    for symbol in "0123456789+-*/()":
        folder = tmp_path / folder_of(symbol)
        folder.mkdir()
        for i in range(20):
            (folder / f"{i}.jpg").touch()
    pools = folder_pools(tmp_path)
    assert Counter(len(names) for names in pools.names["val"].values()) == {1: 16}
    assert pools.taker("val")("1")[0].endswith(".jpg")
    with pytest.raises(ExpressionPoolError, match="no picture of 'x' for train"):
        pools.taker("train")("x")
    (tmp_path / "div").rename(tmp_path / "divided")
    with pytest.raises(ExpressionPoolError, match="no pictures of /"):
        folder_pools(tmp_path)
    with pytest.raises(ExpressionPoolError, match="no pictures of 0 1 2"):
        folder_pools(tmp_path / "nowhere")


def test_a_symbol_with_too_few_pictures_for_each_part() -> None:
    pools = split_pictures({"1": ["a.jpg", "b.jpg"]})
    assert len(set(pools.taker("train")("11"))) == 1
    with pytest.raises(ExpressionPoolError, match="no picture of '1' for val"):
        pools.taker("val")("1")


def test_the_pools_of_a_release(tmp_path: Path) -> None:
    with pytest.raises(ExpressionPoolError, match="cannot read the pools"):
        read_pools(tmp_path)
    for split in SPLITS:
        (tmp_path / f"sym_{split}.json").write_text(json.dumps({"1": [f"{split}.jpg"]}))
    assert read_pools(tmp_path).taker("val")("11") == ("1/val.jpg", "1/val.jpg")
