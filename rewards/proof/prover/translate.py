"""Expressions as elements of a differential field.

`FORMS` and `RULES` are the functions; `elementary` and `special` add to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, mul, truediv

from ...reading.expression.formulas import definition_of, template
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import RECORDS
from ...reading.functions.record import ODD
from .quotients import NotProvedError, Quotient
from .roots import Roots

_OPERATORS = {"add": add, "mul": mul, "div": truediv}
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
        if rule is None and not RECORDS[node.function].derivative:
            definition = definition_of(node)
            if definition is None:
                raise NotProvedError(f"no rule for {node.function}")
            return self.value(definition)
        return self.applied(node.function, *map(self.value, node.args))

    def applied(self, name: str, *values: Quotient) -> Quotient:
        """A function of values: by its rule, or a generator with the derivative of its record."""
        rule = RULES.get(name)
        return self.by_record(name, *values) if rule is None else rule(self, *values)

    def by_record(self, name: str, *values: Quotient) -> Quotient:
        """A function as a generator with the derivative of its record."""
        record = RECORDS[name]
        arguments = record.arguments.split()
        if not record.derivative or len(arguments) != len(values):
            raise NotProvedError(f"no rule for {name}")
        at = arguments.index("u")
        if not all(map(self.field.is_constant, (*values[:at], *values[at + 1 :]))):
            raise NotProvedError(f"{name} with a parameter that varies")

        def made(t: Translator, *values: Quotient) -> Quotient:
            given = dict(zip(arguments, values, strict=True))

            def slope() -> Quotient:
                factor = t.formula(template(record.derivative), given)
                return factor * t.field.derivative(values[at])

            return t.function(name, values, slope, real=len(values) == 1 and not record.domain)

        return odd(made)(self, *values) if record.parity == ODD else made(self, *values)

    def formula(self, tree: Expression, given: Mapping[str, Quotient]) -> Quotient:
        """The value of a formula of a record."""
        if isinstance(tree, Symbol):
            return given[tree.name]
        if isinstance(tree, Number):
            return self.field.rational(tree.numerator, tree.denominator)
        values = [self.formula(arg, given) for arg in tree.args]
        if tree.function in _OPERATORS:
            return reduce(_OPERATORS[tree.function], values)
        if tree.function == "neg":
            return -values[0]
        if tree.function == "ln":
            return self.ln(values[0])
        return self.applied(tree.function, *values)


def odd(value: Callable[[Translator, Quotient], Quotient]) -> Callable[..., Quotient]:
    """An odd function: its arguments have a positive leading coefficient."""

    def rule(t: Translator, u: Quotient) -> Quotient:
        u = t.normal(u)
        if u.is_zero():
            return u
        return -value(t, -u) if u.num.leading_coefficient() < 0 else value(t, u)

    return rule


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
