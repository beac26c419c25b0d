"""Fractions of polynomials over Q in lowest terms, with bounds on the sizes of all operands."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, TypeAlias, final

from flint import Ordering, fmpq, fmpq_mpoly_ctx

#: python-flint's polynomials have no stubs that tell more.
Poly = Any

#: Most terms that one product, or a remainder, may have.
MAX_TERMS = 4000
#: Bounds for greatest common divisors: of the product of the numbers of terms, and of the number
#: of monomials that the degrees allow.
MAX_GCD_TERMS, MAX_GCD_BOX = 2500, 20_000
#: Bounds for factorizations: of the degree, the product of the two highest degrees, and that of
#: the degree and the bits of a coefficient.
MAX_FACTORED_DEGREE, MAX_FACTORED_BOX, MAX_FACTORED_BITS = 400, 300, 200_000
#: Polynomials of a higher degree are not divided: the quotient may have as many terms.
MAX_DIVIDED_DEGREE = 40_000

UNIT = fmpq(1)


class NotProvedError(Exception):
    """The prover can neither prove nor refute the identity."""


def gcd(a: Poly, b: Poly) -> Poly:
    """The greatest common divisor, or only the common monomial if the search may take long."""
    if len(a) > 1 and len(b) > 1 and _may_take_long(a, b):
        return a.term_content().gcd(b.term_content())
    return a.gcd(b)


def _may_take_long(a: Poly, b: Poly) -> bool:
    if len(a) * len(b) > MAX_GCD_TERMS:
        return True
    if max(a.total_degree(), b.total_degree()) < MAX_GCD_BOX.bit_length():
        return False  # there are at most 2^degree monomials
    if math.prod([1 + degree for degree in map(max, a.degrees(), b.degrees())]) <= MAX_GCD_BOX:
        return False
    # FLINT's deflation replaces x^5000 by x if all exponents allow this.
    (a_strides, a_shifts), (b_strides, b_shifts) = a.deflation_index(), b.deflation_index()
    strides = map(math.gcd, a_strides, b_strides)
    rows = zip(a.degrees(), a_shifts, b.degrees(), b_shifts, strides, strict=True)
    spans = [max(d - m, e - n) // max(1, step) for d, m, e, n, step in rows]
    return bool(math.prod(1 + span for span in spans) > MAX_GCD_BOX)


def is_factored_quickly(poly: Poly) -> bool:
    """Whether a polynomial's degrees and coefficients suggest a quick factorization."""
    *_, next_highest, highest = sorted(poly.degrees())
    if highest > MAX_FACTORED_DEGREE or highest * next_highest > MAX_FACTORED_BOX:
        return False
    return all(highest * c.height_bits() <= MAX_FACTORED_BITS for c in poly.coeffs())


def product(a: Poly, b: Poly) -> Poly:
    if b.is_one():
        return a
    # A product of powers of sums has more terms before they are collected.
    if len(a) > 4 and len(a) * len(b) > 4 * MAX_TERMS:
        raise NotProvedError("too many terms")
    return a * b


