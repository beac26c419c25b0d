"""A differential field: rational functions over Q in generators, modulo algebraic relations.

A `Generator` stands for a sub-expression (``x``, ``exp(x/2)``, ``sqrt(1 - x^2)``, ``erf(x)``). It
has a derivative, which is again in the field, and may have a relation that is monic in it and holds
wherever it is defined. Relations form a triangular set: each has generators that were made before
its own, so that division by each in turn gives the unique remainder modulo all of them (Cox, Little
and O'Shea, *Ideals, Varieties, and Algorithms*, section 2.6: leading terms that are powers of
distinct variables are a Groebner basis).

Work is bounded by numbers of generators, terms and degrees, never by clocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from ...expression.tree import Call, Expression, Number

#: python-flint's polynomials have no stubs that tell more.
Poly = Any

#: Most generators; most terms that one product, or a remainder, may have; most of all values
#: together.
MAX_GENERATORS, MAX_TERMS, MAX_WORK = 40, 4000, 40_000
#: Terms up to which the power of a sum that has a generator is expanded in normal forms: as many as
#: the power has of two terms, if it has none (`elements.MAX_POWER`).
MAX_EXPANDED = 64
#: How often a relation may be applied to one power.
MAX_TIMES = 256
#: Greatest common divisors are only sought of polynomials so small: as the product of their numbers
#: of terms, and as the number of monomials that their degrees allow.
MAX_GCD_TERMS, MAX_GCD_BOX = 2500, 20_000
#: And those that are factored: in degree, in the product of their two highest degrees, and in that
#: of the degree and the bits of a coefficient.
MAX_FACTORED_DEGREE, MAX_FACTORED_BOX, MAX_FACTORED_BITS = 400, 300, 200_000
#: Polynomials of a higher degree are not divided: the quotient may have as many terms.
MAX_DIVIDED_DEGREE = 40_000
#: Numbers of variables of the rings that are tried: small exponent vectors are faster.
SIZES = (8, 16, MAX_GENERATORS)


UNIT = fmpq(1)
#: A bit for each generator, the last first, as polynomials have their degrees.
_BITS = tuple(1 << index for index in reversed(range(MAX_GENERATORS)))


class NotProvedError(Exception):
    """The prover gives up: nothing is said about the identity."""


class TooManyGeneratorsError(NotProvedError):
    """More generators than the ring has variables."""


@lru_cache(maxsize=len(SIZES))
def _ring(size: int) -> tuple[Any, list[Poly], Quotient, Quotient]:
    """A ring with its variables, one and zero."""
    ring = fmpq_mpoly_ctx.get([f"g{size - 1 - i}" for i in range(size)], Ordering.lex)
    unit = ring.constant(1)
    one, zero = Quotient(unit, unit, 0), Quotient(ring.constant(0), unit, 0)
    return ring, list(ring.gens())[::-1], one, zero


def gcd(a: Poly, b: Poly) -> Poly:
    """The greatest common divisor of two polynomials, or if they are large of their monomials."""
    if len(a) > 1 and len(b) > 1 and _may_take_long(a, b):
        return a.term_content().gcd(b.term_content())
    return a.gcd(b)


def _may_take_long(a: Poly, b: Poly) -> bool:
    if len(a) * len(b) > MAX_GCD_TERMS:
        return True
    if max(a.total_degree(), b.total_degree()) < MAX_GCD_BOX.bit_length():
        return False  # there are at most 2^degree monomials
    pairs = list(zip(_spans(a, b), _spans(b, a), strict=True))
    if max(map(max, pairs)) > MAX_DIVIDED_DEGREE:
        return True
    box = math.prod(1 + min(pair) for pair in pairs)
    return box > 1 and max(box, math.prod(1 + max(pair) for pair in pairs)) > MAX_GCD_BOX


def _spans(poly: Poly, other: Poly) -> list[int]:
    """Degrees in each variable as FLINT has them, which first takes x^5000 for x if it can."""
    (steps, least), (others, _) = poly.deflation_index(), other.deflation_index()
    return [
        (degree - low) // max(1, math.gcd(step, another))
        for degree, low, step, another in zip(poly.degrees(), least, steps, others, strict=True)
    ]


def is_factored_quickly(poly: Poly) -> bool:
    """Whether the irreducible factors of a polynomial take no long time."""
    *_, second, first = sorted(poly.degrees())
    if first > MAX_FACTORED_DEGREE or first * second > MAX_FACTORED_BOX:
        return False
    return all(first * c.height_bits() <= MAX_FACTORED_BITS for c in poly.coeffs())


@lru_cache(maxsize=256)
def unit_circle(size: int, sine: int, cosine: int) -> Poly:
    """The relation of a sine and a cosine that have these places."""
    variables = _ring(size)[1]
    return variables[sine] ** 2 + variables[cosine] ** 2 - 1


def product(a: Poly, b: Poly) -> Poly:
    """The product, if it is not too large."""
    if len(a) * len(b) > 4 * MAX_TERMS:
        raise NotProvedError("too many terms")
    return a * b


class Quotient:
    """A fraction in lowest terms as polynomials, its denominator with leading coefficient 1.

    ``support`` has a bit for each generator that occurs; -1 if that has not been asked.
    """

    __slots__ = ("den", "num", "support")

    def __init__(self, num: Poly, den: Poly, support: int = -1) -> None:
        self.num, self.den, self.support = num, den, support

    def of(self, other: Operand) -> Quotient:
        """A number as a fraction beside this one."""
        if isinstance(other, Quotient):
            return other
        return _rational(self.num.context().nvars(), other, 1)

    def add(self, operand: Operand, *, lowest: bool = True) -> Quotient:
        """The sum; without ``lowest`` its fraction need not be in lowest terms."""
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        if not self.support and self.num.is_zero():
            return other
        a, b = self.den, other.den
        if a == b:
            num = self.num + other.num
            if not a.is_one():
                return quotient(num, a) if lowest else Quotient(num, a)
            whole = len(num) == len(self.num) + len(other.num)
            return Quotient(num, a, self.support | other.support if whole else -1)
        if b.is_one():
            return Quotient(self.num + product(other.num, a), a)
        if a.is_one():
            return Quotient(product(self.num, b) + other.num, b)
        common = gcd(a, b)
        c, d = a / common, b / common
        num, den = product(self.num, d) + product(other.num, c), product(a, d)
        return quotient(num, den) if lowest else Quotient(num, den)

    __add__ = __radd__ = add

    def __sub__(self, operand: Operand) -> Quotient:
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        return self + -other if other.support or not other.is_zero() else self

    def __rsub__(self, other: Operand) -> Quotient:
        return -self + other

    def __neg__(self) -> Quotient:
        return Quotient(-self.num, self.den, self.support)

    def __mul__(self, operand: Operand) -> Quotient:
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        if not (self.support and other.support):
            number, factor = (other, self) if self.support else (self, other)
            if number.num.is_one():
                return factor
            if number.num.is_zero():
                return number
        support = self.support | other.support
        if self.den.is_one() and other.den.is_one():
            return Quotient(product(self.num, other.num), self.den, support)
        a, b = self, other
        if self.support & other.support:  # else they have no common factor
            a, b, support = quotient(self.num, other.den), quotient(other.num, self.den), -1
        den = product(a.den, b.den) if not a.den.is_one() else b.den
        return Quotient(product(a.num, b.num), den, support)

    __rmul__ = __mul__

    def __truediv__(self, operand: Operand) -> Quotient:
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        if not other.support and other.num.is_one():
            return self
        if not other.support or not self.den.is_one() or not other.den.is_one():
            return self * other.inverse()
        if min(self.support, other.support) < 0 or self.support & other.support:
            return over(self.num, other.num)
        if self.is_zero():
            return self
        return Quotient(*monic(self.num, other.num), self.support | other.support)

    def __rtruediv__(self, other: Operand) -> Quotient:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> Quotient:
        if exponent == 1:
            return self
        if exponent < 0:
            return self.inverse() ** -exponent
        for part in (self.num, self.den):
            terms = len(part)
            if terms > 1 and math.comb(exponent + terms - 1, terms - 1) > MAX_TERMS:
                raise NotProvedError("too many terms in a power")
        return Quotient(self.num**exponent, self.den**exponent, self.support if exponent else 0)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Quotient) and self.num == other.num and self.den == other.den

    __hash__ = None  # type: ignore[assignment]

    def inverse(self) -> Quotient:
        if self.num.is_zero():
            raise NotProvedError("division by zero")
        if not self.support:
            return Quotient(self.den / self.num, self.den, 0)
        return Quotient(*monic(self.den, self.num), self.support)

    def is_zero(self) -> bool:
        return bool(self.num.is_zero())

    def rational(self) -> fmpq | None:
        """The value of a rational number; None for anything else."""
        if not (self.num.is_constant() and self.den.is_one()):
            return None
        return fmpq(0) if self.num.is_zero() else self.num.leading_coefficient()


Operand: TypeAlias = Quotient | int


@lru_cache(maxsize=256)
def _rational(size: int, p: int, q: int) -> Quotient:
    ring, _, one, _ = _ring(size)
    return Quotient(ring.constant(fmpq(p, q)), one.num, 0)


def over(num: Poly, den: Poly) -> Quotient:
    """A fraction in lowest terms of polynomials."""
    if den.is_zero():
        raise NotProvedError("division by zero")
    return quotient(*monic(num, den))


def monic(num: Poly, den: Poly) -> tuple[Poly, Poly]:
    """A fraction's numerator and denominator, whose leading coefficient becomes 1."""
    lead = den.leading_coefficient()
    return (num, den) if lead == 1 else (num / lead, den / lead)


