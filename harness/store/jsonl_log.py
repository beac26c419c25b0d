"""An append-only log of JSON rows that survives a kill at any instant.

A log is a directory of numbered shards of JSON Lines. Rows are appended to the newest; one that
has grown past ``shard_bytes`` is *sealed*: compressed in blocks (a gzip file of many members, so
that `zcat` reads it and a single row is read without the rest), with an index that holds each
row's place and its short fields. An index is derived, and made again where it is missing.

Every row is one write to the file: a killed process loses no row for which `Log.append` has
returned. `fsync` follows within a second: a power cut loses no more than a second. A kill in the
middle of a write leaves an unfinished last line, which the writer drops (or ends, where only the
newline is missing) and readers skip. Anything else that is not a row is an error that names file
and line, raised before anything is changed.

A summary of all rows (`Counting`) is computed when a shard is sealed, and stored beside it.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..core.errors import RunError
from .atomic import replacing, sync_directory, write_atomically
from .shards import Place, Row, blocks, lines, read_index, repair

SHARD_BYTES = 64 << 20
BLOCK_BYTES = 256 << 10
FSYNC_SECONDS = 1.0

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Counting:
    """A summary of a shard's rows: JSON that ``of`` computes, stored under ``name``.

    A changed ``of`` needs another ``name``, or stored summaries of an older version are read.
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
        for shard in self.shards():
            yield from self.heads_of(shard)

    def rows(self) -> Iterator[Row]:
        """Every row in full, in the order of writing."""
        for shard in self.shards():
            yield from (row for _, row in self._rows_of(shard))

    def state(self) -> tuple[tuple[str, int, int], ...]:
        """Names, sizes and times of the shards: the same as long as nobody has written."""
        files = []
        for path in sorted(self.directory.glob("[0-9]*.jsonl*")):
            with suppress(FileNotFoundError):  # sealed a moment ago
                stat = path.stat()
                files.append((path.name, stat.st_size, stat.st_mtime_ns))
        return tuple(files)

    def counts(self) -> Iterator[Any]:
        """The log's `Counting` of each shard, which is stored for sealed ones."""
        if self.counting is None:
            raise ValueError(f"the log {self.directory} has no counting")
        for shard in self.shards():
            counts = self._stored_counts(shard)
            if counts is None:
                counts = self.counting.of(row for _, row in self._rows_of(shard))
                if self._sealed(shard).exists() and not self._unsealed(shard).exists():
                    with suppress(OSError):  # a run that may only be read is counted every time
                        self._store_counts(shard, counts)
            yield counts

    def _stored_counts(self, shard: int) -> Any:
        """The stored counts of a sealed shard, if they belong to this file."""
        try:
            stored = json.loads(self._counts(shard).read_bytes())
            return stored["counts"] if stored["stamp"] == self._stamp(shard) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _store_counts(self, shard: int, counts: Any) -> None:
        stored = {"stamp": self._stamp(shard), "counts": counts}
        write_atomically(self._counts(shard), json.dumps(stored, separators=(",", ":")).encode())

    def stamp(self, shard: int) -> list[Any] | None:
        """What changes with the rows of a sealed shard; None for one that is not sealed."""
        return None if self._unsealed(shard).exists() else self._stamp(shard)

    def _stamp(self, shard: int) -> list[Any]:
        """Size and last bytes of a sealed shard, which hold the checksum of its last block."""
        with self._sealed(shard).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            return [size, file.read().hex()]

    def block(self, place: Place) -> dict[Place, Row]:
        """A row and the others of its block, which are decompressed with it."""
        if place.line is None:
            return {place: self.read(place)}
        return {
            Place(place.shard, offset, line): row
            for offset, line, row in blocks(self._sealed(place.shard), self.required, place.offset)
        }

    def read(self, place: Place) -> Row:
        """One row in full."""
        if place.line is None:
            path = self._unsealed(place.shard)
            if not path.exists():
                raise RunError(f"{path} was sealed a moment ago; try again")
            for _, row in lines(path, self.required, place.offset):
                return row
        else:
            path = self._sealed(place.shard)
            for _, line, row in blocks(path, self.required, place.offset):
                if line == place.line:
                    return row
        raise RunError(f"{path} has no row at {place}; delete its index, it will be made again")

    def heads_of(self, shard: int) -> Iterator[tuple[Place, Row]]:
        """The rows of one shard without their heavy fields."""
        if self._index(shard).exists():
            yield from read_index(self._index(shard), shard)
        else:
            for place, row in self._rows_of(shard):
                yield place, self._head(row)

    def _rows_of(self, shard: int) -> Iterator[tuple[Place, Row]]:
        try:
            # First the unsealed file: it goes away only after the sealed one is there.
            for offset, row in lines(self._unsealed(shard), self.required):
                yield Place(shard, offset, None), row
        except FileNotFoundError:
            for offset, line, row in blocks(self._sealed(shard), self.required):
                yield Place(shard, offset, line), row

    def shards(self) -> list[int]:
        """The numbers of the shards."""
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
        self._latest: Future[None] | None = None  # the last fsync, if no row came after it

    def __enter__(self) -> Log:
        self.directory.mkdir(parents=True, exist_ok=True)
        for shard in self.shards():  # read everything before anything is changed
            if self._unsealed(shard).exists() and not self._sealed(shard).exists():
                for _ in lines(self._unsealed(shard), self.required):
                    pass
        for leftover in self.directory.glob("*.tmp"):
            leftover.unlink()
        shards = self.shards()
        for shard in shards:
            if self._sealed(shard).exists():
                self._unsealed(shard).unlink(missing_ok=True)  # killed before it was removed
                if not self._index(shard).exists():
                    self._write_index(shard)
            else:
                repair(self._unsealed(shard), self.required)
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
        data = _encoded(row)
        self._write(data)
        self._size += len(data)
        self._latest = None
        if self._size >= self.shard_bytes:
            self._latest = self._later(_sync_and_close, self._file)
            self._later(self._seal, self._shard)
            self._open(self._shard + 1)
            self._synced = time.monotonic()
        elif time.monotonic() - self._synced > FSYNC_SECONDS:
            self.synced()
        else:
            return
        self._raise_pending()

    def synced(self) -> Future[None]:
        """What is done as soon as every row so far is on disk, and fails where that cannot be."""
        if self._latest is None:
            self._latest = self._later(os.fsync, self._file)
            self._synced = time.monotonic()
        return self._latest

    def discard(self, unwanted: Callable[[Row], bool]) -> int:
        """Remove rows for good; a kill leaves every shard as it was, or without them.

        Args:
            unwanted: says of a row without its heavy fields whether it goes.

        Returns:
            How many rows went.

        """
        return self.remove(
            {
                shard: {n for n, (_, row) in enumerate(self.heads_of(shard)) if unwanted(row)}
                for shard in self.shards()
            }
        )

    def remove(self, unwanted: Mapping[int, Set[int]]) -> int:
        """`discard` by the numbers of the rows in each shard, the first of which is 0."""
        self._later(_sync_and_close, self._file)
        wait(self._pending)  # also for what was due before
        self._raise_pending()
        try:
            for shard, numbers in unwanted.items():
                if numbers:
                    self._rewrite(shard, numbers)
        finally:
            self._open(self._shard)
        return sum(map(len, unwanted.values()))

    def _rewrite(self, shard: int, unwanted: Set[int]) -> None:
        rows = enumerate(self._rows_of(shard))
        kept = (_encoded(row) for number, (_, row) in rows if number not in unwanted)
        if self._unsealed(shard).exists():
            with replacing(self._unsealed(shard)) as file:
                file.writelines(kept)
            return
        # An index or counts of other rows than the shard's would be believed; none are made again.
        self._index(shard).unlink(missing_ok=True)
        if self.counting:
            self._counts(shard).unlink(missing_ok=True)
        with replacing(self._sealed(shard)) as file:
            _compress(kept, file)
        self._write_index(shard)

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
        self._latest = None  # what an earlier process wrote may not be on disk, either
        path = self._unsealed(shard)
        new = not path.exists()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self._file).st_size
        if new:
            sync_directory(self.directory)  # or a power cut may lose the file with its name

    def _seal(self, shard: int) -> None:
        path, sealed = self._unsealed(shard), self._sealed(shard)
        with replacing(sealed) as file, path.open("rb") as lines:
            _compress(lines, file)
        self._write_index(shard)
        path.unlink()

    def _write_index(self, shard: int) -> None:
        """Write the index and the counts of a sealed shard in one pass."""
        with replacing(self._index(shard)) as file, gzip.open(file, "wb", 6) as index:

            def indexed() -> Iterator[Row]:
                for offset, line, row in blocks(self._sealed(shard), self.required):
                    entry = [offset, line, self._head(row)]
                    index.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
                    yield row

            counts = self.counting.of(indexed()) if self.counting else deque(indexed(), 0)
        if self.counting:
            self._store_counts(shard, counts)

    def _later(self, work: Callable[..., None], *arguments: Any) -> Future[None]:
        self._pending.append(self._worker.submit(work, *arguments))
        return self._pending[-1]

    def _raise_pending(self) -> None:
        """Raise the errors of the background thread."""
        waiting = [future for future in self._pending if not future.done()]
        done = [future for future in self._pending if future.done()]
        self._pending = waiting
        for future in done:
            try:
                future.result()
            except OSError as error:
                raise RunError(f"cannot write to {self.directory}: {error.strerror}") from error


def _encoded(row: Row) -> bytes:
    """A row as a line."""
    try:
        return _encode(row).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can say
        return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def _compress(lines: Iterable[bytes], file: IO[bytes]) -> None:
    """Write lines as blocks that are compressed each by itself."""
    block: list[bytes] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if size >= BLOCK_BYTES:
            file.write(gzip.compress(b"".join(block), 6, mtime=0))
            block, size = [], 0
    if block:
        file.write(gzip.compress(b"".join(block), 6, mtime=0))


def _sync_and_close(descriptor: int) -> None:
    os.fsync(descriptor)
    os.close(descriptor)