@final
class Quotient:
    """A fraction in lowest terms with a denominator whose leading coefficient is 1.

    ``support`` has a bit for each generator that occurs, and is -1 until computed.
    """

    __slots__ = ("den", "num", "support")

    def __init__(self, num: Poly, den: Poly = None, support: int = -1) -> None:
        self.num, self.support = num, support
        self.den = num.context().constant(1) if den is None else den

    def _of(self, value: fmpq | int) -> Quotient:
        return Quotient(self.num.context().constant(value), support=0)

    def add(self, operand: Operand, *, lowest: bool = True) -> Quotient:
        """The sum. If ``lowest`` is False, the result need not be in lowest terms."""
        right = operand if type(operand) is Quotient else self._of(operand)
        a, b = self.den, right.den
        if a is b or a == b:
            num = self.num + right.num
            if not a.is_one():
                return quotient(num, a) if lowest else Quotient(num, a)
            # Where both have a generator, this may cancel out.
            common = self.support & right.support
            return Quotient(num, a, -1 if common else self.support | right.support)
        if a.is_one() or b.is_one():
            return Quotient(product(self.num, b) + product(right.num, a), b if a.is_one() else a)
        divisor = gcd(a, b)
        c, d = (a, b) if divisor.is_one() else (a / divisor, b / divisor)
        num, den = product(self.num, d) + product(right.num, c), product(a, d)
        if divisor.is_one() or not lowest or (common := gcd(num, divisor)).is_one():
            return Quotient(num, den)
        # All other factors of the denominator are factors of a single summand's.
        return Quotient(num / common, den / common)

    __add__ = __radd__ = add

    def __sub__(self, right: Operand) -> Quotient:
        return self.add(-right)

    def __rsub__(self, right: Operand) -> Quotient:
        return -self + right

    def __neg__(self) -> Quotient:
        return Quotient(-self.num, self.den, self.support)

    def __mul__(self, operand: Operand) -> Quotient:
        if type(operand) is not Quotient and operand:
            return Quotient(self.num * operand, self.den, self.support)
        right = operand if type(operand) is Quotient else self._of(operand)
        if not (self.support and right.support):
            number, factor = (right, self) if self.support else (self, right)
            if number.num.is_one():
                return factor
            if number.num.is_zero():
                return number
        support = self.support | right.support
        if self.den.is_one() and right.den.is_one():
            return Quotient(product(self.num, right.num), self.den, support)
        (a, b), (c, d) = (self.num, self.den), (right.num, right.den)
        if self.support & right.support:  # else they have no common factor
            (a, d), (c, b), support = lowest(a, d), lowest(c, b), -1
        return Quotient(product(a, c), product(d, b), support)

    __rmul__ = __mul__

    def __truediv__(self, operand: Operand) -> Quotient:
        right = operand if type(operand) is Quotient else self._of(operand)
        if right.num.is_zero():
            raise NotProvedError("division by zero")
        if not right.support:
            return Quotient(self.num / right.num.leading_coefficient(), self.den, self.support)
        if not (self.den.is_one() and right.den.is_one()):
            return self * right.inverse()
        if not self.support or self.support & right.support:
            return quotient(self.num, right.num)
        # They have no common factor.
        return Quotient(*monic(self.num, right.num), self.support | right.support)

    def __rtruediv__(self, right: Operand) -> Quotient:
        return self.inverse() * right

    def __pow__(self, exponent: int) -> Quotient:
        if exponent == 1:
            return self
        if exponent < 0:
            return self.inverse() ** -exponent
        num, den = self.num, self.den
        terms = max(len(num), len(den))
        if terms > 1 and math.comb(exponent + terms - 1, terms - 1) > MAX_TERMS:
            raise NotProvedError("too many terms in a power")
        den = den if den.is_one() else den**exponent
        return Quotient(num**exponent, den, self.support if exponent else 0)

    def __eq__(self, right: object) -> bool:
        return self is right or (
            type(right) is Quotient and self.num == right.num and self.den == right.den
        )

    __hash__ = None  # type: ignore[assignment]

    def inverse(self) -> Quotient:
        if self.num.is_zero():
            raise NotProvedError("division by zero")
        return Quotient(*monic(self.den, self.num), self.support)

    def is_zero(self) -> bool:
        return bool(self.num.is_zero())

    def is_one(self) -> bool:
        return bool(self.num.is_one() and self.den.is_one())

    def rational(self) -> fmpq | None:
        """The value if the fraction is a rational number, else None."""
        if not (self.num.is_constant() and self.den.is_one()):
            return None
        return fmpq(0) if self.num.is_zero() else self.num.leading_coefficient()


Operand: TypeAlias = Quotient | fmpq | int


class Ring:
    """Polynomials over Q in a variable for each generator that a field may have.

    The last generator is the largest variable, so that relations lead with their own generators.
    """

    def __init__(self, size: int) -> None:
        names = [f"g{i}" for i in reversed(range(size))]
        self.size, self.context = size, fmpq_mpoly_ctx.get(names, Ordering.lex)
        self.variables = self.context.gens()
        self.one, self.zero = (Quotient(self.context.constant(k), support=0) for k in (1, 0))


#: For the towers of one proof, in their order: fewer variables take less time. Of 10,897 proofs of
#: the corpora, the largest needs 27 generators, and 34 more than 12.
RINGS = Ring(12), Ring(32), Ring(32)


@lru_cache(maxsize=512)
def rational(ring: Ring, p: int, q: int) -> Quotient:
    return Quotient(ring.context.constant(fmpq(p, q)), ring.one.num, 0)


def monic(num: Poly, den: Poly) -> tuple[Poly, Poly]:
    lead = den.leading_coefficient()
    return (num, den) if lead == 1 else (num / lead, den / lead)


def lowest(num: Poly, den: Poly) -> tuple[Poly, Poly]:
    """A fraction with a denominator whose leading coefficient is 1, in lowest terms."""
    if den.is_one() or num.is_one() or (common := gcd(num, den)).is_one():
        return num, den
    return num / common, den / common


def quotient(num: Poly, den: Poly) -> Quotient:
    """The fraction num/den in lowest terms."""
    if den.is_zero():
        raise NotProvedError("division by zero")
    return Quotient(*lowest(*monic(num, den)))
