"""Confidence intervals of means and of differences, for values between 0 and 1 in clusters.

Intervals are two-sided, by default with a level of 95 %. A cluster consists of an original problem
and all problems derived from this original. The samples of a problem are never resampled. A
resample would repeat some samples, and pass@k would be too low for k near the number of samples.

- `interval` is the interval of the mean of a metric. It is Clopper and Pearson's interval for the
  effective number of independent trials (Korn and Graubard, "Confidence Intervals for Proportions
  with Small Expected Number of Positive Counts Estimated from Survey Data", Survey Methodology 24
  (1998)). A few clusters whose values are near 0 or 1 do not suffice to estimate the effective
  number. The estimate therefore also counts an imaginary cluster, whose squared deviation is
  `ALIKE`. Without this prior, the interval would jump when the last cluster reaches 1.
- `Ratio.interval` is the interval of a paired difference. It is the percentile interval of the
  bootstrap over clusters, made as wide as Student's interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

LEVEL = 0.95
#: The smallest and the largest number of resamples. In between, resamples times clusters are
#: `DRAWS`: the ends of an interval then have an error of about 0.07 percentage points for any
#: number of clusters, below the printed digit.
RESAMPLES = (2_000, 100_000)
DRAWS = 4_000_000
Z = 1.959963984540054  # the normal quantile of (1 + LEVEL) / 2
#: The prior of `interval`: the squared deviation of an additional cluster of equal values, the
#: largest possible for values between 0 and 1. Half as much covers less than 94 % where 50 clusters
#: of 30 problems are at 95 % (`tests/perf/harness/coverage.py`).
ALIKE = 0.25

Floats = NDArray[np.float64]

#: Bootstrap draws are cached up to this many numbers, for the next interval with as many clusters.
_CACHED = DRAWS


@dataclass(frozen=True, eq=False, slots=True)
class Clusters:
    """The cluster of every value, as an index from 0 to ``count`` - 1."""

    which: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, names: Labelled) -> Clusters:
        """Number cluster names in the order of first occurrence: "b", "a", "b" become 0, 1, 0."""
        if isinstance(names, Clusters):
            return names
        index = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return cls(np.array([index[name] for name in names], dtype=np.int64), len(index))


#: The cluster of every value, by its name or numbered once for many calls.
Labelled: TypeAlias = Sequence[Hashable] | Clusters


# --- resampling --------------------------------------------------------------------------------


def cluster_sums(columns: Sequence[Sequence[float]], clusters: Labelled) -> tuple[Floats, Floats]:
    """Sum each column of values within each cluster. Return the sums and the clusters' sizes."""
    numbered = Clusters.of(clusters)
    which, count = numbered.which, numbered.count
    sums = [
        np.bincount(which, weights=np.asarray(column, dtype=float), minlength=count)
        for column in columns
    ]
    return np.stack(sums, axis=1), np.bincount(which, minlength=count).astype(float)


