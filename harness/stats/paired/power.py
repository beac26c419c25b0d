"""The detectable difference of paired samples, and the samples for a given difference.

A design is a number of clusters of problems and a number of samples per problem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..intervals import LEVEL, cluster_sums
from ..pairing import Pair, Pairs
from ..significance import clusters_needed, detectable, samples_needed

#: The power for which the detectable difference is computed.
POWER = 0.8


@lru_cache(maxsize=1 << 16)
def sampling_variance(n: int, c: int, k: int, at: int) -> float:
    """The variance that one problem's pass@k would have with ``at`` samples.

    The estimate uses n samples, of which c are correct, where 2k <= n. Let q be the chance of a
    wrong sample. pass@k is a U-statistic. Its variance is sum_j C(k,j) C(at-k,k-j) / C(at,k)
    q^(2k-j) - q^(2k), where j is the number of common samples of two sets of k samples (Hoeffding,
    "A Class of Statistics with Asymptotically Normal Distribution", Ann. Math. Statist. 19 (1948),
    section 5). The function replaces each q^j by its unbiased estimate F_j = C(n-c,j)/C(n,j).
    """
    if 2 * k > n or at < k:
        raise ValueError(f"the variance of pass@{k} needs {2 * k} samples, not {n}, and k <= {at}")

    misses = _misses(n, c, 2 * k)
    return float(_overlaps(k, at) @ misses[k:][::-1]) - float(misses[2 * k])


@lru_cache(maxsize=1 << 12)
def _misses(n: int, c: int, size: int) -> Any:
    """Compute F_j = C(n-c,j)/C(n,j), the chance that j random samples are wrong, for j = 0, ...,
    ``size``.
    """
    drawn = np.arange(size)
    return np.concatenate(([1.0], np.cumprod(np.maximum(n - c - drawn, 0) / (n - drawn))))


@lru_cache(maxsize=1 << 8)
def _overlaps(k: int, at: int) -> Any:
    """The probabilities of 0, ..., k common samples of two random sets of k samples.

    Both sets are drawn from the same ``at`` samples. Binomial coefficients would overflow. The
    function therefore adds the logarithms of successive ratios, from the smallest possible overlap
    on.
    """
    least = max(0, 2 * k - at)
    j = np.arange(least + 1, k + 1)
    ratios = 2 * np.log(k - j + 1) - np.log(j) - np.log(at - 2 * k + j)
    logarithms = np.concatenate(([0.0], np.cumsum(ratios)))
    shares = np.exp(logarithms - logarithms.max())
    return np.concatenate((np.zeros(least), shares / shares.sum()))


@dataclass(frozen=True)
class Design:
    """The detectable difference of paired samples.

    The formulas are from Miller, "Adding Error Bars to Evals" (2024), section 5. The variance
    between clusters replaces the variance in the formulas (Cameron and Miller, "A Practitioner's
    Guide to Cluster-Robust Inference", J. Human Resources 50 (2015), section II).

    Attributes:
        detectable: the difference detected with a power of `POWER`.
        clusters: the number of clusters.
        variance: the variance of the mean difference, times ``clusters``.
        sampling: the part of ``variance`` from the finite number of samples per problem; None with
            fewer than 2k samples. The remaining variance is the spread of the true differences.
        alpha: the level of the test. In a family of m tests, the level is 0.05 / m, at which Holm's
            method tests the smallest p value. Outside a family, the level is 0.05.
        target: the difference of ``clusters_needed`` and ``samples_needed``.
        clusters_needed: the number of clusters to detect ``target``.
        samples_needed: the number of samples per problem to detect ``target``; None if no number
            suffices.

    >>> from calculus_harness.harness.stats.significance import detectable
    >>> round(detectable(variance=0.25, clusters=100, alpha=0.05, power=0.8), 2)
    0.14

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
    """The `Design` of paired samples.

    The result is None with fewer than two clusters, or with equal differences.
    """
    # The variance between clusters, estimated from the sums of deviations in each cluster.
    paired = Pairs.of(pairs)
    differences = paired.differences(k)
    mean = math.fsum(differences) / len(differences)
    sums, _ = cluster_sums([[d - mean for d in differences]], paired.clusters)
    count = len(sums)
    if count < 2 or not float((sums**2).sum()) > 1e-12:
        return None
    variance = count * (count / len(paired) ** 2) * float((sums**2).sum()) / (count - 1)
    # More samples per problem reduce only the part of the variance due to sampling, which two
    # disjoint sets of k samples can estimate.
    min_samples = min(paired.samples)

    def sampling(at: int) -> float:
        """The part of the variance due to sampling, with ``at`` samples per problem."""
        terms = (weight * sampling_variance(*key, k, at) for key, weight in paired.weights.items())
        return max(0.0, math.fsum(terms))

    now = needed = None
    if 2 * k <= min_samples and not (paired.first.ranked or paired.second.ranked):
        now = min(sampling(min_samples), variance)
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
