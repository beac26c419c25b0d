"""Expressions as elements of a differential field.

`FORMS` and `RULES` are the functions; `elementary` and `special` add to them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, mul

from ...reading.expression.formulas import definition_of, slope_of
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS
from .quotients import NotProvedError, Quotient
from .roots import Roots

_ARITHMETIC = frozenset(("add", "mul", "neg", "div"))


class Translator(Roots):
    """Values of expressions."""

    __slots__ = ()

    def value(self, node: Expression) -> Quotient:
        if type(node) is Symbol:
            return self.symbol(node.name)
        if type(node) is Number:
            return self.field.rational(node.numerator, node.denominator)
        if node.function in _ARITHMETIC:  # is seldom met again
            return self.field.spend(FORMS[node.function](self, node))
        known = self._values.get(node)
        if known is None:
            known = self._values[node] = self.field.spend(self._value(node))
        return known

    def _value(self, node: Call) -> Quotient:
        form = FORMS.get(node.function)
        if form is not None:
            return form(self, node)
        rule = RULES.get(node.function)
        if rule is None:
            return self._by_record(node)
        return rule(self, *map(self.value, node.args))

    def _by_record(self, node: Call) -> Quotient:
        """A function without a rule: a generator with its derivative, or what it is made of."""
        slope, definition = slope_of(node), definition_of(node)
        if slope is None:
            if definition is None:
                raise NotProvedError(f"no rule for {node.function}")
            return self.value(definition)
        (at, outer), args = slope, tuple(map(self.value, node.args))
        if not all(map(self.field.is_constant, (*args[:at], *args[at + 1 :]))):
            raise NotProvedError(f"{node.function} with a parameter that varies")

        def chain() -> Quotient:
            return self.value(outer) * self.field.derivative(args[at])

        real = len(args) == 1 and not RECORDS[node.function].domain
        return self.function(node.function, args, chain, real=real)


# --- forms: functions that are not merely applied to the values of their arguments


def _power(t: Translator, node: Call) -> Quotient:
    base, exponent = node.args
    if isinstance(base, Call) and base.function == "e":
        return t.exp(t.value(exponent))
    return _general_power(t, base, exponent)


def _general_power(t: Translator, base: Expression, exponent: Expression) -> Quotient:
    ratio = fold(exponent)
    if ratio is None:
        t.rules.add("u^w = exp(w ln u)")
        power = t.value(exponent)
        # A constant exponent may be whole, and then a negative base has a real power.
        real_parts, t.real_parts = t.real_parts, t.real_parts and not t.field.is_constant(power)
        logarithm = t.ln(t.value(base))
        t.real_parts = real_parts
        value = t.exp(power * logarithm)
        if real_parts:
            t.take_for_real(value)
        return value
    if ratio.numerator % 2 == 0 and isinstance(base, Call) and base.function == "abs":
        inside = t.normal(t.value(base.args[0]))
        if t.field.is_real(inside) and ratio.denominator == 1:
            return t.power(inside, ratio)
    return t.power(t.value(base), ratio)


def _logarithm(t: Translator, node: Call) -> Quotient:
    argument = node.args[0]
    if isinstance(argument, Call) and argument.function == "abs":
        value = t.ln(t.value(argument.args[0]), bars=True)
    else:
        value = t.ln(t.value(argument))
    return value if node.function == "ln" else value / t.ln(t.value(node.args[1]))


def _piecewise(t: Translator, node: Call) -> Quotient:
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


def _holds(t: Translator, node: Expression) -> bool:
    if not isinstance(node, Call):
        raise NotProvedError("a condition that is none")
    if node.function in ("and", "or"):
        parts = [_holds(t, arg) for arg in node.args]
        return all(parts) if node.function == "and" else any(parts)
    if node.function not in ("lt", "le", "gt", "ge"):
        raise NotProvedError("a condition that singles out points")
    gap = t.normal(t.value(node.args[0]) - t.value(node.args[1]))
    if gap.is_zero():
        return node.function in ("le", "ge")
    return (t.require_sign(gap) > 0) is (node.function in ("gt", "ge"))


def _division(t: Translator, node: Call) -> Quotient:
    above, below = node.args
    if type(below) is Number and below.numerator:
        return t.value(above) * t.field.rational(below.denominator, below.numerator)
    return t.value(above) / t.field.normal(t.value(below))


FORMS: dict[str, Callable[[Translator, Call], Quotient]] = {
    "add": lambda t, node: reduce(add, map(t.value, node.args)),
    "mul": lambda t, node: reduce(mul, map(t.value, node.args)),
    "neg": lambda t, node: -t.value(node.args[0]),
    "div": _division,
    "pow": _power,
    "root": lambda t, node: _general_power(t, node.args[0], Call("div", (Number(1), node.args[1]))),
    "ln": _logarithm,
    "log": _logarithm,
    "piecewise": _piecewise,
}
#: Functions of values; `special` adds to them.
RULES: dict[str, Callable[..., Quotient]] = {}
