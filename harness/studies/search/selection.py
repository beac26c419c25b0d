"""The fitness of problems that a model fails, and the choice of the fittest as next seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.reading.expression.tree import Expression
from .embedding import Embed, Floats
from .formulas import TRIGONOMETRIC, read, text
from .settings import SearchSettings

#: The largest number of rounds of k-means, which ends earlier without a change.
ROUNDS = 50


def k_means(vectors: Floats, k: int, rng: HashedRandom) -> NDArray[np.int64]:
    """Assign vectors to clusters by k-means.

    The initial centres are drawn by k-means++. If a cluster loses all its vectors, no other cluster
    replaces it. The result may therefore have fewer than k clusters.

    Args:
        vectors: a vector per row.
        k: the largest number of clusters.
        rng: the random numbers that choose the centres.

    Returns:
        A number from 0 to k - 1 for each row.

    >>> rows = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> sorted(map(int, np.bincount(k_means(rows, 2, HashedRandom("example")))))
    [2, 2]

    """
    count = len(vectors)
    centres = [vectors[rng.below(count)]]
    while len(centres) < min(k, count):
        squares = _squares(vectors, np.array(centres)).min(axis=1)
        total = squares.sum()
        if total <= 1e-12:
            break  # fewer different vectors than clusters
        drawn = rng.below(1 << 53) / (1 << 53) * total
        index = int(np.searchsorted(np.cumsum(squares), drawn, side="right"))
        centres.append(vectors[min(index, count - 1)])
    middle = np.array(centres)
    which = np.full(count, -1)
    for _ in range(ROUNDS):
        nearest = _squares(vectors, middle).argmin(axis=1)
        if (nearest == which).all():
            break
        which = nearest
        for cluster in range(len(middle)):
            if (which == cluster).any():
                middle[cluster] = vectors[which == cluster].mean(axis=0)
    return which.astype(np.int64)


def _squares(vectors: Floats, centres: Floats) -> Floats:
    """The squared distance of each vector from each centre."""
    products = -2.0 * vectors @ centres.T
    squares = products + (vectors**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    positive: Floats = np.maximum(squares, 0.0)
    return positive


def fittest_of_clusters(
    fitness: Sequence[float], clusters: NDArray[np.int64], per_cluster: int
) -> list[int]:
    """Choose the fittest candidates of each cluster, by their indices. Ties are broken by index.

    Args:
        fitness: the fitness of each candidate.
        clusters: the cluster of each candidate.
        per_cluster: the number of candidates to take from each cluster.

    Returns:
        The indices, cluster by cluster.

    """
    chosen: list[int] = []
    for cluster in sorted(set(clusters.tolist())):
        members = [index for index, its_cluster in enumerate(clusters) if its_cluster == cluster]
        chosen += sorted(members, key=lambda index: -fitness[index])[:per_cluster]
    return chosen


# --- fitness ---

#: Fitness at the target length, and the least distance from the seeds, where the paper's formulas
#: divide by 0.
AT_TARGET, NEAREST = 2.0, 1e-9


@dataclass(frozen=True)
class Fitness:
    """Computes the fitness of failed problems by the measure that `SearchSettings` names."""

    settings: SearchSettings
    embed: Embed

    def of(self, trees: Sequence[Expression]) -> list[float]:
        """Compute the fitness of formulas that a model failed to integrate.

        Args:
            trees: the formulas.

        Returns:
            The fitness of each formula. A larger number means fitter.

        >>> from .embedding import embedding
        >>> Fitness(SearchSettings(), embedding("ngrams")[0]).of([read("x + 1")])
        [0.2]

        """
        if self.settings.fitness == "distance":
            return self._near_seeds(trees)
        return [self._of_text(text(tree)) for tree in trees]

    def _of_text(self, words: str) -> float:
        settings = self.settings
        if settings.fitness == "trig" and not any(name in words for name in TRIGONOMETRIC):
            return 0.0
        if settings.fitness != "target" or settings.target is None:
            return 1 / len(words)
        off = abs(len(words) - settings.target)
        if settings.variant == "code":
            return 1 / (1 + off)
        return 1 / off if off else AT_TARGET

    def _near_seeds(self, trees: Sequence[Expression]) -> list[float]:
        if not trees:
            return []
        own, seeds = self.embed(trees), self.embed([read(seed) for seed in self.settings.seeds])
        cosines: Floats = (own @ seeds.T).max(axis=1)
        if self.settings.variant == "code":
            return [float(value) for value in cosines]
        nearest = np.sqrt(np.maximum(2 - 2 * cosines, 0.0))  # the vectors have length 1
        return [float(1 / max(value, NEAREST)) for value in nearest]
