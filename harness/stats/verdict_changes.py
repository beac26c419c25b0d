"""Differences between two verdict sets of a run, verdict by verdict, with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ...rewards.verdict import Verdict
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


@dataclass(frozen=True)
class Changes:
    """The differences between two sets of verdicts on the answers that both judged."""

    before: str
    after: str
    judged: int
    changes: tuple[Change, ...]

    @property
    def transitions(self) -> dict[tuple[str, str], int]:
        """How often each status became which other, the most frequent first."""
        return dict(Counter((change.before, change.after) for change in self.changes).most_common())

    def to_dict(self) -> dict[str, Any]:
        return {
            "before": self.before,
            "after": self.after,
            "judged": self.judged,
            "transitions": [
                {"before": before, "after": after, "answers": count}
                for (before, after), count in self.transitions.items()
            ],
            "changes": [asdict(change) for change in self.changes],
        }


def changes(run: Run, before: str, after: str) -> Changes:
    """Compare two of a run's sets of verdicts, each named by its policy."""
    earlier, later = run.verdicts(before), run.verdicts(after)
    statuses = {row["key"]: row["status"] for _, row in earlier.heads()}
    judged, differing = 0, {}
    for _, row in later.heads():
        if row["key"] in statuses:
            judged += 1
            if row["status"] != statuses[row["key"]]:
                differing[row["key"]] = row
    changed = tuple(_changes(run, before, after, set(differing))) if differing else ()
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
        witness = evidence.witness
        at = f"at {witness.point} " if witness.point else ""
        parts.append(f"{at}the integrand is {witness.expected}, F' is {witness.got}")
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