def resampled(tables: Sequence[Floats], seed: int, resamples: int | None = None) -> list[Floats]:
    """Resample the rows of tables with replacement, and return the column sums of each resample.

    All tables have the same number of rows, and are resampled with the same draws. Separate draws
    would take most of the time of a comparison. Rows are sorted first. The sums therefore do not
    depend on the original order.
    """
    count = len(tables[0])
    sums = np.hstack([table[np.lexsort(table.round(12).T)] for table in tables])
    if resamples is None:
        lower, upper = RESAMPLES
        resamples = min(upper, max(lower, DRAWS // count))
    if count * resamples <= _CACHED:
        drawn = np.asarray(_cached_times(count, seed, resamples) @ sums)
    else:
        drawn = np.concatenate([times @ sums for times in _times(count, seed, resamples)])
    ends = np.cumsum([table.shape[1] for table in tables])
    return np.split(drawn, ends[:-1], axis=1)


def _times(count: int, seed: int, resamples: int) -> Iterator[Floats]:
    """Yield resamples of the numbers 0 to ``count`` - 1, in batches.

    A batch is a matrix with a row for each resample. The row says how often each number was drawn.
    """
    generator = np.random.default_rng(seed)
    batch = max(1, 4_000_000 // count)
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        rows = generator.integers(count, size=(size, count)) + count * np.arange(size)[:, None]
        times = np.bincount(rows.ravel(), minlength=size * count)
        yield times.reshape(size, count).astype(float)


@lru_cache(maxsize=2)
def _cached_times(count: int, seed: int, resamples: int) -> Floats:
    # The same draws serve every k and both directions, which is cheaper and makes differences less
    # noisy.
    return np.concatenate(list(_times(count, seed, resamples)))


# --- intervals ---------------------------------------------------------------------------------


def clopper_pearson(successes: float, trials: float) -> tuple[float, float]:
    """The exact interval for a proportion (Brown, Cai and DasGupta, section 4.2.1).

    Args:
        successes: the number of successes. The number need not be an integer, because ``trials``
            may be an effective sample size.
        trials: the number of trials.

    Returns:
        The lower and the upper end, between 0 and 1.

    Raises:
        ValueError: ``successes`` is not between 0 and ``trials``.

    >>> [round(end, 3) for end in clopper_pearson(0, 10)]
    [0.0, 0.308]

    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a proportion")
    tail = (1 - LEVEL) / 2
    failures = trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures else 1.0
    return float(low), float(high)


def interval(values: Sequence[float], clusters: Labelled) -> tuple[float, float]:
    """The interval of the mean of clustered values between 0 and 1.

    The interval is the interval of a proportion in n independent trials (Korn and Graubard). Here n
    = m / phi. m is the number of clusters. If the clusters differ in size, m is the number of
    clusters of equal size that would give the same precision (Kish). phi is the quotient of two
    variances. The numerator is the variance between clusters. The denominator is the largest
    variance that is possible for this mean. This variance is reached if each cluster has only
    values 0 or only values 1.

    Args:
        values: the values.
        clusters: the cluster of each value.

    Returns:
        The lower and the upper end.

    Raises:
        ValueError: there is no value.

    >>> [round(end, 2) for end in interval([1.0] * 9, range(9))]
    [0.66, 1.0]
    >>> [round(end, 2) for end in interval([1.0] * 8 + [0.98], range(9))]
    [0.68, 1.0]

    """
    sums, sizes = cluster_sums([values], clusters)
    count, total = len(sizes), float(sizes.sum())
    # Sums of rounded values may leave the range by the last bit.
    mean = min(1.0, max(0.0, math.fsum(values) / total))
    squares = float((sizes**2).sum())
    worth = total**2 / squares
    phi = 1.0
    if count > 1:
        deviations = float(((sums[:, 0] - mean * sizes) ** 2).sum())
        between = worth * count / (count - 1) * deviations / squares
        phi = min(1.0, (between + ALIKE) / (worth * mean * (1 - mean) + ALIKE))
    trials = worth / phi
    return clopper_pearson(min(trials, mean * trials), trials)


@dataclass(frozen=True, eq=False)
class Ratio:
    """A ratio of two sums over clustered pairs, with the ratio's bootstrap distribution.

    The ratio is between -1 and 1. The bootstrap resamples the clusters. The interval is the
    expanded percentile interval. For a small number m of clusters, the percentile interval is too
    narrow: the interval corresponds to the normal distribution, and the variance is divided by m
    instead of m - 1. The ends are therefore moved outwards. The interval is then as wide as
    Student's interval. Sources: Hesterberg, "What Teachers Should Know About the Bootstrap", The
    American Statistician 69 (2015); Davison and Hinkley, "Bootstrap Methods and their Application"
    (1997), section 3.8, for clusters.

    If all clusters have the same ratio, resamples do not differ. The interval then assumes that a
    share q of all clusters may have another ratio, from -1 to 1. The share q is the upper end of
    Clopper and Pearson's interval for 0 deviating clusters.

    Attributes:
        value: the ratio.
        sums: the sum of numerators and the sum of denominators in every cluster.
        seed: the seed of the resamples.
        resamples: the number of resamples. For None, `RESAMPLES` and `DRAWS` determine the number.

    """

    value: float
    sums: Floats
    seed: int = 0
    resamples: int | None = None

    @classmethod
    def of(
        cls,
        numerators: Sequence[float],
        denominators: Sequence[float],
        clusters: Labelled,
        seed: int = 0,
        resamples: int | None = None,
    ) -> Ratio:
        """The sum of the numerators, divided by the sum of the denominators.

        Raises:
            ValueError: the denominators sum to 0.

        """
        sums, _ = cluster_sums([numerators, denominators], clusters)
        top, bottom = sums.sum(axis=0)
        if bottom == 0:
            raise ValueError("a ratio to nothing")
        return cls(float(top / bottom), sums, seed, resamples)

    @property
    def _alike(self) -> bool:
        expected = self.value * self.sums[:, 1]
        return bool(np.allclose(self.sums[:, 0], expected, rtol=0, atol=1e-12))

    @cached_property
    def _drawn(self) -> Floats:
        return self._sorted(*resampled([self.sums], self.seed, self.resamples))

    @staticmethod
    def _sorted(drawn: Floats) -> Floats:
        drawn = drawn[drawn[:, 1] > 0]
        return np.sort(drawn[:, 0] / drawn[:, 1])

    @classmethod
    def draw(cls, ratios: Iterable[Ratio]) -> None:
        """Draw the resamples of several ratios together, because a common draw is faster.

        Args:
            ratios: ratios over the same number of clusters, with the same seed and number of
                resamples.

        """
        drawing = [ratio for ratio in ratios if len(ratio.sums) > 1 and not ratio._alike]
        if not drawing:
            return
        [(seed, resamples)] = {(ratio.seed, ratio.resamples) for ratio in drawing}
        drawn = resampled([ratio.sums for ratio in drawing], seed, resamples)
        for ratio, table in zip(drawing, drawn, strict=True):
            ratio.__dict__["_drawn"] = cls._sorted(table)

    def interval(self, alpha: float = 1 - LEVEL) -> tuple[float, float]:
        """The ends of the interval with coverage 1 - ``alpha``."""
        count = len(self.sums)
        if count < 2:
            return -1.0, 1.0
        if self._alike:
            # Clopper and Pearson's upper bound for 0 deviating clusters of ``count``.
            deviating = 1 - (alpha / 2) ** (1 / count)
            same = (1 - deviating) * self.value
            return max(-1.0, same - deviating), min(1.0, same + deviating)
        tail = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, alpha / 2)))
        low, high = np.quantile(self._drawn, [tail, 1 - tail])
        return float(low), float(high)

    @property
    def p(self) -> float:
        count = len(self.sums)
        if count < 2 or self.value == 0:
            return 1.0
        if self._alike:
            return float(min(1.0, 2 * (1 + abs(self.value)) ** -count))
        beyond = np.count_nonzero(self._drawn * math.copysign(1, self.value) <= 0)
        tail = float(ndtri((beyond + 1) / (len(self._drawn) + 1)))
        if not beyond:  # no resample reaches 0: how far away it is in standard errors
            tail = min(tail, -abs(self.value) / max(1e-12, float(self._drawn.std())))
        return float(min(1.0, 2 * stdtr(count - 1, tail / math.sqrt(count / (count - 1)))))


def t_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval for the mean of a few measurements, for example one for each of 3 seeds.

    Args:
        values: at least two measurements.

    Returns:
        Student's interval.

    >>> low, high = t_interval([1.0, 3.0])
    >>> round(low, 2), round(high, 2)
    (-10.71, 14.71)

    """
    count = len(values)
    middle = math.fsum(values) / count
    variance = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    half = float(stdtrit(count - 1, 0.975)) * math.sqrt(variance / count)
    return middle - half, middle + half


def mean_interval(
    differences: Sequence[float], clusters: Labelled, seed: int = 0, resamples: int | None = None
) -> tuple[float, float]:
    """The interval of a mean difference, by the bootstrap over clusters (`Ratio`).

    Args:
        differences: the difference of each pair, between -1 and 1.
        clusters: the cluster of each pair.
        seed: the seed of the resamples.
        resamples: the number of resamples.

    Returns:
        The lower and the upper end.

    >>> mean_interval([0.5], ["a"])
    (-1.0, 1.0)

    """
    return Ratio.of(differences, [1.0] * len(differences), clusters, seed, resamples).interval()
