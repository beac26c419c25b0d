"""pass@k: the chance that at least one of k samples is correct.

Chen et al., "Evaluating Large Language Models Trained on Code" (2021), section 2.1.
"""

from __future__ import annotations

import math
from functools import lru_cache

from .registry import metric


@metric("pass@k", interval="clusters")
@lru_cache(maxsize=1 << 16)
def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass@k from ``c`` correct samples among ``n``: 1 - C(n-c,k)/C(n,k).

    The estimate is a product of ratios, as in figure 3 of Chen et al. Binomial coefficients could
    overflow, and the subtraction could lose digits. The formula is symmetric in c and k. The
    product therefore needs only min(c, k) factors.
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@k needs 0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")
    if n - c < k:
        return 1.0
    few, many = sorted((c, k))
    return 1.0 - math.prod(1.0 - many / i for i in range(n - few + 1, n + 1))
