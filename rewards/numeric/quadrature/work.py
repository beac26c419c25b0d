"""Counted work, with one limit for everything that a call computes.

Units are operations on balls. The count is deterministic, so a verdict does not depend on how busy
the machine is. Like python-flint's precision, the count is global to the process. Each computation
holds the lock of the precision (`precision`). This lock guards the count, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flint import arb, ctx

from ..ball_arithmetic.magnitude import BITS_PER_DIGIT

#: Operations that one integral may take: about 1.5 seconds.
ONE_INTEGRAL = 1_500_000
#: Operations that one call may take, for all choices of parameters and all digits.
ONE_CALL = 5_000_000
#: What a special function counts for: at 512 bits K takes 24 times as long as an operation
#: (0.44 us), digamma and Ei 105 times, Li2 140, zeta 520.
SPECIAL = 25
#: Bits up to which an operation counts as one, which 60 digits take.
BITS = 512
#: Digits of the wanted ones that a computation may lose and still count: terms that are 10^5 times
#: as large as their sum may cancel before a value is refused.
LOST_DIGITS = 5


class QuadratureError(ValueError):
    """The integral cannot be computed. The message says why."""


class WorkError(QuadratureError):
    """The limit of the counted work is reached."""


_limits: list[int] = []


def target_bits(digits: int) -> int:
    """The accuracy, in bits relative to 1, that an enclosure needs for ``digits`` decimal digits.

    16 bits are added because up to 2^16 terms are rounded.
    """
    return int(BITS_PER_DIGIT * digits) + 16


def working_bits(digits: int) -> int:
    """The precision, in bits, for adding values that must be known to ``digits`` digits.

    A digit needs less than four bits. If terms cancel, 128 additional bits preserve the digits.
    """
    return 128 + 4 * digits


def model_bits(accuracy: int) -> int:
    """The precision, in bits, for calculations with series.

    Half of the bits may be lost in reciprocals and by cancelling terms.
    """
    return 2 * accuracy + 64


def tolerance(digits: int) -> arb:
    """The largest relative error that a value with ``digits`` known digits may have."""
    return arb(10) ** (LOST_DIGITS - digits)


@contextmanager
def work_limit(operations: int) -> Iterator[None]:
    """Limit the counted operations within a ``with`` block. Outer limits still hold."""
    allowed = min(operations, _limits[-1]) if _limits else operations
    _limits.append(allowed)
    try:
        yield
    finally:
        spent = allowed - _limits.pop()
        if _limits:
            _limits[-1] -= spent


def spend(operations: int) -> None:
    """Count operations against the limit. An operation at more than `BITS` bits counts several
    times.

    Raises:
        WorkError: the limit is exceeded.

    """
    if _limits:
        _limits[-1] -= operations * max(1, ctx.prec // BITS)
        if _limits[-1] < 0:
            raise WorkError("the integral takes more work than is allowed")
