"""A simplifier with bounded work: rational functions, and identities of squares.

The released generator calls SymPy's `simplify` with a time limit. Here a formula is a quotient of
polynomials in its components (x, sin u, sqrt u, ...), which is brought over a common denominator,
cancelled and factored (by FLINT). Identities such as sin^2 u + cos^2 u = 1 are applied to sums. The
result is the form with the fewest tokens; SymPy minimises the number of operations. The work is
bounded by numbers of parts, terms and degrees, not by a time limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, lru_cache, reduce
from itertools import repeat
from typing import Any, Final, TypeAlias

from flint import Ordering, fmpq, fmpz_mpoly_ctx

from ....rewards.reading.expression.formulas import template
from ....rewards.reading.expression.tree import Expression, Number
from ...algebra.normal_form import Algebra, UnusableFormulaError, factors_of
from ..codec.prefix import PrefixError, to_prefix

#: The largest number of components of a formula, the polynomials' variables.
MAX_PARTS = 8
#: The largest number of terms of a polynomial, and the largest degree.
MAX_TERMS = 120
MAX_DEGREE = 24

_Polynomial: TypeAlias = Any
_Quotient: TypeAlias = tuple[_Polynomial, _Polynomial]
#: The base of a power, and the irrational factor of its exponent.
_Key: TypeAlias = tuple[Expression, Expression]


@lru_cache(maxsize=1 << 16)
def size(node: Expression) -> float:
    """The number of tokens in prefix form; infinity beyond the limit."""
    try:
        return len(to_prefix(node))
    except PrefixError:
        return math.inf


class Simplifier:
    """Simplifies nodes to the shortest form found, never longer than the node."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.simplify: Callable[[Expression], Expression] = cache(self._simplify)
        self.squares: Callable[[Expression], Expression] = cache(self._squares)

    def _simplify(self, node: Expression) -> Expression:
        inner = self._deeper(node)
        forms = [node, inner]
        if inner.function in ("add", "mul"):
            forms.append(self.squares(inner))
            for form in dict.fromkeys(forms[1:]):
                with suppress(UnusableFormulaError, OverflowError):  # of large factors, in FLINT
                    for quotient in _quotients(self.algebra, form):
                        forms += (quotient, self.squares(quotient))
        return min(forms, key=size)

    def _deeper(self, node: Expression) -> Expression:
        """A node whose functions' arguments, bases and exponents are simplified."""
        if not node.args:
            return node
        simplify_argument = self._deeper if node.function in ("add", "mul") else self.simplify
        return self.algebra.apply(node.function, *map(simplify_argument, node.args))

    def _squares(self, node: Expression) -> Expression:
        """Replace pairs of terms such as c m sin^2 u + c m cos^2 u in a formula's sums."""
        if node.function in ("mul", "pow"):
            return self.algebra.apply(node.function, *map(self.squares, node.args))
        shorter = _with_squares(self.algebra, node) if node.function == "add" else None
        return node if shorter is None else self.squares(shorter)


# --- squares of functions ---

#: The squares of functions as sums.
_SQUARES: Final = {
    "sin": "1 - cos(u)**2",
    "cos": "1 - sin(u)**2",
    "tan": "cos(u)**(-2) - 1",
    "cosh": "1 + sinh(u)**2",
    "sinh": "cosh(u)**2 - 1",
    "tanh": "1 - cosh(u)**(-2)",
}


def _with_squares(algebra: Algebra, node: Expression) -> Expression | None:
    """A shorter sum, after replacing a square by a sum and cancelling a term; else None."""
    factors = {core: factor for factor, core in map(algebra.split, node.args)}
    for term in node.args:
        for power in factors_of(term):
            base, exponent = algebra.power_of(power)
            if exponent is algebra.two and base.function in _SQUARES:
                square = algebra.node(template(_SQUARES[base.function]), base.args[0])
                times = [cofactor for cofactor in factors_of(term) if cofactor is not power]
                expanded = [algebra.mul(*times, addend) for addend in square.args]
                if any(
                    factors.get(core) == -factor for factor, core in map(algebra.split, expanded)
                ):
                    shorter = algebra.add(node, algebra.neg(term), *expanded)
                    if size(shorter) < size(node):
                        return shorter
    return None


# --- quotients of polynomials ---


def _quotients(algebra: Algebra, node: Expression) -> Iterator[Expression]:
    """Forms of a formula over a common denominator: expanded, factored, and term by term."""
    field = _Field(algebra, node)
    numerator, denominator = field.reduced(*field.read(node))
    bottom = algebra.pow(field.factored(denominator), algebra.minus_one)
    terms = field.terms(numerator)
    yield algebra.mul(algebra.add(*terms), bottom)
    factored = algebra.mul(field.factored(numerator), bottom)
    yield factored
    for factor in factors_of(factored):
        if factor.function == "add" and algebra.split(factored)[0] < 0:  # its sign is turned
            yield algebra.mul(algebra.neg(algebra.div(factored, factor)), algebra.neg(factor))
    yield algebra.add(*(algebra.mul(term, bottom) for term in terms))


