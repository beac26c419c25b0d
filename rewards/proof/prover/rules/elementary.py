"""Rules of elementary functions and of functions that are not analytic.

The sections named are of the *Digital Library of Mathematical Functions*. A function without a rule
is computed by its record (`Tower.by_record`).
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from ....reading.expression.tree import Call, Expression
from ....reading.functions import CONSTANTS
from ..quotients import NotProvedError, Quotient
from ..tower import FORMS, RULES, Tower
from .exponentials import LOGARITHMIC, exp
from .logarithms import ln
from .radicals import sqrt
from .signs import known_sign, require_positive, require_sign

T: TypeAlias = Tower
Q: TypeAlias = Quotient


def _hyperbolic(t: T, u: Q, shift: int) -> Q:
    """Compute (exp u + shift exp(-u))/2. This is cosh u for shift 1 and sinh u for shift -1."""
    up = exp(t, u)
    return (up + shift / up) / 2


def _inverse_hyperbolic(t: T, u: Q, name: str) -> Q:
    return ln(t, LOGARITHMIC[name](t, u)) if t.split else t.by_record(name, u)


def _asin(t: T, u: Q) -> Q:
    if not (t.split and _has_radical(t, u) and t.field.is_real(u)):
        return t.by_record("asin", u)
    gap_sign = known_sign(t, t.field.normal(1 - u * u))
    require_positive(t, gap_sign or 1, u)
    return _atan(t, u / sqrt(t, 1 - u * u)) if gap_sign == 1 else t.by_record("asin", u)  # 4.23(vi)


def _atan(t: T, u: Q) -> Q:
    """Compute atan u. Formulas for 2 atan u remove radicals (DLMF 4.24.15).

    2 atan u is atan(2u/(1 - u^2)) if |u| < 1, and pi/2 + atan((u^2 - 1)/(2u)) if u > 0.
    """
    value = None
    if _has_radical(t, u) and t.field.is_real(u):
        gap = t.field.normal(1 - u * u)
        if not gap.is_zero() and known_sign(t, gap) == 1:
            double = t.field.normal(2 * u / gap)
            value = None if _has_radical(t, double) else t.applied("atan", double) / 2
        if value is None and t.split and known_sign(t, u) == 1:
            double = t.field.normal(-gap / (2 * u))
            if not (_has_radical(t, gap) and _has_radical(t, double)):
                value = (t.named("pi") / 2 + t.by_record("atan", double)) / 2
    if value is None:
        return t.by_record("atan", u)
    t.rules.add("half arc tangents")
    return value


def _has_radical(t: T, u: Q) -> bool:
    return any(generator.function == "root" for generator in t.field.used(u))


def _atanh(t: T, u: Q) -> Q:
    splits_at_ends = t.split and t.field.is_real(u)
    if splits_at_ends and require_sign(t, 1 - u) > 0 and require_sign(t, 1 + u) > 0:  # 4.37.24
        return (ln(t, 1 + u) - ln(t, 1 - u)) / 2
    return t.by_record("atanh", u)


def _largest(t: T, *values: Q, sign: int) -> Q:
    best = values[0]
    for value in values[1:]:
        gap = t.field.normal(value - best)
        if not gap.is_zero() and require_sign(t, gap) == sign:
            best = value
    return best


def _rounded(t: T, u: Q, name: str) -> Q:
    if not t.field.is_real(u):
        raise NotProvedError("rounding what may not be real")
    return t.function(name, (t.field.normal(u),), lambda: t.field.ring.zero, real=True)


def _piecewise(t: T, node: Call) -> Q:
    t.splittable = True
    pairs = zip(node.args[::2], node.args[1::2], strict=False)
    value = next((value for value, condition in pairs if _holds(t, condition)), None)
    if value is None and len(node.args) % 2 == 0:
        raise NotProvedError("no case holds")
    # What a value is made of need not be real where the value is (see `compiler`).
    with t.no_part():
        return t.value(node.args[-1] if value is None else value)


def _holds(t: T, node: Expression) -> bool:
    if node.function in ("and", "or"):
        conditions = [_holds(t, arg) for arg in node.args]
        return all(conditions) if node.function == "and" else any(conditions)
    if node.function not in ("lt", "le", "gt", "ge"):
        raise NotProvedError("a condition that singles out points")
    gap = t.field.normal(t.value(node.args[0]) - t.value(node.args[1]))
    if gap.is_zero():
        return node.function in ("le", "ge")
    return (require_sign(t, gap) > 0) is (node.function in ("gt", "ge"))


FORMS["piecewise"] = _piecewise
for _function in CONSTANTS:  # e and i have rules
    RULES.setdefault(_function.name, partial(Tower.named, name=_function.name))
RULES |= {
    "i": lambda t: t.i,
    "sinh": partial(_hyperbolic, shift=-1),
    "cosh": partial(_hyperbolic, shift=1),
    "acos": lambda t, u: t.named("pi") / 2 - _asin(t, u),
    "asin": _asin,
    "atan": _atan,
    **{name: partial(_inverse_hyperbolic, name=name) for name in LOGARITHMIC},
    "atanh": _atanh,
    # Not analytic: where a sign, or a whole part, does not change.
    "abs": lambda t, u: u * require_sign(t, u),
    "sgn": lambda t, u: t.field.ring.one * require_sign(t, u),
    "heaviside": lambda t, u: t.field.ring.one * int(require_sign(t, u) > 0),
    "max": partial(_largest, sign=1),
    "min": partial(_largest, sign=-1),
    "floor": partial(_rounded, name="floor"),
    "ceil": partial(_rounded, name="ceil"),
}
