"""Differences between two verdict sets of a run, verdict by verdict, with reasons."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar

from ...rewards.records import Record
from ...rewards.verdict import PROOFS, Verdict
from ..store.run import Run


@dataclass(frozen=True, slots=True)
class Change:
    """One answer that two sets of verdicts judge differently, with the reason of each."""

    problem: str
    label: str
    sample: int
    answer: str | None
    before: str
    after: str
    because_before: str
    because_after: str


@dataclass(frozen=True, slots=True)
class Transition:
    """How many answers changed from one status to another."""

    before: str
    after: str
    answers: int


@dataclass(frozen=True)
class Changes(Record):
    """The differences between two sets of verdicts on the answers that both judged."""

    computed: ClassVar[tuple[str, ...]] = ("transitions",)

    before: str
    after: str
    judged: int
    changes: tuple[Change, ...]

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """How often each status became which other, the most frequent first."""
        counted = Counter((change.before, change.after) for change in self.changes)
        return tuple(Transition(*statuses, answers=n) for statuses, n in counted.most_common())


def changes(run: Run, before: str, after: str) -> Changes:
    """Compare two of a run's sets of verdicts, each named by its policy."""
    earlier, later = run.verdicts(before), run.verdicts(after)
    judged = 0
    differing: set[str] = set()
    # A database of its own on disk, as memory would grow with the run.
    with closing(sqlite3.connect("")) as database:
        database.execute("CREATE TABLE said (key TEXT PRIMARY KEY, status TEXT) WITHOUT ROWID")
        statuses = ((row["key"], row["status"]) for _, row in earlier.heads())
        database.executemany("INSERT OR REPLACE INTO said VALUES (?, ?)", statuses)
        for _, row in later.heads():
            key, status = row["key"], row["status"]
            found = database.execute("SELECT status FROM said WHERE key = ?", (key,)).fetchone()
            judged += found is not None
            if found is not None and found[0] != status:
                differing.add(key)
    changed = tuple(_changes(run, before, after, differing)) if differing else ()
    return Changes(before, after, judged, changed)


def _changes(run: Run, before: str, after: str, keys: set[str]) -> Iterator[Change]:
    old = {row["key"]: row for row in run.verdicts(before).rows() if row["key"] in keys}
    for row in run.verdicts(after).rows():
        if row["key"] in keys:
            first, second = Verdict.from_dict(old[row["key"]]), Verdict.from_dict(row)
            yield Change(
                problem=row["problem"],
                label=run.models[row["model"]]["label"],
                sample=row["sample"],
                answer=second.answer or first.answer,
                before=first.status.value,
                after=second.status.value,
                because_before=reason(first),
                because_after=reason(second),
            )


def reason(verdict: Verdict) -> str:
    """A verdict's evidence in a few words."""
    evidence = verdict.evidence
    parts = []
    if evidence.witness:
        parts.append(str(evidence.witness))
    elif evidence.proof in PROOFS:
        parts.append(f"proved (rules: {', '.join(evidence.rules) or 'none'})")
    elif evidence.points and verdict.correct:
        parts.append(f"agrees at {evidence.points} points to {evidence.digits:.0f} digits")
    if evidence.detail:
        parts.append(evidence.detail)
    if evidence.coverage is not None and evidence.coverage < 1:
        parts.append(f"on {100 * evidence.coverage:.1f} % of the real domain")
    if evidence.flags:
        parts.append(", ".join(evidence.flags))
    if not parts and evidence.extracted_by:
        parts.append(f"answer found by {evidence.extracted_by}")
    return "; ".join(parts)
