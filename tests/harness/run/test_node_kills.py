"""A sweep and the scoring of a stored run while nodes of a Ray cluster die."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray


def test_nodes_that_die_at_random_cost_no_answer() -> None:
    from tests.perf.harness.node_kills import simulate

    assert simulate(1000, 4000, nodes=1, pause=1.0) >= 1


def test_dead_nodes_that_cannot_be_replaced_cost_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import ray_nodes
    from tests.perf.harness.node_kills import simulate

    add = ray_nodes.add_node

    def once(nodes: Any, **resources: Any) -> Any:
        if resources:  # in place of one that died
            raise TimeoutError("the machine is too busy")
        return add(nodes)

    monkeypatch.setattr(ray_nodes, "add_node", once)
    assert simulate(0, 20_000, nodes=2, pause=0.25) == 2
