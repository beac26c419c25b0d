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
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...rewards.verdict import Status
from ..store import counts
from .bootstrap import cluster_sums, resampled
from .clusters import clusters_of

if TYPE_CHECKING:
    from ..store.run import Run

LEVEL = 0.95
RESAMPLES = 2_000
#: Subsets of the samples over which a majority vote is averaged.
VOTES = 2_000
Z = 1.959963984540054  # the normal quantile of (1 + LEVEL) / 2

Floats = NDArray[np.float64]


@lru_cache(maxsize=1 << 16)
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


def majority_at_k(answers: Sequence[Hashable | None], correct: Sequence[bool], k: int) -> float:
    """The chance that the most frequent answer among k of the samples is correct: maj@k.

    ``answers`` names each sample's answer, the same for answers that are the same
    (`harness.stats.answer_groups`); a sample without one (None) has no vote. Winners that tie share the chance. The mean is over all subsets of k samples, or over `VOTES` random
    ones where there are more.
    """
    n = len(answers)
    if not 1 <= k <= n or len(correct) != n:
        raise ValueError(f"maj@k needs 1 <= k <= n and a verdict on each, not n={n}, k={k}")
    subsets: Iterable[Sequence[int]]
    if math.comb(n, k) <= VOTES:
        subsets = list(combinations(range(n), k))
    else:
        generator = np.random.default_rng(0)
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
    values: Sequence[float], clusters: Sequence[object], seed: int = 0
) -> tuple[float, float]:
    """The percentile interval of the mean of ``values`` when whole clusters are resampled."""
    sums, sizes = cluster_sums([values], clusters)
    drawn = resampled(np.column_stack([sums[:, 0], sizes]), seed, RESAMPLES)
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
    """The samples of one problem.

    ``first`` is None for samples that are drawn alike. For ranked candidates (of a beam search) it
    is the rank of the best correct one, counted from 0, or ``samples`` where there is none.
    """

    problem: str
    cluster: str
    samples: int
    correct: int
    unknown: int
    first: int | None = None

    def drawn(self, k: int) -> tuple[int, int]:
        """Of how many samples, and how many correct ones, pass@k is that of these samples.

        Of ranked candidates the k best are looked at, and no others: 1 - Fail@k.
        """
        if self.first is None:
            return self.samples, self.correct
        return k, int(self.first < k)

    def drawn_at_best(self, k: int) -> tuple[int, int]:
        """The same if everything undecided were correct."""
        if self.first is None:
            return self.samples, self.correct + self.unknown
        return k, int(self.first < k or self.unknown > 0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """pass@k over problems: its value and interval, and its bounds if samples were undecided."""

    k: int
    value: float
    interval: tuple[float, float]
    low: float
    high: float

    def failures(self) -> Estimate:
        """Fail@k, from the share of problems solved by the k best candidates."""
        low, high = self.interval
        return Estimate(self.k, 1 - self.value, (1 - high, 1 - low), 1 - self.high, 1 - self.low)


def estimate(
    tallies: Sequence[Tally],
    k: int,
    seed: int = 0,
    metric: Callable[[int, int, int], float] = pass_at_k,
) -> Estimate:
    """pass@k over the problems that were sampled, each with at least k samples; or `all_at_k`."""
    if not tallies:
        raise ValueError("pass@k of no problems")
    values = [metric(*tally.drawn(k), k) for tally in tallies]
    best = [metric(*tally.drawn_at_best(k), k) for tally in tallies]
    bounds = interval(
        values,
        [tally.cluster for tally in tallies],
        single=all(tally.samples == 1 or tally.first is not None for tally in tallies),
        seed=seed,
    )
    mean = math.fsum(values) / len(values)
    return Estimate(k, mean, bounds, mean, math.fsum(best) / len(best))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers took, summed over samples and divided by problems.

    A problem is solved if one of its samples is correct; None where none is. Tokens are None where
    the model's server does not count them. ``cached_tokens_per_problem`` are those of the prompt's
    that the server had ready, ``reasoning_tokens_per_problem`` those of the completion's that are
    its reasoning.
    """

    problems: int
    solved: int
    seconds_per_problem: float
    seconds_per_solved: float | None
    tokens_per_problem: float | None = None
    tokens_per_solved: float | None = None
    prompt_tokens_per_problem: float | None = None
    cached_tokens_per_problem: float | None = None
    reasoning_tokens_per_problem: float | None = None


def usage(spent: Sequence[Mapping[str, float]], solved: int) -> Usage:
    """The `Usage` of problems from their sums (`harness.store.counts.count_completions`).

    An estimate from only some of the samples would be too low: tokens are known if those of every
    row are.
    """
    names = (
        "rows",
        "counted",
        "seconds",
        "completion_tokens",
        "prompt_tokens",
        "cached",
        "reasoning_tokens",
    )
    total = {name: math.fsum(sums.get(name, 0.0) for sums in spent) for name in names}
    known = total["rows"] > 0 and total["counted"] == total["rows"]

    def each(name: str, count: int) -> float | None:
        return total[name] / count if known and count else None

    return Usage(
        problems=len(spent),
        solved=solved,
        seconds_per_problem=total["seconds"] / len(spent),
        seconds_per_solved=total["seconds"] / solved if solved else None,
        tokens_per_problem=each("completion_tokens", len(spent)),
        tokens_per_solved=each("completion_tokens", solved),
        prompt_tokens_per_problem=each("prompt_tokens", len(spent)),
        cached_tokens_per_problem=each("cached", len(spent)),
        reasoning_tokens_per_problem=each("reasoning_tokens", len(spent)),
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars for a problem with all its samples, and for a solved one (None: none was solved)."""

    per_problem: float
    per_solved: float | None


@dataclass(frozen=True)
class Classification:
    """`Labels` as numbers; an answer that is no label is in the column ``none``."""

    accuracy: float
    f1: float
    macro_f1: float
    confusion: Mapping[str, Mapping[str, int]]


def classification(found: Iterable[tuple[int, Mapping[str, float]]]) -> Classification | None:
    """The label metrics of problems, from their true labels (0 or 1) and sums of verdicts."""
    confusion: dict[Hashable, dict[Hashable | None, int]] = {}
    for truth, sums in found:
        row = confusion.setdefault(truth, {0: 0, 1: 0, None: 0})
        right, wrong = int(sums.get(Status.CORRECT, 0)), int(sums.get(Status.INCORRECT, 0))
        row[truth] += right
        row[1 - truth] += wrong
        row[None] += int(sums["samples"]) - right - wrong
    if not confusion:
        return None
    labels = Labels(confusion)
    return Classification(
        accuracy=labels.accuracy,
        f1=labels.f1(1),
        macro_f1=labels.macro_f1,
        confusion={
            str(truth): {"none" if label is None else str(label): n for label, n in row.items()}
            for truth, row in sorted(confusion.items(), key=str)
        },
    )


@dataclass(frozen=True)
class Row:
    """One line of the table: a model on a subset.

    ``samples`` are those of all ``problems`` together (so many of ``planned`` have any).

    ``rates`` are shares of all samples: every verdict status, and ``cut_off`` (stopped by a token
    or time limit) and ``failed`` (the model, or the verifier, met with an error). ``reward`` is the
    mean over samples, and ``all_passes`` is pass^k. Of ranked candidates ``passes`` are about the k
    best, ``fails`` is Fail@k, and there is no pass^k. ``labels`` are for tasks whose answers are
    labels, ``cost`` is there if prices were given.
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
    fails: tuple[Estimate, ...] = ()
    labels: Classification | None = None
    cost: Cost | None = None

    @property
    def samples_per_problem(self) -> float:
        return self.samples / self.problems

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"samples_per_problem": self.samples_per_problem}


@dataclass(frozen=True)
class Summary:
    """The counts of a run under one policy of the verifier."""

    run: str
    policy: str | None
    rows: tuple[Row, ...]
    unscored: int = 0
    missing: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"rows": [row.to_dict() for row in self.rows]}


def powers(samples: int, wanted: Iterable[int] = ()) -> list[int]:
    """The k to report: those wanted, or else 1, 4, 16, 64, ... and n, that n samples allow."""
    ks = sorted(set(wanted)) or sorted({4**i for i in range(12)} | {samples})
    return [k for k in ks if k <= samples]


def is_ranked(run: Run) -> bool:
    """Whether a problem's samples are ranked candidates (of a beam search)."""
    return bool(run.manifest["identity"]["sampling"].get("beams"))


def _tally(key: str, cluster: str, sums: Mapping[str, float], ranked: bool) -> Tally:
    samples = int(sums["samples"])
    correct, unknown = int(sums.get(Status.CORRECT, 0)), int(sums.get("unknown", 0))
    first = int(sums.get(counts.FIRST, samples)) if ranked else None
    return Tally(key, cluster, samples, correct, unknown, first)


def tally_samples(run: Run, policy: str | None = None) -> dict[str, dict[str, Tally]]:
    """The counts of every problem, by model and by problem key."""
    clusters, ranked = clusters_of(run.problems), is_ranked(run)
    tallies: dict[str, dict[str, Tally]] = {model: {} for model in run.models}
    for (model, key), sums in counts.totals(run.verdicts(policy)).items():
        run.problem(key)  # for its error message
        tallies[model][key] = _tally(key, clusters[key], sums, ranked)
    return tallies


def summarise(run: Run, policy: str | None = None) -> Summary:
    """Count a run's verdicts: a row for each model and subset, and one for all subsets together."""
    clusters, ranked = clusters_of(run.problems), is_ranked(run)
    policy = policy or run.policy
    judged = counts.totals(run.verdicts(policy))
    spent = counts.totals(run.completions)
    subsets: dict[str, list[str]] = {}
    for key, problem in run.problems.items():
        subsets.setdefault(problem.name, []).append(key)
    groups = list(subsets.items())
    if len(groups) > 1:
        groups.append(("all", list(run.problems)))
    rows = []
    for model, entry in run.models.items():
        counted = {
            key: _tally(key, clusters[key], judged[model, key], ranked)
            for key in run.problems
            if (model, key) in judged
        }
        for subset, keys in groups:
            found = {key: judged[model, key] for key in keys if key in counted}
            if found:
                tallies = [counted[key] for key in found]
                used = [spent.get((model, key), {}) for key in found]
                rows.append(
                    _row(run, model, entry["label"], subset, len(keys), tallies, found, used)
                )
    stored = sum(int(sums.get("samples", 0)) for sums in spent.values())
    planned = sum(entry["samples"] * entry["problems"] for entry in run.models.values())
    return Summary(
        run=str(run.path),
        policy=policy,
        rows=tuple(rows),
        unscored=stored - sum(int(sums["samples"]) for sums in judged.values()),
        missing=max(0, planned - stored),
        settings=run.manifest["identity"],
    )


def _row(
    run: Run,
    model: str,
    label: str,
    subset: str,
    planned: int,
    tallies: Sequence[Tally],
    judged: Mapping[str, Mapping[str, float]],
    spent: Sequence[Mapping[str, float]],
) -> Row:
    ranked = tallies[0].first is not None
    samples = sum(tally.samples for tally in tallies)
    ks = _ranks(tallies) if ranked else powers(min(t.samples for t in tallies))

    def share(name: str) -> float:
        return math.fsum(sums.get(name, 0) for sums in judged.values()) / samples

    passes = tuple(estimate(tallies, k) for k in ks)
    alike = () if ranked else tuple(k for k in ks if k > 1)
    return Row(
        model=model,
        label=label,
        subset=subset,
        problems=len(tallies),
        planned=planned,
        samples=samples,
        passes=passes,
        rates={name: share(name) for name in (*map(str, Status), "cut_off", "failed")},
        reward=share("reward"),
        all_passes=tuple(estimate(tallies, k, metric=all_at_k) for k in alike),
        usage=usage(spent, sum(tally.correct > 0 for tally in tallies)),
        fails=tuple(found.failures() for found in passes) if ranked else (),
        labels=classification(
            (1 if truth else 0, sums)
            for key, sums in judged.items()
            if (truth := run.problem(key).target.get("label")) in (0, 1)
        ),
    )


def usages(run: Run, policy: str | None = None) -> dict[str, Usage]:
    """The `Usage` of every model over all problems of a run."""
    spent = counts.totals(run.completions)
    by_model: dict[str, list[bool]] = {}
    used: dict[str, list[Mapping[str, float]]] = {}
    for (model, key), sums in counts.totals(run.verdicts(policy)).items():
        by_model.setdefault(model, []).append(sums.get(Status.CORRECT, 0) > 0)
        used.setdefault(model, []).append(spent.get((model, key), {}))
    return {model: usage(used[model], sum(solved)) for model, solved in by_model.items()}


def _ranks(tallies: Sequence[Tally]) -> list[int]:
    """The k of Fail@k: 1, 5, 10, 50, ... (as published) that there are, and the largest."""
    most = min(tally.samples for tally in tallies)
    published = {base * 10**i for i in range(6) for base in (1, 5)}
    return sorted(k for k in published | {most} if k <= most)
