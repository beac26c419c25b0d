"""Runs an audit: workers judge the rows, a directory keeps the findings, and a rerun resumes.

The directory holds ``audit.json`` (sources and options) and ``rows/``, an append-only log. The log
has one finding for each row of the sources, in the order of the sources. So the number of findings
says where an interrupted audit resumes, and memory holds only a few batches of rows.
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
#: Seconds of processor time for a row; definite integrals of public sets take up to 13.
DEADLINE = 30.0
#: Rows of a batch, and batches that workers judge at the same time. A batch is stored as a whole;
#: 32 batches keep the other workers busy while one worker judges a slow row.
BATCH, BATCHES = 32, 32
#: Fields of the log that counting does not read.
HEAVY = ("program", "certificate", "problem", "reference")
RECORD = "audit.json"
#: Names of temporary directories and of the lock in them, seconds for which such a directory is
#: new, and those of this process.
_TEMPORARY, _OWNER, _NEW = "calculus-harness-audit-", ".owner", 60.0
_FOLDERS_IN_USE: list[tuple[tempfile.TemporaryDirectory[str], filelock.BaseFileLock]] = []


@dataclass(frozen=True)
class Audit:
    """The findings of an audit and their counts.

    Attributes:
        path: the directory.
        sources: what was audited.
        columns: for each table a line with the columns that were chosen.
        rows_of_sources: the number of rows of the sources, if a sample was drawn.
        sampled: the size of the sample; None if all rows were audited.
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
        """The findings with one of ``statuses``; all findings without statuses.

        Args:
            statuses: members of `findings.STATUSES`.

        Yields:
            The fields of the row and of the finding.

        """
        log = LogReader(self.path / "rows", HEAVY, ("number",))
        tests = {"status": lambda status: status in statuses} if statuses else {}
        yield from log.rows(tests)

    @property
    def refuted(self) -> list[dict[str, Any]]:
        """The findings on wrong references."""
        return list(self.rows(REFUTED))

    @property
    def undecided(self) -> int:
        """Read rows whose reference was neither accepted nor refuted."""
        return sum(self.counts[status] for status in (SUSPECT, DISPUTED, UNDECIDED))

    @property
    def error_rate(self) -> tuple[float, float, float] | None:
        """The share of refuted references among the read references, with an interval.

        For a sample the interval is the confidence interval for the whole set. For a whole set the
        interval is the range left by undecided rows. None without read rows.
        """
        read = sum(self.counts.values()) - self.counts[UNREAD] - self.counts[WITHOUT]
        if not read:
            return None
        wrong = self.counts[REFUTED]
        if self.sampled is not None:
            return (wrong / read, *clopper_pearson(wrong, read))
        return wrong / read, wrong / read, (wrong + self.undecided) / read

    def duplicates(self, most: int = 100) -> list[list[dict[str, Any]]]:
        """Groups of rows with one fingerprint: equal up to a constant factor and names of symbols.

        Args:
            most: the largest number of groups, and of rows in a group.

        Returns:
            The rows of each group, without heavy fields.

        """
        # First the fingerprints alone, eight bytes a row; then the rows of repeated fingerprints.
        log = LogReader(self.path / "rows", HEAVY, ("number",))
        keys = np.fromiter(
            (int(row.get("key") or "0", 16) for _, row in log.heads()), dtype=np.uint64
        )
        values, times = np.unique(keys[keys > 0], return_counts=True)
        repeated = {int(key) for key in values[times > 1][: 4 * most]}
        groups: dict[int, list[dict[str, Any]]] = {}
        for _, row in log.heads() if repeated else ():
            key = int(row.get("key") or "0", 16)
            if key in repeated and len(groups.setdefault(key, [])) < most:
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
    settings = {
        "sources": [[source, _content(source)] for source in sources],
        "columns": dict(columns or {}),
        "sample": sample,
        "seed": seed,
    }
    notes: list[str] = []
    with exclusive(path):
        _claim(path, settings)
        chosen, total = None, None
        if sample is not None:
            total = sum(1 for _ in items_of(sources, columns or {}, []))
            chosen = _drawn(total, sample, seed)
        with Log(path / "rows", HEAVY, ("number",)) as log:
            counted = _Counted()
            done = sum(counted.add(row) for _, row in log.heads())
            items = items_of(sources, columns or {}, notes)
            if chosen is not None:
                items = (item for item in items if item.number in chosen)
            for row in _audited(islice(items, done, None), workers):
                for line in notes[counted.said :]:
                    say(line)
                counted.said = len(notes)
                log.append(row)
                counted.add(row)
                if on_progress is not None and counted.total % BATCH == 0:
                    on_progress(counted.counts)
    for line in notes[counted.said :]:
        say(line)
    if on_progress is not None:
        on_progress(counted.counts)
    record = (path, tuple(sources), tuple(notes), total, sample)
    return Audit(*record, counted.counts, counted.kinds, counted.by_subset)


