"""Asymptotic expansions in several scales at once, with exact coefficients.

A scale is a list of functions 1/w, called elements. Each element tends to infinity, faster than all
powers of the preceding elements. An example is ln(1/t), 1/t, exp(1/t). A germ is a series in the
fastest element, and the coefficients are germs in the slower elements. (Richardson, Salvy, Shackell
and van der Hoeven, *Asymptotic expansions of exp-log functions*, ISSAC 1996; Eberl, *Verified real
asymptotics in Isabelle/HOL*, ISSAC 2019.)

If a series has infinitely many terms, the terms alone never show that all of them are zero.
Therefore a germ may have a second representation, as a polynomial in atoms. Atoms are symbols that
stand for series or for powers of w.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, reduce
from math import comb
from typing import Any

from flint import fmpq

from ...reading.expression.tree import Symbol
from .functions import SERIES
from .series import (
    Constants,
    Element,
    Exponent,
    Germ,
    Monomial,
    NotExpandedError,
    Power,
    Series,
    Term,
    UndefinedError,
    exponent_of,
)

#: Coefficients that one expansion may compute: 0.3 s at 10 microseconds each.
MAX_COEFFICIENTS = 30_000
#: Leading terms of one series that may cancel; those of textbooks need up to 12.
MAX_CANCELLED = 40
#: After so many the series is looked at altogether: it may be zero without an end of its terms.
CANCELLED_AT_FIRST = 7
#: Elements of one scale; nested exponentials and logarithms of textbooks have up to 6.
MAX_ELEMENTS = 12
#: Whole powers that are multiplied out; higher ones are binomial series.
MAX_FACTORS = 8


@dataclass(slots=True)
class Scale:
    """The elements (growth rates) that expansions need, and arithmetic with expansions."""

    constants: Constants
    elements: list[Element] = field(init=False, default_factory=lambda: [Element(0)])
    computed: int = field(init=False, default=0)
    atoms: dict[tuple[Any, ...], str] = field(init=False, default_factory=dict)
    one: Any = field(init=False)
    zero: Any = field(init=False)

    def __post_init__(self) -> None:
        self.one, self.zero = self.constants.number(fmpq(1)), self.constants.number(fmpq(0))

    # --- elements ---

    def insert(self, at: int, logarithm: Germ | None) -> Element:
        """Insert a new element (growth rate) at index ``at`` of the list of elements."""
        if len(self.elements) == MAX_ELEMENTS:
            raise NotExpandedError("too many scales")
        element = Element(at, logarithm)
        self.elements.insert(at, element)
        for rank, moved in enumerate(self.elements):
            moved.rank = rank
        return element

    def logarithm(self, element: Element) -> Germ:
        """The logarithm of an element, as an expansion.

        The logarithm of the slowest element is a new element, which is even slower.
        """
        if element.logarithm is None:
            slower = self.insert(0, None)
            element.logarithm = self.monomial(slower, fmpq(-1))
        return element.logarithm

    # --- germs ---

    def monomial(self, element: Element, exponent: Power, coefficient: Germ | None = None) -> Germ:
        """A coefficient times a power of w, where 1/w is the given element."""
        germ = self.one if coefficient is None else coefficient
        if exponent == 0:
            return germ

        def whole_value() -> Any:
            if isinstance(exponent, Exponent):
                return None
            # whole powers are powers of one atom, so that they cancel
            integer = exponent.p // exponent.q
            value = self.value(germ) * self.atom((id(element), "1")) ** int(integer)
            if exponent.q != 1:
                value = value * self.atom((id(element), str(exponent - integer)))
            return value

        return Series(element, iter([(exponent, germ)]), whole_value)

    def spend(self) -> None:
        """Count one computed coefficient. If the count is too high, raise `NotExpandedError`."""
        self.computed += 1
        if self.computed > MAX_COEFFICIENTS:
            raise NotExpandedError("the expansion takes too many coefficients")

    def atom(self, key: tuple[Any, ...]) -> Any:
        """The symbol for a series or for a power. Equal keys give the same symbol."""
        name = self.atoms.setdefault(key, f"~{len(self.atoms)}")
        return self.constants.value(Symbol(name))

    def value(self, germ: Germ) -> Any:
        """Write an expansion as a polynomial in symbols that stand for series and powers.

        Raises:
            NotExpandedError: no such polynomial is known for the expansion.

        """
        if not isinstance(germ, Series):
            return germ
        value = germ.whole_value() if germ.whole_value is not None else None
        if value is None:
            raise NotExpandedError("a series that is not a polynomial in atoms")
        return value

    def _aligned(self, a: Germ, b: Germ) -> tuple[Series, Series]:
        """Write two expansions as series in the same growth rate, the faster of the two."""
        if not isinstance(b, Series) or (isinstance(a, Series) and a.element.rank > b.element.rank):
            return a, Series(a.element, iter([(fmpq(0), b)]))
        if not isinstance(a, Series) or a.element.rank < b.element.rank:
            return Series(b.element, iter([(fmpq(0), a)])), b
        return a, b

    def add(self, *terms: Germ) -> Germ:
        return reduce(self._add, terms)

    def _add(self, a: Germ, b: Germ) -> Germ:
        if not isinstance(a, Series) and not isinstance(b, Series):
            self.spend()
            return a + b
        a_term, b_term = self._aligned(a, b)
        return Series(
            a_term.element, self._sum(a_term, b_term), lambda: self.value(a) + self.value(b)
        )

    def _sum(self, a: Series, b: Series) -> Iterator[Term]:
        i = j = 0
        while True:
            a_term, b_term = a.term(i), b.term(j)
            if a_term is None or b_term is None:
                yield from (b.behind(j) if a_term is None else a.behind(i))
                return
            if a_term[0] == b_term[0]:
                yield a_term[0], self._add(a_term[1], b_term[1])
                i, j = i + 1, j + 1
            elif a_term[0] < b_term[0]:
                yield a_term
                i += 1
            else:
                yield b_term
                j += 1

    def neg(self, a: Germ) -> Germ:
        if isinstance(a, Series):
            terms = ((e, self.neg(c)) for e, c in a.behind(0))
            return Series(a.element, terms, lambda: -self.value(a))
        return -a

    def mul(self, *factors: Germ) -> Germ:
        return reduce(self._mul, factors)

    def _mul(self, a: Germ, b: Germ) -> Germ:
        if not isinstance(a, Series) and not isinstance(b, Series):
            self.spend()
            return a * b
        # zero times a series without end is zero, which its terms would not show
        for factor in (a, b):
            if not isinstance(factor, Series) and self.constants.rational(factor) == 0:
                return self.zero
        a_term, b_term = self._aligned(a, b)
        return Series(
            a_term.element,
            self._product_of_normal(a_term, b_term),
            lambda: self.value(a) * self.value(b),
        )

    def _product_of_normal(self, a: Series, b: Series) -> Iterator[Term]:
        a_term, b_term = self.normal(a), self.normal(b)
        if isinstance(a_term, Series) and isinstance(b_term, Series):
            yield from self._product(a_term, b_term)

    def _product(self, a: Series, b: Series) -> Iterator[Term]:
        # a heap of pairs of terms: (i, j + 1) follows (i, j), and (i + 1, 0) follows (i, 0); what
        # follows is asked for after a term is passed on, as it may depend on that term
        if (a_term := a.term(0)) is None or (b_term := b.term(0)) is None:
            return
        heap = [(a_term[0] + b_term[0], 0, 0)]
        while heap:
            exponent, total, pairs = heap[0][0], None, []
            while heap and heap[0][0] == exponent:
                _, i, j = heapq.heappop(heap)
                pairs.append((i, j))
                product = self._mul(a.terms[i][1], b.terms[j][1])
                total = product if total is None else self._add(total, product)
            yield exponent, total
            for i, j in pairs:
                if (beyond := b.term(j + 1)) is not None:
                    heapq.heappush(heap, (a.terms[i][0] + beyond[0], i, j + 1))
                if j == 0 and (following_row := a.term(i + 1)) is not None:
                    heapq.heappush(heap, (following_row[0] + b.terms[0][0], i + 1, 0))

    def normal(self, a: Germ) -> Germ:
        """Remove the leading terms that are zero from an expansion.

        Raises:
            NotExpandedError: it cannot be decided whether a coefficient is zero, or too many
                leading terms are zero.

        """
        if not isinstance(a, Series):
            return self.zero if self.constants.is_zero(a) else a
        if a.normal is None:
            a.normal = self._without_zeros(a)
        return a.normal

    def _without_zeros(self, a: Series) -> Germ:
        for index in range(MAX_CANCELLED):
            term = a.term(index)
            if term is None:
                return self.zero
            coefficient = self.normal(term[1])
            if coefficient is self.zero:
                if index == CANCELLED_AT_FIRST:
                    with suppress(NotExpandedError):
                        if self.constants.rational(self.value(a)) == 0:
                            return self.zero
                continue
            trimmed = Series(a.element, a.behind(index + 1), a.whole_value)
            trimmed.terms.append((term[0], coefficient))
            trimmed.normal = trimmed
            return trimmed
        raise NotExpandedError("the terms of an expansion cancel")

    def leading(self, a: Germ) -> tuple[Monomial, Any]:
        """The leading term of an expansion, as a list of exponents and a constant.

        Each exponent is paired with its element. The list begins with the fastest element.
        """
        monomial: Monomial = []
        while isinstance(a, Series):
            term = self.normal(a).terms[0]
            if term[0] != 0:
                monomial.append((a.element, term[0]))
            a = term[1]
        return monomial, a

    def size(self, a: Germ) -> int:
        """Return 1 if an expansion tends to infinity, -1 if the limit is 0, and 0 otherwise."""
        return -1 if a is self.zero else self.ratio(a, self.one)

    def ratio(self, a: Germ, b: Germ) -> int:
        """Return 1 if ``a`` grows faster than ``b``, 0 if a/b has a nonzero limit, else -1."""
        a_term, b_term = (self.leading(germ)[0] for germ in (a, b))
        exponents: dict[int, Power] = {}
        for monomial, sign in ((a_term, -1), (b_term, 1)):
            for element, power in monomial:
                exponents[element.rank] = exponents.get(element.rank, fmpq(0)) + sign * power
        for rank in sorted(exponents, reverse=True):
            if exponents[rank] != 0:
                return 1 if exponents[rank] > 0 else -1
        return 0

    def limit(self, a: Germ) -> tuple[int, Any]:
        """The limit of an expansion, as two numbers.

        The first is 0 if the limit is finite; the second is then the limit. For plus or minus
        infinity, the first is 1 or -1, and the second the coefficient of the leading term.
        """
        a = self.normal(a)
        size = self.size(a)
        if size < 0:
            return 0, self.zero
        coefficient = self.leading(a)[1]
        return (0, coefficient) if size == 0 else (self.constants.sign(coefficient), coefficient)

    def sign(self, a: Germ) -> int:
        """The sign (1, 0 or -1) of an expansion near the point."""
        a = self.normal(a)
        if a is self.zero:
            return 0
        return self.constants.sign(self.leading(a)[1])

    # --- composition ---

    def split(self, a: Germ) -> tuple[Germ, Germ]:
        """Split an expansion into the terms that tend to infinity, and the rest."""
        a = self.normal(a)
        if self.size(a) <= 0 or not isinstance(a, Series):
            return self.zero, a
        infinite: Germ = self.zero
        for index in range(MAX_CANCELLED):
            term = a.term(index)
            if term is None:
                return infinite, self.zero
            if term[0] >= 0:
                terms = a.behind(index)
                if term[0] == 0:
                    slower, remainder = self.split(term[1])
                    infinite = self.add(infinite, slower)
                    faster = Series(a.element, a.behind(index + 1))
                    terms = self._sum(*self._aligned(remainder, faster))
                return infinite, Series(
                    a.element, terms, self.add(a, self.neg(infinite)).whole_value
                )
            infinite = self.add(infinite, self.monomial(a.element, term[0], term[1]))
        raise NotExpandedError("too many terms that tend to infinity")

    def parts(self, a: Germ) -> tuple[Germ, Any, Germ]:
        """Split an expansion into terms that tend to infinity, a number, and the rest."""
        infinite, finite = self.split(a)
        limit = self.limit(finite)[1]
        return infinite, limit, self.add(finite, -limit)

    def series(self, name: str, h: Germ, *orders: int) -> Germ:
        """The power series with a name in `SERIES` for an expansion h that tends to zero."""
        coefficient = SERIES[name].coefficient
        taylor = lambda j: self.constants.number(coefficient(j, *orders))  # noqa: E731
        return self.compose(taylor, h, (name, *orders))

    def compose(
        self, taylor: Callable[[int], Any], h: Germ, name: object = None, order: int = 0
    ) -> Germ:
        """The sum of taylor(j) h^j, for an expansion h that tends to zero.

        Args:
            taylor: the coefficients.
            h: the germ.
            name: a key that identifies the function. Different functions need different keys. If
                the key is None, the sum cannot be written as a polynomial (`value`).
            order: 0 if ``taylor`` belongs to this function, or n if ``taylor`` belongs to its n-th
                derivative.

        """
        h = self.normal(h)
        if not isinstance(h, Series):
            if h is not self.zero:
                raise NotExpandedError("a power series at another point")
            return taylor(0)
        exponent, leading_number = h.terms[0]
        if exponent < 0:
            raise NotExpandedError("a power series at infinity")

        def whole_value() -> Any:
            value = self.value(h)
            key = (name, order, str(value.num), str(value.den))
            return None if name is None else self.atom(key)

        if exponent > 0:
            return Series(h.element, self._horner(cache(taylor), h, 0), whole_value)
        # f(c + h0 + h1) is the sum of f^(j)(c + h0)/j! h1^j, where h0 varies more slowly than h1

        @cache
        def slower(j: int) -> Germ:
            shifted = lambda i: taylor(i + j) * comb(i + j, j)  # noqa: E731
            return self.compose(shifted, leading_number, name, order + j)

        faster = Series(h.element, h.behind(1))
        return Series(h.element, self._horner(slower, faster, 0), whole_value)

    def _horner(self, taylor: Callable[[int], Germ], h: Series, j: int) -> Iterator[Term]:
        yield fmpq(0), taylor(j)
        if h.term(0) is not None:
            yield from self._product(h, Series(h.element, self._horner(taylor, h, j + 1)))

    def raised_monomial(self, monomial: Monomial, exponent: Power, coefficient: Any) -> Germ:
        """A number times a power of a monomial."""
        for element, power in reversed(monomial):
            coefficient = self.monomial(element, power * exponent, coefficient)
        return coefficient

    def one_plus(self, a: Germ, monomial: Monomial, coefficient: Any) -> Germ:
        """The expansion divided by its leading term, minus 1. The result tends to zero."""
        inverse = self.raised_monomial(monomial, fmpq(-1), self.one / coefficient)
        return self.add(self.mul(a, inverse), -self.one)

    def power(self, a: Germ, exponent: Any) -> Germ:
        """Raise an expansion to a constant power."""
        constants = self.constants
        ratio = constants.rational(exponent)
        if ratio is not None and ratio.q == 1 and 0 <= ratio <= MAX_FACTORS:
            return self._whole_power(a, int(ratio.p))
        a = self.normal(a)
        if a is self.zero:
            if (constants.sign(exponent) if ratio is None else ratio) > 0:
                return self.zero
            raise UndefinedError("division by zero")
        monomial, leading_number = self.leading(a)
        sign = constants.sign(leading_number)
        if sign < 0 and (ratio is None or int(ratio.q) % 2 == 0):
            raise UndefinedError("a power of a negative number")
        size = leading_number if sign > 0 else -leading_number
        unit = constants.rational(size) == 1  # to any power, however high
        result = self.one if unit else constants.apply("pow", size, exponent)
        if sign < 0 and ratio is not None and int(ratio.p) % 2:
            result = -result
        result = self.raised_monomial(monomial, exponent_of(exponent, constants), result)
        h = self.one_plus(a, monomial, leading_number)

        @cache
        def binomial(j: int) -> Any:
            if j == 0:
                return self.one
            shift = constants.number(fmpq(1 - j))
            return binomial(j - 1) * (exponent + shift) * constants.number(fmpq(1, j))

        return self.mul(result, self.compose(binomial, h, f"power {self.constants.tree(exponent)}"))

    def _whole_power(self, a: Germ, exponent: int) -> Germ:
        if exponent < 2:
            return a if exponent else self.one
        half = self._whole_power(a, exponent // 2)
        square = self.mul(half, half)
        return self.mul(square, a) if exponent % 2 else square

    # --- exponentials and logarithms ---

    def exp(self, a: Germ) -> Germ:
        """The exponential of an expansion. The computation may add a growth rate (an `Element`)."""
        infinite, limit, small = self.parts(a)
        series = self.series("of_exp", small)
        if limit is not self.zero:
            series = self.mul(self.constants.apply("exp", limit), series)
        if infinite is self.zero:
            return series
        return self.mul(self._exp_of_infinite(self.normal(infinite)), series)

    def _exp_of_infinite(self, a: Germ) -> Germ:
        """Compute exp(a) for an expansion whose terms all tend to infinity."""
        sign = self.constants.sign(self.leading(a)[1])
        for element in reversed(list(self.elements)):
            if element.logarithm is None:
                break  # every power of the slowest element is faster than its logarithm
            logarithm = self.normal(element.logarithm)
            order = self.ratio(a, logarithm)
            if order > 0:
                break
            if order == 0:
                multiple = self.leading(a)[1] / self.leading(logarithm)[1]
                smaller = self.add(a, self.neg(self.mul(multiple, logarithm)))
                power = -exponent_of(multiple, self.constants)
                return self.mul(self.monomial(element, power), self.exp(smaller))
        faster = self.insert(element.rank + 1, a if sign > 0 else self.neg(a))
        return self.monomial(faster, fmpq(-sign))

    def ln(self, a: Germ) -> Germ:
        """The logarithm of an expansion that is positive near the point."""
        a = self.normal(a)
        if a is self.zero:
            raise UndefinedError("the logarithm of zero")
        monomial, leading_number = self.leading(a)
        if self.constants.sign(leading_number) < 0:
            raise UndefinedError("the logarithm of a negative number")
        total = self.constants.apply("ln", leading_number)
        for element, power in monomial:
            number = power.number if isinstance(power, Exponent) else self.constants.number(power)
            total = self.add(total, self.mul(-number, self.logarithm(element)))
        return self.add(total, self.series("of_ln", self.one_plus(a, monomial, leading_number)))
