"""Powers and roots, as products of powers and roots of factors.

Each provably positive factor of a radicand has a root of its own. The cofactor has one root, or a
root for each coprime factor if the proof distinguishes cases of signs (`tower`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from flint import fmpq

from ..factors import factored
from ..field import Field
from ..lattice import MAX_LETTER_POWER
from ..quotients import UNIT, NotProvedError, Poly, Quotient, Ring, is_factored_quickly
from ..tower import RULES, Tower
from .signs import require_positive, sign

#: Rational numbers of at most so many bits are factored.
MAX_FACTOR_BITS = 64
#: Largest power of a sum of at most `MAX_SHORT` terms that is expanded, the largest of a longer sum
#: (the 4th of 9 terms has 495), and bits of numbers that are raised: a power has 20,000 digits.
MAX_POWER, MAX_SHORT, MAX_LONG_POWER, MAX_NUMBER_BITS = 64, 8, 4, 65_536
#: Highest order of a root.
MAX_ORDER = 20_000

#: Elements with exponents.
Powers = list[tuple[Quotient, fmpq]]


def power(t: Tower, u: Quotient, exponent: Fraction | fmpq, *, principal: bool = False) -> Quotient:
    """Compute a rational power, as `rewards.numeric.ball_arithmetic.jets.pow_rational` does."""
    p, q = int(exponent.numerator), int(exponent.denominator)
    if q > 1 and q % 2 and (principal or t.principal_roots):
        return RULES["exp"](t, RULES["ln"](t, u) * fmpq(p, q))
    return integer_power(t, u if q == 1 else root(t, u, q), p)


def principal_power(t: Tower, base: Quotient, exponent: Quotient) -> Quotient:
    """The principal value of a power: `power` uses real odd roots."""
    if (ratio := exponent.rational()) is not None:
        return power(t, base, ratio, principal=True)
    return RULES["exp"](t, exponent * RULES["ln"](t, base))


def integer_power(t: Tower, element: Quotient, k: int) -> Quotient:
    """A power with a whole exponent. If the power is too long, generators replace sums."""
    if element.is_zero() and k <= 0:
        raise NotProvedError("a power of zero that has no value")
    times, terms = abs(k), len(element.num) + len(element.den)
    coefficients = element.num.coeffs() + element.den.coeffs()
    size = max([c.height_bits() for c in coefficients]) - 1  # 0 for powers of 1 and -1
    if size * times > MAX_NUMBER_BITS or times > MAX_LETTER_POWER:
        raise NotProvedError("a power that is too high")
    if terms <= 2 or times <= (MAX_LONG_POWER if terms > MAX_SHORT else MAX_POWER):
        return element**k
    return (_in_bases(t, element.num) / _in_bases(t, element.den)) ** k


def _in_bases(t: Tower, poly: Poly) -> Quotient:
    """Factor a polynomial, and replace each factor, whose powers are long, by a generator."""
    base, quick = t.field, is_factored_quickly(poly)
    number, powers = poly.factor_squarefree() if quick else (UNIT, [(poly, 1)])
    result = base.ring.one * number
    for factor, e in powers:
        element = Quotient(base.reduce(factor))
        if len(element.num) > 1:
            slope = partial(base.derivative, element)
            generator = base.get("base", (element,), slope, 1, real=True)
            base.relate(generator, element.num)
            element = generator.element
        result = result * element ** int(e)
    return result


def root(t: Tower, element: Quotient, q: int) -> Quotient:
    """The q-th root of an element: real for real elements and odd q, otherwise principal."""
    base, element = t.field, t.field.normal(element)
    if element.is_zero():
        return element
    powers, chosen, cofactor = split(t, element, "roots", positive=q % 2 == 0)
    result = base.ring.one
    if chosen < 0:
        result = -result if q % 2 else RULES["exp"](t, t.i * t.named("pi") / q)
    if not cofactor.den.is_one() and base.is_nonnegative(den := Quotient(cofactor.den)):
        powers, cofactor = [*powers, (den, fmpq(-1))], Quotient(cofactor.num)
    if cofactor.den.is_one() and base.is_nonnegative(cofactor):
        powers, cofactor = [*powers, (cofactor, UNIT)], base.ring.one
    for factor, e in powers:
        result = result * positive_root(t, factor, e / q)
    if cofactor is base.ring.one:
        return result
    return result * radical(t, "odd root" if q % 2 else "even root", cofactor, fmpq(1, q))


def positive_root(t: Tower, base: Quotient, exponent: fmpq) -> Quotient:
    """A rational power of a positive element. With a denominator, the power may be negative."""
    if base.is_one():
        return base
    if exponent.q == 1:
        return integer_power(t, base, int(exponent.p))
    if (inner := t.field.single(base)) and inner.function == "exp":
        return RULES["exp"](t, inner.args[0] * exponent)
    family = "root" if base.den.is_one() else "odd root" if exponent.q % 2 else "even root"
    return radical(t, family, base, exponent)


def radical(t: Tower, name: str, radicand: Quotient, exponent: fmpq) -> Quotient:
    """Write a rational power of the radicand n/d as a power of a generator, d (n/d)^(1/q).

    The function ``either root`` may be the negative of the principal root, as on a branch cut.
    """
    base, order = t.field, int(exponent.q)
    equal = (g for g in base.generators if g.function == name and g.args == (radicand,))
    if (generator := next(equal, None)) is None:
        if order > MAX_ORDER:
            raise NotProvedError("a root of too high an order")
        power = radicand if radicand.den.is_one() else radicand * Quotient(radicand.den) ** order

        def slope() -> Quotient:
            return base.derivative(power) / order / new.element ** (order - 1)

        real, positive = name in ("root", "odd root"), name == "root"
        new = generator = base.get(name, (radicand,), slope, order, real=real, positive=positive)
        base.relate(new, power.num)
        t.rules.add("root")
    value, exponent = generator.element, exponent * generator.order
    if not radicand.den.is_one():
        value = value / Quotient(radicand.den)
    # A root whose order does not divide that of the first is a root of the first.
    return value ** int(exponent.p) if exponent.q == 1 else radical(t, name, value, exponent)


def split(t: Tower, u: Quotient, name: str, *, positive: bool) -> tuple[Powers, int, Quotient]:
    """Write a nonzero reduced element as powers of positive elements, a sign, and a cofactor.

    If the signs of all factors are known, the cofactor is 1; otherwise the sign is 1. A part of the
    integrand is required to be ``positive``.
    """
    powers, u = positive_factors(t.field, u)
    if not t.field.support(u):
        return powers, 1 if u.num.is_one() else -1, t.field.ring.one
    t.splittable = True
    coprime = factors(t, u) if t.split else None
    if coprime is None:
        return powers, 1, u
    if positive:
        require_positive(t, coprime[0], u)
    t.rules.add(f"{name} of coprime factors")
    return powers + coprime[1], coprime[0], t.field.ring.one


def positive_factors(field: Field, element: Quotient) -> tuple[Powers, Quotient]:
    """Powers of provably positive factors, and a cofactor whose leading coefficient is 1 or -1."""
    c = abs(element.num.leading_coefficient())
    powers = _prime_powers(field.ring, c) if c != 1 else []
    polys = [element.num / c if powers else element.num, element.den]
    for at, poly in enumerate(polys) if field.support(element) & field.positive else ():
        content = poly.term_content()
        degrees = content.degrees() if not content.is_one() else ()
        for g in field.generators if degrees else ():
            if (degree := degrees[g.at]) and field.positive >> g.index & 1:
                polys[at] = polys[at] / g.element.num**degree
                base, order = field.radicand(g)
                powers.append((base, fmpq(-degree if at else degree, order)))
    return powers, Quotient(*polys) if powers else element


def factors(t: Tower, element: Quotient) -> tuple[int, Powers] | None:
    """Split an element into a sign and powers of positive factors, if all signs are known."""
    base, chosen = t.field, 1
    powers: Powers = []
    for poly, direction in ((element.num, 1), (element.den, -1)):
        number, polys = factored(base, poly)
        chosen *= 1 if number > 0 else -1
        powers += _prime_powers(base.ring, abs(number) ** direction)
        for factor, times in polys:
            s = sign(t, factor)
            if s is None:
                return None
            chosen *= s ** (int(times.p) % 2)
            powers.append((Quotient(factor * s), times * direction))
    return chosen, powers


def _prime_powers(ring: Ring, value: fmpq) -> Powers:
    """The factors of a positive rational number. A large numerator or denominator is one factor."""
    powers: Powers = []
    for number, direction in ((value.p, 1), (value.q, -1)):
        primes = number.factor() if int(number).bit_length() <= MAX_FACTOR_BITS else [(number, 1)]
        powers += [(ring.one * int(prime), fmpq(e * direction)) for prime, e in primes]
    return powers


sqrt = partial(root, q=2)
RULES |= {"pow": principal_power, "sqrt": sqrt}
