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
pass@k; Yao et al., "tau-bench" (2024), for pass^k; Welleck et al., "Symbolic Brittleness
in Sequence Models" (2022), for Fail@k; Wang et al., "Self-Consistency Improves Chain of
Thought Reasoning in Language Models" (2023) for the majority vote; Brown, Cai and DasGupta,
"Interval Estimation for a Binomial Proportion", Statistical Science 16 (2001), for Wilson and
Clopper-Pearson; Davison and Hinkley, "Bootstrap Methods and their Application" (1997), sections 3.8
and 5.3, for the bootstrap of clustered data.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Problem
from harness.requests import FinishReason
from harness.resampling import cluster_sums, resampled
from rewards.verdict import Status

if TYPE_CHECKING:
    from harness.store import Run

LEVEL = 0.95
RESAMPLES = 2_000
#: Subsets of the samples over which a majority vote is averaged.
VOTES = 2_000
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


def all_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass^k, the chance that k samples are all correct: C(c,k)/C(n,k).

    1 minus `pass_at_k` of the wrong samples: as dependable as pass@k is lucky.
    """
    return 1.0 - pass_at_k(n, n - c, k)


def fail_at_k(ranked: Sequence[bool], k: int) -> float:
    """1 if none of the k best-ranked candidates is correct, else 0 (Fail@k of Welleck et al.)."""
    if k < 1:
        raise ValueError(f"Fail@k needs k >= 1, not {k}")
    return float(not any(ranked[:k]))


def majority_at_k(
    answers: Sequence[Hashable | None], correct: Sequence[bool], k: int, seed: int = 0
) -> float:
    """The chance that the most frequent answer among k of the samples is correct: maj@k.

    ``answers`` names each sample's answer, the same for answers that are the same
    (`harness.answers` groups them as mathematics); a sample without one (None) has no vote. Winners
    that tie share the chance. The mean is over all subsets of k samples, or over `VOTES` random
    ones where there are more.
    """
    n = len(answers)
    if not 1 <= k <= n or len(correct) != n:
        raise ValueError(f"maj@k needs 1 <= k <= n and a verdict on each, not n={n}, k={k}")
    subsets: Iterable[Sequence[int]]
    if math.comb(n, k) <= VOTES:
        subsets = list(combinations(range(n), k))
    else:
        generator = np.random.default_rng(seed)
        subsets = [generator.permutation(n)[:k].tolist() for _ in range(VOTES)]
    shares = []
    for subset in subsets:
        votes = Counter(answers[i] for i in subset if answers[i] is not None)
        most = max(votes.values(), default=0)
        winners = {answer for answer, count in votes.items() if count == most}
        right = {answers[i] for i in subset if correct[i]}
        shares.append(len(winners & right) / len(winners) if winners else 0.0)
    return math.fsum(shares) / len(shares)


@dataclass(frozen=True)
class Labels:
    """Predicted labels against true ones; a prediction of None (no answer) is always wrong.

    ``confusion[truth][prediction]`` counts; precision and recall of a label that was never
    predicted, or never true, are 0 (as in scikit-learn).
    """

    confusion: Mapping[Hashable, Mapping[Hashable | None, int]]

    @classmethod
    def of(cls, truths: Sequence[Hashable], predictions: Sequence[Hashable | None]) -> Labels:
        confusion: dict[Hashable, Counter[Hashable | None]] = {}
        for truth, prediction in zip(truths, predictions, strict=True):
            confusion.setdefault(truth, Counter())[prediction] += 1
        if not confusion:
            raise ValueError("labels of no samples")
        return cls(confusion)

    @property
    def samples(self) -> int:
        return sum(sum(row.values()) for row in self.confusion.values())

    @property
    def accuracy(self) -> float:
        return sum(row.get(truth, 0) for truth, row in self.confusion.items()) / self.samples

    def f1(self, label: Hashable = 1) -> float:
        """The harmonic mean of precision and recall of one label."""
        hits = self.confusion.get(label, {}).get(label, 0)
        predicted = sum(row.get(label, 0) for row in self.confusion.values())
        true = sum(self.confusion.get(label, {}).values())
        return 2 * hits / (predicted + true) if predicted + true else 0.0

    @property
    def macro_f1(self) -> float:
        """The mean of the F1 of every label that was true or predicted."""
        predicted = {label for row in self.confusion.values() for label in row}
        labels = (set(self.confusion) | predicted) - {None}
        return math.fsum(self.f1(label) for label in labels) / len(labels)


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
    sums, sizes = cluster_sums([values], clusters)
    drawn = resampled(np.column_stack([sums[:, 0], sizes]), seed, resamples)
    means = drawn[:, 0] / drawn[:, 1]
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


def estimate(
    tallies: Sequence[Tally],
    k: int,
    seed: int = 0,
    metric: Callable[[int, int, int], float] = pass_at_k,
) -> Estimate:
    """pass@k over the problems that were sampled, each with at least k samples; or `all_at_k`."""
    if not tallies:
        raise ValueError("pass@k of no problems")
    values = [metric(tally.samples, tally.correct, k) for tally in tallies]
    best = [metric(tally.samples, tally.correct + tally.unknown, k) for tally in tallies]
    bounds = interval(
        values,
        [tally.cluster for tally in tallies],
        single=all(tally.samples == 1 for tally in tallies),
        seed=seed,
    )
    mean = math.fsum(values) / len(values)
    return Estimate(k, mean, bounds, mean, math.fsum(best) / len(best))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers took, summed over samples and divided by problems.

    A problem is solved if one of its samples is correct; None where none is. Tokens are None where
    the model's server does not count them.
    """

    seconds_per_problem: float
    seconds_per_solved: float | None
    tokens_per_problem: float | None = None
    tokens_per_solved: float | None = None
    prompt_tokens_per_problem: float | None = None

    def cost(self, prompt_price: float, completion_price: float) -> float | None:
        """The price of a problem, from prices per million tokens."""
        if self.tokens_per_problem is None:
            return None
        prompts = prompt_price * (self.prompt_tokens_per_problem or 0.0)
        return (prompts + completion_price * self.tokens_per_problem) / 1e6


