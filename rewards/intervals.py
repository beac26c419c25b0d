"""Intervals of rational numbers, for `rewards.certificate`: values and derivatives of expressions.

Ends are rounded outwards to `BITS` significant bits. A jet is a value and a derivative along the
real line; only real values are enclosed. Expressions are JSON: ``"3/2"`` is a number, ``["symbol",
"x"]`` a symbol, ``["sin", u]`` a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from math import isqrt
from typing import Any

#: Significant bits; terms of a series; the largest argument of an exponential, sine or cosine.
BITS, STEPS, MAX_ARGUMENT = 256, 56, 2**14
#: Differences that were found with more bits are too small for intervals of this precision.
MAX_BITS = 192

Interval = tuple[Q, Q]
Jet = tuple[Interval, Interval]
ZERO, ONE, TWO = ((Q(n), Q(n)) for n in range(3))


class UnknownError(Exception):
    """What is not enclosed here: another function, a value that is not real, too large a number."""


def _fixed(q: Q, up: bool) -> Q:
    shift = BITS - q.numerator.bit_length() + q.denominator.bit_length()
    above = (-q.numerator if up else q.numerator) << max(shift, 0)
    rounded = above // (q.denominator << max(-shift, 0))
    return Q((-rounded if up else rounded) << max(-shift, 0), 1 << max(shift, 0))


def _out(low: Q, high: Q) -> Interval:
    return _fixed(low, up=False), _fixed(high, up=True)


def add(a: Interval, b: Interval) -> Interval:
    return _out(a[0] + b[0], a[1] + b[1])


def mul(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return _out(min(ends), max(ends))


def neg(a: Interval) -> Interval:
    return -a[1], -a[0]


def inverse(a: Interval) -> Interval:
    if a[0] <= 0 <= a[1]:
        raise UnknownError("division by zero")
    return _out(1 / a[1], 1 / a[0])


def _horner(ratio: Callable[[int], Q], tail: Interval) -> Interval:
    """1 + ratio(1) (1 + ratio(2) (1 + ... (1 + ratio(STEPS) tail)))."""
    for n in range(STEPS, 0, -1):
        tail = add(ONE, mul(_out(ratio(n), ratio(n)), tail))
    return tail


def _halvings(q: Q) -> int:
    """How often to halve a number so that it is at most 1/4."""
    if abs(q) > MAX_ARGUMENT:
        raise UnknownError("too large an argument")
    return int(4 * abs(q)).bit_length()


def exp(a: Interval) -> Interval:
    def at(q: Q) -> Interval:
        times = _halvings(q)
        total = _horner(lambda n: q / 2**times / n, (Q(0), Q(2)))
        for _ in range(times):
            total = mul(total, total)
        return total

    return at(a[0])[0], at(a[1])[1]


def sin_cos(a: Interval) -> tuple[Interval, Interval]:
    middle, radius = (a[0] + a[1]) / 2, (a[1] - a[0]) / 2
    times = _halvings(middle)
    r = middle / 2**times
    s = mul((r, r), _horner(lambda n: -r * r / (2 * n * (2 * n + 1)), (Q(0), Q(1))))
    c = _horner(lambda n: -r * r / ((2 * n - 1) * 2 * n), (Q(0), Q(1)))
    for _ in range(times):
        s, c = mul(TWO, mul(s, c)), add(ONE, neg(mul(TWO, mul(s, s))))
    return _out(s[0] - radius, s[1] + radius), _out(c[0] - radius, c[1] + radius)


def sqrt(a: Interval) -> Interval:
    if a[0] < 0:
        raise UnknownError("a root that is not real")

    def at(q: Q, more: int) -> Q:
        shift = max(0, BITS + q.denominator.bit_length() - q.numerator.bit_length())
        return Q(isqrt(int(q * 4**shift)) + more, 2**shift)

    return at(a[0], 0), at(a[1], 1)


def ln(a: Interval) -> Interval:
    """By Newton's method for exp y = q, from below, and a check of both bounds."""
    if a[0] <= 0:
        raise UnknownError("a logarithm that is not real")

    def at(q: Q) -> Interval:
        y = Q(q.numerator.bit_length() - q.denominator.bit_length()) * Q(7, 10)
        for _ in range(40):
            step = q / exp((y, y))[0] - 1
            y = _fixed(y + step if abs(step) < 1 else y + (1 if step > 0 else -1), up=False)
            if abs(step) < Q(1, 2 ** (BITS // 2)):
                break
        margin = max(abs(y), Q(1)) / 2 ** (BITS - 24)
        if not (exp((y - margin,) * 2)[1] <= q <= exp((y + margin,) * 2)[0]):
            raise UnknownError("a logarithm was not found")
        return y - margin, y + margin

    return at(a[0])[0], at(a[1])[1]


def atan(a: Interval) -> Interval:
    """The argument is halved twice by x / (1 + sqrt(1 + x^2)); then the series."""
    for _ in range(2):
        ends = []
        for x in a:
            root = sqrt(add(ONE, mul((x, x), (x, x))))
            ends.append(mul((x, x), inverse(add(ONE, root))))
        a = ends[0][0], ends[1][1]

    def at(r: Q) -> Interval:
        tail = (Q(0), Q(1))
        for n in range(2 * STEPS, -1, -1):
            tail = add((Q(1, 2 * n + 1),) * 2, mul(_out(-r * r, -r * r), tail))
        return mul(tail, (4 * r, 4 * r))

    return at(a[0])[0], at(a[1])[1]


def jet(tree: Any, variable: str, point: Mapping[str, Q]) -> Jet:
    """The value and the derivative of an expression at a point.

    Raises:
        UnknownError: it holds what is not enclosed here.

    """
    if isinstance(tree, str):
        return (Q(tree), Q(tree)), ZERO
    name, *rest = tree
    if name == "symbol":
        value = Q(point[rest[0]])
        return (value, value), ONE if rest[0] == variable else ZERO
    args = [jet(arg, variable, point) for arg in rest]
    if name in ("e", "pi"):
        return exp(ONE) if name == "e" else mul((Q(4), Q(4)), atan(ONE)), ZERO
    if name in ("add", "mul") and args:
        total = args[0]
        for arg in args[1:]:
            total = _combine(name, total, arg)
        return total
    if name == "pow" and isinstance(rest[1], str):
        return _power(args[0], Q(rest[1]))
    if name == "pow":
        return _function("exp", _combine("mul", args[1], _function("ln", args[0])))
    if name == "div":
        return _combine("mul", args[0], _power(args[1], Q(-1)))
    return _function(name, *args)


def _combine(name: str, a: Jet, b: Jet) -> Jet:
    if name == "add":
        return add(a[0], b[0]), add(a[1], b[1])
    return mul(a[0], b[0]), add(mul(a[0], b[1]), mul(a[1], b[0]))


def _power(a: Jet, q: Q) -> Jet:
    u = a[0]
    if q.denominator == 2:
        return _power((sqrt(u), mul(a[1], inverse(mul(TWO, sqrt(u))))), 2 * q)
    if q.denominator > 2:
        return _function("exp", _combine("mul", ((q, q), ZERO), _function("ln", a)))
    if abs(q) > MAX_ARGUMENT:
        raise UnknownError("too high a power")
    value, below = ONE, ONE
    for _ in range(abs(int(q))):
        below, value = value, mul(value, u)
    slope = mul(mul((q, q), a[1]), below)
    if q < 0:
        value = inverse(value)
        slope = mul(mul((q, q), a[1]), mul(value, inverse(u)))
    return value, slope


def _function(name: str, *args: Jet) -> Jet:
    if len(args) != 1:
        raise UnknownError(f"no intervals for {name}")
    (u, du), one = args[0], (ONE, ZERO)
    if name == "neg":
        return neg(u), neg(du)
    if name == "sqrt":
        return _power(args[0], Q(1, 2))
    if name == "exp":
        return exp(u), mul(exp(u), du)
    if name == "ln":
        return ln(u), mul(inverse(u), du)
    if name == "abs" and (u[0] > 0 or u[1] < 0):
        return (u, du) if u[0] > 0 else (neg(u), neg(du))
    if name in ("sin", "cos"):
        s, c = sin_cos(u)
        return (s, mul(c, du)) if name == "sin" else (c, mul(neg(s), du))
    if name == "atan":
        return atan(u), mul(du, inverse(add(ONE, mul(u, u))))
    if name == "asin":
        root = _power((add(ONE, neg(mul(u, u))), mul(neg(mul(TWO, u)), du)), Q(-1, 2))
        return _function("atan", _combine("mul", args[0], root))
    if name == "acos":
        (low, high), slope = _function("asin", args[0])
        return add(mul(TWO, atan(ONE)), (-high, -low)), neg(slope)
    if name in ("sinh", "cosh"):
        up = _function("exp", args[0])
        down = _power(up, Q(-1))
        other = down if name == "cosh" else (neg(down[0]), neg(down[1]))
        return _combine("mul", ((Q(1, 2), Q(1, 2)), ZERO), _combine("add", up, other))
    if name in _QUOTIENTS:
        above, below = (_function(each, args[0]) if each else one for each in _QUOTIENTS[name])
        return _combine("mul", above, _power(below, Q(-1)))
    raise UnknownError(f"no intervals for {name}")


_QUOTIENTS = {
    "tan": ("sin", "cos"), "cot": ("cos", "sin"), "sec": ("", "cos"), "csc": ("", "sin"),
    "tanh": ("sinh", "cosh"), "coth": ("cosh", "sinh"), "sech": ("", "cosh"), "csch": ("", "sinh"),
}  # fmt: skip
