"""Tests of paired, clustered differences: the sign-flip test, Holm's method, and power.

Differences are between -1 and 1. Problems derived from the same original vary together. A cluster
of problems is therefore the sampling unit. Random signs are seeded: the same differences give the
same p values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, stdtrit

from .intervals import LEVEL, Floats, Labelled, cluster_sums

#: The largest number m of nonzero cluster sums for which all 2^m sign patterns are visited.
ENUMERATED = 18
#: The largest product of lattice points and clusters for an exact null distribution.
CONVOLVED = 40_000_000
#: The number of random sign patterns otherwise.
FLIPS = 9_999
#: Cached random signs, for later tests with the same number of clusters.
_CACHED = 16_000_000
#: The largest denominator of differences that are recognised as fractions.
_DENOMINATOR = 5_000
#: The largest number of samples per problem that `samples_needed` considers.
_MAX_SAMPLES = 4096
#: The largest number of clusters that `clusters_needed` considers: more than any set has.
_MAX_CLUSTERS = 1 << 40


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The result of `sign_flip`.

    Attributes:
        p: the two-sided p value.
        exact: whether ``p`` is exact. Otherwise ``p`` is estimated from `FLIPS` random sign
            patterns.

    >>> SignFlip(p=0.5, exact=True).p
    0.5

    """

    p: float
    exact: bool


def sign_flip(differences: Sequence[float], clusters: Labelled, seed: int = 0) -> SignFlip:
    """Test whether the mean difference is zero, by swapping the two sides within each cluster.

    Under the null hypothesis, the differences of a cluster are as likely as their negatives. All
    2^m patterns of signs of m clusters are then equally likely. The sums over all patterns give the
    null distribution. Sources: Fisher, "The Design of Experiments" (1935), section 21; for clusters
    Canay, Romano and Shaikh, "Randomization Tests Under an Approximate Symmetry Assumption",
    Econometrica 85 (2017). With one sample per problem the test is McNemar's exact test.

    The p value is computed in one of three ways:

    - If few clusters have a sum other than zero, all patterns are enumerated.
    - If the sums are multiples of a common fraction, as for pass@1, the distribution is computed by
      convolution (Pagano and Tritchler, JASA 78 (1983)).
    - In all other cases, B random patterns are drawn. If b patterns are as extreme as the observed
      sum, p = (b + 1) / (B + 1) (Phipson and Smyth, "Permutation P-values Should Never Be Zero",
      Stat. Appl. Genet. Mol. Biol. 9 (2010)).

    Args:
        differences: the difference of each pair, between -1 and 1.
        clusters: the cluster of each pair.
        seed: the seed of the random sign patterns.

    Returns:
        The p value.

    >>> sign_flip([1.0, 1.0, 1.0, 1.0, 0.0], range(5))
    SignFlip(p=0.125, exact=True)

    """
    sums, _ = cluster_sums([differences], clusters)
    sizes = np.abs(sums[:, 0])
    sizes = sizes[sizes > 1e-12]
    observed = abs(float(sums.sum())) - 1e-9
    if not len(sizes) or observed <= 0:
        return SignFlip(1.0, True)
    if len(sizes) <= ENUMERATED:
        reached = sizes[:1]  # a first sign may stay: patterns come in pairs of opposites
        for size in sizes[1:]:
            reached = np.concatenate([reached + size, reached - size])
        return SignFlip(float(np.mean(np.abs(reached) >= observed)), True)
    steps = _lattice(sizes)
    if steps is not None:
        return SignFlip(_convolved(steps, abs(sums.sum())), True)
    everything = np.sort(np.abs(sums[:, 0]))  # the same whatever order the clusters come in
    near = 2e-6 * float(everything.sum())  # single precision; what is as near counts as extreme
    extreme = 0
    for signs in _signs(len(everything), seed):
        flipped = signs @ everything.astype(np.float32)
        extreme += int(np.count_nonzero(np.abs(flipped) >= observed - near))
    return SignFlip((extreme + 1) / (FLIPS + 1), False)


def _signs(count: int, seed: int) -> Iterable[NDArray[np.float32]]:
    """Draw `FLIPS` random patterns of signs, in batches."""
    if count * FLIPS <= _CACHED:
        return [_kept_signs(count, seed)]
    return _drawn_signs(count, seed)


