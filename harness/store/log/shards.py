"""The files of a log: JSON Lines, the same compressed in blocks, and the columns of their fields.

Every function checks the input; a damaged file of rows raises an error with the file's name.

`Columns` are the short fields of a shard's rows, column by column, each with the place of the row.
A column holds every distinct value once and a number for each row, so that a question about rows is
asked once for each distinct value: a million rows are searched in milliseconds, and only the rows
that are wanted are made, or read from their blocks.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from ...core.errors import RunError

CHUNK_BYTES = 256 << 10

_decode = msgspec.json.Decoder().decode

Row = dict[str, Any]
#: By the name of a field, whether its value fits: a question about rows.
Tests = Mapping[str, Callable[[Any], bool]]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a row: shard, offset of the block, and line in the block.

    In an unsealed shard, ``offset`` is the row's own offset and ``line`` is None.
    """

    shard: int
    offset: int
    line: int | None


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a JSON Lines file without an unfinished line."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield _parse(line, path, number, {"key"})
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error


def lines(path: Path, required: Set[str], offset: int = 0) -> Iterator[tuple[int, Row]]:
    """The rows of an unsealed shard with offsets; an unfinished last line is passed over."""
    with path.open("rb") as file:
        yield from lines_of(file, path, required, offset)


def lines_of(
    file: IO[bytes], path: Path, required: Set[str], offset: int = 0, end: int | None = None
) -> Iterator[tuple[int, Row]]:
    """`lines` of an open file, readable even after the sealing of the shard; up to ``end``."""
    file.seek(offset)
    for number, line in enumerate(file, 1):
        if end is not None and offset >= end:
            return
        if line.endswith(b"\n"):
            yield offset, _parse(line, path, number, required)
        elif (row := _row(line, required)) is not None:
            yield offset, row
        offset += len(line)


def line_at(file: IO[bytes], path: Path, required: Set[str], offset: int) -> Row:
    """The row of an unsealed shard at an offset."""
    file.seek(offset)
    return _parse(file.readline(), path, offset, required)


def decoded(line: bytes) -> Any:
    """The value of a line; raises `ValueError`.

    msgspec is four times as fast as `json`, but refuses some output of `json`: halves of surrogate
    pairs, NaN and infinity.
    """
    try:
        return _decode(line)
    except msgspec.MsgspecError:
        return json.loads(line.decode())


def _parse(line: bytes, path: Path, number: int, required: Set[str]) -> Row:
    row = _row(line, required)
    if row is None:
        raise RunError(
            f"{path}, line {number}: not a row of this log ({line[:40]!r}); "
            "mend or remove that line (what it held is then asked again), or use another --out"
        )
    return row


def _row(line: bytes, required: Set[str]) -> Row | None:
    """The row of a line with or without newline; None for an invalid line."""
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
        if _row(tail, required) is not None:
            file.write(b"\n")
        else:
            file.truncate(size - len(tail))


def blocks(
    path: Path,
    required: Set[str],
    offset: int | None = None,
    lines_to_read: Set[int | None] | None = None,
) -> Iterator[tuple[int, int, Row]]:
    """The rows of a sealed shard: offset of the block, line in it, row.

    All blocks are read, or the block at an offset, perhaps only some lines.
    """
    single = offset is not None
    try:
        with path.open("rb") as file:
            position = offset or 0
            file.seek(position)
            data = b""
            number = 0
            while True:
                # A sealed shard has a gzip member for each block. The rest of a chunk behind a
                # member begins the next block.
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
                    if lines_to_read is not None and line not in lines_to_read:
                        continue
                    yield position, line, _parse(raw, path, number, required)
                if single:
                    return
                position += len(data) - len(inflate.unused_data)
                data = inflate.unused_data
    except (OSError, zlib.error) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from error


# --- columns ---------------------------------------------------------------------------------

#: Of a column with more distinct values than this share of its rows, all values are listed.
_DISTINCT = 0.25
#: Rows that are taken in together, column by column.
_TOGETHER = 4096
#: The columns that are a row's place; no field of a row has such a name.
_OFFSET, _LINE = "/offset", "/line"
_ABSENT = object()


class ColumnsWriter:
    """Takes in the rows of a shard one by one."""

    def __init__(self) -> None:
        self.rows = 0
        self._columns: dict[str, _Column] = {}
        self._waiting: list[Row] = []

    def add(self, offset: int, line: int | None, head: Row) -> None:
        self._waiting.append({_OFFSET: offset, _LINE: line, **head})
        if len(self._waiting) == _TOGETHER:
            self._take()

    def _take(self) -> None:
        for name in {**self._columns, **dict.fromkeys(chain.from_iterable(self._waiting))}:
            if name not in self._columns:
                self._columns[name] = _Column(self.rows)
            self._columns[name].extend([row.get(name, _ABSENT) for row in self._waiting])
        self.rows += len(self._waiting)
        self._waiting.clear()

    def encoded(self, stamp: object) -> bytes:
        """The bytes of a file of a shard with a given stamp."""
        self._take()
        encoded_columns = {name: column.encoded() for name, column in self._columns.items()}
        data = b"".join(encoded_columns.values())
        head = {
            "stamp": stamp,
            "rows": self.rows,
            "sum": zlib.crc32(data),
            "columns": {name: len(column) for name, column in encoded_columns.items()},
        }
        return json.dumps(head).encode() + b"\n" + data


