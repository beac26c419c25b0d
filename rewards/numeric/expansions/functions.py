"""The walk through an expression, and formulas that reduce functions to other functions.

Both engines expand an expression by this walk: `Expander` leaves the arithmetic of expansions to
the engine. The formulas hold everywhere, at infinity, or at poles. The names in the formulas are
those of the functions' records.
Asymptotic series are in DLMF 5.11.1, 5.11.2, 6.12.1, 6.12.3 and 7.12.1. They stand in the formulas
as symbols, which `SERIES` explains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial
from typing import ClassVar, Final, Generic, TypeVar

from flint import fmpq

from ...reading.expression.build import E, mul, neg
from ...reading.expression.formulas import filled
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number
from ...reading.functions import RECORDS
from ...reading.functions.record import ODD
from .series import NotExpandedError

#: Poles of the gamma function that are stepped over.
MAX_SHIFT: Final = 40
#: Orders of functions for which the formulas at infinity and at poles hold. The limit of the orders
#: of Bessel functions bounds the work.
ORDERS: Final[Mapping[str, range]] = {
    "expint": range(1, 2),
    "bessel_j": range(1000),
    "bessel_i": range(1000),
}

#: Formulas that hold for all arguments, and definitions. That of erfc cancels at infinity.
FORMULAS: Final[Mapping[str, str]] = {
    **{name: record.definition for name, record in RECORDS.items() if name != "erfc"},
    "sqrt": "u**(1/2)",
    "root": "u**(1/n)",
    "log": "log(u)/log(b)",
    "sinh": "(exp(u) - exp(-u))/2",
    "cosh": "(exp(u) + exp(-u))/2",
    "acos": "pi/2 - asin(u)",
    "asinh": "log(u + sqrt(u**2 + 1))",
    "acosh": "log(u + sqrt(u**2 - 1))",
    "atanh": "log((1 + u)/(1 - u))/2",
}
#: Formulas for arguments that tend to plus infinity.
AT_INFINITY: Final[Mapping[str, str]] = {
    "atan": "pi/2 - atan(1/u)",
    "gamma": "exp(lgamma(u))",
    "lgamma": "(u - 1/2)*log(u) - u + log(2*pi)/2 + stirling",
    "digamma": "log(u) + of_digamma",
    "erf": "1 - erfc(u)",
    "erfc": "exp(-u**2)/(u*sqrt(pi))*of_erfc",
    "erfi": "exp(u**2)/(u*sqrt(pi))*of_erfi",
    "ei": "exp(u)/u*of_ei",
    "expint": "-ei(-u)",
    "si": "pi/2 - auxiliary_f/u*cos(u) - auxiliary_g/u**2*sin(u)",
    "ci": "auxiliary_f/u*sin(u) - auxiliary_g/u**2*cos(u)",
    "shi": "(ei(u) - ei(-u))/2",
    "chi": "(ei(u) + ei(-u))/2",
}
#: Formulas for arguments that tend to minus infinity, of functions that are not odd.
AT_MINUS_INFINITY: Final[Mapping[str, str]] = {
    "erfc": "2 - erfc(-u)",
    "ei": AT_INFINITY["ei"],
    "expint": AT_INFINITY["expint"],
    "ci": AT_INFINITY["ci"],
    "chi": AT_INFINITY["chi"],
}
#: Formulas for arguments that tend to zero, or to another pole of the gamma function: a recurrence
#: moves the argument to the next whole number.
AT_POLES: Final[Mapping[str, str]] = {
    "gamma": "gamma(u + 1)/u",
    "lgamma": "lgamma(u + 1) - log(u)",
    "digamma": "digamma(u + 1) - 1/u",
    "ei": "EulerGamma + log(abs(u)) + near_zero",
    "ci": "EulerGamma + log(abs(u)) + near_zero_of_ci",
    "chi": "EulerGamma + log(abs(u)) + near_zero_of_chi",
    "expint": "-ei(-u)",
    "lambertw": "u*of_lambertw",
    "bessel_j": "(u/2)**n*of_bessel_j",
    "bessel_i": "(u/2)**n*of_bessel_i",
}


@dataclass(frozen=True, slots=True)
class PowerSeries:
    """The sum of c_j w^j, where w is a function of the argument that tends to zero.

    Attributes:
        power: w, as a formula.
        coefficient: c_j as a function of j, and of the order if the function has an order.

    """

    power: str
    coefficient: Callable[..., fmpq]


def _of_bessel(sign: int) -> PowerSeries:
    """The series of J_n or I_n, divided by (u/2)^n (DLMF 10.2.2, 10.25.2)."""
    return PowerSeries("u**2/4", lambda k, n: fmpq(sign**k, factorial(k) * factorial(n + k)))


#: The symbols in the formulas, e^u and ln(1 + u). Auxiliary functions f and g are in DLMF 6.2.17
#: and 6.2.18.
SERIES: Final[Mapping[str, PowerSeries]] = {
    "stirling": PowerSeries(
        "u**(-1)", lambda j: fmpq.bernoulli(j + 1) / (j * (j + 1)) if j % 2 else fmpq(0)
    ),
    "of_digamma": PowerSeries(
        "u**(-1)", lambda j: -fmpq.bernoulli(j) / j if j > 1 else fmpq(-j, 2)
    ),
    "of_erfc": PowerSeries(
        "u**(-2)", lambda j: fmpq((-1) ** j * factorial(2 * j), factorial(j) * 4**j)
    ),
    "of_erfi": PowerSeries("u**(-2)", lambda j: fmpq(factorial(2 * j), factorial(j) * 4**j)),
    "of_ei": PowerSeries("u**(-1)", lambda j: fmpq(factorial(j))),
    "auxiliary_f": PowerSeries("u**(-2)", lambda j: fmpq((-1) ** j * factorial(2 * j))),
    "auxiliary_g": PowerSeries("u**(-2)", lambda j: fmpq((-1) ** j * factorial(2 * j + 1))),
    "near_zero": PowerSeries("u", lambda j: fmpq(1, j * factorial(j)) if j else fmpq(0)),
    "near_zero_of_ci": PowerSeries("-u**2", lambda j: _even_term(j)),
    "near_zero_of_chi": PowerSeries("u**2", lambda j: _even_term(j)),
    "of_lambertw": PowerSeries("u", lambda j: fmpq((-j - 1) ** j, factorial(j + 1))),
    "of_exp": PowerSeries("u", lambda j: fmpq(1, factorial(j))),
    "of_ln": PowerSeries("u", lambda j: fmpq((-1) ** (j - 1), j) if j else fmpq(0)),
    "of_bessel_j": _of_bessel(-1),
    "of_bessel_i": _of_bessel(1),
}


def _even_term(j: int) -> fmpq:
    return fmpq(1, 2 * j * factorial(2 * j)) if j else fmpq(0)


def formula_at(call: Call, sign: int, integer: int | None) -> Expression | None:
    """A known formula for a function whose argument tends to infinity or to a pole, or None.

    Raises:
        NotExpandedError: the pole is too far away.

    Args:
        call: the function.
        sign: 1 or -1 if the argument tends to plus or minus infinity, else 0.
        integer: the limit of the argument, if this limit is an integer; else None.

    """
    name = call.function
    if name in ORDERS and fold(call.args[0]) not in ORDERS[name]:
        return None
    if sign < 0 and RECORDS[name].parity == ODD and name in AT_INFINITY:
        return neg(Call(name, (neg(call.args[0]),)))
    formulas = {1: AT_INFINITY, -1: AT_MINUS_INFINITY, 0: AT_POLES}[sign]
    if not sign and integer != 0:
        if integer is None or integer > 0 or name not in AT_POLES or not RECORDS[name].poles:
            return None
        if integer < -MAX_SHIFT:
            raise NotExpandedError("a pole far away")
    return filled(formulas.get(name, ""), call)


Value = TypeVar("Value")


class Expander(ABC, Generic[Value]):
    """Expands expressions in a variable. A subclass has the arithmetic of its expansions.

    Attributes:
        expansions: the expansions made so far.
        formulas: formulas that hold for all arguments, by the names of functions.

    """

    __slots__ = ()
    expansions: dict[Expression, Value]
    formulas: ClassVar[Mapping[str, str]]

    def expand(self, node: Expression) -> Value:
        """The expansion of an expression."""
        expansion = self.expansions.get(node)
        if expansion is None:
            is_call = isinstance(node, Call) and self.varies(node)
            expansion = self.expansions[node] = self._of_call(node) if is_call else self.leaf(node)
        return expansion

    def _of_call(self, node: Expression) -> Value:
        assert isinstance(node, Call)
        name, args = node.function, node.args
        if name == "add":
            return self.add(*map(self.expand, args))
        if name == "neg":
            return self.neg(self.expand(args[0]))
        if name == "mul":
            return self.mul(*map(self.expand, args))
        if name == "div":
            return self.mul(self.expand(args[0]), self.raised(self.expand(args[1]), Number(-1)))
        if name == "exp" or (name == "pow" and args[0] == E):
            return self.exp(self.expand(args[-1]))
        if name == "ln":
            return self.ln(self.expand(args[0]))
        if name == "pow" and not self.varies(args[1]):
            return self.raised(self.expand(args[0]), args[1])
        if name == "pow":
            return self.varying_power(*args)
        formula = filled(self.formulas.get(name, ""), node)
        return self.function(node) if formula is None else self.expand(formula)

    def varying_power(self, base: Expression, exponent: Expression) -> Value:
        """Expand a power whose exponent varies."""
        return self.exp(self.expand(mul(exponent, Call("ln", (base,)))))

    @abstractmethod
    def varies(self, node: Expression) -> bool:
        """Whether an expression depends on the variable."""

    @abstractmethod
    def leaf(self, node: Expression) -> Value:
        """Expand the variable, or an expression that does not depend on the variable."""

    @abstractmethod
    def function(self, node: Call) -> Value:
        """Expand a function for which there is no formula."""

    @abstractmethod
    def add(self, *terms: Value) -> Value: ...
    @abstractmethod
    def neg(self, a: Value) -> Value: ...
    @abstractmethod
    def mul(self, *factors: Value) -> Value: ...
    @abstractmethod
    def raised(self, a: Value, exponent: Expression) -> Value: ...
    @abstractmethod
    def exp(self, a: Value) -> Value: ...
    @abstractmethod
    def ln(self, a: Value) -> Value: ...
