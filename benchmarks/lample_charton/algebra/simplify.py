"""A simplifier with bounded work: rational functions, and identities of squares.

The released generator calls SymPy's `simplify` with a time limit. Here a formula is a quotient of
polynomials in its other parts (x, sin u, sqrt u, ...), which is brought over one denominator,
cancelled and factored (by FLINT). Identities such as sin^2 u + cos^2 u = 1 are applied to sums. The
result is the form with the fewest tokens; SymPy takes the one with the fewest operations. The work
is bounded by numbers of parts, terms and degrees, not by a time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import comb, gcd, lcm
from typing import Any

from flint import Ordering, fmpq, fmpz_mpoly_ctx

from ....rewards.expression.tree import Expression, Number
from .nodes import size, value
from .normal_form import Algebra, UnusableFormulaError

#: The most different parts of a formula, which are the polynomials' variables.
MAX_PARTS = 8
#: The most terms of a polynomial, and its highest degree.
MAX_TERMS = 120
MAX_DEGREE = 24
#: The most products of terms for one formula.
MAX_WORK = 20_000

_Polynomial = Any


def simplify(algebra: Algebra, node: Expression) -> Expression:
    """The shortest form found of a node; never longer than the node."""
    return _Simplifier(algebra).simplify(node)


class _TooCostlyError(Exception):
    """A form exceeds the bounds."""


class _Simplifier:
    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._simplified: dict[Expression, Expression] = {}

    def simplify(self, node: Expression) -> Expression:
        shortest = self._simplified.get(node)
        if shortest is None:
            shortest = node
            if node.args:
                inner = self._inside(node)
                shortest = min((node, inner, *self._forms(inner)), key=size)
            self._simplified[node] = shortest
        return shortest

    def _inside(self, node: Expression) -> Expression:
        """A node whose functions' arguments, bases and exponents are simplified."""
        algebra = self.algebra
        if node.function == "add":
            return algebra.add(*map(self._inside, node.args))
        if node.function == "mul":
            return algebra.mul(*map(self._inside, node.args))
        if node.function == "pow":
            return algebra.pow(*map(self.simplify, node.args))
        if node.args:
            return algebra.apply(node.function, self.simplify(node.args[0]))
        return node

    def _forms(self, node: Expression) -> Iterator[Expression]:
        if node.function not in ("add", "mul"):
            return
        yield node
        squared = squares(self.algebra, node)
        yield squared
        for form in dict.fromkeys((node, squared)):
            try:
                for quotient in _quotients(self.algebra, form):
                    yield quotient
                    yield squares(self.algebra, quotient)
            except (_TooCostlyError, UnusableFormulaError):
                continue


# --- squares of functions ---

_Power = Callable[[Algebra, Expression], Expression]


def _power(function: str, exponent: int) -> _Power:
    return lambda a, u: a.pow(a.apply(function, u), a.number(exponent))


#: function -> ((factor, other square or None for 1), its sum with the function's square) ...:
#: F(u)^2 + factor * other(u)^2 = result.
_SQUARES: dict[str, tuple[tuple[int, str | None, _Power, int], ...]] = {
    "sin": (
        (1, "cos", lambda a, u: a.one, 1),
        (-1, None, _power("cos", 2), -1),
    ),
    "cos": ((-1, None, _power("sin", 2), -1),),
    "tan": ((1, None, _power("cos", -2), 1),),
    "cosh": (
        (-1, "sinh", lambda a, u: a.one, 1),
        (-1, None, _power("sinh", 2), 1),
    ),
    "sinh": ((1, None, _power("cosh", 2), 1),),
    "tanh": ((-1, None, _power("cosh", -2), -1),),
}


def squares(algebra: Algebra, node: Expression) -> Expression:
    """Replace pairs of terms such as c m sin^2 u + c m cos^2 u in a formula's sums."""
    if node.function == "mul":
        return algebra.mul(*(squares(algebra, factor) for factor in node.args))
    if node.function == "pow":
        return algebra.pow(squares(algebra, node.args[0]), node.args[1])
    while node.function == "add":
        shorter = _with_squares(algebra, node)
        if shorter is None:
            break
        node = shorter
    return node


