"""Sines and cosines: polynomials in the sines and cosines of units.

Letters: an angle is ``n_1 b_1 + ... + n_r b_r`` with units ``b_j`` (`lattice`), plus a rest. The
rest has multiples of pi, of inverse functions and of i, whose sines and cosines are known.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import fmpq

from ..field import Generator
from ..lattice import MAX_MULTIPLE
from ..quotients import NotProvedError, Poly, Quotient, ring_of
from ..tower import RULES, Law, Tower
from .exponentials import exp
from .radicals import root

#: A sine and a cosine.
Pair = tuple[Quotient, Quotient]


def sin_cos(t: Tower, u: Quotient) -> Pair:
    return t.of_sum(_SINES, t.units.angles, u)


def _of_unit(t: Tower, number: fmpq, arg: Quotient) -> Pair:
    """Make the generators s and c for the sine and the cosine of a unit u.

    The rules are c' = -u' s, s' = u' c, and s^2 + c^2 = 1.
    """
    base = t.field

    def slope(factor: Quotient) -> Quotient:
        product = factor * base.derivative(arg)
        return product if number == 1 else product * base.constant(number)

    cosine = base.get("cos", (arg,), lambda: -slope(sine.element), number, real=True)
    sine = base.get("sin", (arg,), lambda: slope(cosine.element), number, real=True)
    sine.partner, cosine.partner = cosine, sine
    if sine.relation is None:
        base.relate(sine, _circle(base.size, sine.index, cosine.index), 2)
    t.rules.add("cos")
    return sine.element, cosine.element


@lru_cache(maxsize=256)
def _circle(size: int, sine: int, cosine: int) -> Poly:
    variables = ring_of(size)[1]
    return variables[sine] ** 2 + variables[cosine] ** 2 - 1


def _by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Pair | None:
    """The sine and the cosine of ``c`` times ``arg``, or None if no rule applies."""
    kind = inner.kind if inner else ""
    # Of these parts of pi, `_of_pi` has sines and cosines in square roots.
    if kind == "pi" and c.q in (1, 2, 3, 4, 6, 8, 12):
        return _of_pi(t, Fraction(int(c.p), int(c.q)) % 2)
    if kind in ("", "i") and t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        exponent = turn * t.field.constant(c)
        up, down = exp(t, exponent), exp(t, -exponent)
        return t.i * (up - down) / 2, (up + down) / 2
    if inner is None or kind not in ("asin", "atan") or c.q != 1:
        return None
    (u,) = inner.args
    if kind == "asin":  # on the branch cuts, too, as python-flint has them
        return _multiple(t, (u, root(t, 1 - u * u, 2)), int(c.p))
    if not t.field.is_real(u):
        return None
    radical = root(t, 1 + u * u, 2)
    return _multiple(t, (u / radical, 1 / radical), int(c.p))


def _multiple(t: Tower, pair: Pair, times: int) -> Pair:
    """The sine and the cosine of a multiple of an angle, computed by doubling."""
    if times < 0:
        sine, cosine = _multiple(t, pair, -times)
        return -sine, cosine
    if times == 1:
        return pair
    if times > MAX_MULTIPLE:
        raise NotProvedError("a multiple of an angle that is too high")
    half = _multiple(t, pair, times // 2)
    sine, cosine = _of_two(t, half, half)
    if times % 2:
        sine, cosine = _of_two(t, (sine, cosine), pair)
    return t.field.normal(sine), t.field.normal(cosine)


def _of_pi(t: Tower, turns: Fraction) -> Pair:
    """The sine and cosine of pi times a fraction with denominator 1, 2, 3, 4, 6, 8 or 12."""
    k, n = turns.numerator, turns.denominator
    if n == 8:  # tan(pi/8) = sqrt(2) - 1, and 4 cos(pi/8)^2 = 2 + sqrt(2)
        radical = root(t, t.field.constant(2), 2)
        cosine = root(t, 2 + radical, 2) / 2
        return _multiple(t, ((radical - 1) * cosine, cosine), k)
    if n == 12:  # k/12 = 3 k/4 - 2 k/3
        summands = Fraction(-2 * k, 3) % 2, Fraction(3 * k, 4) % 2
        return _of_two(t, _of_pi(t, summands[0]), _of_pi(t, summands[1]))
    return _cosine(t, (Fraction(1, 2) - turns) % 2), _cosine(t, turns)


def _cosine(t: Tower, turns: Fraction) -> Quotient:
    turns = min(turns, 2 - turns)
    if turns > Fraction(1, 2):
        return -_cosine(t, 1 - turns)
    # Denominators of the angle, and 4 cos^2 of pi over them.
    square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
    return root(t, t.field.constant(fmpq(square, 4)), 2)


def _of_two(t: Tower, first: Pair, second: Pair) -> Pair:
    (s, c), (sine, cosine) = first, second
    return s * cosine + c * sine, c * cosine - s * sine


_SINES = Law(_by_rule, _of_unit, _multiple, _of_two, of_zero=lambda t: (t.field.zero, t.field.one))
RULES["sin"] = lambda t, u: sin_cos(t, u)[0]
RULES["cos"] = lambda t, u: sin_cos(t, u)[1]
