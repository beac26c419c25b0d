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

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from typing import Any, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from ...expression.tree import Call, Expression, Number

#: python-flint's polynomials have no stubs that tell more.
Poly = Any

#: Most generators; most terms that one product, or a remainder, may have; most of all values
#: together.
MAX_GENERATORS, MAX_TERMS, MAX_WORK = 40, 4000, 40_000
#: How often a relation may be applied to one power.
MAX_TIMES = 256
#: Greatest common divisors are only sought of polynomials so small: as the product of their numbers
#: of terms, and as the number of monomials that their degrees allow.
MAX_GCD_TERMS, MAX_GCD_BOX = 2500, 20_000
#: Numbers of variables of the rings that are tried: small exponent vectors are faster.
SIZES = (8, 16, MAX_GENERATORS)


UNIT = fmpq(1)


class NotProvedError(Exception):
    """The prover gives up: nothing is said about the identity."""


class TooManyGeneratorsError(NotProvedError):
    """More generators than the ring has variables."""


@lru_cache(maxsize=len(SIZES))
def _ring(size: int) -> tuple[Any, list[Poly]]:
    ring = fmpq_mpoly_ctx.get([f"g{size - 1 - i}" for i in range(size)], Ordering.lex)
    return ring, list(ring.gens())[::-1]


def gcd(a: Poly, b: Poly) -> Poly:
    """The greatest common divisor of two polynomials, or if they are large of their monomials."""
    if len(a) > 1 and len(b) > 1:
        box = 1
        for one, two in zip(a.degrees(), b.degrees(), strict=True):
            box *= 1 + min(one, two)
        if box == 1:
            return a.context().constant(1)
        if len(a) * len(b) > MAX_GCD_TERMS or box > MAX_GCD_BOX:
            return a.term_content().gcd(b.term_content())
    return a.gcd(b)


def product(a: Poly, b: Poly) -> Poly:
    """The product, if it is not too large."""
    if len(a) * len(b) > 4 * MAX_TERMS:
        raise NotProvedError("too many terms")
    return a * b


