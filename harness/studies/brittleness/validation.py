"""The time limit of Welleck et al. for all candidates of a validation problem together.

Primitives and sums of primitives have one second per candidate. Validation problems, their
neighbours and their sums have 10 s per problem. This time includes decoding. The candidates are
judged in order until a candidate is accepted. If the time ends earlier, or if a candidate raises an
exception, the problem is *cancelled*. The paper counts a cancelled problem as correct, with one
exception: at k = 50, a cancelled sum counts as a failure.

`run.py score RUN --method welleck --deadline 10` records the verdict and the time of every
candidate. These records determine the candidate at which the judging of a problem ends. Each
candidate may use all the time that the earlier candidates did not use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....rewards.verdict import Status

#: Flags of candidates that the scorer accepts without a decision.
UNDECIDED = frozenset({"timeout_is_correct", "exception_is_correct"})


@dataclass(frozen=True, slots=True)
class Ending:
    """The rank of the candidate at which the judging of a problem ended, counted from 0.

    The candidate was accepted, or the problem was cancelled. A problem is cancelled if the time is
    used up, or if the scorer cannot decide on the candidate.
    """

    rank: int
    cancelled: bool


def endings(
    rows: Iterable[Mapping[str, Any]], limit: float, decoding: Mapping[str, float]
) -> dict[str, Ending | None]:
    """For each problem, the candidate at which judging ended.

    If all candidates were judged within the limit and all are wrong, the entry is None.

    Args:
        rows: a model's verdicts, in any order.
        limit: seconds for a problem.
        decoding: the seconds of decoding for each problem. A problem without an entry has 0 s.

    Returns:
        The `Ending` or None, by problem.

    """
    candidates: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for row in rows:
        candidates[row["problem"]][row["sample"]] = row
    return {
        problem: _ending(ranked, limit - decoding.get(problem, 0.0))
        for problem, ranked in candidates.items()
    }


def _ending(ranked: Mapping[int, Mapping[str, Any]], seconds_left: float) -> Ending | None:
    for rank in sorted(ranked):
        evidence = ranked[rank]["evidence"]
        seconds_left -= evidence["seconds"]
        if seconds_left <= 0 or UNDECIDED.intersection(evidence["flags"]):
            return Ending(rank, cancelled=True)
        if ranked[rank]["status"] == Status.CORRECT:
            return Ending(rank, cancelled=False)
    return None
