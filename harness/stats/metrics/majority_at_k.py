"""maj@k: the chance that the most frequent of k answers is correct.

Wang et al., "Self-Consistency Improves Chain of Thought Reasoning in Language Models" (2023),
section 2. Mathematically equal answers are first put in a group (`stats.answer_groups`). Grouping
takes long; maj@k is therefore not in the standard tables. ``run.py report --majority`` shows maj@k.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import numpy as np

#: Subsets of the samples over which a majority vote is averaged.
VOTES = 2_000


def majority_at_k(answers: Sequence[Hashable | None], correct: Sequence[bool], k: int) -> float:
    """Compute maj@k, the chance that the most frequent answer among k random samples is correct.

    ``answers`` has the group of each sample's answer (`stats.answer_groups`). A sample with the
    group None has no vote. A tie between groups is decided by lot. The chance is the mean over all
    subsets of k samples. If there are more than `VOTES` subsets, `VOTES` random subsets are used.
    """
    n = len(answers)
    if not 1 <= k <= n or len(correct) != n:
        raise ValueError(f"maj@k needs 1 <= k <= n and a verdict on each, not n={n}, k={k}")
    subsets: Iterable[Sequence[int]]
    # Exact over all subsets where there are few; else a fixed sample, for the same value in every
    # report.
    if math.comb(n, k) <= VOTES:
        subsets = list(combinations(range(n), k))
    else:
        generator = np.random.default_rng(0)
        subsets = [generator.permutation(n)[:k].tolist() for _ in range(VOTES)]
    shares = []
    for subset in subsets:
        votes = Counter(answers[i] for i in subset if answers[i] is not None)
        # Ties are broken at random: each winner has an equal share.
        top_count = max(votes.values(), default=0)
        winners = {answer for answer, count in votes.items() if count == top_count}
        right = {answers[i] for i in subset if correct[i]}
        shares.append(len(winners & right) / len(winners) if winners else 0.0)
    return math.fsum(shares) / len(shares)