class Quotient:
    """A fraction in lowest terms as polynomials, its denominator with leading coefficient 1."""

    __slots__ = ("den", "num", "occurring")

    def __init__(self, num: Poly, den: Poly) -> None:
        self.num, self.den = num, den
        self.occurring: list[int] | None = None

    def of(self, other: Operand) -> Quotient:
        """A number as a fraction beside this one."""
        if isinstance(other, Quotient):
            return other
        ring = self.num.context()
        return Quotient(ring.constant(other), ring.constant(1))

    def __add__(self, operand: Operand) -> Quotient:
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        a, b = self.den, other.den
        if a == b:
            return quotient(self.num + other.num, a)
        if b.is_one():
            return Quotient(self.num + product(other.num, a), a)
        if a.is_one():
            return Quotient(product(self.num, b) + other.num, b)
        common = gcd(a, b)
        c, d = a / common, b / common
        return quotient(product(self.num, d) + product(other.num, c), product(a, d))

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Quotient:
        return self + -self.of(other)

    def __rsub__(self, other: Operand) -> Quotient:
        return -self + other

    def __neg__(self) -> Quotient:
        return Quotient(-self.num, self.den)

    def __mul__(self, operand: Operand) -> Quotient:
        other = operand if isinstance(operand, Quotient) else self.of(operand)
        if self.den.is_one() and other.den.is_one():
            return Quotient(product(self.num, other.num), self.den)
        a, b = quotient(self.num, other.den), quotient(other.num, self.den)
        return Quotient(product(a.num, b.num), product(a.den, b.den))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Quotient:
        return self * self.of(other).inverse()

    def __rtruediv__(self, other: Operand) -> Quotient:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> Quotient:
        if exponent < 0:
            return self.inverse() ** -exponent
        for part in (self.num, self.den):
            terms = max(1, len(part))
            if comb(exponent + terms - 1, terms - 1) > MAX_TERMS:
                raise NotProvedError("too many terms in a power")
        return Quotient(self.num**exponent, self.den**exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and self.num == other.num and self.den == other.den

    __hash__ = None  # type: ignore[assignment]

    def inverse(self) -> Quotient:
        if self.num.is_zero():
            raise NotProvedError("division by zero")
        lead = self.num.leading_coefficient()
        if lead == 1:
            return Quotient(self.den, self.num)
        return Quotient(self.den / lead, self.num / lead)

    def is_zero(self) -> bool:
        return bool(self.num.is_zero())

    def rational(self) -> fmpq | None:
        """The value of a rational number; None for anything else."""
        if not (self.num.is_constant() and self.den.is_one()):
            return None
        return fmpq(0) if self.num.is_zero() else self.num.leading_coefficient()


Operand: TypeAlias = Quotient | int


def quotient(num: Poly, den: Poly) -> Quotient:
    """A fraction in lowest terms of polynomials; ``den`` has leading coefficient 1."""
    if den.is_one():
        return Quotient(num, den)
    common = gcd(num, den)
    if common.is_one():
        return Quotient(num, den)
    return Quotient(num / common, den / common)


@dataclass(slots=True, eq=False)
class Generator:
    """One generator. ``args`` are what its function is applied to, with ``unit`` as a factor.

    ``real`` and ``positive`` say what is known of its values on the whole line.
    """

    index: int
    kind: str
    args: tuple[Any, ...]
    unit: fmpq
    slope_rule: Callable[[], Quotient] | None
    tree: Callable[[], Expression]
    real: bool = False
    positive: bool = False
    relation: Poly = None
    order: int = 0
    busy: bool = False
    slope: Quotient | None = None


@dataclass(slots=True)
class Field:
    """The field of one proof, which grows as generators are asked for."""

    size: int = SIZES[0]
    generators: list[Generator] = field(default_factory=list)
    related: list[Generator] = field(default_factory=list)
    work: int = 0
    ring: Any = None
    variables: list[Poly] = field(default_factory=list)
    one: Quotient = field(init=False)
    zero: Quotient = field(init=False)

    def __post_init__(self) -> None:
        self.ring, self.variables = _ring(self.size)
        unit = self.ring.constant(1)
        self.one, self.zero = Quotient(unit, unit), Quotient(self.ring.constant(0), unit)

    def constant(self, value: Any) -> Quotient:
        return Quotient(self.ring.constant(value), self.one.num)

    def of(self, generator: Generator) -> Quotient:
        """A generator as an element of the field."""
        return Quotient(self.variables[generator.index], self.one.num)

    def poly(self, num: Poly) -> Quotient:
        return Quotient(num, self.one.num)

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
        if known is None:
            index = len(self.generators)
            if index >= self.size:
                raise TooManyGeneratorsError
            tree = tree or (lambda: Call(kind))
            known = Generator(index, kind, args, unit, slope, tree, real, positive)
            self.generators.append(known)
        return known

    def relate(self, generator: Generator, relation: Poly, order: int) -> None:
        """Give a generator its relation, which is monic and of this degree in it."""
        generator.relation, generator.order = relation, order
        self.related.append(generator)
        self.related.sort(key=lambda each: each.index)

    def single(self, element: Quotient) -> Generator | None:
        """The generator that an element is; None if it is more than one."""
        num = element.num
        if len(num) != 1 or num.total_degree() != 1 or not element.den.is_one():
            return None
        at = num.degrees().index(1)
        return self.generators[self.size - 1 - at] if num.leading_coefficient() == 1 else None

    def used(self, element: Quotient) -> list[Generator]:
        """The generators that occur in an element."""
        if element.occurring is None:
            degrees = element.num.degrees()
            if not element.den.is_one():
                degrees = map(max, degrees, element.den.degrees())
            last = self.size - 1
            element.occurring = [last - at for at, degree in enumerate(degrees) if degree > 0]
        return [self.generators[i] for i in element.occurring]

    def is_constant(self, element: Quotient) -> bool:
        return all(g.slope_rule is None for g in self.used(element))

    def is_real(self, element: Quotient) -> bool:
        return all(g.real for g in self.used(element))

    def is_positive(self, poly: Poly) -> bool:
        """Whether a polynomial is a sum of terms that are manifestly not negative on the line."""
        if poly.is_zero() or min(poly.coeffs()) < 0:
            return False
        last, even = self.size - 1, []
        for at, degree in enumerate(poly.degrees()):
            if degree > 0 and not self.generators[last - at].positive:
                if degree % 2 or not self.generators[last - at].real:
                    return False
                even.append(at)
        return not even or all(powers[at] % 2 == 0 for powers in poly.monoms() for at in even)

    def reduce(self, poly: Poly) -> Poly:
        """The remainder modulo all relations."""
        if not self.related:
            return poly
        degrees = poly.degrees()
        for generator in reversed(self.related):
            times = degrees[self.size - 1 - generator.index] // generator.order
            if times <= 0:
                continue
            terms = max(1, len(generator.relation) - 1)
            if times > MAX_TIMES or len(poly) * comb(times + terms - 1, terms - 1) > MAX_TERMS:
                raise NotProvedError("too many terms modulo the relations")
            poly = divmod(poly, generator.relation)[1]
            if poly.is_zero():
                break
            degrees = poly.degrees()
        return poly

    def normal(self, element: Quotient) -> Quotient:
        """An element with numerator and denominator reduced: equal ones mostly look equal."""
        if not self.related:
            return element
        num, den = self.reduce(element.num), element.den
        if den.is_one():
            return Quotient(num, den)
        den = self.reduce(den)
        if den.is_zero():
            raise NotProvedError("division by zero")
        lead = den.leading_coefficient()
        return quotient(num / lead, den / lead)

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
        slope = self._of_poly(element.num)
        if not element.den.is_one():
            below = self._of_poly(element.den)
            slope = (slope - element * below) / self.poly(element.den)
        return self.spend(slope)

    def _of_poly(self, poly: Poly) -> Quotient:
        total = self.zero
        for at, degree in enumerate(poly.degrees()):
            if degree > 0:
                generator = self.generators[self.size - 1 - at]
                if generator.slope_rule is not None:
                    slope = self.poly(poly.derivative(at)) * self.slope(generator)
                    total = slope if total is self.zero else total + slope
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
