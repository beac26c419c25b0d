"""Sines and cosines of sums (`tower.Law`).

An angle is a sum of multiples of units (`lattice`), which have a sine and a cosine each, and of
multiples of pi, of inverse functions and of i, whose sines and cosines are known.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq

from ....reading.expression.formulas import template
from ..field import Generator
from ..lattice import MAX_MULTIPLE
from ..quotients import NotProvedError, Quotient
from ..tower import RULES, Law, Tower
from .radicals import root

#: Cosines of parts of pi. The square roots are not related to each other.
COSINES = {
    Fraction(0): "1",
    Fraction(1, 12): "(sqrt(3) + 1)*sqrt(2)/4",
    Fraction(1, 8): "sqrt(2 + sqrt(2))/2",
    Fraction(1, 6): "sqrt(3)/2",
    Fraction(1, 4): "sqrt(2)/2",
    Fraction(1, 3): "1/2",
    Fraction(3, 8): "(sqrt(2) - 1)*sqrt(2 + sqrt(2))/2",
    Fraction(5, 12): "(sqrt(3) - 1)*sqrt(2)/4",
    Fraction(1, 2): "0",
}


class Circle(NamedTuple):
    """A sine and a cosine. The product belongs to the sum of two angles."""

    sine: Quotient
    cosine: Quotient

    def __mul__(self, factor: Any) -> Circle:
        (s, c), (sine, cosine) = self, factor
        return Circle(s * cosine + c * sine, c * cosine - s * sine)


def sin_cos(t: Tower, u: Quotient) -> Circle:
    return t.of_sum(_SINES, u)


def _of_unit(t: Tower, u: Quotient) -> Circle:
    """Make the generators s and c for a unit: c' = -u' s, s' = u' c, and s^2 + c^2 = 1."""
    base = t.field
    cosine = base.get("cos", (u,), lambda: -sine.element * base.derivative(u), real=True)
    sine = base.get("sin", (u,), lambda: cosine.element * base.derivative(u), 2, real=True)
    sine.partner, cosine.partner = cosine, sine
    base.relate(sine, 1 - cosine.element.num**2)
    t.rules.add("cos")
    return Circle(sine.element, cosine.element)


def _by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Circle | None:
    """The sine and the cosine of ``c`` times ``arg``, or None if no rule applies."""
    name = inner.function if inner else ""
    if name == "pi" and c.q in (1, 2, 3, 4, 6, 8, 12):
        turns = Fraction(int(c.p), int(c.q))
        return Circle(_cosine(t, Fraction(1, 2) - turns), _cosine(t, turns))
    if name in ("", "i") and t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        up, down = RULES["exp"](t, turn * c), RULES["exp"](t, turn * -c)
        return Circle(t.i * (up - down) / 2, (up + down) / 2)
    if inner is None or name not in ("asin", "atan") or c.q != 1:
        return None
    (u,) = inner.args
    if name == "asin":  # on the branch cuts, too, as python-flint has them
        return _multiple(t, Circle(u, root(t, 1 - u * u, 2)), int(c.p))
    if not t.field.is_real(u):
        return None
    radical = root(t, 1 + u * u, 2)
    return _multiple(t, Circle(u / radical, 1 / radical), int(c.p))


def _multiple(t: Tower, circle: Circle, times: int) -> Circle:
    """The sine and the cosine of a multiple of an angle, computed by doubling."""
    if times < 0:
        return _multiple(t, Circle(-circle.sine, circle.cosine), -times)
    if times == 1:
        return circle
    if times > MAX_MULTIPLE:
        raise NotProvedError("a multiple of an angle that is too high")
    half = _multiple(t, circle, times // 2)
    product = half * half * circle if times % 2 else half * half
    return Circle(*map(t.field.normal, product))


def _cosine(t: Tower, turns: Fraction) -> Quotient:
    """The cosine of pi times a number."""
    turns = min(turns % 2, -turns % 2)
    if turns > Fraction(1, 2):
        return -_cosine(t, 1 - turns)
    return t.formula(template(COSINES[turns]), {})


_SINES = Law(_by_rule, _of_unit, _multiple, lambda f: Circle(f.ring.zero, f.ring.one), MAX_MULTIPLE)
RULES["sin"] = lambda t, u: sin_cos(t, u).sine
RULES["cos"] = lambda t, u: sin_cos(t, u).cosine
