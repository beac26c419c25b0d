"""Logarithms, and powers u^w = exp(w ln u) whose exponent w varies.

Letters: ln u is a sum of ``e ln b`` for the factors ``b^e`` of u. Each b has one generator t, and
``t' = b'/b``. A rule for ln|u| holds for real u only.
"""

from __future__ import annotations

from ....reading.expression.traversal import fold
from ....reading.expression.tree import Call, Expression, Number
from ..quotients import NotProvedError, Quotient
from ..tower import FORMS, RULES, Tower
from .exponentials import exp
from .radicals import integer_power, power, split
from .signs import take_for_real


def ln(t: Tower, element: Quotient, *, bars: bool = False) -> Quotient:
    """Compute the logarithm ln u. If ``bars`` is True, compute ln|u|."""
    base, element = t.field, t.field.normal(element)
    if element.is_zero():
        raise NotProvedError("the logarithm of zero")
    powers, chosen, cofactor = split(t, element, "logarithms", positive=not bars)
    total = t.i * t.named("pi") if chosen < 0 and not bars else base.ring.zero
    for factor, e in powers:
        total += _ln(t, factor, positive=True) * e
    if bars and not base.is_real(cofactor):
        return total + _ln_modulus(t, cofactor)
    if cofactor.den.is_one() or not (bars or base.is_positive(Quotient(cofactor.den))):
        return total + _ln(t, cofactor, bars=bars)
    num, den = Quotient(cofactor.num), Quotient(cofactor.den)
    return total + _ln(t, num, bars=bars) - _ln(t, den, bars=bars)


def _ln(t: Tower, element: Quotient, *, bars: bool = False, positive: bool = False) -> Quotient:
    """Make a generator for a logarithm: the function ``ln`` for ln u, and ``ln_abs`` for ln|u|."""
    base = t.field
    if element.is_one():
        return base.ring.zero
    positive = positive or (element.den.is_one() and base.is_positive(element))
    if positive and (inner := base.single(element)) and inner.function == "exp":
        return inner.args[0]  # type: ignore[no-any-return]
    if bars and element.num.leading_coefficient() < 0:
        element = -element
    name = "ln_abs" if bars and not positive else "ln"
    return t.function(name, (element,), lambda: 1 / element, real=bars or positive)


def _ln_modulus(t: Tower, element: Quotient) -> Quotient:
    """The logarithm ln|u| = ln(u v)/2 for u = a + i b and its conjugate v, with real a and b."""
    base, i, poly = t.field, t.i, element.num
    if not element.den.is_one():
        return ln(t, Quotient(poly), bars=True) - ln(t, Quotient(element.den), bars=True)
    if base.support(element) & base.unreal != i.support:
        raise NotProvedError("the modulus of what may not be real")
    t.rules.add("moduli of complex numbers")
    conjugate = poly - 2 * i.num * poly.derivative(i.num.degrees().index(1))
    return ln(t, element * Quotient(conjugate), bars=True) / 2


def _power(t: Tower, base: Expression, exponent: Expression) -> Quotient:
    if type(exponent) is Number and exponent.denominator == 1 and base.function != "abs":
        return integer_power(t, t.value(base), exponent.numerator)  # nearly always
    ratio = fold(exponent)
    if ratio is None:
        t.rules.add("u^w = exp(w ln u)")
        varying = t.value(exponent)
        # A constant exponent may be whole, and then a negative base has a real power.
        with t.no_part(only_if=t.field.is_constant(varying)):
            logarithm = ln(t, t.value(base))
        value = exp(t, varying * logarithm)
        if t.field.real_parts:
            take_for_real(t, value)
        return value
    if base.function == "abs" and ratio.denominator == 1 and ratio.numerator % 2 == 0:
        argument = t.field.normal(t.value(base.args[0]))
        if t.field.is_real(argument):
            return power(t, argument, ratio)
    return power(t, t.value(base), ratio)


def _logarithm(t: Tower, node: Call) -> Quotient:
    argument = node.args[0]
    bars = argument.function == "abs"
    value = ln(t, t.value(argument.args[0] if bars else argument), bars=bars)
    return value if node.function == "ln" else value / ln(t, t.value(node.args[1]))


FORMS |= {
    "pow": lambda t, node: _power(t, *node.args),
    "root": lambda t, node: _power(t, node.args[0], Call("div", (Number(1), node.args[1]))),
    "ln": _logarithm,
    "log": _logarithm,
}
RULES["ln"] = ln
