"""Extrapolation by operators: the number of operators, and problems by address."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.registry import resolve


def drawn(name: str, count: int) -> list[int]:
    declared = load(f"brittleness/{name}", limit=count)
    return [problem.metadata["operators"]["drawn"] for problem in declared]  # type: ignore[index,call-overload]


@pytest.mark.parametrize("count", [20, 25, 30, 35])
def test_exactly_so_many_operators(count: int) -> None:
    assert set(drawn(f"operators_{count}", 3)) == {count}


@pytest.mark.parametrize(
    ("name", "max_operators"), [("operators_15", 15), ("operators_up_to_20", 20)]
)
def test_up_to_so_many_operators(name: str, max_operators: int) -> None:
    counts = drawn(name, 25)
    assert max(counts) <= max_operators
    assert len(set(counts)) > 5
    assert max(counts) > max_operators // 2


def test_they_are_the_familys_own() -> None:
    (subset,) = resolve("brittleness/operators_20")
    problem = subset.problem(3, 1)
    assert problem.name == "brittleness/operators_20"
    assert problem == subset.problem(3, 1)
    assert problem.content_hash != subset.problem(4, 1).content_hash
    assert problem.target.reference is not None
    assert subset.endless
