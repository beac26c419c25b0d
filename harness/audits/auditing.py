"""An audit from its sources to its counts: a pool of workers, a directory that can be resumed.

A directory holds ``audit.json`` (what was audited, how) and ``rows/``, an append-only log with a
row for every row of the sources, in their order. So the number of stored rows says where to go on,
and memory does not grow with the sources: what is held is a few batches.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import filelock
import numpy as np

from ...benchmarks.files.table import is_source, parse
from ...benchmarks.hashed_random import HashedRandom
from ...rewards.workers.errors import WorkerError
from ...rewards.workers.pool import shared_pool
from ..core.errors import UserError
from ..core.exclusive import exclusive
from ..stats.intervals import clopper_pearson
from ..store.atomic import write_atomically
from ..store.log.appending import Log
from ..store.log.reader import LogReader
from .findings import (
    AGREED,
    DISPUTED,
    PROVED,
    REFUTED,
    STATUSES,
    SUSPECT,
    UNDECIDED,
    UNREAD,
    WITHOUT,
    Finding,
)
from .items import AuditItem, items_of

TASKS = {"audit": f"{__package__}.judge:audited"}
#: Seconds of processor time for a row; a definite integral may take most of it.
DEADLINE = 30.0
#: Rows of a batch, which is stored when all are done, and batches under way: enough that no worker
#: waits for a slow row of another.
BATCH, BATCHES = 32, 32
#: What is not read when rows are only counted.
HEAVY = ("program", "certificate", "problem", "reference")
RECORD = "audit.json"
#: Names of temporary directories and of the lock in them, seconds for which such a directory is
#: new, and those of this process.
_TEMPORARY, _OWNER, _NEW = "calculus-harness-audit-", ".owner", 60.0
_KEPT: list[tuple[tempfile.TemporaryDirectory[str], filelock.BaseFileLock]] = []


@dataclass(frozen=True)
class Audit:
    """The rows of an audit, and what they add up to.

    Attributes:
        path: the directory.
        sources: what was audited.
        columns: a line for each table that says which columns were taken.
        rows_of_sources: how many rows the sources have, if a sample was drawn.
        sampled: how many of them were drawn; None for all.
        counts: rows by status.
        kinds: refuted and suspect rows by status and kind.
        by_subset: rows by subset and status.

    >>> from calculus_harness import audit
    >>> audit("drills/sums").counts["proved"] > 0
    True

    """

    path: Path
    sources: tuple[str, ...]
    columns: tuple[str, ...]
    rows_of_sources: int | None = None
    sampled: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_subset: Counter[tuple[str, str]] = field(default_factory=Counter)

    def rows(self, *statuses: str) -> Iterator[dict[str, Any]]:
        """The rows of these statuses, in full, or all.

        Args:
            statuses: some of `findings.STATUSES`.

        Yields:
            The item and the finding of each as one dictionary.

        """
        log = LogReader(self.path / "rows", HEAVY, ("number",))
        tests = {"status": lambda status: status in statuses} if statuses else {}
        yield from log.rows(tests)

    @property
    def refuted(self) -> list[dict[str, Any]]:
        """The rows whose reference is wrong."""
        return list(self.rows(REFUTED))

    @property
    def undecided(self) -> int:
        """Rows that were read and whose reference was neither accepted nor refuted."""
        return sum(self.counts[status] for status in (SUSPECT, DISPUTED, UNDECIDED))

    @property
    def error_rate(self) -> tuple[float, float, float] | None:
        """The share of refuted references among those that were read, with its interval.

        The interval is for the set that a sample was drawn from; of a whole set it is the range
        that undecided rows leave. None where nothing was read.
        """
        read = sum(self.counts.values()) - self.counts[UNREAD] - self.counts[WITHOUT]
        if not read:
            return None
        wrong = self.counts[REFUTED]
        if self.sampled is not None:
            return (wrong / read, *clopper_pearson(wrong, read))
        return wrong / read, wrong / read, (wrong + self.undecided) / read

    def duplicates(self, most: int = 100) -> list[list[dict[str, Any]]]:
        """Groups of rows whose problems are the same up to a factor and names, by fingerprint.

        Args:
            most: how many groups are returned, and rows of each.

        Returns:
            The rows of each group, without heavy fields.

        """
        # Eight bytes for a row, sorted, so that a million rows take no more than 16 MB.
        log = LogReader(self.path / "rows", HEAVY, ("number",))
        keys = np.fromiter(
            (int(row.get("key") or "0", 16) for _, row in log.heads()), dtype=np.uint64
        )
        values, times = np.unique(keys[keys > 0], return_counts=True)
        wanted = {int(key) for key in values[times > 1][: 4 * most]}
        groups: dict[int, list[dict[str, Any]]] = {}
        for _, row in log.heads() if wanted else ():
            key = int(row.get("key") or "0", 16)
            if key in wanted and len(groups.setdefault(key, [])) < most:
                groups[key].append(row)
        return list(groups.values())[:most]

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON.

        Returns:
            Sources, columns, counts by status and by kind, and the error rate.

        """
        return {
            "sources": list(self.sources),
            "columns": list(self.columns),
            "rows": sum(self.counts.values()),
            "of": self.rows_of_sources,
            "counts": {status: self.counts[status] for status in STATUSES},
            "kinds": [[status, kind, n] for (status, kind), n in self.kinds.most_common()],
            "error rate": self.error_rate,
        }


