"""An append-only log of JSON rows that survives a kill at any instant.

A log is a directory of numbered shards of JSON Lines. Rows are appended to the newest; one that
has grown past ``shard_bytes`` is *sealed*: compressed in blocks (a gzip file of many members, so
that `zcat` reads it and a single row is read without the rest). Beside it are the columns of its
rows' short fields, with each row's place (`shards.Columns`), and a summary of all rows
(`Counting`). Both are derived: they are made when a shard is sealed, and again where they are
missing or of other rows, for several shards on all cores.

Every row is one write to the file: a killed process loses no row for which `Log.append` has
returned. `fsync` follows within a second: a power cut loses no more than a second. A kill in the
middle of a write leaves an unfinished last line, which the writer drops (or ends, where only the
newline is missing) and readers skip. Anything else that is not a row is an error that names file
and line, raised before anything is changed.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from ...rewards.workers.child import in_worker
from ...rewards.workers.errors import PoolError
from ...rewards.workers.pool import WorkerPool, usable_cores
from ..core.errors import RunError
from .atomic import replacing, sync_directory, write_atomically
from .shards import Columns, ColumnsWriter, Place, Row, Tests, blocks, fits, lines, repair

SHARD_BYTES = 64 << 20
BLOCK_BYTES = 256 << 10
FSYNC_SECONDS = 1.0

#: Bytes of sealed shards from which on workers, whose start takes half a second, are worth it: text
#: of ten times that size, a second's work.
_WORTH_WORKERS = 1 << 20
#: The task of these workers, and seconds for a shard, which takes some three.
_TASKS = {"derive": f"{__name__}:derive"}
_DEADLINE = 600.0

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Counting:
    """A summary of a shard's rows: JSON that ``of`` computes, stored under ``name``.

    A changed ``of`` needs another ``name``, or stored summaries of an older version are read.
    """

    name: str
    of: Callable[[Iterable[Row]], Any]

    @property
    def named(self) -> list[str]:
        """The name, and where the function is imported from."""
        return [self.name, self.of.__module__, self.of.__qualname__]


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

    def heads(self, tests: Tests = MappingProxyType({})) -> Iterator[tuple[Place, Row]]:
        """The rows that fit, without their heavy fields, in the order of writing, with places."""
        for shard in self.shards():
            yield from self.heads_of(shard, tests)

    def rows(self, tests: Tests = MappingProxyType({})) -> Iterator[Row]:
        """The rows that fit, in full, in the order of writing; all without ``tests``."""
        for shard in self.shards():
            yield from (row for _, row in self._rows_of(shard, tests))

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
        self.prepare()
        for shard in self.shards():
            counts = self._stored_counts(shard)
            yield self.derive(shard) if counts is None else counts

    def _stored_counts(self, shard: int) -> Any:
        """The stored counts of a sealed shard, if they belong to this file."""
        try:
            stored = json.loads(self._counts(shard).read_bytes())
            return stored["counts"] if stored["stamp"] == self.stamp(shard) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _stored_columns(self, shard: int) -> Columns | None:
        """The columns of a sealed shard, if they belong to this file."""
        try:
            columns = Columns(self._columns(shard).read_bytes(), shard)
            return columns if columns.stamp == self.stamp(shard) else None
        except (OSError, ValueError):
            return None

    def _columns_of(self, shard: int) -> Columns | None:
        """The columns of a shard; None if it is not sealed, or they can only be read from rows."""
        columns = self._stored_columns(shard)
        if columns is None and self._may_store and self.stamp(shard) is not None:
            self.derive(shard)
            columns = self._stored_columns(shard)
        return columns

    def prepare(self) -> None:
        """Make what is missing beside sealed shards, on all cores if there is much of it."""
        missing = [shard for shard in self.shards() if self._may_store and self._lacks(shard)]
        size = sum(self._sealed(shard).stat().st_size for shard in missing)
        several = len(missing) > 1 and usable_cores() > 1 and not in_worker()
        if several and size >= _WORTH_WORKERS:
            counting = self.counting and self.counting.named
            settings = [str(self.directory.absolute()), [*self.heavy], [*self.required], counting]
            with suppress(PoolError, OSError), WorkerPool(tasks=_TASKS) as pool:
                pool.map("derive", [[*settings, shard] for shard in missing], deadline=_DEADLINE)
        for shard in filter(self._lacks, missing):
            self.derive(shard)  # raises the error of a shard that failed in a worker

    @property
    def _may_store(self) -> bool:
        """Whether something can be kept here; a run that may only be read is read every time."""
        return os.access(self.directory, os.W_OK)

    def _lacks(self, shard: int) -> bool:
        """Whether something is to be made; what is there may yet be found to be damaged."""
        there = self._columns(shard).exists() and (
            not self.counting or self._counts(shard).exists()
        )
        return not there and self.stamp(shard) is not None

    def derive(self, shard: int) -> Any:
        """Make the columns and the counts of a shard in one pass; returns the counts.

        They are stored if the shard is sealed.
        """
        stamp, columns = self.stamp(shard), ColumnsWriter()

        def noted() -> Iterator[Row]:
            for place, row in self._rows_of(shard):
                if stamp is not None:
                    columns.add(place.offset, place.line, self._head(row))
                yield row

        counts = self.counting.of(noted()) if self.counting else deque(noted(), 0)
        if stamp is not None and stamp == self.stamp(shard):
            with suppress(OSError):
                write_atomically(self._columns(shard), columns.encoded(stamp))
                if self.counting:
                    stored = {"stamp": stamp, "counts": counts}
                    data = json.dumps(stored, separators=(",", ":")).encode()
                    write_atomically(self._counts(shard), data)
        return counts

    def stamp(self, shard: int) -> list[Any] | None:
        """What changes with the rows of a sealed shard; None for one that is not sealed."""
        if self._unsealed(shard).exists():
            return None
        # Size and last bytes, which hold the checksum of its last block.
        with self._sealed(shard).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            return [size, file.read().hex()]

    def block(self, place: Place) -> dict[Place, Row]:
        """A row and the others of its block, which are decompressed with it."""
        found = blocks(self._sealed(place.shard), self.required, place.offset)
        return {Place(place.shard, offset, line): row for offset, line, row in found}

    def read(self, place: Place) -> Row:
        """One row in full."""
        try:
            return next(row for _, row in self.read_all([place]))
        except FileNotFoundError:
            raise RunError(f"shard {place.shard} was sealed a moment ago; try again") from None

    def heads_of(
        self, shard: int, tests: Tests = MappingProxyType({})
    ) -> Iterator[tuple[Place, Row]]:
        """The rows of one shard that fit, without their heavy fields."""
        columns = self._columns_of(shard)
        if columns is not None:
            yield from columns.heads(tests)
            return
        for place, row in self._rows_of(shard):
            if fits(row, tests):
                yield place, self._head(row)

    def _rows_of(
        self, shard: int, tests: Tests = MappingProxyType({})
    ) -> Iterator[tuple[Place, Row]]:
        columns = self._columns_of(shard) if tests else None
        if columns is not None:
            yield from self.read_all(columns.places(tests))
            return
        try:
            # First the unsealed file: it goes away only after the sealed one is there.
            for offset, row in lines(self._unsealed(shard), self.required):
                if fits(row, tests):
                    yield Place(shard, offset, None), row
        except FileNotFoundError:
            for offset, line, row in blocks(self._sealed(shard), self.required):
                if fits(row, tests):
                    yield Place(shard, offset, line), row

    def read_all(self, places: Iterable[Place]) -> Iterator[tuple[Place, Row]]:
        """Rows in full, in the order of their places; each block, or open file, is read once."""
        for _, group in groupby(places, _file_and_block):
            wanted = dict.fromkeys(group)
            first = next(iter(wanted))
            for place, row in self._from(first, {place.line for place in wanted}):
                if place in wanted:
                    yield place, row
                    del wanted[place]
                if not wanted:
                    break
            if wanted:
                raise RunError(f"{self.directory}, shard {first.shard}, was changed; try again")

    def _from(self, first: Place, numbers: Set[int | None]) -> Iterator[tuple[Place, Row]]:
        """The rows of a place's block; of a shard that is not sealed, from the place on."""
        if first.line is None:
            for offset, row in lines(self._unsealed(first.shard), self.required, first.offset):
                yield Place(first.shard, offset, None), row
            return
        found = blocks(self._sealed(first.shard), self.required, first.offset, numbers)
        for offset, line, row in found:
            yield Place(first.shard, offset, line), row

    def shards(self) -> list[int]:
        """The numbers of the shards."""
        names = {path.name.partition(".")[0] for path in self.directory.glob("[0-9]*.jsonl*")}
        return sorted(int(name) for name in names if name.isdigit())

    def _unsealed(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.jsonl"

    def _sealed(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.jsonl.gz"

    def _columns(self, shard: int) -> Path:
        return self.directory / f"{shard:05}.columns.gz"

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
            else:
                repair(self._unsealed(shard), self.required)
                if shard != shards[-1]:
                    self._seal(shard)
        self.prepare()
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
        with replacing(self._sealed(shard)) as file:
            _compress(kept, file)
        self.derive(shard)

    def _write(self, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as error:
            os.ftruncate(self._file, self._size)  # a full disk must not leave half a row
            raise RunError(f"cannot write {self.directory}: {error.strerror}") from error

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
        path.unlink()
        self.derive(shard)

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
                raise RunError(f"cannot write {self.directory}: {error.strerror}") from error


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


def derive(
    directory: str,
    heavy: Sequence[str],
    required: Sequence[str],
    counting: Sequence[str] | None,
    shard: int,
) -> None:
    """`LogReader.derive` in a worker: a counting is its name, and where its function is."""
    made = None
    if counting is not None:
        name, module, function = counting
        made = Counting(name, getattr(import_module(module), function))
    LogReader(Path(directory), heavy, required, made).derive(shard)


def _file_and_block(place: Place) -> tuple[int, int | None]:
    return place.shard, None if place.line is None else place.offset
