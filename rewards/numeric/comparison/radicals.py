r"""The branches of an integrand's own radicals.

The roots of a printed integrand are principal. On a part of the line, an answer may be right for
another branch only. An example is the answer ``2\sqrt{\sin x}`` to the integrand ``\sqrt{\csc
x-\sin x}``. To evaluate the integrand on another branch, this module multiplies its radicals by
roots of unity.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache

from flint import acb, arb, ctx

from ..ball_arithmetic.balls import Tape
from ..ball_arithmetic.jets import Ball

#: Sign changes that are tried at a point.
MAX_BRANCHES = 64
#: Evaluations on intervals for the sign of one radicand; callers count as many.
EVALUATIONS = 64

#: For each radical that is not principal: its slot, and k, n of its factor exp(2 pi i k/n).
Choice = tuple[tuple[int, int, int], ...]


def choices(tape: Tape, likeliest: Choice | None = None) -> Iterator[Choice]:
    """Yield all choices of branches for the roots in the integrand. ``likeliest`` comes first.

    The choice in which all roots take the principal branch is left out.
    """
    if likeliest is not None:
        yield likeliest
    orders = [range(min(order, MAX_BRANCHES)) for _, order, _ in tape.radicals]
    for powers in itertools.islice(itertools.product(*orders), 1, MAX_BRANCHES):
        choice = tuple(
            (slot, k, order) for k, (slot, order, _) in zip(powers, tape.radicals, strict=True) if k
        )
        if choice != likeliest:
            yield choice


def value(tape: Tape, x: Ball, values: Mapping[str, Ball], choice: Choice) -> Ball:
    """The value of the integrand at ``x``, if its roots take the branches in ``choice``."""
    overrides = {slot: _unity(k, order, ctx.prec) for slot, k, order in choice}
    return tape.run(x, values, derivative=False, overrides=overrides)[tape.root][0]


@lru_cache(maxsize=256)  # roots of a few orders, at the precisions of a search
def _unity(k: int, order: int, bits: int) -> Ball:
    return acb(arb(2 * k) / order).exp_pi_i()


def always_positive(
    tape: Tape, slot: int, values: Mapping[str, Ball], low: float, high: float
) -> bool:
    """Whether a sub-expression, given by its slot, is proved finite and positive on [low, high].

    The proof may use at most `EVALUATIONS` evaluations.
    """
    queue = [(low, high)]
    for _ in range(EVALUATIONS):
        if not queue:
            return True
        a, b = queue.pop()
        ball = acb(arb(a).union(arb(b)))
        value = tape.run(ball, values, derivative=False, until=slot)[slot][0]
        if not (value.is_finite() and value.imag.contains(0) and value.real > 0):
            middle = (a + b) / 2
            queue += [(a, middle), (middle, b)]
    return False


def is_negative(tape: Tape, slot: int, values: Mapping[str, Ball], low: float, high: float) -> bool:
    """Whether a sub-expression, given by its slot, is proved negative at a point of (low, high).

    31 points are tried.
    """
    # Halved five times: a range on which the slot is negative is not missed if it is 1/16 as long.
    points = (acb(low + (high - low) * step / 32) for step in range(1, 32))
    return any(
        tape.run(point, values, derivative=False, until=slot)[slot][0].real < 0 for point in points
    )
