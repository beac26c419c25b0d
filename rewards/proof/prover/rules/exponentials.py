"""Exponentials, sines and cosines of sums (`tower.Law`).

Letters: an exponent is a sum of multiples of units b (`lattice`), which have one generator exp(b)
each; of multiples ``c g`` of generators g for which a rule computes exp(c g), such as u^c for ln u;
and of i times an angle. An angle is a sum of multiples of units, with a sine and a cosine each; and
of multiples of pi, of inverse functions and of i, whose sines and cosines are known.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq

from ..field import Generator
from ..lattice import MAX_MULTIPLE
from ..quotients import ONE, ZERO, NotProvedError, Quotient, constant
from ..tower import RULES, Law, Tower
from .radicals import integer_power, positive_root, power, radical, root


class Circle(NamedTuple):
    """The sine and the cosine of an angle. The product belongs to the sum of two angles."""

    sine: Quotient
    cosine: Quotient

    def __mul__(self, other: Any) -> Circle:
        (s, c), (sine, cosine) = self, other
        return Circle(s * cosine + c * sine, c * cosine - s * sine)


def exp(t: Tower, u: Quotient) -> Quotient:
    value: Quotient = t.of_sum(_EXP, t.units.exponents, u)
    return value


def _exp_by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Quotient | None:
    if t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        sine, cosine = sin_cos(t, turn * c)
        return cosine + t.i * sine
    rule = EXPONENTIALS.get(inner.kind) if inner else None
    value = rule(t, inner, c) if rule and inner else None
    if value is not None and inner:
        t.rules.add(f"exp {inner.kind}")
    return value


def _exp_of_unit(t: Tower, u: Quotient) -> Quotient:
    def slope() -> Quotient:
        return exponential * t.field.derivative(u)

    exponential = t.field.get("exp", (u,), slope, real=True, positive=True).element
    t.rules.add("exp")
    return exponential


_EXP = Law(_exp_by_rule, _exp_of_unit, multiple=lambda t, unit, n: unit**n, of_zero=ONE)
#: Functions whose values are logarithms, and of what (DLMF 4.37.16, 4.37.21).
LOGARITHMIC: dict[str, Callable[[Tower, Quotient], Quotient]] = {
    "asinh": lambda t, u: u + root(t, u * u + 1, 2),
    "acosh": lambda t, u: u + root(t, u - 1, 2) * root(t, u + 1, 2),
}


# --- rules of exp(c g) for generators g; None where a rule does not apply


def _exp_ln(t: Tower, g: Generator, c: fmpq) -> Quotient | None:
    (base,) = g.args
    if t.field.is_real(g.element):
        return positive_root(t, base, c)
    # Roots of odd order are real for negative numbers, and the exponential is not.
    return power(t, base, c) if c.q == 1 or c.q % 2 == 0 else None


def _exp_atanh(t: Tower, g: Generator, c: fmpq) -> Quotient | None:
    """Compute exp(c atanh u) if c is an integer (DLMF 4.37.24). Otherwise, return None."""
    if c.q != 1:
        return None
    (u,) = g.args
    square = t.field.normal((1 + u) / (1 - u))
    half, odd = divmod(int(c.p), 2)
    either = radical(t, "either root", square, fmpq(1, 2)) if odd else ONE
    return integer_power(t, square, half) * either


def _whole_power(
    value: Callable[[Tower, Generator], Quotient],
) -> Callable[[Tower, Generator, fmpq], Quotient | None]:
    """The rule for a generator g whose exponential has a known value, and for whole c."""
    return lambda t, g, c: integer_power(t, value(t, g), int(c.p)) if c.q == 1 else None


EXPONENTIALS: dict[str, Callable[[Tower, Generator, fmpq], Quotient | None]] = {
    "ln": _exp_ln,
    **{name: _whole_power(lambda t, g: LOGARITHMIC[g.kind](t, *g.args)) for name in LOGARITHMIC},
    "atanh": _exp_atanh,
    # W exp W = u (Corless et al., *On the Lambert W function*, 1996, equation 1.5)
    "lambertw": _whole_power(lambda t, g: g.args[0] / g.element),
}


# --- sines and cosines


def sin_cos(t: Tower, u: Quotient) -> Circle:
    return t.of_sum(_SINES, t.units.angles, u)


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
    kind = inner.kind if inner else ""
    # Of these parts of pi, `_of_pi` has sines and cosines in square roots.
    if kind == "pi" and c.q in (1, 2, 3, 4, 6, 8, 12):
        return _of_pi(t, Fraction(int(c.p), int(c.q)) % 2)
    if kind in ("", "i") and t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        up, down = exp(t, turn * c), exp(t, turn * -c)
        return Circle(t.i * (up - down) / 2, (up + down) / 2)
    if inner is None or kind not in ("asin", "atan") or c.q != 1:
        return None
    (u,) = inner.args
    if kind == "asin":  # on the branch cuts, too, as python-flint has them
        return _multiple(t, Circle(u, root(t, 1 - u * u, 2)), int(c.p))
    if not t.field.is_real(u):
        return None
    radical = root(t, 1 + u * u, 2)
    return _multiple(t, Circle(u / radical, 1 / radical), int(c.p))


def _multiple(t: Tower, circle: Circle, times: int) -> Circle:
    """The sine and the cosine of a multiple of an angle, computed by doubling."""
    if times < 0:
        sine, cosine = _multiple(t, circle, -times)
        return Circle(-sine, cosine)
    if times == 1:
        return circle
    if times > MAX_MULTIPLE:
        raise NotProvedError("a multiple of an angle that is too high")
    half = _multiple(t, circle, times // 2)
    whole = half * half * circle if times % 2 else half * half
    return Circle(*map(t.field.normal, whole))


def _of_pi(t: Tower, turns: Fraction) -> Circle:
    """The sine and cosine of pi times a fraction with denominator 1, 2, 3, 4, 6, 8 or 12."""
    k, n = turns.numerator, turns.denominator
    if n == 8:  # tan(pi/8) = sqrt(2) - 1, and 4 cos(pi/8)^2 = 2 + sqrt(2)
        radical = root(t, constant(2), 2)
        cosine = root(t, 2 + radical, 2) / 2
        return _multiple(t, Circle((radical - 1) * cosine, cosine), k)
    if n == 12:  # k/12 = 3 k/4 - 2 k/3
        return _of_pi(t, Fraction(-2 * k, 3) % 2) * _of_pi(t, Fraction(3 * k, 4) % 2)
    return Circle(_cosine(t, (Fraction(1, 2) - turns) % 2), _cosine(t, turns))


def _cosine(t: Tower, turns: Fraction) -> Quotient:
    turns = min(turns, 2 - turns)
    if turns > Fraction(1, 2):
        return -_cosine(t, 1 - turns)
    # Denominators of the angle, and 4 cos^2 of pi over them.
    square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
    return root(t, constant(fmpq(square, 4)), 2)


_SINES = Law(_by_rule, _of_unit, _multiple, of_zero=Circle(ZERO, ONE))
RULES["exp"] = exp
RULES["e"] = lambda t: exp(t, ONE)
RULES["sin"] = lambda t, u: sin_cos(t, u).sine
RULES["cos"] = lambda t, u: sin_cos(t, u).cosine
