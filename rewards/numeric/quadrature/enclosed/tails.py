"""Proven bounds of the integral from a point to infinity, for integrands that decay exponentially.

For x = T + t with t >= 0 the bounds of an expression are straight lines in t: of its value, and of
the logarithm of its absolute value. Each operation takes lines to lines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

from flint import acb, arb, fmpq

from ....reading.expression.traversal import fold, symbols_of
from ....reading.expression.tree import Call, Expression, Number, Symbol
from ....reading.functions import RECORDS
from ....reading.functions.record import ODD
from ...ball_arithmetic.balls import UnusableError
from ...ball_arithmetic.compiler import compile_tape
from ...ball_arithmetic.jets import Ball

#: p + q t
Line = tuple[arb, arb]


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Lines that bound g: ``below`` <= g <= ``above`` and ``least`` <= ln|g| <= ``size``.

    ``sign`` is that of g where it is known and the same everywhere, else 0.
    """

    size: Line | None = None
    least: Line | None = None
    below: Line | None = None
    above: Line | None = None
    sign: int = 0

    @property
    def positive(self) -> bool:
        """Whether g > 0 is shown by its line."""
        return self.below is not None and bool(self.below[0] > 0) and bool(self.below[1] >= 0)

    @property
    def negative(self) -> bool:
        """Whether g < 0 is shown by its line."""
        return self.above is not None and bool(self.above[0] < 0) and bool(self.above[1] <= 0)


def tail_bound(
    expression: Expression, variable: str, values: Mapping[str, Ball], start: arb, side: int
) -> arb:
    r"""A bound of the integral of \|f\| from a point to infinity; infinite if none is found.

    Args:
        expression: f.
        variable: its variable.
        values: the values of its parameters.
        start: the point, with the sign ``side`` and not 0.
        side: +1 for the integral to infinity, -1 for that from minus infinity.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> bound = tail_bound(read("e^{-x}x")[0].expression, "x", {}, arb(64), 1)
    >>> bool(bound < 1e-25)
    True

    """
    bounds = _Tail(variable, values, start, side).of(expression)
    if bounds.size is None or not bounds.size[1] < 0:
        return arb("inf")
    return (bounds.size[0].exp() / -bounds.size[1]).upper()


def sign_of_divergence(
    expression: Expression, variable: str, values: Mapping[str, Ball], start: arb
) -> int:
    r"""The sign of f if it has one and \|f\| has a positive lower bound towards infinity, else 0.

    Then its integral diverges.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> sign_of_divergence(read("-\\sqrt{x}")[0].expression, "x", {}, arb(64))
    -1

    """
    bounds = _Tail(variable, values, start, 1).of(expression)
    if bounds.least is None or not bounds.least[1] >= 0 or not bounds.least[0].is_finite():
        return 0
    return bounds.sign


def _plus(a: Line | None, b: Line | None) -> Line | None:
    return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])


def _times(a: Line | None, factor: arb) -> Line | None:
    return None if a is None else (a[0] * factor, a[1] * factor)


