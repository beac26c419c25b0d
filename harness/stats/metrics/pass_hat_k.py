"""pass^k: the chance that k samples are all correct (Yao et al., "tau-bench" (2024), section 4)."""

from __future__ import annotations

from .pass_at_k import pass_at_k
from .registry import metric


@metric("pass^k", interval="clusters", ranked=False, shown="never", column="all_at_k")
def all_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of the chance that k samples are all correct: C(c,k)/C(n,k).

    ``c`` of the ``n`` samples are correct. The estimate is 1 - pass@k, with correct and wrong
    samples exchanged.
    """
    return 1.0 - pass_at_k(n, n - c, k)
