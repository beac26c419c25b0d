"""The integral over a piece of the range, by two quadratures. The piece has no inner singularity.

The double exponential formula gives the value. Gauss-Legendre quadrature has to agree with the
value. The variable of this quadrature is the logarithm of the distance from an end. The errors of
the two quadratures have different causes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from flint import arb, ctx

from ....reading.expression.traversal import SLOW, is_constant
from ....reading.expression.tree import Call, Expression, Number
from ...ball_arithmetic.balls import precision
from ...ball_arithmetic.magnitude import BITS_PER_DIGIT
from ..line import POINT_DIGITS, RealLine
from ..work import LOST_DIGITS, QuadratureError
from .ends import End
from .nodes import FIRST_STEP, Nodes, exp_exp, exp_sinh, gauss_legendre, tanh_sinh

#: Levels of the double exponential formula: steps from 2^-3 to 2^-9.
MAX_LEVEL = 6
#: How near to an end, in bits, nodes may come.
MAX_DEPTH = 8192
#: Decimal digits that both quadratures have to share.
AGREEMENT = 25
#: Bits beyond the wanted ones: of the rounding of some 2^12 nodes, and of values near an end.
GUARD_BITS = 64
#: Multiples of the depth of the nodes by which the precision is raised: ln(1 + cos x) near pi needs
#: twice as many bits as the node is near, a fourth power four times as many.
DEPTH_FACTORS = (1, 2, 4)
#: The slowest decay for each halving of the distance, in bits, with which nodes reach an end.
SLOWEST = 1 / 64
#: Decays of e^{-x}, and of powers below x^{-45}: both are negligible beyond the nodes of `exp_exp`.
FAST_RATE = 64
#: The search for spikes: intervals in all, of length 1 in s on the way to an end, halvings, and how
#: many times a bound may exceed the values beside it.
SPIKE_EVALUATIONS, SPIKE_PANELS, FINEST, SPIKE_RATIO, SPIKE_BITS = 3_000, 64, 40, 64, 512
#: Gauss-Legendre panels on the way to one end, and how often they may be halved.
MAX_PANELS, MAX_HALVINGS = 400, 2


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of integration between two ends. One end is an inner point of the whole range.

    ``rate`` is the decay of the integrand at the other end (`ends.decay_rate`).
    """

    left: End
    right: End
    rate: float


def integrate(line: RealLine, piece: Piece, digits: int) -> arb:
    """The integral over a piece, as a ball whose radius is the estimated error.

    Args:
        line: the integrand.
        piece: the range.
        digits: decimal digits that are wanted.

    Raises:
        QuadratureError: the two quadratures do not agree, or need too much work.

    """
    value = _precisely(piece, digits, partial(_double_exponential, line, piece, digits))
    _precisely(piece, AGREEMENT, partial(_check, line, piece, value))
    return value


def exclude_spikes(expression: Expression, line: RealLine, piece: Piece) -> None:
    """Raise an error if the integrand f may have a spike between two nodes.

    At a spike, f is much larger than at both nodes.

    The range of the coordinate s (see `ends`) is divided into intervals. Each interval is halved
    until a bound of f on the interval is near to the values of f at the interval's ends. Special
    functions are replaced by 1, because they cannot cause spikes.

    Raises:
        QuadratureError: an interval of length 2^{-FINEST} may contain a spike.

    """
    variable = line.tape.variable
    plain = RealLine.of(_without_special(expression, variable), variable, line.values)
    evaluations = 0
    with precision(SPIKE_BITS):
        for end, start in _legs(piece):
            start_s = float(start.mid())
            queue = [(start_s + k, start_s + k + 1.0, 0) for k in reversed(range(SPIKE_PANELS))]
            while queue:
                low, high, depth = queue.pop()
                evaluations += 1
                if evaluations > SPIKE_EVALUATIONS:
                    raise QuadratureError("a feature between the nodes cannot be excluded")
                # A bound near to the values at the ends of the interval excludes a spike inside.
                near, far = end.x(arb(low))[0], end.x(arb(high))[0]
                bound = abs(plain.on(near.union(far))).upper()
                value = max(abs(plain.on(x)).upper() for x in (near, far))
                if bound.is_finite() and bound <= value * SPIKE_RATIO:
                    continue
                if bound * abs(near - far) < arb(10) ** (-2 * AGREEMENT):
                    continue
                if depth == FINEST:
                    x_text = near.str(POINT_DIGITS, radius=False)
                    raise QuadratureError(
                        f"a feature of width 2^-{FINEST} near {variable} = {x_text} is not excluded"
                    )
                middle = (low + high) / 2
                queue += [(middle, high, depth + 1), (low, middle, depth + 1)]


def _without_special(node: Expression, variable: str) -> Expression:
    """Replace all special functions of the variable in an expression by 1."""
    if node.function in SLOW and not is_constant(node, variable):
        return Number(1)
    if not isinstance(node, Call) or not node.args:
        return node
    return Call(node.function, tuple(_without_special(arg, variable) for arg in node.args))


class _RoundingError(QuadratureError):
    """The precision does not suffice for points that are very close to an end."""


