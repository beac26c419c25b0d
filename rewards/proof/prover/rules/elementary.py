"""Rules of elementary functions and of functions that are not analytic.

Formulas are taken from the *Digital Library of Mathematical Functions*, whose sections are named.
`RULES` maps a name to a function of a tower and of the arguments' values. Where a derivative is
by one argument, the other arguments must be constant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ....reading.expression.tree import Call, Expression
from ....reading.functions import (
    CONSTANTS,
    HYPERBOLIC,
    INVERSE_HYPERBOLIC,
    INVERSE_TRIGONOMETRIC,
    TRIGONOMETRIC,
)
from ..quotients import NotProvedError, Quotient
from ..tower import FORMS, RULES, Tower, odd
from .exponentials import exp
from .logarithms import ln
from .radicals import sqrt
from .signs import require_sign
from .trigonometry import sin_cos

T: TypeAlias = Tower
Q: TypeAlias = Quotient
Slope = Callable[[T, Q], Q]


def generator(
    t: T, name: str, u: Q, factor: Callable[[], Q], *others: Q, at: int = -1, real: bool = False
) -> Q:
    """f(..., u, ...) as a generator with derivative ``factor() u'``; ``at`` is the place of u."""
    if not all(map(t.field.is_constant, others)):
        raise NotProvedError(f"{name} with a parameter that varies")
    args = list(others)
    args.insert(len(args) if at < 0 else at, u)
    return t.function(name, tuple(args), lambda: factor() * t.field.derivative(u), real=real)


def by(name: str, slope: Slope, *, real: bool = True) -> Slope:
    return lambda t, u: generator(t, name, u, lambda: slope(t, u), real=real)


# --- elementary functions


def _circular(t: T, u: Q) -> tuple[Q, Q, Q]:
    return *sin_cos(t, u), t.field.one


def _hyperbolic(t: T, u: Q) -> tuple[Q, Q, Q]:
    """sinh u, cosh u and 1, all times 2 exp u."""
    up = exp(t, u)
    square = up * up
    return square - 1, square + 1, 2 * up


def _asinh(t: T, u: Q) -> Q:
    if t.split:  # 4.37.16
        return ln(t, u + sqrt(t, u * u + 1))
    return generator(t, "asinh", u, lambda: 1 / sqrt(t, u * u + 1), real=True)


def _acosh(t: T, u: Q) -> Q:
    def radical() -> Q:
        return sqrt(t, u - 1) * sqrt(t, u + 1)

    if t.split:  # 4.37.21
        return ln(t, u + radical())
    return generator(t, "acosh", u, lambda: 1 / radical())


_arctangent = by("atan", lambda t, u: 1 / (1 + u * u))


def _atan(t: T, u: Q) -> Q:
    """2 atan u = atan(2u/(1 - u^2)) for |u| < 1, if the right side has no radical (4.24.15)."""
    if any(generator.kind == "root" for generator in t.field.used(u)) and t.field.is_real(u):
        denominator = t.normal(1 - u * u)
        if t.field.is_positive(denominator.num) and t.field.is_positive(denominator.den):
            double = t.normal(2 * u / denominator)
            if not any(generator.kind == "root" for generator in t.field.used(double)):
                t.rules.add("half arc tangents")
                return RULES["atan"](t, double) / 2
    return _arctangent(t, u)


def _atanh(t: T, u: Q) -> Q:
    splits_at_ends = t.split and t.field.is_real(u)
    if splits_at_ends and require_sign(t, 1 - u) > 0 and require_sign(t, 1 + u) > 0:  # 4.37.24
        return (ln(t, 1 + u) - ln(t, 1 - u)) / 2
    return generator(t, "atanh", u, lambda: 1 / (1 - u * u))


