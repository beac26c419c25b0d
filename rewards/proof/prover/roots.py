"""Roots and logarithms: by manifestly positive factors, by coprime ones with signs, or whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from flint import fmpq, fmpz

from .exponentials import Exponentials
from .field import Field
from .quotients import UNIT, NotProvedError, Poly, Quotient, is_factored_quickly, product

#: Rational numbers of at most so many bits are factored.
MAX_FACTOR_BITS = 64
#: Polynomials with more terms have no root.
MAX_FACTOR_TERMS = 200


class Roots(Exponentials):
    """Elements with roots and logarithms, too."""

    __slots__ = ()

    def root(self, element: Quotient, q: int) -> Quotient:
        """The q-th root: real and odd for odd q where that is real, else principal."""
        element = self.normal(element)
        if element.is_zero():
            return element
        outside, element = self._positive_factors(
            element, lambda base, e: self.positive_root(base, e / q)
        )
        if not self.field.support(element):
            return outside if element.num.is_one() else outside * self._root_of_sign(-1, q)
        self.splittable = True
        if self.split:
            whole = self._root_by_factors(element, q)
            if whole is not None:
                return outside * whole
        if not self.field.is_positive(element.den):
            return outside * self._root(element, q)
        num, den = self.field.parts(element)
        positive = self.field.is_positive(num.num)
        above = self.positive_root(num, fmpq(1, q)) if positive else self._root(num, q)
        return outside * above / self.positive_root(den, fmpq(1, q))

    def _root(self, radicand: Quotient, q: int) -> Quotient:
        """The root of n/d: a generator stands for d (n/d)^(1/q), whose q-th power is n d^(q-1)."""
        kind = "even root" if q % 2 == 0 else "odd root"
        generator, times = self.scaled(kind, radicand, fmpq(1, q))
        return (generator.element / self.field.poly(radicand.den)) ** times

    def positive_root(self, base: Quotient, exponent: fmpq) -> Quotient:
        """A rational power of a positive element without a denominator."""
        if base is self.field.one or base == self.field.one:
            return base
        if exponent.q == 1:
            return self.integer_power(base, int(exponent.p))
        inner = self.field.single(base)
        if inner is not None and inner.kind == "exp":
            return self._exp(exponent * inner.unit, inner.args[0])
        generator, times = self.scaled("root", base, exponent)
        return generator.element**times

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
        if c != 1:
            element = Quotient(element.num / c, element.den, element.support)
            for prime, e in _prime_factors(c):
                outside = outside * power(base.constant(prime), fmpq(e))
        if not base.support(element) & base.positive:
            return outside, element
        if (inner := base.single(element)) is not None:
            inside, exponent = (
                (inner.args[0], inner.unit) if inner.kind == "root" else (element, UNIT)
            )
            return outside * power(inside, exponent), base.one
        parts: list[Poly] = []
        for part, sign in ((element.num, 1), (element.den, -1)):
            content = part.term_content()
            degrees = () if content.is_one() else content.degrees()[::-1]
            for generator, degree in zip(base.generators, degrees, strict=False):
                if degree and base.positive >> generator.index & 1:
                    part = part / base.variables[generator.index] ** degree
                    inside, exponent = generator.element, fmpq(sign * degree)
                    if generator.kind == "root":
                        inside, exponent = generator.args[0], exponent * generator.unit
                    outside = outside * power(inside, exponent)
            parts.append(part)
        num, den = parts
        whole = num is element.num and den is element.den
        return outside, element if whole else Quotient(num, den)

    def _root_by_factors(self, element: Quotient, q: int) -> Quotient | None:
        """A root as a product over coprime factors of known signs; None: a sign is not known."""
        sign, factors = self.factors(element)
        if factors is None:
            return None
        if q % 2 == 0:
            self.require_positive(sign, element)
        result = self._root_of_sign(sign, q)
        for base, e in factors:
            result = result * self.positive_root(self.field.poly(base), fmpq(e, q))
        self.rules.add("roots of coprime factors")
        return result

    def factors(self, element: Quotient) -> tuple[int, list[tuple[Poly, int]] | None]:
        """A sign and positive coprime factors with exponents; None if a sign is not known."""
        sign, factors = 1, []
        for part, direction in ((element.num, 1), (element.den, -1)):
            if len(part) > MAX_FACTOR_TERMS:
                raise NotProvedError("a polynomial that is too large to be factored")
            sign *= 1 if part.leading_coefficient() > 0 else -1
            # Not factored, x^2000 - 1 is another polynomial than its factors, and proves less.
            for factor, e in part.factor()[1] if is_factored_quickly(part) else [(part, 1)]:
                base, times = factor / factor.leading_coefficient(), int(e) * direction
                preferred = self._conjugate(base)
                if preferred is not None:
                    base, norm = preferred
                    sign *= 1 if norm > 0 or times % 2 == 0 else -1
                    factors += [(base**0 * p, k * times) for p, k in _prime_factors(abs(norm))]
                    times = -times
                    self.rules.add("conjugates")
                s = self.sign(base)
                if s is None:
                    return 1, None
                sign *= s ** (times % 2)
                factors.append((base * s, times))
        return sign, factors

    def _conjugate(self, poly: Poly) -> tuple[Poly, fmpq] | None:
        """The conjugate ``a - b r`` of ``a + b r`` with a square root r, and their product.

        Only if the product is a number, and of the two the conjugate is the one to be used: then
        ``sqrt(x^2 + 1) - x`` is ``1/(sqrt(x^2 + 1) + x)``.
        """
        for other in conjugates(self.field, poly):
            if list(poly.coeffs()) < list(other.coeffs()):
                norm = norm_of(self.field, poly, other)
                if norm is not None:
                    return other, norm
        return None

    # --- logarithms ---

    def ln(self, element: Quotient, *, bars: bool = False) -> Quotient:
        """ln u; with ``bars`` ln|u|."""
        element = self.normal(element)
        if element.is_zero():
            raise NotProvedError("the logarithm of zero")
        total = self.field.zero

        def note(base: Quotient, e: fmpq) -> Quotient:
            nonlocal total
            total = total + self.field.constant(e) * self._ln(base, positive=True)
            return self.field.one

        _, element = self._positive_factors(element, note)
        if not self.field.support(element):
            negative = not (bars or element.num.is_one())
            return total + self.i * self.named("pi") if negative else total
        self.splittable = True
        if bars and not self.field.is_real(element):
            return total + self._ln_modulus(element)
        if self.split:
            sign, factors = self.factors(element)
            if factors is not None:
                for base, e in factors:
                    total = total + e * self._ln(self.field.poly(base), positive=True)
                if not bars:
                    self.require_positive(sign, element)
                if sign < 0 and not bars:
                    total = total + self.i * self.named("pi")
                self.rules.add("logarithms of coprime factors")
                return total
        if not (bars or self.field.is_positive(element.den)):
            return total + self._ln(element)
        name = "ln_abs" if bars else "ln"
        if element.den.is_one():
            return total + self._ln(element, name)
        num, den = self.field.parts(element)
        return total + self._ln(num, name) - self._ln(den, name)

    def _ln_modulus(self, element: Quotient) -> Quotient:
        """ln|u| of a u that may not be real: ln(u v)/2 with its conjugate v.

        Factors that are q-th roots of a real r have the modulus |r|^(1/q); what is left has the
        form a + i b with real a and b, or nothing is said.
        """
        base, total = self.field, self.field.zero
        parts: list[Poly] = []
        for part, sign in ((element.num, 1), (element.den, -1)):
            degrees = part.term_content().degrees()[::-1]
            for generator, degree in zip(base.generators, degrees, strict=False):
                if not (degree and generator.kind == "even root"):
                    continue
                (radicand,) = generator.args
                if base.is_real(radicand):
                    part = part / generator.element.num**degree
                    # The generator is d (n/d)^(1/q) for a radicand n/d.
                    modulus = self.ln(radicand, bars=True) * base.constant(generator.unit)
                    below = self.ln(base.poly(radicand.den), bars=True)
                    total = total + sign * degree * (modulus + below)
            parts.append(part)
        rest = self.normal(Quotient(*parts))
        if base.is_real(rest):
            return total + self.ln(rest, bars=True)
        if base.support(rest) & base.unreal != self.i.support:
            raise NotProvedError("the modulus of what may not be real")
        self.rules.add("moduli of complex numbers")
        for part, sign in ((rest.num, 1), (rest.den, -1)):
            square = self.normal(base.poly(part) * base.poly(self._conjugate_number(part)))
            total = total + self.ln(square, bars=True) * base.rational(sign, 2)
        return total

    def _conjugate_number(self, poly: Poly) -> Poly:
        """a - i b for a polynomial a + i b with real a and b."""
        i = self.i.num
        return poly - 2 * i * poly.derivative(i.degrees().index(1))

    def _ln(self, element: Quotient, name: str = "ln", *, positive: bool = False) -> Quotient:
        """A logarithm as a generator: ``ln``, or ``ln_abs`` with bars."""
        base = self.field
        if element is base.one or element == base.one:
            return base.zero
        positive = positive or (element.den.is_one() and base.is_positive(element.num))
        inner = base.single(element) if positive else None
        if inner is not None and inner.kind == "exp":
            argument: Quotient = inner.args[0]
            return argument * base.constant(inner.unit)
        real = positive or name == "ln_abs"
        if name == "ln_abs" and element.num.leading_coefficient() < 0:
            element = -element
        name = "ln" if positive else name
        return self.function(
            name, (element,), lambda: base.derivative(element) / element, real=real
        )


def conjugates(field: Field, poly: Poly) -> Iterator[Poly]:
    """``a - b r`` for each square root r in which a polynomial is ``a + b r``, up to a factor."""
    for generator in field.related:
        place = field.size - 1 - generator.index
        if generator.order == 2 and "root" in generator.kind and poly.degrees()[place] == 1:
            other = poly - 2 * field.variables[generator.index] * poly.derivative(place)
            yield other / other.leading_coefficient()


def norm_of(field: Field, poly: Poly, conjugate: Poly) -> fmpq | None:
    """The product of both if it is a number other than zero."""
    with suppress(NotProvedError):  # the product is too large
        found = field.reduce(product(poly, conjugate))
        if found.is_constant() and not found.is_zero():
            norm: fmpq = found.leading_coefficient()
            return norm
    return None


def _prime_factors(value: fmpq) -> list[tuple[int, int]]:
    """The prime factors of a positive rational number with exponents; large ones stay whole."""
    exponents: dict[int, int] = {}
    for part, sign in ((value.p, 1), (value.q, -1)):
        number = int(part)
        small = number.bit_length() <= MAX_FACTOR_BITS
        for prime, e in fmpz(number).factor() if small else [(number, 1)]:
            if prime != 1:
                exponents[int(prime)] = exponents.get(int(prime), 0) + sign * int(e)
    return list(exponents.items())
