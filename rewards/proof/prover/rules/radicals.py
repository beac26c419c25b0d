"""Powers and roots, as products of powers and roots of factors.

Each provably positive factor of a radicand has a root of its own. The other factors are the rest of
the radicand. If the proof distinguishes cases of signs (`tower`), the rest is split into coprime
factors with one root each. Otherwise, the whole rest has one root.

Letters: a root is a product of ``b^e`` with rational e. Each radicand b has one generator r, with
``r^q = b``. Each relation is monic in its own generator, so every element has a unique remainder
modulo the relations (Cox, Little and O'Shea, *Ideals, Varieties, and Algorithms*, section 2.6).
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpz

from ..factors import factored
from ..field import Field, Generator
from ..lattice import MAX_LETTER_POWER, UNIT
from ..quotients import NotProvedError, Poly, Quotient, is_factored_quickly, product
from ..tower import RULES, Tower
from .signs import require_positive, sign

#: Rational numbers of at most so many bits are factored.
MAX_FACTOR_BITS = 64
#: Largest power of a sum of at most `MAX_SHORT` terms that is expanded, the largest of a longer sum
#: (the 4th of 9 terms has 495), and bits of numbers that are raised: a power has 20,000 digits.
MAX_POWER, MAX_SHORT, MAX_LONG_POWER, MAX_NUMBER_BITS = 64, 8, 4, 65_536
#: Highest order of a root.
MAX_ORDER = 20_000

#: A kind of root, a radicand and an exponent.
Radical = tuple[str, Quotient, fmpq]


def power(t: Tower, element: Quotient, exponent: Fraction) -> Quotient:
    """Compute a rational power, as `rewards.numeric.ball_arithmetic.jets.pow_rational` does."""
    if exponent.denominator == 1:
        return integer_power(t, element, exponent.numerator)
    if t.principal_roots and exponent.denominator % 2:
        number = t.field.rational(*exponent.as_integer_ratio())
        logarithm = RULES["ln"](t, element)
        return RULES["exp"](t, logarithm * number)
    return integer_power(t, root(t, element, exponent.denominator), exponent.numerator)


def principal_power(t: Tower, base: Quotient, exponent: Quotient) -> Quotient:
    """The principal value of a power. In contrast, `power` uses real odd roots."""
    ratio = exponent.rational()
    if ratio is not None and (ratio.q == 1 or ratio.q % 2 == 0):
        return power(t, base, Fraction(int(ratio.p), int(ratio.q)))
    return RULES["exp"](t, exponent * RULES["ln"](t, base))


def sqrt(t: Tower, u: Quotient) -> Quotient:
    return root(t, u, 2)


def integer_power(t: Tower, element: Quotient, k: int) -> Quotient:
    """A power with a whole exponent.

    If the power of a sum would have too many terms, a generator replaces the sum.
    """
    if element.is_zero():
        if k <= 0:
            raise NotProvedError("a power of zero that has no value")
        return element
    times, terms = abs(k), len(element.num) + len(element.den)
    lead = element.num.leading_coefficient()
    numbers = [lead] if times <= 2 or terms == 2 else [*element.num.coeffs(), *element.den.coeffs()]
    size = max([0 if c in (1, -1) else c.p.bit_length() + c.q.bit_length() for c in numbers])
    if size * times > MAX_NUMBER_BITS or times > MAX_LETTER_POWER:
        raise NotProvedError("a power that is too high")
    if terms == 2 or times <= (MAX_LONG_POWER if terms > MAX_SHORT else MAX_POWER):
        return element**k
    return (_in_bases(t, element.num) / _in_bases(t, element.den)) ** k


def _in_bases(t: Tower, poly: Poly) -> Quotient:
    """Factor a polynomial, and replace each factor by a generator.

    High powers of these generators are not expanded.
    """
    lead = poly.leading_coefficient()
    quick = is_factored_quickly(poly)
    number, powers = (poly / lead).factor_squarefree() if quick else (UNIT, [(poly / lead, 1)])
    result = t.field.constant(number * lead)
    for factor, e in powers:
        result = result * _base(t, factor) ** int(e)
    return result


def _base(t: Tower, poly: Poly) -> Quotient:
    """A generator that replaces a sum."""
    base = t.field
    element = base.poly(base.reduce(poly))
    if len(element.num) <= 1:
        return element
    slope = None if base.is_constant(element) else (lambda: base.derivative(element))
    generator = base.get("base", (element,), slope, real=base.is_real(element))
    if generator.relation is None:
        base.relate(generator, base.variables[generator.index] - element.num, 1)
    return generator.element


# --- roots


def root(t: Tower, element: Quotient, q: int) -> Quotient:
    """The q-th root of an element.

    If q is odd, the root of a real number is real. All other roots are principal.
    """
    element = t.normal(element)
    if element.is_zero():
        return element
    negative, parts_of_root = radicals(t, element, q)
    result = _root_of_minus(t, q) if negative else t.field.one
    for family, base, exponent in parts_of_root:
        if family == "root":
            factor = positive_root(t, base, exponent)
        else:
            factor = radical(t, family, base, exponent)
        result = result * factor
    return result


def radicals(t: Tower, element: Quotient, q: int) -> tuple[bool, list[Radical]]:
    """Write the q-th root of an element as a product of radicals.

    The element is in reduced form. The result has two entries. The first tells whether a root of -1
    is a further factor. The second lists the radicals.
    """
    positive, element = positive_factors(t.field, element)
    powers = [("root", base, e / q) for base, e in positive]
    if not t.field.support(element):
        return not element.num.is_one(), powers
    t.splittable = True
    if t.split:
        chosen, coprime = factors(t, element)
        if coprime is not None:
            if q % 2 == 0:
                require_positive(t, chosen, element)
            t.rules.add("roots of coprime factors")
            powers += [("root", t.field.poly(base), e / q) for base, e in coprime]
            return chosen < 0, powers
    family = "even root" if q % 2 == 0 else "odd root"
    if not (t.field.is_positive(element.den) or t.field.is_positive_in_range(element.den)):
        return False, [*powers, (family, element, fmpq(1, q))]
    num, den = t.field.parts(element)
    if t.field.is_positive(num.num) or t.field.is_positive_in_range(num.num):
        family = "root"
    return False, [*powers, (family, num, fmpq(1, q)), ("root", den, fmpq(-1, q))]


def positive_root(t: Tower, base: Quotient, exponent: fmpq) -> Quotient:
    """A rational power of a positive element.

    If the element has a denominator d, the generator of the root has the sign of d, which may be
    negative. The kind of the generator is then not ``root``.
    """
    if base is t.field.one or base == t.field.one:
        return base
    if exponent.q == 1:
        return integer_power(t, base, int(exponent.p))
    inner = t.field.single(base)
    if inner is not None and inner.kind == "exp":
        return RULES["exp"](t, inner.args[0] * t.field.constant(exponent * inner.unit))
    family = "root" if base.den.is_one() else "odd root" if exponent.q % 2 else "even root"
    return radical(t, family, base, exponent)


def radical(t: Tower, kind: str, radicand: Quotient, exponent: fmpq) -> Quotient:
    """Write a rational power of the radicand n/d as a power of a generator.

    The generator equals d (n/d)^(1/q). Its q-th power n d^(q-1) is a polynomial. A radical of the
    kind ``either root`` may be the negative of the principal root, for example on a branch cut.

    Raises:
        NotProvedError: the power needs a root of a higher order q than the generator has. The next
            attempt at the proof makes a generator of the higher order.

    """
    generator = t.field.find(kind, (radicand,)) or _generator(t, kind, radicand, exponent)
    times = exponent / generator.unit
    if times.q == 1:
        return (generator.element / t.field.poly(radicand.den)) ** int(times.p)
    t.units.roots[kind, t.field.tree(radicand)] = exponent.gcd(generator.unit)
    t.units.is_stale = True
    raise NotProvedError("a root of too low an order")


def _generator(t: Tower, kind: str, radicand: Quotient, exponent: fmpq) -> Generator:
    """Make the generator r of a radical: r^q is in the field, and r' = (r^q)'/(q r^(q-1))."""
    base = t.field
    unit = fmpq(1, exponent.q)
    if t.units.roots:
        unit = unit.gcd(t.units.roots.get((kind, base.tree(radicand)), UNIT))
    order = int(unit.q)
    if order > MAX_ORDER:
        raise NotProvedError("a root of too high an order")
    relation_value = product(radicand.num, (base.poly(radicand.den) ** (order - 1)).num)

    def slope() -> Quotient:
        return base.derivative(base.poly(relation_value)) / order / generator.element ** (order - 1)

    real, positive = kind in ("root", "odd root"), kind == "root"
    generator = t.generator(kind, (radicand,), slope, unit, real=real, positive=positive)
    if generator.relation is None:
        base.relate(generator, base.variables[generator.index] ** order - relation_value, order)
    t.rules.add("root")
    return generator


def _root_of_minus(t: Tower, q: int) -> Quotient:
    if q % 2:
        return -t.field.one
    return RULES["exp"](t, t.i * t.named("pi") / q)


# --- factors


def positive_factors(
    field: Field, element: Quotient
) -> tuple[list[tuple[Quotient, fmpq]], Quotient]:
    """Split an element into provably positive factors and a cofactor.

    Each factor comes with its exponent. The leading coefficient of the cofactor is 1 or -1.
    """
    powers: list[tuple[Quotient, fmpq]] = []
    c = abs(element.num.leading_coefficient())
    if c != 1:
        element = Quotient(element.num / c, element.den, element.support)
        powers += [(field.constant(prime), fmpq(e)) for prime, e in _prime_factors(c)]
    if not field.support(element) & field.positive:
        return powers, element
    if (inner := field.single(element)) is not None:
        return [*powers, _without_root(inner, 1)], field.one
    polys: list[Poly] = []
    for poly, direction in ((element.num, 1), (element.den, -1)):
        content = poly.term_content()
        degrees = () if content.is_one() else content.degrees()[::-1]
        for generator, degree in zip(field.generators, degrees, strict=False):
            if degree and field.positive >> generator.index & 1:
                poly = poly / field.variables[generator.index] ** degree
                powers.append(_without_root(generator, direction * degree))
        polys.append(poly)
    num, den = polys
    unchanged = num is element.num and den is element.den
    return powers, element if unchanged else Quotient(num, den)


def _without_root(generator: Generator, exponent: int) -> tuple[Quotient, fmpq]:
    if generator.kind == "root":
        return generator.args[0], generator.unit * exponent
    return generator.element, fmpq(exponent)


def factors(t: Tower, element: Quotient) -> tuple[int, list[tuple[Poly, fmpq]] | None]:
    """Split an element into a sign and powers of positive factors.

    If the sign of a factor is unknown, the result has None in place of the powers.
    """
    chosen, powers = 1, []
    for poly, direction in ((element.num, 1), (element.den, -1)):
        number, polys = factored(t.field, poly)
        chosen *= 1 if number > 0 else -1
        powers += [
            (poly**0 * prime, fmpq(e * direction)) for prime, e in _prime_factors(abs(number))
        ]
        for base, times in polys:
            s = sign(t, base)
            if s is None:
                return 1, None
            chosen *= s ** (int(times.p) % 2)
            powers.append((base * s, times * direction))
    return chosen, powers


def _prime_factors(value: fmpq) -> list[tuple[int, int]]:
    """The prime factors of a positive rational number, with exponents.

    A large numerator or denominator is not factored, and counts as one prime.
    """
    exponents: dict[int, int] = {}
    for term, direction in ((value.p, 1), (value.q, -1)):
        number = int(term)
        small = number.bit_length() <= MAX_FACTOR_BITS
        for prime, e in fmpz(number).factor() if small else [(number, 1)]:
            if prime != 1:
                exponents[int(prime)] = exponents.get(int(prime), 0) + direction * int(e)
    return list(exponents.items())


RULES |= {"pow": principal_power, "sqrt": sqrt}
