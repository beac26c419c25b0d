"""Values and derivatives in mpmath's interval arithmetic, for the checker of certificates.

A jet is a pair of intervals: an interval of values, and an interval of derivatives along the real
line. Expressions are JSON: ``"3/2"`` is a number, ``["symbol", "x"]`` a symbol, ``["sin", u]`` a
call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from functools import reduce
from operator import add, mul
from typing import Any

from mpmath.ctx_iv import MPIntervalContext
from mpmath.libmp import ComplexResult
from mpmath.libmp.libmpi import mpi_atan

#: Significant bits; a refutation with more than `MAX_BITS` is too fine for intervals of so many.
BITS, MAX_BITS = 256, 192
#: The largest argument of an exponential, and the highest power.
MAX_ARGUMENT = 2**14
Jet = tuple[Any, Any]
iv = MPIntervalContext()
iv.prec = BITS


class UnknownError(Exception):
    """A function is unknown, a value is not real, or a number is too large."""


def interval(low: Q, high: Q | None = None) -> Any:
    """The interval between two fractions, or a small interval around a single fraction."""
    ends = [iv.mpf(q.numerator) / q.denominator for q in (low, low if high is None else high)]
    return iv.mpf([ends[0].a, ends[1].b])


def _atan(u: Any) -> Any:
    return iv.make_mpf(mpi_atan(u._mpi_, BITS))


def _exp(u: Any) -> Any:
    if not abs(u) < MAX_ARGUMENT:
        raise UnknownError("too large an argument")
    return iv.exp(u)


def _abs(u: Any) -> Any:
    if not (u > 0 or u < 0):
        raise UnknownError("the corner of a modulus")
    return abs(u)


#: Function -> the value at u, and the derivative from u and the value.
_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "neg": (lambda u: -u, lambda u, v: iv.mpf(-1)),
    "abs": (_abs, lambda u, v: v / u),
    "sqrt": (iv.sqrt, lambda u, v: 1 / (2 * v)),
    "exp": (_exp, lambda u, v: v),
    "ln": (iv.log, lambda u, v: 1 / u),
    "sin": (iv.sin, lambda u, v: iv.cos(u)),
    "cos": (iv.cos, lambda u, v: -iv.sin(u)),
    "tan": (iv.tan, lambda u, v: 1 + v * v),
    "cot": (iv.cot, lambda u, v: -1 - v * v),
    "sec": (iv.sec, lambda u, v: v * iv.tan(u)),
    "csc": (iv.csc, lambda u, v: -v * iv.cot(u)),
    "atan": (_atan, lambda u, v: 1 / (1 + u * u)),
    "asin": (lambda u: _atan(u / iv.sqrt(1 - u * u)), lambda u, v: 1 / iv.sqrt(1 - u * u)),
    "acos": (lambda u: iv.pi / 2 - _FUNCTIONS["asin"][0](u), lambda u, v: -1 / iv.sqrt(1 - u * u)),
    "sinh": (lambda u: (_exp(u) - _exp(-u)) / 2, lambda u, v: (_exp(u) + _exp(-u)) / 2),
    "cosh": (lambda u: (_exp(u) + _exp(-u)) / 2, lambda u, v: (_exp(u) - _exp(-u)) / 2),
    "tanh": (lambda u: 1 - 2 / (_exp(2 * u) + 1), lambda u, v: 1 - v * v),
    "coth": (lambda u: 1 + 2 / (_exp(2 * u) - 1), lambda u, v: 1 - v * v),
    "sech": (lambda u: 2 / (_exp(u) + _exp(-u)), lambda u, v: v * (2 / (_exp(2 * u) + 1) - 1)),
    "csch": (lambda u: 2 / (_exp(u) - _exp(-u)), lambda u, v: -v * (1 + 2 / (_exp(2 * u) - 1))),
}


def jet(tree: Any, variable: str, point: Mapping[str, Q]) -> Jet:
    """The value and the derivative of an expression at a point.

    Raises:
        UnknownError: an interval that contains the result cannot be computed.

    """
    try:
        value = _jet(tree, variable, point)
    except (ComplexResult, ValueError) as error:
        raise UnknownError(str(error)) from None
    if not all(-iv.inf < bounds and bounds < iv.inf for bounds in value):
        raise UnknownError("division by zero")
    return value


def _jet(tree: Any, variable: str, point: Mapping[str, Q]) -> Jet:
    if isinstance(tree, str):
        return interval(Q(tree)), iv.zero
    name, *operands = tree
    if name == "symbol":
        return interval(Q(point[operands[0]])), iv.one if operands[0] == variable else iv.zero
    if name in ("e", "pi"):
        return iv.exp(1) if name == "e" else +iv.pi, iv.zero
    args = [_jet(arg, variable, point) for arg in operands]
    if name == "add":
        return reduce(add, (v for v, _ in args)), reduce(add, (d for _, d in args))
    if name == "mul":
        return reduce(lambda a, b: (mul(a[0], b[0]), a[0] * b[1] + a[1] * b[0]), args)
    if name == "div":
        (a, da), (b, db) = args
        return a / b, (da - a / b * db) / b
    if name == "pow":
        return _power(args[0], args[1], operands[1])
    if name not in _FUNCTIONS or len(args) != 1:
        raise UnknownError(f"no intervals for {name}")
    value, slope = _FUNCTIONS[name]
    (u, du), v = args[0], value(args[0][0])
    return v, slope(u, v) * du


def _power(base: Jet, exponent: Jet, written: Any) -> Jet:
    (u, du), (w, dw) = base, exponent
    if isinstance(written, str) and Q(written).denominator == 1:
        n = int(Q(written))
        if abs(n) > MAX_ARGUMENT:
            raise UnknownError("too high a power")
        return u**n, n * u ** (n - 1) * du
    value = _exp(w * iv.log(u))
    return value, value * (dw * iv.log(u) + w / u * du)
