"""The reward server: response shapes, limits, a load test on loopback, and the stop."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
from calculus_harness.rewards.adapters.server.bodies import BadRequestError
from calculus_harness.rewards.adapters.server.http import Endpoint, serving
from calculus_harness.rewards.adapters.server.service import RewardServer, ServerLimits
from calculus_harness.rewards.adapters.server.shapes import understood
from calculus_harness.rewards.errors import UserError

ROOT = Path(__file__).resolve().parents[4]
RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."

pytestmark = pytest.mark.serve


def server(limits: ServerLimits | None = None, **rubric: Any) -> RewardServer:
    return RewardServer(make_reward_func(**rubric), limits or ServerLimits())


@asynccontextmanager
async def client(
    served: RewardServer,
) -> AsyncIterator[Callable[..., Awaitable[tuple[int, Any, Any]]]]:
    """A running server and a function that posts to the server: status, body, headers."""
    import aiohttp

    async with serving(served, Endpoint()) as address, aiohttp.ClientSession(address) as session:

        async def post(body: Any, path: str = "/score") -> tuple[int, Any, Any]:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            async with session.post(path, data=data) as response:
                return response.status, await response.json(content_type=None), response.headers

        yield post


def ask(served: RewardServer, body: Any, path: str = "/score") -> tuple[int, Any, Any]:
    async def run() -> tuple[int, Any, Any]:
        async with client(served) as post:
            return await post(body, path)

    return asyncio.run(run())


def items(*texts: str) -> dict[str, Any]:
    return {"items": [{"completion": text, "integrand": "2x"} for text in texts]}


def test_plain_shape() -> None:
    rows = items(RIGHT, WRONG)["items"]
    rows.append({"completion": RIGHT, "integrand": "2x+"})
    rows.append({"completion": r"\boxed{t^2}", "target": {"integrand": "2t", "variable": "t"}})
    rows.append({"completion": r"\boxed{t^2}", "integrand": "2t", "variable": "t"})
    rows.append({"completion": RIGHT + r"\boxed{", "integrand": "2x", "truncated": True})
    status, body, _ = ask(server(), {"items": rows})
    assert status == 200
    assert [s["reward"] for s in body["scores"]] == [1.0, 0.0, None, 1.0, 1.0, 0.0]
    assert body["scores"][0]["answer"] == "x^2 + C"
    assert body["scores"][2]["status"] == "bad_problem"
    assert "unreadable integrand" in body["scores"][2]["detail"]


@pytest.mark.parametrize("path", ["/score", "/get_reward"])
def test_openrlhfs_shape(path: str) -> None:
    queries = {"query": ["P" + RIGHT, "P" + WRONG], "prompts": ["P", "P"], "labels": ["2x", "2x"]}
    status, body, _ = ask(server(components=["correctness", "format"]), queries, path)
    assert status == 200
    assert body["rewards"] == [1.1, 0.0]
    assert body["scores"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 10_000, "not JSON"),
        ([], "must be a JSON object"),
        ({}, '"items"'),
        ({"items": 3}, "list of objects"),
        ({"items": ["x"]}, "list of objects"),
        ({"items": [{"integrand": "2x"}]}, '"completion"'),
        ({"items": [{"completion": "x"}]}, '"target"'),
        ({"items": [{"completion": "x", "integrand": "2x", "typo": 1}]}, "no field 'typo'"),
        ({"items": [{"completion": "x", "integrand": "2x", "tokens": "9"}]}, "whole number"),
        ({"query": ["x"], "labels": ["2x"]}, '"prompts"'),
        ({"query": ["x"], "prompts": ["x"], "labels": []}, "same length"),
    ],
)
def test_bad_requests(body: Any, message: str) -> None:
    status, answer, _ = ask(server(), body)
    assert status == 400
    assert message in answer["error"]
    assert "\n" not in answer["error"]


def test_items_with_tasks_of_their_own() -> None:
    integral = r"\int_0^1 x^2\,dx"
    body = {
        "items": [
            {"completion": r"\boxed{x^2}", "integrand": "2x"},
            {"completion": r"\boxed{\frac13}", "integral": integral},
            {"completion": r"\boxed{\frac13}", "target": integral, "task": "definite_integral"},
            {"completion": r"\boxed{\frac13}", "target": {"integral": integral}},
            {"completion": r"\boxed{1}", "integral": integral},
            {"completion": r"\boxed{1}", "target": "1"},
        ]
    }
    status, answer, _ = ask(server(task="mixed"), body)
    assert status == 200
    assert [item["reward"] for item in answer["scores"]] == [1.0, 1.0, 1.0, 1.0, 0.0, None]
    both = {"items": [{"completion": "x", "integrand": "2x", "integral": integral}]}
    assert ask(server(task="mixed"), both)[0] == 400


def test_sizes_are_limited() -> None:
    served = server(ServerLimits(batch=2, queue=4, body=18_000))
    assert ask(served, items(RIGHT, RIGHT))[0] == 200
    assert ask(server(served.limits), items(RIGHT, RIGHT, RIGHT))[0] == 413
    assert ask(server(served.limits), items("x" * 20_000))[0] == 413
    with pytest.raises(UserError):
        ServerLimits(batch=10, queue=5)


def test_a_full_queue_says_come_again() -> None:
    async def run() -> list[tuple[int, Any, Any]]:
        served = server(ServerLimits(batch=64, queue=64), workers=1)
        async with client(served) as post:
            replies = await asyncio.gather(*(post(items(*[RIGHT] * 64)) for _ in range(8)))
            assert served.waiting == 0
            return replies

    replies = asyncio.run(run())
    refused = [row for row in replies if row[0] == 429]
    assert {row[0] for row in replies} == {200, 429}
    assert all(row[2]["Retry-After"] == "1" for row in refused)


def test_no_workers_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    from calculus_harness.rewards.adapters import scoring
    from calculus_harness.rewards.workers.errors import PoolError

    async def fail(*_: object) -> None:
        raise PoolError("workers do not start")

    monkeypatch.setattr(scoring, "amap_verdicts", fail)
    served = server()
    status, body, headers = ask(served, items(RIGHT))
    assert status == 503
    assert "workers" in body["error"]
    assert headers["Retry-After"]
    assert served.waiting == 0


def test_a_body_that_never_arrives_ends() -> None:
    async def run() -> bytes:
        served = server(ServerLimits(body_seconds=0.2))
        async with serving(served, Endpoint()) as address:
            host, port = address.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            await writer.drain()
            line = await asyncio.wait_for(reader.readline(), 10)
            writer.close()
            return line

    assert b"408" in asyncio.run(run())


def test_parse_keeps_order() -> None:
    parsed = understood(items("a", "b"), server().function)
    assert [item.text for item in parsed.rollouts] == ["a", "b"]
    with pytest.raises(BadRequestError):
        understood("text", server().function)


# --- the real thing -------------------------------------------------------------------------


@contextmanager
def running(*flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "run.py", "serve-reward", "--port", "0", "--workers", "2", *flags]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("rewards at http://127.0.0.1:"), line
        yield process, line.split()[2].removesuffix("/score,")
    finally:
        process.kill()
        process.wait(30)


def pair(rng: random.Random) -> tuple[str, str, float]:
    """A completion, the integrand, and the deserved reward."""
    power, factor = rng.randrange(1, 9), rng.randrange(2, 30)
    right = rng.random() < 0.5
    answer = rf"\boxed{{{factor}x^{{{power + 1}}}+C}}"
    return answer, f"{factor * (power + 1 if right else power + 2)}x^{{{power}}}", float(right)


@pytest.mark.slow
def test_load_with_a_client_that_comes_again() -> None:
    """Many clients, more than the queue holds: every client gets the right rewards in the end."""
    import aiohttp

    rng = random.Random(5)
    batches = [[pair(rng) for _ in range(16)] for _ in range(60)]
    refused = 0

    async def post_all(session: aiohttp.ClientSession, rows: list[tuple[str, str, float]]) -> None:
        nonlocal refused
        body = {"items": [{"completion": text, "integrand": f} for text, f, _ in rows]}
        while True:
            async with session.post("/score", json=body) as response:
                if response.status == 200:
                    scores = (await response.json())["scores"]
                    assert [item["reward"] for item in scores] == [reward for *_, reward in rows]
                    return
                assert response.status == 429
                assert int(response.headers["Retry-After"]) >= 1
                refused += 1
            await asyncio.sleep(0.1 + 0.4 * rng.random())

    async def load(address: str) -> dict[str, Any]:
        async with aiohttp.ClientSession(address) as session:
            await asyncio.gather(*(post_all(session, rows) for rows in batches))
            async with session.get("/health") as response:
                health: dict[str, Any] = await response.json()
                return health

    with running("--max-queue", "512", "--max-batch", "64") as (process, address):
        begin = time.perf_counter()
        health = asyncio.run(load(address))
        seconds = time.perf_counter() - begin
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert health["status"] == "ok"
    assert health["waiting"] == 0
    assert health["scored"] == 60 * 16
    assert health["refused"] == refused
    print(f"{60 * 16 / seconds:.0f} rewards/s over HTTP, {refused} requests came again")


def test_what_is_under_way_is_finished_before_the_end() -> None:
    import aiohttp

    async def stop_in_the_middle(process: subprocess.Popen[str], address: str) -> list[Any]:
        async with aiohttp.ClientSession(address) as session:

            async def post() -> list[float]:
                async with session.post("/score", json=items(*[RIGHT] * 1000)) as response:
                    return [item["reward"] for item in (await response.json())["scores"]]

            request = asyncio.create_task(post())
            async with asyncio.timeout(30):
                waiting = 0
                while not waiting and not request.done():
                    async with session.get("/health") as response:
                        waiting = (await response.json())["waiting"]
            process.send_signal(signal.SIGTERM)
            return await request

    with running() as (process, address):
        rewards = asyncio.run(stop_in_the_middle(process, address))
        assert process.wait(60) == 0
    assert rewards == [1.0] * 1000


@pytest.mark.slow
def test_every_field_of_a_rubric_is_an_option() -> None:
    flags = ["--component", "correctness=1", "--component", "format=1"]
    body = json.dumps({"items": [{"completion": r"$\boxed{x^2}$", "integrand": "2x"}]}).encode()
    rewards = []
    for options in ([], ["--rubric", "must_think=true"]):
        with (
            running(*flags, *options) as (_, address),
            urllib.request.urlopen(f"{address}/score", body, timeout=60) as response,
        ):
            [score] = json.load(response)["scores"]
            rewards.append(score["reward"])
    assert rewards == [2.0, pytest.approx(1.8)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--component", "style"], "components must be some of"),
        (["--component", "format=much"], "--component takes"),
        (["--component", "correctness", "--component", "format=1"], "every --component a weight"),
        (["--option", "strict_domian=true"], "no such option: strict_domian"),
        (["--option", "strict_domain"], "KEY=VALUE"),
        (
            ["--rubric", "must_thinkk=true"],
            "--rubric: no choice 'must_thinkk'; did you mean 'must_think'",
        ),
        (["--rubric", "deadline=3"], "--rubric: no choice 'deadline'"),
        (["--option", "accept=prof"], "accept: no choice 'prof'; did you mean 'proof'"),
        (["--option", "strict_domain=maybe"], "strict_domain must be true or false"),
        (["--component", "format=nan"], "weights must be finite"),
        (["--max-batch", "9", "--max-queue", "8"], "fit into the queue"),
        (["--host", "203.0.113.1"], "cannot listen on 203.0.113.1"),
        (["--replicas", "2"], "say --cluster ray, too"),
        (["--cluster", "ray"], "must be that of all nodes, not 0"),
    ],
)
def test_mistakes_are_one_line(flags: list[str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "run.py", "serve-reward", "--port", "0", *flags],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
