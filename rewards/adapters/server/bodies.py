"""Request bodies, read within limits while they arrive.

A body is never in memory as a whole: every piece is decompressed, parsed and counted before the
next piece is read. The limit is on the *cost* of a body. The cost is the number of bytes, plus a
constant for every value (`NODE`, `CONTAINER`). A body is refused as soon as its cost exceeds the
limit. A gzip bomb or millions of empty lists therefore take no more memory or time than text of the
same size. Between two pieces the event loop serves other requests.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

#: Bytes that are parsed in one turn of the event loop, and at most so many marks of structure,
#: which take 2 µs each. Larger pieces save time on long texts, which the parser reads again from
#: their beginning with each piece; hence the most bytes of a text, too: eight times the longest
#: completions of today (32,000 tokens).
PIECE, MARKS, TEXT = 256 << 10, 1000, 1 << 20
#: What a value costs beside its text: an object of 50 to 100 bytes, its place in a list, and a µs.
#: A list or an object costs more, since the garbage collector walks through all of them at once:
#: 300,000 empty lists, which cost no more than their memory, stopped the event loop for 80 ms. The
#: largest body of real completions has three for each.
NODE, CONTAINER = 200, 2000
_CONTAINERS = ("start_array", "start_map")


class BadRequestError(ValueError):
    """The body of a request has the wrong form; the message says how."""


class BodyTooLargeError(ValueError):
    """The body of a request costs more than is allowed."""


class BusyError(RuntimeError):
    """The requests in progress have reached the server's limit of bytes."""


async def read_json(
    chunks: AsyncIterator[bytes], encoding: str, spend: Callable[[int], None]
) -> Any:
    """Read the JSON value of a request's body.

    Args:
        chunks: the body as it arrives.
        encoding: the header Content-Encoding: empty, ``identity``, ``gzip`` or ``deflate``.
        spend: a function that is called with the cost of each piece of the body. To refuse the
            body, the function raises an exception.

    Raises:
        BadRequestError: the body is not JSON, or incomplete, or in another encoding.

    """
    import ijson
    from ijson.common import ObjectBuilder

    inflate = _inflater(encoding)
    quiet = 0  # bytes since the last value began or ended
    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events)
    builder = ObjectBuilder()

    def build() -> None:
        nonlocal quiet
        containers = sum(event in _CONTAINERS for event, _ in events)
        spend(NODE * len(events) + CONTAINER * containers)
        quiet = 0 if events else quiet
        for event, value in events:
            builder.event(event, value)
        del events[:]

    def take(piece: bytes) -> None:
        nonlocal quiet
        spend(len(piece))
        quiet += len(piece)
        if quiet > TEXT + PIECE:
            raise BodyTooLargeError
        if piece:  # an empty one would end the parser
            parser.send(piece)
        build()

    try:
        async for chunk in chunks:
            for piece in inflate(chunk):
                take(piece)
                await asyncio.sleep(0)
        for piece in inflate(b""):
            take(piece)
        parser.close()
        build()
    except zlib.error as error:
        raise BadRequestError(f"the body is not {encoding}: {error}") from None
    # ijson raises SystemError for some numbers out of range.
    except (ijson.JSONError, ArithmeticError, UnicodeError, SystemError) as error:
        lines = str(error).strip("b'\"").split("\\n")[0].splitlines() or ["it is empty"]
        raise BadRequestError(f"the body is not JSON: {lines[0].strip()}") from None
    return builder.value


def _inflater(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Make a function that decompresses chunks into pieces.

    An empty chunk marks the end of the body. The function then returns the remaining pieces.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return _pieces
    if encoding not in ("gzip", "deflate"):
        raise BadRequestError(f"there is no encoding {encoding[:40]!r} here, only gzip and deflate")
    inflate = zlib.decompressobj(wbits=47 if encoding == "gzip" else 15)

    def pieces(chunk: bytes) -> Iterator[bytes]:
        at_end = not chunk
        while chunk or at_end:
            piece = inflate.decompress(chunk, PIECE)
            chunk, at_end = inflate.unconsumed_tail, at_end and bool(piece)
            yield from _pieces(piece)
        if inflate.unused_data:
            raise zlib.error("something follows its end")

    def ended(chunk: bytes) -> Iterator[bytes]:
        yield from pieces(chunk)
        if not chunk and not inflate.eof:
            raise zlib.error("it ends in the middle")

    return ended


def _pieces(chunk: bytes) -> Iterator[bytes]:
    start, size = 0, len(chunk)
    while start < len(chunk):
        # At most twice the previous piece: a chunk is homogeneous, so that few counts suffice.
        size = min(2 * size, PIECE)
        # Marks within texts count, too, and only make pieces smaller.
        while sum(chunk.count(mark, start, start + size) for mark in b",[{:") > MARKS:
            size //= 2
        yield chunk[start : start + size]
        start += size
