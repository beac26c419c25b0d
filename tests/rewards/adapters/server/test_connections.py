"""Connections to the reward server: idle, slow or many connections shut nobody out."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from calculus_harness.rewards.adapters.server.connections import Connections
from calculus_harness.rewards.adapters.server.http import Endpoint, serving
from calculus_harness.rewards.adapters.server.service import ServerLimits
from tests.rewards.adapters.server.sockets import health, opened, until
from tests.rewards.adapters.server.test_server import RIGHT, items, server

pytestmark = pytest.mark.serve


HEAD = b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize(
    "head", [b"", b"POST /score HTT", b"POST /score HTTP/1.1\r\nHost: x\r\nA: "]
)
def test_a_connection_without_a_request_is_closed(head: bytes) -> None:
    async def run() -> bytes:
        served = server(ServerLimits(header_seconds=0.4))
        async with serving(served, Endpoint()) as address:
            reader, writer = await opened(address, head)
            with suppress(ConnectionError):
                reply = await asyncio.wait_for(reader.read(), 20)
                writer.close()
                return reply
            return b""

    assert asyncio.run(run()) == b""


def test_heads_that_come_in_parts_are_answered() -> None:
    async def run() -> list[bytes]:
        lines = []
        async with serving(server(), Endpoint()) as address:
            head = b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 5000 + b"\r\n\r\n"
            for cuts in ([1], [20, 21, 5000], [len(head) - 1]):
                reader, writer = await opened(address)
                for start, end in zip([0, *cuts], [*cuts, len(head)], strict=True):
                    await asyncio.sleep(0.1)
                    writer.write(head[start:end])
                lines.append(await asyncio.wait_for(reader.readline(), 30))
                writer.close()
            reader, writer = await opened(address, b"GET /" + b"a" * 40_000)
            lines.append(await asyncio.wait_for(reader.readline(), 30))
            writer.close()
        return lines

    *answers, too_long = asyncio.run(run())
    assert [line.split()[1] for line in answers] == [b"200"] * 3
    assert too_long.split()[1] == b"400"


def test_connections_without_a_head_are_no_work() -> None:
    """A hundred at once stopped the event loop for 60 ms: each was made ready for a request."""

    async def run() -> tuple[int, int]:
        served = server(ServerLimits(connections=500))
        handlers = 0
        listen = Connections.listen

        def counted(self: Connections, sockets: Any, protocol: Any) -> None:
            def make() -> Any:
                nonlocal handlers
                handlers += 1
                return protocol()

            listen(self, sockets, make)

        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(Connections, "listen", counted)
            async with serving(served, Endpoint()) as address:
                heads = (b"", b"POST /sc", b"POST /score HTTP/1.1\r\nHost: x\r\n")
                idle = [await opened(address, heads[at % 3]) for at in range(90)]
                await asyncio.sleep(0.3)
                assert served.connections is not None
                held = served.connections()
                for _, writer in idle:
                    writer.close()
        return handlers, held

    assert asyncio.run(run()) == (0, 90)


def test_idle_connections_shut_nobody_out(caplog: pytest.LogCaptureFixture) -> None:
    """1,100 idle connections shut everyone out, with 59 MB of log."""

    async def run() -> int:
        served = server(ServerLimits(connections=50, header_seconds=60.0))
        async with serving(served, Endpoint()) as address:
            idle = [await opened(address) for _ in range(400)]
            answers = [await health(address) for _ in range(20)]
            assert set(answers) == {200}
            assert served.connections is not None
            held = served.connections()
            for _, writer in idle:
                writer.close()
            return held

    assert asyncio.run(run()) <= 50
    assert len(caplog.records) <= 1


def test_a_request_in_progress_is_not_idle() -> None:
    async def run() -> bytes:
        served = server(ServerLimits(header_seconds=0.3, connections=3), workers=1)
        async with serving(served, Endpoint()) as address:
            body = json.dumps(items(RIGHT)).encode()
            head = (
                f"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            )
            reader, writer = await opened(address, head)
            for _ in range(6):  # new ones do not take its place, and time does not end it
                await opened(address)
                await asyncio.sleep(0.2)
            writer.write(body)
            line = await asyncio.wait_for(reader.readline(), 30)
            writer.close()
            return line

    assert b"200" in asyncio.run(run())


def test_bytes_in_flight_are_limited() -> None:
    async def run() -> tuple[list[int], int]:
        served = server(ServerLimits(body=40_000, in_flight=50_000), workers=1)
        async with serving(served, Endpoint()) as address:
            head = HEAD % 39_000
            _, writer = await opened(address, head + b'{"items": ["' + b"x" * 30_000)
            await until(lambda: served.in_flight >= 30_000)
            import aiohttp

            codes = []
            async with aiohttp.ClientSession(address) as session:
                async with session.post("/score", json=items("x" * 30_000)) as response:
                    codes.append(response.status)
                    assert response.headers["Retry-After"]
                writer.close()
                await until(lambda: not served.in_flight)
                async with session.post("/score", json=items("x" * 30_000)) as response:
                    codes.append(response.status)
            return codes, served.in_flight

    assert asyncio.run(run()) == ([429, 200], 0)
