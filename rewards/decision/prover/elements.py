"""Expressions as elements of a differential field: the rules by which they are rewritten.

Every rule holds for the principal branches of `rewards.decision.jets` (odd roots of negative
numbers are real) wherever both sides are defined, or else is used only with *signs*: in a second
attempt (``split``) radicands and arguments of logarithms are factored, and each factor has the sign
that the present *case* gives it. A proof needs all cases. Rules of special functions are in
`special`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as new
from fractions import Fraction
from functools import reduce
from operator import add, mul

from flint import acb, fmpq, fmpz

from ...expression.traversal import fold, needs_worker, symbols_of
from ...expression.tree import FUNCTIONS, Call, Expression, Number, Symbol
from ..balls import compile_tape, precision
from .field import Field, Generator, NotProvedError, Poly, Quotient, quotient

#: A sum in an exponent or an angle is taken apart if it has no more terms than this.
MAX_ADDENDS = 6
#: Largest multiple of an angle that is expanded, and largest power of a sum or of an exponential.
MAX_MULTIPLE, MAX_POWER, MAX_LETTER_POWER = 128, 64, 20_000
#: Rational numbers of at most so many bits are factored, or raised to powers.
MAX_FACTOR_BITS, MAX_NUMBER_BITS = 64, 4096
PARTNERS = {"sin": "cos", "cos": "sin"}
#: Most signs that one case fixes, and bits with which the sign of a constant is computed.
MAX_CONDITIONS, SIGN_BITS = 5, 256
#: Assumptions that make a parameter positive (see `rewards.decision.integrand.ASSUMPTIONS`).
POSITIVE = frozenset(("positive", "integer", "even", "odd"))


class NowhereError(Exception):
    """In this case of signs the integrand has no real value: nothing is to be proved."""


class RestartError(Exception):
    """A generator was chosen too coarse, ``exp(x)`` before ``exp(x/2)``; the unit is noted."""


@dataclass(slots=True)
class Translator:
    """Values of expressions in a field. ``units`` outlives a restart.

    ``case`` gives signs to expressions; others that are asked for are positive. ``conditions`` are
    those that were asked for. Expressions, not places in a list, say which sign is whose: what is
    asked, and when, depends on the signs.
    """

    field: Field
    variable: str
    kinds: Mapping[str, str]
    units: dict[tuple[str, str, str], fmpq]
    split: bool = False
    case: tuple[tuple[Expression, int], ...] = ()
    real_parts: bool = False
    splittable: bool = False
    rules: set[str] = new(default_factory=set)
    conditions: list[tuple[Poly, Expression, int]] = new(default_factory=list)
    _values: dict[int, Quotient] = new(default_factory=dict)

    def value(self, node: Expression) -> Quotient:
        known = self._values.get(id(node))
        if known is None:
            known = self.field.spend(self._value(node))
            self._values[id(node)] = known
        return known

    def _value(self, node: Expression) -> Quotient:
        if isinstance(node, Number):
            return self.field.constant(fmpq(node.numerator, node.denominator))
        if isinstance(node, Symbol):
            return self.symbol(node.name)
        form = FORMS.get(node.function)
        if form is not None:
            return form(self, node)
        rule = RULES.get(node.function)
        if rule is None:
            raise NotProvedError(f"no rule for {node.function}")
        return rule(self, *(self.value(arg) for arg in node.args))

    # --- leaves ---

    def symbol(self, name: str) -> Quotient:
        known = self.field.find("symbol", (name,))
        if known is None:
            one = self.field.one
            known = self.field.new(
                "symbol",
                (name,),
                (lambda: one) if name == self.variable else None,
                lambda: Symbol(name),
                real=True,
                positive=name != self.variable and self.kinds.get(name) in POSITIVE,
            )
        return self.field.of(known)

    def named(self, name: str) -> Quotient:
        """A positive real number that is taken for transcendental: pi, or Euler's gamma."""
        known = self.field.find(name, ())
        if known is None:
            known = self.field.new(name, (), None, lambda: Call(name), positive=True)
        return self.field.of(known)

    @property
    def i(self) -> Quotient:
        known = self.field.find("i", ())
        if known is None:
            known = self.field.new("i", (), None, lambda: Call("i"))
            known.relation = self.field.variables[known.index] ** 2 + 1
            known.order = 2
        return self.field.of(known)

    def rational(self, p: int, q: int = 1) -> Quotient:
        return self.field.constant(fmpq(p, q))

    def normal(self, element: Quotient) -> Quotient:
        """Reduced, and without i as a factor of the denominator."""
        element = self.field.normal(element)
        known = None if element.den.is_one() else self.field.find("i", ())
        if known is not None:
            i = self.field.variables[known.index]
            if element.den.term_content().gcd(i) == i:
                element = self.field.normal(Quotient(-i * element.num, element.den / i))
        return element

    # --- generators ---

    def function(
        self,
        name: str,
        args: tuple[Quotient, ...],
        slope: Callable[[], Quotient],
        *,
        real: bool = False,
        positive: bool = False,
    ) -> Quotient:
        """The value of a function that stays as it is: a generator with its derivative."""
        args = tuple(self.normal(arg) for arg in args)
        known = self.field.find(name, args)
        if known is None:
            constant = all(self.field.is_constant(arg) for arg in args)
            known = self.field.new(
                name,
                args,
                None if constant else slope,
                lambda: _call(name, tuple(self.field.tree(arg) for arg in args)),
                real=real and all(self.field.is_real(arg) for arg in args),
                positive=positive,
            )
            self.rules.add(name)
        return self.field.of(known)

    def scaled(self, kind: str, arg: Quotient, c: fmpq) -> tuple[Generator, int]:
        """A generator for ``arg`` times some unit, and the multiple of it that c is."""
        known = self.field.find(kind, (arg,))
        if known is None:
            first = fmpq(1, c.q) if "root" in kind else abs(c)
            unit = self.units.get((kind, str(arg.num), str(arg.den)), first)
            known = self._new_scaled(kind, arg, unit)
            self.rules.add(kind.split()[-1])
        ratio = c / known.unit
        if ratio.q != 1:
            self.units[kind, str(arg.num), str(arg.den)] = known.unit.gcd(c)
            raise RestartError
        if abs(ratio.p) > MAX_LETTER_POWER:
            raise NotProvedError("a power that is too high")
        return known, int(ratio.p)

    def _new_scaled(self, kind: str, arg: Quotient, unit: fmpq) -> Generator:
        base = self.field
        constant, real = base.is_constant(arg), base.is_real(arg)
        number = Number(int(unit.p), int(unit.q))

        def tree() -> Expression:
            inner = base.tree(arg)
            if "root" in kind:
                below = base.tree(base.poly(arg.den))
                return Call("mul", (below, Call("pow", (inner, number))))
            return Call(kind, (Call("mul", (number, inner)),))

        def slope() -> Quotient:
            if made.relation is not None and kind != "sin":
                power = base.poly(base.variables[made.index] ** made.order - made.relation)
                return base.derivative(power) / made.order / base.of(made) ** (made.order - 1)
            inside = base.derivative(arg) * base.constant(unit)
            if kind in PARTNERS:
                other = base.of(self.partner(kind, arg)) * inside
                return other if kind == "sin" else -other
            return base.of(made) * inside

        positive = real and kind in ("exp", "root")
        real = real and kind != "even root"
        made = base.new(kind, (arg,), None if constant else slope, tree, real=real,
                        positive=positive, unit=unit)  # fmt: skip
        letter = base.variables[made.index]
        if kind == "sin":
            cosine = base.variables[self.partner(kind, arg).index]
            made.relation, made.order = letter**2 + cosine**2 - 1, 2
        elif "root" in kind:
            made.order = int(unit.q)
            if made.order > MAX_LETTER_POWER:
                raise NotProvedError("a root of too high an order")
            made.relation = letter**made.order - arg.num * arg.den ** (made.order - 1)
        return made

    def partner(self, kind: str, arg: Quotient) -> Generator:
        found = self.field.find(PARTNERS[kind], (arg,))
        if found is None:
            raise NotProvedError("a sine without its cosine")
        return found

    # --- signs ---

    def sign(self, poly: Poly) -> int | None:
        """The sign of a polynomial: manifest, implied, computed, or the present case's."""
        if self.field.is_positive(poly):
            return 1
        if self.field.is_positive(-poly):
            return -1
        for known, _, sign in self.conditions:
            least = known if sign > 0 else -known
            for s, candidate in ((1, poly), (-1, -poly)):
                if candidate == least or self.field.is_positive(candidate - least):
                    return s
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
        above, below = self.sign(element.num), self.sign(element.den)
        if not (above and below):
            raise NotProvedError("a sign that is not known")
        return above * below

    def require_positive(self, sign: int, element: Quotient) -> None:
        """Leave a case in which the integrand, whose parts must be real, has no value."""
        if sign < 0 and self.real_parts and not self.field.is_constant(element):
            raise NowhereError

    # --- exponentials and angles ---

    def addends(self, element: Quotient) -> list[tuple[fmpq, Quotient]]:
        """An element as a sum of rational numbers times elements."""
        element = self.normal(element)
        num, den = element.num, element.den
        if len(num) > MAX_ADDENDS:
            c = num.leading_coefficient()
            return [(c, Quotient(num / c, den))]
        ring = self.field.ring
        found = []
        for exponents, c in num.terms():
            term = self.field.poly(ring.from_dict({exponents: 1}))
            found.append((c, term * Quotient(self.field.one.num, den)))
        return found

    def exp(self, element: Quotient) -> Quotient:
        result = self.field.one
        for c, arg in self.addends(element):
            result = result * self._exp(c, arg)
        return result

    def _exp(self, c: fmpq, arg: Quotient) -> Quotient:
        real = self.without_i(arg)
        if real is not None:
            sine, cosine = self._sin_cos(c, real)
            return cosine + self.i * sine
        inner = self.field.single(arg)
        if inner is not None:
            rule = EXPONENTIALS.get(inner.kind)
            value = rule(self, inner, c) if rule else None
            if value is not None:
                self.rules.add(f"exp {inner.kind}")
                return value
        generator, times = self.scaled("exp", arg, c)
        return self.field.of(generator) ** times

    def without_i(self, arg: Quotient) -> Quotient | None:
        """The factor of i that an element is; None if it is none."""
        known = self.field.find("i", ())
        if known is None or len(arg.num) != 1:
            return None
        i = self.field.variables[known.index]
        return Quotient(arg.num / i, arg.den) if arg.num.term_content().gcd(i) == i else None

    def sin_cos(self, element: Quotient) -> tuple[Quotient, Quotient]:
        sine, cosine = self.field.zero, self.field.one
        for c, arg in self.addends(element):
            s, k = self._sin_cos(c, arg)
            sine, cosine = sine * k + cosine * s, cosine * k - sine * s
        return sine, cosine

    def _sin_cos(self, c: fmpq, arg: Quotient) -> tuple[Quotient, Quotient]:
        real = self.without_i(arg)
        if real is not None:
            up, down = self._exp(c, real), self._exp(-c, real)
            return self.i * (up - down) / 2, (up + down) / 2
        inner = self.field.single(arg)
        if inner is not None and inner.kind == "pi":
            found = self._of_pi(c)
            if found is not None:
                return found
        if inner is not None and inner.kind in ("asin", "atan") and c.q == 1:
            (u,) = inner.args
            if inner.kind == "asin":  # on the branch cuts, too, as python-flint has them
                return self._multiple(u, self.root(1 - u * u, 2), int(c.p))
            if self.field.is_real(u):
                root = self.root(1 + u * u, 2)
                return self._multiple(u / root, 1 / root, int(c.p))
        cosine, times = self.scaled("cos", arg, c)
        # The unit of both is the cosine's, whose generator comes first.
        sine = self.field.find("sin", (arg,)) or self._new_scaled("sin", arg, cosine.unit)
        return self._multiple(self.field.of(sine), self.field.of(cosine), times)

    def _multiple(self, s: Quotient, c: Quotient, times: int) -> tuple[Quotient, Quotient]:
        """Sine and cosine of a multiple of an angle, by doubling and addition."""
        if abs(times) > MAX_MULTIPLE:
            raise NotProvedError("a multiple of an angle that is too high")
        sine, cosine = self.field.zero, self.field.one
        for bit in format(abs(times), "b"):
            sine, cosine = (sine + sine) * cosine, cosine * cosine - sine * sine
            if bit == "1":
                sine, cosine = sine * c + cosine * s, cosine * c - sine * s
            if times not in (-1, 1):
                sine, cosine = self.normal(sine), self.normal(cosine)
        return (sine, cosine) if times >= 0 else (-sine, cosine)

    def _of_pi(self, c: fmpq) -> tuple[Quotient, Quotient] | None:
        """Sine and cosine of c times pi, for twelfths of a turn and eighths."""
        turns = Fraction(int(c.p), int(c.q)) % 2
        if turns.denominator not in (1, 2, 3, 4, 6, 8, 12):
            return None
        return self._cosine((Fraction(1, 2) - turns) % 2), self._cosine(turns)

    def _cosine(self, turns: Fraction) -> Quotient:
        turns = min(turns, 2 - turns)
        if turns > Fraction(1, 2):
            return -self._cosine(1 - turns)
        if turns.denominator in (8, 12):  # cos(t/2)^2 = (1 + cos t)/2
            return self.root((1 + self._cosine(2 * turns)) / 2, 2)
        square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
        return self.root(self.rational(square, 4), 2)

    # --- roots ---

    def power(self, element: Quotient, exponent: Fraction) -> Quotient:
        """A rational power, as `rewards.decision.jets.pow_rational` has it."""
        if exponent.denominator == 1:
            return self.integer_power(element, exponent.numerator)
        root = self.root(element, exponent.denominator)
        return self.integer_power(root, exponent.numerator)

    def integer_power(self, element: Quotient, k: int) -> Quotient:
        """A power; of a long sum, as a power of a generator for it."""
        lead = element.num.leading_coefficient()
        size = 0 if lead in (1, -1) else lead.p.bit_length() + lead.q.bit_length()
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
        known = self.field.find("base", (element,))
        if known is None:
            slope = None if self.field.is_constant(element) else (
                lambda: self.field.derivative(element))  # fmt: skip
            known = self.field.new("base", (element,), slope, lambda: self.field.tree(element),
                                   real=self.field.is_real(element))  # fmt: skip
            known.relation = self.field.variables[known.index] - element.num
            known.order = 1
        return self.field.of(known)

    def root(self, element: Quotient, q: int) -> Quotient:
        """The q-th root: real and odd for odd q where that is real, else principal."""
        element = self.normal(element)
        if element.is_zero():
            return element
        outside, element = self._positive_factors(
            element, lambda base, e: self._positive_root(base, e / q)
        )
        lead = element.rational()
        if lead is not None:
            return outside if lead == 1 else outside * self._root_of_sign(-1, q)
        self.splittable = True
        if self.split:
            whole = self._root_by_factors(element, q)
            if whole is not None:
                return outside * whole
        num, den, below = element.num, element.den, self.field.one
        if self.field.is_positive(den):
            below = self._positive_root(self.field.poly(den), fmpq(1, q))
            den = self.field.one.num
            if self.field.is_positive(num):
                return outside * self._positive_root(self.field.poly(num), fmpq(1, q)) / below
        return outside * self._root(quotient(num, den), q) / below

    def _root(self, radicand: Quotient, q: int) -> Quotient:
        """The root of n/d: a generator stands for d (n/d)^(1/q), whose q-th power is n d^(q-1)."""
        kind = "even root" if q % 2 == 0 else "odd root"
        generator, times = self.scaled(kind, radicand, fmpq(1, q))
        return (self.field.of(generator) / self.field.poly(radicand.den)) ** times

    def _positive_root(self, base: Quotient, exponent: fmpq) -> Quotient:
        """A rational power of a positive element without a denominator."""
        if exponent.q == 1 or base == self.field.one:
            return self.integer_power(base, int(exponent.p))
        inner = self.field.single(base)
        if inner is not None and inner.kind == "exp":
            return self._exp(exponent * inner.unit, inner.args[0])
        generator, times = self.scaled("root", base, exponent)
        return self.field.of(generator) ** times

    def _root_of_sign(self, sign: int, q: int) -> Quotient:
        if sign > 0:
            return self.field.one
        if q % 2:
            return -self.field.one
        sine, cosine = self._sin_cos(fmpq(1, q), self.named("pi"))
        return cosine + self.i * sine

    def _positive_factors(
        self, element: Quotient, power: Callable[[Quotient, fmpq], Quotient]
    ) -> tuple[Quotient, Quotient]:
        """Powers of the factors that are manifestly positive, and what is left of the element.

        ``power(base, e)`` is called for a base to the power e. What is left has +-1 for its leading
        coefficient.
        """
        base = self.field
        outside = base.one
        c = abs(element.num.leading_coefficient())
        for prime, e in _prime_factors(c):
            outside = outside * power(base.constant(prime), fmpq(e))
        parts = [element.num / c, element.den]
        for i, sign in enumerate((1, -1)):
            content = self.field.poly(parts[i].term_content())
            for generator in self.field.used(content):
                if generator.positive:
                    degree = content.num.degrees()[base.size - 1 - generator.index]
                    parts[i] = parts[i] / base.variables[generator.index] ** degree
                    inside, exponent = base.of(generator), fmpq(sign * degree)
                    if generator.kind == "root":
                        inside, exponent = generator.args[0], exponent * generator.unit
                    outside = outside * power(inside, exponent)
        return outside, Quotient(*parts)

    def _root_by_factors(self, element: Quotient, q: int) -> Quotient | None:
        """A root as a product over coprime factors of known signs; None: a sign is not known."""
        sign, factors = self.factors(element)
        if factors is None:
            return None
        if q % 2 == 0:
            self.require_positive(sign, element)
        result = self._root_of_sign(sign, q)
        for base, e in factors:
            result = result * self._positive_root(self.field.poly(base), fmpq(e, q))
        self.rules.add("roots of coprime factors")
        return result

    def factors(self, element: Quotient) -> tuple[int, list[tuple[Poly, int]] | None]:
        """A sign and positive coprime factors with exponents; None if a sign is not known."""
        sign, found = 1, []
        for part, direction in ((element.num, 1), (element.den, -1)):
            if len(part) > 200 or part.total_degree() > 400:
                raise NotProvedError("a polynomial that is too large to be factored")
            sign *= 1 if part.leading_coefficient() > 0 else -1
            for factor, e in part.factor()[1]:
                base = factor / factor.leading_coefficient()
                s = self.sign(base)
                if s is None:
                    return 1, None
                sign *= s ** (int(e) % 2)
                found.append((base * s, int(e) * direction))
        return sign, found

    # --- logarithms ---

    def ln(self, element: Quotient, *, bars: bool = False) -> Quotient:
        """ln u; with ``bars`` ln|u|."""
        element = self.normal(element)
        if element.is_zero():
            raise NotProvedError("the logarithm of zero")
        total = self.field.zero

        def note(base: Quotient, e: fmpq) -> Quotient:
            nonlocal total
            total = total + self.field.constant(e) * self._ln_positive(base)
            return self.field.one

        _, element = self._positive_factors(element, note)
        lead = element.rational()
        if lead is not None:
            return total if lead == 1 or bars else total + self.i * self.named("pi")
        self.splittable = True
        if bars and not self.field.is_real(element):
            return total + self._ln_bars(element)
        if self.split:
            sign, factors = self.factors(element)
            if factors is not None:
                for base, e in factors:
                    total = total + e * self._ln_positive(self.field.poly(base))
                if not bars:
                    self.require_positive(sign, element)
                if sign < 0 and not bars:
                    total = total + self.i * self.named("pi")
                self.rules.add("logarithms of coprime factors")
                return total
        num, den = self.field.poly(element.num), self.field.poly(element.den)
        if bars:
            return total + self._ln_bars(num) - self._ln_bars(den)
        if self.field.is_positive(element.den):
            return total + self._ln(num) - self._ln(den)
        return total + self._ln(element)

    def _ln_bars(self, element: Quotient) -> Quotient:
        if element == self.field.one:
            return self.field.zero
        if element.den.is_one() and self.field.is_positive(element.num):
            return self._ln_positive(element)
        if element.num.leading_coefficient() < 0:
            element = -element
        return self.function(
            "ln_abs", (element,), lambda: self.field.derivative(element) / element, real=True
        )

    def _ln(self, element: Quotient) -> Quotient:
        if element == self.field.one:
            return self.field.zero
        if self.field.is_positive(element.num) and element.den.is_one():
            return self._ln_positive(element)
        return self.function("ln", (element,), lambda: self.field.derivative(element) / element)

    def _ln_positive(self, element: Quotient) -> Quotient:
        inner = self.field.single(element)
        if inner is not None and inner.kind == "exp":
            argument: Quotient = inner.args[0]
            return argument * self.field.constant(inner.unit)
        if element == self.field.one:
            return self.field.zero
        return self.function(
            "ln", (element,), lambda: self.field.derivative(element) / element, real=True
        )


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


