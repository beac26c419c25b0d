"""Resampling whole clusters: what every bootstrap interval here is made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Draws of up to so many numbers are kept for the next interval over as many clusters.
_KEPT = 4_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Clusters:
    """The cluster of every value, numbered from 0 to ``count`` in the order in which they come."""

    which: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, names: Labelled) -> Clusters:
        """Number them, where that was not done."""
        if isinstance(names, Clusters):
            return names
        index = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return cls(np.array([index[name] for name in names], dtype=np.int64), len(index))


#: The cluster of every value, by its name or numbered once for many calls.
Labelled: TypeAlias = Sequence[Hashable] | Clusters


def cluster_sums(columns: Sequence[Sequence[float]], clusters: Labelled) -> tuple[Floats, Floats]:
    """The sum of each column within each cluster (clusters x columns), and the clusters' sizes."""
    numbered = Clusters.of(clusters)
    which, count = numbered.which, numbered.count
    sums = [
        np.bincount(which, weights=np.asarray(column, dtype=float), minlength=count)
        for column in columns
    ]
    return np.stack(sums, axis=1), np.bincount(which, minlength=count).astype(float)


def resampled(sums: Floats, seed: int, resamples: int) -> Floats:
    """The column sums of samples of rows drawn with replacement."""
    count = len(sums)
    if count * resamples <= _KEPT:
        return np.asarray(_kept_times(count, seed, resamples) @ sums)
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


@lru_cache(maxsize=4)
def _kept_times(count: int, seed: int, resamples: int) -> Floats:
    # The same draws serve every k and both directions: cheaper, and their differences less noisy.
    return np.concatenate(list(_times(count, seed, resamples)))
