"""Comparing two sides problem by problem: models, prompts, or originals and perturbations.

Two systems are paired by problem; a subset and the problems that were made from it are paired by
parent, the children of one parent averaged first, so that a parent with many counts once. pass@k
is estimated on each side with the same k, no larger than the smaller number of samples. What is
reported of the paired differences, and why:

- the mean with a 95 % interval (`harness.inference.ratio_interval`, clusters resampled), and what
  it would be at worst and at best if undecided samples were decided;
- a sign-flip p value (`harness.inference.sign_flip`), by Holm's method adjusted over the family:
  every row at the primary k, both declared in the run's manifest before anything was asked;
- *solved one, fails the other* (`Transfer`), against what chance alone makes of that;
- the difference that the design would detect with 80 % power, and what would detect a given one
  (`Design`).

Pure functions; `harness.comparing` takes the numbers from runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from benchmarks.problem import Problem
from harness.inference import (
    clusters_needed,
    detectable,
    holm,
    mean_interval,
    ratio_interval,
    samples_needed,
    sign_flip,
)
from harness.metrics import LEVEL, Cost, Tally, pass_at_k
from harness.resampling import cluster_sums

#: The power that the detectable difference is computed for.
POWER = 0.8
#: Pairs that a line of a breakdown needs.
FEWEST = 5


@dataclass(frozen=True)
class Pair:
    """What is compared with what: the samples of one problem, or of several that are averaged."""

    unit: str
    cluster: str
    first: tuple[Tally, ...]
    second: tuple[Tally, ...]

    @cached_property
    def samples(self) -> tuple[int, int]:
        """The fewest samples of any problem on each side."""
        return min(t.samples for t in self.first), min(t.samples for t in self.second)

    @cached_property
    def alike(self) -> tuple[int, int]:
        """The same of samples that are drawn alike: ranked candidates say nothing about luck."""
        ranked = any(t.first is not None for t in (*self.first, *self.second))
        return (0, 0) if ranked else self.samples


def pair_problems(first: Mapping[str, Tally], second: Mapping[str, Tally]) -> list[Pair]:
    """Pair two systems by the problems that both were asked."""
    return [
        Pair(key, tally.cluster, (tally,), (second[key],))
        for key, tally in first.items()
        if key in second
    ]


def pair_parents(
    tallies: Mapping[str, Tally], problems: Mapping[str, Problem]
) -> dict[str, tuple[list[Pair], int]]:
    """Pair every perturbed subset with its originals, by parent.

    Returns, for each subset (told apart by perturbation where one holds several), the pairs and the
    number of problems whose original was not asked.
    """
    originals: dict[tuple[str, str], str] = {}
    anywhere: dict[str, str] = {}  # what was made of another benchmark's problems
    for key, problem in problems.items():
        originals.setdefault((problem.benchmark, problem.id), key)
        anywhere.setdefault(problem.id, key)
    kinds: dict[str, set[str | None]] = {}
    for problem in problems.values():
        if problem.pair_parent is not None:
            kinds.setdefault(problem.name, set()).add(problem.perturbation)
    children: dict[str, dict[str, list[Tally]]] = {}
    alone: dict[str, int] = {}
    for key, problem in problems.items():
        if problem.pair_parent is None or key not in tallies:
            continue
        group = problem.name
        if len(kinds[group]) > 1:
            group += f": {problem.perturbation}"
        family = children.setdefault(group, {})
        alone.setdefault(group, 0)
        place = (problem.benchmark, problem.pair_parent)
        parent = originals.get(place) or anywhere.get(problem.pair_parent)
        if parent is None or parent not in tallies:
            alone[group] += 1
        else:
            family.setdefault(parent, []).append(tallies[key])
    return {
        group: (
            [
                Pair(parent, tallies[parent].cluster, (tallies[parent],), tuple(found))
                for parent, found in family.items()
            ],
            alone[group],
        )
        for group, family in children.items()
    }


# --- one side of a pair ------------------------------------------------------------------------

Value = Callable[[Tally], float]


def _means(sides: Iterable[Sequence[Tally]], value: Value) -> list[float]:
    """The mean of ``value`` over each side; worked out once for tallies with the same numbers."""
    known: dict[tuple[int, int, int, int | None], float] = {}

    def looked_up(t: Tally) -> float:
        key = (t.samples, t.correct, t.unknown, t.first)
        found = known.get(key)
        if found is None:
            found = known[key] = value(t)
        return found

    return [
        looked_up(side[0]) if len(side) == 1 else math.fsum(map(looked_up, side)) / len(side)
        for side in sides
    ]


def _first(pairs: Sequence[Pair], value: Value) -> list[float]:
    return _means((pair.first for pair in pairs), value)


def _second(pairs: Sequence[Pair], value: Value) -> list[float]:
    return _means((pair.second for pair in pairs), value)


@lru_cache(maxsize=1 << 16)
def pass_twice(n: int, c: int, k: int) -> float:
    """The chance that k samples hold a correct one and k others do too: estimated without bias.

    Two disjoint sets of k among the n samples, over all ways to choose them: 1 - 2 F_k + F_2k,
    where F_j = C(n-c,j)/C(n,j) is the share of sets of j without a correct sample. Its mean is
    p_k^2, with p_k the problem's true pass@k.
    """
    if 2 * k > n:
        raise ValueError(f"two sets of {k} samples are more than {n}")
    return 2 * pass_at_k(n, c, k) - pass_at_k(n, c, 2 * k)


@lru_cache(maxsize=1 << 16)
def sampling_variance(n: int, c: int, k: int, at: int) -> float:
    """The variance that pass@k of one problem would have from ``at`` samples; needs 2k <= n.

    pass@k is a U-statistic; by the overlap j of two sets of k among ``at`` samples its variance is
    sum_j C(k,j) C(at-k,k-j) / C(at,k) q^(2k-j) - q^(2k), q the chance of a wrong sample (Hoeffding,
    "A Class of Statistics with Asymptotically Normal Distribution", Ann. Math. Statist. 19 (1948),
    section 5). Every power of q is estimated without bias by F_j, so the whole is.
    """
    if 2 * k > n or at < k:
        raise ValueError(f"the variance of pass@{k} needs {2 * k} samples, not {n}, and k <= {at}")

    def miss(j: int) -> float:
        return 1.0 - pass_at_k(n, c, j)

    sets = math.comb(at, k)
    overlaps = (
        math.comb(k, j) * math.comb(at - k, k - j) / sets * miss(2 * k - j) for j in range(k + 1)
    )
    return math.fsum(overlaps) - miss(2 * k)


# --- solved one, fails the other ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Transfer:
    """How often the second side fails what the first solved, at the same k.

    ``share`` is P(second fails | first solved). A problem that was solved once may have been solved
    by luck, so that even the first side fails it again with the chance ``control``: regression to
    the mean, not brittleness. ``excess`` = share - control is what the change itself costs. Solving
    and failing again are seen on disjoint halves of the samples, averaged over all ways to halve
    them (`pass_twice`); with fewer than 2k samples there is no control.
    """

    share: float
    control: float | None
    excess: float | None
    interval: tuple[float, float] | None


def transfer(pairs: Sequence[Pair], k: int, seed: int = 0) -> Transfer | None:
    """`Transfer` from the first side of the pairs to the second; None if nothing was solved."""
    solved = _first(pairs, lambda t: pass_at_k(*t.drawn(k), k))
    second = _second(pairs, lambda t: pass_at_k(*t.drawn(k), k))
    weight = math.fsum(solved)
    if weight <= 0:
        return None
    lost = [a * (1 - b) for a, b in zip(solved, second, strict=True)]
    share = math.fsum(lost) / weight
    if any(2 * k > pair.alike[0] for pair in pairs):
        return Transfer(share, None, None, None)
    again = _first(pairs, lambda t: pass_twice(t.samples, t.correct, k))
    control = 1 - math.fsum(again) / weight
    # (solved - solved and again) is what was solved and then failed; the difference of the two:
    excess = [one - (a - two) for one, a, two in zip(lost, solved, again, strict=True)]
    clusters = [pair.cluster for pair in pairs]
    return Transfer(share, control, share - control, ratio_interval(excess, solved, clusters, seed))


def reverse(pairs: Sequence[Pair]) -> list[Pair]:
    """The same pairs the other way round."""
    return [Pair(pair.unit, pair.cluster, pair.second, pair.first) for pair in pairs]


# --- power -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """What paired samples can detect, at the level of the family's strictest test.

    ``variance`` / ``clusters`` is the variance of the mean difference. ``sampling`` is the part of
    ``variance`` that more samples a problem would shrink (None where the samples are too few to
    tell); the rest is the differences' own spread. Miller, "Adding Error Bars to Evals" (2024),
    section 5, with the variance of clusters (Cameron and Miller, "A Practitioner's Guide to
    Cluster-Robust Inference", J. Human Resources 50 (2015), section II).
    """

    detectable: float
    clusters: int
    variance: float
    sampling: float | None
    alpha: float
    target: float
    clusters_needed: int
    samples_needed: int | None


def design(pairs: Sequence[Pair], k: int, target: float, alpha: float = 1 - LEVEL) -> Design | None:
    """The `Design` of these pairs; None where nothing varies yet, or is too little."""
    first = _first(pairs, lambda t: pass_at_k(*t.drawn(k), k))
    second = _second(pairs, lambda t: pass_at_k(*t.drawn(k), k))
    differences = [b - a for a, b in zip(first, second, strict=True)]
    mean = math.fsum(differences) / len(differences)
    clusters = [pair.cluster for pair in pairs]
    sums, _ = cluster_sums([[d - mean for d in differences]], clusters)
    count = len(sums)
    if count < 2 or not float((sums**2).sum()) > 1e-12:
        return None
    scale = count / len(pairs) ** 2
    variance = count * scale * float((sums**2).sum()) / (count - 1)
    fewest = min(min(pair.alike) for pair in pairs)

    weights: dict[tuple[int, int], float] = {}
    for pair in pairs:
        for side in (pair.first, pair.second):
            for t in side:
                key = (t.samples, t.correct)
                weights[key] = weights.get(key, 0.0) + scale / len(side) ** 2

    def sampling(at: int) -> float:
        """The sampling variance of the mean with ``at`` samples of each problem, times clusters."""
        terms = (weight * sampling_variance(*key, k, at) for key, weight in weights.items())
        return max(0.0, math.fsum(terms))

    now = needed = None
    if 2 * k <= fewest:
        now = min(sampling(fewest), variance)
        own = variance - now
        needed = samples_needed(lambda n: own + sampling(n), count, target, k, alpha, POWER)
    return Design(
        detectable=detectable(variance, count, alpha, POWER),
        clusters=count,
        variance=variance,
        sampling=now,
        alpha=alpha,
        target=target,
        clusters_needed=clusters_needed(variance, target, alpha, POWER),
        samples_needed=needed,
    )


# --- the comparison ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """pass@k of both sides, and the mean of the paired differences, second minus first.

    ``bounds`` is the difference if every undecided sample spoke against the second side, and for
    it. ``adjusted`` is Holm's p value within the family; None outside it.
    """

    k: int
    first: float
    second: float
    value: float
    interval: tuple[float, float]
    bounds: tuple[float, float]
    p: float
    exact: bool
    adjusted: float | None = None
    design: Design | None = None
    lost: Transfer | None = None
    gained: Transfer | None = None


@dataclass(frozen=True)
class Contrast:
    """One line of a comparison: what is compared, on what, and with what result for each k.

    ``system`` is whose subsets are compared, empty where systems are. ``unpaired`` problems have no
    counterpart and are left out. ``samples_per_problem`` are the fewest of each side.
    """

    group: str
    first: str
    second: str
    pairs: int
    clusters: int
    samples_per_problem: tuple[int, int]
    unpaired: int
    differences: tuple[Difference, ...]
    system: str = ""

    def at(self, k: int) -> Difference | None:
        return next((found for found in self.differences if found.k == k), None)


@dataclass(frozen=True)
class Comparison:
    """Contrasts with the family that their p values are adjusted over."""

    by: str
    primary_k: int
    contrasts: tuple[Contrast, ...]
    breakdown: tuple[Contrast, ...] = ()
    broken_down_by: str | None = None
    policy: str | None = None
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    costs: Mapping[str, Cost | None] = field(default_factory=dict)  # by system, if there are prices

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def table(self) -> None:
        """Print the tables."""
        from harness.report.contrasts import print_comparison

        print_comparison(self)

    def _repr_markdown_(self) -> str:
        """The table where a notebook shows the comparison, with its remarks."""
        from harness.report.contrasts import export_comparison, remarks

        lines = [export_comparison(self, "markdown"), *(f"{line}  " for line in remarks(self))]
        return "\n".join(lines)


def contrast(
    group: str,
    names: tuple[str, str],
    pairs: Sequence[Pair],
    ks: Sequence[int],
    unpaired: int = 0,
    system: str = "",
    seed: int = 0,
) -> Contrast:
    """Compare the two sides of pairs at every k that the smaller number of samples allows."""
    if not pairs:
        raise ValueError("nothing is paired")
    samples = min(p.samples[0] for p in pairs), min(p.samples[1] for p in pairs)
    back = reverse(pairs)
    return Contrast(
        group=group,
        first=names[0],
        second=names[1],
        pairs=len(pairs),
        clusters=len({pair.cluster for pair in pairs}),
        samples_per_problem=samples,
        unpaired=unpaired,
        differences=tuple(_compare(pairs, back, k, seed) for k in ks if k <= min(samples)),
        system=system,
    )


def _compare(pairs: Sequence[Pair], back: Sequence[Pair], k: int, seed: int) -> Difference:
    """The difference at one k; ``back`` are the same pairs the other way round."""

    def value(t: Tally) -> float:
        return pass_at_k(*t.drawn(k), k)

    def best(t: Tally) -> float:
        return pass_at_k(*t.drawn_at_best(k), k)

    clusters = [pair.cluster for pair in pairs]
    first = _first(pairs, value)
    second = _second(pairs, value)
    differences = [b - a for a, b in zip(first, second, strict=True)]
    count = len(pairs)
    means = math.fsum(first) / count, math.fsum(second) / count
    tops = (
        math.fsum(_first(pairs, best)) / count,
        math.fsum(_second(pairs, best)) / count,
    )
    test = sign_flip(differences, clusters, seed)
    return Difference(
        k=k,
        first=means[0],
        second=means[1],
        value=means[1] - means[0],
        interval=mean_interval(differences, clusters, seed),
        bounds=(means[1] - tops[0], tops[1] - means[0]),
        p=test.p,
        exact=test.exact,
        lost=transfer(pairs, k, seed),
        gained=transfer(back, k, seed),
    )


def with_family(
    contrasts: Sequence[Contrast], pairs: Sequence[Sequence[Pair]], primary_k: int, target: float
) -> tuple[Contrast, ...]:
    """Adjust the p values at the primary k over all these contrasts, and add their designs."""
    family = [found for row in contrasts if (found := row.at(primary_k)) is not None]
    adjusted = iter(holm([found.p for found in family]))
    alpha = (1 - LEVEL) / max(1, len(family))
    rows = []
    for row, its_pairs in zip(contrasts, pairs, strict=True):
        differences = []
        for found in row.differences:
            level = alpha if found.k == primary_k else 1 - LEVEL
            differences.append(
                replace(
                    found,
                    adjusted=next(adjusted) if found.k == primary_k else None,
                    design=design(its_pairs, found.k, target, level),
                )
            )
        rows.append(replace(row, differences=tuple(differences)))
    return tuple(rows)


def break_down(
    row: Contrast,
    pairs: Sequence[Pair],
    labels: Mapping[str, Sequence[str]],
    k: int,
    seed: int = 0,
) -> list[Contrast]:
    """A contrast at one k for each label of its units, those of at least `FEWEST` pairs.

    A unit with several labels is in several lines. The lines are a family of their own.
    """
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        for label in labels.get(pair.unit, ()):
            groups.setdefault(label, []).append(pair)
    names = row.first, row.second
    return [
        contrast(f"{row.group} · {label}", names, found, [k], system=row.system, seed=seed)
        for label, found in sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        if len(found) >= FEWEST
    ]
