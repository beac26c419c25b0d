"""An append-only log of JSON rows that survives a kill at any instant.

A log is a directory of numbered shards of JSON Lines. Rows are appended to the newest; one that
has grown past ``shard_bytes`` is *sealed*: compressed in blocks (a gzip file of many members, so
that `zcat` reads it and a single row can be had without reading the rest), with an index that
holds each row's place and its light fields. An index is derived, and made again where missing.

Every row is one write to the file, so that a killed process loses nothing that `Log.append` has
returned for; `fsync` follows within a second, so that a power cut loses no more than that. An
unfinished last line is what a kill in the middle of a write leaves: the writer drops it (or ends
it, where only the newline is missing) and readers pass over it. Anything else that is not a row is
an error that names file and line, found before anything is changed.

What is often asked of all rows at once can be counted when a shard is sealed (`Counting`), and is
then kept beside it.
"""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..core.errors import RunError

SHARD_BYTES = 64 << 20
BLOCK_BYTES = 256 << 10
FSYNC_SECONDS = 1.0

Row = dict[str, Any]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is: its shard, and the offset of its block with its line there.

    In a shard that is not sealed yet, ``offset`` is that of the row itself and ``line`` is None.
    """

    shard: int
    offset: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Counting:
    """What is to be known of a shard's rows: JSON that ``of`` makes of them, kept under ``name``.

    Another ``of`` takes another name, so that nobody reads what another version counted.
    """

    name: str
    of: Callable[[Iterable[Row]], Any]


class LogReader:
    """Reads a log, also while another process writes it."""

    def __init__(
        self,
        directory: Path,
        heavy: Collection[str],
        required: Collection[str] = ("key",),
        counting: Counting | None = None,
    ) -> None:
        self.directory = directory
        self.heavy = frozenset(heavy)
        self.required = frozenset(required)
        self.counting = counting

    def heads(self) -> Iterator[tuple[Place, Row]]:
        """Every row without its heavy fields, in the order of writing, with its place."""
        for shard in self._shards():
            if self._index(shard).exists():
                yield from _read_index(self._index(shard), shard)
            else:
                for place, row in self._rows_of(shard):
                    yield place, self._head(row)

    def rows(self) -> Iterator[Row]:
        """Every row in full, in the order of writing."""
        for shard in self._shards():
            yield from (row for _, row in self._rows_of(shard))

    def state(self) -> tuple[tuple[str, int, int], ...]:
        """Names, sizes and times of the shards: the same as long as nobody has written."""
        found = []
        for path in sorted(self.directory.glob("[0-9]*.jsonl*")):
            with suppress(FileNotFoundError):  # sealed a moment ago
                stat = path.stat()
                found.append((path.name, stat.st_size, stat.st_mtime_ns))
        return tuple(found)

    def counts(self) -> Iterator[Any]:
        """What the log's `Counting` makes of each shard; made only once for sealed ones."""
        if self.counting is None:
            raise ValueError(f"nothing is counted of {self.directory}")
        for shard in self._shards():
            found = self._stored_counts(shard)
            if found is None:
                found = self.counting.of(row for _, row in self._rows_of(shard))
                if self._sealed(shard).exists() and not self._unsealed(shard).exists():
                    with suppress(OSError):  # a run that may only be read is counted every time
                        self._store_counts(shard, found)
            yield found

    def _stored_counts(self, shard: int) -> Any:
        """What was counted of a sealed shard, if it is of this very file."""
        try:
            stored = json.loads(self._counts(shard).read_bytes())
            return stored["counts"] if stored["stamp"] == self._stamp(shard) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _store_counts(self, shard: int, counts: Any) -> None:
        stored = {"stamp": self._stamp(shard), "counts": counts}
        write_atomically(self._counts(shard), json.dumps(stored, separators=(",", ":")).encode())

    def _stamp(self, shard: int) -> list[Any]:
        """Size and last bytes of a sealed shard, which hold the checksum of its last block."""
        with self._sealed(shard).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            return [size, file.read().hex()]

    def block(self, place: Place) -> dict[Place, Row]:
        """A row together with those that are read at no further cost: in a sealed shard, many."""
        if place.line is None:
            return {place: self.read(place)}
        return {
            Place(place.shard, offset, line): row
            for offset, line, row in _blocks(self._sealed(place.shard), self.required, place.offset)
        }

    def read(self, place: Place) -> Row:
        """One row in full."""
        if place.line is None:
            path = self._unsealed(place.shard)
            if not path.exists():
                raise RunError(f"{path} was sealed a moment ago; try again")
            for _, row in _lines(path, self.required, place.offset):
                return row
        else:
            path = self._sealed(place.shard)
            for _, line, row in _blocks(path, self.required, place.offset):
                if line == place.line:
                    return row
        raise RunError(f"{path} has no row at {place}; delete its index, it will be made again")

    def _rows_of(self, shard: int) -> Iterator[tuple[Place, Row]]:
        try:
            # First the unsealed file: it goes away only after the sealed one is there.
            for offset, row in _lines(self._unsealed(shard), self.required):
                yield Place(shard, offset, None), row
        except FileNotFoundError:
            for offset, line, row in _blocks(self._sealed(shard), self.required):
                yield Place(shard, offset, line), row

    def _shards(self) -> list[int]:
        names = {path.name.partition(".")[0] for path in self.directory.glob("[0-9]*.jsonl*")}
        return sorted(int(name) for name in names if name.isdigit())

    def _unsealed(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.jsonl"

    def _sealed(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.jsonl.gz"

    def _index(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.index.gz"

    def _counts(self, shard: int) -> Path:
        assert self.counting is not None
        return self.directory / f"{shard:05}.{self.counting.name}.json"

    def _head(self, row: Row) -> Row:
        return {name: value for name, value in row.items() if name not in self.heavy}


class Log(LogReader):
    """The one writer of a log (the caller holds the lock). Use as a context manager."""

    def __init__(
        self,
        directory: Path,
        heavy: Collection[str],
        required: Collection[str] = ("key",),
        counting: Counting | None = None,
        shard_bytes: int | None = None,
    ) -> None:
        super().__init__(directory, heavy, required, counting)
        self.shard_bytes = shard_bytes or SHARD_BYTES
        self._file = -1
        self._size = 0
        self._synced = time.monotonic()
        # One thread, so that fsync, sealing and closing happen in the order in which they were due.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"log-{directory.name}")
        self._pending: list[Future[None]] = []

    def __enter__(self) -> Log:
        self.directory.mkdir(parents=True, exist_ok=True)
        for shard in self._shards():  # read everything before anything is changed
            if self._unsealed(shard).exists() and not self._sealed(shard).exists():
                for _ in _lines(self._unsealed(shard), self.required):
                    pass
        for leftover in self.directory.glob("*.tmp"):
            leftover.unlink()
        shards = self._shards()
        for shard in shards:
            if self._sealed(shard).exists():
                self._unsealed(shard).unlink(missing_ok=True)  # killed before it was removed
                if not self._index(shard).exists():
                    self._write_index(shard)
            else:
                _repair(self._unsealed(shard), self.required)
                if shard != shards[-1]:
                    self._seal(shard)
        newest = shards[-1] if shards else 0
        self._open(newest + 1 if self._sealed(newest).exists() else newest)
        return self

    def __exit__(self, *exception: object) -> None:
        self._later(_sync_and_close, self._file)
        self._file = -1
        self._worker.shutdown(wait=True)
        self._raise_pending()

    def append(self, row: Row) -> None:
        """Store a row. Once this returns, killing the process does not lose it."""
        try:
            data = _encode(row).encode() + b"\n"
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can say
            data = json.dumps(row, separators=(",", ":")).encode() + b"\n"
        self._write(data)
        self._size += len(data)
        if self._size >= self.shard_bytes:
            self._later(_sync_and_close, self._file)
            self._later(self._seal, self._shard)
            self._open(self._shard + 1)
        elif time.monotonic() - self._synced > FSYNC_SECONDS:
            self._later(os.fsync, self._file)
        else:
            return
        self._synced = time.monotonic()
        self._raise_pending()

    def _write(self, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as error:
            os.ftruncate(self._file, self._size)  # a full disk must not leave half a row
            raise RunError(f"cannot write to {self.directory}: {error.strerror}") from error

    def _open(self, shard: int) -> None:
        self._shard = shard
        path = self._unsealed(shard)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self._file).st_size

    def _seal(self, shard: int) -> None:
        path, sealed = self._unsealed(shard), self._sealed(shard)
        with _replacing(sealed) as file:
            block: list[bytes] = []
            size = 0
            with path.open("rb") as lines:
                for line in lines:
                    block.append(line)
                    size += len(line)
                    if size >= BLOCK_BYTES:
                        file.write(gzip.compress(b"".join(block), 6, mtime=0))
                        block, size = [], 0
            if block:
                file.write(gzip.compress(b"".join(block), 6, mtime=0))
        self._write_index(shard)
        path.unlink()

    def _write_index(self, shard: int) -> None:
        """Write what is derived from a sealed shard, in one pass over it."""
        with _replacing(self._index(shard)) as file, gzip.open(file, "wb", 6) as index:

            def indexed() -> Iterator[Row]:
                for offset, line, row in _blocks(self._sealed(shard), self.required):
                    entry = [offset, line, self._head(row)]
                    index.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
                    yield row

            counts = self.counting.of(indexed()) if self.counting else deque(indexed(), 0)
        if self.counting:
            self._store_counts(shard, counts)

    def _later(self, work: Callable[..., None], *arguments: Any) -> None:
        self._pending.append(self._worker.submit(work, *arguments))

    def _raise_pending(self) -> None:
        """Raise what went wrong in the background."""
        waiting = [future for future in self._pending if not future.done()]
        done = [future for future in self._pending if future.done()]
        self._pending = waiting
        for future in done:
            try:
                future.result()
            except OSError as error:
                raise RunError(f"cannot write to {self.directory}: {error.strerror}") from error


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file whole or not at all: to a temporary name, to disk, then renamed."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file whole or not at all."""
    with _replacing(path) as file:
        file.write(data)


def _sync_directory(directory: Path) -> None:
    """Make renames in a directory last through a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a JSON Lines file that must be whole."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield _parse(line, path, number, {"key"})
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error


def _lines(path: Path, required: Set[str], offset: int = 0) -> Iterator[tuple[int, Row]]:
    """The rows of an unsealed shard with their offsets; an unfinished last line is passed over."""
    with path.open("rb") as file:
        file.seek(offset)
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield offset, _parse(line, path, number, required)
            elif (row := _unfinished(line, required)) is not None:
                yield offset, row
            offset += len(line)


def _parse(line: bytes, path: Path, number: int, required: Set[str]) -> Row:
    try:
        row = json.loads(line.decode())  # a third faster than from bytes, whose encoding it guesses
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
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and required <= row.keys() else None


def _repair(path: Path, required: Set[str]) -> None:
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


def _blocks(
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
                    chunk = file.read(BLOCK_BYTES)
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


def _read_index(path: Path, shard: int) -> Iterator[tuple[Place, Row]]:
    try:
        with gzip.open(path, "rb") as file:
            for raw in file:
                offset, line, head = json.loads(raw)
                yield Place(shard, offset, line), head
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(f"{path} is damaged; delete it, it will be made again") from error


def _sync_and_close(descriptor: int) -> None:
    os.fsync(descriptor)
    os.close(descriptor)