class _Field:
    """Quotients of integer polynomials in the components of a formula.

    Components are powers. Powers with the same base and the same irrational factor of the exponent
    are integer powers of a common component, whose rational exponent is the `unit`.
    """

    def __init__(self, algebra: Algebra, node: Expression) -> None:
        self.algebra = algebra
        self.units: dict[_Key, fmpq] = {}
        self._collect(node)
        if len(self.units) > MAX_PARTS:
            raise UnusableFormulaError("too many parts")
        keys = sorted(self.units, key=lambda key: key[0] is algebra.e)
        self.places = {key: index for index, key in enumerate(keys)}
        self.parts = [
            algebra.pow(base, algebra.mul(algebra.number(self.units[base, core]), core))
            for base, core in keys
        ]
        self.context = fmpz_mpoly_ctx.get([f"p{i}" for i in range(len(keys))], Ordering.lex)
        self.letters, self.one = self.context.gens(), self.context.constant(1)

    def _power_of(self, node: Expression) -> tuple[Expression, fmpq, _Key | None]:
        """The base, the exponent's rational factor, and the component; None for a given base."""
        base, exponent = self.algebra.power_of(node)
        c, core = self.algebra.split(exponent)
        opaque = base is node or base is self.algebra.e or core is not self.algebra.one
        return base, c, (base, core) if opaque or c.q != 1 else None

    def _collect(self, node: Expression) -> None:
        if node.function in ("add", "mul"):
            for arg in node.args:
                self._collect(arg)
        elif not isinstance(node, Number):
            base, c, key = self._power_of(node)
            if key is not None:
                unit = self.units.get(key, None if base is self.algebra.e else fmpq(1))
                self.units[key] = c if unit is None else unit.gcd(c)
            if key is None or (c.q != 1 and base is not self.algebra.e):
                self._collect(base)

    # --- reading ---

    def read(self, node: Expression) -> _Quotient:
        if isinstance(node, Number):
            return self.context.constant(node.numerator), self.context.constant(node.denominator)
        if node.function in ("add", "mul"):
            combine = self._sum if node.function == "add" else self._product
            return reduce(combine, map(self.read, node.args))
        base, c, key = self._power_of(node)
        if key is None:
            return self._power(self.read(base), int(c.p))
        return self._power((self.letters[self.places[key]], self.one), int((c / self.units[key]).p))

    def _times(self, polynomial: _Polynomial, second: _Polynomial) -> _Polynomial:
        if polynomial.total_degree() + second.total_degree() > MAX_DEGREE:
            raise UnusableFormulaError("too high a degree")
        product = polynomial * second
        if len(product) > MAX_TERMS:
            raise UnusableFormulaError("too many terms")
        return product

    def _sum(self, quotient: _Quotient, second: _Quotient) -> _Quotient:
        shared = quotient[1].gcd(second[1])
        left_cofactor, right_cofactor = quotient[1] / shared, second[1] / shared
        numerator = self._times(quotient[0], right_cofactor) + self._times(second[0], left_cofactor)
        return numerator, self._times(quotient[1], right_cofactor)

    def _product(self, quotient: _Quotient, second: _Quotient) -> _Quotient:
        return self._times(quotient[0], second[0]), self._times(quotient[1], second[1])

    def _power(self, base: _Quotient, exponent: int) -> _Quotient:
        if exponent < 0 and not len(base[0]):
            raise UnusableFormulaError("division by 0")
        factors = repeat(base if exponent > 0 else base[::-1], abs(exponent))
        return reduce(self._product, factors, (self.one, self.one))

    # --- shortening ---

    def reduced(self, numerator: _Polynomial, denominator: _Polynomial) -> _Quotient:
        """A quotient in lowest terms, with lowest powers of roots in the numerator."""
        numerator, denominator = self._lowest(numerator, denominator)
        for key, unit in self.units.items():
            if unit.q > 1 and key[1] is self.algebra.one:
                radicand, divisor = self.read(key[0])
                if divisor == self.one:
                    numerator = self._with_low_powers(
                        numerator, self.places[key], int(unit.q), radicand
                    )
        return self._lowest(numerator, denominator)

    def _lowest(self, polynomial: _Polynomial, denominator: _Polynomial) -> _Quotient:
        shared = polynomial.gcd(denominator)
        return polynomial / shared, denominator / shared

    def _with_low_powers(
        self, polynomial: _Polynomial, index: int, order: int, radicand: _Polynomial
    ) -> _Polynomial:
        total = self.context.constant(0)
        for exponents, coefficient in polynomial.to_dict().items():
            times, remainder = divmod(int(exponents[index]), order)
            lowered = (*exponents[:index], remainder, *exponents[index + 1 :])
            power, _ = self._power((radicand, self.one), times)
            total += self._times(self.context.from_dict({lowered: coefficient}), power)
        return total

    # --- writing ---

    def terms(self, polynomial: _Polynomial) -> list[Expression]:
        number, terms = self.algebra.number, []
        for exponents, coefficient in polynomial.to_dict().items():
            powers = zip(self.parts, map(number, map(int, exponents)), strict=True)
            factors = (self.algebra.pow(base, exponent) for base, exponent in powers)
            terms.append(self.algebra.mul(number(int(coefficient)), *factors))
        return terms

    def factored(self, polynomial: _Polynomial) -> Expression:
        algebra = self.algebra
        if not len(polynomial):
            return algebra.zero
        constant, factors = polynomial.factor()
        written = (
            algebra.pow(algebra.add(*self.terms(factor)), algebra.number(int(times)))
            for factor, times in factors
        )
        return reduce(algebra.mul, written, algebra.number(int(constant)))