def _with_squares(algebra: Algebra, node: Expression) -> Expression | None:
    """A sum with the first pair that an identity applies to replaced, if that is shorter."""
    factors = {rest: factor for factor, rest in map(algebra.split, node.args)}
    for rest, factor in factors.items():
        for power in rest.args if rest.function == "mul" else (rest,):
            if power.function != "pow" or power.args[1] is not algebra.two:
                continue
            function, u = power.args[0].function, (power.args[0].args or (algebra.one,))[0]
            others = algebra.div(rest, power)
            for sign, partner, result, outcome in _SQUARES.get(function, ()):
                square = _power(partner, 2)(algebra, u) if partner else algebra.one
                scale, partner_term = algebra.split(algebra.mul(others, square))
                if factors.get(partner_term) != sign * factor * scale:
                    continue
                kept = [
                    algebra.mul(algebra.number(f), r)
                    for r, f in factors.items()
                    if r is not rest and r is not partner_term
                ]
                one = algebra.mul(algebra.number(outcome * factor), others, result(algebra, u))
                shorter = algebra.add(*kept, one)
                if size(shorter) < size(node):
                    return shorter
    return None


# --- quotients of polynomials ---


@dataclass(frozen=True, slots=True)
class _Quotient:
    above: _Polynomial
    below: _Polynomial


def _quotients(algebra: Algebra, node: Expression) -> Iterator[Expression]:
    """Forms of a formula over one denominator: expanded, factored, and term by term."""
    field = _Field(algebra, node)
    whole = field.cancelled(field.read(node))
    above, below = field.reduced(whole)
    bottom = algebra.pow(field.factored(below), algebra.minus_one)
    yield algebra.mul(field.write(above), bottom)
    factored = algebra.mul(field.factored(above), bottom)
    yield factored
    yield from _signs_moved(algebra, factored)
    if len(above) > 1:
        yield algebra.add(*(algebra.mul(term, bottom) for term in field.terms(above)))


def _signs_moved(algebra: Algebra, product: Expression) -> Iterator[Expression]:
    """A negative product with the sign moved into one of its sums."""
    if product.function != "mul" or algebra.split(product)[0] > 0:
        return
    for place, factor in enumerate(product.args):
        if factor.function == "add":
            others = product.args[:place] + product.args[place + 1 :]
            yield algebra.mul(algebra.neg(algebra.mul(*others)), algebra.neg(factor))


