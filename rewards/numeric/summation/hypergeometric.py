r"""Sums of hypergeometric terms with proved bounds of the remainder, and proofs of divergence.

The letters of this module: a(n) is a term. Its quotient is q(n) = a(n+1)/a(n) = z A(n)/B(n), where
A and B are polynomials, and u = 1/n. As n grows, a(n) behaves like n!^d L^n n^{-s}. The numbers d,
L and s follow from the leading coefficients of A and B.

- d < 0 or \|L\| < 1: the quotient is enclosed for all n >= N at once, as a function of u on
  [0, 1/N]. The sum from N is then bounded by a geometric sum (the ratio test).
- L = 1 with s > 1, L = -1 with s > 0, or L near to 1 or -1: the sum from N is accelerated. T is a
  polynomial in u (times n if L = 1) with T(n+1) q(n) - T(n) = 1 + e(n) and e(n) = O(u^K). Then the
  sum is -T(N) a(N) minus the sum of a(n) e(n). The latter sum has a bound, because e is known
  exactly. For terms without gamma functions, this method is the Euler-Maclaurin formula.
- d > 0, or \|L\| > 1, or L = 1 with s <= 1, or \|L\| = 1 with s <= 0: the sum diverges. If L = 1,
  this follows from Gauss's test. Otherwise the terms do not tend to 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log
from typing import Any, Final

from flint import acb, acb_poly, arb, ctx, fmpq, fmpq_poly, fmpq_series

from ...reading.expression.traversal import fold
from ...reading.expression.tree import Expression
from ..ball_arithmetic.balls import UnusableError, precision
from ..ball_arithmetic.evaluation import evaluate
from ..ball_arithmetic.jets import Ball
from ..expansions.models import series_length
from ..quadrature.work import QuadratureError, spend
from .terms import Summand, exact_fmpq, factors_of_base

#: Terms that are added one by one at most: 0.1 s at 250 bits.
MAX_TERMS: Final = 20_000
#: Quotients above this are accelerated: so many terms for a digit take longer than the acceleration
#: (0.7 gives two bits in four terms).
SLOW_QUOTIENT: Final = Fraction(7, 10)
#: How often the number of terms in front of the acceleration is doubled. Of 24 sums of the bank and
#: of SymPy's tests 16 need one attempt, 2 two; 6 never reach the goal, and are bounded well enough.
DOUBLINGS: Final = 5
#: Bits for a coefficient of T, and for a term in front of it. Of 3, 4, 6 and 8 bits each, 4 take
#: the least time at which seven sums of textbooks have full accuracy (0.05 to 0.2 s altogether).
BITS_PER_COEFFICIENT: Final = 4
#: Bits that rounding takes from a sum: of 2^8 terms, and a few more from longer ones.
ROUNDING_BITS: Final = 8
#: Bits of a comparison of constants with 1: those of textbooks differ by more than 10^-30.
FEW_BITS: Final = 128
#: Bits of a root bound beyond which a term is refused: no index up to `MAX_TERMS` is regular.
ROOT_BITS: Final = 40
#: Root bounds up to this cost fewer terms than a look at the roots themselves.
SMALL_ROOT: Final = 32


class DivergenceError(QuadratureError):
    """The sum is proved to diverge.

    Attributes:
        sign: +1 or -1 if the partial sums tend to plus or minus infinity, else 0.

    """

    def __init__(self, sign: int = 0) -> None:
        super().__init__("the sum diverges")
        self.sign = sign


@dataclass(frozen=True, slots=True)
class Growth:
    r"""How the absolute value of a term grows: like n!^d L^n n^{-s}.

    Attributes:
        factorials: d.
        size: \|L\| as a ball. ``size`` is meaningful for d = 0 only.
        is_one: whether \|L\| is exactly 1. ``size`` is then exact as well.
        decay: s.

    """

    factorials: int
    size: arb
    is_one: bool
    decay: fmpq

    @property
    def is_geometric(self) -> bool:
        """Whether the ratio test proves that the sum converges."""
        return self.factorials < 0 or (self.factorials == 0 and bool(self.size < 1))

    @property
    def explodes(self) -> bool:
        """Whether the terms grow faster than any power of n."""
        return self.factorials > 0 or (self.factorials == 0 and bool(self.size > 1))


@dataclass(frozen=True)
class Hypergeometric:
    """A hypergeometric term, without its constant coefficient and its slowly varying factor."""

    summand: Summand

    @cached_property
    def exact_base(self) -> Fraction | None:
        """The base z as a fraction, or None if z is not written as a rational number."""
        return fold(self.summand.base)

    @cached_property
    def base_lies_on_circle(self) -> bool:
        """Whether the form of the base z shows that its absolute value is exactly 1."""
        number, exponents = factors_of_base(self.summand.base)
        with precision(FEW_BITS):
            is_rotation = all(value_of(exponent).real.is_zero() for exponent in exponents)
        return is_rotation and abs(fold(number) or 0) == 1

    @cached_property
    def quotient(self) -> tuple[fmpq_poly, fmpq_poly]:
        """Numerator and denominator of the quotient a(n+1)/a(n) of terms, in lowest terms."""
        summand = self.summand
        numerator = summand.numerator(fmpq_poly([1, 1])) * summand.denominator
        denominator = summand.denominator(fmpq_poly([1, 1])) * summand.numerator
        for (slope, shift), exponent in summand.gammas:
            rising = fmpq_poly([1])
            for k in range(slope):
                rising *= fmpq_poly([exact_fmpq(shift + k), slope])
            if exponent > 0:
                numerator *= rising**exponent
            else:
                denominator *= rising**-exponent
        common = numerator.gcd(denominator)
        return numerator / common, denominator / common

    def base(self) -> Ball:
        """The base z of the factor z^n, at the working precision."""
        return value_of(self.summand.base)

    @cached_property
    def growth(self) -> Growth:
        """How the absolute value of the term grows for large n."""
        numerator, denominator = self.quotient
        factorials = numerator.degree() - denominator.degree()
        leading = numerator.leading_coefficient() / denominator.leading_coefficient()
        with precision(FEW_BITS):
            size = abs(self.base() * acb(leading))
        is_one = bool(abs(leading) == 1) and self.base_lies_on_circle
        if self.exact_base is not None:
            is_one = bool(abs(leading * exact_fmpq(self.exact_base)) == 1)
        decay = _second(denominator) - _second(numerator)
        return Growth(factorials, arb(1) if is_one else size, is_one, decay)

    @cached_property
    def regular_from(self) -> int:
        """An n from which on the term and its quotient a(n+1)/a(n) have no zeros or poles."""
        bound = max(_root_bound(self.summand.numerator), _root_bound(self.summand.denominator))
        for polynomial in self.quotient:
            bound = max(bound, _root_bound(polynomial))
        return max(1, bound + 1)

    def at(self, n: int) -> Ball:
        """The value of the term at a whole number."""
        spend(4 * (1 + len(self.summand.gammas)))  # a quotient, powers and their product
        denominator = self.summand.denominator(n)
        if denominator == 0:
            raise QuadratureError(f"the term is not defined at {n}")
        numerator = self.summand.numerator(n)
        if numerator == 0:
            return acb(0)
        value = acb(fmpq(numerator / denominator)) * self.base() ** n
        for (slope, shift), exponent in self.summand.gammas:
            argument = acb(exact_fmpq(slope * n + shift))
            if exponent > 0:
                value *= argument.gamma() ** exponent
            else:
                value *= argument.rgamma() ** -exponent
        return value

    def terms(self, start: int, stop: int) -> list[Ball]:
        """The values of the term for ``start`` <= n < ``stop``.

        Most values are computed from the preceding value, multiplied by the quotient.
        """
        if stop - start > MAX_TERMS:
            raise QuadratureError(f"the sum takes more than {MAX_TERMS} terms")
        numerator, denominator = self.quotient
        base = self.base()
        values: list[Ball] = []
        for n in range(start, stop):
            if n <= max(self.regular_from, start):
                values.append(self.at(n))
            else:
                spend(3)  # two products and a quotient
                values.append(values[-1] * base * acb(numerator(n - 1)) / acb(denominator(n - 1)))
        return values

    def quotient_bound(self, cutoff: int) -> arb:
        r"""A bound, perhaps infinite, of \|a(n+1)/a(n)\| for the term a(n), n >= ``cutoff``."""
        numerator, denominator = map(reversed_polynomial, self.quotient)
        u = _up_to(cutoff)
        size = abs(self.base()) * abs(_at(numerator, u)).upper() / abs(_at(denominator, u)).lower()
        drop = self.growth.factorials
        return arb((size / arb(cutoff) ** -drop).upper()) if drop <= 0 else arb("inf")


def total(term: Hypergeometric, start: int) -> Ball:
    """The sum of a term from ``start`` to infinity, at the working precision.

    Raises:
        DivergenceError: the sum is proved to diverge.
        QuadratureError: the sum cannot be computed.

    """
    growth = term.growth
    if growth.explodes:
        raise DivergenceError(_sign_of_positive(term))
    exact = term.exact_base
    near_one = growth.factorials == 0 and bool(growth.size > arb(exact_fmpq(SLOW_QUOTIENT)))
    if growth.is_geometric and (exact is None or not near_one):
        return geometric(term, start)
    if exact is None:
        raise QuadratureError("the term decays too slowly")
    leading = _leading(term)
    if leading == 1 and growth.decay <= 1:
        raise DivergenceError(_sign_of_positive(term))
    if growth.is_one and growth.decay <= 0:
        raise DivergenceError(0)
    if not (growth.is_one or growth.is_geometric):
        raise QuadratureError("whether the terms decay is not decided")
    return _accelerated(term, start, leading)


def _leading(term: Hypergeometric) -> fmpq:
    numerator, denominator = (poly.leading_coefficient() for poly in term.quotient)
    exact = term.exact_base
    assert exact is not None
    return exact_fmpq(exact) * numerator / denominator


def _sign_of_positive(term: Hypergeometric) -> int:
    """The common sign of all terms for large n, or 0 if the signs alternate or are unknown."""
    numerator, denominator = term.quotient
    leading = acb(numerator.leading_coefficient() / denominator.leading_coefficient()) * term.base()
    if not (leading.imag.is_zero() and leading.real > 0):
        return 0
    value = term.at(term.regular_from + 1)
    return 0 if not value.imag.is_zero() else 1 if value.real > 0 else -1 if value.real < 0 else 0


def geometric(term: Hypergeometric, start: int) -> Ball:
    """The sum of a term from ``start`` to infinity. The ratio test bounds the remainder."""
    cutoff = max(start, term.regular_from)
    bound = term.quotient_bound(cutoff)
    limit = arb(1) if term.growth.factorials else (1 + term.growth.size) / 2
    while not bool(bound < limit):
        cutoff = 2 * cutoff + 2
        if cutoff > MAX_TERMS:
            raise QuadratureError("the quotients of terms are not small enough")
        bound = term.quotient_bound(cutoff)
    rate = -float(bound.log().mid()) if bool(bound > 0) else float(ctx.prec)
    last_index = cutoff + 2 + ceil(min(ctx.prec * log(2) / rate, MAX_TERMS))
    if term.growth.factorials < 0:
        last_index = cutoff + _factorial_length(term, cutoff)
    values = term.terms(start, last_index + 1)
    end = term.quotient_bound(last_index)
    remainder = abs(values[-1]).upper() / (1 - end)
    return sum(values[:-1], acb(0)) + disc(remainder)


def _factorial_length(term: Hypergeometric, cutoff: int) -> int:
    """Count the terms after ``cutoff`` until the product of their quotients is below 2^-prec."""
    size, n = 0.0, cutoff
    numerator, denominator = term.quotient
    base = max(float(abs(term.base()).upper()), sys.float_info.min)
    while size > -log(2) * ctx.prec:
        spend(1)
        quotient = abs(float(acb(numerator(n) / denominator(n)).real.mid())) * base
        size += log(max(quotient, sys.float_info.min))
        n += 1
        if n - cutoff > MAX_TERMS:
            raise QuadratureError("the quotients of terms are not small enough")
    return n - cutoff + 2


def _accelerated(term: Hypergeometric, start: int, leading: fmpq) -> Ball:
    """The sum of a term from ``start`` on, by the function T of the module's docstring.

    The acceleration begins at an index N, which is doubled until the error is small enough.
    """
    order = ctx.prec // BITS_PER_COEFFICIENT
    cutoff = max(start, term.regular_from) + order
    goal = arb(2) ** (ROUNDING_BITS - ctx.prec)
    multiplier = _Multiplier.of(term, leading, order)
    best: Ball | None = None
    for _ in range(DOUBLINGS):
        values = term.terms(start, cutoff + 1)
        beyond = multiplier.beyond(values[-1], cutoff)
        if beyond is not None:
            best = sum(values[:-1], acb(0)) + beyond
            # relative to the sum, and absolute where its terms cancel
            if bool(best.real.rad() < goal * max(abs(best).upper(), arb(2) ** -FEW_BITS)):
                return best
        cutoff *= 2
    if best is None:
        raise QuadratureError("the term decays too slowly")
    return best


@dataclass(frozen=True)
class _Multiplier:
    """The function T and a bound of the error e, as polynomials in u (see the module's docstring).

    Attributes:
        coefficients: t_0 + t_1 u + .. in T = n^shift (t_0 + t_1 u + ..).
        shift: 1 if L = 1, else 0.
        error: the numerator of e. For u > 0, the denominator of e is at least the denominator of q.
        denominator: the denominator of q as a polynomial in u. Its value at u = 0 is 1.
        decrease: a polynomial that has the sign of 1 - |q| for u > 0.
        numerator: the numerator of q as a polynomial in u, times the sign of q for small u.

    """

    coefficients: fmpq_poly
    shift: int
    error: fmpq_poly
    denominator: fmpq_poly
    decrease: fmpq_poly
    numerator: fmpq_poly

    @classmethod
    def of(cls, term: Hypergeometric, leading: fmpq, order: int) -> _Multiplier:
        """Compute the function T (see the module's docstring) for a term."""
        exact = term.exact_base
        assert exact is not None
        numerator, denominator = map(reversed_polynomial, term.quotient)
        numerator = numerator * exact_fmpq(exact) / denominator[0]
        denominator = denominator / denominator[0]
        shift = 1 if leading == 1 else 0
        length = order + 2
        with series_length(length):
            quotient = fmpq_series(numerator.coeffs()) / fmpq_series(denominator.coeffs())
        column = fmpq_poly(quotient.coeffs())
        if shift:
            column = column.mul_low(fmpq_poly([1, 1]), length)
        step = fmpq_poly([(-1) ** k for k in range(length)])
        residual = fmpq_poly([-1])  # what T(n+1) q(n) - T(n) - 1 is so far, over u^k
        entries: list[fmpq] = []
        for k in range(order):
            spend(order // 8 + 1)
            # the column of t_k is u^{k - shift} ((1+u)^{shift - k} q - 1)
            entry = (column - 1).right_shift(shift)
            t = -residual[0] / entry[0]
            entries.append(t)
            residual = (residual + t * entry).truncate(length - k).right_shift(1)
            column = column.mul_low(step, length)
        error = _error(entries, shift, numerator, denominator)
        positive = numerator if leading > 0 else -numerator
        decrease = denominator - positive
        if decrease[0] == 0:
            decrease = decrease.right_shift(1)
        return cls(fmpq_poly(entries), shift, error, denominator, decrease, positive)

    def beyond(self, value: Ball, cutoff: int) -> Ball | None:
        """The sum from ``cutoff`` to infinity. ``value`` is the term at ``cutoff``.

        If the error has no bound, the result is None.
        """
        u = _up_to(cutoff)
        lower = _at(self.denominator, u)
        if not (
            lower > 0 and bool(_at(self.decrease, u) >= 0) and bool(_at(self.numerator, u) >= 0)
        ):
            return None
        if any(c != 0 for c in self.error.coeffs()[:2]):
            return None
        spend(self.error.degree())
        # sum of n^{-j} from N on is at most N^{-j} (1 + N/(j - 1))
        error = arb(0)
        for j, c in enumerate(self.error.coeffs()[2:], 2):
            error += abs(arb(c)) * arb(cutoff) ** -j * (1 + arb(cutoff) / (j - 1))
        multiplier = _at(self.coefficients, arb(fmpq(1, cutoff)))
        multiplier *= arb(cutoff) ** self.shift
        return -multiplier * value + disc((abs(value).upper() * error / lower.lower()).upper())


def _error(
    entries: list[fmpq], shift: int, numerator: fmpq_poly, denominator: fmpq_poly
) -> fmpq_poly:
    """The numerator of the error e. The module's docstring explains the letters."""
    m = max(len(entries) - 1 - shift, 0)
    one_plus_u, u = fmpq_poly([1, 1]), fmpq_poly([0, 1])
    # T(n+1) n^-shift (1 + u)^m, where the last coefficient of T has the lowest power of 1 + u
    moved, raised = fmpq_poly([0]), one_plus_u ** (m + shift - len(entries) + 1)
    for t in reversed(entries):
        moved = moved * u + t * raised
        raised *= one_plus_u
    full = one_plus_u**m
    spend(4 * len(entries))
    scaled = moved * numerator - fmpq_poly(entries) * full * denominator
    assert not shift or scaled[0] == 0
    return scaled.right_shift(shift) - full * denominator


def reversed_polynomial(polynomial: fmpq_poly) -> fmpq_poly:
    """n^-degree times a polynomial in n, as a polynomial in u = 1/n."""
    return fmpq_poly(polynomial.coeffs()[::-1])


def _second(polynomial: fmpq_poly) -> fmpq:
    """The second-highest coefficient of a polynomial, divided by its leading coefficient."""
    degree = polynomial.degree()
    return polynomial[degree - 1] / polynomial[degree] if degree else fmpq(0)


def _root_bound(polynomial: fmpq_poly) -> int:
    """An upper bound of all real roots. If the bound of all roots is large, roots are computed."""
    if polynomial.degree() < 1:
        return 0
    bound: arb = acb_poly(polynomial).root_bound()
    if not bound < 2**ROOT_BITS:
        raise QuadratureError("the term has too large numbers")
    if bound > SMALL_ROOT:  # all real roots are few: look closer
        pairs: Any = polynomial.complex_roots()
        bound = max([arb(0), *(root.real.upper() for root, _ in pairs)]) + 1
    return ceil(float(bound.upper()))


def _up_to(cutoff: int) -> arb:
    half = arb(fmpq(1, 2 * cutoff))
    return half + arb(0, half.upper())


def _at(polynomial: fmpq_poly, u: arb) -> arb:
    # Horner's rule: sums of powers of a ball would be wider
    value = arb(0)
    for c in reversed(polynomial.coeffs()):
        value = value * u + arb(c)
    return value


def disc(radius: arb) -> Ball:
    """A ball around 0 that contains all complex numbers with absolute value up to ``radius``."""
    if not radius.is_finite():
        raise QuadratureError("what is left out has no bound")
    size = arb(0, radius.upper())
    return acb(size, size)


def value_of(node: Expression) -> Ball:
    """The value of a constant expression, at the working precision."""
    try:
        value = evaluate(node)
    except UnusableError:
        raise QuadratureError("a constant without a value") from None
    if not value.is_finite():
        raise QuadratureError("a constant without a finite value")
    return value
