"""repaired@t: the share of wrong answers repaired within t turns (`harness.run.turns`).

The denominator is the number of samples with a wrong first answer. The numerator is the number of
such samples with a right answer in a turn from 2 to t. Each arm of the experiment gives the model a
kind of feedback, the control arm no feedback. All arms begin with the same first answers:
differences between arms are paired. Intervals treat problems with a common origin as a cluster
(`intervals`).
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

#: The arm without feedback: a second attempt may be right without any information.
CONTROL = "control"
#: The verdicts after which a model tries again. A right answer is kept, and an undecided answer
#: must not be called wrong.
WRONG = frozenset(Status) - UNKNOWN - {Status.CORRECT}
#: By problem: the number of wrong answers that were tried again, and of repaired ones.
_Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Repaired(Record):
    """repaired@t of a model with a kind of feedback (an arm), with t = ``turn``.

    repaired@t is the share of wrong answers repaired by the model within t turns.

    Attributes:
        model: the model's hash.
        label: the model's name.
        feedback: the feedback of the arm: verdict, witness, steps or control.
        turn: the t of repaired@t.
        asked: the number of wrong answers with a further try.
        problems: the number of problems behind ``asked``.
        value: the share of repaired answers.
        interval: the interval of ``value``.
        gain: ``value`` minus the control arm's value; None for the control arm.
        gain_interval: the paired interval of ``gain``.
        p: the p value of ``gain``.

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
    """repaired@t of two systems, on the problems that both systems answered wrongly.

    Attributes:
        first: the name of the first system.
        second: the name of the second system.
        feedback: the feedback of the arm.
        turn: the t.
        problems: the number of problems that both systems answered wrongly.
        value: the mean share of repaired answers of the second system, minus the mean share of the
            first system.
        interval: the paired interval of ``value``.
        p: the p value of ``value``.

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
    """The share of wrong answers repaired by each turn, for every model and kind of feedback.

    The result is empty if the run has no second turn.

    Args:
        run: the run of the first turn.
        policy: the name of the set of verdicts to count. The default is the run's policy.

    Raises:
        RunError: a turn has no verdicts with the name ``policy``.

    """
    clusters, arms = clusters_of(run.problems), _arms(run, policy)
    rows = []
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
            # Answers that were tried again in one arm only (a sweep was stopped) do not pair.
            both = [key for key in counts if key in control and counts[key][0] == control[key][0]]
            if both:
                ratio = Ratio.of(
                    [counts[key][1] - control[key][1] for key in both],
                    [counts[key][0] for key in both],
                    [clusters[key] for key in both],
                )
                row = replace(row, gain=ratio.value, gain_interval=ratio.interval(), p=ratio.p)
        rows.append(row)
    return tuple(rows)


def repaired_differences(
    first: tuple[Run, str, str], second: tuple[Run, str, str], policy: str | None = None
) -> Iterator[RepairedDifference]:
    """The differences of repaired@t between two systems.

    repaired@t is the share of wrong answers repaired by turn t. A system is a tuple of a run, a
    model's hash and a name.

    Args:
        first: the first system.
        second: the second system.
        policy: the verdicts to count.

    Yields:
        A difference for each arm and turn in which both systems have common problems.

    """
    (run, model, name), (other_run, other_model, other_name) = first, second
    second_arms = _arms(other_run, policy)
    clusters = clusters_of(run.problems)
    for (arm_model, arm, turn), counts in _arms(run, policy).items():
        theirs = second_arms.get((other_model, arm, turn), {})
        both = [key for key in counts if key in theirs]
        if arm_model != model or not both:
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
    wrong, right = counts
    return right / wrong


def _arms(run: Run, policy: str | None) -> dict[tuple[str, str, int], _Counts]:
    """For each model, kind of feedback (arm) and turn, count the repaired answers of each problem.

    The counts of a problem are the number of wrong first answers, and the number of those answers
    that are repaired up to the turn. From turn 3 on, the model must be asked again after every
    wrong answer of the previous turn. Otherwise the turn was interrupted. An interrupted turn is
    left out, because its share of repaired answers would be too low.
    """
    turns: dict[str, dict[int, Run]] = {}
    for path in (run.path / "turns").glob("*/manifest.json"):
        if name := re.fullmatch(r"([a-z]+)-(\d+)", path.parent.name):
            turns.setdefault(name[1], {})[int(name[2])] = Run(path.parent)
    last_turn = max((turn for runs in turns.values() for turn in runs), default=1)
    arms: dict[tuple[str, str, int], _Counts] = {}
    for arm, runs in sorted(turns.items()):
        previous: dict[str, _Turn] = {}
        for turn in range(2, last_turn + 1):
            now = _count(runs[turn], policy or run.policy) if turn in runs else {}
            for model in run.models:
                current = now.get(model, _Turn({}))
                if turn > 2 and (
                    model not in previous or current.answered != previous[model].retryable
                ):
                    previous.pop(model, None)
                    continue
                if turn > 2:
                    # A sample stops at its first right answer, so that the counts of turns add up.
                    earlier = previous[model].counts
                    repaired_now = {key: right for key, (_, right) in current.counts.items()}
                    current.counts = {
                        key: (n, right + repaired_now.get(key, 0))
                        for key, (n, right) in earlier.items()
                    }
                if current.counts:
                    previous[model] = current
                    arms[model, arm, turn] = current.counts
    return arms


@dataclass
class _Turn:
    """The verdicts of a model in a turn.

    ``retryable`` is the number of wrong answers with a possible further request.
    """

    counts: _Counts
    answered: int = 0
    retryable: int = 0


def _count(run: Run, policy: str | None) -> dict[str, _Turn]:
    turns: dict[str, _Turn] = {}
    for row in run.verdicts(policy).rows():
        turn = turns.setdefault(row["model"], _Turn({}))
        n, right = turn.counts.get(row["problem"], (0, 0))
        turn.counts[row["problem"]] = n + 1, right + (row["status"] == Status.CORRECT)
        turn.answered += 1
        turn.retryable += row["status"] in WRONG and row["finish_reason"] != FinishReason.ERROR
    return turns
