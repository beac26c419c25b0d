"""Proven bounds of the integral from a point to infinity, for integrands that decay exponentially.

For x = T + t with t >= 0 the bounds of an expression are straight lines in t: of its value, and of
the logarithm of its absolute value. Each operation takes lines to lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

from flint import acb, arb, fmpq

from ..decision.balls import UnusableError
from ..decision.compiler import compile_tape
from ..decision.jets import Ball
from ..expression.traversal import fold, symbols_of
from ..expression.tree import Call, Expression, Number, Symbol

#: p + q t
Line = tuple[arb, arb]


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Lines that bound g: ``below`` <= g <= ``above`` and ``least`` <= ln|g| <= ``size``."""

    size: Line | None = None
    least: Line | None = None
    below: Line | None = None
    above: Line | None = None

    @property
    def positive(self) -> bool:
        """Whether g > 0 is shown by its line."""
        return self.below is not None and bool(self.below[0] > 0) and bool(self.below[1] >= 0)


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

    >>> from calculus_harness.rewards.latex import read
    >>> bound = tail_bound(read("e^{-x}x")[0].expression, "x", {}, arb(64), 1)
    >>> bool(bound < 1e-25)
    True

    """
    bounds = _Tail(variable, values, start, side).of(expression)
    if bounds.size is None or not bounds.size[1] < 0:
        return arb("inf")
    return (bounds.size[0].exp() / -bounds.size[1]).upper()


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
        if bounds.least is None and low and bounds.positive:
            bounds = replace(bounds, least=(low[0].log(), arb(0)))
        return bounds

    def _constant(self, node: Expression) -> _Bounds | None:
        if self.variable in symbols_of(node):
            if not isinstance(node, Symbol):
                return None
            line = abs(self.start), arb(1)
            if self.side > 0:
                return _Bounds(least=(line[0].log(), arb(0)), below=line, above=line)
            down = _times(line, arb(-1))
            return _Bounds(least=(line[0].log(), arb(0)), below=down, above=down)
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
        return replace(
            known, below=(value.real.lower(), arb(0)), above=(value.real.upper(), arb(0))
        )

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
        if name == "abs":
            return _Bounds(first.size, first.least)
        if name == "add":
            return reduce(_sum, parts)
        if name == "mul":
            return reduce(_product, parts)
        if name == "div":
            return _product(first, _reciprocal(parts[1]))
        if name in ("exp", "cosh", "sinh", "sech", "csch"):
            return _exponential(name, first)
        if name == "ln":
            return _Bounds(below=first.least, above=first.size) if first.positive else _Bounds()
        limit = _BOUNDED.get(name)
        if limit is None or (name == "bessel_j" and not _is_whole(args[0])):
            return _Bounds()
        return _Bounds(below=(arb(-limit), arb(0)), above=(arb(limit), arb(0)))

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
        if r < 0:
            return self._raised(_reciprocal(bounds), -r)
        return self._raised(bounds, r)

    def _general_power(self, node: Call) -> _Bounds:
        """b^u = e^{u ln b} for b > 0."""
        base, exponent = node.args
        if node.function == "root":
            return _Bounds()
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


#: Functions of a real argument with a bound.
_BOUNDED = {"sin": 1, "cos": 1, "tanh": 1, "erf": 1, "erfc": 2, "atan": 2, "bessel_j": 1, "sgn": 1}


def _is_whole(node: Expression) -> bool:
    return isinstance(node, Number) and node.denominator == 1


def _negative(a: _Bounds) -> _Bounds:
    return replace(a, below=_times(a.above, arb(-1)), above=_times(a.below, arb(-1)))


def _reciprocal(a: _Bounds) -> _Bounds:
    return _Bounds(_times(a.least, arb(-1)), _times(a.size, arb(-1)))


def _sum(a: _Bounds, b: _Bounds) -> _Bounds:
    size = least = None
    if a.size and b.size:
        size = (a.size[0].exp() + b.size[0].exp()).log(), a.size[1].max(b.size[1])
    for large, small in ((a, b), (b, a)):
        if large.least is None or small.size is None or not large.least[1] >= small.size[1]:
            continue
        gap = large.least[0].exp() - small.size[0].exp()
        if gap > 0:
            least = gap.log(), large.least[1]
    if least is None and a.positive and b.positive:
        least = a.least or b.least
    return _Bounds(size, least, _plus(a.below, b.below), _plus(a.above, b.above))


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
    return _Bounds(_plus(a.size, b.size), _plus(a.least, b.least), below, above)


def _value(a: _Bounds) -> arb | None:
    """The constant that g is, as a ball."""
    if a.below and a.above and a.below[1].is_zero() and a.above[1].is_zero():
        return arb(a.below[0].union(a.above[0]))
    return None


def _exponential(name: str, u: _Bounds) -> _Bounds:
    if name == "exp":
        below = None
        if u.below:
            p, q = u.below
            # e^{p + q t} >= e^p (1 + q t)
            below = (p.exp(), p.exp() * q) if q >= 0 else (arb(0), arb(0))
        return _Bounds(u.above, u.below, below)
    if not u.positive:
        u = _negative(u)
    if not u.positive or u.below is None or u.above is None:
        return _Bounds()
    # e^u / 2 <= cosh u <= e^u, and sinh u >= e^u (1 - e^{-2u}) / 2
    least = u.below[0] - arb(2).log()
    if name in ("sinh", "csch"):
        least += (1 - (-2 * u.below[0]).exp()).log()
    bounds = _Bounds(u.above, (least, u.below[1]))
    return _reciprocal(bounds) if name in ("sech", "csch") else bounds
