"""Resampling whole clusters: what every bootstrap interval here is made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Draws of up to so many numbers are kept for the next interval over as many clusters.
_KEPT = 4_000_000


def cluster_sums(
    columns: Sequence[Sequence[float]], clusters: Sequence[Hashable]
) -> tuple[Floats, Floats]:
    """The sum of each column within each cluster (clusters x columns), and the clusters' sizes."""
    index = {cluster: i for i, cluster in enumerate(dict.fromkeys(clusters))}
    which = np.array([index[cluster] for cluster in clusters], dtype=np.int64)
    sums = [
        np.bincount(which, weights=np.asarray(column, dtype=float), minlength=len(index))
        for column in columns
    ]
    return np.stack(sums, axis=1), np.bincount(which, minlength=len(index)).astype(float)


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
