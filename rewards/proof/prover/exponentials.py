"""Exponentials, sines and cosines: of sums, of multiples, of logarithms and inverse functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import reduce

from flint import fmpq

from .elements import MAX_LETTER_POWER, Elements, RestartError
from .field import Generator
from .lattice import Angle, Vector
from .quotients import UNIT, NotProvedError, Quotient, TooLargeError, quotient

#: A sum in an exponent is taken apart if it has no more terms than this, and one in an angle: each
#: addend of an exponent is a generator, and each coordinate of an angle is a row of a small matrix.
MAX_ADDENDS, MAX_ANGLE_ADDENDS = 6, 24
#: Largest multiple of an angle that is expanded.
MAX_MULTIPLE = 128


class Exponentials(Elements):
    """Elements with exp, sin and cos."""

    __slots__ = ()

    def addends(self, element: Quotient, most: int) -> list[tuple[fmpq, Quotient]]:
        """An element as a sum of at most so many rational numbers times elements, or one."""
        element = self.normal(element)
        if self.field.single(element) is not None:
            return [(UNIT, element)]
        num, den = element.num, element.den
        if len(num) == 1 or len(num) > most:
            c = num.leading_coefficient()
            return [(c, element if c == 1 else Quotient(num / c, den, element.support))]
        from_dict = self.field.ring.from_dict
        return [(c, quotient(from_dict({powers: 1}), den)) for powers, c in num.terms()]

    def exp(self, element: Quotient) -> Quotient:
        result, angles = self.field.one, []
        for c, arg in self.addends(element, MAX_ADDENDS):
            real = self.without_i(arg)
            if real is None:
                result = result * self._exp(c, arg)
            else:
                angles.append((c, real))
        if angles:
            sine, cosine = self._of_angle(angles)
            result = result * (cosine + self.i * sine)
        return result

    def _exp(self, c: fmpq, arg: Quotient) -> Quotient:
        inner = self.field.single(arg)
        if inner is not None:
            rule = EXPONENTIALS.get(inner.kind)
            value = rule(self, inner, c) if rule else None
            if value is not None:
                self.rules.add(f"exp {inner.kind}")
                return value
        known = self.field.find("exp", (arg,))
        unit = known.unit if known else self.noted("exp", arg)
        if unit is not None and (far := _orders(c, unit)):
            # Regarded as independent: what is proved then is true.
            unit = unit * fmpq(MAX_LETTER_POWER) ** far
            arg, c = arg * self.field.constant(unit), c / unit
        generator, times = self.scaled("exp", arg, c)
        return generator.element**times

    def either_root(self, radicand: Quotient) -> Quotient:
        """A square root that may be the negative of the principal one, as on one branch cut."""
        generator, times = self.scaled("either root", radicand, fmpq(1, 2))
        return (generator.element / self.field.poly(radicand.den)) ** times

    def without_i(self, arg: Quotient) -> Quotient | None:
        """The factor of i that an element is; None if it is none."""
        if self._i is None or len(arg.num) != 1:
            return None
        i = self._i.num
        return Quotient(arg.num / i, arg.den) if arg.num.term_content().gcd(i) == i else None

    def sin_cos(self, element: Quotient) -> tuple[Quotient, Quotient]:
        return self._of_angle(self.addends(element, MAX_ANGLE_ADDENDS))

    def _of_angle(self, addends: list[tuple[fmpq, Quotient]]) -> tuple[Quotient, Quotient]:
        """Sine and cosine of a sum: of multiples of units, of its phase, of what has rules."""
        base = self.field
        if len(addends) == 1:  # nearly always, and met before
            ((c, arg),) = addends
            known = base.find("cos", (arg,))
            if known is not None and known.partner and (c / known.unit).q == 1:
                sine = known.partner.element
                return self._multiple(sine, known.element, int((c / known.unit).p))
            if not (self.angles.units or base.is_constant(arg) or self._has_rule(c, arg)):
                self.angles.units.append(Angle({self._key(arg): abs(c)}, {}))  # the first unit
                return self._of_unit(0, 1 if c > 0 else -1)
        varying: Vector = {}
        others: list[tuple[fmpq, Quotient]] = []
        phase: Vector = {}
        for c, arg in addends:
            if self._has_rule(c, arg):
                others.append((c, arg))
                continue
            (phase if base.is_constant(arg) else varying)[self._key(arg)] = c
        parts: list[tuple[Quotient, Quotient]] = []
        if varying:
            angle = Angle(varying | phase, {}) if self.angles.apart else Angle(varying, phase)
            multiples = self._include(angle)
            phase = self.angles.phase_left(angle, multiples)
            parts += [self._of_unit(i, int(n.p)) for i, n in enumerate(multiples) if n]
        others += [(c, self._monomial(key)) for key, c in phase.items()]
        parts += [self._sin_cos(c, arg) for c, arg in others]
        return reduce(_of_sum, parts, None) or (base.zero, base.one)

    def _include(self, angle: Angle) -> list[fmpq]:
        """The whole combination of units that an angle is, of which there may be new ones."""
        units = self.angles.units
        found = self.angles.add(angle)
        if self._units and self.angles.units is not units:
            raise RestartError
        return found

    def _of_unit(self, at: int, times: int) -> tuple[Quotient, Quotient]:
        """Sine and cosine of a multiple of a unit."""
        cosine = self._units.get(at)
        if cosine is None:
            unit = self.angles.units[at]
            (c, arg), *rest = [
                (c, self._monomial(key)) for v in (unit.varying, unit.phase) for key, c in v.items()
            ]
            if rest:
                constant = self.field.constant
                c, arg = UNIT, sum((arg * constant(c) for c, arg in rest), arg * constant(c))
            cosine = self._units[at] = self._new_scaled("cos", arg, c)
            self._new_scaled("sin", arg, c, cosine)
            self.rules.add("cos")
        assert cosine.partner is not None
        return self._multiple(cosine.partner.element, cosine.element, times)

    def _key(self, monomial: Quotient) -> Hashable:
        """What a monomial is called in the vectors of angles."""
        whole = monomial.den.is_one()
        key = monomial.num.monoms()[0] if whole else (str(monomial.num), str(monomial.den))
        self._monomials[key] = monomial
        return key

    def _monomial(self, key: Hashable) -> Quotient:
        """The monomial with a key, which an attempt before this one may have had."""
        monomial = self._monomials.get(key)
        if monomial is None:
            raise NotProvedError("a unit of an attempt before this one")
        return monomial

    def _has_rule(self, c: fmpq, arg: Quotient) -> bool:
        """Whether sines and cosines of a multiple of something are known."""
        if self.without_i(arg) is not None:
            return True
        inner = self.field.single(arg)
        if inner is None or inner.kind not in ("pi", "asin", "atan"):
            return False
        return inner.kind == "pi" or (
            c.q == 1 and (inner.kind == "asin" or self.field.is_real(inner.args[0]))
        )

    def _sin_cos(self, c: fmpq, arg: Quotient) -> tuple[Quotient, Quotient]:
        real = self.without_i(arg)
        if real is not None:
            up, down = self._exp(c, real), self._exp(-c, real)
            return self.i * (up - down) / 2, (up + down) / 2
        inner = self.field.single(arg)
        if inner is not None and inner.kind == "pi":
            values = self._of_pi(c)
            if values is not None:
                return values
        if inner is not None and inner.kind in ("asin", "atan") and c.q == 1:
            (u,) = inner.args
            if inner.kind == "asin":  # on the branch cuts, too, as python-flint has them
                return self._multiple(u, self.root(1 - u * u, 2), int(c.p))
            if self.field.is_real(u):
                root = self.root(1 + u * u, 2)
                return self._multiple(u / root, 1 / root, int(c.p))
        cosine, times = self.scaled("cos", arg, c)
        sine = cosine.partner or self._new_scaled("sin", arg, cosine.unit, cosine)
        return self._multiple(sine.element, cosine.element, times)

    def _multiple(self, s: Quotient, c: Quotient, times: int) -> tuple[Quotient, Quotient]:
        """Sine and cosine of a multiple of an angle: s U(c) and T(c) (Chebyshev), by doubling."""
        if times == 1:
            return s, c
        if abs(times) > MAX_MULTIPLE:
            raise TooLargeError("a multiple of an angle that is too high")
        bits = format(abs(times), "b")[1:]
        bound = self.field.support(c) & self.field.bound
        one = u = self.field.one
        square, t = (s * s if bound else one - c * c) if "1" in bits else one, c
        for bit in bits:
            double = t + t
            t, u = double * t - one, double * u
            if bit == "1":
                t, u = c * t - square * u, c * u + t
            if bound:
                t, u = self.normal(t), self.normal(u)
        sine = self.normal(s * u) if bound else s * u
        return (sine, t) if times > 0 else (-sine, t)

    def _of_pi(self, c: fmpq) -> tuple[Quotient, Quotient] | None:
        """Sine and cosine of c times pi, for twelfths of a turn and eighths."""
        turns = Fraction(int(c.p), int(c.q)) % 2
        k, n = turns.numerator, turns.denominator
        if n == 8:  # tan(pi/8) = sqrt(2) - 1, and 4 cos(pi/8)^2 = 2 + sqrt(2)
            root = self.root(self.field.rational(2), 2)
            cosine = self.root(2 + root, 2) / 2
            return self._multiple((root - 1) * cosine, cosine, k)
        if n == 12:  # k/12 = 3 k/4 - 2 k/3
            third, quarter = self._of_pi(fmpq(-2 * k, 3)), self._of_pi(fmpq(3 * k, 4))
            return _of_sum(third, quarter) if third and quarter else None
        if n not in (1, 2, 3, 4, 6):
            return None
        return self._cosine((Fraction(1, 2) - turns) % 2), self._cosine(turns)

    def _cosine(self, turns: Fraction) -> Quotient:
        turns = min(turns, 2 - turns)
        if turns > Fraction(1, 2):
            return -self._cosine(1 - turns)
        square = {0: 4, 6: 3, 4: 2, 3: 1, 2: 0}[turns.denominator if turns else 0]
        return self.root(self.field.rational(square, 4), 2)


def _of_sum(
    one: tuple[Quotient, Quotient] | None, two: tuple[Quotient, Quotient]
) -> tuple[Quotient, Quotient]:
    """Sine and cosine of the sum of two angles."""
    if one is None:
        return two
    (s, c), (sine, cosine) = one, two
    return s * cosine + c * sine, c * cosine - s * sine


# --- exponentials of generators: exp(c g), or None where no rule applies


def _exp_ln(t: Exponentials, g: Generator, c: fmpq) -> Quotient | None:
    (base,) = g.args
    if g.real:
        return t.positive_root(base, c)
    # Roots of odd order are real for negative numbers, and the exponential is not.
    if c.q == 1 or c.q % 2 == 0:
        return t.power(base, Fraction(int(c.p), int(c.q)))
    return None


def _exp_ln_abs(t: Exponentials, g: Generator, c: fmpq) -> Quotient | None:
    even = c.q == 1 and c.p % 2 == 0 and g.real
    return t.integer_power(g.args[0], int(c.p)) if even else None


def _exp_inverse(t: Exponentials, g: Generator, c: fmpq) -> Quotient | None:
    """Exponentials of inverse hyperbolic functions (DLMF 4.37.16, 4.37.21, 4.37.24)."""
    (u,) = g.args
    if c.q != 1:
        return None
    if g.kind == "atanh":
        square = t.normal((1 + u) / (1 - u))
        half, odd = divmod(int(c.p), 2)
        return t.integer_power(square, half) * (t.either_root(square) if odd else t.field.one)
    if g.kind == "acosh":
        root = t.root(u - 1, 2) * t.root(u + 1, 2)
        return t.integer_power(u + root if c > 0 else u - root, abs(int(c.p)))
    root = t.root(u * u + 1, 2)
    return t.integer_power(root + u if c > 0 else root - u, abs(int(c.p)))


def _exp_lambertw(t: Exponentials, g: Generator, c: fmpq) -> Quotient | None:
    """W exp W = u (Corless et al., *On the Lambert W function*, 1996, equation 1.5)."""
    return t.integer_power(g.args[0] / g.element, int(c.p)) if c.q == 1 else None


EXPONENTIALS: dict[str, Callable[[Exponentials, Generator, fmpq], Quotient | None]] = {
    "ln": _exp_ln,
    "ln_abs": _exp_ln_abs,
    "asinh": _exp_inverse,
    "acosh": _exp_inverse,
    "atanh": _exp_inverse,
    "lambertw": _exp_lambertw,
}


def _orders(c: fmpq, unit: fmpq) -> int:
    """Orders of magnitude between two multiples of an exponent that are too far apart, else 0."""
    if max(abs(c), unit) <= MAX_LETTER_POWER * unit.gcd(c):
        return 0
    ratio = c / unit
    bits = int(ratio.p).bit_length() - int(ratio.q).bit_length()
    return round(bits / MAX_LETTER_POWER.bit_length())