class _Column:
    """The values of a field: the distinct values, and the number of every row's value."""

    def __init__(self, absent: int) -> None:
        self._codes = array("I", bytes(4 * absent))  # 0 is for rows that lack the field
        self._values: list[Any] = []
        # 1, 1.0 and True are equal, and are not the same JSON.
        self._known: dict[type, dict[Any, int]] = {object: {_ABSENT: 0}}

    def extend(self, values: Sequence[Any]) -> None:
        types = set(map(type, values))
        if len(types) > 1 or not types.isdisjoint((list, dict)):
            self._codes.extend(map(self._code, values))
            return
        [value_type] = types
        codes = self._known.setdefault(value_type, {})
        for value in dict.fromkeys(values):
            if value not in codes:
                self._values.append(value)
                codes[value] = len(self._values)
        self._codes.extend(map(codes.__getitem__, values))

    def _code(self, value: Any) -> int:
        code: int | None = None
        if not isinstance(value, list | dict):
            code = self._known.setdefault(type(value), {}).get(value)
        if code is None:
            self._values.append(value)
            code = len(self._values)
            if not isinstance(value, list | dict):
                self._known[type(value)][value] = code
        return code

    def encoded(self) -> bytes:
        values, codes = self._values, self._codes
        if len(values) > _DISTINCT * len(codes) and 0 not in codes:
            values, codes = [values[code - 1] for code in codes], array("I")
        text = json.dumps(values, separators=(",", ":")).encode()
        return gzip.compress(text + b"\n" + np.asarray(codes, "<u4").tobytes(), 3, mtime=0)


class Columns:
    """The columns of a shard, read again; each column is decoded on demand.

    Args:
        data: the output of `ColumnsWriter.encoded`.
        shard: the shard's number.

    Raises:
        ValueError: the data are something else, or damaged.

    """

    def __init__(self, data: bytes, shard: int) -> None:
        head, _, self._data = data.partition(b"\n")
        try:
            header = json.loads(head)
            self.stamp, self.rows, sizes = header["stamp"], header["rows"], header["columns"]
            starts = accumulate(sizes.values(), initial=0)
            if zlib.crc32(self._data) != header["sum"]:
                raise ValueError("another sum")
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no columns: {error}") from error
        self._shard = shard
        self._slices = {
            name: slice(at, at + size)
            for (name, size), at in zip(sizes.items(), starts, strict=False)
        }

    def _column(self, name: str) -> tuple[list[Any], Any]:
        """The values, and by row the number of the value from 1 on; 0 without the field."""
        text, _, codes = gzip.decompress(self._data[self._slices[name]]).partition(b"\n")
        values: list[Any] = decoded(text)
        return values, np.frombuffer(codes, "<u4") if codes else np.arange(1, len(values) + 1)

    def _numbers(self, tests: Tests) -> Any:
        """The numbers of the rows with every field of ``tests``, each with a fitting value."""
        fitting = np.ones(self.rows, bool)
        for name, test in tests.items():
            if name not in self._slices:
                return np.empty(0, int)
            values, codes = self._column(name)
            fitting &= np.fromiter((False, *map(test, values)), bool, len(values) + 1)[codes]
        return np.flatnonzero(fitting)

    def places(self, tests: Tests) -> list[Place]:
        """The places of the fitting rows, in order."""
        return self._places(self._numbers(tests))

    def _places(self, chosen: Any) -> list[Place]:
        if not self.rows:
            return []
        (offsets, at), (lines, line) = self._column(_OFFSET), self._column(_LINE)
        pairs = zip(at[chosen].tolist(), line[chosen].tolist(), strict=True)
        return [Place(self._shard, offsets[a - 1], lines[b - 1]) for a, b in pairs]

    def heads(self, tests: Tests) -> Iterator[tuple[Place, Row]]:
        """The fitting rows, in order, with places."""
        chosen = self._numbers(tests)
        positions = self._places(chosen)
        names = [name for name in self._slices if name not in (_OFFSET, _LINE)]
        columns = []
        for name in names:
            values, codes = self._column(name)
            cells = [_ABSENT, *values]
            columns.append([cells[code] for code in codes[chosen].tolist()])
        for position, *row in zip(positions, *columns, strict=True):
            yield (
                position,
                {
                    name: value
                    for name, value in zip(names, row, strict=True)
                    if value is not _ABSENT
                },
            )


def fits(row: Row, tests: Tests) -> bool:
    """Whether a row has every field of ``tests``, each with a fitting value."""
    return not tests or all(name in row and test(row[name]) for name, test in tests.items())
