"""The numbers of a paired comparison: models, prompts, or originals and perturbations.

A comparison has two sides. The sides are two systems, or original problems and perturbed problems.
Two systems are paired by problem. A perturbed problem is paired with its parent, the original
problem. The children of a parent are averaged first, so that each parent counts once. pass@k is
estimated with the same k on both sides. k is at most the number of samples on either side. The
reported numbers are:

- the mean difference with an interval (`stats.intervals.Ratio`, with resampled clusters), and the
  lowest and the highest mean over all ways to decide the undecided samples;
- a p value, the larger of two p values: the p value of the sign-flip test
  (`stats.significance.sign_flip`), and the p value of the interval;
- the p value and the interval, adjusted by Holm's method over a family of tests. The family
  consists of all contrasts of the comparison, at the primary k. The run's manifest declared the
  primary k before the first request. The interval excludes 0 exactly if the p value is below 0.05:
  interval and p value never contradict each other;
- the share of the second side's failures among the first side's solved problems. The share expected
  by chance is subtracted (`Transfer`);
- the difference detected with 80 % power (`power.Design`);
- the numbers of problems and samples needed to detect a given difference.

The functions are pure. `stats.compare` reads the runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

from ....rewards.records import Record
from ..gaps import Gap
from ..intervals import LEVEL, Clusters, Ratio
from ..metrics.cost import Cost
from ..metrics.pass_at_k import pass_at_k
from ..pairing import Pair, PairedSide, Pairs
from ..repaired import RepairedDifference
from ..significance import holm, holm_levels, sign_flip
from ..tallies import Tally
from .power import Design, design

#: The smallest number of pairs in a line of a breakdown.
MIN_PAIRS = 5


# --- estimates ---------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def pass_twice(n: int, c: int, k: int) -> float:
    """The unbiased estimate of the chance of a solution in both of two disjoint sets of k samples.

    A set with at least one correct sample solves the problem. The estimate is 1 - 2 F_k + F_2k,
    with F_j = C(n-c,j)/C(n,j). F_j is the chance of j wrong samples among the n samples. The
    expectation of the estimate is p_k^2, where p_k is the problem's true pass@k.
    """
    if 2 * k > n:
        raise ValueError(f"two sets of {k} samples are more than {n}")
    return 2 * pass_at_k(n, c, k) - pass_at_k(n, c, 2 * k)


# --- solved one, fails the other ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Transfer:
    """The second side's rate of failures on the first side's solved problems, at the same k.

    The sides are two models, or original and perturbed problems. The first side may have solved a
    problem by luck, and could fail the same problem in a repetition. Failures in a repetition do
    not show brittleness. The rate of repetition failures is estimated from two disjoint sets of k
    samples of the first side (`pass_twice`), and subtracted.

    Attributes:
        share: P(second fails | first solved).
        control: the chance of the first side's failure in a repetition; None with fewer than 2k
            samples.
        excess: ``share - control``, the effect of the change itself.
        interval: the interval of ``excess``.

    >>> Transfer(share=0.4, control=0.1, excess=0.3, interval=(0.1, 0.5)).excess
    0.3

    """

    share: float
    control: float | None
    excess: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Losses:
    """A `Transfer` whose interval is not computed yet."""

    share: float
    control: float | None
    excess: Ratio | None

    def transfer(self) -> Transfer:
        if self.control is None or self.excess is None:
            return Transfer(self.share, None, None, None)
        excess = self.share - self.control
        return Transfer(self.share, self.control, excess, self.excess.interval())


def losses(
    side: PairedSide, second: PairedSide, clusters: Clusters, k: int, seed: int = 0
) -> Losses | None:
    """The share of the second side's failures among the first side's solved problems.

    The result is None without solved problems of the first side.
    """
    solved = side.passes(k)
    weight = math.fsum(solved)
    if weight <= 0:
        return None
    lost = [a * (1 - b) for a, b in zip(solved, second.passes(k), strict=True)]
    share = math.fsum(lost) / weight
    if side.ranked or second.ranked or 2 * k > side.samples:
        return Losses(share, None, None)
    again = side.means(lambda t: pass_twice(t.samples, t.correct, k))
    # (solved - solved twice) is the control, solved and then failed, to subtract from the transfer.
    excess = [
        failed_after - (a - failed_again)
        for failed_after, a, failed_again in zip(lost, solved, again, strict=True)
    ]
    return Losses(share, 1 - math.fsum(again) / weight, Ratio.of(excess, solved, clusters, seed))


# --- the comparison ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """pass@k of two sides, and the mean of the paired differences, second minus first.

    The sides are two models, or original problems and perturbed problems.

    Attributes:
        k: the k.
        first: pass@k of the first side.
        second: pass@k of the second side.
        value: the difference.
        interval: the interval of the difference. If the difference belongs to a family of tests,
            Holm's method determines the level of the interval.
        bounds: the lowest and the highest difference over all ways to decide the undecided samples.
        p: the larger of the p values of the sign-flip test and of the bootstrap's interval.
        exact: whether the p value of the sign-flip test is exact.
        adjusted: Holm's adjusted p value. It is None if the difference belongs to no family.
        design: the difference that the pairs can detect, and the numbers of problems and samples
            that would detect a given difference.
        lost: how often the second side fails problems that the first side solves.
        gained: how often the first side fails problems that the second side solves.

    >>> Difference(1, 0.75, 0.5, -0.25, (-0.5, 0.0), (-0.25, -0.25), p=0.25, exact=True).value
    -0.25

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

    @property
    def stands(self) -> bool:
        """Whether the difference is significant.

        A difference is significant if the adjusted p value is below 1 - `LEVEL` and the interval
        excludes 0. Without an adjusted p value, ``p`` is used.
        """
        low, high = self.interval
        p = self.p if self.adjusted is None else self.adjusted
        return p < 1 - LEVEL and (low > 0 or high < 0)


