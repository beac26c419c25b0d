"""A Ray cluster of node processes on the local machine, for tests."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from calculus_harness.rewards.workers.ray_connection import NICENESS

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]
#: Without the process that each node has for logs, which nobody reads.
LEAN: dict[str, Any] = {"include_log_monitor": False}


@contextmanager
def ray_nodes(**head: Any) -> Iterator[Any]:
    """A cluster with a node; more nodes may be added. The test's process is the driver.

    The nodes import the package from the checkout, for any driver.
    """
    import ray
    from ray.cluster_utils import Cluster

    # Ray notices a dead node after five periods; for one that is slow to answer it waits longer.
    settings = LEAN | {
        "include_dashboard": False,
        "_system_config": {"health_check_period_ms": 200},
    }
    path_before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ[NICENESS] = "0"  # otherwise they starve on a busy machine
    os.environ["RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"] = "120"  # it is 5 otherwise
    cluster = None
    try:
        cluster = patiently(
            Cluster, initialize_head=True, head_node_args={"num_cpus": 1, **settings, **head}
        )
        ray.init(address=cluster.address, log_to_driver=False)
        yield cluster
    finally:
        ray.shutdown()
        if cluster is not None:
            cluster.shutdown()
        del os.environ["PYTHONPATH"]
        if path_before is not None:
            os.environ["PYTHONPATH"] = path_before


def add_node(nodes: Any, **resources: Any) -> Any:
    """A further node, with a single CPU by default."""
    return patiently(nodes.add_node, **{"num_cpus": 1, **LEAN, **resources})


def patiently(make: Callable[..., Any], tries: int = 3, **arguments: Any) -> Any:
    """A node or cluster: Ray waits half a minute for a node, too short on a busy machine."""
    try:
        return make(**arguments)
    except Exception:
        if tries == 1:
            raise
        return patiently(make, tries - 1, **arguments)


def while_nodes_die(
    action: Callable[[], T], nodes: Any, *, count: int, seed: int, pause: float
) -> tuple[T, int]:
    """The result of an action, and the number of nodes that died meanwhile.

    ``count`` nodes with a CPU each run beside the head node. At instants up to ``2 * pause``
    seconds apart, even before the first result, a node dies and another node joins.
    """
    chance, died = random.Random(seed), 0
    living = [add_node(nodes) for _ in range(count)]
    nodes.wait_for_nodes()
    with ThreadPoolExecutor(1) as threads:  # Ray starts nodes in the main thread alone
        future = threads.submit(action)
        while wait([future], chance.uniform(0, 2 * pause)).not_done:
            if living:
                doomed = living.pop(chance.randrange(len(living)))
                nodes.remove_node(doomed, allow_graceful=False)
                died += 1
            for _ in range(count - len(living)):
                with suppress(Exception):  # too busy a machine: the next time
                    living.append(add_node(nodes, tries=1))
    for node in living:
        nodes.remove_node(node, allow_graceful=False)
    return future.result(), died


def wait_until(true: Callable[[], object], seconds: float = 300) -> None:
    """Wait for a condition; the limit is for a very busy machine."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
