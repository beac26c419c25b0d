"""Confidence intervals: proportions, and means of values that come in clusters.

All are two-sided with a level of 95 %. `interval` chooses one for the mean of a metric:

- every cluster at 0, or every one at 1: Clopper and Pearson's exact interval on the number of
  clusters (the bootstrap has nothing to resample there);
- one sample per problem and no clusters: Wilson's;
- otherwise: the percentile bootstrap over clusters. A cluster is a problem, or all problems that
  were made from the same one. Samples within a problem are never resampled: with k near n a
  resample holds repeats, and pass@k of a sample with repeats is too low.

Sources: Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion", Statistical
Science 16 (2001), for Wilson and Clopper-Pearson; Davison and Hinkley, "Bootstrap Methods and their
Application" (1997), sections 3.8 and 5.3, for the bootstrap of clustered data.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, stdtrit

LEVEL = 0.95
#: The fewest and most resamples. In between, so many that draws of whole clusters are `DRAWS`: the
#: ends of an interval are then known to about 0.07 percentage points, whatever the number of
#: clusters, so that the digit that is printed holds.
RESAMPLES = (2_000, 100_000)
DRAWS = 4_000_000
Z = 1.959963984540054  # the normal quantile of (1 + LEVEL) / 2

Floats = NDArray[np.float64]

#: Bootstrap draws are cached up to this many numbers, for the next interval with as many clusters.
_CACHED = DRAWS


@dataclass(frozen=True, eq=False, slots=True)
class Clusters:
    """The cluster of every value, numbered from 0 to ``count`` in the order in which they come."""

    which: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, names: Labelled) -> Clusters:
        """Number cluster names in the order of their first occurrence."""
        if isinstance(names, Clusters):
            return names
        index = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return cls(np.array([index[name] for name in names], dtype=np.int64), len(index))


#: The cluster of every value, by its name or numbered once for many calls.
Labelled: TypeAlias = Sequence[Hashable] | Clusters


# --- resampling --------------------------------------------------------------------------------


def cluster_sums(columns: Sequence[Sequence[float]], clusters: Labelled) -> tuple[Floats, Floats]:
    """The sum of each column within each cluster (clusters x columns), and the clusters' sizes."""
    numbered = Clusters.of(clusters)
    which, count = numbered.which, numbered.count
    sums = [
        np.bincount(which, weights=np.asarray(column, dtype=float), minlength=count)
        for column in columns
    ]
    return np.stack(sums, axis=1), np.bincount(which, minlength=count).astype(float)


def resampled(sums: Floats, seed: int, resamples: int | None = None) -> Floats:
    """The column sums of samples of rows drawn with replacement.

    The rows are sorted first: the same rows give the same sums in whatever order they come.
    """
    count = len(sums)
    sums = sums[np.lexsort(sums.round(12).T)]
    if resamples is None:
        fewest, most = RESAMPLES
        resamples = min(most, max(fewest, DRAWS // count))
    if count * resamples <= _CACHED:
        return np.asarray(_cached_times(count, seed, resamples) @ sums)
    return np.concatenate([times @ sums for times in _times(count, seed, resamples)])


def _times(count: int, seed: int, resamples: int) -> Iterator[Floats]:
    """How often each of ``count`` rows is in each resample, some resamples at a time."""
    generator = np.random.default_rng(seed)
    batch = max(1, 4_000_000 // count)
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        rows = generator.integers(count, size=(size, count)) + count * np.arange(size)[:, None]
        times = np.bincount(rows.ravel(), minlength=size * count)
        yield times.reshape(size, count).astype(float)


@lru_cache(maxsize=2)
def _cached_times(count: int, seed: int, resamples: int) -> Floats:
    # The same draws serve every k and both directions: cheaper, and their differences less noisy.
    return np.concatenate(list(_times(count, seed, resamples)))


# --- intervals ---------------------------------------------------------------------------------


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's score interval for a proportion (Brown, Cai and DasGupta, section 3.1.1).

    Args:
        successes: how many succeeded.
        trials: of how many.

    Returns:
        Both ends, between 0 and 1.

    Raises:
        ValueError: it is no proportion.

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]

    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a proportion")
    p, z2 = successes / trials, Z * Z
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z / (1 + z2 / trials) * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    """The exact interval for a proportion (Brown, Cai and DasGupta, section 4.2.1).

    Args:
        successes: how many succeeded.
        trials: of how many.

    Returns:
        Both ends, between 0 and 1.

    Raises:
        ValueError: it is no proportion.

    >>> [round(end, 3) for end in clopper_pearson(0, 10)]
    [0.0, 0.308]

    """
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
    """The percentile interval of the mean of ``values`` when whole clusters are resampled.

    Args:
        values: the values.
        clusters: the cluster of each.
        seed: of the resamples.

    Returns:
        Both ends.

    >>> low, high = cluster_bootstrap([1, 1, 0, 1, 0, 0], ["a", "a", "b", "c", "d", "d"])
    >>> low < 0.5 < high
    True

    """
    sums, sizes = cluster_sums([values], clusters)
    drawn = resampled(np.column_stack([sums[:, 0], sizes]), seed)
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


def ratio_interval(
    numerators: Sequence[float],
    denominators: Sequence[float],
    clusters: Labelled,
    seed: int = 0,
    resamples: int | None = None,
) -> tuple[float, float]:
    """The interval of a ratio of sums, between -1 and 1, when whole clusters are resampled.

    The bootstrap's percentile interval, its tails moved outwards so that it is as wide as Student's
    where the percentile interval would be as narrow as the normal one with the variance divided by
    m instead of m - 1: Hesterberg, "What Teachers Should Know About the Bootstrap", The American
    Statistician 69 (2015), the expanded percentile interval; Davison and Hinkley, "Bootstrap
    Methods and their Application" (1997), section 3.8, for clusters.

    Where all clusters say the same there is nothing to resample: then at most a share q of clusters
    says otherwise, by Clopper and Pearson's bound, and those say anything from -1 to 1.

    Args:
        numerators: one for each pair.
        denominators: one for each pair.
        clusters: the cluster of each pair.
        seed: of the resamples.
        resamples: how many.

    Returns:
        Both ends.

    Raises:
        ValueError: the denominators sum to 0.

    >>> ratio_interval([1.0], [2.0], ["a"])
    (-1.0, 1.0)

    """
    sums, _ = cluster_sums([numerators, denominators], clusters)
    count, (top, bottom) = len(sums), sums.sum(axis=0)
    if bottom == 0:
        raise ValueError("a ratio to nothing")
    ratio = float(top / bottom)
    if count < 2:
        return -1.0, 1.0
    if np.allclose(sums[:, 0], ratio * sums[:, 1], rtol=0, atol=1e-12):
        other = clopper_pearson(0, count)[1]
        same = (1 - other) * ratio
        return max(-1.0, same - other), min(1.0, same + other)
    tail = (1 - LEVEL) / 2
    tail = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, tail)))
    drawn = resampled(sums, seed, resamples)
    drawn = drawn[drawn[:, 1] > 0]
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [tail, 1 - tail])
    return float(low), float(high)


def mean_interval(
    differences: Sequence[float],
    clusters: Labelled,
    seed: int = 0,
    resamples: int | None = None,
) -> tuple[float, float]:
    """The interval of a mean difference: `ratio_interval` with the number of pairs below."""
    return ratio_interval(differences, [1.0] * len(differences), clusters, seed, resamples)
