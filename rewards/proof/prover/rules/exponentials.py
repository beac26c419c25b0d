"""Exponentials of sums (`tower.Law`).

Letters: an exponent is a sum of multiples of units b (`lattice`), which have one generator exp(b)
each; of multiples ``c g`` of generators g for which a rule computes exp(c g), such as u^c for ln u;
and of i times an angle.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from ..field import Generator
from ..quotients import ONE, Quotient
from ..tower import RULES, Law, Tower
from .radicals import integer_power, positive_root, power, radical, root
from .trigonometry import sin_cos


def exp(t: Tower, u: Quotient) -> Quotient:
    value: Quotient = t.of_sum(_EXP, t.units.exponents, u)
    return value


def _exp_by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Quotient | None:
    if t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        sine, cosine = sin_cos(t, turn * c)
        return cosine + t.i * sine
    rule = EXPONENTIALS.get(inner.kind) if inner else None
    value = rule(t, inner, c) if rule and inner else None
    if value is not None and inner:
        t.rules.add(f"exp {inner.kind}")
    return value


def _exp_of_unit(t: Tower, u: Quotient) -> Quotient:
    def slope() -> Quotient:
        return exponential * t.field.derivative(u)

    exponential = t.field.get("exp", (u,), slope, real=True, positive=True).element
    t.rules.add("exp")
    return exponential


_EXP = Law(_exp_by_rule, _exp_of_unit, multiple=lambda t, unit, n: unit**n, of_zero=ONE)
#: Functions whose values are logarithms, and of what (DLMF 4.37.16, 4.37.21).
LOGARITHMIC: dict[str, Callable[[Tower, Quotient], Quotient]] = {
    "asinh": lambda t, u: u + root(t, u * u + 1, 2),
    "acosh": lambda t, u: u + root(t, u - 1, 2) * root(t, u + 1, 2),
}


# --- rules of exp(c g) for generators g; None where a rule does not apply


def _exp_ln(t: Tower, g: Generator, c: fmpq) -> Quotient | None:
    (base,) = g.args
    if t.field.is_real(g.element):
        return positive_root(t, base, c)
    # Roots of odd order are real for negative numbers, and the exponential is not.
    return power(t, base, c) if c.q == 1 or c.q % 2 == 0 else None


def _exp_atanh(t: Tower, g: Generator, c: fmpq) -> Quotient | None:
    """Compute exp(c atanh u) if c is an integer (DLMF 4.37.24). Otherwise, return None."""
    if c.q != 1:
        return None
    (u,) = g.args
    square = t.field.normal((1 + u) / (1 - u))
    half, odd = divmod(int(c.p), 2)
    either = radical(t, "either root", square, fmpq(1, 2)) if odd else ONE
    return integer_power(t, square, half) * either


def _whole_power(
    value: Callable[[Tower, Generator], Quotient],
) -> Callable[[Tower, Generator, fmpq], Quotient | None]:
    """The rule for a generator g whose exponential has a known value, and for whole c."""
    return lambda t, g, c: integer_power(t, value(t, g), int(c.p)) if c.q == 1 else None


EXPONENTIALS: dict[str, Callable[[Tower, Generator, fmpq], Quotient | None]] = {
    "ln": _exp_ln,
    **{name: _whole_power(lambda t, g: LOGARITHMIC[g.kind](t, *g.args)) for name in LOGARITHMIC},
    "atanh": _exp_atanh,
    # W exp W = u (Corless et al., *On the Lambert W function*, 1996, equation 1.5)
    "lambertw": _whole_power(lambda t, g: g.args[0] / g.element),
}

RULES["exp"] = exp
RULES["e"] = lambda t: exp(t, ONE)
