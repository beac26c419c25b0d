"""The limit of the paper's validation experiments: seconds for all candidates of a problem.

Primitives and their sums have a second for a candidate; neighbours and sums of validation problems,
and these themselves, have 10 s for a problem: for decoding and for candidates in their order, up to
the first that is accepted. Where the time is over, or anything raises, the problem is *cancelled*,
which counts as correct; for sums at k = 50 the paper takes it as a failure.

`run.py score RUN --method welleck --deadline 10` records for every candidate its verdict and its
time, of which this is a function: every candidate has what is left of the limit by itself, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....rewards.verdict import Status

#: What makes a candidate correct because it was not decided.
UNDECIDED = frozenset({"timeout_is_correct", "exception_is_correct"})


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a problem's candidates ended: at which rank, counted from 0, and why."""

    rank: int
    cancelled: bool


def endings(
    rows: Iterable[Mapping[str, Any]], limit: float, decoding: Mapping[str, float]
) -> dict[str, Ending | None]:
    """Where each problem ended; None if its candidates are all wrong and within the limit.

    Args:
        rows: verdicts of one model, in any order.
        limit: seconds for a problem.
        decoding: seconds that were spent before the first candidate, by problem; by default 0.

    Returns:
        The endings by problem.

    """
    candidates: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for row in rows:
        candidates[row["problem"]][row["sample"]] = row
    return {
        problem: _ending(ranked, limit - decoding.get(problem, 0.0))
        for problem, ranked in candidates.items()
    }


def _ending(ranked: Mapping[int, Mapping[str, Any]], left: float) -> Ending | None:
    for rank in sorted(ranked):
        evidence = ranked[rank]["evidence"]
        left -= evidence["seconds"]
        if left <= 0 or UNDECIDED.intersection(evidence["flags"]):
            return Ending(rank, cancelled=True)
        if ranked[rank]["status"] == Status.CORRECT:
            return Ending(rank, cancelled=False)
    return None
