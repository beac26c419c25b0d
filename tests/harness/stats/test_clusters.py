"""Clusters: problems with a common original."""

from __future__ import annotations

from dataclasses import replace

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.payloads import IntegrationInputs, IntegrationTarget
from calculus_harness.benchmarks.problem import Parent
from calculus_harness.harness.core.requests import problem_key
from calculus_harness.harness.stats.clusters import ParentIndex, clusters_of


def problem(
    name: str, pair: str | None = None, parents: tuple[str, ...] = (), of: str = "bee/s"
) -> Problem:
    benchmark, _, subset = of.partition("/")
    return Problem(
        id=name,
        task="integration",
        benchmark=benchmark,
        subset=subset,
        inputs=IntegrationInputs("x", "x"),
        target=IntegrationTarget("x", "x"),
        pair_parent=pair,
        parents=tuple(Parent(parent, "g") for parent in parents),
    )


def clusters(*problems: Problem) -> dict[str, str]:
    return clusters_of({problem_key(item): item for item in problems})


def test_clusters_follow_the_original_through_generations() -> None:
    cluster_of = clusters(
        problem("a"),
        problem("b", "a", ("q", "a")),
        problem("c", None, ("b",)),
        problem("d", "gone"),
        problem("e", "gone"),
        problem("x", "y"),
        problem("y", "x"),
    )
    assert cluster_of["bee/s/a"] == cluster_of["bee/s/b"] == cluster_of["bee/s/c"] == "bee/s/a"
    assert cluster_of["bee/s/d"] == cluster_of["bee/s/e"] == "bee:gone"
    assert cluster_of["bee/s/x"]


def test_the_same_ids_in_two_benchmarks_are_different_problems() -> None:
    """Problems derived from namesakes stay in separate clusters, in either order."""
    ours = [problem("0001", of="mine/s"), problem("0001-shift", "0001", of="mine/hard")]
    theirs = [problem("0001", of="yours/s"), problem("0001-shift", "0001", of="yours/hard")]
    for order in ([*ours, *theirs], [*theirs, *ours]):
        cluster_of = clusters(*order)
        assert cluster_of["mine/hard/0001-shift"] == cluster_of["mine/s/0001"] == "mine/s/0001"
        assert cluster_of["yours/hard/0001-shift"] == cluster_of["yours/s/0001"] == "yours/s/0001"


def test_one_id_in_two_subsets_may_be_one_problem_or_two() -> None:
    twice = clusters(problem("x-5", of="bee/all"), problem("x-5", of="bee/paper"))
    assert set(twice.values()) == {"bee/all/x-5"}
    pair = [problem("1", of="mine/easy"), replace(problem("1", of="mine/hard"), inputs={"n": 2})]
    children = [problem("1b", "1", of="mine/easy"), problem("1c", "1", of="mine/hard")]
    for order in (pair, pair[::-1]):
        cluster_of = clusters(*order, *children)
        assert cluster_of["mine/easy/1b"] == cluster_of["mine/easy/1"] == "mine/easy/1"
        assert cluster_of["mine/hard/1c"] == cluster_of["mine/hard/1"] == "mine/hard/1"


def test_a_child_may_have_the_id_of_its_parent() -> None:
    child = replace(problem("1", "1", of="mine/shifted"), inputs={"n": 2})
    original = problem("1", of="mine/plain")
    for order in ((child, original), (original, child)):
        assert set(clusters(*order).values()) == {"mine/plain/1"}


def test_a_parent_may_be_another_benchmarks() -> None:
    parent, child = problem("c1", of="bee/bank"), problem("n1", "c1", of="brittleness/neighbours")
    by_key = {problem_key(item): item for item in (parent, child)}
    assert ParentIndex(by_key).find(child, "c1") == "bee/bank/c1"
    assert ParentIndex(by_key).find(child, "c2") is None
    assert set(clusters_of(by_key).values()) == {"bee/bank/c1"}
