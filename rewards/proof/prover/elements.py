"""Elements of a differential field: symbols, constants, generators of functions, powers and signs.

Every rule of the prover holds for the principal branches of `rewards.numeric.ball_arithmetic.jets`
(odd roots of negative numbers are real) wherever both sides are defined, or else is used only with
*signs*: in a second attempt (``split``) radicands and arguments of logarithms are factored, and
each factor has the sign that the present *case* gives it. A proof needs all cases.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from dataclasses import field as new
from fractions import Fraction

from flint import acb, fmpq

from ...numeric.ball_arithmetic.balls import precision
from ...numeric.ball_arithmetic.compiler import DOMAIN, compile_tape
from ...reading.expression.traversal import needs_worker, symbols_of
from ...reading.expression.tree import FUNCTIONS, Call, Expression, Number, Symbol
from .field import Field, Generator
from .lattice import Lattice
from .quotients import MAX_DIVIDED_DEGREE, NotProvedError, Poly, Quotient, product, unit_circle

#: Largest power of a sum that is expanded, and of a generator; bits of numbers that are raised.
MAX_POWER, MAX_LETTER_POWER, MAX_NUMBER_BITS = 64, 10**7, 32_768
#: Highest order of a root.
MAX_ORDER = 20_000
#: Most signs that one case fixes, and bits with which the sign of a constant is computed.
MAX_CONDITIONS, SIGN_BITS = 5, 256
#: Functions that are not real for every real argument. As parts of the integrand they are real at
#: every point that counts (`Elements.real_parts`).
RESTRICTED = DOMAIN - {"root"} | {"even root", "either root"}
#: Assumptions that make a parameter positive (see
#: `rewards.numeric.sampling.integrand.ASSUMPTIONS`).
POSITIVE = frozenset(("positive", "integer", "even", "odd"))


class NowhereError(Exception):
    """In this case of signs the integrand has no real value: nothing is to be proved."""


class RestartError(Exception):
    """A generator was chosen too coarse, ``exp(x)`` before ``exp(x/2)``; the unit is noted."""


@dataclass(slots=True)
class Elements:
    """Values of expressions in a field. ``units`` and ``angles`` outlive a restart.

    ``case`` gives signs to expressions; others that are asked for are positive. ``conditions`` are
    those that were asked for; ``nowhere`` says that f has no real value there. Expressions, not
    places in a list, say which sign is whose: what is asked, and when, depends on the signs.
    """

    field: Field
    variable: str
    kinds: Mapping[str, str]
    units: dict[tuple[str, str, str], fmpq]
    split: bool = False
    case: tuple[tuple[Expression, int], ...] = ()
    real_parts: bool = False
    principal_roots: bool = False
    splittable: bool = False
    nowhere: bool = False
    rules: set[str] = new(default_factory=set)
    conditions: list[tuple[Poly, Expression, int]] = new(default_factory=list)
    angles: Lattice = new(default_factory=Lattice)
    _units: dict[int, Generator] = new(default_factory=dict)
    _monomials: dict[Hashable, Quotient] = new(default_factory=dict)
    _values: dict[Expression, Quotient] = new(default_factory=dict)
    _symbols: dict[str, Quotient] = new(default_factory=dict)
    _i: Quotient | None = None

    @property
    def signs(self) -> tuple[tuple[Expression, int], ...]:
        """The signs that this case has come to depend on."""
        return tuple((tree, sign) for _, tree, sign in self.conditions)

    # --- leaves ---

    def symbol(self, name: str) -> Quotient:
        known = self._symbols.get(name)
        if known is None:
            base, varies = self.field, name == self.variable
            slope = (lambda: base.one) if varies else None
            positive = not varies and self.kinds.get(name) in POSITIVE
            made = base.get(
                "symbol", (name,), slope, lambda: Symbol(name), real=True, positive=positive
            )
            known = self._symbols[name] = made.element
        return known

    def named(self, name: str) -> Quotient:
        """A positive real number that is taken for transcendental: pi, or Euler's gamma."""
        return self.field.get(name, real=True, positive=True).element

    @property
    def i(self) -> Quotient:
        if self._i is None:
            made = self.field.get("i")
            self._i = made.element
            self.field.relate(made, self._i.num**2 + 1, 2)
        return self._i

    def normal(self, element: Quotient) -> Quotient:
        """Reduced, and without i as a factor of the denominator."""
        if not self.field.support(element) & self.field.bound:
            return element
        element = self.field.normal(element)
        if self._i is not None and not element.den.is_one():
            i = self._i.num
            if element.den.term_content().gcd(i) == i:
                element = self.field.normal(Quotient(-i * element.num, element.den / i))
        return element

    # --- generators ---

    def function(
        self, name: str, args: tuple[Quotient, ...], slope: Callable[[], Quotient], *, real: bool
    ) -> Quotient:
        """The value of a function that stays as it is: a generator with its derivative."""
        base = self.field
        args = tuple(map(self.normal, args))
        support = 0
        for arg in args:
            support |= base.support(arg)
        self.rules.add(name)
        made = base.get(
            name,
            args,
            slope if support & base.varying else None,
            lambda: _call(name, tuple(map(base.tree, args))),
            real=(real or (self.real_parts and name in RESTRICTED)) and not support & base.unreal,
        )
        return made.element

    def scaled(self, kind: str, arg: Quotient, c: fmpq) -> tuple[Generator, int]:
        """A generator for ``arg`` times some unit, and the multiple of it that c is."""
        known = self.field.find(kind, (arg,))
        if known is None:
            first = fmpq(1, c.q) if "root" in kind else abs(c)
            known = self._new_scaled(kind, arg, self.noted(kind, arg) or first)
            self.rules.add(kind.split()[-1])
        if c == known.unit:
            return known, 1
        ratio = c / known.unit
        if ratio.q != 1:
            self.units[kind, str(arg.num), str(arg.den)] = known.unit.gcd(c)
            raise RestartError
        if abs(ratio.p) > MAX_LETTER_POWER:
            raise NotProvedError("a power that is too high")
        return known, int(ratio.p)

    def noted(self, kind: str, arg: Quotient) -> fmpq | None:
        """The unit that an attempt before this one would have needed."""
        return self.units.get((kind, str(arg.num), str(arg.den))) if self.units else None

    def _new_scaled(
        self, kind: str, arg: Quotient, unit: fmpq, cosine: Generator | None = None
    ) -> Generator:
        base = self.field
        support = base.support(arg)
        real = not support & base.unreal

        def tree() -> Expression:
            inner, number = base.tree(arg), Number(int(unit.p), int(unit.q))
            if "root" in kind:
                below = base.tree(base.poly(arg.den))
                return Call("mul", (below, Call("pow", (inner, number))))
            return Call(kind, (inner if unit == 1 else Call("mul", (number, inner)),))

        def slope() -> Quotient:
            if made.relation is not None and kind != "sin":
                power = base.poly(base.variables[made.index] ** made.order - made.relation)
                return base.derivative(power) / made.order / made.element ** (made.order - 1)
            inside = base.derivative(arg)
            if unit != 1:
                inside = inside * base.constant(unit)
            if made.partner is None:
                return made.element * inside
            other = made.partner.element * inside
            return other if kind == "sin" else -other

        positive = real and kind in ("exp", "root")
        real = real and (kind not in RESTRICTED or (self.real_parts and kind != "either root"))
        rule = slope if support & base.varying else None
        made = base.get(kind, (arg,), rule, tree, unit, real=real, positive=positive)
        if made.unit != unit:
            raise NotProvedError("a function of the same argument with two units")
        if cosine is not None:
            made.partner, cosine.partner = cosine, made
            base.relate(made, unit_circle(base.size, made.index, cosine.index), 2)
        elif "root" in kind:
            order = int(unit.q)
            if order > MAX_ORDER:
                raise NotProvedError("a root of too high an order")
            letter = base.variables[made.index]
            below = base.poly(arg.den) ** (order - 1)
            base.relate(made, letter**order - product(arg.num, below.num), order)
        return made

    # --- signs ---

    def sign(self, poly: Poly) -> int | None:
        """The sign of a polynomial: manifest, implied, computed, or the present case's."""
        if poly.is_zero():
            return None
        content = poly.term_content()
        if content.total_degree() > 1 and self.field.is_real(self.field.poly(content)):
            letters = zip(self.field.variables[::-1], content.degrees(), strict=True)
            poly = poly / math.prod((x ** (d // 2 * 2) for x, d in letters), start=content**0)
        if self.field.is_positive(poly):
            return 1
        if self.field.is_positive(-poly):
            return -1
        for known, _, sign in self.conditions:
            least = known if sign > 0 else -known
            for s, candidate in ((1, poly), (-1, -poly)):
                if candidate == least or self.field.is_positive(candidate - least):
                    return s
            if self.split and poly.total_degree() <= MAX_DIVIDED_DEGREE:
                others, remainder = divmod(poly, known)
                if remainder.is_zero():
                    rest = self.sign(others)
                    return None if rest is None else rest * sign
        self.splittable = True
        lead = poly.leading_coefficient() if len(poly) else 0
        if not self.split or lead == 0 or not self.field.is_real(self.field.poly(poly)):
            return None
        monic = poly / lead
        tree = self.field.tree(self.field.poly(monic))
        if symbols_of(tree):
            if len(self.conditions) >= MAX_CONDITIONS:
                raise NotProvedError("too many signs")
            chosen = next((sign for known, sign in self.case if known == tree), 1)
            self.conditions.append((monic, tree, chosen))
        else:
            chosen = _constant_sign(tree)
        return chosen if lead > 0 else -chosen

    def require_sign(self, element: Quotient) -> int:
        """The sign of an element, without which nothing can be proved."""
        element = self.normal(element)
        if any(generator.kind in ("floor", "ceil") for generator in self.field.used(element)):
            raise NotProvedError("what may be zero on an interval")
        above, below = self.sign(element.num), self.sign(element.den)
        if not (above and below):
            raise NotProvedError("a sign that is not known")
        return above * below

    def require_positive(self, sign: int, element: Quotient) -> None:
        """Leave a case in which the integrand, whose parts must be real, has no value."""
        if sign < 0 and self.real_parts and not self.field.is_constant(element):
            raise NowhereError

    def take_for_real(self, element: Quotient) -> None:
        """Note that a part of the integrand is real, as ``x^n`` with real n, so what it is made of.

        In ``g a`` or ``a/g`` with a real a the generator g is real.
        """
        support = self.field.support(element) & self.field.unreal
        for g in self.field.used(element) if support else ():
            factors = (element / g.element, element * g.element)
            if g.element.support == support and any(map(self.field.is_real, factors)):
                self.field.unreal &= ~support

    def leave_out_negative(self) -> None:
        """Regard the variable as positive, in a case of its own."""
        x = self.symbol(self.variable)
        self.field.positive |= x.support
        self.conditions.append((x.num, Symbol(self.variable), 1))

    # --- powers ---

    @abstractmethod
    def exp(self, element: Quotient) -> Quotient:
        """The exponential (`Exponentials`)."""

    @abstractmethod
    def ln(self, element: Quotient) -> Quotient:
        """The logarithm (`Roots`)."""

    @abstractmethod
    def positive_root(self, base: Quotient, exponent: fmpq) -> Quotient:
        """A rational power of a positive element without a denominator (`Roots`)."""

    @abstractmethod
    def root(self, element: Quotient, q: int) -> Quotient:
        """The q-th root (`Roots`)."""

    def power(self, element: Quotient, exponent: Fraction) -> Quotient:
        """A rational power, as `rewards.numeric.ball_arithmetic.jets.pow_rational` has it."""
        if exponent.denominator == 1:
            return self.integer_power(element, exponent.numerator)
        if self.principal_roots and exponent.denominator % 2:
            return self.exp(self.ln(element) * self.field.rational(*exponent.as_integer_ratio()))
        root = self.root(element, exponent.denominator)
        return self.integer_power(root, exponent.numerator)

    def integer_power(self, element: Quotient, k: int) -> Quotient:
        """A power; of a long sum, as a power of a generator for it."""
        if element.is_zero():
            if k <= 0:
                raise NotProvedError("a power of zero that has no value")
            return element
        lead = element.num.leading_coefficient()
        numbers = [lead] if abs(k) <= 2 else [*element.num.coeffs(), *element.den.coeffs()]
        size = max(0 if c in (1, -1) else c.p.bit_length() + c.q.bit_length() for c in numbers)
        if size * abs(k) > MAX_NUMBER_BITS or abs(k) > MAX_LETTER_POWER:
            raise NotProvedError("a power that is too high")
        terms = len(element.num) + len(element.den)
        if terms == 2 or abs(k) <= (4 if terms > 8 else MAX_POWER):
            return element**k
        above, below = self._base(element.num / lead), self._base(element.den)
        return above**k / below**k * self.field.constant(lead) ** k

    def _base(self, poly: Poly) -> Quotient:
        """A generator for a sum that has too high a power to be expanded."""
        element = self.field.poly(self.field.reduce(poly))
        if len(element.num) <= 1:
            return element
        base = self.field
        slope = None if base.is_constant(element) else (lambda: base.derivative(element))
        known = base.get(
            "base", (element,), slope, lambda: base.tree(element), real=base.is_real(element)
        )
        if known.relation is None:
            base.relate(known, base.variables[known.index] - element.num, 1)
        return known.element


def _call(name: str, args: tuple[Expression, ...]) -> Expression:
    """A function of the expression tree for the function of a generator."""
    if name == "ln_abs":
        return Call("ln", (Call("abs", args),))
    if name not in FUNCTIONS:
        raise NotProvedError(f"{name} has no expression")
    return Call(name, args)


def _constant_sign(tree: Expression) -> int:
    """The sign of a real constant, in ball arithmetic."""
    if needs_worker(tree):
        raise NotProvedError("a constant that may take long")
    with precision(SIGN_BITS):
        tape = compile_tape(tree, "x")
        value = tape.run(acb(0), {}, derivative=False)[tape.root][0].real
    if value > 0 or value < 0:
        return 1 if value > 0 else -1
    raise NotProvedError("a constant whose sign cannot be told")