def _drawn_signs(count: int, seed: int) -> Iterator[NDArray[np.float32]]:
    generator = np.random.default_rng(seed)
    batch = max(1, _CACHED // count)
    for start in range(0, FLIPS, batch):
        shape = (min(batch, FLIPS - start), count)
        yield generator.integers(2, size=shape, dtype=np.int8).astype(np.float32) * 2 - 1


@lru_cache(maxsize=2)
def _kept_signs(count: int, seed: int) -> NDArray[np.float32]:
    return np.concatenate(list(_drawn_signs(count, seed)))


def _lattice(sizes: Floats) -> tuple[list[int], int] | None:
    """Write the numbers ``sizes`` as fractions with a common denominator.

    Return all numerators, and the denominator. The result is None if the denominator would be too
    large, or if `_convolved` would take too long.
    """
    unit, fractions = 1, {}
    for size in set(sizes.tolist()):
        near = Fraction(size).limit_denominator(_DENOMINATOR)
        if abs(float(near) - size) > 1e-12:
            return None
        fractions[size] = near
        unit = math.lcm(unit, near.denominator)
    if len(fractions) > 1 and unit * float(sizes.sum()) * len(sizes) > CONVOLVED:
        return None
    return [int(fractions[size] * unit) for size in sizes.tolist()], unit


def _convolved(lattice: tuple[list[int], int], observed: float) -> float:
    """The exact probability of |sum| >= ``observed``, for a sum of addends with random signs.

    ``lattice`` has the addends as fractions. Each addend is positive or negative with probability
    1/2.
    """
    steps, unit = lattice
    far = round(float(observed) * unit)
    if len(set(steps)) == 1:  # McNemar's test
        count = len(steps)
        least = (count + far // steps[0]) // 2  # of the signs are alike; P(X >= least), binomial
        return float(min(1.0, 2 * betainc(least, count - least + 1, 0.5)))
    centre = sum(steps)
    chances = np.zeros(2 * centre + 1)
    chances[centre] = 1.0
    reach = 0
    for step in steps:
        reach += step
        inner = chances[centre - reach : centre + reach + 1]
        previous = inner.copy()
        inner[:] = 0
        inner[step:] += previous[: len(previous) - step] / 2
        inner[: len(previous) - step] += previous[step:] / 2
    return float(min(1.0, chances[: centre - far + 1].sum() + chances[centre + far :].sum()))


def holm(ps: Sequence[float]) -> list[float]:
    """The p values of a family of tests, adjusted by Holm's method.

    The i-th smallest of m values is multiplied by m - i + 1. A value below its predecessor is
    raised to the predecessor. A test is significant at the family-wise error rate alpha if its
    adjusted value is below alpha. Source: Holm, "A Simple Sequentially Rejective Multiple Test
    Procedure", Scand. J. Statist. 6 (1979).

    Args:
        ps: the p values of a family.

    Returns:
        The adjusted p values, in the same order.

    >>> holm([0.25, 0.01, 0.03])
    [0.25, 0.03, 0.06]

    """
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, ps[position] * (len(ps) - rank)))
        adjusted[position] = largest
    return adjusted


def holm_levels(ps: Sequence[float], alpha: float = 1 - LEVEL) -> list[float]:
    """The level at which Holm's method tests each p value.

    The level is alpha / (m - i + 1) for the i-th smallest of m values.

    Args:
        ps: the p values of a family.
        alpha: the family-wise error rate.

    Returns:
        The levels, in the same order.

    >>> [round(level, 4) for level in holm_levels([0.25, 0.01])]
    [0.05, 0.025]

    """
    levels = [alpha] * len(ps)
    for rank, position in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        levels[position] = alpha / (len(ps) - rank)
    return levels


# --- power: the detectable difference, and the sizes that detect a given difference ---


def detectable(
    variance: float, clusters: int, alpha: float = 1 - LEVEL, power: float = 0.8
) -> float:
    """The mean difference that a two-sided test at level ``alpha`` detects with ``power``.

    The difference is (t_{1-alpha/2} + t_{power}) sqrt(variance / m). Here m is the number of
    clusters, and ``variance`` is the variance of one cluster's values. Each t is a quantile of
    Student's distribution with m - 1 degrees of freedom. Miller, "Adding Error Bars to Evals"
    (2024), section 5, has normal quantiles, which are too small for few clusters.
    """
    if clusters < 2:
        return math.inf
    quantiles = stdtrit(clusters - 1, [1 - alpha / 2, power])
    return float(quantiles.sum() * math.sqrt(variance / clusters))


def clusters_needed(
    variance: float, difference: float, alpha: float = 1 - LEVEL, power: float = 0.8
) -> int:
    """The number of clusters needed to detect ``difference`` (see `detectable`).

    Raises:
        ValueError: the difference is not positive, or needs more than `_MAX_CLUSTERS` clusters.

    """
    if difference <= 0:
        raise ValueError("the difference to detect must be positive")
    needed = _least(lambda m: detectable(variance, m, alpha, power) <= difference, 2, _MAX_CLUSTERS)
    if needed is None:
        raise ValueError(f"a difference of {difference} needs more than {_MAX_CLUSTERS} clusters")
    return needed


def samples_needed(
    variance_at: Callable[[int], float],
    clusters: int,
    difference: float,
    at_least: int,
    alpha: float = 1 - LEVEL,
    power: float = 0.8,
) -> int | None:
    """The number of samples per problem needed to detect ``difference``.

    ``variance_at(n)`` is the variance of a cluster's values with n samples per problem. The result
    is None if more than `_MAX_SAMPLES` samples would be needed.
    """
    return _least(
        lambda n: detectable(variance_at(n), clusters, alpha, power) <= difference,
        at_least,
        _MAX_SAMPLES,
    )


def expected_variance(samples: int) -> float:
    """The expected variance of a difference between two models in one cluster, before a run.

    Three assumptions are made. A problem's chance of success is uniform on [0, 1]. The chances of
    two models have correlation 1/2. All problems of a cluster have the same chance. The difference
    of the chances then has the variance 1/12. n samples of each model add 2/(6n). After a run,
    `stats.paired.power.design` uses the observed variance instead.

    >>> round(detectable(expected_variance(4), clusters=18), 2)
    0.29
    """
    if samples < 1:
        raise ValueError("a difference needs samples")
    return 1 / 12 + 1 / (3 * samples)


def _least(holds: Callable[[int], bool], low: int, upper: int) -> int | None:
    """Find the smallest number between ``low`` and ``upper`` with a true ``holds``, by bisection.

    If ``holds`` is true for a number, ``holds`` must be true for all larger numbers. The result is
    None if ``holds`` is false for all numbers.
    """
    high = low
    while not holds(high):
        if high >= upper:
            return None
        low, high = high + 1, min(2 * high, upper)
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high
