"""The one equality: whether two numbers that are known as balls are the same.

Balls that do not meet are different numbers; that is a proof. Balls that meet leave open how the
numbers differ by less than the balls are wide, and the policy of agreement says when that is little
enough to call them the same:

- `POINT_BITS` where functions are compared at random points. Two analytic functions that are not
  the same agree to 64 bits at a point that was drawn without knowledge of them with a probability
  of about 2**-64, and each use asks for several points.
- `VALUE_BITS` where two closed forms are compared: they have no random point, and whoever wrote one
  knew the other. 300 digits are more than a text of a hundred characters can be fitted to.
- The digits that the text of a closed form could encode, and some more, where the other number has
  no closed form (`rewards.numeric.quadrature.closed_form`).

Bits are relative to the expected number; where that may be zero, to the terms that cancel in it.
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
    """How two numbers compare.

    Attributes:
        same: False if they are proved to differ, True if they agree to as many bits as were asked
            for, None if neither is known.
        bits: relative bits to which they agree.
        difference: the difference of the two balls; not finite if one ball is not.

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
        got: a ball.
        expected: a ball; bits are relative to its number.
        enough: bits of agreement that count as equality.
        scale: computes log2 of the size to which bits are relative if the expected number may be
            zero.

    Returns:
        Whether both are the same, with the bits of agreement.

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
    """Whether two numbers are proved to differ."""
    difference = got - expected
    return bool(difference.is_finite() and not difference.contains(ZERO))
