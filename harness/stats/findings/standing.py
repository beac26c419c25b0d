"""What each model was asked, its score on what all models were asked, and how it failed.

A score on other problems is no rank: models are ordered by their score on the common problems
alone, and a model that answered nothing but errors has no score at all.
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
    """A model in a report.

    Attributes:
        model: the model's name.
        subsets: the subsets that the model was asked.
        problems: how many problems the model was asked.
        samples: how many answers were judged.
        own: pass@k on all of these problems; None without a score. Never to be ranked.
        common: pass@k on the problems that every model with a score was asked; None without any.
        common_problems: how many problems these are.
        rank: the place by ``common``, from 1 on; None where there is nothing to rank.
        failures: the share of all samples that failed in each way, most frequent first.

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
        """Whether the model has a score."""
        return self.own is not None

    @property
    def failed(self) -> float:
        """The share of samples that are not correct."""
        return sum(self.failures.values())


def standings(runs: Sequence[Run], policy: str | None, k: int = 1) -> tuple[Standing, ...]:
    """Every model of the runs, those with a rank first.

    Args:
        runs: the runs.
        policy: the verdicts' name.
        k: the k of pass@k, as far as there are as many samples.

    Returns:
        The standings.

    """
    asked: list[tuple[str, Run, dict[str, Tally]]] = []
    failures: dict[str, Mapping[str, float]] = {}
    for run, names in zip(runs, system_names(runs), strict=True):
        counted = _failures(run, policy)
        for model, tallies in tally_samples(run, policy).items():
            if tallies:
                asked.append((names[model], run, tallies))
                failures[names[model]] = counted.get(model, {})
    scored = [(run, t) for _, run, t in asked if any(one.scored for one in t.values())]
    common = common_problems(scored)
    made = []
    for name, run, tallies in asked:
        score = any(tally.scored for tally in tallies.values())
        shared = [tallies[key] for key in common if key in tallies]
        made.append(
            Standing(
                model=name,
                # In the order of the problems: tallies are in that of the answers.
                subsets=tuple(
                    dict.fromkeys(
                        problem.name for key, problem in run.problems.items() if key in tallies
                    )
                ),
                problems=len(tallies),
                samples=sum(one.samples for one in tallies.values()),
                own=_estimate(list(tallies.values()), k) if score else None,
                common=_estimate(shared, k) if score and shared else None,
                common_problems=len(shared) if score else 0,
                rank=None,
                failures=failures[name],
            )
        )
    return _ranked(made)


def common_problems(asked: Sequence[tuple[Run, Mapping[str, Tally]]]) -> tuple[str, ...]:
    """The keys of the problems that every model answered, with the same content in every run."""
    if not asked:
        return ()
    first, tallies = asked[0]
    return tuple(
        key
        for key in tallies
        if all(
            key in others
            and (run is first or run.problem(key).content_hash == first.problem(key).content_hash)
            for run, others in asked[1:]
        )
    )


def _estimate(tallies: Sequence[Tally], k: int) -> Estimate:
    return estimate(tallies, pass_at_k, min(k, min(tally.samples for tally in tallies)))


def _ranked(made: Sequence[Standing]) -> tuple[Standing, ...]:
    order = sorted(made, key=lambda one: -one.common.value if one.common else 1.0)
    if sum(one.common is not None for one in order) < 2:
        return tuple(order)
    return tuple(
        replace(one, rank=index) if one.common else one for index, one in enumerate(order, 1)
    )


def _failures(run: Run, policy: str | None) -> dict[str, dict[str, float]]:
    """The share of each model's samples by `Failure`; slips are those of a sample of wrong ones."""
    verdicts = run.verdicts(policy)
    counted: dict[str, Counter[Failure]] = {}
    samples: Counter[str] = Counter()
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
        shares[model] = dict(sorted(share.items(), key=lambda entry: -entry[1]))
    return shares


def _count(counted: Counter[Failure], status: Status, reason: FinishReason, number: int) -> None:
    failure = without_slip({"status": status, "finish_reason": reason}) if number else None
    if failure is not None:
        counted[failure] += number
