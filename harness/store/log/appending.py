"""The only writer of a log, with rows that survive a kill (`reader` describes the files)."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import IO, Any

from ...core.errors import RunError
from ..atomic import replacing, sync_directory
from .reader import Counting, LogReader
from .shards import Row, lines, repair

SHARD_BYTES = 64 << 20
BLOCK_BYTES = 256 << 10
FSYNC_SECONDS = 1.0

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Log(LogReader):
    """The only writer of a log (the caller holds the lock). Use as a context manager."""

    _file: int

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
        """Store a row. After the return, killing the process does not lose the row."""
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
        """A future, done as soon as all rows are on disk; fails with the disk's error."""
        if self._latest is None:
            self._latest = self._later(os.fsync, self._file)
            self._synced = time.monotonic()
        return self._latest

    def discard(self, unwanted: Callable[[Row], bool]) -> int:
        """Remove rows for good; a kill leaves every shard unchanged or without the rows.

        Args:
            unwanted: whether to remove a row, given without heavy fields.

        Returns:
            The number of removed rows.

        """
        return self.remove(
            {
                shard: {n for n, (_, row) in enumerate(self.heads_of(shard)) if unwanted(row)}
                for shard in self.shards()
            }
        )

    def remove(self, unwanted: Mapping[int, Set[int]]) -> int:
        """`discard` by the numbers of the rows in each shard, counted from 0."""
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
        kept_rows = (_encoded(row) for number, (_, row) in rows if number not in unwanted)
        if self._unsealed(shard).exists():
            self._columns(shard).unlink(missing_ok=True)  # an inode may be used again
            with replacing(self._unsealed(shard)) as file:
                file.writelines(kept_rows)
            return
        with replacing(self._sealed(shard)) as file:
            _compress(kept_rows, file)
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
    """Write lines as separately compressed blocks."""
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
