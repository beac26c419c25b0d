"""Counting: pass@k with intervals, and the rates that stand beside it.

Which interval is used when:

- every cluster at 0, or every one at 1: the exact interval of Clopper and Pearson on the number of
  clusters (the bootstrap has nothing to resample there);
- one sample a problem and no clusters: Wilson's, for a plain proportion;
- otherwise: the percentile bootstrap over clusters. A cluster is a problem, or all the problems
  that were made from the same one. Samples within a problem are never resampled: with k near n a
  resample holds repeats, and pass@k of a sample with repeats is too low.

All intervals are two-sided with a level of 95 %. A sample that the verifier could not decide, or
for which the model met with an error, counts as not correct; where there are such samples,
`Estimate.low` and `Estimate.high` bound what pass@k would be if all of them were wrong, or right.

Sources: Chen et al., "Evaluating Large Language Models Trained on Code" (2021), section 2.1, for
pass@k; Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion", Statistical
Science 16 (2001), for Wilson and Clopper-Pearson; Davison and Hinkley, "Bootstrap Methods and their
Application" (1997), sections 3.8 and 5.3, for the bootstrap of clustered data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Problem
from harness.requests import FinishReason
from rewards.verdict import Status

if TYPE_CHECKING:
    from harness.store import Run

LEVEL = 0.95
RESAMPLES = 2_000
#: The verifier could not tell: not evidence against the model.
UNKNOWN = frozenset({Status.UNDECIDED, Status.TIMEOUT, Status.ERROR})
Z = 1.959963984540054  # the normal quantile of (1 + LEVEL) / 2

Floats = NDArray[np.float64]


def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass@k from ``c`` correct samples among ``n``: 1 - C(n-c,k)/C(n,k).

    Computed as a product of ratios, which neither overflows nor cancels (Chen et al., figure 3).
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@k needs 0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's score interval for a proportion (Brown, Cai and DasGupta, section 3.1.1)."""
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a proportion")
    p, z2 = successes / trials, Z * Z
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z / (1 + z2 / trials) * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    """The exact interval for a proportion (Brown, Cai and DasGupta, section 4.2.1)."""
    from scipy.special import betaincinv

    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a proportion")
    tail = (1 - LEVEL) / 2
    failures = trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures else 1.0
    return float(low), float(high)


