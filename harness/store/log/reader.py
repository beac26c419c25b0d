"""An append-only log of JSON rows that survives a kill at any instant.

A log is a directory of numbered shards of JSON Lines. Rows are appended to the newest shard; a
shard beyond ``shard_bytes`` is *sealed*: compressed in blocks (a gzip file of many members: `zcat`
reads the file, and a single row is read without the rest). Beside a sealed shard are the columns of
the rows' short fields, with each row's place (`shards.Columns`), and a summary of all rows
(`Counting`). Columns and summaries are derived: made at the sealing of a shard, and again for
missing files or files of other rows, for several shards on all cores. Readers also keep columns and
summaries for the beginning of a large unsealed shard: the shard's file only grows, and a rewrite
changes the inode.

Every row is a single write to the file: a killed process loses no row after the return of
`Log.append`. `fsync` follows within a second: a power cut loses no more than a second. A kill in
the middle of a write leaves an unfinished last line. The writer drops the line (or ends the line,
if only the newline is missing), and readers skip the line. Any other broken line is an error with
file and line, raised before any change.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from ....rewards.workers.child import in_worker
from ....rewards.workers.errors import PoolError
from ....rewards.workers.pool import WorkerPool, usable_cores
from ...core.errors import RunError
from ..atomic import write_atomically
from .shards import (
    CHUNK_BYTES,
    Columns,
    ColumnsWriter,
    Place,
    Row,
    Tests,
    blocks,
    fits,
    line_at,
    lines_of,
)

#: Bytes of sealed shards from which on workers, whose start takes half a second, are worth it: text
#: of ten times that size, a second's work.
_WORTH_WORKERS = 1 << 20
#: Bytes of rows of an unsealed shard whose counts and columns are kept: a tenth of a second's work.
#: As a quarter of what was kept before has to have come, a row is counted some five times at most.
_WORTH_KEEPING = 1 << 20
#: The first part of the stamp of what is kept of an unsealed shard.
_GROWING = "growing"
#: The task of these workers, and seconds for a shard, which takes some three.
_TASKS = {"derive": f"{__name__}:derive"}
_DEADLINE = 600.0


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


@dataclass(frozen=True, slots=True)
class LogTail:
    """A growing shard: ``columns`` and counts cover the rows up to ``end``."""

    file: IO[bytes]
    path: Path
    stamp: list[Any]
    end: int
    columns: Columns | None

    def rows(self, required: Set[str], offset: int) -> Iterator[tuple[int, Row]]:
        """The rows from an offset on."""
        return lines_of(self.file, self.path, required, offset)


def _last_line_end(file: IO[bytes], size: int) -> int:
    """The offset of the end of the last whole line among a number of bytes."""
    at = size
    while at > 0:
        begin = max(0, at - CHUNK_BYTES)
        file.seek(begin)
        newline = file.read(at - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        at = begin
    return 0


class LogReader:
    """Reads a log, even during another process's writes."""

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
        """The fitting rows, without heavy fields, in the order of writing, with places."""
        for shard in self.shards():
            yield from self.heads_of(shard, tests)

    def rows(self, tests: Tests = MappingProxyType({})) -> Iterator[Row]:
        """The fitting rows, in full, in the order of writing; all rows without ``tests``."""
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
        """The log's `Counting` of each shard, stored for sealed shards."""
        if self.counting is None:
            raise ValueError(f"the log {self.directory} has no counting")
        self.prepare()
        for shard in self.shards():
            with self._growing(shard) as tail:
                if tail is not None:
                    yield from self._counts_of(shard, tail)
                    continue
            counts = self._stored_counts(shard, self.stamp(shard))
            yield self.derive(shard) if counts is None else counts

    def _counts_of(self, shard: int, tail: LogTail) -> Iterator[Any]:
        """The counts of a growing shard: of the stored beginning, and of newer rows."""
        counts = self._stored_counts(shard, tail.stamp) if tail.end else None
        assert self.counting is not None
        if counts is None:  # nothing is stored, or it is damaged
            yield self.counting.of(row for _, row in tail.rows(self.required, 0))
            return
        yield counts
        yield self.counting.of(row for _, row in tail.rows(self.required, tail.end))

    def _stored_counts(self, shard: int, stamp: list[Any] | None) -> Any:
        """The stored counts of a shard, if made from the same rows."""
        try:
            stored = json.loads(self._counts(shard).read_bytes())
            return stored["counts"] if stored["stamp"] == stamp else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _stored_columns(self, shard: int, stamp: list[Any] | None) -> Columns | None:
        """The stored columns of a shard, if made from the same rows."""
        try:
            columns = Columns(self._columns(shard).read_bytes(), shard)
            return columns if columns.stamp == stamp else None
        except (OSError, ValueError):
            return None

    @contextmanager
    def _growing(self, shard: int) -> Iterator[LogTail | None]:
        """An unsealed shard, with derived data of the beginning; None for a sealed shard."""
        try:
            file = self._unsealed(shard).open("rb")
        except FileNotFoundError:
            yield None
            return
        with file:
            status = os.fstat(file.fileno())
            columns, end = None, 0
            with suppress(OSError, ValueError, TypeError):
                columns = Columns(self._columns(shard).read_bytes(), shard)
                # A rewritten file has another inode; a shorter file was truncated.
                mark, inode, end = columns.stamp
                if mark != _GROWING or inode != status.st_ino or end > status.st_size:
                    columns, end = None, 0
            # Columns are extended only for enough new rows, since an extension reads the shard from
            # the beginning.
            new_bytes = status.st_size - end
            if new_bytes > max(_WORTH_KEEPING, end // 4) and self._may_store:
                end = _last_line_end(file, status.st_size)
                stamp = [_GROWING, status.st_ino, end]
                rows = lines_of(file, self._unsealed(shard), self.required, 0, end)
                self._derived(shard, stamp, (((at, None), row) for at, row in rows))
                columns = self._stored_columns(shard, stamp)
            if columns is None:
                end = 0
            yield LogTail(file, self._unsealed(shard), [_GROWING, status.st_ino, end], end, columns)

    def _columns_of(self, shard: int) -> Columns | None:
        """The columns of a shard; None if unsealed, or if only rows have the columns."""
        stamp = self.stamp(shard)
        if stamp is None:
            return None
        columns = self._stored_columns(shard, stamp)
        if columns is None and self._may_store:
            self.derive(shard)
            columns = self._stored_columns(shard, stamp)
        return columns

    def prepare(self) -> None:
        """Make missing columns and counts of sealed shards, on all cores if many are missing."""
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
        """Whether derived data can be stored; a read-only run is read in full every time."""
        return os.access(self.directory, os.W_OK)

    def _lacks(self, shard: int) -> bool:
        """Whether columns or counts are missing; present files may still be damaged."""
        has_columns = self._columns(shard).exists() and (
            not self.counting or self._counts(shard).exists()
        )
        return not has_columns and self.stamp(shard) is not None

    def derive(self, shard: int) -> Any:
        """Make the columns and the counts of a shard in a single pass; returns the counts.

        Both are stored if the shard is sealed.
        """
        stamp = self.stamp(shard)
        rows = (((position.offset, position.line), row) for position, row in self._rows_of(shard))
        return self._derived(shard, stamp, rows)

    def _derived(
        self,
        shard: int,
        stamp: list[Any] | None,
        rows: Iterable[tuple[tuple[int, int | None], Row]],
    ) -> Any:
        """Make columns and counts of rows, and store both under a stamp, if given."""
        columns = ColumnsWriter()

        def noted() -> Iterator[Row]:
            for (offset, line), row in rows:
                if stamp is not None:
                    columns.add(offset, line, self._head(row))
                yield row

        # A single pass feeds both: `counting` draws the rows through `noted`.
        counts = self.counting.of(noted()) if self.counting else deque(noted(), 0)
        # A shard that changed meanwhile has another stamp: nothing is stored then.
        if stamp is not None and (stamp[0] == _GROWING or stamp == self.stamp(shard)):
            with suppress(OSError):
                write_atomically(self._columns(shard), columns.encoded(stamp))
                if self.counting:
                    stored = {"stamp": stamp, "counts": counts}
                    data = json.dumps(stored, separators=(",", ":")).encode()
                    write_atomically(self._counts(shard), data)
        return counts

    def stamp(self, shard: int) -> list[Any] | None:
        """A stamp of the rows of a sealed shard; None for an unsealed shard."""
        if self._unsealed(shard).exists():
            return None
        # Size and last bytes, which hold the checksum of its last block.
        with self._sealed(shard).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            return [size, file.read().hex()]

    def block(self, place: Place) -> dict[Place, Row]:
        """The rows of the block at a place; the whole block is decompressed."""
        rows = blocks(self._sealed(place.shard), self.required, place.offset)
        return {Place(place.shard, offset, line): row for offset, line, row in rows}

    def read(self, place: Place) -> Row:
        """A row in full."""
        try:
            return next(row for _, row in self.read_all([place]))
        except FileNotFoundError:
            raise RunError(f"shard {place.shard} was sealed a moment ago; try again") from None

    def heads_of(
        self, shard: int, tests: Tests = MappingProxyType({})
    ) -> Iterator[tuple[Place, Row]]:
        """The fitting rows of a shard, without heavy fields."""
        with self._growing(shard) as tail:
            if tail is not None:
                if tail.columns is not None:
                    yield from tail.columns.heads(tests)
                for offset, row in tail.rows(self.required, tail.end):
                    if fits(row, tests):
                        yield Place(shard, offset, None), self._head(row)
                return
        # Columns hold everything but the heavy fields; without them the rows are read.
        columns = self._columns_of(shard)
        if columns is not None:
            yield from columns.heads(tests)
            return
        for position, row in self._rows_of(shard):
            if fits(row, tests):
                yield position, self._head(row)

    def _rows_of(
        self, shard: int, tests: Tests = MappingProxyType({})
    ) -> Iterator[tuple[Place, Row]]:
        with self._growing(shard) as tail:
            # A growing shard: columns answer for the beginning, and only the new rows are read.
            if tail is not None:
                begin = 0
                if tests and tail.columns is not None:
                    begin = tail.end
                    for position in tail.columns.places(tests):
                        yield (
                            position,
                            line_at(tail.file, tail.path, self.required, position.offset),
                        )
                for offset, row in tail.rows(self.required, begin):
                    if fits(row, tests):
                        yield Place(shard, offset, None), row
                return
        columns = self._columns_of(shard) if tests else None
        if columns is not None:
            yield from self.read_all(columns.places(tests))
            return
        for offset, line, row in blocks(self._sealed(shard), self.required):
            if fits(row, tests):
                yield Place(shard, offset, line), row

    def read_all(self, places: Iterable[Place]) -> Iterator[tuple[Place, Row]]:
        """Rows in full, in the order of places; each block, or open file, is read once."""
        # A block is decompressed once for all neighbouring places.
        for _, group in groupby(places, _file_and_block):
            remaining = dict.fromkeys(group)
            next_place = next(iter(remaining))
            for position, row in self._from(next_place, remaining):
                if position in remaining:
                    yield position, row
                    del remaining[position]
                if not remaining:
                    break
            if remaining:
                raise RunError(
                    f"{self.directory}, shard {next_place.shard}, was changed; try again"
                )

    def _from(self, start: Place, remaining: Collection[Place]) -> Iterator[tuple[Place, Row]]:
        """The rows at places of a block, or of an unsealed shard."""
        if start.line is None:
            path = self._unsealed(start.shard)
            with path.open("rb") as file:
                for position in tuple(remaining):
                    yield position, line_at(file, path, self.required, position.offset)
            return
        numbers = {position.line for position in remaining}
        rows = blocks(self._sealed(start.shard), self.required, start.offset, numbers)
        for offset, line, row in rows:
            yield Place(start.shard, offset, line), row

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


def derive(
    directory: str,
    heavy: Sequence[str],
    required: Sequence[str],
    counting: Sequence[str] | None,
    shard: int,
) -> None:
    """`LogReader.derive` in a worker: a counting is given by name and by function path."""
    value = None
    if counting is not None:
        name, module, function = counting
        value = Counting(name, getattr(import_module(module), function))
    LogReader(Path(directory), heavy, required, value).derive(shard)


def _file_and_block(position: Place) -> tuple[int, int | None]:
    return position.shard, None if position.line is None else position.offset
