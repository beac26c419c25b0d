"""A differential field: rational functions over Q in generators, modulo algebraic relations.

A generator stands for a sub-expression (``x``, ``exp(x/2)``, ``sqrt(1 - x^2)``), and its derivative
is in the field. A generator r may have a relation ``r^q = u`` with a polynomial u in earlier
generators. The relation holds wherever r is defined. The leading terms are powers of distinct
variables: the relations are a Groebner basis, and division by each in turn gives the unique
remainder modulo all (Cox, Little and O'Shea, *Ideals, Varieties, and Algorithms*, 2.6).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flint import fmpq, fmpq_poly

from ...numeric.ball_arithmetic.compiler import DOMAIN
from ...reading.expression.build import add, power, product
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS
from .quotients import MAX_TERMS, RINGS, NotProvedError, Poly, Quotient, Ring, quotient

#: Most terms of all values together.
MAX_WORK = 40_000
#: Most terms of an expanded power of a sum that has a generator (as `rules.radicals.MAX_POWER`).
MAX_EXPANDED = 64
#: Highest degree of a polynomial whose real zeros are isolated, and most bits of a coefficient.
#: FLINT takes 12 ms for (x - 1) ... (x - 32). The most bits in tests/rewards/cases are 60.
MAX_SIGN_DEGREE, MAX_SIGN_BITS = 32, 1000
#: Largest bound of the size of an expression: a hundred times the largest in tests/rewards/cases.
MAX_WRITTEN = 20_000
#: Functions that are not real for every real argument. As parts of the integrand they are real.
RESTRICTED = DOMAIN - {"root"} | {"even root"}
#: How often a relation may be applied to one power.
MAX_TIMES = 256
Slope: TypeAlias = Callable[[], Quotient]


@dataclass(slots=True, eq=False)
class Generator:
    """A function of ``args``, or a constant. The relation of order q is ``r^q = power``.

    ``at`` is the generator's index in exponent vectors. The partner of a sine is the cosine.
    """

    index: int
    at: int
    element: Quotient
    function: str
    args: tuple[Any, ...]
    order: int
    slope_rule: Slope | None
    power: Poly = None
    relation: Poly = None
    partner: Generator | None = None
    weight: int = 0
    slope: Quotient | None = None
    expression: Expression | None = None


@dataclass(slots=True)
class Field:
    """The differential field of one proof.

    Four attributes have a bit for each generator: whether it is ``varying``, may be ``unreal``, is
    ``positive``, and is ``bound`` by a relation. ``real_parts`` says that parts of the integrand
    are evaluated, which are real at every point that counts.
    """

    ring: Ring = RINGS[-1]
    generators: list[Generator] = field(default_factory=list)
    related: list[Generator] = field(default_factory=list)
    varying: int = 0
    unreal: int = 0
    positive: int = 0
    bound: int = 0
    real_parts: bool = False
    work: int = 0

    def free(self) -> None:
        """Break the reference cycles of the generators, so that Python frees their memory."""
        for generator in self.generators:
            del generator.slope_rule, generator.partner

    def get(
        self,
        name: str,
        args: tuple[Any, ...] = (),
        slope: Slope | None = None,
        order: int = 0,
        *,
        real: bool = False,
        positive: bool = False,
    ) -> Generator:
        """Find or make a generator, whose derivative ``slope`` computes if an argument varies.

        The generator may be ``real`` where the arguments are, and then also ``positive``.
        """
        support = 0
        for arg in args if name != "symbol" else ():
            support |= self.support(arg)
        real = (real or (self.real_parts and name in RESTRICTED)) and not support & self.unreal
        for generator in self.generators:
            if generator.function == name and generator.args == args and generator.order == order:
                break
        else:
            index = len(self.generators)
            bit, at = 1 << index, self.ring.size - 1 - index
            if at < 0:
                raise NotProvedError("too many generators")
            slope = slope if name == "symbol" or support & self.varying else None
            self.varying |= bit if slope else 0
            self.unreal |= bit
            self.positive |= bit if real and positive else 0
            element = Quotient(self.ring.variables[at], self.ring.one.num, bit)
            generator = Generator(index, at, element, name, args, order, slope)
            self.generators.append(generator)
        if real:
            self.unreal &= ~generator.element.support
        return generator

    def relate(self, generator: Generator, power: Poly) -> None:
        if generator.power is None:
            generator.power = power
            generator.relation = generator.element.num**generator.order - power
            self.related.append(generator)
            self.bound |= generator.element.support

    def single(self, element: Quotient) -> Generator | None:
        """The generator that an element equals, or None if the element is not a generator."""
        support = self.support(element)
        if not support or support & support - 1:
            return None
        generator = self.generators[support.bit_length() - 1]
        return generator if generator.element == element else None

    def radicand(self, generator: Generator) -> tuple[Quotient, int]:
        """The base b of a generator b^(1/n), and n. If the generator is no root, n is 1."""
        base, order = generator.element, 1
        while (root := self.single(base)) and root.function == "root":  # a root of a root
            base, order = root.args[0], order * root.order
        return base, order

    def support(self, element: Quotient) -> int:
        """A bit for each generator that occurs in an element."""
        if element.support < 0:
            element.support = self._support_of(element.num) | self._support_of(element.den)
        return element.support

    def _support_of(self, poly: Poly) -> int:
        if poly.is_one():
            return 0
        degrees = poly.degrees()
        return sum([g.element.support for g in self.generators if degrees[g.at] > 0])

    def used(self, element: Quotient) -> list[Generator]:
        support = self.support(element)
        return [g for g in self.generators if support >> g.index & 1]

    def is_constant(self, element: Quotient) -> bool:
        return not self.support(element) & self.varying

    def is_real(self, element: Quotient) -> bool:
        return not self.support(element) & self.unreal

    def is_positive(self, element: Quotient) -> bool:
        """Whether coefficients are positive, and generators positive or real in even powers."""
        poly, signed = element.num, self.support(element) & ~self.positive
        if signed & self.unreal or poly.is_zero() or min(poly.coeffs()) < 0:
            return False
        if not signed:
            return True
        at = [g.at for g in self.generators if signed >> g.index & 1]
        steps, least = poly.deflation_index()  # the exponents of each variable are least + k step
        return not any(steps[k] % 2 or least[k] % 2 for k in at)

    def is_nonnegative(self, element: Quotient) -> bool:
        """Whether `is_positive`, or nonnegative in the range of the element's only generator."""
        poly, support = element.num, self.support(element)
        has_root = any(g.function == "root" and g.args[0] == element for g in self.related)
        if has_root or self.is_positive(element):
            return True
        degree = poly.total_degree()
        if not 0 < degree <= MAX_SIGN_DEGREE or support & (support - 1) or support & self.unreal:
            return False
        generator = self.generators[support.bit_length() - 1]
        record = RECORDS.get(generator.function)
        low, high = (record and record.range) or (-math.inf, math.inf)
        low = max(low, 0.0) if support & self.positive else low
        if low == -math.inf and (degree % 2 or poly.leading_coefficient() < 0):
            return False  # nearly always
        terms = {powers[generator.at]: c for powers, c in poly.terms()}
        line = fmpq_poly([terms.get(k, 0) for k in range(degree + 1)])
        sample = next(x for k in itertools.count(2) if line(x := fmpq(1, k)))
        is_long = line.numer().height_bits() > MAX_SIGN_BITS
        if not low < 1 / int(sample.q) < high or line(sample) < 0 or is_long:
            return False
        # The zero of a linear factor is exact, and may be an end of the range. A discriminant tells
        # of most quadratic factors that they have no real zero, in 0.3 us instead of 15.
        odd = [p for p, k in line.factor()[1] if k % 2 and (p.degree() > 2 or p.discriminant() > 0)]
        roots: Any = [root for factor in odd for root, _ in factor.complex_roots()]  # type: ignore[misc,has-type]
        return all(not z.imag.is_zero() or z.real <= low or z.real >= high for z in roots)

    def reduce(self, poly: Poly, *, powers: bool = True) -> Poly:
        """The remainder modulo all relations; without ``powers``, long powers of sums remain."""
        if not self.related or poly.is_one():
            return poly
        degrees = None
        for generator in reversed(self.related):
            degrees = degrees or poly.degrees()
            times = int(degrees[generator.at]) // generator.order
            if times <= 0:
                continue
            terms = max(1, len(generator.power))
            expanded = math.comb(times + terms - 1, terms - 1)
            if generator.order == 1 and not powers and expanded > MAX_EXPANDED:
                continue
            if times > MAX_TIMES or len(poly) * expanded > MAX_TERMS:
                raise NotProvedError("too many terms modulo the relations")
            poly, degrees = divmod(poly, generator.relation)[1], None
        return poly

    def normal(self, element: Quotient) -> Quotient:
        """Reduce modulo the relations. Mostly, equal elements become the same."""
        if not self.support(element) & self.bound:
            return element
        num, den = self.reduce(element.num, powers=False), self.reduce(element.den, powers=False)
        return element if num is element.num and den is element.den else quotient(num, den)

    def spend(self, element: Quotient) -> Quotient:
        """Count the terms of a new element against the work budget."""
        terms = len(element.num) + len(element.den)
        self.work += 1 + terms
        if self.work > MAX_WORK or terms > MAX_TERMS:
            raise NotProvedError("work budget spent")
        return element

    def slope(self, generator: Generator) -> Quotient:
        if generator.slope is None:
            generator.slope = generator.slope_rule() if generator.slope_rule else self.ring.zero
        return generator.slope

    def derivative(self, element: Quotient) -> Quotient:
        """The derivative of an element, by the chain rule and the quotient rule."""
        varying = self.support(element) & self.varying
        if not varying:
            return self.ring.zero
        slope = self._of_poly(element.num, varying)
        if not element.den.is_one():
            slope = (slope - element * self._of_poly(element.den, varying)) / Quotient(element.den)
        return self.spend(slope)

    def _of_poly(self, poly: Poly, varying: int) -> Quotient:
        total = None
        for g in self.generators:
            if varying >> g.index & 1 and not (partial := poly.derivative(g.at)).is_zero():
                slope = self.slope(g)
                slope = slope if partial.is_one() else Quotient(partial, self.ring.one.num) * slope
                total = slope if total is None else total + slope
        return self.ring.zero if total is None else total

    def tree(self, element: Quotient) -> Expression:
        """An expression with the value of an element."""
        if self._weight(element) > MAX_WRITTEN:
            raise NotProvedError("an expression that is too large")
        num = self._tree_of(element.num)
        return num if element.den.is_one() else Call("div", (num, self._tree_of(element.den)))

    def _weight(self, element: Quotient) -> int:
        """An upper bound of the size of the expression that `tree` makes."""
        total = 1
        for generator in self.used(element):
            if not generator.weight:
                args = generator.args if generator.function != "symbol" else ()
                generator.weight = 1 + sum(map(self._weight, args))
            total += generator.weight
        return total * (len(element.num) + len(element.den))

    def written(self, generator: Generator) -> Expression:
        name, args = generator.function, generator.args
        if name == "symbol":
            return Symbol(args[0])
        trees = tuple(map(self.tree, args))
        if name == "base":
            return trees[0]
        if "root" in name:  # of n/d: the generator is d (n/d)^(1/q)
            root = Call("pow", (trees[0], Number(1, generator.order)))
            return Call("mul", (self.tree(Quotient(args[0].den)), root))
        if name == "ln_abs":
            return Call("ln", (Call("abs", trees),))
        return Call(name, trees)

    def _tree_of(self, poly: Poly) -> Expression:
        terms: list[Expression] = []
        for exponents, c in poly.terms():
            factors: list[Expression] = []
            for g in self.generators:
                if exponent := exponents[g.at]:
                    g.expression = g.expression or self.written(g)
                    factors.append(power(g.expression, Number(int(exponent))))
            if c != 1 or not factors:
                factors.insert(0, Number(int(c.p), int(c.q)))
            terms.append(product(factors))
        return add(*terms)