SPENT = ("samples", "seconds", "counted", "tokens", "prompt_tokens")


def usage(spent: Sequence[Mapping[str, float]], solved: int) -> Usage:
    """The `Usage` of problems from their sums of ``seconds``, ``tokens``, ``prompt_tokens``.

    ``counted`` and ``samples`` of a sum say for how many samples tokens are known: an estimate from
    only some of them would be too low.
    """
    total = {name: math.fsum(problem.get(name, 0.0) for problem in spent) for name in SPENT}
    known = total["samples"] > 0 and total["counted"] == total["samples"]
    tokens, prompts = total["tokens"], total["prompt_tokens"]
    return Usage(
        seconds_per_problem=total["seconds"] / len(spent),
        seconds_per_solved=total["seconds"] / solved if solved else None,
        tokens_per_problem=tokens / len(spent) if known else None,
        tokens_per_solved=tokens / solved if known and solved else None,
        prompt_tokens_per_problem=prompts / len(spent) if known else None,
    )


@dataclass(frozen=True)
class Row:
    """One line of the table: a model on a subset.

    ``rates`` are shares of all samples: every verdict status, and ``cut_off`` (stopped by a token
    or time limit) and ``failed`` (the model, or the verifier, met with an error). ``reward`` is the
    mean over samples, and ``all_passes`` is pass^k.
    """

    model: str
    label: str
    subset: str
    problems: int
    planned: int
    samples: int
    passes: tuple[Estimate, ...]
    rates: Mapping[str, float]
    reward: float = 0.0
    all_passes: tuple[Estimate, ...] = ()
    usage: Usage | None = None


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


def tally_samples(run: Run, policy: str | None = None) -> dict[str, dict[str, Tally]]:
    """The counts of every problem, by model and by problem key."""
    by_id = {problem.id: problem for problem in run.problems.values()}
    counts: dict[str, dict[str, list[int]]] = {model: {} for model in run.models}
    for _, row in run.verdicts(policy).heads():
        count = counts[row["model"]].setdefault(row["problem"], [0, 0, 0])
        count[0] += 1
        count[1] += row["status"] == Status.CORRECT
        count[2] += row["status"] in UNKNOWN or row["finish_reason"] == FinishReason.ERROR
    return {
        model: {
            key: Tally(key, cluster_of(run.problem(key), by_id), *count)
            for key, count in found.items()
        }
        for model, found in counts.items()
    }


def _add_spent(spent: dict[str, float], row: Mapping[str, Any]) -> None:
    spent["samples"] += 1
    spent["seconds"] += row.get("latency", 0.0)
    if row.get("completion_tokens") is not None:
        spent["counted"] += 1
        spent["tokens"] += row["completion_tokens"]
        spent["prompt_tokens"] += row.get("prompt_tokens") or 0


def summarise(run: Run, policy: str | None = None, ks: Iterable[int] = ()) -> Summary:
    """Count a run's verdicts: a row for each model and subset, and one for all subsets together."""
    by_id = {problem.id: problem for problem in run.problems.values()}
    clusters = {key: cluster_of(problem, by_id) for key, problem in run.problems.items()}
    counts: dict[tuple[str, str], Counter[str]] = {}
    rewards: dict[tuple[str, str], float] = defaultdict(float)
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
        rewards[row["model"], row["problem"]] += row["reward"]
    stored = 0
    spent: dict[tuple[str, str], dict[str, float]] = {}
    for _, row in run.completions.heads():
        stored += 1
        _add_spent(spent.setdefault((row["model"], row["problem"]), defaultdict(float)), row)
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
            ks_here = powers(min(tally.samples for tally in tallies), ks)
            rows.append(
                Row(
                    model=model,
                    label=entry["label"],
                    subset=subset,
                    problems=len(tallies),
                    planned=len(keys),
                    samples=total["samples"],
                    passes=tuple(estimate(tallies, k) for k in ks_here),
                    rates={
                        name: total[name] / total["samples"]
                        for name in (*(status.value for status in Status), "cut_off", "failed")
                    },
                    reward=math.fsum(rewards[model, key] for key, _ in found) / total["samples"],
                    all_passes=tuple(
                        estimate(tallies, k, metric=all_at_k) for k in ks_here if k > 1
                    ),
                    usage=usage(
                        [spent.get((model, key), {}) for key, _ in found],
                        sum(counter[Status.CORRECT] > 0 for _, counter in found),
                    ),
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
