"""A sweep and the scoring of a stored run while nodes of a Ray cluster die."""

from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray


def test_nodes_that_die_at_random_cost_no_answer() -> None:
    from tests.perf.harness.node_kills import simulate

    assert simulate(1000, 4000, nodes=1, pause=1.0) >= 1
