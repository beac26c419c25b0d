"""Answers with different judgements in two sets of verdicts, with the reasons of both."""

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
class ChangedVerdict:
    """An answer with different verdicts in two sets of verdicts, and the reasons of both."""

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
    """How many answers changed from the status ``before`` to the status ``after``."""

    before: str
    after: str
    answers: int


@dataclass(frozen=True)
class Changes(Record):
    """The answers whose status differs between two sets of verdicts.

    ``judged`` is the number of answers with a verdict in both sets.
    """

    computed: ClassVar[tuple[str, ...]] = ("transitions",)

    before: str
    after: str
    judged: int
    changes: tuple[ChangedVerdict, ...]

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """How many answers made each change of status. The most frequent change comes first."""
        counted = Counter((change.before, change.after) for change in self.changes)
        return tuple(Transition(*statuses, answers=n) for statuses, n in counted.most_common())


def changes(run: Run, before: str, after: str) -> Changes:
    """Find the answers of a run that two sets of verdicts judge differently.

    ``before`` and ``after`` are the names of the sets (policies).
    """
    earlier, later = run.verdicts(before), run.verdicts(after)
    judged = 0
    differing: set[str] = set()
    # A temporary database on disk: memory must not grow with the run.
    with closing(sqlite3.connect("")) as database:
        database.execute("CREATE TABLE said (key TEXT PRIMARY KEY, status TEXT) WITHOUT ROWID")
        statuses = ((row["key"], row["status"]) for _, row in earlier.heads())
        database.executemany("INSERT OR REPLACE INTO said VALUES (?, ?)", statuses)
        for _, row in later.heads():
            key, status = row["key"], row["status"]
            old_status = database.execute(
                "SELECT status FROM said WHERE key = ?", (key,)
            ).fetchone()
            judged += old_status is not None
            if old_status is not None and old_status[0] != status:
                differing.add(key)
    changed = tuple(_changes(run, before, after, differing)) if differing else ()
    return Changes(before, after, judged, changed)


def _changes(run: Run, before: str, after: str, keys: set[str]) -> Iterator[ChangedVerdict]:
    old = {row["key"]: row for row in run.verdicts(before).rows() if row["key"] in keys}
    for row in run.verdicts(after).rows():
        if row["key"] in keys:
            old_verdict, new_verdict = Verdict.from_dict(old[row["key"]]), Verdict.from_dict(row)
            yield ChangedVerdict(
                problem=row["problem"],
                label=run.models[row["model"]]["label"],
                sample=row["sample"],
                answer=new_verdict.answer or old_verdict.answer,
                before=old_verdict.status.value,
                after=new_verdict.status.value,
                because_before=reason(old_verdict),
                because_after=reason(new_verdict),
            )


def reason(verdict: Verdict) -> str:
    evidence = verdict.evidence
    phrases = []
    if evidence.witness:
        phrases.append(str(evidence.witness))
    elif evidence.proof in PROOFS:
        phrases.append(f"proved (rules: {', '.join(evidence.rules) or 'none'})")
    elif evidence.points and verdict.correct:
        phrases.append(f"agrees at {evidence.points} points to {evidence.digits:.0f} digits")
    if evidence.detail:
        phrases.append(evidence.detail)
    if evidence.coverage is not None and evidence.coverage < 1:
        phrases.append(f"on {100 * evidence.coverage:.1f} % of the real domain")
    if evidence.flags:
        phrases.append(", ".join(evidence.flags))
    if not phrases and evidence.extracted_by:
        phrases.append(f"answer found by {evidence.extracted_by}")
    return "; ".join(phrases)
