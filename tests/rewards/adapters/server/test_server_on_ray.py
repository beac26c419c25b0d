"""The reward server on a real Ray cluster: replicas, health, limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
from calculus_harness.rewards.adapters.server.on_ray import Replica, deployed
from calculus_harness.rewards.adapters.server.service import RewardServer, ServerLimits
from calculus_harness.rewards.errors import UserError
from tests.ray_nodes import ray_nodes, wait_until

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytest.importorskip("fastapi", reason="ray[serve] is not installed")
pytestmark = pytest.mark.ray

GOOD = {"completion": r"$\boxed{x^2}$", "target": "2x"}
BAD = {"completion": r"$\boxed{x^3}$", "target": "2x"}


def server(**limits: Any) -> RewardServer:
    return RewardServer(make_reward_func(workers=1), ServerLimits(**limits))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ray_nodes(num_cpus=2), deployed(server(batch=4, body=20_000), "127.0.0.1", port) as count:
        assert count == 2
        yield f"http://127.0.0.1:{port}"


def ask(url: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(url, data, timeout=120) as reply:
            return reply.status, json.load(reply)
    except HTTPError as error:
        return error.code, json.load(error)


def rewards(reply: tuple[int, Any]) -> list[float]:
    return [item["reward"] for item in reply[1]["scores"]]


def test_replies_are_those_of_the_server(address: str) -> None:
    assert rewards(ask(f"{address}/score", {"items": [GOOD, BAD]})) == [1.0, 0.0]
    query = {"query": [r"2x: $\boxed{x^2}$"], "prompts": ["2x:"], "labels": ["2x"]}
    assert ask(f"{address}/get_reward", query)[1]["rewards"] == [1.0]
    assert ask(f"{address}/health")[1]["status"] == "ok"
    assert ask(f"{address}/score", [])[0] == 400
    assert ask(f"{address}/score", {"items": [GOOD] * 5})[0] == 413
    assert ask(f"{address}/score", {"items": [GOOD | {"completion": "x" * 20_000}]})[0] == 413
    assert ask(f"{address}/nothing", {})[0] == 404
    assert ask(f"{address}/score")[0] == 405


def test_a_replica_that_dies_is_replaced(address: str) -> None:
    processes: set[int] = set()

    def both() -> bool:
        """Whether two replicas have answered since the last call; a replica may be dying."""
        with contextlib.suppress(OSError, ValueError):
            processes.add(ask(f"{address}/health")[1]["process"])
        return len(processes) == 2

    wait_until(both)
    killed = min(processes)
    os.kill(killed, signal.SIGKILL)
    processes.remove(killed)
    wait_until(both)
    assert killed not in processes
    assert rewards(ask(f"{address}/score", {"items": [GOOD]})) == [1.0]


def test_too_many_replicas_are_refused(address: str) -> None:
    for count, why in ((3, "room for 2"), (1, "0 of the cluster's 2 are free")):
        with (
            pytest.raises(UserError, match=why),
            deployed(server(), "127.0.0.1", 1, replicas=count),
        ):
            pass


def test_health_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="another version"):
        Replica(server(), "0.0.1")
    from calculus_harness.rewards.workers.ray_connection import our_version

    served = server()
    replica = Replica(served, our_version())
    asyncio.run(replica.check_health())
    assert served.scored == 0
    monkeypatch.setattr("sys.executable", "")  # no worker can be started
    without = RewardServer(make_reward_func(workers=3))
    with pytest.raises(RuntimeError, match="no workers"):
        asyncio.run(Replica(without, our_version()).check_health())