def _temporary() -> str:
    """A directory with the lifetime of the process.

    A killed process leaves a directory behind, and the kernel releases the lock. The function
    removes such directories, except new directories, whose lock may still be missing.
    """
    for lock_file in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*/{_OWNER}"):
        with suppress(OSError, filelock.Timeout):
            if time.time() - lock_file.parent.stat().st_mtime > _NEW:
                with filelock.FileLock(lock_file, timeout=0):
                    shutil.rmtree(lock_file.parent)
    folder = tempfile.TemporaryDirectory(prefix=_TEMPORARY, ignore_cleanup_errors=True)
    lock = filelock.FileLock(Path(folder.name) / _OWNER, timeout=0)
    lock.acquire()
    _FOLDERS_IN_USE.append((folder, lock))
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
            # Tables count all factors as one kind of error.
            slip = "a factor" if row["kind"].startswith("a factor") else row["kind"]
            self.kinds[status, slip] += 1
        if row.get("subset"):
            self.by_subset[row["subset"], status] += 1
        return 1


def _content(source: str) -> str:
    """The hash of a file's content; empty for a source that is no file."""
    path = Path(parse(source).place) if is_source(source) else Path(source)
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _claim(path: Path, settings: dict[str, Any]) -> None:
    """Record sources and options in a new directory; compare an old directory's record."""
    record = path / RECORD
    # Rows without a record are of another program.
    if not record.exists():
        if any((path / "rows").glob("*")):
            raise UserError(f"{path} holds rows, but does not say of what: choose another --out")
        write_atomically(record, (json.dumps(settings, indent=1) + "\n").encode())
        return
    try:
        stored = json.loads(record.read_bytes())
    except ValueError as error:
        raise UserError(f"{record} is damaged: {error}") from None
    if stored != json.loads(json.dumps(settings)):
        changed = [
            name for name in settings if stored.get(name) != json.loads(json.dumps(settings))[name]
        ]
        raise UserError(
            f"{path} holds the audit of something else (other {', '.join(changed)}): "
            "choose another --out"
        )


def _drawn(total: int, sample: int, seed: int) -> frozenset[int]:
    """The numbers of a random sample without replacement, by Floyd's algorithm."""
    rng, chosen = HashedRandom("audit", seed, total, sample), set[int]()
    for index in range(max(0, total - sample), total):
        number = rng.below(index + 1)
        chosen.add(index if number in chosen else number)
    return frozenset(chosen)


def _audited(items: Iterable[AuditItem], workers: int | None) -> Iterator[dict[str, Any]]:
    """The findings as rows of the log, in the order of the items."""
    pool = shared_pool(workers, tasks=TASKS)
    waiting: deque[tuple[list[AuditItem], list[int], Future[list[Any]]]] = deque()
    source = iter(items)
    while True:
        # A bounded number of batches is under way: a table of any size is read as fast as it is
        # judged.
        while len(waiting) < BATCHES + pool.size // 8 and (batch := list(islice(source, BATCH))):
            positions = [at for at, item in enumerate(batch) if item.task]
            rows = [[batch[at].to_dict()] for at in positions]
            waiting.append((batch, positions, pool.submit("audit", rows, deadline=DEADLINE)))
        if not waiting:
            return
        batch, positions, future = waiting.popleft()
        # Rows without a task need no worker, and keep their place.
        results = dict(zip(positions, future.result(), strict=True))
        for at, item in enumerate(batch):
            yield _row(item, results.get(at))


def _row(item: AuditItem, result: Any) -> dict[str, Any]:
    """A row of the log. Problem and reference are stored only for rows in a report."""
    if result is None:
        reason = item.fault
        result = Finding(UNREAD if reason else WITHOUT, reason=reason).to_dict()
    elif isinstance(result, WorkerError):
        result = Finding(UNDECIDED, reason=f"no verdict: {result}").to_dict()
    plain = result["status"] in (PROVED, AGREED, WITHOUT)
    basic = ("number", "place", "id", "subset", "task")
    names = basic if plain else (*basic, "problem", "reference", "variable", "assumptions", "note")
    texts = item.to_dict()
    row = {name: texts[name] for name in names if texts[name]}
    return {"number": item.number, **row, **{name: v for name, v in result.items() if v}}
