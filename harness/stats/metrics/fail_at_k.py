"""Fail@k: the share of problems with no correct answer among the k best candidates.

Welleck et al., "Symbolic Brittleness in Sequence Models" (2022), section 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from .pass_at_k import pass_at_k
from .registry import metric


@metric("Fail@k", direction="lower", interval="clusters", ranked=True)
def none_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of the chance of k wrong samples: 1 - pass@k.

    The estimate uses ``n`` samples with ``c`` correct samples.
    """
    return 1.0 - pass_at_k(n, c, k)


def fail_at_k(ranked: Sequence[bool], k: int) -> float:
    """Return 1 if the k best-ranked candidates are all wrong, else 0."""
    if k < 1:
        raise ValueError(f"Fail@k needs k >= 1, not {k}")
    return float(not any(ranked[:k]))
