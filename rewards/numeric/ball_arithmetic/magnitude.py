"""Binary orders of magnitude of balls."""

from __future__ import annotations

import math
from typing import Any

#: Bits of a decimal digit: log2(10) = 3.3219..., rounded up.
BITS_PER_DIGIT = 3.33
#: Decimal digits of a bit: log10(2), rounded up.
DIGITS_PER_BIT = 0.30103
#: Larger binary orders of magnitude are clipped.
HUGE = 2**1000


def log2(size: Any) -> float:
    """The binary order of magnitude of an exact non-negative number: the least integer n with
    number < 2^n.

    The order may be astronomically large. The order of 0 is -inf. Every finite order is a whole
    number. Therefore differences of orders are exact.
    """
    if size.is_zero():
        return -math.inf
    if not size.is_finite():
        return math.inf
    mantissa, exponent = size.mid().man_exp()
    order = int(mantissa).bit_length() + int(exponent)
    return max(-HUGE, min(HUGE, order))
