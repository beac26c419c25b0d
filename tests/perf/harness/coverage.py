"""Coverage of intervals of a pass rate, by simulation: the product's interval and rivals.

`python -m tests.perf.harness.coverage` prints the table of `docs/statistics.md`. Every cluster has
a separate pass rate, drawn from the beta distribution with the mean and the intraclass correlation
of the grid's point, and `size` solved or unsolved problems. `--quick` makes fewer experiments; the
exit status is 1 if the product's interval covers less than `LEAST` anywhere, or is wider than
`WIDEST` times the narrowest rival with as much coverage.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from calculus_harness.harness.stats import intervals

RATES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
CLUSTERS = (5, 9, 20, 50, 100, 200)
CORRELATIONS = (0.0, 0.1, 0.3, 0.6, 0.9)
SIZES = (1, 3, 8, 30)
LEAST, WIDEST = 0.93, 1.3
Floats = NDArray[np.float64]
#: Both ends of the interval of each experiment, from the means of its clusters (a row each).
Method = Callable[[Floats], tuple[Floats, Floats]]
_Z = float(ndtri(0.975))


def product(means: Floats) -> tuple[Floats, Floats]:
    """`stats.intervals.interval` with a value per cluster: clusters of equal size."""
    count = means.shape[1]
    numbered = intervals.Clusters(np.arange(count), count)
    ends = np.array([intervals.interval(row, numbered) for row in means])
    return ends[:, 0], ends[:, 1]


def percentile(means: Floats) -> tuple[Floats, Floats]:
    """The percentile bootstrap, exact with all clusters at 0 or at 1: the former interval."""
    count = means.shape[1]
    times = np.random.default_rng(5).multinomial(count, np.ones(count) / count, size=500) / count
    low, high = np.quantile(means @ times.T, [0.025, 0.975], axis=1)
    low[(means == 1).all(axis=1)] = 0.025 ** (1 / count)
    high[(means == 0).all(axis=1)] = 1 - 0.025 ** (1 / count)
    return low, high


def student(means: Floats) -> tuple[Floats, Floats]:
    """Student's interval of the clusters' means."""
    count = means.shape[1]
    half = stdtrit(count - 1, 0.975) * means.std(axis=1, ddof=1) / np.sqrt(count)
    centre = means.mean(axis=1)
    return np.maximum(0, centre - half), np.minimum(1, centre + half)


def _trials(means: Floats, prior: float, student: bool) -> tuple[Floats, Floats]:
    """The mean, and the effective number of independent trials of the clusters."""
    count, centre = means.shape[1], means.mean(axis=1)
    between = means.var(axis=1, ddof=1) * count
    largest = count * centre * (1 - centre)
    phi = np.minimum(1, (between + prior + 1e-12) / (largest + prior + 1e-12))
    shrunk = (_Z / stdtrit(count - 1, 0.975)) ** 2 if student else 1.0
    return centre, np.maximum(count, count / phi * shrunk)


def beta(prior: float, shape: float = 1.0, *, student: bool = True) -> Method:
    """Clopper and Pearson's interval (``shape`` 1), or Jeffreys' (1/2), of an effective size."""

    def ends(means: Floats) -> tuple[Floats, Floats]:
        centre, trials = _trials(means, prior, student)
        solved = np.clip(centre * trials, 1e-9, trials - 1e-9)
        low = betaincinv(solved + 1 - shape, trials - solved + shape, 0.025)
        high = betaincinv(solved + shape, trials - solved + 1 - shape, 0.975)
        return np.where(centre > 0, low, 0.0), np.where(centre < 1, high, 1.0)

    return ends


def wilson(prior: float) -> Method:
    """Wilson's interval of an effective size."""

    def ends(means: Floats) -> tuple[Floats, Floats]:
        p, n = _trials(means, prior, student=True)
        centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * np.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        return np.maximum(0, centre - half), np.minimum(1, centre + half)

    return ends


PRODUCT = "Clopper–Pearson, prior 1/4 (used)"
METHODS: dict[str, Method] = {
    PRODUCT: product,
    "the same, Student's tails (Korn–Graubard)": beta(0.25),
    "the same, no prior": beta(0.0),
    "Jeffreys, prior 1/4": beta(0.25, 0.5),
    "between both (shape 3/4), prior 1/4": beta(0.25, 0.75),
    "Wilson, prior 1/4": wilson(0.25),
    "percentile bootstrap, exact at 0 and 1": percentile,
    "Student": student,
}


@dataclass(frozen=True)
class Point:
    """A point of the grid."""

    rate: float
    clusters: int
    correlation: float
    size: int

    def draw(self, experiments: int, seed: int = 1) -> Floats:
        """The means of the clusters, a row for each experiment."""
        generator = np.random.default_rng([seed, self.clusters, self.size])
        rates = np.full((experiments, self.clusters), self.rate)
        if self.correlation and self.rate < 1:
            weight = (1 - self.correlation) / self.correlation
            rates = generator.beta(self.rate * weight, (1 - self.rate) * weight, rates.shape)
        return np.asarray(generator.binomial(self.size, np.clip(rates, 0, 1)) / self.size)


def grid() -> list[Point]:
    return [Point(*at) for at in itertools.product(RATES, CLUSTERS, CORRELATIONS, SIZES)]


def measure(method: Method, point: Point, experiments: int) -> tuple[float, float]:
    """The coverage and the mean width at a point."""
    low, high = method(point.draw(experiments))
    covered = (low <= point.rate + 1e-9) & (point.rate - 1e-9 <= high)
    return float(covered.mean()), float((high - low).mean())


def main(experiments: int) -> int:
    points = grid()
    measured = {
        name: np.array([measure(method, point, experiments) for point in points])
        for name, method in METHODS.items()
    }
    print(f"{len(points)} points, {experiments} experiments each\n")
    print(
        "| interval | least coverage | at (rate, clusters, ICC, size) | points below 93 % | width |"
    )
    print("|---|---:|---|---:|---:|")
    for name, numbers in measured.items():
        least = points[int(numbers[:, 0].argmin())]
        at = f"{least.rate:g}, {least.clusters}, {least.correlation:g}, {least.size}"
        print(
            f"| {name} | {100 * numbers[:, 0].min():.1f} % | {at} "
            f"| {np.sum(numbers[:, 0] < LEAST)} | {100 * numbers[:, 1].mean():.1f} |"
        )
    # Only rivals with enough coverage count: a narrow interval without coverage is no rival.
    covering = [rates[:, 1].mean() for rates in measured.values() if rates[:, 0].min() >= LEAST]
    own = measured[PRODUCT]
    return int(own[:, 0].min() < LEAST or own[:, 1].mean() > WIDEST * min(covering))


if __name__ == "__main__":
    sys.exit(main(500 if "--quick" in sys.argv else 2_000))
