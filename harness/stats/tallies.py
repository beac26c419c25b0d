"""Counts of a run's samples, from which metrics are computed.

A `Tally` has the counts of a problem. A `Group` has the counts of a model on a subset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...benchmarks.problem import Problem
from ...rewards.verdict import Status
from ..core.prices import Price, Prices
from ..store import counts
from ..store.run import Run
from .clusters import clusters_of
from .intervals import interval

Sums = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tally:
    """The samples of one problem.

    Attributes:
        problem: the problem's key.
        cluster: the original ancestor of the problem, or the problem itself.
        samples: the number of judged samples.
        correct: the number of correct samples.
        unknown: the number of undecided samples and errors.
        first: the rank of the best correct candidate of a beam search, counted from 0. The rank is
            ``samples`` without a correct candidate. For other samples, ``first`` is None.
        failed: the number of errors of the model or the verifier.

    >>> Tally("drills/sums/s-1", "s-1", samples=4, correct=3, unknown=0).drawn(k=1)
    (4, 3)

    """

    problem: str
    cluster: str
    samples: int
    correct: int
    unknown: int
    first: int | None = None
    failed: int = 0

    @property
    def scored(self) -> bool:
        return self.failed < self.samples

    def drawn(self, k: int) -> tuple[int, int]:
        """The numbers n (samples) and c (correct samples) from which a metric over k is computed.

        For ranked candidates, n is k, because candidates below rank k do not count. pass@k is then
        1 - Fail@k.

        Args:
            k: the k.

        Returns:
            n and c.

        """
        if self.first is None:
            return self.samples, self.correct
        return k, int(self.first < k)

    def drawn_at_best(self, k: int) -> tuple[int, int]:
        """The numbers n and c of `drawn`, with all undecided samples counted as correct.

        Args:
            k: the k.

        Returns:
            n and c.

        """
        if self.first is None:
            return self.samples, self.correct + self.unknown
        return k, int(self.first < k or self.unknown > 0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a metric over problems.

    Attributes:
        k: the k. It is 0 for a metric without a k.
        value: the mean.
        interval: the interval of the mean.
        low: the mean if all undecided and missing samples counted as incorrect.
        high: the mean if all undecided and missing samples counted as correct.

    >>> Estimate(k=1, value=0.5, interval=(0.3, 0.7), low=0.5, high=0.6).value
    0.5

    """

    k: int
    value: float
    interval: tuple[float, float]
    low: float
    high: float

    def with_missing(self, problems: int, planned: int) -> Estimate:
        """The estimate with bounds for planned problems that have no samples.

        Args:
            problems: the number of problems with samples.
            planned: the number of planned problems.

        Returns:
            The estimate. Missing problems are wrong in ``low`` and right in ``high``.

        >>> Estimate(1, 0.5, (0.3, 0.7), 0.5, 0.5).with_missing(problems=2, planned=4).high
        0.75

        """
        if planned <= problems or not 0 <= self.low <= self.high <= 1:
            return self
        low, high = (problems * bound / planned for bound in (self.low, self.high))
        return replace(self, low=low, high=high + (planned - problems) / planned)


#: A metric over k of one problem, ``f(n, c, k)``, from n samples with c correct ones.
OverK = Callable[[int, int, int], float]


def estimate(tallies: Sequence[Tally], metric: OverK, k: int) -> Estimate:
    """The mean of a metric over problems with at least k samples."""
    if not tallies:
        raise ValueError("an estimate of no problems")
    values = [metric(*tally.drawn(k), k) for tally in tallies]
    decided = [metric(*tally.drawn_at_best(k), k) for tally in tallies]
    return estimate_mean([tally.cluster for tally in tallies], values, decided, k)


def estimate_mean(
    clusters: Sequence[str],
    values: Sequence[float],
    decided: Sequence[float] = (),
    k: int = 0,
) -> Estimate:
    """The mean of ``values`` with an interval.

    ``values`` has a number for each problem, and ``clusters`` the cluster of each problem.
    ``decided`` has the numbers of ``values`` under the assumption of correct undecided samples. If
    ``decided`` is empty, both bounds of the estimate are the mean.
    """
    bounds = interval(values, clusters)
    mean = math.fsum(values) / len(values)
    if_correct = math.fsum(decided) / len(decided) if decided else mean
    return Estimate(k, mean, bounds, min(mean, if_correct), max(mean, if_correct))