def _precisely(piece: Piece, digits: int, compute: Callable[[int], arb]) -> arb:
    """Call ``compute`` at a sufficient precision. If rounding spoils the result, raise the
    precision.

    A higher precision is needed if the integrand loses digits near an end. For example, ln(1 + cos
    x) needs twice as many digits near pi.
    """
    precision_bits = BITS_PER_DIGIT * digits
    # At the inner point, where f is regular, |dx/ds| decays by the factor e.
    slowest = min(piece.rate, 1.0)
    depth = GUARD_BITS + int(precision_bits / max(slowest * math.log(2), SLOWEST))
    if depth > MAX_DEPTH:
        raise QuadratureError("the integral converges too slowly at an end")
    for factor in DEPTH_FACTORS:
        with precision(GUARD_BITS + int(precision_bits) + factor * depth):
            try:
                return compute(depth)
            except _RoundingError:
                continue
    raise QuadratureError("the integrand loses all digits near an end")


def _points(piece: Piece, depth: int) -> Callable[[int], Nodes]:
    """Make a function that returns the nodes of a level on the piece, as pairs (x, weight)."""
    left_end, right_end = piece.left, piece.right
    if not left_end.infinite and not right_end.infinite:
        length = right_end.point - left_end.point

        def finite(level: int) -> Nodes:
            return [
                (
                    (left_end.point - length * t if t < 0 else right_end.point - length * t),
                    length * w,
                )
                for t, w in tanh_sinh(ctx.prec, depth, level)
            ]

        return finite
    start = left_end if right_end.infinite else right_end
    rule = exp_exp if piece.rate > FAST_RATE else exp_sinh
    return lambda level: [
        (start.point + start.side * t, w) for t, w in rule(ctx.prec, depth, level)
    ]


def _double_exponential(line: RealLine, piece: Piece, digits: int, depth: int) -> arb:
    points = _points(piece, depth)
    total, previous_sum = arb(0), None
    largest = arb(0)
    for level in range(MAX_LEVEL + 1):
        step = arb(2) ** -(FIRST_STEP + level)
        for x, weight in points(level):
            value = line.at(x)
            if not value.is_finite():
                raise _RoundingError(f"no finite value at {x.str(POINT_DIGITS, radius=False)}")
            term = value * weight
            total += term
            largest = max(largest, abs(term).mid())
        now = total * step
        if previous_sum is not None:
            change = abs(now - previous_sum).upper()
            # Beside twice as many zeros, only the rounding of cancelling terms remains.
            scale = max(abs(now).mid(), largest * step, arb(10) ** -digits)
            # The tails beyond the nodes are smaller than that, too.
            allowed = arb(10) ** -digits * scale
            if change <= allowed:
                return now + arb(0, allowed.upper())
            if now.rad() > allowed:
                raise _RoundingError("the values near an end are not precise enough")
        previous_sum = now
    raise QuadratureError("the double exponential formula does not converge")


def _check(line: RealLine, piece: Piece, value: arb, depth: int) -> arb:
    """Raise an error if Gauss-Legendre quadrature does not confirm a value."""
    for halving in range(MAX_HALVINGS + 1):
        gauss_value, size = _gauss(line, piece, arb(2) ** (1 - halving))
        if abs(gauss_value - value).upper() <= arb(10) ** -AGREEMENT * max(
            size, arb(10) ** -AGREEMENT
        ):
            return gauss_value
    raise QuadratureError("two quadratures do not agree")


def _gauss(line: RealLine, piece: Piece, width: arb) -> tuple[arb, arb]:
    """The integrals of the integrand and of its absolute value by Gauss-Legendre quadrature.

    The intervals of the quadrature are ``width`` long, in the coordinate s of `End.x`.
    """
    total = size = arb(0)
    for end, start in _legs(piece):
        s, quiet = start, 0
        for _ in range(MAX_PANELS):
            panel_value, amount = _panel(line, end, s, s + width)
            total, size = total + panel_value, size + amount
            s = s + width
            least = max(arb(10) ** -(AGREEMENT + LOST_DIGITS) * size, arb(10) ** (-2 * AGREEMENT))
            quiet = quiet + 1 if amount < least else 0
            if quiet == 2:
                break
        else:
            raise QuadratureError("the integral converges too slowly at an end")
    return total, size


def _legs(piece: Piece) -> list[tuple[End, arb]]:
    """The two ends of a piece, each with a starting value of the coordinate s of `End.x`.

    An inner point divides the piece into two legs. The starting value is the s of this point.
    """
    left_end, right_end = piece.left, piece.right
    if left_end.infinite and right_end.infinite:
        raise QuadratureError("a piece has a finite end")
    if left_end.infinite or right_end.infinite:
        near, far = (right_end, left_end) if left_end.infinite else (left_end, right_end)
        # At distance 1 from the finite end.
        return [(near, arb(0)), (End(far.point, far.side, near.point), arb(0))]
    half = (right_end.point - left_end.point) / 2
    return [(left_end, -half.log()), (right_end, -half.log())]


def _panel(line: RealLine, end: End, low: arb, high: arb) -> tuple[arb, arb]:
    half, middle = (high - low) / 2, (high + low) / 2
    integral = amount = arb(0)
    for node, weight in gauss_legendre(ctx.prec):
        x, slope = end.x(middle + half * node)
        value = line.at(x)
        if not value.is_finite():
            raise _RoundingError("no finite value near an end")
        term = value * slope * weight * half
        integral += term
        amount += abs(term)
    return arb(integral.mid()), arb(amount.mid())
