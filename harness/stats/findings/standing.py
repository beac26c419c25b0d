"""The standing of each model: the problems, the score on common problems, and the failures.

Scores on different problems are not comparable. Models are therefore ranked only by the score on
the problems common to all models. A model with errors alone has no score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....rewards.records import Record
from ....rewards.verdict import Status
from ...core.requests import FinishReason
from ...store import counts
from ...store.run import Run
from ..compare import system_names
from ..metrics.pass_at_k import pass_at_k
from ..tallies import Estimate, Tally, estimate, tally_samples
from .failures import Failure, failure_of, without_slip


@dataclass(frozen=True)
class Standing(Record):
    """A model's row in a report.

    Attributes:
        model: the model's name.
        subsets: the model's subsets.
        problems: the number of the model's problems.
        samples: the number of judged answers.
        own: pass@k on all problems of the model; None without a score. The values of different
            models are not comparable.
        common: pass@k on the problems common to all models with a score; None without common
            problems.
        common_problems: the number of problems behind ``common``.
        rank: the rank by ``common``, from 1 on; None with fewer than two scores.
        failures: the share of all samples in each failure class, the most frequent class first.

    >>> Standing("m", ("drills/sums",), 2, 2, None, None, 0, None, {Failure.ERROR: 1.0}).scored
    False

    """

    model: str
    subsets: tuple[str, ...]
    problems: int
    samples: int
    own: Estimate | None
    common: Estimate | None
    common_problems: int
    rank: int | None
    failures: Mapping[str, float] = field(default_factory=dict)

    @property
    def scored(self) -> bool:
        return self.own is not None

    @property
    def failed(self) -> float:
        return sum(self.failures.values())


def standings(runs: Sequence[Run], policy: str | None, k: int = 1) -> tuple[Standing, ...]:
    """The standing (rank and scores) of each model. Models without a rank come last.

    Args:
        runs: the runs.
        policy: the name of the set of verdicts.
        k: the k of pass@k, at most the number of samples.

    """
    answered: list[tuple[str, Run, dict[str, Tally]]] = []
    failures: dict[str, Mapping[str, float]] = {}
    for run, names in zip(runs, system_names(runs), strict=True):
        counted = _failures(run, policy)
        for model, tallies in tally_samples(run, policy).items():
            if tallies:
                answered.append((names[model], run, tallies))
                failures[names[model]] = counted.get(model, {})
    scored = [(run, t) for _, run, t in answered if any(tally.scored for tally in t.values())]
    common = common_problems(scored)
    rows = []
    for name, run, tallies in answered:
        score = any(tally.scored for tally in tallies.values())
        shared = [tallies[key] for key in common if key in tallies]
        rows.append(
            Standing(
                model=name,
                subsets=tuple(dict.fromkeys(run.problem(key).name for key in tallies)),
                problems=len(tallies),
                samples=sum(tally.samples for tally in tallies.values()),
                own=_estimate(list(tallies.values()), k) if score else None,
                common=_estimate(shared, k) if score and shared else None,
                common_problems=len(shared) if score else 0,
                rank=None,
                failures=failures[name],
            )
        )
    return _ranked(rows)


def common_problems(answered: Sequence[tuple[Run, Mapping[str, Tally]]]) -> tuple[str, ...]:
    """The keys of the problems with answers of every model.

    A key with different problems in the runs is left out.
    """
    if not answered:
        return ()
    reference_run, tallies = answered[0]
    return tuple(
        key
        for key in tallies
        if all(
            key in tallies_there
            and (
                run is reference_run
                or run.problem(key).content_hash == reference_run.problem(key).content_hash
            )
            for run, tallies_there in answered[1:]
        )
    )


def _estimate(tallies: Sequence[Tally], k: int) -> Estimate:
    return estimate(tallies, pass_at_k, min(k, min(tally.samples for tally in tallies)))


def _ranked(rows: Sequence[Standing]) -> tuple[Standing, ...]:
    order = sorted(rows, key=lambda row: -row.common.value if row.common else 1.0)
    if sum(row.common is not None for row in order) < 2:
        return tuple(order)
    return tuple(
        replace(row, rank=index) if row.common else row for index, row in enumerate(order, 1)
    )


def _failures(run: Run, policy: str | None) -> dict[str, dict[str, float]]:
    """For each model, the share of its samples in each `Failure` class.

    The search for slips is slow. Only a random sample of the wrong answers is searched.
    """
    verdicts = run.verdicts(policy)
    counted: dict[str, Counter[Failure]] = {}
    samples: Counter[str] = Counter()
    # Counts of statuses and finish reasons are stored, so no verdict is read.
    for (model, _), sums in counts.totals(verdicts).items():
        samples[model] += int(sums["samples"])
        of_model = counted.setdefault(model, Counter())
        for status in Status:
            stopped = int(sums.get(status, 0))
            for reason in FinishReason:
                ended = int(sums.get(f"ended {status} {reason}", 0))
                stopped -= ended
                _count(of_model, status, reason, ended)
            _count(of_model, status, FinishReason.STOP, stopped)
    # Slips of wrong answers are extrapolated from the drawn sample to all wrong answers.
    drawn = counts.wrong_answers(verdicts)
    shares: dict[str, dict[str, float]] = {}
    for model, total in samples.items():
        wrong = counted[model].pop(Failure.OTHER, 0)
        slips = Counter(
            failure_of(run.problem(row["problem"]), row) or Failure.OTHER
            for row in drawn.get(model, ())
            if without_slip(row) is Failure.OTHER
        )
        if not slips:
            slips[Failure.OTHER] = 1
        share = {str(name): count / total for name, count in counted[model].items()}
        for name, count in slips.items() if wrong else ():
            share[str(name)] = count / slips.total() * wrong / total
        shares[model] = dict(sorted(share.items(), key=lambda entry: (-entry[1], entry[0])))
    return shares


def _count(counted: Counter[Failure], status: Status, reason: FinishReason, number: int) -> None:
    failure = without_slip({"status": status, "finish_reason": reason}) if number else None
    if failure is not None:
        counted[failure] += number
