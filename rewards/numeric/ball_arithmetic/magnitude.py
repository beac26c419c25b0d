"""Binary orders of magnitude of balls."""

from __future__ import annotations

import math
from typing import Any

#: Larger binary orders of magnitude are clipped.
HUGE = 2**1000


def log2(size: Any) -> float:
    """Binary order of magnitude of an exact non-negative arb.

    Its exponent may be astronomical: finite orders are whole numbers, so that their differences
    are exact.
    """
    if size.is_zero():
        return -math.inf
    if not size.is_finite():
        return math.inf
    mantissa, exponent = size.mid().man_exp()
    order = int(mantissa).bit_length() + int(exponent)
    return max(-HUGE, min(HUGE, order))
