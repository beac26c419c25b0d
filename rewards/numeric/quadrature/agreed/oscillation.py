"""Integrals over infinite ranges on which the integrand oscillates, by extrapolation over periods.

The partial integrals over whole periods of the phase form a sequence. Levin's u transformation
extrapolates the limit of this sequence (Levin 1973; Weniger 1989, section 7).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from ....reading.expression.traversal import nodes_of, symbols_of
from ....reading.expression.tree import Call, Expression
from ....reading.functions import names
from ...ball_arithmetic.balls import Tape, precision
from ...ball_arithmetic.compiler import compile_tape
from ...ball_arithmetic.jets import Ball
from ..line import RealLine
from ..work import QuadratureError
from .nodes import gauss_legendre
from .piece import AGREEMENT

#: Functions that oscillate where their argument grows.
_PERIODIC = names(lambda function: function.oscillates)
#: Where the growth of phases is looked at, as powers of two.
FAR, FARTHER = 40, 80
#: Periods for each wanted digit, whose integrals are extrapolated; and the share of the periods
#: from which a second extrapolation checks the first.
PERIODS_PER_DIGIT, CHECKED = 1.0, 0.85
#: Digits to which the integrals over periods are known.
PERIOD_DIGITS = 55
#: Bits for a period: the extrapolation loses about a digit with each.
BITS_PER_PERIOD = 9
#: Largest multiple of the slowest phase that another may be.
MAX_MULTIPLE = 12
#: Bits at which phases are compared at 2^FARTHER: their quotients are known to 2^-170.
PHASE_BITS = 256
#: Growth of a phase from 2^FAR to 2^FARTHER that has periods in x: a power x^p with p > 1/4 grows
#: by more, ln x by 2; the latter is left to `ends`, where f is not smooth in ln x.
GROWTH = 2**10
#: Two phases are multiples of a common phase if the logarithm of their ratio differs by at most
#: `MULTIPLE_ERROR` from the logarithm of a rational number. A ratio over e^`APART` = 8103 is no
#: ratio of two multiples up to `MAX_MULTIPLE`.
MULTIPLE_ERROR, APART = 1e-9, 9
#: Newton steps for a point of given phase: from one digit on, digits double, so that twelve steps
#: reach the most bits. The other steps are for a start far from the point.
NEWTON_STEPS = 60


@dataclass(frozen=True, slots=True)
class OscillationPhase:
    """The common phase of all oscillations of an integrand f as x tends to plus or minus infinity.

    The phases of f are the arguments of the periodic functions in f. For large x, all phases are
    whole multiples of a common phase.

    Attributes:
        tape: the slowest phase as a function of x.
        divisor: the slowest phase divided by the common phase.
        multiple: the fastest phase, in units of the common phase.

    """

    tape: Tape
    divisor: int
    multiple: int

    def at(self, x: arb, values: Mapping[str, Ball]) -> tuple[arb, arb]:
        """The common phase at x, and its derivative."""
        value, slope = self.tape.run(acb(x), values)[self.tape.root]
        return value.real / self.divisor, (
            slope.real if slope is not None else arb(0)
        ) / self.divisor


def phase(
    expression: Expression, variable: str, values: Mapping[str, Ball], side: int
) -> OscillationPhase | None:
    """Find the phase of an integrand that oscillates towards ``side`` times infinity.

    The result is None if the integrand does not oscillate there.

    Raises:
        QuadratureError: the phases have no common period.

    """
    arguments = {
        node.args[-1]
        for node in nodes_of(expression)
        if isinstance(node, Call)
        and node.function in _PERIODIC
        and variable in symbols_of(node.args[-1])
    }
    # Only an argument that grows towards the end makes the integrand oscillate there.
    growing: list[tuple[float, Tape]] = []
    with precision(PHASE_BITS):
        for argument in arguments:
            tape = compile_tape(argument, variable)
            near, far = (
                abs(tape.run(acb(side * arb(2) ** k), values, derivative=False)[tape.root][0])
                for k in (FAR, FARTHER)
            )
            if far > GROWTH * near:
                growing.append((float(far.log()), tape))
    if not growing:
        return None
    # All arguments must be rational multiples of the slowest, so that there is a common period.
    growing.sort(key=lambda pair: pair[0])
    base, slowest = growing[0]
    ratios = [
        Fraction(math.exp(size - base)).limit_denominator(MAX_MULTIPLE)
        if size - base < APART
        else None
        for size, _ in growing
    ]
    divisor = math.lcm(*(ratio.denominator for ratio in ratios if ratio))
    multiple = max((int(ratio * divisor) for ratio in ratios if ratio), default=0)
    incommensurable = any(
        ratio is None or abs(math.log(ratio) - (size - base)) > MULTIPLE_ERROR
        for ratio, (size, _) in zip(ratios, growing, strict=True)
    )
    if incommensurable or multiple > MAX_MULTIPLE:
        raise QuadratureError("the integrand oscillates without a common period")
    return OscillationPhase(slowest, divisor, multiple)


def tail(
    line: RealLine, phase: OscillationPhase, start: arb, side: int, digits: int
) -> tuple[arb, arb]:
    """The integral from a point T to infinity, and the point T itself.

    T is ``start`` or lies a little beyond ``start``.

    Raises:
        QuadratureError: the extrapolated values do not agree to `AGREEMENT` digits.

    """
    periods = int(PERIODS_PER_DIGIT * digits)
    with precision(BITS_PER_PERIOD * periods):
        edges, first_number = _edges(line, phase, start, side, periods)
        terms = [
            side * _period(line, low, high, 2 * phase.multiple)
            for low, high in itertools.pairwise(edges)
        ]
        value = levin_u(terms, first_number)
        check_value = levin_u(terms[: int(CHECKED * periods)], first_number)
        gap = abs(value - check_value).upper()
        scale = max(abs(value).mid(), abs(terms[0]).mid())
        if not gap <= arb(10) ** -AGREEMENT * scale:
            raise QuadratureError("the oscillating tail does not settle")
        error = max(gap, arb(10) ** -PERIOD_DIGITS * scale)
        return arb(value.mid()) + arb(0, error.upper()), edges[0]


def _edges(
    line: RealLine, phase: OscillationPhase, start: arb, side: int, periods: int
) -> tuple[list[arb], int]:
    """Find points after ``start`` at intervals of one period. Also return the number of the first
    point.

    The phase at a point is plus or minus 2 pi times the number of the point. The returned
    number is at least 1.
    """
    x = start
    value, slope = phase.at(x, line.values)
    turn = 2 * arb.pi()
    direction = 1 if bool(slope * side > 0) else -1
    count = int(float((direction * value / turn).ceil().mid())) + 1
    edges = []
    for k in range(periods + 1):
        target = direction * turn * (count + k)
        for _ in range(NEWTON_STEPS):
            value, slope = phase.at(x, line.values)
            line.spent += phase.tape.size
            step = (target - value) / slope
            if not step.is_finite():
                raise QuadratureError("the phase of the oscillation is not monotone")
            x = arb((x + step).mid())
            if abs(step) < arb(2) ** (-ctx.prec // 2) * (1 + abs(x)):
                break
        edges.append(x)
    return edges, max(count, 1)


def _period(line: RealLine, low: arb, high: arb, panels: int) -> arb:
    total = arb(0)
    step = (high - low) / panels
    for k in range(panels):
        middle = low + (k + arb(fmpq(1, 2))) * step
        for node, weight in gauss_legendre(ctx.prec):
            total += line.at(middle + step / 2 * node) * weight
    return total * step / 2


def levin_u(terms: list[arb], start: int = 1) -> arb:
    """The limit of the partial sums of ``terms`` by Levin's u transformation.

    Args:
        terms: the terms, which decay as a power of the index or have alternating signs.
        start: the number of the first term.

    Returns:
        The limit.

    >>> from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
    >>> with precision(512):
    ...     limit = levin_u([arb(1) / (k * k) for k in range(1, 40)])
    ...     bool(abs(limit - arb.pi() ** 2 / 6) < 1e-25)
    True

    """
    count = len(terms) - 1
    numerator = denominator = partial = arb(0)
    coefficient = arb(1)
    for j, term in enumerate(terms):
        partial += term
        weight = (
            coefficient * (arb(j + start) / (count + start)) ** (count - 1) / ((j + start) * term)
        )
        numerator += weight * partial
        denominator += weight
        coefficient = -coefficient * (count - j) / (j + 1)
    return numerator / denominator
