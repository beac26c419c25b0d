"""Computes the value of an infinite sum without parameters, or proves that the sum diverges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import acb, arb, fmpq_poly

from ...reading.expression.build import ONE, add, neg, number
from ...reading.expression.traversal import substitute
from ...reading.expression.tree import Expression, Symbol
from ..ball_arithmetic.balls import UnusableError, precision
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.jets import Ball
from ..ball_arithmetic.magnitude import BITS_PER_DIGIT
from ..quadrature.value import IntegralValue
from ..quadrature.work import QuadratureError
from . import expanded
from .hypergeometric import DivergenceError, Hypergeometric, total, value_of
from .terms import Summand, summands_of

#: Bits beyond those of the digits that are wanted, for what cancels among the summands of a term.
GUARD_BITS = 64
#: Terms of a divergent series that have to be defined. Exercises begin at a number that is at most
#: 10 off, and the values of 32 terms take 1 ms.
FIRST_TERMS = 32


def infinite_sum(term: Expression, index: str, start: int, digits: int) -> IntegralValue:
    r"""Sum a term from ``start`` to infinity.

    Args:
        term: the term, without parameters.
        index: the name of the index.
        start: the least value of the index.
        digits: the number of decimal digits that are wanted.

    Returns:
        The enclosure of the sum, with the method ``enclosure``. If the sum is proved to diverge,
        the result has no value and the method ``divergence``.

    Raises:
        QuadratureError: neither a value nor divergence was proved, or the sum is not real.

    Example:
        >>> from calculus_harness.rewards.reading.latex import read
        >>> term = read(r"\frac{1}{n^2}", symbols="n")[0].expression
        >>> infinite_sum(term, "n", 1, 20).ball.str(12, radius=False)
        '1.64493406685'

    """
    given_term, given_start = term, start
    if start < 0:  # from 0 on, the gamma functions of `terms` have no poles
        term = substitute(term, index, add(Symbol(index), number(start)))
        start = 0
    try:
        with precision(int(digits * BITS_PER_DIGIT) + GUARD_BITS):
            value = _total(term, index, start)
            if not value.imag.contains(0):
                raise QuadratureError("the sum is not real")
            return IntegralValue(value.real, "enclosure")
    except DivergenceError as error:
        check_first_terms(given_term, index, given_start)
        return IntegralValue(arb("nan"), "divergence", error.sign)


def check_first_terms(term: Expression, index: str, start: int) -> None:
    """Raise `QuadratureError` if one of the first terms of a series is not defined or not real."""
    try:
        tape = compile_tape(term, index)
    except UnusableError as error:
        raise QuadratureError(str(error)) from None
    for n in range(start, start + FIRST_TERMS):
        value = tape.value(acb(n), {})
        if not value.is_finite() or not value.imag.contains(0):
            raise QuadratureError(f"the term is not defined at {n}")


def long_sum(term: Expression, index: str, low: int, high: int, digits: int) -> Fraction | Ball:
    """The sum of a term over low, .., high, for ranges with too many terms to add.

    The sum of a polynomial is computed exactly by Bernoulli polynomials (DLMF 24.4.7). The sum of
    any other term is the difference of two sums to infinity.

    Raises:
        QuadratureError: the term is not a polynomial, and its sum to infinity does not converge.

    """
    summands = summands_of(term, index)
    if all(s.kind == Summand().kind and s.denominator.degree() == 0 for s in summands):
        total = Fraction(0)
        for summand in summands:
            polynomial = summand.numerator / summand.denominator[0]
            for k, c in enumerate(polynomial.coeffs()):
                powers = fmpq_poly.bernoulli_poly(k + 1)
                difference = c * (powers(high + 1) - powers(low)) / (k + 1)
                total += Fraction(int(difference.p), int(difference.q))
        return total
    sums = [infinite_sum(term, index, start, digits) for start in (low, high + 1)]
    if any(sum_.diverges for sum_ in sums):
        raise QuadratureError("the sum has too many terms, and no sum to infinity")
    return acb(sums[0].ball - sums[1].ball)


def mirrored(term: Expression, index: str) -> Expression:
    """Negate the index in a term. A sum from minus infinity then becomes a sum to infinity."""
    return substitute(term, index, neg(Symbol(index)))


def _total(term: Expression, index: str, start: int) -> Ball:
    """The sum of a term from ``start`` on. Summands that may cancel are summed as a group."""
    groups: dict[object, list[Summand]] = {}
    for summand in summands_of(term, index):
        groups.setdefault((summand.base, summand.gammas), []).append(summand)
    value = acb(0)
    divergent: list[DivergenceError] = []
    for summands in groups.values():
        try:
            value += _group(summands, index, start)
        except DivergenceError as error:
            divergent.append(error)
    if len(divergent) > 1 and not _exceed_all(list(groups.values())):
        raise QuadratureError("two divergent summands of the sum may cancel")
    if divergent:
        raise DivergenceError(divergent[0].sign if len(divergent) == 1 else 0)
    return value


def _exceed_all(groups: Sequence[Sequence[Summand]]) -> bool:
    r"""Whether it is proved that c_1 z_1^n + c_2 z_2^n + .. does not tend to 0.

    The proof requires that the numbers z of the largest summands are distinct and lie on the unit
    circle. The factors c of these summands must not be zero. The mean of the squared size of the
    sum then tends to sum \|c\|^2 > 0.
    """
    if any(
        len(summands) > 1 or summands[0].slow != ONE or summands[0].gammas for summands in groups
    ):
        return False
    terms = [Hypergeometric(replace(summands[0], coefficient=ONE)) for summands in groups]
    if any(value_of(summands[0].coefficient).contains(0) for summands in groups):
        return False
    rows = [(term, value_of(term.summand.base)) for term in terms]
    largest = [row for row in rows if row[0].base_lies_on_circle and row[0].growth.decay <= 0]
    if not largest or any(row[0].growth.explodes for row in rows):
        return False
    return (
        not any((a[1] - b[1]).contains(0) for at, a in enumerate(largest) for b in largest[:at])
        and len({row[0].growth.decay for row in largest}) == 1
        and all(
            row in largest
            or row[0].growth.decay > largest[0][0].growth.decay
            or not row[0].growth.is_one
            for row in rows
        )
    )


def _group(summands: Sequence[Summand], index: str, start: int) -> Ball:
    """The sum of summands that have the same base z and the same gamma functions."""
    if all(summand.slow == ONE for summand in summands):
        try:
            return _separately(summands, start)
        except DivergenceError:
            if len(summands) == 1:
                raise
        except QuadratureError:
            if summands[0].gammas:
                raise
    # without a common factor 2/3, coefficients that cancel do so exactly
    cutoff = summands[0]
    scale = cutoff.numerator[cutoff.numerator.degree()]
    summands = [replace(summand, numerator=summand.numerator / scale) for summand in summands]
    bare = Hypergeometric(Summand(base=cutoff.base, gammas=cutoff.gammas))
    try:
        if bare.summand.gammas or not bare.base_lies_on_circle:
            slow = tuple(replace(summand, base=ONE, gammas=()) for summand in summands)
            return acb(scale) * expanded.geometric_total(
                bare, expanded.SlowTerm(slow, index), start
            )
        return acb(scale) * expanded.total(expanded.SlowTerm(tuple(summands), index), start)
    except DivergenceError as error:
        raise DivergenceError(error.sign if scale > 0 else -error.sign) from None


def _separately(summands: Sequence[Summand], start: int) -> Ball:
    """Add up the sums of hypergeometric summands, each computed by itself.

    Raises:
        DivergenceError: the sum of a summand diverges. The ``sign`` of the error is the sign after
            the multiplication by the coefficient.
        QuadratureError: the sum of a summand diverges, and its coefficient may be zero.

    """
    value = acb(0)
    for summand in summands:
        coefficient = value_of(summand.coefficient)
        try:
            value += coefficient * total(Hypergeometric(replace(summand, coefficient=ONE)), start)
        except DivergenceError as error:
            real = coefficient.real
            sign = 1 if real > 0 else -1 if real < 0 else 0
            if sign == 0 and coefficient.contains(0):
                raise QuadratureError("whether a coefficient is zero is not decided") from None
            if not coefficient.imag.is_zero():
                sign = 0
            raise DivergenceError(sign * error.sign) from None
    return value
