"""Reading the files of a log: JSON Lines, the same compressed in blocks, and indexes.

Every function checks what it reads; a file that is damaged is an error that names it.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ..core.errors import RunError

CHUNK_BYTES = 256 << 10

_decode = msgspec.json.Decoder().decode

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is: its shard, and the offset of its block with its line there.

    In a shard that is not sealed yet, ``offset`` is that of the row itself and ``line`` is None.
    """

    shard: int
    offset: int
    line: int | None


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a JSON Lines file that must be whole."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield _parse(line, path, number, {"key"})
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error


def lines(path: Path, required: Set[str], offset: int = 0) -> Iterator[tuple[int, Row]]:
    """The rows of an unsealed shard with their offsets; an unfinished last line is passed over."""
    with path.open("rb") as file:
        file.seek(offset)
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield offset, _parse(line, path, number, required)
            elif (row := _unfinished(line, required)) is not None:
                yield offset, row
            offset += len(line)


def decoded(line: bytes) -> Any:
    """The value of a line; raises `ValueError`.

    msgspec is four times as fast as `json`, but refuses what that writes: halves of surrogate
    pairs, NaN and infinity.
    """
    try:
        return _decode(line)
    except msgspec.MsgspecError:
        return json.loads(line.decode())


def _parse(line: bytes, path: Path, number: int, required: Set[str]) -> Row:
    try:
        row = decoded(line)
    except ValueError:
        row = None
    if not isinstance(row, dict) or not required <= row.keys():
        raise RunError(
            f"{path}, line {number}: not a row of this log ({line[:40]!r}); "
            "mend or remove that line (what it held is then asked again), or use another --out"
        )
    return row


def _unfinished(line: bytes, required: Set[str]) -> Row | None:
    """The row of a last line that lacks only its newline."""
    try:
        row = decoded(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and required <= row.keys() else None


def repair(path: Path, required: Set[str]) -> None:
    """End, or drop, an unfinished last line."""
    with path.open("r+b") as file:
        tail = b""
        for line in file:
            tail = line
        if not tail or tail.endswith(b"\n"):
            return
        size = file.seek(0, os.SEEK_END)
        if _unfinished(tail, required) is not None:
            file.write(b"\n")
        else:
            file.truncate(size - len(tail))


def blocks(
    path: Path, required: Set[str], offset: int | None = None
) -> Iterator[tuple[int, int, Row]]:
    """The rows of a sealed shard: offset of the block, line in it, row. One block, or all."""
    single = offset is not None
    try:
        with path.open("rb") as file:
            position = offset or 0
            file.seek(position)
            data = b""
            number = 0
            while True:
                inflate = zlib.decompressobj(wbits=31)
                text = inflate.decompress(data)
                while not inflate.eof:
                    chunk = file.read(CHUNK_BYTES)
                    if not chunk:
                        if text or data:
                            raise zlib.error("it ends in the middle")
                        return
                    data += chunk
                    text += inflate.decompress(chunk)
                for line, raw in enumerate(text.splitlines(keepends=True)):
                    number += 1
                    yield position, line, _parse(raw, path, number, required)
                if single:
                    return
                position += len(data) - len(inflate.unused_data)
                data = inflate.unused_data
    except (OSError, zlib.error) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from error


def read_index(path: Path, shard: int) -> Iterator[tuple[Place, Row]]:
    try:
        with gzip.open(path, "rb") as file:
            for raw in file:
                offset, line, head = decoded(raw)
                yield Place(shard, offset, line), head
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(f"{path} is damaged; delete it, it will be made again") from error