def _over(triple: Callable[[T, Q], tuple[Q, Q, Q]], numerator: int, denominator: int) -> Slope:
    """The quotient of two of three values."""

    def rule(t: T, u: Q) -> Q:
        values = triple(t, u)
        divisor = values[denominator]
        return (
            values[numerator] if divisor is t.field.one else values[numerator] / t.normal(divisor)
        )

    return rule


def _of_inverse(name: str) -> Slope:
    return lambda t, u: RULES[name](t, 1 / u)


# Sine to cosecant, as quotients of what `_circular` and `_hyperbolic` give.
_QUOTIENTS = ((0, 2), (1, 2), (0, 1), (1, 0), (2, 1), (2, 0))
for _triple, _family in ((_circular, TRIGONOMETRIC), (_hyperbolic, HYPERBOLIC)):
    for _function, _indices in zip(_family, _QUOTIENTS, strict=False):
        RULES[_function.name] = _over(_triple, *_indices)
for _function in (*INVERSE_TRIGONOMETRIC, *INVERSE_HYPERBOLIC):
    if _function.definition:  # acot u is atan(1/u), and so on
        RULES[_function.name] = _of_inverse(_function.definition.partition("(")[0])
for _function in CONSTANTS:  # e and i have rules
    RULES.setdefault(_function.name, partial(Tower.named, name=_function.name))
RULES |= {
    "i": lambda t: t.i,
    "asin": odd(by("asin", lambda t, u: 1 / sqrt(t, 1 - u * u), real=False)),
    "acos": lambda t, u: t.named("pi") / 2 - RULES["asin"](t, u),
    "atan": odd(_atan),
    "asinh": odd(_asinh),
    "acosh": _acosh,
    "atanh": odd(_atanh),
    "gudermannian": lambda t, u: 2 * RULES["atan"](t, RULES["tanh"](t, u / 2)),
}


# --- not analytic: where a sign, or a whole part, does not change


def _largest(t: T, *values: Q, sign: int) -> Q:
    best = values[0]
    for value in values[1:]:
        gap = t.normal(value - best)
        if not gap.is_zero() and require_sign(t, gap) == sign:
            best = value
    return best


def _whole(name: str) -> Slope:
    def rule(t: T, u: Q) -> Q:
        if not t.field.is_real(u):
            raise NotProvedError("rounding what may not be real")
        return generator(t, name, u, lambda: t.field.zero, real=True)

    return rule


RULES |= {
    "abs": lambda t, u: u * require_sign(t, u),
    "sgn": lambda t, u: t.field.rational(require_sign(t, u)),
    "heaviside": lambda t, u: t.field.rational(int(require_sign(t, u) > 0)),
    "max": partial(_largest, sign=1),
    "min": partial(_largest, sign=-1),
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "frac": lambda t, u: u - RULES["floor"](t, u),
}


# --- cases


def _piecewise(t: T, node: Call) -> Q:
    t.splittable = True
    pairs = zip(node.args[::2], node.args[1::2], strict=False)
    value = next((value for value, condition in pairs if _holds(t, condition)), None)
    if value is None and len(node.args) % 2 == 0:
        raise NotProvedError("no case holds")
    # What a value is made of need not be real where the value is (see `compiler`).
    real_parts, t.real_parts = t.real_parts, False
    result = t.value(node.args[-1] if value is None else value)
    t.real_parts = real_parts
    return result


def _holds(t: T, node: Expression) -> bool:
    if not isinstance(node, Call):
        raise NotProvedError("a condition that is none")
    if node.function in ("and", "or"):
        conditions = [_holds(t, arg) for arg in node.args]
        return all(conditions) if node.function == "and" else any(conditions)
    if node.function not in ("lt", "le", "gt", "ge"):
        raise NotProvedError("a condition that singles out points")
    gap = t.normal(t.value(node.args[0]) - t.value(node.args[1]))
    if gap.is_zero():
        return node.function in ("le", "ge")
    return (require_sign(t, gap) > 0) is (node.function in ("gt", "ge"))


FORMS["piecewise"] = _piecewise
