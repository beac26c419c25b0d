"""repaired@t: how many wrong answers are right after up to t turns (`harness.run.turns`).

Of the samples whose first answer was wrong, the share that is right in one of the turns 2 to t.
Beside the arm with feedback stands a control that was told nothing; both begin with the same first
answers, so that their difference is paired. Intervals are those of means over samples that come in
clusters of problems with a common origin (`intervals`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...rewards.records import Record
from ...rewards.verdict import Status
from ..core.requests import FinishReason
from ..store.counts import UNKNOWN
from ..store.run import Run
from .clusters import clusters_of
from .intervals import Ratio, interval

#: The arm that is told nothing: a model that tries again may be right without any information.
CONTROL = "control"
#: The verdicts after which a model tries again. A right answer is kept, and one that the verifier
#: could not judge must not be called wrong.
WRONG = frozenset(Status) - UNKNOWN - {Status.CORRECT}
#: By problem: how many wrong answers were tried again, and how many of them were repaired.
_Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Repaired(Record):
    """One arm of a model after up to ``turn`` turns.

    Attributes:
        model: the model's hash.
        label: its name.
        feedback: what it was told: verdict, witness, steps or control.
        turn: the t of repaired@t.
        asked: how many answers were wrong and tried again.
        problems: how many problems they belong to.
        value: the share of them that was right by then.
        interval: its interval.
        gain: the share minus that of the control; None for the control.
        gain_interval: its paired interval.
        p: of the gain.

    >>> Repaired("m", "a", "witness", 2, 4, 2, 0.5, (0.1, 0.9)).value
    0.5

    """

    model: str
    label: str
    feedback: str
    turn: int
    asked: int
    problems: int
    value: float
    interval: tuple[float, float]
    gain: float | None = None
    gain_interval: tuple[float, float] | None = None
    p: float | None = None


@dataclass(frozen=True)
class RepairedDifference(Record):
    """repaired@t of two systems on the problems that both had wrong answers to.

    Attributes:
        first: the name of the first system.
        second: that of the second.
        feedback: what both were told.
        turn: the t.
        problems: the problems that pair.
        value: the second's mean share of repaired answers minus the first's.
        interval: its paired interval.
        p: of the difference.

    >>> RepairedDifference("a", "b", "steps", 3, 9, 0.1, (-0.1, 0.3), 0.4).turn
    3

    """

    first: str
    second: str
    feedback: str
    turn: int
    problems: int
    value: float
    interval: tuple[float, float]
    p: float


def repaired(run: Run, policy: str | None = None) -> tuple[Repaired, ...]:
    """repaired@t of every model, arm and turn of a run; empty for a run of one turn.

    Args:
        run: the run of the first turn.
        policy: the verdicts to count, by name; by default the run's.

    Raises:
        RunError: a turn has no such verdicts.

    """
    clusters, arms = clusters_of(run.problems), _arms(run, policy)
    found = []
    for (model, arm, turn), counts in arms.items():
        outcomes = [
            (key, float(at < right)) for key, (n, right) in counts.items() for at in range(n)
        ]
        values = [value for _, value in outcomes]
        row = Repaired(
            model=model,
            label=run.models[model]["label"],
            feedback=arm,
            turn=turn,
            asked=len(values),
            problems=len(counts),
            value=sum(values) / len(values),
            interval=interval(values, [clusters[key] for key, _ in outcomes]),
        )
        control = arms.get((model, CONTROL, turn))
        if arm != CONTROL and control is not None:
            # Answers that only one arm was asked about, as where a sweep stopped, do not pair.
            both = [key for key in counts if key in control and counts[key][0] == control[key][0]]
            if both:
                ratio = Ratio.of(
                    [counts[key][1] - control[key][1] for key in both],
                    [counts[key][0] for key in both],
                    [clusters[key] for key in both],
                )
                row = replace(row, gain=ratio.value, gain_interval=ratio.interval(), p=ratio.p)
        found.append(row)
    return tuple(found)


def repaired_differences(
    first: tuple[Run, str, str], second: tuple[Run, str, str], policy: str | None = None
) -> Iterator[RepairedDifference]:
    """repaired@t of two systems, each a run, a model's hash and a name, for every common arm.

    Args:
        first: the first system.
        second: the second.
        policy: the verdicts to count.

    Yields:
        A difference for each arm and turn that both have, if any problem pairs.

    """
    (run, model, name), (other_run, other_model, other_name) = first, second
    others = _arms(other_run, policy)
    clusters = clusters_of(run.problems)
    for (asked, arm, turn), counts in _arms(run, policy).items():
        theirs = others.get((other_model, arm, turn), {})
        both = [key for key in counts if key in theirs]
        if asked != model or not both:
            continue
        ratio = Ratio.of(
            [_share(theirs[key]) - _share(counts[key]) for key in both],
            [1.0] * len(both),
            [clusters[key] for key in both],
        )
        yield RepairedDifference(
            name, other_name, arm, turn, len(both), ratio.value, ratio.interval(), ratio.p
        )


def _share(counts: tuple[int, int]) -> float:
    asked, right = counts
    return right / asked


def _arms(run: Run, policy: str | None) -> dict[tuple[str, str, int], _Counts]:
    """By model, arm and turn: the counts of every problem, those of earlier turns included.

    A turn after the second counts once all answers that were left wrong before have been tried
    again: the share of a sweep that was stopped in between would be too low.
    """
    turns: dict[str, dict[int, Run]] = {}
    for path in (run.path / "turns").glob("*/manifest.json"):
        if name := re.fullmatch(r"([a-z]+)-(\d+)", path.parent.name):
            turns.setdefault(name[1], {})[int(name[2])] = Run(path.parent)
    last = max((turn for one in turns.values() for turn in one), default=1)
    found: dict[tuple[str, str, int], _Counts] = {}
    for arm, runs in sorted(turns.items()):
        before: dict[str, _Turn] = {}
        for turn in range(2, last + 1):
            now = _count(runs[turn], policy or run.policy) if turn in runs else {}
            for model in run.models:
                one = now.get(model, _Turn({}))
                if turn > 2 and (model not in before or one.asked != before[model].left):
                    before.pop(model, None)
                    continue
                if turn > 2:
                    # A sample stops when it is right, so that its turns add up.
                    earlier = before[model].counts
                    repaired_now = {key: right for key, (_, right) in one.counts.items()}
                    one.counts = {
                        key: (n, right + repaired_now.get(key, 0))
                        for key, (n, right) in earlier.items()
                    }
                if one.counts:
                    before[model] = one
                    found[model, arm, turn] = one.counts
    return found


@dataclass
class _Turn:
    """The verdicts of one turn of a model: counts, answers, and those that may be tried again."""

    counts: _Counts
    asked: int = 0
    left: int = 0


def _count(run: Run, policy: str | None) -> dict[str, _Turn]:
    turns: dict[str, _Turn] = {}
    for row in run.verdicts(policy).rows():
        turn = turns.setdefault(row["model"], _Turn({}))
        n, right = turn.counts.get(row["problem"], (0, 0))
        turn.counts[row["problem"]] = n + 1, right + (row["status"] == Status.CORRECT)
        turn.asked += 1
        turn.left += row["status"] in WRONG and row["finish_reason"] != FinishReason.ERROR
    return turns
