"""Power of a paired comparison: what difference is detectable, and what it takes to detect one."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import stdtrit

from .intervals import LEVEL

#: Samples per problem: more are not asked for.
_MOST = 4096


def detectable(
    variance: float, clusters: int, alpha: float = 1 - LEVEL, power: float = 0.8
) -> float:
    """The mean difference that a two-sided test at level ``alpha`` finds with this ``power``.

    (t_{1-alpha/2} + t_{power}) sqrt(variance / m) with m - 1 degrees of freedom, where ``variance``
    is that of a cluster's contribution, so that variance / m is the mean's. The normal form is
    Miller, "Adding Error Bars to Evals" (2024), section 5; Student's quantiles keep it true for few
    clusters.
    """
    if clusters < 2:
        return math.inf
    quantiles = stdtrit(clusters - 1, [1 - alpha / 2, power])
    return float(quantiles.sum() * math.sqrt(variance / clusters))


def clusters_needed(
    variance: float, difference: float, alpha: float = 1 - LEVEL, power: float = 0.8
) -> int:
    """How many clusters make ``difference`` `detectable`."""
    if difference <= 0:
        raise ValueError("the difference to detect must be positive")
    return _least(lambda m: detectable(variance, m, alpha, power) <= difference, 2, 1 << 40) or 2


def samples_needed(
    variance_at: Callable[[int], float],
    clusters: int,
    difference: float,
    fewest: int,
    alpha: float = 1 - LEVEL,
    power: float = 0.8,
) -> int | None:
    """How many samples a problem make ``difference`` `detectable`; None if `_MOST` do not.

    ``variance_at(n)`` is the variance of a cluster's contribution with n samples a problem.
    """
    return _least(
        lambda n: detectable(variance_at(n), clusters, alpha, power) <= difference, fewest, _MOST
    )


def _least(holds: Callable[[int], bool], low: int, most: int) -> int | None:
    """The least number from ``low`` to ``most`` for which a monotone condition holds."""
    high = low
    while not holds(high):
        if high >= most:
            return None
        low, high = high + 1, min(2 * high, most)
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high
