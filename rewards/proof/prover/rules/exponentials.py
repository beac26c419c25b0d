"""Exponentials of sums (`tower.Law`).

An exponent is a sum of multiples of units b (`lattice`), which have one generator exp(b) each; of
multiples ``c g`` of generators g for which a rule computes exp(c g), such as u^c for ln u; and of i
times an angle. For Lambert's W: Corless et al., *On the Lambert W function*, 1996.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from ..field import Generator
from ..lattice import MAX_LETTER_POWER
from ..quotients import Quotient
from ..tower import RULES, Law, Tower
from .radicals import integer_power, positive_root, power, radical, root
from .trigonometry import sin_cos


def exp(t: Tower, u: Quotient) -> Quotient:
    return t.of_sum(_EXP, u)


def _exp_by_rule(t: Tower, c: fmpq, arg: Quotient, inner: Generator | None) -> Quotient | None:
    if t.unit_i is not None and (turn := t.without_i(arg)) is not None:
        sine, cosine = sin_cos(t, turn * c)
        return cosine + t.i * sine
    value = _exp_of_generator(t, c, inner) if inner else None
    if value is not None and inner:
        t.rules.add(f"exp {inner.function}")
    return value


def _exp_of_generator(t: Tower, c: fmpq, g: Generator) -> Quotient | None:
    """Compute exp(c g) for an inverse function g, if a rule applies."""
    if g.function == "ln":
        (base,) = g.args
        if t.field.is_real(g.element):
            return positive_root(t, base, c)
        # Roots of odd order are real for negative numbers, and the exponential is not.
        return power(t, base, c) if c.q == 1 or c.q % 2 == 0 else None
    base = None
    if c.q == 1 and g.function == "atanh":  # the square root of base^2 (DLMF 4.37.24)
        (u,) = g.args
        base = radical(t, "either root", t.field.normal((1 + u) / (1 - u)), fmpq(1, 2))
    elif c.q == 1 and g.function == "lambertw":  # W exp W = u (Corless et al., 1996, 1.5)
        base = g.args[0] / g.element
    elif c.q == 1 and g.function in LOGARITHMIC:
        base = LOGARITHMIC[g.function](t, *g.args)
    return integer_power(t, base, int(c.p)) if base else None


def _exp_of_unit(t: Tower, u: Quotient) -> Quotient:
    slope = lambda: value * t.field.derivative(u)  # noqa: E731
    value: Quotient = t.field.get("exp", (u,), slope, real=True, positive=True).element
    t.rules.add("exp")
    return value


_EXP: Law[Quotient] = Law(
    _exp_by_rule, _exp_of_unit, lambda t, u, n: u**n, lambda field: field.ring.one, MAX_LETTER_POWER
)
#: Functions whose values are logarithms, and of what (DLMF 4.37.16, 4.37.21).
LOGARITHMIC: dict[str, Callable[[Tower, Quotient], Quotient]] = {
    "asinh": lambda t, u: u + root(t, u * u + 1, 2),
    "acosh": lambda t, u: u + root(t, u - 1, 2) * root(t, u + 1, 2),
}
RULES["exp"] = exp
RULES["e"] = lambda t: exp(t, t.field.ring.one)
