"""The test whether two numbers, known as balls, are equal. All modules use this test.

Disjoint balls prove that the numbers differ. If two balls overlap, the numbers may still differ by
less than the width of the balls. Such numbers count as equal if they agree to enough bits:

- `POINT_BITS` if functions are compared at random points. Two different analytic functions agree to
  64 bits at a random point with a probability of about 2**-64. Every caller compares at several
  points.
- `VALUE_BITS` if two closed forms are compared. There is no random point, and the author of the
  answer may have known the value. A text of a hundred characters cannot be fitted to 300 digits.
- More bits than the text of a closed form could encode, if the closed form is compared with a
  computed number (`rewards.numeric.quadrature.closed_form`).

Bits are relative to the expected number. If the expected number may be zero because terms cancel,
bits are relative to the size of these terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from .jets import ZERO, Ball
from .magnitude import log2

#: Bits to which functions agree at a point (19 decimal digits).
POINT_BITS: Final = 64
#: Bits to which two closed forms agree (300 decimal digits).
VALUE_BITS: Final = 1000
#: log2 of the size beside which a number that may be zero is compared, if its terms are not known:
#: a power of two below the coefficients that people write, so that an error that is smaller by
#: `POINT_BITS` is no coefficient.
SMALLEST: Final = -32


class Agreement(NamedTuple):
    """The result of the comparison of two numbers.

    Attributes:
        same: False if the numbers are proved to differ, True if they agree to the required number
            of bits, and None if the balls do not decide.
        bits: the number of relative bits of agreement.
        difference: the difference of the two balls. If one ball is not finite, the difference is
            not finite.

    """

    same: bool | None
    bits: float
    difference: Ball


def compare(
    got: Ball,
    expected: Ball,
    *,
    enough: float = POINT_BITS,
    scale: Callable[[], float] = lambda: SMALLEST,
) -> Agreement:
    """Compare two numbers.

    Args:
        got: the ball of the computed number.
        expected: the ball of the expected number. Bits of agreement are relative to this number.
        enough: the number of bits of agreement that counts as equality.
        scale: a function that returns log2 of a size. If the expected number may be zero, bits of
            agreement are relative to this size instead.

    Returns:
        Whether the numbers are equal, and the bits of agreement.

    """
    difference = got - expected
    if not difference.is_finite():
        return Agreement(None, 0.0, difference)
    apart = not difference.contains(ZERO)
    # Balls that meet agree to the accuracy that both have.
    bits = 0.0 if apart else float(min(got.rel_accuracy_bits(), expected.rel_accuracy_bits()))
    if bits < enough:
        size = scale() if expected.contains(ZERO) else log2(expected.abs_lower())
        gap = log2(difference.abs_upper())
        bits = max(bits, size - gap) if math.isfinite(gap) else -gap
    if apart:
        return Agreement(False, bits, difference)
    return Agreement(True if bits >= enough else None, bits, difference)


def differ(got: Ball, expected: Ball) -> bool:
    """Whether two numbers are proved to differ, because their balls are disjoint."""
    difference = got - expected
    return bool(difference.is_finite() and not difference.contains(ZERO))