class _Field:
    """Quotients of integer polynomials in the parts of one formula."""

    def __init__(self, algebra: Algebra, node: Expression) -> None:
        self.algebra = algebra
        self.work = 0
        #: base of a power -> the denominator of its exponents; e^u is a power of e^(g u).
        roots: dict[Expression, int] = {}
        exponentials: dict[Expression, list[fmpq]] = {}
        self._collect(node, roots, exponentials)
        self.parts: dict[Expression, int] = {}
        self.roots = roots
        self.steps = {
            rest: fmpq(reduce(gcd, (int(c.p) for c in all_)), reduce(lcm, (int(c.q) for c in all_)))
            for rest, all_ in exponentials.items()
        }
        nodes = [self._root(base) for base in roots]
        nodes += [
            algebra.apply("exp", algebra.mul(algebra.number(step), rest))
            for rest, step in self.steps.items()
        ]
        for part in nodes:
            self.parts.setdefault(part, len(self.parts))
        if not 0 < len(self.parts) <= MAX_PARTS:
            raise _TooCostlyError
        names = tuple(f"p{i}" for i in range(len(self.parts)))
        self.context = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self.generators = self.context.gens()
        self.one = self.context.constant(1)

    def _root(self, base: Expression) -> Expression:
        return self.algebra.pow(base, self.algebra.number(fmpq(1, self.roots[base])))

    def _collect(
        self,
        node: Expression,
        roots: dict[Expression, int],
        exponentials: dict[Expression, list[fmpq]],
    ) -> None:
        if isinstance(node, Number):
            return
        if node.function in ("add", "mul"):
            for arg in node.args:
                self._collect(arg, roots, exponentials)
        elif node.function == "exp":
            step, rest = self.algebra.split(node.args[0])
            exponentials.setdefault(rest, []).append(step)
        elif node.function == "pow" and isinstance(node.args[1], Number):
            base, exponent = node.args[0], value(node.args[1])
            if exponent.q != 1:
                roots[base] = lcm(roots.get(base, 1), int(exponent.q))
            self._collect(base, roots, exponentials)
        else:
            roots.setdefault(node, 1)

    # --- reading ---

    def read(self, node: Expression) -> _Quotient:
        if isinstance(node, Number):
            above, below = map(self.context.constant, (node.numerator, node.denominator))
            return _Quotient(above, below)
        if node.function == "add":
            return reduce(self._sum, map(self.read, node.args))
        if node.function == "mul":
            return reduce(self._product, map(self.read, node.args))
        if node.function == "exp":
            step, rest = self.algebra.split(node.args[0])
            times = step / self.steps[rest]
            part = self.algebra.apply(
                "exp", self.algebra.mul(self.algebra.number(self.steps[rest]), rest)
            )
            return self._power(self._part(part), int(times.p))
        if node.function == "pow" and isinstance(node.args[1], Number):
            base, exponent = node.args[0], value(node.args[1])
            if exponent.q == 1:
                return self._power(self.read(base), int(exponent.p))
            times = exponent * self.roots[base]
            return self._power(self._part(self._root(base)), int(times.p))
        degree = self.roots[node]
        return self._power(self._part(self._root(node)), degree)

    def _part(self, node: Expression) -> _Quotient:
        return _Quotient(self.generators[self.parts[node]], self.one)

    def _times(self, one: _Polynomial, other: _Polynomial) -> _Polynomial:
        self.work += len(one) * len(other)
        degree = _degree(one) + _degree(other)
        if self.work > MAX_WORK or degree > MAX_DEGREE or len(one) * len(other) > 8 * MAX_TERMS:
            raise _TooCostlyError
        product = one * other
        if len(product) > MAX_TERMS:
            raise _TooCostlyError
        return product

    def _sum(self, one: _Quotient, other: _Quotient) -> _Quotient:
        shared = one.below.gcd(other.below)
        left, right = one.below / shared, other.below / shared
        above = self._times(one.above, right) + self._times(other.above, left)
        return _Quotient(above, self._times(one.below, right))

    def _product(self, one: _Quotient, other: _Quotient) -> _Quotient:
        return _Quotient(self._times(one.above, other.above), self._times(one.below, other.below))

    def _power(self, base: _Quotient, exponent: int) -> _Quotient:
        times = abs(exponent)
        for side in (base.above, base.below):
            size = len(side)
            if times * max(1, _degree(side)) > MAX_DEGREE:
                raise _TooCostlyError
            if size > 1 and comb(size + times - 1, times) > MAX_TERMS:
                raise _TooCostlyError
        above, below = base.above**times, base.below**times
        if exponent < 0:
            above, below = below, above
        if not len(below):
            raise UnusableFormulaError("division by 0")
        return _Quotient(above, below)

    # --- shortening ---

    def cancelled(self, whole: _Quotient) -> _Quotient:
        if not len(whole.above):
            return _Quotient(whole.above, self.one)
        shared = whole.above.gcd(whole.below)
        return _Quotient(whole.above / shared, whole.below / shared)

    def reduced(self, whole: _Quotient) -> tuple[_Polynomial, _Polynomial]:
        """The sides with powers of roots in the numerator evaluated, and radicands cancelled."""
        above, below = whole.above, whole.below
        for base, degree in self.roots.items():
            place = self.parts[self._root(base)]
            if degree == 1:
                continue
            radicand = self.read(base)
            if radicand.below != self.one:
                continue
            above = self._without_powers(above, place, degree, radicand.above)
            power = self.generators[place] ** degree
            while len(above):
                (over, rest), (under, left) = divmod(above, radicand.above), divmod(below, power)
                if len(rest) or len(left):
                    break
                above, below = over, under
        fraction = self.cancelled(_Quotient(above, below))
        return fraction.above, fraction.below

    def _without_powers(
        self, polynomial: _Polynomial, place: int, degree: int, radicand: _Polynomial
    ) -> _Polynomial:
        if _degree_in(polynomial, place) < degree:
            return polynomial
        total = self.context.constant(0)
        for exponents, coefficient in polynomial.to_dict().items():
            times, left = divmod(int(exponents[place]), degree)
            lowered = (*exponents[:place], left, *exponents[place + 1 :])
            term = self.context.from_dict({lowered: coefficient})
            power = self._power(_Quotient(radicand, self.one), times).above
            total += self._times(term, power)
        return total

    # --- writing ---

    def write(self, polynomial: _Polynomial) -> Expression:
        return self.algebra.add(*self.terms(polynomial))

    def terms(self, polynomial: _Polynomial) -> list[Expression]:
        algebra = self.algebra
        parts = list(self.parts)
        return [
            algebra.mul(
                algebra.number(fmpq(coefficient)),
                *(
                    algebra.pow(part, algebra.number(int(exponent)))
                    for part, exponent in zip(parts, exponents, strict=True)
                    if exponent
                ),
            )
            for exponents, coefficient in polynomial.to_dict().items()
        ]

    def factored(self, polynomial: _Polynomial) -> Expression:
        if not len(polynomial):
            return self.algebra.zero
        constant, factors = polynomial.factor()
        algebra = self.algebra
        written = [
            algebra.pow(self.write(factor), algebra.number(int(times))) for factor, times in factors
        ]
        return reduce(algebra.mul, written, algebra.number(fmpq(constant)))


def _degree(polynomial: _Polynomial) -> int:
    return int(polynomial.total_degree()) if len(polynomial) else 0


def _degree_in(polynomial: _Polynomial, place: int) -> int:
    return int(polynomial.degrees()[place]) if len(polynomial) else 0
