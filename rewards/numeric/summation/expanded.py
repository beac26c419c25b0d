r"""Sums of z^n S(n) with proved bounds, if \|z\| <= 1 and S has an expansion in 1/n and ln n.

S(n) is a sum of expressions n^{-v} (ln n)^j (c_0 + c_1/n + ..). Each series in 1/n is cut off after
K coefficients, and its remainder is at most C n^{-K} for all n >= N. For z = 1, the sum over n >= N
is a combination of values of Hurwitz's zeta function, and of its derivatives if there are
logarithms. The remainders are bounded by C times the sum of n^{-v-K} (ln n)^j. For other roots of
unity z, each residue class of n has such a sum. The leading term decides about divergence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, factorial
from typing import Final

from flint import acb, acb_poly, acb_series, arb, arb_poly, ctx, fmpq

from ...reading.expression.build import IMAGINARY, ONE, PI, add, div, mul
from ...reading.expression.derivative import differentiate
from ...reading.expression.traversal import fold, is_written_with, substitute
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ..ball_arithmetic.balls import UnusableError
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.jets import Ball
from ..expansions import models
from ..expansions.forms import FormExpander, exact_value, rate
from ..expansions.models import NoModelError, TaylorModel
from ..quadrature.work import QuadratureError, spend
from .hypergeometric import (
    MAX_TERMS,
    ROUNDING_BITS,
    DivergenceError,
    Hypergeometric,
    disc,
    value_of,
)
from .terms import MAX_SHIFT, Summand, factors_of_base

#: 1/u for the least u at which a series is used, over the radius of its disc: with
#: `models.BITS_PER_TERM` = 7 bits a coefficient, the series then serves for all bits.
DEPTH: Final = 2**models.BITS_PER_TERM
#: Largest order of a root of unity: e^{i pi/12} has it. A coefficient takes 24 zeta values.
MAX_ORDER: Final = 24
#: Monomials in ln n that a product is multiplied out to: four factors such as ln(2n) have 16.
MAX_MONOMIALS: Final = 16
#: What a value of the zeta function counts for (`quadrature.work.SPECIAL` counts 25 at most).
ZETA_WORK: Final = 60
#: The logarithm of -1.
_HALF_TURN: Final = mul(IMAGINARY, PI)
_Y: Final = "y"


@dataclass(frozen=True, slots=True)
class Expansion:
    """The function n^{-v} (ln n)^j times a series in 1/n, for n >= N (see the module's docstring).

    Attributes:
        exponent: v.
        exact: v as a fraction if v is known to be rational, else None.
        logarithms: j.
        coefficients: the first K coefficients of the series.
        remainder: C, where C n^{-K} bounds the remainder of the series.

    """

    exponent: Ball
    exact: Fraction | None
    logarithms: int
    coefficients: tuple[Ball, ...]
    remainder: arb

    def times(self, factor: Expansion, cutoff: int) -> Expansion:
        """The product of two expansions, for n >= ``cutoff``."""
        length = min(len(self.coefficients), len(factor.coefficients))
        a, b = (_cut(operand, length, cutoff) for operand in (self, factor))
        spend(length * length // 4)  # half of the pairs, at the half of the bits on average
        u = arb(fmpq(1, cutoff))
        a_size, b_size = _size(a.coefficients, u), _size(b.coefficients, u)
        remainder = a.remainder * (b_size + b.remainder * u**length) + b.remainder * a_size
        product = (acb_poly([*a.coefficients]) * acb_poly([*b.coefficients])).coeffs()
        product += [acb(0)] * (length - len(product))
        exact = None if a.exact is None or b.exact is None else a.exact + b.exact
        return Expansion(
            a.exponent + b.exponent,
            exact,
            a.logarithms + b.logarithms,
            tuple(product[:length]),
            remainder + _size(product[length:], u),
        )

    def scaled(self, factor: Ball) -> Expansion:
        coefficients = tuple(c * factor for c in self.coefficients)
        remainder = (self.remainder * abs(factor)).upper()
        return replace(self, coefficients=coefficients, remainder=arb(remainder))

    def bound(self, cutoff: int) -> tuple[arb, int]:
        """A pair (C, w). The function is at most C n^w in size for all n >= ``cutoff`` >= 1."""
        u = arb(fmpq(1, cutoff))
        size = _size(self.coefficients, u) + self.remainder * u ** len(self.coefficients)
        return size, max(0, ceil(float(-self.exponent.real.lower()))) + self.logarithms


def _size(coefficients: Sequence[Ball], u: arb) -> arb:
    """A bound of the absolute value of a polynomial at u."""
    return arb(arb_poly([abs(coefficient) for coefficient in coefficients])(u))


def _cut(expansion: Expansion, length: int, cutoff: int) -> Expansion:
    """Shorten an expansion to ``length`` coefficients. The remainder covers the omitted terms."""
    u = arb(fmpq(1, cutoff))
    dropped = expansion.coefficients[length:]
    remainder = arb((expansion.remainder * u ** len(dropped) + _size(dropped, u)).upper())
    return replace(expansion, coefficients=expansion.coefficients[:length], remainder=remainder)


@dataclass(frozen=True)
class SlowTerm:
    """The function z^n S(n). S is a sum of summands that have the same z and no gamma functions.

    Attributes:
        summands: the summands.
        index: the name of n in the trees.

    """

    summands: tuple[Summand, ...]
    index: str

    def expanded_trees(self) -> list[tuple[Expression, list[Call], Ball]]:
        """Write each summand as a product of an expression, digamma functions, and a number.

        The expression can be expanded. Summands with a real number and without digamma functions
        become one expression, because their leading terms may cancel.
        """
        plain: list[Expression] = []
        expanded: list[tuple[Expression, list[Call], Ball]] = []
        for summand in self.summands:
            factors = summand.slow.args if summand.slow.function == "mul" else (summand.slow,)
            digammas = [
                node for node in factors if isinstance(node, Call) and node.function == "digamma"
            ]
            turned = is_written_with(summand.coefficient, "i")
            if not digammas and not turned:
                plain.append(summand.tree(self.index))
                continue
            slow = mul(*(factor for factor in factors if factor not in digammas))
            coefficient = ONE if turned else summand.coefficient
            tree = replace(summand, slow=slow, coefficient=coefficient).tree(self.index)
            expanded.append((tree, digammas, value_of(summand.coefficient) if turned else acb(1)))
        return [(add(*plain), [], acb(1)), *expanded] if plain else expanded

    def expansions(self, start: int) -> tuple[list[Expansion], int]:
        """Expansions with the sum S(n), the factor of z^n, for n >= N, and this N >= ``start``."""
        with models.series_length(models.order(ctx.prec)):
            raw_expansions = [
                (self._raw(tree), logs, scale) for tree, logs, scale in self.expanded_trees()
            ]
        radii = [m.radius for raw, _, _ in raw_expansions for _, _, _, m in raw if not m.is_power]
        least = 2 * DEPTH if any(logs for _, logs, _ in raw_expansions) else 2
        cutoff = max([start, least, *(ceil(float(DEPTH / r)) for r in radii)])
        expansions: list[Expansion] = []
        for raw, digammas, scale in raw_expansions:
            # the remainders of models are bounded for u = 1/n <= r/2
            products = [
                Expansion(v, exact, j, tuple(model.coefficients), model.remainder)
                for v, exact, j, model in raw
            ]
            for digamma in digammas:
                logs = _digamma(digamma, self.index)
                products = [a.times(b, cutoff) for a in products for b in logs]
            expansions += [product.scaled(scale) for product in products]
        return expansions, cutoff

    def _raw(self, tree: Expression) -> list[tuple[Ball, Fraction | None, int, TaylorModel]]:
        """Write a tree as terms n^{-v} (ln n)^j m. Each is (v, exact v or None, j, model m)."""
        unknown = models.monomial(1, -1, arb(1))
        expander = FormExpander(_Y, (self.index, unknown), {})
        try:
            terms = expander.terms(expander.expand(tree))
            spend(4 * len(terms))
            raw: list[tuple[Ball, Fraction | None, int, TaylorModel]] = []
            for term in terms:
                exponent = dict(term.exponent)
                exact = exponent.get(ONE, Fraction(0)) if set(exponent) <= {ONE} else None
                v = value_of(rate(term.exponent))
                for j, model in _monomials(term.factor, expander):
                    # a constant has no radius, and a model in a factor stands without its power
                    raw.append((v, exact, j, model))
        except NoModelError as error:
            raise QuadratureError(f"the term has no expansion: {error}") from None
        return raw

    def values(self, start: int, stop: int) -> Iterator[Ball]:
        """Yield S(n) for ``start`` <= n < ``stop``."""
        tree = add(*(summand.tree(self.index) for summand in self.summands))
        try:
            tape = compile_tape(tree, self.index)
        except UnusableError as error:
            raise QuadratureError(str(error)) from None
        work = tape.work(ctx.prec) // 8 + 1  # without derivatives, and few nodes vary
        for n in range(start, stop):
            spend(work)
            value = tape.value(acb(n), {})
            if not value.is_finite():
                raise QuadratureError(f"the term is not defined at {n}")
            yield value


def _monomials(factor: Expression, expander: FormExpander) -> Iterator[tuple[int, TaylorModel]]:
    """Write a factor as a sum of y^power * model with y = ln n. Yield pairs (power, model)."""
    if isinstance(factor, Symbol):
        if factor.name == _Y:
            yield 1, models.constant(acb(1), models.AT_ONE, ONE)
        else:
            yield 0, replace(expander.models[factor.name], valuation=Fraction(0))
        return
    if not expander.is_variable(factor):
        yield 0, models.constant(expander.value(factor), exact_value(factor), factor)
        return
    name, factors = factor.function, factor.args
    if name == "add":
        for arg in factors:
            yield from _monomials(arg, expander)
        return
    if name == "neg":
        factors = (Number(-1), *factors)
    elif name == "div" and not expander.is_variable(factors[1]):
        factors = (factors[0], div(ONE, factors[1]))
    elif name != "mul":
        raise NoModelError(name)
    yield from reduce(_products, [list(_monomials(arg, expander)) for arg in factors])


def _products(
    a: Sequence[tuple[int, TaylorModel]], b: Sequence[tuple[int, TaylorModel]]
) -> list[tuple[int, TaylorModel]]:
    if len(a) * len(b) > MAX_MONOMIALS:
        raise NoModelError("too many terms")
    return [
        (i + j, models.mul(left_model, right_model)) for i, left_model in a for j, right_model in b
    ]


def _digamma(node: Call, index: str) -> list[Expansion]:
    """Write psi(p n + k) as a sum of expansions. The rule psi(x + 1) = psi(x) + 1/x reduces k to 1.

    psi(p n + 1) is ln(p n) plus a series (DLMF 5.11.2). The first omitted term bounds the error.
    """
    argument = node.args[0]
    slope, shift = (
        fold(differentiate(argument, index)),
        fold(substitute(argument, index, Number(0))),
    )
    if slope is None or shift is None or slope <= 0 or shift.denominator != 1:
        raise QuadratureError("the term has no expansion: digamma")
    if abs(shift) > MAX_SHIFT:
        raise QuadratureError("the term has no expansion: digamma")
    length = models.order(ctx.prec) // 2 * 2
    p = acb(fmpq(slope.numerator, slope.denominator))
    # psi(x + 1) = ln x + 1/(2x) - sum of B_{2k} / (2k x^{2k}), with x = p n
    series = [acb(0)] * length
    series[0] = p.log()
    series[1] = 1 / (2 * p)
    for k in range(1, length // 2):
        series[2 * k] = -acb(arb.bernoulli(2 * k)) / (2 * k * p ** (2 * k))
    remainder = abs(arb.bernoulli(length)) / (length * abs(p) ** length)
    # 1/(x + i) = sum of (-i)^m x^{-m-1}; at most i^length x^{-length-1} is left out
    for i in range(min(int(shift), 1), max(int(shift), 1)):
        sign = 1 if shift > 1 else -1
        for m in range(length - 1):
            series[m + 1] += sign * acb(-i) ** m / p ** (m + 1)
        remainder += 2 * arb(abs(i)) ** (length - 1) / abs(p) ** length
    logarithm = Expansion(acb(0), Fraction(0), 1, (acb(1), *[acb(0)] * (length - 1)), arb(0))
    return [logarithm, Expansion(acb(0), Fraction(0), 0, tuple(series), arb(remainder.upper()))]


def total(term: SlowTerm, start: int) -> Ball:
    """The sum of ``term``, z^n S(n), from ``start`` to infinity, at the working precision.

    Raises:
        DivergenceError: the sum is proved to diverge.
        QuadratureError: the sum cannot be computed.

    """
    base_tree = term.summands[0].base
    base = value_of(base_tree)
    order = _order_of_root(base_tree)
    if order is None and (base - 1).contains(0):
        raise QuadratureError("the quotient of terms may be 1")
    expansions, cutoff = term.expansions(start)
    _refuse_divergence(expansions, order or MAX_ORDER + 1)
    if cutoff - start > MAX_TERMS:
        raise QuadratureError(f"the sum takes more than {MAX_TERMS} terms")
    # The terms before the cutoff are added up. Later terms are summed by their expansions, whose
    # remainders bound the error.
    slow_factors = enumerate(term.values(start, cutoff), start)
    value = sum((slow * base**n for n, slow in slow_factors), acb(0))
    for expansion in expansions:
        if order is None:
            value += _turning(expansion, base_tree, cutoff)
        else:
            tails = _Tails(order, base, cutoff, expansion.logarithms)
            for k, coefficient in enumerate(expansion.coefficients):
                if not coefficient.is_zero():
                    value += coefficient * tails.value(expansion.exponent + k)
        if not expansion.remainder.is_zero():
            end = expansion.exponent + len(expansion.coefficients)
            if not end.real > 2:
                raise QuadratureError("the expansion of the term is too short")
            remainder = _Tails(1, acb(1), cutoff, expansion.logarithms).value(end)
            value += disc((expansion.remainder * abs(remainder)).upper())
    return value


def _turning(expansion: Expansion, base_tree: Expression, cutoff: int) -> Ball:
    """The sum of z^n n^{-v} (c_0 + c_1/n + ..) over n >= N, for any z on the unit circle except 1.
    For c_k, Lerch's function is used if v + k > 2, else the polylogarithm (DLMF 25.12.10, Abel).
    """
    if expansion.logarithms:
        raise QuadratureError("logarithms beside an angle that is no part of a circle")
    total = acb(0)
    base = value_of(base_tree)
    for k, coefficient in enumerate(expansion.coefficients):
        if coefficient.is_zero():
            continue
        s = expansion.exponent + k
        spend(2 * ZETA_WORK)
        if s.real > 2:
            tail = base**cutoff * base.lerch_phi(s, acb(cutoff))
        else:
            spend(cutoff)
            tail = base.polylog(s) - sum(
                (base**n * acb(n) ** (-s) for n in range(1, cutoff)), acb(0)
            )
        total += coefficient * tail
    if not total.is_finite():
        raise QuadratureError("a sum over a circle that is not computed")
    return total


def geometric_total(quotient: Hypergeometric, term: SlowTerm, start: int) -> Ball:
    """The sum of h(n) S(n), if the ratio test proves that the sum of h(n) converges.

    Args:
        quotient: the hypergeometric factor h.
        term: the factor S, as z^n S(n) with z = 1.
        start: the first index.

    Raises:
        QuadratureError: the ratio test does not apply, or the sum takes too many terms.

    """
    if not quotient.growth.is_geometric:
        raise QuadratureError("the term decays too slowly")
    expansions, cutoff = term.expansions(start)
    cutoff = max(cutoff, quotient.regular_from)
    size, degree = arb(0), 0
    for expansion in expansions:
        bound, w = expansion.bound(cutoff)
        size, degree = size + bound, max(degree, w)
    last_index = cutoff
    while True:
        # h(n) n^w decreases by the bound of the quotient times (1 + 1/n)^w
        ratio = quotient.quotient_bound(last_index) * (1 + arb(fmpq(1, last_index))) ** degree
        if ratio < 1:
            remainder = (
                size * abs(quotient.at(last_index)) * arb(last_index) ** degree / (1 - ratio)
            )
            if remainder < arb(2) ** (ROUNDING_BITS - ctx.prec):
                break
        last_index += last_index // 8 + 1  # at most an eighth of the terms in vain
        if last_index > MAX_TERMS:
            raise QuadratureError(f"the sum takes more than {MAX_TERMS} terms")
    terms = zip(quotient.terms(start, last_index), term.values(start, last_index), strict=True)
    return sum((h * slow for h, slow in terms), acb(0)) + disc(remainder.upper())


def _refuse_divergence(expansions: Sequence[Expansion], order: int) -> None:
    """Raise `DivergenceError` if divergence is proved, and `QuadratureError` if it is unknown. The
    sum of z^n n^{-v} (ln n)^j converges if v > 1. If z is not 1, then v > 0 suffices.
    """
    limit = 1 if order == 1 else 0
    slow = [expansion for expansion in expansions if not expansion.exponent.real > limit]
    if not slow:
        return
    ranks = [(expansion.exact, -expansion.logarithms) for expansion in slow]
    exact_ranks = [(exact, logarithms) for exact, logarithms in ranks if exact is not None]
    if len(exact_ranks) == len(slow):
        leading = min(exact_ranks)
        pairs = zip(ranks, slow, strict=True)
        total = sum((e.coefficients[0] for rank, e in pairs if rank == leading), acb(0))
        if not total.contains(0):
            real = total.imag.contains(0)
            sign = 0 if order > 1 or not real else 1 if total.real > 0 else -1
            raise DivergenceError(sign)
    raise QuadratureError("whether the terms decay fast enough is not decided")


def _order_of_root(base: Expression) -> int | None:
    """The order of ``base`` if it is recognized as a root of unity, else None."""
    number, exponents = factors_of_base(base)
    sign = fold(number)
    if sign not in (1, -1) or exponents.keys() - {_HALF_TURN}:
        return None
    order = ((exponents.get(_HALF_TURN, Fraction(0)) + (sign < 0)) / 2).denominator
    return order if order <= MAX_ORDER else None


@dataclass(frozen=True)
class _Tails:
    """Computes sums of z^n n^{-s} (ln n)^j over n >= ``cutoff``. The base z is a root of unity."""

    order: int
    base: Ball
    cutoff: int
    logarithms: int

    def value(self, s: Ball) -> Ball:
        """The sum for the exponent s, by residue classes: n = order (m + a), a = (N + i)/order."""
        j = self.logarithms
        spend(ZETA_WORK * self.order * (1 + j) * max(1, ctx.prec // 512))
        total = acb_series([0], prec=j + 1)
        point = acb_series([s, 1], prec=j + 1)
        for i in range(self.order):
            a = acb(fmpq(self.cutoff + i, self.order))
            # the pole at s = 1 cancels in the sum over a circle
            total += point.zeta(a, deflate=self.order > 1) * self.base ** (self.cutoff + i)
        if self.order > 1:
            scale = (acb_series([s, 1], prec=j + 1) * -acb(self.order).log()).exp()
            total = total * scale
        sign = -1 if j % 2 else 1
        return sign * total[j] * factorial(j)