def audit(
    *sources: str,
    columns: Mapping[str, str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    workers: int | None = None,
    on_progress: Callable[[Counter[str]], None] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Audit:
    """Find out which references of problem sets are wrong.

    Args:
        sources: files (JSON Lines, JSON, CSV, TSV, Parquet), ``hub:`` data sets, benchmarks, run
            directories.
        columns: ``problem``, ``reference``, ... -> the column, where the guess is wrong.
        sample: audit only so many rows, drawn at random.
        seed: the seed of the sample.
        out: the directory; the same call goes on where it stopped. By default a temporary one.
        workers: processes; by default one for each core.
        on_progress: is called with the counts after every batch.
        say: is called with a line for every table, as soon as its columns are chosen.

    Returns:
        The counts, and the rows on request.

    Raises:
        UserError: a source cannot be used, or ``out`` holds the audit of something else.

    Example:
        >>> from calculus_harness import audit
        >>> found = audit("drills/sums", workers=1)
        >>> found.counts["refuted"]
        0

    """
    if not sources:
        raise UserError("name a file, a benchmark or a run to audit")
    if out is None:  # rows stay readable as long as this process lives
        out = _temporary()
    path = Path(out)
    path.mkdir(parents=True, exist_ok=True)
    asked = {
        "sources": [[source, _content(source)] for source in sources],
        "columns": dict(columns or {}),
        "sample": sample,
        "seed": seed,
    }
    shown: list[str] = []
    with exclusive(path):
        _claim(path, asked)
        chosen, total = None, None
        if sample is not None:
            total = sum(1 for _ in items_of(sources, columns or {}, []))
            chosen = _drawn(total, sample, seed)
        with Log(path / "rows", HEAVY, ("number",)) as log:
            counted = _Counted()
            done = sum(counted.add(row) for _, row in log.heads())
            items = items_of(sources, columns or {}, shown)
            if chosen is not None:
                items = (item for item in items if item.number in chosen)
            for row in _audited(islice(items, done, None), workers):
                for line in shown[counted.said :]:
                    say(line)
                counted.said = len(shown)
                log.append(row)
                counted.add(row)
                if on_progress is not None and counted.total % BATCH == 0:
                    on_progress(counted.counts)
    for line in shown[counted.said :]:
        say(line)
    if on_progress is not None:
        on_progress(counted.counts)
    record = (path, tuple(sources), tuple(shown), total, sample)
    return Audit(*record, counted.counts, counted.kinds, counted.by_subset)


def _temporary() -> str:
    """A directory that lasts as long as this process.

    A killed process leaves its directory behind, whose lock the kernel has released: such
    directories are removed here, if they are not so new that their lock may still be missing.
    """
    for lock_file in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*/{_OWNER}"):
        with suppress(OSError, filelock.Timeout):
            if time.time() - lock_file.parent.stat().st_mtime > _NEW:
                with filelock.FileLock(lock_file, timeout=0):
                    shutil.rmtree(lock_file.parent)
    folder = tempfile.TemporaryDirectory(prefix=_TEMPORARY, ignore_cleanup_errors=True)
    lock = filelock.FileLock(Path(folder.name) / _OWNER, timeout=0)
    lock.acquire()
    _KEPT.append((folder, lock))
    return folder.name


class _Counted:
    """Counts of rows by status, kind and subset."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.by_subset: Counter[tuple[str, str]] = Counter()
        self.total = self.said = 0

    def add(self, row: Mapping[str, Any]) -> int:
        status = row["status"]
        self.counts[status] += 1
        self.total += 1
        if row.get("kind") and status not in (PROVED, AGREED):
            # The factor is told in the row; tables count factors together.
            kind = "a factor" if row["kind"].startswith("a factor") else row["kind"]
            self.kinds[status, kind] += 1
        if row.get("subset"):
            self.by_subset[row["subset"], status] += 1
        return 1


def _content(source: str) -> str:
    """The hash of a file's content; empty for what is not a file."""
    path = Path(parse(source).place) if is_source(source) else Path(source)
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _claim(path: Path, asked: dict[str, Any]) -> None:
    """Write what is audited into the directory, or see that it is the same as before."""
    record = path / RECORD
    if not record.exists():
        if any((path / "rows").glob("*")):
            raise UserError(f"{path} holds rows, but does not say of what: choose another --out")
        write_atomically(record, (json.dumps(asked, indent=1) + "\n").encode())
        return
    try:
        before = json.loads(record.read_bytes())
    except ValueError as error:
        raise UserError(f"{record} is damaged: {error}") from None
    if before != json.loads(json.dumps(asked)):
        changed = [
            name for name in asked if before.get(name) != json.loads(json.dumps(asked))[name]
        ]
        raise UserError(
            f"{path} holds the audit of something else (other {', '.join(changed)}): "
            "choose another --out"
        )


def _drawn(total: int, sample: int, seed: int) -> frozenset[int]:
    """The numbers of a random sample without replacement, by Floyd's algorithm."""
    rng, chosen = HashedRandom("audit", seed, total, sample), set[int]()
    for last in range(max(0, total - sample), total):
        number = rng.below(last + 1)
        chosen.add(last if number in chosen else number)
    return frozenset(chosen)


def _audited(items: Iterable[AuditItem], workers: int | None) -> Iterator[dict[str, Any]]:
    """The rows with their findings, in order; a few batches are under way at once."""
    pool = shared_pool(workers, tasks=TASKS)
    waiting: deque[tuple[list[AuditItem], list[int], Future[list[Any]]]] = deque()
    source = iter(items)
    while True:
        while len(waiting) < BATCHES + pool.size // 8 and (batch := list(islice(source, BATCH))):
            asked = [at for at, item in enumerate(batch) if item.kind]
            rows = [[batch[at].to_dict()] for at in asked]
            waiting.append((batch, asked, pool.submit("audit", rows, deadline=DEADLINE)))
        if not waiting:
            return
        batch, asked, future = waiting.popleft()
        found = dict(zip(asked, future.result(), strict=True))
        for at, item in enumerate(batch):
            yield _row(item, found.get(at))


def _row(item: AuditItem, found: Any) -> dict[str, Any]:
    """A row of the log: fields without their defaults, and texts only where a reader needs them."""
    if found is None:
        reason = item.fault
        found = Finding(UNREAD if reason else WITHOUT, reason=reason).to_dict()
    elif isinstance(found, WorkerError):
        found = Finding(UNDECIDED, reason=f"no verdict: {found}").to_dict()
    plain = found["status"] in (PROVED, AGREED, WITHOUT)
    kept = ("number", "place", "id", "subset", "kind")
    told = kept if plain else (*kept, "problem", "reference", "variable", "assumptions", "note")
    texts = item.to_dict()
    row = {"task" if name == "kind" else name: texts[name] for name in told if texts[name]}
    return {"number": item.number, **row, **{name: v for name, v in found.items() if v}}
