r"""Poles that are no rational multiples of pi, such as the pole sqrt(pi/2) of tan(x^2).

Let f be the integrand. Suppose that the derivative of 1/f is at most M in size on an interval, and
that 1/f has opposite signs at the ends of the interval. Then 1/f has a zero z inside, and
\|1/f(x)\| <= M \|x - z\|. Hence \|f(x)\| >= 1/(M \|x - z\|), and the integral of this bound up to z
diverges. For a pole of a higher order, the same holds with the product g of the bases in 1/f, such
as x^3 - 2 in (x^3 - 2)^2, because \|1/f\| is at most a multiple of \|g\| near the pole.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from flint import acb, arb

from ....reading.expression.build import ONE, div, mul, neg, number
from ....reading.expression.formulas import definition_of
from ....reading.expression.traversal import fold
from ....reading.expression.tree import Call, Expression
from ....reading.functions import QUOTIENTS
from ...ball_arithmetic.balls import Tape, UnusableError, precision
from ...ball_arithmetic.compiler import compile_tape
from ...ball_arithmetic.jets import Ball

#: Binary logarithm of the width, relative to 1 + |z|, of the interval about a pole, and bits: wider
#: intervals hold other poles, narrower ones need more bits.
WIDTH, BITS = -20, 128


def signs_at_pole(
    expression: Expression, variable: str, values: Mapping[str, Ball], near: arb
) -> tuple[int, int] | None:
    """The signs of an integrand before and behind a pole. The integral up to the pole diverges.

    If no pole is proved near the point, or the signs are not known, the result is None.

    Args:
        expression: the integrand.
        variable: the variable of integration.
        values: the values of the parameters.
        near: a ball around the supposed pole.

    """
    with precision(BITS):
        try:
            inverse = reciprocal(expression)
            tape, of_bases = (compile_tape(tree, variable) for tree in (inverse, bases(inverse)))
        except UnusableError:
            return None
        margin = (1 + abs(near)) * arb(2) ** WIDTH
        low, high = arb((near - margin).lower()), arb((near + margin).upper())
        value, slope = of_bases.run(acb(low.union(high)), values, derivative=True)[of_bases.root]
        if slope is None or not (value.is_finite() and slope.is_finite() and value.imag.is_zero()):
            return None
        base_signs, signs = (_signs(run, (low, high), values) for run in (of_bases, tape))
        # If the slope has a sign, the zero is the only one, and every base keeps its sign up to it.
        changes_sign = base_signs[0] * base_signs[1] < 0
        are_known = 0 not in signs and (signs[0] != signs[1] or not slope.contains(0))
        return signs if changes_sign and are_known else None


def _signs(tape: Tape, points: tuple[arb, arb], values: Mapping[str, Ball]) -> tuple[int, int]:
    """The signs of a function at two points. An unknown sign is 0."""
    at_low, at_high = (
        tape.run(acb(point), values, derivative=False)[tape.root][0].real for point in points
    )
    return (
        bool(at_low > 0) - bool(at_low < 0),
        bool(at_high > 0) - bool(at_high < 0),
    )


def bases(node: Expression) -> Expression:
    """A product without the exponents from 1 on of its factors, as u v for u^2 v^3."""
    if not isinstance(node, Call):
        return node
    if node.function == "div":
        return Call("div", (bases(node.args[0]), node.args[1]))
    if node.function in ("mul", "neg"):
        return Call(node.function, tuple(map(bases, node.args)))
    power = fold(node.args[1]) if node.function == "pow" else None
    return bases(node.args[0]) if power is not None and power >= 1 else node


def reciprocal(node: Expression) -> Expression:
    """One over an expression. A denominator becomes a factor, so that poles become zeros."""
    if not isinstance(node, Call):
        return div(ONE, node)
    name, args = node.function, node.args
    if name == "neg":
        return neg(reciprocal(args[0]))
    if name == "mul":
        return mul(*map(reciprocal, args))
    if name == "div":
        return mul(args[1], reciprocal(args[0]))
    quotient = definition_of(node) if name in QUOTIENTS else None
    if quotient is not None:
        return reciprocal(quotient)
    power = fold(args[1]) if name == "pow" else None
    if power is not None and power < 0:
        return args[0] if power == Fraction(-1) else Call("pow", (args[0], number(-power)))
    return div(ONE, node)
