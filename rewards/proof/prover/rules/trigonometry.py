"""Sines and cosines: polynomials in the sines and cosines of units.

Letters: an angle is ``n_1 b_1 + ... + n_r b_r`` with units ``b_j`` (`lattice`), plus a rest. The
rest has multiples of pi, of inverse functions and of i, whose sines and cosines are known. T and U
are Chebyshev's polynomials.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from flint import fmpq

from ..field import Generator
from ..lattice import MAX_MULTIPLE, Vector
from ..quotients import Quotient, TooLargeError, unit_circle
from ..tower import RULES, Tower
from .exponentials import exp
from .radicals import root

#: A sine and a cosine.
Pair = tuple[Quotient, Quotient]


def sin_cos(t: Tower, u: Quotient) -> Pair:
    for angle_before, pair in t.sines:  # is often asked for again
        if angle_before.num == u.num and angle_before.den == u.den:
            return pair
    t.sines.append((u, pair := _sin_cos(t, u)))
    return pair


def _sin_cos(t: Tower, u: Quotient) -> Pair:
    vector: Vector = {}
    pairs: list[Pair] = []
    for c, arg, inner in t.addends(u):
        if _has_rule(t, c, arg, inner):
            pairs.append(_of_multiple(t, c, arg, inner))
        else:
            vector[t.key(arg)] = c
    angles = t.units.angles
    for at, n in angles.add(vector) if vector else ():
        cosine = angles.generators.get(at) or _generator(t, at)
        assert cosine.partner is not None
        pairs.append(_multiple(t, (cosine.partner.element, cosine.element), int(n.p)))
    if len(pairs) == 1:
        return pairs[0]
    return reduce(_of_sum, pairs) if pairs else (t.field.zero, t.field.one)


def _generator(t: Tower, at: int) -> Generator:
    """Make the generator for cos(u), where u is the unit ``at`` of the lattice of angles.

    Its partner is s = sin(u). The rules are c' = -u' s, s' = u' c, and s^2 + c^2 = 1.
    """
    number, arg = t.unit(t.units.angles, at)
    base = t.field

    def slope(factor: Quotient) -> Quotient:
        product = factor * base.derivative(arg)
        return product if number == 1 else product * base.constant(number)

    cosine = t.generator("cos", (arg,), lambda: -slope(sine.element), number, real=True)
    sine = t.generator("sin", (arg,), lambda: slope(cosine.element), number, real=True)
    sine.partner, cosine.partner = cosine, sine
    if sine.relation is None:
        base.relate(sine, unit_circle(base.size, sine.index, cosine.index), 2)
    t.rules.add("cos")
    t.units.angles.generators[at] = cosine
    return cosine


def _has_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> bool:
    """Whether the sine and the cosine of ``c`` times ``arg`` are known."""
    if inner is None:
        return t.unit_i is not None and t.without_i(arg) is not None
    if inner.kind in ("asin", "atan"):
        return bool(c.q == 1) and (inner.kind == "asin" or t.field.is_real(inner.args[0]))
    # Of these parts of pi, `_of_pi` has sines and cosines in square roots.
    return inner.kind == "i" or (inner.kind == "pi" and c.q in (1, 2, 3, 4, 6, 8, 12))


def _of_multiple(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Pair:
    if inner is None or inner.kind == "i":
        exponent = t.without_i(arg)
        assert exponent is not None
        exponent = exponent * t.field.constant(c)
        up, down = exp(t, exponent), exp(t, -exponent)
        return t.i * (up - down) / 2, (up + down) / 2
    if inner.kind == "pi":
        return _of_pi(t, Fraction(int(c.p), int(c.q)) % 2)
    (u,) = inner.args
    if inner.kind == "asin":  # on the branch cuts, too, as python-flint has them
        return _multiple(t, (u, root(t, 1 - u * u, 2)), int(c.p))
    radical = root(t, 1 + u * u, 2)
    return _multiple(t, (u / radical, 1 / radical), int(c.p))


def _multiple(t: Tower, pair: Pair, times: int) -> Pair:
    """The sine and the cosine of a multiple of an angle.

    ``pair`` has the sine s and the cosine c of the angle. The sine of the multiple is s U(c), and
    the cosine is T(c). The Chebyshev polynomials U and T are computed by doubling.
    """
    if times == 1:
        return pair
    if abs(times) > MAX_MULTIPLE:
        raise TooLargeError("a multiple of an angle that is too high")
    s, c = pair
    bits = format(abs(times), "b")[1:]
    bound = t.field.support(c) & t.field.bound
    unity = quotient = t.field.one
    square, cosine = (s * s if bound else unity - c * c) if "1" in bits else unity, c
    for bit in bits:
        double = cosine + cosine
        cosine, quotient = double * cosine - unity, double * quotient
        if bit == "1":
            cosine, quotient = c * cosine - square * quotient, c * quotient + cosine
        if bound:
            cosine, quotient = t.normal(cosine), t.normal(quotient)
    sine = t.normal(s * quotient) if bound else s * quotient
    return (sine, cosine) if times > 0 else (-sine, cosine)


def _of_pi(t: Tower, turns: Fraction) -> Pair:
    """The sine and cosine of pi times a fraction with denominator 1, 2, 3, 4, 6, 8 or 12."""
    k, n = turns.numerator, turns.denominator
    if n == 8:  # tan(pi/8) = sqrt(2) - 1, and 4 cos(pi/8)^2 = 2 + sqrt(2)
        radical = root(t, t.field.rational(2), 2)
        cosine = root(t, 2 + radical, 2) / 2
        return _multiple(t, ((radical - 1) * cosine, cosine), k)
    if n == 12:  # k/12 = 3 k/4 - 2 k/3
        summands = Fraction(-2 * k, 3) % 2, Fraction(3 * k, 4) % 2
        return _of_sum(_of_pi(t, summands[0]), _of_pi(t, summands[1]))
    return _cosine(t, (Fraction(1, 2) - turns) % 2), _cosine(t, turns)


def _cosine(t: Tower, turns: Fraction) -> Quotient:
    turns = min(turns, 2 - turns)
    if turns > Fraction(1, 2):
        return -_cosine(t, 1 - turns)
    # Denominators of the angle, and 4 cos^2 of pi over them.
    square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
    return root(t, t.field.rational(square, 4), 2)


def _of_sum(first: Pair, second: Pair) -> Pair:
    (s, c), (sine, cosine) = first, second
    return s * cosine + c * sine, c * cosine - s * sine


RULES["sin"] = lambda t, u: sin_cos(t, u)[0]
RULES["cos"] = lambda t, u: sin_cos(t, u)[1]
