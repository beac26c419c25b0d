"""Workers on a real Ray cluster on the local machine: the same verdicts after any failure."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import score, sweep
from calculus_harness.harness.store.run import Run
from calculus_harness.rewards import use_cluster, verify_definite_integral, verify_many
from calculus_harness.rewards.workers import cluster as cluster_module
from calculus_harness.rewards.workers.cluster import Cluster, ClusterPool
from calculus_harness.rewards.workers.errors import PoolError
from calculus_harness.rewards.workers.pool import make_pool
from tests.ray_nodes import add_node, ray_nodes, wait_until

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray

N = 600
ANSWERS = [rf"\frac{{x^{{{i + 1}}}}}{{{i + 1}}}" if i % 3 else "x" for i in range(N)]
INTEGRANDS = [f"x^{{{i}}}" for i in range(N)]


def statuses() -> list[str]:
    return [str(verdict.status) for verdict in verify_many(ANSWERS, INTEGRANDS)]


EXPECTED = ["correct" if i % 3 or i == 0 else "incorrect" for i in range(N)]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of node processes; each test may add some."""
    with ray_nodes() as cluster:
        yield cluster


def meanwhile(action: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=action)
    thread.start()
    return thread


def test_verdicts_are_those_of_this_machine(nodes: Any) -> None:
    with use_cluster() as cluster:
        assert isinstance(make_pool(), ClusterPool)
        assert make_pool().size == cluster.size == 1
        assert statuses() == EXPECTED
        assert verify_definite_integral("1", r"\int_0^1 2x\,dx").correct
    assert not isinstance(make_pool(), ClusterPool)


def test_limits_and_bad_items_are_those_of_this_machine(nodes: Any) -> None:
    completions = ["x", "x^{2", r"\frac{x^2}{2}"]
    local = verify_many(completions, ["1", "x", "x^"])
    with use_cluster():
        remote = verify_many(completions, ["1", "x", "x^"])
    assert [(v.status, v.evidence.flags) for v in remote] == [
        (v.status, v.evidence.flags) for v in local
    ]


def test_a_node_that_dies_costs_no_verdict(nodes: Any) -> None:
    doomed = add_node(nodes)
    nodes.wait_for_nodes()
    with use_cluster() as cluster:
        assert cluster.size == 2
        verify_many(ANSWERS[:8], INTEGRANDS[:8])  # its workers have begun
        thread = meanwhile(lambda: (time.sleep(0.05), nodes.remove_node(doomed, False)))
        assert [v for _ in range(4) for v in statuses()] == 4 * EXPECTED
        thread.join()

        def given_up() -> bool:
            # Its actor may go on answering for a while.
            assert statuses() == EXPECTED
            return cluster.size == 1

        wait_until(given_up)


def test_a_node_that_joins_later_is_used(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "JOIN_SECONDS", 0.2)
    with use_cluster() as cluster:
        wait_until(lambda: cluster.size == 1)
        added = add_node(nodes, num_cpus=2)
        wait_until(lambda: cluster.size == 3)
        assert statuses() == EXPECTED
        nodes.remove_node(added, False)
        wait_until(lambda: cluster.size == 1)  # found without a call, too
        assert statuses() == EXPECTED


def test_an_actor_that_dies_is_replaced(nodes: Any) -> None:
    with use_cluster() as cluster:
        (node,) = cluster._nodes.values()
        thread = meanwhile(lambda: (time.sleep(0.05), ray.kill(node.actor)))
        assert [v for _ in range(4) for v in statuses()] == 4 * EXPECTED
        thread.join()

        def replaced() -> bool:
            assert statuses() == EXPECTED
            return node not in cluster._nodes.values() and cluster.size == 1

        wait_until(replaced)


def test_a_node_that_seems_alive_uses_up_no_tries_of_another(
    nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = ray.nodes()
    # Ray lists a node that died as alive for a while; actors cannot start on it.
    ghost = {**listed[0], "NodeID": "e" * len(listed[0]["NodeID"]), "Alive": True}
    times = []

    def also_the_ghost() -> list[dict[str, Any]]:
        times.append(time.monotonic())
        return [ghost, *listed]

    monkeypatch.setattr(ray, "nodes", also_the_ghost)
    monkeypatch.setattr(cluster_module, "LOOK_SECONDS", 0.02)
    with use_cluster() as cluster:
        wait_until(lambda: len(times) > 2 * cluster_module.MAX_TRIES)
        (node,) = cluster._nodes.values()
        ray.kill(node.actor)
        assert statuses() == EXPECTED


def test_two_processes_share_the_actors(nodes: Any) -> None:
    @ray.remote(num_cpus=0)
    class RewardWorker:
        def judge(self) -> list[str]:
            from calculus_harness.rewards import use_cluster, verify_many

            with use_cluster():
                return [str(v.status) for v in verify_many(ANSWERS, INTEGRANDS)]

    def actors() -> set[str]:
        return {actor["name"] for actor in ray.util.list_named_actors(all_namespaces=True)}

    with use_cluster():
        actors_before = actors()
        a, b = RewardWorker.remote(), RewardWorker.remote()
        assert ray.get([a.judge.remote(), b.judge.remote()], timeout=300) == [EXPECTED] * 2
        assert actors() <= actors_before  # those of nodes that died may be listed for a while


def test_another_version_on_a_node(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "our_version", lambda: "0.0.1")
    with pytest.raises(PoolError, match=r"another version .* than this process \(0\.0\.1\)"):
        Cluster()


def test_cpus_that_are_not_free(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @ray.remote(num_cpus=1)
    class Holder:
        def held(self) -> bool:
            return True

    for actor in ray.util.list_named_actors(all_namespaces=True):
        with contextlib.suppress(ValueError):  # it has ended already
            ray.kill(ray.get_actor(actor["name"], namespace=actor["namespace"]))
    holder = Holder.remote()
    assert ray.get(holder.held.remote(), timeout=300)
    monkeypatch.setattr(cluster_module, "START_SECONDS", 2.0)
    with pytest.raises(PoolError, match=r"CPUs of node .* are not free"):
        Cluster()
    ray.kill(holder)


def test_runs_are_scored_alike(nodes: Any, tmp_path: Path) -> None:
    with use_cluster():
        sweep(["solver/sympy"], ["drills"], limit=4, out=tmp_path / "there")
    sweep(["solver/sympy"], ["drills"], limit=4, out=tmp_path / "here")
    with use_cluster():
        score(tmp_path / "there")

    def verdicts(name: str) -> list[tuple[str, str]]:
        run = Run(tmp_path / name)
        rows = run.verdicts(run.policies[0]).rows()
        return sorted((row["problem"], row["status"]) for row in rows)

    assert verdicts("here") == verdicts("there")
