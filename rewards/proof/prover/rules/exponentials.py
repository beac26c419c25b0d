"""Exponentials as products of whole powers of generators.

Letters: an exponent is a sum of three parts. The first part is ``n_1 b_1 + ... + n_r b_r``, where
the ``b_j`` are the units of the exponents (`lattice`). Each unit b has one generator, which is
exp(b). The second part has multiples ``c g`` of generators g for which a rule computes exp(c g).
For g = ln u, exp(c g) is u^c. The third part is i times an angle.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from ..field import Generator
from ..quotients import Quotient
from ..tower import RULES, Law, Tower
from .radicals import integer_power, positive_root, power, radical, root


def exp(t: Tower, u: Quotient) -> Quotient:
    value: Quotient = t.of_sum(_EXP, t.units.exponents, u)
    return value


def _by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Quotient | None:
    if t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        angle = turn * t.field.constant(c)
        return RULES["cos"](t, angle) + t.i * RULES["sin"](t, angle)
    rule = EXPONENTIALS.get(inner.kind) if inner else None
    value = rule(t, inner, c) if rule and inner else None
    if value is not None and inner:
        t.rules.add(f"exp {inner.kind}")
    return value


def _of_unit(t: Tower, c: fmpq, arg: Quotient) -> Quotient:
    def slope() -> Quotient:
        return exponential * t.field.derivative(arg) * t.field.constant(c)

    exponential = t.field.get("exp", (arg,), slope, c, real=True, positive=True).element
    t.rules.add("exp")
    return exponential


_EXP = Law(
    by_rule=_by_rule,
    of_unit=_of_unit,
    multiple=lambda t, unit, n: unit**n,
    of_two=lambda t, one, other: one * other,
    of_zero=lambda t: t.field.one,
)
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
    either = radical(t, "either root", square, fmpq(1, 2)) if odd else t.field.one
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
RULES["e"] = lambda t: exp(t, t.field.one)