def quotient(num: Poly, den: Poly, support: int = -1) -> Quotient:
    """A fraction in lowest terms of polynomials; ``den`` has leading coefficient 1."""
    if den.is_one():
        return Quotient(num, den, support)
    if num.is_constant():
        return Quotient(num, num**0, 0) if num.is_zero() else Quotient(num, den, support)
    common = gcd(num, den)
    if common.is_one():
        return Quotient(num, den)
    return Quotient(num / common, den / common)


@dataclass(slots=True, eq=False)
class Generator:
    """One generator. ``args`` are what its function is applied to, with ``unit`` as a factor.

    ``real`` says what is known of its values on the whole line. The ``partner`` of a sine is its
    cosine, and the other way round.
    """

    index: int
    element: Quotient
    kind: str
    args: tuple[Any, ...]
    unit: fmpq
    slope_rule: Callable[[], Quotient] | None
    tree: Callable[[], Expression]
    real: bool = False
    relation: Poly = None
    partner: Generator | None = None
    order: int = 0
    busy: bool = False
    slope: Quotient | None = None


@dataclass(slots=True)
class Field:
    """The field of one proof, which grows as generators are asked for.

    ``varying``, ``unreal``, ``positive`` and ``bound`` have a bit for each generator that is no
    constant, may not be real, is positive, has a relation.
    """

    size: int = SIZES[0]
    generators: list[Generator] = field(default_factory=list)
    related: list[Generator] = field(default_factory=list)
    varying: int = 0
    unreal: int = 0
    positive: int = 0
    bound: int = 0
    work: int = 0
    ring: Any = None
    variables: list[Poly] = field(default_factory=list)
    one: Quotient = field(init=False)
    zero: Quotient = field(init=False)

    def __post_init__(self) -> None:
        self.ring, self.variables, self.one, self.zero = _ring(self.size)

    def free(self) -> None:
        """Break the cycles of references, which only the garbage collector would."""
        for generator in self.generators:
            del generator.slope_rule, generator.tree, generator.partner

    def constant(self, value: Any) -> Quotient:
        return Quotient(self.ring.constant(value), self.one.num, 0)

    def rational(self, p: int, q: int = 1) -> Quotient:
        return _rational(self.size, p, q)

    def poly(self, num: Poly) -> Quotient:
        return Quotient(num, self.one.num)

    def parts(self, element: Quotient) -> tuple[Quotient, Quotient]:
        """Numerator and denominator as elements."""
        if element.den.is_one():
            return element, self.one
        return self.poly(element.num), self.poly(element.den)

    def find(self, kind: str, args: tuple[Any, ...]) -> Generator | None:
        for known in self.generators:
            if known.kind == kind and known.args == args:
                return known
        return None

    def get(
        self,
        kind: str,
        args: tuple[Any, ...] = (),
        slope: Callable[[], Quotient] | None = None,
        tree: Callable[[], Expression] | None = None,
        unit: fmpq = UNIT,
        *,
        real: bool = False,
        positive: bool = False,
    ) -> Generator:
        """The generator of this kind and these arguments, which is made if there is none.

        A ``slope`` of None is zero; without ``tree`` the kind is a named constant.
        """
        known = self.find(kind, args)
        if known is not None:
            return known
        index = len(self.generators)
        if index >= self.size:
            raise TooManyGeneratorsError
        tree = tree or (lambda: Call(kind))
        bit = 1 << index
        if slope is not None:
            self.varying |= bit
        if not real:
            self.unreal |= bit
        if positive:
            self.positive |= bit
        element = Quotient(self.variables[index], self.one.num, bit)
        made = Generator(index, element, kind, args, unit, slope, tree, real)
        self.generators.append(made)
        return made

    def relate(self, generator: Generator, relation: Poly, order: int) -> None:
        """Give the last generator its relation, which is monic and of this degree in it."""
        generator.relation, generator.order = relation, order
        self.related.append(generator)
        self.bound |= 1 << generator.index

    def single(self, element: Quotient) -> Generator | None:
        """The generator that an element is; None if it is more than one."""
        support = self.support(element)
        if not support or support & support - 1:
            return None
        generator = self.generators[support.bit_length() - 1]
        return generator if generator.element == element else None

    def support(self, element: Quotient) -> int:
        """The generators that occur in an element, as bits."""
        if element.support < 0:
            degrees = element.num.degrees()
            if not element.den.is_one():
                degrees = map(max, degrees, element.den.degrees())
            bits = zip(_BITS[-self.size :], degrees, strict=True)
            element.support = sum([bit for bit, degree in bits if degree > 0])
        return element.support

    def used(self, element: Quotient) -> list[Generator]:
        """The generators that occur in an element."""
        support = self.support(element)
        return [generator for generator in self.generators if support >> generator.index & 1]

    def is_constant(self, element: Quotient) -> bool:
        return not self.support(element) & self.varying

    def is_real(self, element: Quotient) -> bool:
        return not self.support(element) & self.unreal

    def is_positive(self, poly: Poly) -> bool:
        """Whether a polynomial is a sum of terms that are manifestly not negative on the line."""
        if poly.is_one():
            return True
        if poly.is_zero() or poly.leading_coefficient() < 0:
            return False
        if (not self.positive and poly.total_degree() % 2) or min(poly.coeffs()) < 0:
            return False
        last, even = self.size - 1, []
        for at, degree in enumerate(poly.degrees()):
            if degree > 0 and not self.positive >> last - at & 1:
                if degree % 2 or self.unreal >> last - at & 1:
                    return False
                even.append(at)
        return not even or all(powers[at] % 2 == 0 for powers in poly.monoms() for at in even)

    def reduce(self, poly: Poly, *, powers: bool = True) -> Poly:
        """The remainder modulo all relations; without ``powers`` long ones of sums stay."""
        if not self.related:
            return poly
        degrees = poly.degrees()
        for generator in reversed(self.related):
            times = degrees[self.size - 1 - generator.index] // generator.order
            if times <= 0:
                continue
            terms = max(1, len(generator.relation) - 1)
            expanded = math.comb(times + terms - 1, terms - 1)
            if generator.order == 1 and not powers and expanded > MAX_EXPANDED:
                continue
            if times > MAX_TIMES or len(poly) * expanded > MAX_TERMS:
                raise NotProvedError("too many terms modulo the relations")
            poly = divmod(poly, generator.relation)[1]
            if poly.is_zero():
                break
            degrees = poly.degrees()
        return poly

    def normal(self, element: Quotient) -> Quotient:
        """An element with numerator and denominator reduced: equal ones mostly look equal."""
        if not self.support(element) & self.bound:
            return element
        num, den = self.reduce(element.num, powers=False), element.den
        if den.is_one():
            return element if num is element.num else Quotient(num, den)
        return over(num, self.reduce(den, powers=False))

    def spend(self, element: Quotient) -> Quotient:
        """Count the work; every value passes here once."""
        terms = len(element.num) + len(element.den)
        self.work += 1 + terms
        if self.work > MAX_WORK or terms > MAX_TERMS:
            raise NotProvedError("work budget spent")
        return element

    def slope(self, generator: Generator) -> Quotient:
        """The derivative of a generator."""
        if generator.slope is None:
            if generator.busy:
                raise NotProvedError("a derivative in terms of itself")
            generator.busy = True
            rule = generator.slope_rule
            generator.slope = self.spend(rule()) if rule else self.zero
            generator.busy = False
        return generator.slope

    def derivative(self, element: Quotient) -> Quotient:
        """The derivative of an element, by the chain rule and the quotient rule."""
        varying = self.support(element) & self.varying
        if not varying:
            return self.zero
        inner = self.single(element)
        if inner is not None:
            return self.slope(inner)
        generators = [g for g in self.generators if varying >> g.index & 1]
        slope = self._of_poly(element.num, generators)
        if not element.den.is_one():
            below = self._of_poly(element.den, generators)
            slope = (slope - element * below) / self.poly(element.den)
        return self.spend(slope)

    def _of_poly(self, poly: Poly, generators: list[Generator]) -> Quotient:
        total = self.zero
        for generator in generators:
            partial = poly.derivative(self.size - 1 - generator.index)
            if partial.is_one():
                total = total + self.slope(generator)
            elif not partial.is_zero():
                total = total + self.poly(partial) * self.slope(generator)
        return total

    def tree(self, element: Quotient) -> Expression:
        """An expression for an element, to be evaluated."""
        above = self._tree_of(element.num)
        return above if element.den.is_one() else Call("div", (above, self._tree_of(element.den)))

    def _tree_of(self, poly: Poly) -> Expression:
        terms: list[Expression] = []
        for exponents, coefficient in poly.terms():
            factors: list[Expression] = []
            for generator, exponent in zip(self.generators, exponents[::-1], strict=False):
                if exponent:
                    one, k = generator.tree(), Number(int(exponent))
                    factors.append(one if exponent == 1 else Call("pow", (one, k)))
            if coefficient != 1 or not factors:
                factors.insert(0, Number(int(coefficient.p), int(coefficient.q)))
            terms.append(Call("mul", tuple(factors)) if len(factors) > 1 else factors[0])
        if not terms:
            return Number(0)
        return Call("add", tuple(terms)) if len(terms) > 1 else terms[0]
