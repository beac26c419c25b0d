r"""Simple poles that are no rational multiples of pi, such as the pole sqrt(pi/2) of tan(x^2).

Let f be the integrand. Suppose that the derivative of 1/f is at most M in size on an interval, and
that 1/f has opposite signs at the ends of the interval. Then 1/f has a zero z inside, and
\|1/f(x)\| <= M \|x - z\|. Hence \|f(x)\| >= 1/(M \|x - z\|), and the integral of this bound up to z
diverges.
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
from ...ball_arithmetic.balls import UnusableError, precision
from ...ball_arithmetic.compiler import compile_tape
from ...ball_arithmetic.jets import Ball

#: Binary logarithm of the width, relative to 1 + |z|, of the interval about a pole, and bits: wider
#: intervals hold other poles, narrower ones need more bits.
WIDTH, BITS = -20, 128


def has_simple_pole(
    expression: Expression, variable: str, values: Mapping[str, Ball], near: arb
) -> bool:
    """Whether an integrand is proved to have a pole near a point. The integral then diverges.

    Args:
        expression: the integrand.
        variable: the variable of integration.
        values: the values of the parameters.
        near: a ball around the supposed pole.

    """
    with precision(BITS):
        try:
            tape = compile_tape(reciprocal(expression), variable)
        except UnusableError:
            return False
        margin = (1 + abs(near)) * arb(2) ** WIDTH
        low, high = arb((near - margin).lower()), arb((near + margin).upper())
        value, slope = tape.run(acb(low.union(high)), values, derivative=True)[tape.root]
        if slope is None or not (value.is_finite() and slope.is_finite()):
            return False
        at_low, at_high = (
            tape.run(acb(end), values, derivative=False)[tape.root][0].real for end in (low, high)
        )
        return bool(at_low * at_high < 0) and value.imag.is_zero()


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
