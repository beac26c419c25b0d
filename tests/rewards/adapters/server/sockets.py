"""Plain connections to a reward server, and the server's health."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest


async def opened(address: str, data: bytes = b"") -> tuple[asyncio.StreamReader, Any]:
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(data)
    await writer.drain()
    return reader, writer


async def until(done: Callable[[], bool]) -> None:
    for _ in range(6000):
        if done():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come to this within a minute")


async def health(address: str) -> int:
    reader, writer = await opened(address, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    line = await asyncio.wait_for(reader.readline(), 30)
    writer.close()
    return int(line.split()[1])
