"""The single equality of numbers known as balls."""

from __future__ import annotations

import math

import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compare import (
    POINT_BITS,
    SMALLEST,
    VALUE_BITS,
    compare,
    differ,
)


def _ball(middle: object, radius_bits: int) -> acb:
    return acb(arb(middle) + arb(0, arb(2) ** radius_bits))


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (_ball(1, -80), _ball(1, -80), True),
        (_ball(1, -50), _ball(1, -80), None),  # they meet, but are known too little
        (_ball(2**100, 20), _ball(2**100, 20), True),  # relative to their size
        (_ball(2**100, 60), _ball(2**100, 60), None),
        (_ball(1, -80), _ball(2, -80), False),
        (acb(3), acb(3), True),
        (_ball(0, SMALLEST - POINT_BITS - 8), acb(0), True),  # no coefficient that people write
        (_ball(0, SMALLEST - POINT_BITS + 8), acb(0), None),
        (acb("nan"), acb(1), None),
        (acb(1), acb("inf"), None),
        (acb(1, 1), acb(1, 1), True),
        (acb(1, 1), acb(1, -1), False),
    ],
)
def test_numbers_are_the_same_different_or_neither(
    got: acb, expected: acb, same: bool | None
) -> None:
    with precision(256):
        assert compare(got, expected).same is same
        assert differ(got, expected) is (same is False)


def test_a_number_that_may_be_zero_is_compared_with_the_terms_that_cancel() -> None:
    small = _ball(0, -100)
    with precision(256):
        assert compare(small, acb(0), scale=lambda: 0).same is True
        assert compare(small, acb(0), scale=lambda: -60).same is None
        assert compare(acb(1), acb(0), scale=lambda: 0).same is False


def test_exact_numbers_agree_to_any_number_of_bits() -> None:
    assert compare(acb(3), acb(3), enough=math.inf).bits == math.inf
    assert compare(acb(0), acb(0), enough=VALUE_BITS).same is True


@given(st.integers(-40, 40), st.integers(-200, -1), st.integers(1, 2**30))
def test_no_number_is_the_same_as_two_that_differ(size: int, gap: int, middle: int) -> None:
    """Whatever the radii: a difference is never an agreement beyond the bits of the difference."""
    with precision(512):
        a = acb(arb(middle) * arb(2) ** size)
        b = a * (1 + arb(2) ** gap)
        wide = acb(a.real + arb(0, (abs(b) * arb(2) ** gap).upper()))
        assert compare(a, b).same is False
        agreement = compare(wide, b, enough=-gap + 2)
        assert agreement.same is not True
        assert agreement.bits <= -gap + 2
