"""How long counting and comparing take on a million samples: `python tests/perf/counting.py`.

Four models, five subsets (an original and four perturbations of it), 64 samples of each problem:
pass@1, 4, 16 and 64 and pass^k with intervals from 2,000 resamples, every perturbation against its
originals, every two models on every subset. What is read from disk is not counted.
"""

from __future__ import annotations

import itertools
import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from harness.comparison import Pair, contrast, pair_problems, with_family
from harness.metrics import Tally, all_at_k, estimate

MODELS, SUBSETS, SAMPLES, PROBLEMS = 4, 5, 64, 782
KS = (1, 4, 16, 64)


def main() -> None:
    generator = np.random.default_rng(0)
    chance = generator.beta(0.7, 0.9, size=PROBLEMS)
    tallies: dict[tuple[int, int], dict[str, Tally]] = {}
    for model, subset in itertools.product(range(MODELS), range(SUBSETS)):
        correct = generator.binomial(SAMPLES, chance * (1 - 0.1 * subset) * (1 - 0.05 * model))
        tallies[model, subset] = {
            f"p{i}": Tally(f"p{i}", f"p{i}", SAMPLES, int(c), 0) for i, c in enumerate(correct)
        }
    print(f"{MODELS * SUBSETS * PROBLEMS * SAMPLES:,} samples")

    start = time.process_time()
    for found in tallies.values():
        for k in KS:
            estimate(list(found.values()), k)
            estimate(list(found.values()), k, metric=all_at_k)
    print(f"metrics with intervals: {time.process_time() - start:.1f} s")

    start = time.process_time()
    for model in range(MODELS):
        originals = tallies[model, 0]
        pairs = [
            [Pair(key, key, (originals[key],), (tally,)) for key, tally in found.items()]
            for subset in range(1, SUBSETS)
            for found in [tallies[model, subset]]
        ]
        rows = [contrast(str(i), ("a", "b"), found, KS) for i, found in enumerate(pairs)]
        with_family(rows, pairs, 1, 0.05)
    print(f"perturbations against originals: {time.process_time() - start:.1f} s")

    start = time.process_time()
    pairs = [
        pair_problems(tallies[one, subset], tallies[other, subset])
        for one, other in itertools.combinations(range(MODELS), 2)
        for subset in range(SUBSETS)
    ]
    rows = [contrast(str(i), ("a", "b"), found, KS) for i, found in enumerate(pairs)]
    with_family(rows, pairs, 1, 0.05)
    print(f"models against each other: {time.process_time() - start:.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