def cluster_bootstrap(
    values: Sequence[float], clusters: Sequence[object], seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The percentile interval of the mean of ``values`` when whole clusters are resampled."""
    index = {cluster: i for i, cluster in enumerate(dict.fromkeys(clusters))}
    which = np.array([index[cluster] for cluster in clusters])
    totals = np.bincount(which, weights=np.asarray(values, dtype=float))
    sizes = np.bincount(which).astype(float)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    batch = max(1, 4_000_000 // len(totals))
    for start in range(0, resamples, batch):
        count = min(batch, resamples - start)
        drawn = generator.integers(len(totals), size=(count, len(totals)))
        means[start : start + count] = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def interval(
    values: Sequence[float], clusters: Sequence[object], single: bool, seed: int = 0
) -> tuple[float, float]:
    """The interval of the mean of ``values`` in [0, 1]; the module says which is used when.

    ``single`` says that every value comes from one sample (so that it is 0 or 1).
    """
    count = len(set(clusters))
    if all(value == 0 for value in values):
        return clopper_pearson(0, count)
    if all(value == 1 for value in values):
        return clopper_pearson(count, count)
    if single and count == len(values):
        return wilson(sum(values), len(values))
    return cluster_bootstrap(values, clusters, seed)


@dataclass(frozen=True, slots=True)
class Tally:
    """The samples of one problem."""

    problem: str
    cluster: str
    samples: int
    correct: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """pass@k over problems: its value and interval, and its bounds if samples were undecided."""

    k: int
    value: float
    interval: tuple[float, float]
    low: float
    high: float


def estimate(tallies: Sequence[Tally], k: int, seed: int = 0) -> Estimate:
    """pass@k over the problems that were sampled, each with at least k samples."""
    if not tallies:
        raise ValueError("pass@k of no problems")
    values = [pass_at_k(tally.samples, tally.correct, k) for tally in tallies]
    best = [pass_at_k(tally.samples, tally.correct + tally.unknown, k) for tally in tallies]
    bounds = interval(
        values,
        [tally.cluster for tally in tallies],
        single=all(tally.samples == 1 for tally in tallies),
        seed=seed,
    )
    mean = math.fsum(values) / len(values)
    return Estimate(k, mean, bounds, mean, math.fsum(best) / len(best))


@dataclass(frozen=True)
class Row:
    """One line of the table: a model on a subset.

    ``rates`` are shares of all samples: every verdict status, and ``cut_off`` (stopped by a token
    or time limit) and ``failed`` (the model, or the verifier, met with an error).
    """

    model: str
    label: str
    subset: str
    problems: int
    planned: int
    samples: int
    passes: tuple[Estimate, ...]
    rates: Mapping[str, float]


@dataclass(frozen=True)
class Summary:
    """The counts of a run under one policy of the verifier."""

    run: str
    policy: str | None
    rows: tuple[Row, ...]
    unscored: int = 0
    missing: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def cluster_of(problem: Problem, problems: Mapping[str, Problem]) -> str:
    """The cluster of a problem: the original that it was made from, through all generations."""
    seen = {problem.id}
    while True:
        parent = problem.pair_parent or (problem.parents[0].id if problem.parents else None)
        if parent is None or parent in seen:
            return f"{problem.benchmark}:{problem.id}"
        seen.add(parent)
        if parent not in problems:
            return f"{problem.benchmark}:{parent}"
        problem = problems[parent]


def powers(samples: int, wanted: Iterable[int] = ()) -> list[int]:
    """The k to report: those wanted, or else 1, 4, 16, 64, ... and n, that n samples allow."""
    ks = sorted(set(wanted)) or sorted({4**i for i in range(12)} | {samples})
    return [k for k in ks if k <= samples]


def summarise(run: Run, policy: str | None = None, ks: Iterable[int] = ()) -> Summary:
    """Count a run's verdicts: a row for each model and subset, and one for all subsets together."""
    by_id = {problem.id: problem for problem in run.problems.values()}
    clusters = {key: cluster_of(problem, by_id) for key, problem in run.problems.items()}
    counts: dict[tuple[str, str], Counter[str]] = {}
    judged = 0
    for _, row in run.verdicts(policy).heads():
        counter = counts.setdefault((row["model"], row["problem"]), Counter())
        judged += 1
        counter["samples"] += 1
        counter[row["status"]] += 1
        reason = FinishReason(row["finish_reason"])
        counter["unknown"] += row["status"] in UNKNOWN or reason is FinishReason.ERROR
        counter["cut_off"] += reason.cut_off
        counter["failed"] += reason is FinishReason.ERROR or row["status"] == Status.ERROR
    stored = sum(1 for _ in run.completions.heads())
    planned = sum(entry["samples"] * entry["problems"] for entry in run.models.values())

    rows = []
    for model, entry in run.models.items():
        subsets: dict[str, list[str]] = {}
        for key in run.problems:
            subsets.setdefault(run.problems[key].name, []).append(key)
        groups = list(subsets.items())
        if len(groups) > 1:
            groups.append(("all", list(run.problems)))
        for subset, keys in groups:
            found = [(key, counts[model, key]) for key in keys if (model, key) in counts]
            if not found:
                continue
            tallies = [
                Tally(key, clusters[key], counter["samples"], counter[Status.CORRECT],
                      counter["unknown"])
                for key, counter in found
            ]  # fmt: skip
            total: Counter[str] = Counter()
            for _, counter in found:
                total.update(counter)
            fewest = min(tally.samples for tally in tallies)
            rows.append(
                Row(
                    model=model,
                    label=entry["label"],
                    subset=subset,
                    problems=len(tallies),
                    planned=len(keys),
                    samples=total["samples"],
                    passes=tuple(estimate(tallies, k) for k in powers(fewest, ks)),
                    rates={
                        name: total[name] / total["samples"]
                        for name in (*(status.value for status in Status), "cut_off", "failed")
                    },
                )
            )
    latest = run.policies[-1] if run.policies else None
    return Summary(
        run=str(run.path),
        policy=policy or latest,
        rows=tuple(rows),
        unscored=stored - judged,
        missing=max(0, planned - stored),
        settings=run.manifest["identity"],
    )
