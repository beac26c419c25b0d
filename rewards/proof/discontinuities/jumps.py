"""Jumps of an antiderivative where the integrand is bounded, and values at breakpoints."""

from __future__ import annotations

from flint import acb, arb, ctx

from ...numeric.ball_arithmetic.balls import Break, precision
from ...numeric.ball_arithmetic.jets import ZERO, Ball, Jet
from ...numeric.ball_arithmetic.magnitude import log2
from ...numeric.comparison.at_points import Comparison
from ...verdict import Witness

#: The two sides are so far from the place; f is also seen from further off, relative to 1 + |x|.
NEAR, FAR = arb(2.0**-300), arb(2.0**-20)
#: Without an enclosure, f is bounded at the place if it grows by less from far to near.
GROWTH = 4
#: A jump exceeds what f could account for by this factor.
EXCESS = 16

#: Values that are smaller by so much may hide a jump from the first precision, of 512 bits.
TINY = arb(2) ** -64


def jump(
    comparison: Comparison, low: Ball, high: Ball, magnitude: int = 0, *, real: bool = False
) -> tuple[Witness | None, bool]:
    """The values of the answer F to the left and right of [low, high], if F provably jumps there.

    The first result is None in the following cases: F seems continuous, the integrand f is
    unbounded or not real, or F has no value there. The second result is False if F has values, but
    no precision decides whether they show a jump.

    Args:
        comparison: the answer F and the integrand f.
        low: the lower end of the interval.
        high: the upper end of the interval.
        magnitude: log2 of the size of f near the interval. If f is larger, the points must be
            closer.
        real: whether to ignore the imaginary part of F, so that ``ln u`` means ``ln|u|`` for a
            negative u. In this case, F' may be -f on one side.

    """
    at, answer = comparison, comparison.tape
    # Precision doubles, and once more by a factor of 4, where the values do not decide. The step is
    # 2^(-2 magnitude): twice as many bits for x, and as many again for values beside each other.
    is_clear, scale = True, 1 + abs(low)
    for bits in (512, 1024, 4096):
        # Beside a large x, the values of F may be as large.
        with precision(bits + 4 * magnitude + int(log2(scale.upper()))):
            step = max(NEAR * arb(2) ** (-2 * magnitude), 2 * (high - low))
            far = max(FAR * scale, 2 * step)
            left, right = acb((low - step).mid()), acb((high + step).mid())
            sizes = _size(at, left, right)
            further = _size(at, acb((low - far).mid()), acb((high + far).mid()))
            between = enclosure(at, left, right)
            if sizes is None or further is None:
                return None, True
            grows = between is None and _grows(sizes, further)
            if grows:
                return None, True
            if grows is None:
                is_clear = False
                continue  # 0/(x^2 - 2)^2 is huge if few bits tell the numerator from zero
            bound = sizes[1]
            value_left, value_right = (
                at.run(answer, x, derivative=False)[answer.root][0] for x in (left, right)
            )
            gap = value_right - value_left
            if not gap.is_finite():
                continue  # 1 - sin(x)^2 so near to a pole of the secant takes more bits
            gap = acb(gap.real) if real else gap
            # What f accounts for: its enclosure over the interval, or else its size at the ends.
            if real or between is None:
                largest = bound if between is None else max(bound, between.abs_upper())
                allowed = EXCESS * step * largest
            else:
                gap, allowed = gap - between * (right - left), arb(0)
            if gap.abs_lower() > allowed:
                # As many digits as a double has.
                witness = Witness(
                    point=f"{answer.variable}={left.real.str(15)} and just above",
                    expected=value_left.str(15),
                    got=value_right.str(15),
                )
                return witness, True
            is_clear = False
            if gap.abs_upper() <= 2 * allowed + arb(2) ** (-bits // 2):
                return None, True
    return None, is_clear


def is_unbounded(comparison: Comparison, low: Ball, high: Ball) -> bool:
    """Whether the integrand grows near [low, high], and has no finite enclosure on [low, high]."""
    step = 2 * (high - low) + NEAR * (1 + abs(low))
    grows = None
    for bits in (512, 2048):  # an angle that is 1/x^2 takes many
        with precision(bits):
            near, far = (
                _size(comparison, acb((low - distance).mid()), acb((high + distance).mid()))
                for distance in (step, step / FAR)
            )
            grows = None if near is None or far is None else _grows(near, far)
        if grows is not None:
            break
    return bool(grows) and enclosure(comparison, acb(low), acb(high)) is None


def has_another_value(
    comparison: Comparison, low: Ball, high: Ball, brk: Break, bound: Ball
) -> bool:
    """Whether an answer F may differ from f at its breakpoint, at which f does not break.

    An example: ``sgn(x)^2`` is 0 at 0, and else 1.

    Args:
        comparison: F compared with f.
        low: the lower end of a small interval around the breakpoint.
        high: the upper end.
        brk: the argument that passes zero or a whole number at the breakpoint.
        bound: the least difference that counts.

    """
    at, tape, x = comparison, comparison.tape, acb(low.union(high))
    expected = at.integrand(x)
    if expected is None or not expected.is_finite():
        return False  # f has no value
    if at.pool.tape.breaks and expected.rad() > bound:
        return False  # f has a step
    # At a zero of u, sgn u is 0, and u/|u| has no value.
    overrides = {brk.slot: ZERO} if brk.at == "zero" else None
    x = ZERO if overrides and brk.slot == tape.symbols.get(tape.variable) else x
    at.budget.spend(tape.work(ctx.prec))
    value = tape.run(x, at.values, derivative=False, overrides=overrides)[tape.root][0]
    return bool(value.is_finite()) and not (value - expected).abs_upper() <= bound


def enclosure(comparison: Comparison, left: Ball, right: Ball) -> Ball | None:
    """A ball (complex interval) that contains all values of the integrand on an interval.

    If the integrand is infinite or not real there, the result is None.
    """
    value = comparison.integrand(acb(left.real.union(right.real))) or ZERO
    return value if value.is_finite() and value.imag.contains(0) else None


def _grows(near: tuple[Ball, Ball], far: tuple[Ball, Ball]) -> bool | None:
    """Whether one size is much larger than another, or None if the bounds do not tell."""
    if near[0] > GROWTH * far[1] + GROWTH:
        return True
    return None if near[1] > GROWTH * far[1] + GROWTH else False


def _size(comparison: Comparison, *points: Ball) -> tuple[Ball, Ball] | None:
    r"""Bounds of the largest |f| at the points, for the integrand f.

    The result is None if f is infinite or not real.
    """
    lowest = highest = arb(0)
    for x in points:
        value = comparison.integrand(x)
        if value is None:
            continue
        if not (value.is_finite() and value.imag.contains(0)):
            return None
        lowest = max(lowest, value.abs_lower())
        highest = max(highest, value.abs_upper())
    return lowest, highest


def is_tiny(jet: Jet) -> bool:
    """Whether a value is so small that it may hide a jump."""
    value, _ = jet
    return bool(value.abs_upper() < TINY)


def is_level(jet: Jet) -> bool:
    """Whether a derivative may be zero."""
    value, slope = jet
    return bool(value.is_finite() and (slope is None or slope.contains(ZERO)))