@dataclass(frozen=True, slots=True)
class _Tail:
    variable: str
    values: Mapping[str, Ball]
    start: arb
    side: int

    def of(self, node: Expression) -> _Bounds:
        """The bounds of an expression, each from the other where it lacks one."""
        bounds = self._constant(node) or self._call(node)
        low, high = bounds.below, bounds.above
        if bounds.size is None and low and high:
            # |g| <= a + b t <= a e^{b t / a}
            a = max(abs(low[0]).upper(), abs(high[0]).upper(), arb(1) / 1024)
            b = max(abs(low[1]).upper(), abs(high[1]).upper())
            bounds = replace(bounds, size=(a.log(), b / a))
        if bounds.size is not None and bounds.size[1] <= 0:
            # |g| is largest at t = 0
            limit = bounds.size[0].exp().upper()
            below = (arb(0) if bounds.sign > 0 else -limit), arb(0)
            above = (arb(0) if bounds.sign < 0 else limit), arb(0)
            bounds = replace(bounds, below=bounds.below or below, above=bounds.above or above)
        if bounds.positive or bounds.negative:
            line = bounds.below if bounds.positive else _times(bounds.above, arb(-1))
            least = bounds.least or ((line[0].log(), arb(0)) if line else None)
            bounds = replace(bounds, least=least, sign=1 if bounds.positive else -1)
        return bounds

    def _constant(self, node: Expression) -> _Bounds | None:
        if self.variable in symbols_of(node):
            if not isinstance(node, Symbol):
                return None
            line = abs(self.start), arb(1)
            if self.side > 0:
                return _Bounds(least=(line[0].log(), arb(0)), below=line, above=line, sign=1)
            down = _times(line, arb(-1))
            return _Bounds(least=(line[0].log(), arb(0)), below=down, above=down, sign=-1)
        try:
            tape = compile_tape(node, "")
        except UnusableError:
            return _Bounds()
        value = tape.run(acb(0), self.values, derivative=False)[tape.root][0]
        if not value.is_finite():
            return _Bounds()
        size = abs(value)
        known = _Bounds(
            size=None if size.is_zero() else (size.upper().log(), arb(0)),
            least=(size.lower().log(), arb(0)) if size > 0 else None,
        )
        if not value.imag.contains(0):
            return known
        sign = 1 if value.real > 0 else -1 if value.real < 0 else 0
        low, high = value.real.lower(), value.real.upper()
        return replace(known, below=(low, arb(0)), above=(high, arb(0)), sign=sign)

    def _call(self, node: Expression) -> _Bounds:
        if not isinstance(node, Call):
            return _Bounds()
        name, args = node.function, node.args
        if name in ("pow", "root", "sqrt"):
            return self._power(node)
        parts = [self.of(arg) for arg in args]
        first = parts[0]
        if name == "neg":
            return _negative(first)
        if name in ("floor", "ceil") or (name == "frac" and _is_below_one(first)):
            return _rounded(name, first)
        if name == "abs":
            return _Bounds(first.size, first.least, sign=abs(first.sign))
        if name == "add":
            return reduce(_sum, parts)
        if name == "mul":
            return reduce(_product, parts)
        if name == "div":
            return _product(first, _reciprocal(parts[1]))
        if name in ("exp", "cosh", "sinh", "sech", "csch"):
            return _exponential(name, first)
        if name == "ln":
            return self._logarithm(args[0], first)
        if name == "erfc" and first.positive:
            # erfc u <= e^{-u^2} for u >= 0
            return replace(_exponential("exp", _negative(_product(first, first))), below=None)
        if name in ("factorial", "gamma"):
            return _factorial(first if name == "factorial" else _sum(first, _constant_line(-1)))
        limit = _BOUNDED.get(name)
        if limit is None or (name == "bessel_j" and not _is_whole(args[0])):
            return _Bounds()
        if name in _LIKE_THE_ARGUMENT and first.size is not None and first.size[1] < 0:
            # |sin u| <= |u| and so on; |erf u| <= 2 |u| / sqrt(pi)
            return _Bounds(_plus(first.size, (arb(_LIKE_THE_ARGUMENT[name]).log(), arb(0))))
        return _Bounds(below=(arb(-limit), arb(0)), above=(arb(limit), arb(0)))

    def _logarithm(self, argument: Expression, known: _Bounds) -> _Bounds:
        small = self._near_one(argument)
        if small is not None:
            # |ln(1 + w)| <= 2 |w| for |w| <= 1/2
            return _Bounds(_plus(small, (arb(2).log(), arb(0))))
        return _Bounds(below=known.least, above=known.size) if known.sign > 0 else _Bounds()

    def _near_one(self, node: Expression) -> Line | None:
        """ln|w| of an argument 1 + w with |w| <= 1/2 that decays."""
        if node.function != "add" or Number(1) not in node.args:
            return None
        rest = [arg for arg in node.args if arg != Number(1)]
        if len(rest) != len(node.args) - 1:
            return None
        size = reduce(_sum, [self.of(arg) for arg in rest]).size
        decays = size is not None and bool(size[1] < 0) and bool(size[0] < -arb(2).log())
        return size if decays else None

    def _power(self, node: Call) -> _Bounds:
        if node.function == "sqrt":
            base, exponent = node.args[0], fmpq(1, 2)
        else:
            base = node.args[0]
            ratio = fold(node.args[1])
            if ratio is None or (node.function == "root" and not ratio):
                return self._general_power(node)
            exponent = fmpq(ratio.numerator, ratio.denominator)
            exponent = 1 / exponent if node.function == "root" else exponent
        bounds, r = self.of(base), arb(exponent)
        if exponent.q == 1 and exponent.p % 2 == 0 and not bounds.positive:
            bounds = _negative(bounds)
        raised = self._raised(_reciprocal(bounds) if r < 0 else bounds, abs(r))
        sign = bounds.sign if exponent.q == 1 else max(bounds.sign, 0)
        if exponent.q == 1 and exponent.p % 2 == 0:
            sign = int(bounds.least is not None)
        return replace(raised, sign=sign)

    def _general_power(self, node: Call) -> _Bounds:
        """b^u = e^{u ln b} for b > 0."""
        base, exponent = node.args
        if node.function == "root":
            return _Bounds()
        if fold(base) == -1:
            return _Bounds(size=(arb(0), arb(0)))
        return self.of(Call("exp", (Call("mul", (exponent, Call("ln", (base,)))),)))

    @staticmethod
    def _raised(bounds: _Bounds, r: arb) -> _Bounds:
        """g^r for r >= 0; the tangent at t = 0 bounds a power of a line."""
        below = above = None
        if bounds.positive and bounds.below and r >= 1:
            p, q = bounds.below
            below = p**r, r * p ** (r - 1) * q
        if bounds.positive and bounds.above and r <= 1:
            p, q = bounds.above
            above = p**r, r * p ** (r - 1) * q
        if bounds.positive and bounds.below and below is None:
            below = bounds.below[0] ** r, arb(0)
        return _Bounds(_times(bounds.size, r), _times(bounds.least, r), below, above)