@dataclass(frozen=True)
class Contrast:
    """One line of a comparison: two models, or original and perturbed problems.

    Attributes:
        group: the name of the group.
        first: the name of the first side.
        second: the name of the second side.
        pairs: the number of pairs.
        clusters: the number of clusters (problems with a common origin) that the pairs belong to.
        samples_per_problem: the smallest number of samples of a problem, for each side.
        unpaired: the number of problems that are left out because they have no counterpart.
        differences: the difference for each k.
        system: the system whose subsets are compared. The text is empty for a comparison of
            systems.

    >>> Contrast("all", "a", "b", 20, 20, (1, 1), unpaired=0, differences=()).at(k=1) is None
    True

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
        """The difference at a given k.

        Args:
            k: the k.

        Returns:
            The difference, or None with too few samples for k.

        """
        return next((difference for difference in self.differences if difference.k == k), None)


@dataclass(frozen=True)
class Comparison(Record):
    """Contrasts whose p values are adjusted together, as one family.

    Attributes:
        by: ``model`` or ``perturbation``.
        primary_k: the k at which the p values are adjusted.
        contrasts: the contrasts of the family.
        breakdown: the contrasts for each tag, operator or other label, as a separate family.
        broken_down_by: the property of the breakdown, for example ``tag``. It is None without a
            breakdown.
        policy: the name of the set of verdicts.
        runs: the runs' directories.
        notes: remarks, for example on problems that are left out.
        verdicts: the policy's name if a run holds verdicts of several policies. Otherwise the text
            is empty.
        pairing: for every two runs, a sentence that says how many problems both runs share.
        costs: the cost of each system, if prices were given.
        gaps: the generalisation gaps on HINT of every two systems.
        sentences: the summary of the comparison (`wording`).
        repaired: repaired@t of every two systems, if wrong answers were tried again.

    >>> Comparison("model", primary_k=1, contrasts=()).to_dict()["by"]
    'model'

    """

    by: str
    primary_k: int
    contrasts: tuple[Contrast, ...]
    breakdown: tuple[Contrast, ...] = ()
    broken_down_by: str | None = None
    policy: str | None = None
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    verdicts: str = ""
    pairing: tuple[str, ...] = ()
    costs: Mapping[str, Cost | None] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    sentences: tuple[str, ...] = ()
    repaired: tuple[RepairedDifference, ...] = ()

    def __repr__(self) -> str:
        lines = [f"<Comparison by {self.by}:", *(f"  {line}" for line in self.sentences)]
        lines.append("In percentage points:")
        for row in self.contrasts:
            sides = f"{row.second} - {row.first}"
            name = f"{row.system}, {sides}" if row.system else f"{row.group}, {sides}"
            if difference := row.at(self.primary_k):
                low, high = (f"{100 * end:+.1f}" for end in difference.interval)
                lines.append(
                    f"  {name}, pass@{difference.k}: {100 * difference.value:+.1f} "
                    f"[{low}, {high}], p = {difference.p:.3g}, {row.pairs} pairs"
                )
        return "\n".join(lines) + ">"


def contrast(
    group: str,
    names: tuple[str, str],
    pairs: Sequence[Pair],
    ks: Sequence[int],
    unpaired: int = 0,
    system: str = "",
) -> Contrast:
    """Compare the two sides of ``pairs`` at every k of ``ks``.

    A k is left out if a problem on either side has fewer than k samples.
    """
    if not pairs:
        raise ValueError("nothing is paired")
    paired = Pairs.of(pairs)
    sides = [_Sides.of(paired, k) for k in ks if k <= min(paired.samples)]
    Ratio.draw(chain.from_iterable(side.ratios for side in sides))
    return Contrast(
        group=group,
        first=names[0],
        second=names[1],
        pairs=len(paired),
        clusters=paired.clusters.count,
        samples_per_problem=paired.samples,
        unpaired=unpaired,
        differences=tuple(map(_compare, sides)),
        system=system,
    )


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both sides of pairs at a k, and the ratios, for a common computation of intervals."""

    pairs: Pairs
    k: int
    mean: Ratio
    lost: Losses | None
    gained: Losses | None

    @classmethod
    def of(cls, pairs: Pairs, k: int) -> _Sides:
        lost = losses(pairs.first, pairs.second, pairs.clusters, k)
        gained = losses(pairs.second, pairs.first, pairs.clusters, k)
        return cls(pairs, k, pairs.mean_difference(k), lost, gained)

    @property
    def ratios(self) -> list[Ratio]:
        excesses = [side.excess for side in (self.lost, self.gained) if side is not None]
        return [self.mean, *(ratio for ratio in excesses if ratio is not None)]