@dataclass(frozen=True)
class Group:
    """The samples of a model on one subset or on all subsets. Metrics take a group as argument.

    ``problems``, ``tallies``, ``verdicts`` and ``completions`` are in the same order.

    Attributes:
        model: the model's hash.
        subset: the subset's name.
        planned: the number of problems in the run's plan.
        problems: the problems with samples.
        tallies: the counts of each problem.
        verdicts: for each problem, the counts of its verdicts by status, and other sums
            (`store.counts`).
        completions: for each problem, the sums of tokens and seconds over its completions.
        price: the price of the model's tokens; None if unknown.

    >>> tallies = (Tally("p", "p", samples=4, correct=3, unknown=0),)
    >>> Group("m", "drills/sums", 4, (), tallies, ({},), ({},)).ks
    [1, 4]

    """

    model: str
    subset: str
    planned: int
    problems: tuple[Problem, ...]
    tallies: tuple[Tally, ...]
    verdicts: tuple[Sums, ...]
    completions: tuple[Sums, ...]
    price: Price | None = None

    @property
    def ranked(self) -> bool:
        """Whether the samples are ranked candidates of a beam search."""
        return self.tallies[0].first is not None

    @property
    def scored(self) -> bool:
        """Whether the model has a score in the group.

        The model has a score if at least one sample is not an error.
        """
        return any(tally.scored for tally in self.tallies)

    @cached_property
    def samples(self) -> int:
        """The number of samples of all problems together."""
        return sum(tally.samples for tally in self.tallies)

    @cached_property
    def ks(self) -> list[int]:
        """The values of k to report.

        For ranked candidates, these are 1, 5, 10, 50, ... as in published tables, and the number of
        candidates of the problem with the fewest candidates. For other samples, see `ks_up_to`.
        """
        min_samples = min(tally.samples for tally in self.tallies)
        if not self.ranked:
            return ks_up_to(min_samples)
        published = {base * 10**i for i in range(6) for base in (1, 5)}
        return sorted(k for k in published | {min_samples} if k <= min_samples)


def ks_up_to(samples: int, chosen: Iterable[int] = ()) -> list[int]:
    """The values of k to report: values of ``chosen`` up to ``samples``.

    If ``chosen`` is empty, the values are 1, 4, 16, ... and ``samples``.
    """
    ks = sorted(set(chosen)) or sorted({4**i for i in range(12)} | {samples})
    return [k for k in ks if k <= samples]


def is_ranked(run: Run) -> bool:
    return bool(run.manifest["identity"]["sampling"].get("beams"))


def tally_samples(run: Run, policy: str | None = None) -> dict[str, dict[str, Tally]]:
    """Count the samples of every problem. The keys of the result are the model and the problem.

    Models and problems are in the order of the plan.
    """
    return _tallies(run, counts.totals(run.verdicts(policy)))


def _tallies(run: Run, totals: Mapping[counts.Group, Sums]) -> dict[str, dict[str, Tally]]:
    """Convert ``totals``, the sums over the stored verdicts, to the counts of every problem.

    The problems are in the order of the plan: ``totals`` is in the order in which answers arrived,
    and two sweeps with the same plan would be reported in different orders. The verdicts are not
    read again, because a running sweep may have stored new verdicts meanwhile.
    """
    for _, key in totals:
        run.problem(key)  # raises RunError where it is missing
    clusters, ranked = clusters_of(run.problems), is_ranked(run)
    return {
        model: {
            key: _tally(key, clusters[key], totals[model, key], ranked)
            for key in run.problems
            if (model, key) in totals
        }
        for model in run.models
    }


def _tally(key: str, cluster: str, sums: Sums, ranked: bool) -> Tally:
    samples = int(sums["samples"])
    correct, unknown = int(sums.get(Status.CORRECT, 0)), int(sums.get("unknown", 0))
    first_correct = int(sums.get(counts.FIRST_CORRECT, samples)) if ranked else None
    return Tally(key, cluster, samples, correct, unknown, first_correct, int(sums.get("failed", 0)))


def keys_by_subset(run: Run) -> dict[str, list[str]]:
    """For each subset of a run, the keys of its problems.

    With several subsets, the entry ``all`` has the keys of all problems.
    """
    subsets: dict[str, list[str]] = {}
    for key, problem in run.problems.items():
        subsets.setdefault(problem.name, []).append(key)
    return subsets | {"all": list(run.problems)} if len(subsets) > 1 else subsets


def group_samples(
    run: Run, policy: str | None = None, prices: Prices | None = None
) -> Iterator[Group]:
    """Yield a `Group` for each model and each subset with samples.

    With several subsets, each model also has a last group ``all``.
    """
    verdicts = counts.totals(run.verdicts(policy))
    completions = counts.totals(run.completions)
    tallies = _tallies(run, verdicts)
    subsets = keys_by_subset(run)
    for model in run.models:
        for subset, keys in subsets.items():
            judged = [key for key in keys if key in tallies[model]]
            if judged:
                yield Group(
                    model=model,
                    subset=subset,
                    planned=len(keys),
                    problems=tuple(run.problems[key] for key in judged),
                    tallies=tuple(tallies[model][key] for key in judged),
                    verdicts=tuple(verdicts[model, key] for key in judged),
                    completions=tuple(completions.get((model, key), {}) for key in judged),
                    price=prices.find(run.spec_of(model)) if prices else None,
                )
