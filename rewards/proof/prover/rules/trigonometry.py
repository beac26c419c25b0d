"""Sines and cosines: polynomials in those of units, by addition theorems and Chebyshev's.

Letters: an angle is ``n_1 b_1 + ... + n_r b_r``, plus multiples of pi, of inverse functions and of
i, whose sines and cosines are known. T and U are Chebyshev's polynomials.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from flint import fmpq

from ..field import Generator
from ..lattice import Vector
from ..quotients import Quotient, TooLargeError, unit_circle
from ..tower import MAX_MULTIPLE, RULES, Tower
from .exponentials import exp
from .radicals import root

#: A sine and a cosine.
Pair = tuple[Quotient, Quotient]


#: A number, and a monomial or generator that has known sines.
Known = tuple[fmpq, Quotient, Generator | None]


def angle(t: Tower, u: Quotient) -> tuple[Vector, list[Known]]:
    """The vector of an angle, and its multiples of what has known sines and cosines."""
    vector: Vector = {}
    others: list[Known] = []
    for c, arg, inner in t.addends(u):
        if _is_known(t, c, arg, inner):
            others.append((c, arg, inner))
        else:
            vector[t.key(arg)] = c
    return vector, others


def sin_cos(t: Tower, u: Quotient) -> Pair:
    for known, pair in t.sines:  # is often asked for again
        if known.num == u.num and known.den == u.den:
            return pair
    t.sines.append((u, pair := _sin_cos(t, u)))
    return pair


def _sin_cos(t: Tower, u: Quotient) -> Pair:
    vector, others = angle(t, u)
    parts = [_known(t, c, arg, inner) for c, arg, inner in others]
    for at, n in t.angles.add(vector) if vector else ():
        cosine = t.angles.generators.get(at) or _generator(t, at)
        assert cosine.partner is not None
        parts.append(_multiple(t, (cosine.partner.element, cosine.element), int(n.p)))
    if len(parts) == 1:
        return parts[0]
    return reduce(_of_sum, parts) if parts else (t.field.zero, t.field.one)


def _generator(t: Tower, at: int) -> Generator:
    """The cosine c of a unit u, with its sine s: c' = -u' s, s' = u' c, s^2 + c^2 = 1."""
    number, arg = t.unit(t.angles, at)
    base = t.field

    def slope(made: Generator) -> Quotient:
        inside = base.derivative(arg)
        if number != 1:
            inside = inside * base.constant(number)
        assert made.partner is not None
        other = made.partner.element * inside
        return other if made.kind == "sin" else -other

    cosine = t.scaled("cos", arg, number, slope)
    sine = t.scaled("sin", arg, number, slope)
    sine.partner, cosine.partner = cosine, sine
    if sine.relation is None:
        base.relate(sine, unit_circle(base.size, sine.index, cosine.index), 2)
    t.rules.add("cos")
    t.angles.generators[at] = cosine
    return cosine


def _is_known(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> bool:
    """Whether sines and cosines of a multiple of something are known."""
    if inner is None:
        return t.unit_i is not None and t.without_i(arg) is not None
    if inner.kind in ("asin", "atan"):
        return bool(c.q == 1) and (inner.kind == "asin" or t.field.is_real(inner.args[0]))
    return inner.kind == "i" or (inner.kind == "pi" and c.q in (1, 2, 3, 4, 6, 8, 12))


def _known(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Pair:
    if inner is None or inner.kind == "i":
        inside = t.without_i(arg)
        assert inside is not None
        inside = inside * t.field.constant(c)
        up, down = exp(t, inside), exp(t, -inside)
        return t.i * (up - down) / 2, (up + down) / 2
    if inner.kind == "pi":
        return _of_pi(t, Fraction(int(c.p), int(c.q)) % 2)
    (u,) = inner.args
    if inner.kind == "asin":  # on the branch cuts, too, as python-flint has them
        return _multiple(t, (u, root(t, 1 - u * u, 2)), int(c.p))
    radical = root(t, 1 + u * u, 2)
    return _multiple(t, (u / radical, 1 / radical), int(c.p))


def _multiple(t: Tower, pair: Pair, times: int) -> Pair:
    """Sine and cosine of a multiple of an angle: s U(c) and T(c), by doubling."""
    if times == 1:
        return pair
    if abs(times) > MAX_MULTIPLE:
        raise TooLargeError("a multiple of an angle that is too high")
    s, c = pair
    bits = format(abs(times), "b")[1:]
    bound = t.field.support(c) & t.field.bound
    one = second = t.field.one
    square, first = (s * s if bound else one - c * c) if "1" in bits else one, c
    for bit in bits:
        double = first + first
        first, second = double * first - one, double * second
        if bit == "1":
            first, second = c * first - square * second, c * second + first
        if bound:
            first, second = t.normal(first), t.normal(second)
    sine = t.normal(s * second) if bound else s * second
    return (sine, first) if times > 0 else (-sine, first)


def _of_pi(t: Tower, turns: Fraction) -> Pair:
    """Sine and cosine of a multiple of pi, for twelfths of a turn and eighths."""
    k, n = turns.numerator, turns.denominator
    if n == 8:  # tan(pi/8) = sqrt(2) - 1, and 4 cos(pi/8)^2 = 2 + sqrt(2)
        radical = root(t, t.field.rational(2), 2)
        cosine = root(t, 2 + radical, 2) / 2
        return _multiple(t, ((radical - 1) * cosine, cosine), k)
    if n == 12:  # k/12 = 3 k/4 - 2 k/3
        parts = Fraction(-2 * k, 3) % 2, Fraction(3 * k, 4) % 2
        return _of_sum(_of_pi(t, parts[0]), _of_pi(t, parts[1]))
    return _cosine(t, (Fraction(1, 2) - turns) % 2), _cosine(t, turns)


def _cosine(t: Tower, turns: Fraction) -> Quotient:
    turns = min(turns, 2 - turns)
    if turns > Fraction(1, 2):
        return -_cosine(t, 1 - turns)
    square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
    return root(t, t.field.rational(square, 4), 2)


def _of_sum(one: Pair, two: Pair) -> Pair:
    """Sine and cosine of the sum of two angles."""
    (s, c), (sine, cosine) = one, two
    return s * cosine + c * sine, c * cosine - s * sine


RULES["sin"] = lambda t, u: sin_cos(t, u)[0]
RULES["cos"] = lambda t, u: sin_cos(t, u)[1]
