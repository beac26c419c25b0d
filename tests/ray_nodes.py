"""A Ray cluster of node processes on this machine, for tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def ray_nodes(**head: Any) -> Iterator[Any]:
    """A cluster with one node, to which others may be added; this process is its driver."""
    import ray
    from ray.cluster_utils import Cluster

    # Ray notices a dead node after five periods.
    settings = {"include_dashboard": False, "_system_config": {"health_check_period_ms": 1000}}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **settings, **head})
    try:
        ray.init(
            address=made.address,
            log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}},
        )
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def wait_until(true: Callable[[], object], seconds: float = 300) -> None:
    """Wait for a condition; the limit is for a machine that is very busy."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