def _prime_factors(value: fmpq) -> list[tuple[int, int]]:
    """The prime factors of a positive rational number with exponents; large ones stay whole."""
    found: dict[int, int] = {}
    for part, sign in ((value.p, 1), (value.q, -1)):
        number = int(part)
        small = number.bit_length() <= MAX_FACTOR_BITS
        for prime, e in fmpz(number).factor() if small else [(number, 1)]:
            if prime != 1:
                found[int(prime)] = found.get(int(prime), 0) + sign * int(e)
    return list(found.items())


# --- exponentials of generators: exp(c g), or None where no rule applies


def _exp_ln(t: Translator, g: Generator, c: fmpq) -> Quotient | None:
    (base,) = g.args
    # Roots of odd order are real for negative numbers, and the exponential is not.
    if c.q == 1 or c.q % 2 == 0 or g.real:
        return t.power(base, Fraction(int(c.p), int(c.q)))
    return None


def _exp_ln_abs(t: Translator, g: Generator, c: fmpq) -> Quotient | None:
    even = c.q == 1 and c.p % 2 == 0 and g.real
    return t.integer_power(g.args[0], int(c.p)) if even else None


def _exp_inverse(t: Translator, g: Generator, c: fmpq) -> Quotient | None:
    """Exponentials of inverse hyperbolic functions (DLMF 4.37.16, 4.37.21, 4.37.24)."""
    (u,) = g.args
    if g.kind == "atanh":  # a square root would have another sign on one branch cut
        even = c.q == 1 and c.p % 2 == 0
        return t.integer_power((1 + u) / (1 - u), int(c.p) // 2) if even else None
    if c.q != 1:
        return None
    if g.kind == "acosh":
        root = t.root(u - 1, 2) * t.root(u + 1, 2)
        return t.integer_power(u + root if c > 0 else u - root, abs(int(c.p)))
    root = t.root(u * u + 1, 2)
    return t.integer_power(root + u if c > 0 else root - u, abs(int(c.p)))


def _exp_lambertw(t: Translator, g: Generator, c: fmpq) -> Quotient | None:
    """W exp W = u (Corless et al., *On the Lambert W function*, 1996, equation 1.5)."""
    return t.integer_power(g.args[0] / t.field.of(g), int(c.p)) if c.q == 1 else None


EXPONENTIALS: dict[str, Callable[[Translator, Generator, fmpq], Quotient | None]] = {
    "ln": _exp_ln, "ln_abs": _exp_ln_abs, "asinh": _exp_inverse, "acosh": _exp_inverse,
    "atanh": _exp_inverse, "lambertw": _exp_lambertw,
}  # fmt: skip


# --- forms: functions that are not merely applied to the values of their arguments


def _power(t: Translator, node: Call) -> Quotient:
    base, exponent = node.args
    if isinstance(base, Call) and base.function == "e":
        return t.exp(t.value(exponent))
    return _general_power(t, base, exponent)


def _general_power(t: Translator, base: Expression, exponent: Expression) -> Quotient:
    ratio = fold(exponent)
    if ratio is None:
        t.rules.add("u^w = exp(w ln u)")
        power = t.value(exponent)
        # A constant exponent may be whole, and then a negative base has a real power.
        real_parts, t.real_parts = t.real_parts, t.real_parts and not t.field.is_constant(power)
        logarithm = t.ln(t.value(base))
        t.real_parts = real_parts
        return t.exp(power * logarithm)
    if ratio.numerator % 2 == 0 and isinstance(base, Call) and base.function == "abs":
        inside = t.normal(t.value(base.args[0]))
        if t.field.is_real(inside) and ratio.denominator == 1:
            return t.power(inside, ratio)
    return t.power(t.value(base), ratio)


def _logarithm(t: Translator, node: Call) -> Quotient:
    argument = node.args[0]
    if isinstance(argument, Call) and argument.function == "abs":
        value = t.ln(t.value(argument.args[0]), bars=True)
    else:
        value = t.ln(t.value(argument))
    return value if node.function == "ln" else value / t.ln(t.value(node.args[1]))


def _piecewise(t: Translator, node: Call) -> Quotient:
    t.splittable = True
    for value, condition in zip(node.args[::2], node.args[1::2], strict=False):
        if _holds(t, condition):
            return t.value(value)
    if len(node.args) % 2 == 0:
        raise NotProvedError("no case holds")
    return t.value(node.args[-1])


def _holds(t: Translator, node: Expression) -> bool:
    if not isinstance(node, Call):
        raise NotProvedError("a condition that is none")
    if node.function in ("and", "or"):
        parts = [_holds(t, arg) for arg in node.args]
        return all(parts) if node.function == "and" else any(parts)
    if node.function not in ("lt", "le", "gt", "ge"):
        raise NotProvedError("a condition that singles out points")
    gap = t.normal(t.value(node.args[0]) - t.value(node.args[1]))
    if gap.is_zero():
        return node.function in ("le", "ge")
    return (t.require_sign(gap) > 0) is (node.function in ("gt", "ge"))


FORMS: dict[str, Callable[[Translator, Call], Quotient]] = {
    "add": lambda t, node: reduce(add, map(t.value, node.args)),
    "mul": lambda t, node: reduce(mul, map(t.value, node.args)),
    "div": lambda t, node: t.value(node.args[0]) / t.field.normal(t.value(node.args[1])),
    "pow": _power, "root": lambda t, node: _general_power(
        t, node.args[0], Call("div", (Number(1), node.args[1]))),
    "ln": _logarithm, "log": _logarithm, "piecewise": _piecewise,
}  # fmt: skip
#: Functions of values; `special` adds to them.
RULES: dict[str, Callable[..., Quotient]] = {}
