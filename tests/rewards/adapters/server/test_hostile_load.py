"""The reward server under every attack at once, while honest clients are served."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards.adapters.server.client import RewardClient
from tests.rewards.adapters.server.sockets import opened
from tests.rewards.adapters.server.test_server import RIGHT, running

pytestmark = pytest.mark.serve


CONTROL = """
import asyncio, sys
async def answer(reader, writer):
    await reader.readline()
    writer.write(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
    await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
#: Asks both for /health in turns, on new connections, in a process of its own; prints the times.
PROBE = """
import json, socket, sys, time
end, ports = time.monotonic() + float(sys.argv[1]), list(map(int, sys.argv[2:]))
times = [[] for _ in ports]
while time.monotonic() < end:
    for port, taken in zip(ports, times):
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port), 30) as connection:
            connection.sendall(
                b"GET /health HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
            )
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        assert b" 200 " in answer[:20], answer[:100]
        taken.append(time.perf_counter() - began)
    time.sleep(0.02)
print(json.dumps(times))
"""
HOSTILE_TEXTS = (
    r"\boxed{" * 5000,
    r"\boxed{" + "(" * 3000 + "x" + ")" * 3000 + "}",
    r"\boxed{5^{5^{5^{5^{5}}}}}",
    r"\boxed{x^{10^{100}}}",
    "<think>" * 2000,
    r"\boxed{\frac{" * 800,
    "é\u2028" * 20_000,
)
SECONDS = 20.0


def peak_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def children(process: int) -> list[int]:
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for path in files for child in path.read_text().split()]


async def attack(address: str, end: float) -> None:
    """Hostile bodies, torn and bombed compression, and idle connections, over and over."""
    # Many small values, a quadratic prompt, a compressed bomb, a torn stream, deep nesting, and a
    # text without an end.
    bodies = [
        (b'{"items":[' + b"[]," * 1_000_000, ""),
        (
            json.dumps({"query": ["a " * 24_000], "prompts": ["a  " * 900 + "b"], "labels": ["x"]}),
            "",
        ),
        (gzip.compress(b" " * (256 << 20), 1), "gzip"),
        (gzip.compress(b'{"items":[]}')[:-4], "gzip"),
        (b"[" * 100_000, ""),
        (b'{"items": [{"completion": "' + b"x" * (8 << 20), ""),
    ]
    idle: list[Any] = []

    async def idler() -> None:
        while time.monotonic() < end:
            for _ in range(100):
                with suppress(OSError):
                    head = random.choice([b"", b"POST /sc", b"POST /score HTTP/1.1\r\nHost: x\r\n"])
                    idle.append(await opened(address, head))
            # The oldest idle connections are closed, to stay below the limit of open files.
            while len(idle) > 2000:
                idle.pop(0)[1].close()
            await asyncio.sleep(0.3)

    async def poster(number: int) -> None:
        import aiohttp

        async with aiohttp.ClientSession(address) as session:
            while time.monotonic() < end:
                data, encoding = bodies[number % len(bodies)]
                headers = {"Content-Encoding": encoding} if encoding else {}
                with suppress(aiohttp.ClientError, ConnectionError):
                    async with session.post("/score", data=data, headers=headers) as response:
                        assert response.status in (200, 400, 413, 429)
                number += 1
                await asyncio.sleep(0.05)

    await asyncio.gather(idler(), *map(poster, range(3)))
    for _, writer in idle:
        writer.close()


def p99(times: list[float]) -> float:
    return sorted(times)[int(0.99 * len(times))]


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the test, after any failure."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def loop_lag(address: str) -> float:
    """The share of samples with an event loop late by more than 30 ms of the loop's own work."""
    import aiohttp
    from prometheus_client.parser import text_string_to_metric_families

    async with aiohttp.ClientSession(address) as session, session.get("/metrics") as response:
        page = await response.text()
    counts = {
        sample.labels["le"]: sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name == "calculus_reward_loop_lag_seconds_bucket"
        and sample.labels["cause"] == "own"
    }
    return 1 - counts["0.03"] / counts["+Inf"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_hostile_load() -> None:
    """Nothing is lost, the memory is bounded, and /health answers, whatever comes.

    The speed of /health depends on the load of the machine. The test therefore compares /health
    with an idle server, and measures the event loop's own work.
    """
    rng = random.Random(44)
    scored = 0

    async def honest(address: str, process: int, end: float) -> None:
        nonlocal scored
        async with RewardClient(address, batch=32, parallel=4) as client:
            while time.monotonic() < end:
                rows, expected = [], []
                for _ in range(128):
                    if rng.random() < 1 / 3:
                        text, reward = rng.choice(HOSTILE_TEXTS), 0.0
                    else:
                        n, reward = rng.randrange(2, 500), float(rng.random() < 0.5)
                        text = rf"So $\boxed{{x^{{{n}}} + C}}$" if reward else RIGHT + "!"
                        rows.append({"completion": text, "integrand": rf"{n} x^{{{n - 1}}} "})
                        # x^2 + C is right for n = 2 alone.
                        expected.append(1.0 if n == 2 else reward)
                        continue
                    rows.append({"completion": text, "integrand": "2x"})
                    expected.append(reward)
                scores = await client.score(rows)
                assert [answer["reward"] for answer in scores] == expected
                scored += len(rows)
                for victim in rng.sample(children(process), 1):
                    with suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)

    async def all_of_it(address: str, process: int) -> None:
        end = time.monotonic() + SECONDS
        await asyncio.gather(honest(address, process, end), attack(address, end))

    with (
        ended(subprocess.Popen([sys.executable, "-c", CONTROL], stdout=subprocess.PIPE)) as control,
        running("--max-connections", "500") as (process, address),
    ):
        assert control.stdout is not None
        ports = [address.rpartition(":")[2], control.stdout.readline().decode().strip()]
        probe = subprocess.Popen(
            [sys.executable, "-c", PROBE, str(SECONDS), *ports], stdout=subprocess.PIPE
        )
        asyncio.run(all_of_it(address, process.pid))
        out, _ = probe.communicate(timeout=120)
        assert probe.returncode == 0
        late = asyncio.run(loop_lag(address))
        memory = peak_mb(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    ours, theirs = json.loads(out)
    print(
        f"{scored / SECONDS:.0f} items/s, /health p50 {1000 * sorted(ours)[len(ours) // 2]:.0f} "
        f"ms, p99 {1000 * p99(ours):.0f} ms, of a server that does nothing {1000 * p99(theirs):.0f}"
        f" ms, {len(ours)} times; {100 * late:.1f} % late by 30 ms; {memory:.0f} MB"
    )
    assert scored > 0
    assert memory < 400
    assert late < 0.003  # 0.000; with lists that cost no more than their memory 0.011
    # A request takes five turns of the loop, in each of which the machine may make it wait. At a
    # load of 9 to 14 it took 130 to 340 ms, the other server 16 to 56.
    assert p99(ours) < 0.1 + 10 * p99(theirs)