#: Functions of a real argument with a bound, and a whole number that bounds the size.
_BOUNDED = {"bessel_j": 1} | {
    f.name: math.ceil(max(map(abs, f.range)))
    for f in RECORDS.values()
    if f.range and f.arity == (1, 1) and all(map(math.isfinite, f.range))
}


#: Those of them with |f u| <= c |u|, and c, rounded up.
_LIKE_THE_ARGUMENT = {
    f.name: math.nextafter(f.steepest, math.inf)
    for f in RECORDS.values()
    if f.name in _BOUNDED and f.parity == ODD and f.steepest
}


def _rounded(name: str, known: _Bounds) -> _Bounds:
    """Bounds of floor u and ceil u, and of frac u where u is between 0 and 1."""
    if name in ("floor", "frac") and _is_below_one(known):
        return known if name == "frac" else _Bounds(size=(arb("-inf"), arb(-1)))
    # u - 1 <= floor u <= u <= ceil u <= u + 1
    if name == "floor":
        return _Bounds(below=_plus(known.below, (arb(-1), arb(0))), above=known.above)
    return _Bounds(below=known.below, above=_plus(known.above, (arb(1), arb(0))))


def _is_below_one(u: _Bounds) -> bool:
    """Whether 0 < u < 1 by its bounds."""
    return u.sign > 0 and u.size is not None and bool(u.size[0] < 0) and bool(u.size[1] <= 0)


def _is_whole(node: Expression) -> bool:
    return isinstance(node, Number) and node.denominator == 1