def _compare(sides: _Sides) -> Difference:
    pairs, k = sides.pairs, sides.k

    def best(t: Tally) -> float:
        return pass_at_k(*t.drawn_at_best(k), k)

    def average(values: Sequence[float]) -> float:
        return math.fsum(values) / len(pairs)

    means = average(pairs.first.passes(k)), average(pairs.second.passes(k))
    tops = average(pairs.first.means(best)), average(pairs.second.means(best))
    test = sign_flip(pairs.differences(k), pairs.clusters)
    # A difference is significant only if both the test and the interval exclude 0: the larger p
    # value.
    p = max(test.p, sides.mean.p)
    return Difference(
        k=k,
        first=means[0],
        second=means[1],
        value=means[1] - means[0],
        interval=_unless(p < 1 - LEVEL, sides.mean.interval()),
        bounds=(means[1] - tops[0], tops[1] - means[0]),
        p=p,
        exact=test.exact,
        lost=None if sides.lost is None else sides.lost.transfer(),
        gained=None if sides.gained is None else sides.gained.transfer(),
    )


def _unless(stands: bool, ends: tuple[float, float]) -> tuple[float, float]:
    """Extend an interval to contain 0, unless ``stands`` marks a significant difference."""
    return ends if stands else (min(0.0, ends[0]), max(0.0, ends[1]))


def _adjusted(difference: Difference, pairs: Sequence[Pair], p: float, level: float) -> Difference:
    """Give a difference the adjusted p value ``p`` and an interval of coverage 1 - ``level``.

    Holm's method gives ``p`` and ``level``.
    """
    ends = Pairs.of(pairs).mean_difference(difference.k).interval(level)
    return replace(difference, adjusted=p, interval=_unless(p < 1 - LEVEL, ends))


def with_family(
    contrasts: Sequence[Contrast], pairs: Sequence[Sequence[Pair]], primary_k: int, target: float
) -> tuple[Contrast, ...]:
    """Adjust the p values and intervals of all contrasts at the primary k, as a family of tests.

    Each difference also gets a `Design` with the smallest detectable difference.
    """
    family = [difference for row in contrasts if (difference := row.at(primary_k)) is not None]
    ps = [difference.p for difference in family]
    adjusted = zip(holm(ps), holm_levels(ps), strict=True)
    alpha = (1 - LEVEL) / max(1, len(family))
    rows = []
    for row, its_pairs in zip(contrasts, pairs, strict=True):
        differences = []
        for difference in row.differences:
            primary = difference.k == primary_k
            level = alpha if primary else 1 - LEVEL
            change = _adjusted(difference, its_pairs, *next(adjusted)) if primary else difference
            plan = design(its_pairs, difference.k, target, level)
            differences.append(replace(change, design=plan))
        rows.append(replace(row, differences=tuple(differences)))
    return tuple(rows)


def break_down(
    row: Contrast,
    pairs: Sequence[Pair],
    labels: Mapping[str, Sequence[str]],
    k: int,
) -> list[Contrast]:
    """Make a `Contrast` for each label with at least `MIN_PAIRS` pairs, at one k.

    ``row`` is the contrast of all pairs. A pair with several labels is in several contrasts.
    """
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        for label in labels.get(pair.unit, ()):
            groups.setdefault(label, []).append(pair)
    names = row.first, row.second
    return [
        contrast(f"{row.group} · {label}", names, its_pairs, [k], system=row.system)
        for label, its_pairs in sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        if len(its_pairs) >= MIN_PAIRS
    ]
