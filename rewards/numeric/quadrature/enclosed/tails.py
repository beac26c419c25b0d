"""Proven bounds of the integral from a point to infinity, for integrands that decay exponentially.

Let x = T + t with t >= 0. Straight lines in t bound the value of an expression, and the logarithm
of its absolute value. For each operation, lines for the result follow from lines for the operands.
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
    """Linear functions that bound an expression g: ``lower_line`` <= g <= ``upper_line``, and
    ``least`` <= ln|g| <= ``size``.

    ``sign`` is the sign of g if known and constant, else 0.
    """

    size: Line | None = None
    least: Line | None = None
    lower_line: Line | None = None
    upper_line: Line | None = None
    sign: int = 0

    @property
    def positive(self) -> bool:
        return (
            self.lower_line is not None
            and bool(self.lower_line[0] > 0)
            and bool(self.lower_line[1] >= 0)
        )

    @property
    def negative(self) -> bool:
        return (
            self.upper_line is not None
            and bool(self.upper_line[0] < 0)
            and bool(self.upper_line[1] <= 0)
        )


def tail_bound(
    expression: Expression, variable: str, values: Mapping[str, Ball], start: arb, side: int
) -> arb:
    r"""A bound of the integral of \|f\| from a point to infinity, for an integrand f.

    If no bound is found, the result is infinite.

    Args:
        expression: f.
        variable: the variable of integration.
        values: the values of the parameters.
        start: the point, which is not 0 and has the sign ``side``.
        side: +1 for the integral to infinity, -1 for the integral from minus infinity.

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
    r"""The sign of an integrand f if its integral to infinity is proved to diverge, else 0.

    The proof requires that f has a constant sign, and that \|f\| has a positive lower bound.

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
        """Bound an expression. A missing bound is derived from the other bounds."""
        bounds = self._constant(node) or self._call(node)
        low, high = bounds.lower_line, bounds.upper_line
        if bounds.size is None and low and high:
            # |g| <= a + b t <= a e^{b t / a}
            a = max(abs(low[0]).upper(), abs(high[0]).upper(), arb(1) / 1024)
            b = max(abs(low[1]).upper(), abs(high[1]).upper())
            bounds = replace(bounds, size=(a.log(), b / a))
        if bounds.size is not None and bounds.size[1] <= 0:
            # |g| is largest at t = 0
            limit = bounds.size[0].exp().upper()
            lower_line = (arb(0) if bounds.sign > 0 else -limit), arb(0)
            upper_line = (arb(0) if bounds.sign < 0 else limit), arb(0)
            bounds = replace(
                bounds,
                lower_line=bounds.lower_line or lower_line,
                upper_line=bounds.upper_line or upper_line,
            )
        if bounds.positive or bounds.negative:
            line = bounds.lower_line if bounds.positive else _times(bounds.upper_line, arb(-1))
            least = bounds.least or ((line[0].log(), arb(0)) if line else None)
            bounds = replace(bounds, least=least, sign=1 if bounds.positive else -1)
        return bounds

    def _constant(self, node: Expression) -> _Bounds | None:
        if self.variable in symbols_of(node):
            if not isinstance(node, Symbol):
                return None
            line = abs(self.start), arb(1)
            if self.side > 0:
                return _Bounds(
                    least=(line[0].log(), arb(0)), lower_line=line, upper_line=line, sign=1
                )
            down = _times(line, arb(-1))
            return _Bounds(least=(line[0].log(), arb(0)), lower_line=down, upper_line=down, sign=-1)
        try:
            tape = compile_tape(node, "")
        except UnusableError:
            return _Bounds()
        value = tape.run(acb(0), self.values, derivative=False)[tape.root][0]
        if not value.is_finite():
            return _Bounds()
        size = abs(value)
        bounds = _Bounds(
            size=None if size.is_zero() else (size.upper().log(), arb(0)),
            least=(size.lower().log(), arb(0)) if size > 0 else None,
        )
        if not value.imag.contains(0):
            return bounds
        sign = 1 if value.real > 0 else -1 if value.real < 0 else 0
        low, high = value.real.lower(), value.real.upper()
        return replace(bounds, lower_line=(low, arb(0)), upper_line=(high, arb(0)), sign=sign)

    def _call(self, node: Expression) -> _Bounds:
        if not isinstance(node, Call):
            return _Bounds()
        name, args = node.function, node.args
        if name in ("pow", "root", "sqrt"):
            return self._power(node)
        arg_bounds = [self.of(arg) for arg in args]
        argument = arg_bounds[0]
        if name == "neg":
            return _negative(argument)
        if name in ("floor", "ceil") or (name == "frac" and _is_below_one(argument)):
            return _rounded(name, argument)
        if name == "abs":
            return _Bounds(argument.size, argument.least, sign=abs(argument.sign))
        if name == "add":
            return reduce(_sum, arg_bounds)
        if name == "mul":
            return reduce(_product, arg_bounds)
        if name == "div":
            return _product(argument, _reciprocal(arg_bounds[1]))
        if name in ("exp", "cosh", "sinh", "sech", "csch"):
            return _exponential(name, argument)
        if name == "ln":
            return self._logarithm(args[0], argument)
        if name == "erfc" and argument.positive:
            # erfc u <= e^{-u^2} for u >= 0
            return replace(
                _exponential("exp", _negative(_product(argument, argument))), lower_line=None
            )
        if name in ("factorial", "gamma"):
            return _factorial(
                argument if name == "factorial" else _sum(argument, _constant_line(-1))
            )
        limit = _BOUNDED.get(name)
        if limit is None or (name == "bessel_j" and not _is_whole(args[0])):
            return _Bounds()
        if name in _LIKE_THE_ARGUMENT and argument.size is not None and argument.size[1] < 0:
            # |sin u| <= |u| and so on; |erf u| <= 2 |u| / sqrt(pi)
            return _Bounds(_plus(argument.size, (arb(_LIKE_THE_ARGUMENT[name]).log(), arb(0))))
        return _Bounds(lower_line=(arb(-limit), arb(0)), upper_line=(arb(limit), arb(0)))

    def _logarithm(self, argument: Expression, bounds: _Bounds) -> _Bounds:
        small = self._near_one(argument)
        if small is not None:
            # |ln(1 + w)| <= 2 |w| for |w| <= 1/2
            return _Bounds(_plus(small, (arb(2).log(), arb(0))))
        return (
            _Bounds(lower_line=bounds.least, upper_line=bounds.size)
            if bounds.sign > 0
            else _Bounds()
        )

    def _near_one(self, node: Expression) -> Line | None:
        """A linear upper bound of ln|w|, for a node 1 + w.

        It must be proved that w decays and that |w| <= 1/2. Otherwise the result is None.
        """
        if node.function != "add" or Number(1) not in node.args:
            return None
        small_terms = [arg for arg in node.args if arg != Number(1)]
        if len(small_terms) != len(node.args) - 1:
            return None
        size = reduce(_sum, [self.of(arg) for arg in small_terms]).size
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
        """The bounds of b^u = e^{u ln b} for b > 0."""
        base, exponent = node.args
        if node.function == "root":
            return _Bounds()
        if fold(base) == -1:
            return _Bounds(size=(arb(0), arb(0)))
        return self.of(Call("exp", (Call("mul", (exponent, Call("ln", (base,)))),)))

    @staticmethod
    def _raised(bounds: _Bounds, r: arb) -> _Bounds:
        """Bound g^r for r >= 0, from bounds of an expression g. Tangents bound powers of lines."""
        lower_line = upper_line = None
        if bounds.positive and bounds.lower_line and r >= 1:
            p, q = bounds.lower_line
            lower_line = p**r, r * p ** (r - 1) * q
        if bounds.positive and bounds.upper_line and r <= 1:
            p, q = bounds.upper_line
            upper_line = p**r, r * p ** (r - 1) * q
        if bounds.positive and bounds.lower_line and lower_line is None:
            lower_line = bounds.lower_line[0] ** r, arb(0)
        return _Bounds(_times(bounds.size, r), _times(bounds.least, r), lower_line, upper_line)


#: Functions of a real argument with a bound, and a whole number that bounds the size.
_BOUNDED = {"bessel_j": 1} | {
    f.name: math.ceil(max(map(abs, f.range)))
    for f in RECORDS.values()
    if f.range and f.arity == (1, 1) and all(map(math.isfinite, f.range))
}


#: The functions among these with |f u| <= c |u|, and c, rounded up.
_LIKE_THE_ARGUMENT = {
    f.name: math.nextafter(f.steepest, math.inf)
    for f in RECORDS.values()
    if f.name in _BOUNDED and f.parity == ODD and f.steepest
}


def _rounded(name: str, bounds: _Bounds) -> _Bounds:
    """Bound floor u, ceil u or frac u. For frac u, the caller has checked that 0 < u < 1."""
    if name in ("floor", "frac") and _is_below_one(bounds):
        return bounds if name == "frac" else _Bounds(size=(arb("-inf"), arb(-1)))
    # u - 1 <= floor u <= u <= ceil u <= u + 1
    if name == "floor":
        return _Bounds(
            lower_line=_plus(bounds.lower_line, (arb(-1), arb(0))), upper_line=bounds.upper_line
        )
    return _Bounds(
        lower_line=bounds.lower_line, upper_line=_plus(bounds.upper_line, (arb(1), arb(0)))
    )


def _is_below_one(u: _Bounds) -> bool:
    """Whether the bounds show 0 < u < 1."""
    return u.sign > 0 and u.size is not None and bool(u.size[0] < 0) and bool(u.size[1] <= 0)


def _is_whole(node: Expression) -> bool:
    return isinstance(node, Number) and node.denominator == 1


def _negative(a: _Bounds) -> _Bounds:
    return replace(
        a,
        lower_line=_times(a.upper_line, arb(-1)),
        upper_line=_times(a.lower_line, arb(-1)),
        sign=-a.sign,
    )


def _reciprocal(a: _Bounds) -> _Bounds:
    inverse = _Bounds(_times(a.least, arb(-1)), _times(a.size, arb(-1)), sign=a.sign)
    value = _value(a)
    if value is None or value.contains(0):
        return inverse
    low, high = (1 / value).lower(), (1 / value).upper()
    return replace(inverse, lower_line=(low, arb(0)), upper_line=(high, arb(0)))


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
    return _Bounds(
        size, least, _plus(a.lower_line, b.lower_line), _plus(a.upper_line, b.upper_line), sign
    )


def _product(a: _Bounds, b: _Bounds) -> _Bounds:
    lower_line = upper_line = None
    for constant, factor in ((a, b), (b, a)):
        value = _value(constant)
        if value is not None and value > 0:
            lower_line, upper_line = (
                _times(factor.lower_line, value),
                _times(factor.upper_line, value),
            )
        elif value is not None and value < 0:
            lower_line, upper_line = (
                _times(factor.upper_line, value),
                _times(factor.lower_line, value),
            )
    if lower_line is None and a.positive and b.positive and a.lower_line and b.lower_line:
        (p, q), (r, s) = a.lower_line, b.lower_line
        lower_line = p * r, p * s + q * r
    sign = a.sign * b.sign
    return _Bounds(_plus(a.size, b.size), _plus(a.least, b.least), lower_line, upper_line, sign)


def _value(a: _Bounds) -> arb | None:
    """The value of an expression whose bounds show that the expression is constant, else None."""
    if a.lower_line and a.upper_line and a.lower_line[1].is_zero() and a.upper_line[1].is_zero():
        return arb(a.lower_line[0].union(a.upper_line[0]))
    return None


def _constant_line(value: int) -> _Bounds:
    return _Bounds(lower_line=(arb(value), arb(0)), upper_line=(arb(value), arb(0)))


def _factorial(u: _Bounds) -> _Bounds:
    """Bound u! from below.

    By Stirling's formula, u! >= (u/e)^u >= e^{u (ln p - 1)} for u >= p >= 1/6.
    """
    # p > e, so that ln p - 1 is positive.
    if not u.positive or u.lower_line is None or not u.lower_line[0] > 3:
        return _Bounds()
    return _Bounds(least=_times(u.lower_line, u.lower_line[0].log() - 1), sign=1)


def _exponential(name: str, u: _Bounds) -> _Bounds:
    if name == "exp":
        lower_line = None
        if u.lower_line:
            p, q = u.lower_line
            # e^{p + q t} >= e^p (1 + q t)
            lower_line = (p.exp(), p.exp() * q) if q >= 0 else (arb(0), arb(0))
        return _Bounds(u.upper_line, u.lower_line, lower_line, sign=1)
    flipped = not u.positive
    if flipped:
        u = _negative(u)
    if not u.positive or u.lower_line is None or u.upper_line is None:
        return _Bounds()
    # e^u / 2 <= cosh u <= e^u, and sinh u >= e^u (1 - e^{-2u}) / 2
    least = u.lower_line[0] - arb(2).log()
    if name in ("sinh", "csch"):
        least += (1 - (-2 * u.lower_line[0]).exp()).log()
    sign = 1 if name in ("cosh", "sech") or not flipped else -1
    bounds = _Bounds(u.upper_line, (least, u.lower_line[1]), sign=sign)
    return _reciprocal(bounds) if name in ("sech", "csch") else bounds