def _negative(a: _Bounds) -> _Bounds:
    return replace(a, below=_times(a.above, arb(-1)), above=_times(a.below, arb(-1)), sign=-a.sign)


def _reciprocal(a: _Bounds) -> _Bounds:
    inverse = _Bounds(_times(a.least, arb(-1)), _times(a.size, arb(-1)), sign=a.sign)
    value = _value(a)
    if value is None or value.contains(0):
        return inverse
    low, high = (1 / value).lower(), (1 / value).upper()
    return replace(inverse, below=(low, arb(0)), above=(high, arb(0)))


def _sum(a: _Bounds, b: _Bounds) -> _Bounds:
    size = least = None
    sign = a.sign if a.sign == b.sign else 0
    if a.size and b.size:
        size = (a.size[0].exp() + b.size[0].exp()).log(), a.size[1].max(b.size[1])
    for large, small in ((a, b), (b, a)):
        if large.least is None or small.size is None or not large.least[1] >= small.size[1]:
            continue
        gap = large.least[0].exp() - small.size[0].exp()
        if gap > 0:
            least, sign = (gap.log(), large.least[1]), large.sign
    if least is None and sign:
        # both have the same sign, so that the sum is the larger of two lines
        lines = [line for line in (a.least, b.least) if line is not None]
        least = max(lines, key=lambda line: float(line[1]), default=None)
    return _Bounds(size, least, _plus(a.below, b.below), _plus(a.above, b.above), sign)


def _product(a: _Bounds, b: _Bounds) -> _Bounds:
    below = above = None
    for constant, other in ((a, b), (b, a)):
        value = _value(constant)
        if value is not None and value > 0:
            below, above = _times(other.below, value), _times(other.above, value)
        elif value is not None and value < 0:
            below, above = _times(other.above, value), _times(other.below, value)
    if below is None and a.positive and b.positive and a.below and b.below:
        (p, q), (r, s) = a.below, b.below
        below = p * r, p * s + q * r
    sign = a.sign * b.sign
    return _Bounds(_plus(a.size, b.size), _plus(a.least, b.least), below, above, sign)


def _value(a: _Bounds) -> arb | None:
    """The constant that g is, as a ball."""
    if a.below and a.above and a.below[1].is_zero() and a.above[1].is_zero():
        return arb(a.below[0].union(a.above[0]))
    return None


def _constant_line(value: int) -> _Bounds:
    return _Bounds(below=(arb(value), arb(0)), above=(arb(value), arb(0)))


def _factorial(u: _Bounds) -> _Bounds:
    """u! >= (u/e)^u >= e^{u (ln p - 1)} for u >= p >= 1/6, by Stirling's formula."""
    if not u.positive or u.below is None or not u.below[0] > 3:
        return _Bounds()
    return _Bounds(least=_times(u.below, u.below[0].log() - 1), sign=1)


def _exponential(name: str, u: _Bounds) -> _Bounds:
    if name == "exp":
        below = None
        if u.below:
            p, q = u.below
            # e^{p + q t} >= e^p (1 + q t)
            below = (p.exp(), p.exp() * q) if q >= 0 else (arb(0), arb(0))
        return _Bounds(u.above, u.below, below, sign=1)
    flipped = not u.positive
    if flipped:
        u = _negative(u)
    if not u.positive or u.below is None or u.above is None:
        return _Bounds()
    # e^u / 2 <= cosh u <= e^u, and sinh u >= e^u (1 - e^{-2u}) / 2
    least = u.below[0] - arb(2).log()
    if name in ("sinh", "csch"):
        least += (1 - (-2 * u.below[0]).exp()).log()
    sign = 1 if name in ("cosh", "sech") or not flipped else -1
    bounds = _Bounds(u.above, (least, u.below[1]), sign=sign)
    return _reciprocal(bounds) if name in ("sech", "csch") else bounds
