"""Bodies of requests to the reward server: the cost of a hostile body is counted."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func, response_of
from calculus_harness.rewards.adapters.server.bodies import (
    CONTAINER,
    MARKS,
    NODE,
    PIECE,
    TEXT,
    BadRequestError,
    BodyTooLargeError,
    _pieces,
    read_json,
)
from tests.rewards.adapters.server.test_server import RIGHT

pytestmark = pytest.mark.serve


LIMIT = 1 << 20


class Body:
    """A body in chunks, with the number of bytes read."""

    def __init__(self, data: Callable[[], Any], times: int = 1) -> None:
        self.data, self.times, self.read = data, times, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self.times):
            chunk = self.data()
            self.read += len(chunk)
            yield chunk


def read(body: Body, encoding: str = "", limit: int = LIMIT) -> tuple[Any, int]:
    """The value of a body or the error, with the cost."""
    cost = 0

    def spend(amount: int) -> None:
        nonlocal cost
        cost += amount
        if cost > limit:
            raise BodyTooLargeError

    async def run() -> Any:
        try:
            return await read_json(aiter(body), encoding, spend)
        except (BadRequestError, BodyTooLargeError) as error:
            return error

    return asyncio.run(run()), cost


# --- bodies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chunk",
    [
        b"[]," * 20_000,
        b"{}," * 20_000,
        b"[" * 60_000,
        b"1," * 30_000,
        b'"",' * 20_000,
        b" " * 60_000,
    ],
)
def test_many_small_values_are_refused_while_they_arrive(chunk: bytes) -> None:
    """60 MB of empty lists took 15 s and 1.6 GB."""
    chunks = [b'{"items":[']
    body = Body(lambda: chunks.pop() if chunks else chunk, 1000)
    error, cost = read(body)
    assert isinstance(error, BodyTooLargeError)
    assert body.read <= LIMIT + len(chunk)
    # No more than one piece beyond the limit: of long texts, or of the smallest values.
    assert cost <= LIMIT + PIECE + 3 * (NODE + CONTAINER) * MARKS


def test_lists_are_dear() -> None:
    """300,000 empty lists cost only their memory; the garbage collector used to stop the loop."""
    value = {"items": [{"completion": "x" * 650, "integrand": "2x"}] * 512}
    _, honest = read(Body(lambda: json.dumps(value).encode()), limit=1 << 30)
    assert honest < 512 * 4000  # of 4,096 completions a quarter of what a request may cost
    lists = b'{"items": [' + b"[]," * 100_000 + b"[]]}"
    _, cost = read(Body(lambda: lists), limit=1 << 30)
    assert cost > 100_000 * CONTAINER


def test_a_turn_of_the_loop_parses_few_values() -> None:
    """Between two turns no more is parsed than takes some milliseconds, whatever the chunk is."""
    sizes = []
    for value in (b"[],", b"[", b'"a",', b'{"a":1},', b"x" * 1000):
        chunk = value * ((1 << 20) // len(value))
        for piece in _pieces(chunk):
            marks = sum(map(piece.count, (b",", b"[", b"{", b":")))
            sizes.append((marks, len(piece)))
    assert max(marks for marks, _ in sizes) <= MARKS
    assert max(size for _, size in sizes) == PIECE


def test_a_text_that_does_not_end_is_refused() -> None:
    body = Body(lambda: b"x" * 65_536, 1000)
    chunks = [b'{"items": [{"completion": "']
    body.data = lambda: chunks.pop() if chunks else b"x" * 65_536
    error, _ = read(body, limit=1 << 30)
    assert isinstance(error, BodyTooLargeError)
    assert body.read <= TEXT + 2 * PIECE


def test_a_gzip_bomb_is_refused_at_the_limit() -> None:
    bomb = gzip.compress(b" " * (64 << 20))
    error, cost = read(Body(lambda: bomb), "gzip")
    assert isinstance(error, BodyTooLargeError)
    assert cost <= LIMIT + PIECE


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "GZIP "])
def test_compressed_bodies_of_any_chunks(encoding: str) -> None:
    value = {"items": [{"completion": "x" * 5000, "n": n} for n in range(50)]}
    text = json.dumps(value).encode()
    data = zlib.compress(text) if encoding == "deflate" else gzip.compress(text)
    for size in (1, 7, 1000, len(data)):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert read(Body(lambda pieces=pieces: pieces.pop(0), len(pieces)), encoding)[0] == value


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (gzip.compress(b'{"items": []}', mtime=0)[:-3], "gzip", "ends in the middle"),
        (gzip.compress(b"{}", mtime=0) + b"more", "gzip", "something follows"),
        (b"no gzip", "gzip", "not gzip"),
        (b"{}", "br", "no encoding 'br'"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "", "not JSON"),
        (b'{"a": NaN}', "", "not JSON"),
        (b'{"a": "\xff"}', "", "not JSON"),
        (b"", "", "not JSON"),
        (b'{"a"', "", "not JSON"),
        (b"{} {}", "", "not JSON"),
    ],
)
def test_bodies_that_cannot_be_read(data: bytes, encoding: str, message: str) -> None:
    error, _ = read(Body(lambda: data), encoding)
    assert isinstance(error, BadRequestError)
    assert message in str(error)
    assert "\n" not in str(error)


def test_the_search_for_a_prompt_is_linear() -> None:
    """48 kB of a prompt's first word took two seconds, and four times as long for each doubling."""
    start = time.process_time()
    assert response_of("a " * 400_000, "a  " * 2000 + "b") is None
    assert response_of("a " * 400_000 + " b c", "a  " * 2000 + "b") == " c"
    assert time.process_time() - start < 5.0  # by a regular expression: hours


def test_a_query_without_its_prompt_is_zero_and_the_others_are_judged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reward = make_reward_func()
    result = reward(["cut" + RIGHT, "P" + RIGHT], ["no prompt of this", "P"], ["2x", "2x"])
    assert result["rewards"] == [0.0, 1.0]
    assert "lacks its prompt" in caplog.text
