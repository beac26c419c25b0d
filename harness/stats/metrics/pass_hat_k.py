"""pass^k: the chance that k samples are all correct (Yao et al., "tau-bench" (2024), section 4)."""

from __future__ import annotations

from .pass_at_k import pass_at_k
from .registry import metric


@metric("pass^k", interval="clusters", ranked=False, shown="never", column="all_at_k")
def all_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass^k, the chance that k samples are all correct: C(c,k)/C(n,k).

    `pass_at_k` with n - c instead of c is the chance that at least one of k samples is wrong.
    pass^k is 1 minus this chance.
    """
    return 1.0 - pass_at_k(n, n - c, k)
