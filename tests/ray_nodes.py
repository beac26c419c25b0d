"""A Ray cluster of node processes on this machine, for tests."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def ray_nodes(**head: Any) -> Iterator[Any]:
    """A cluster with one node, to which others may be added; this process is its driver.

    Its nodes import the package from this checkout, for whatever driver.
    """
    import ray
    from ray.cluster_utils import Cluster

    # Ray notices a dead node after five periods.
    settings = {"include_dashboard": False, "_system_config": {"health_check_period_ms": 1000}}
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"] = "120"  # it is 5 otherwise
    made = None
    try:
        made = patiently(
            Cluster, initialize_head=True, head_node_args={"num_cpus": 1, **settings, **head}
        )
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        if made is not None:
            made.shutdown()
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def patiently(make: Callable[..., Any], tries: int = 3, **arguments: Any) -> Any:
    """A node or cluster: Ray waits half a minute for one, which is short on a busy machine."""
    try:
        return make(**arguments)
    except Exception:
        if tries == 1:
            raise
        return patiently(make, tries - 1, **arguments)


@contextmanager
def kills(nodes: Any, count: int, seed: int, pause: float) -> Iterator[list[float]]:
    """Meanwhile nodes die and others join, at instants that are up to ``2 * pause`` seconds apart.

    So many nodes with one CPU are there at any time, beside the head node. Yields the instants.
    """
    chance, stop, instants = random.Random(seed), threading.Event(), list[float]()
    living = [patiently(nodes.add_node, num_cpus=1) for _ in range(count)]

    def kill() -> None:
        while not stop.wait(chance.uniform(0, 2 * pause)):
            nodes.remove_node(living.pop(chance.randrange(count)), allow_graceful=False)
            instants.append(time.monotonic())
            living.append(patiently(nodes.add_node, num_cpus=1))

    nodes.wait_for_nodes()
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield instants
    finally:
        stop.set()
        thread.join()


def wait_until(true: Callable[[], object], seconds: float = 300) -> None:
    """Wait for a condition; the limit is for a machine that is very busy."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
