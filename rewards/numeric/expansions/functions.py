"""Rules that expand functions at infinity and at poles, or reduce functions to other functions.

The argument of such a function is a germ: a function near a limit point.

Asymptotic series are in DLMF 5.11.1, 5.11.2, 6.12.1, 6.12.3 and 7.12.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import Any, Protocol

from flint import fmpq

from ...reading.expression.build import ONE, PI, TWO, add, div, mul, neg, number, power
from ...reading.expression.traversal import fold
from ...reading.expression.tree import Call, Expression, Number
from .multiseries import Scale
from .series import Constants, Germ, NotExpandedError

#: Poles of the gamma function that are stepped over.
MAX_SHIFT = 40


class FunctionExpander(Protocol):
    """The interface of the object that expands expressions (`germs.GermExpander`)."""

    constants: Constants
    scale: Scale

    def germ(self, node: Expression) -> Germ: ...
    def sum(self, *terms: Germ) -> Germ: ...
    def product(self, *factors: Germ) -> Germ: ...
    def rational(self, p: int, q: int = 1) -> Any: ...
    def limit(self, germ: Germ) -> tuple[int, Any]: ...
    def sign(self, germ: Germ) -> int: ...
    def pow(self, base: Expression, exponent: Expression) -> Germ: ...
    def circular(self, name: str, germ: Germ) -> Germ: ...
    def floor(self, node: Expression, upwards: bool = False) -> Germ: ...
    def extreme(self, *nodes: Expression, sign: int) -> Germ: ...
    def piecewise(self, *nodes: Expression) -> Germ: ...
    def function(self, node: Call) -> Germ: ...
    def asymptotic(self, taylor: Callable[[int], fmpq], germ: Germ, name: str) -> Germ: ...


@dataclass(frozen=True, slots=True)
class Expanded:
    """An expansion that a rule returns. A rule may also return an expression, to be expanded."""

    germ: Germ


def _ln(z: Expression) -> Expression:
    return Call("ln", (z,))


def _exp(z: Expression) -> Expression:
    return Call("exp", (z,))


def _sqrt(z: Expression) -> Expression:
    return Call("sqrt", (z,))


def _call(name: str, z: Expression) -> Expression:
    return Call(name, (z,))


def _absolute(e: FunctionExpander, node: Expression) -> Germ:
    germ = e.germ(node)
    return e.scale.neg(germ) if e.sign(germ) < 0 else germ


def _atan(e: FunctionExpander, z: Expression) -> Germ:
    # arctan z = pi/2 - arctan(1/z) for z > 0, and the same with -pi/2 for z < 0
    sign, _ = e.limit(e.germ(z))
    if not sign:
        return e.function(Call("atan", (z,)))
    turn = e.constants.value(div(PI, TWO))
    return e.sum(turn if sign > 0 else -turn, e.scale.neg(e.germ(_call("atan", div(ONE, z)))))


def _asinh(e: FunctionExpander, z: Expression) -> Germ:
    # ln(z + sqrt(z^2 + 1)) cancels for z < 0
    if e.sign(e.germ(z)) < 0:
        return e.scale.neg(e.germ(_call("asinh", neg(z))))
    return e.germ(_ln(add(z, _sqrt(add(power(z, TWO), ONE)))))


def _asin(e: FunctionExpander, z: Expression) -> Germ:
    # 2 arctan(z / (1 + sqrt(1 - z^2))), which has no pole at 1
    denominator = add(ONE, _sqrt(add(ONE, neg(power(z, TWO)))))
    return e.product(e.rational(2), e.germ(_call("atan", div(z, denominator))))


def _acos(e: FunctionExpander, z: Expression) -> Germ:
    if e.sign(e.germ(z)) < 0:
        return e.sum(e.constants.value(PI), e.scale.neg(e.germ(_call("acos", neg(z)))))
    angle = _call("atan", _sqrt(div(add(ONE, neg(z)), add(ONE, z))))
    return e.product(e.rational(2), e.germ(angle))


def _logarithm(e: FunctionExpander, z: Expression, base: Expression) -> Germ:
    return e.product(e.germ(_ln(z)), e.scale.inverse(e.germ(_ln(base))))


# --- functions at infinity and at their poles ---


def _stirling(e: FunctionExpander, z: Expression) -> Germ:
    """The expansion of the logarithm of the gamma function at infinity (Stirling's series)."""
    leading = e.germ(add(mul(add(z, Number(-1, 2)), _ln(z)), neg(z), div(_ln(mul(TWO, PI)), TWO)))

    def coefficient(j: int) -> fmpq:
        return fmpq.bernoulli(j + 1) / (j * (j + 1)) if j % 2 else fmpq(0)

    return e.sum(leading, e.asymptotic(coefficient, e.germ(z), "lgamma at infinity"))


def _digamma(e: FunctionExpander, z: Expression) -> Germ:
    def coefficient(j: int) -> fmpq:
        return -fmpq.bernoulli(j) / j if j > 1 else fmpq(-j, 2)

    return e.sum(e.germ(_ln(z)), e.asymptotic(coefficient, e.germ(z), "digamma at infinity"))


def _gaussian(e: FunctionExpander, z: Expression, sign: int) -> Germ:
    """Expand e^{sign z^2} / (z sqrt(pi)) times a series in 1/z^2, for z that tends to infinity."""
    square = power(z, TWO)
    leading = div(_exp(mul(Number(sign), square)), mul(z, _sqrt(PI)))

    def coefficient(j: int) -> fmpq:
        return fmpq(sign**j * factorial(2 * j), factorial(j) * 4**j)

    name = f"Gaussian integral at infinity {sign}"
    return e.product(e.germ(leading), e.asymptotic(coefficient, e.germ(square), name))


def _exponential_integral(e: FunctionExpander, z: Expression) -> Germ:
    leading = e.germ(div(_exp(z), z))
    series = e.asymptotic(lambda j: fmpq(factorial(j)), e.germ(z), "ei at infinity")
    return e.product(leading, series)


def _auxiliary(e: FunctionExpander, z: Expression) -> tuple[Germ, Germ]:
    """Expand the auxiliary functions f and g of the sine and cosine integrals at infinity."""
    square = e.germ(power(z, TWO))
    inverse = e.scale.inverse(e.germ(z))
    f = e.asymptotic(lambda j: fmpq((-1) ** j * factorial(2 * j)), square, "f of DLMF 6.2.17")
    g = e.asymptotic(lambda j: fmpq((-1) ** j * factorial(2 * j + 1)), square, "g of DLMF 6.2.18")
    return e.product(f, inverse), e.product(g, inverse, inverse)


def _sine_integral(e: FunctionExpander, z: Expression) -> Germ:
    f, g = _auxiliary(e, z)
    sine, cosine = (e.germ(_call(name, z)) for name in ("sin", "cos"))
    oscillation = e.sum(e.product(f, cosine), e.product(g, sine))
    return e.sum(e.constants.value(div(PI, TWO)), e.scale.neg(oscillation))


def _cosine_integral(e: FunctionExpander, z: Expression) -> Germ:
    f, g = _auxiliary(e, z)
    sine, cosine = (e.germ(_call(name, z)) for name in ("sin", "cos"))
    return e.sum(e.product(f, sine), e.scale.neg(e.product(g, cosine)))


def _near_zero(e: FunctionExpander, z: Expression, step: int, sign: int = 1) -> Germ:
    """The expansion of Ei, Ci or Chi near zero: gamma + ln z plus a power series.

    The power series is the sum of (+-z)^j / (j j!). The index j runs over multiples of ``step``.
    """
    logarithm = add(Call("euler_gamma"), _ln(_call("abs", z)))

    def coefficient(j: int) -> Any:
        if j == 0 or j % step:
            return e.scale.zero
        return e.rational(sign ** (j // step), j * factorial(j))

    return e.sum(e.germ(logarithm), e.scale.compose(coefficient, e.germ(z)))


def _at_poles(name: str) -> Callable[..., Any]:
    """Make the rule for gamma, log-gamma or digamma, for arguments that tend to plus infinity or to
    a pole.

    At a pole, a recurrence moves the argument to 1. The recurrence for gamma is Gamma(z) = Gamma(z
    + 1)/z.
    """

    def rule(
        sign: int, limit: Any, e: FunctionExpander, node: Call
    ) -> Expression | Expanded | None:
        z = node.args[-1]
        if sign < 0:
            raise NotExpandedError(f"{name} at minus infinity")
        if sign:
            if name == "digamma":
                return Expanded(_digamma(e, z))
            stirling = _stirling(e, z)
            return Expanded(e.scale.exp(stirling) if name == "gamma" else stirling)
        ratio = e.constants.rational(limit)
        assert ratio is not None
        pole = int(ratio.p)
        if pole > 0:
            return None
        if pole < -MAX_SHIFT:
            raise NotExpandedError("a pole far away")
        steps = [add(z, number(k)) for k in range(1 - pole)]
        shifted = _call(name, add(z, number(1 - pole)))
        if name == "gamma":
            return div(shifted, mul(*steps))
        if name == "digamma":
            return add(shifted, *(neg(div(ONE, step)) for step in steps))
        return add(shifted, *(neg(_ln(step)) for step in steps))

    return rule


def _erf(sign: int, limit: Any, e: FunctionExpander, node: Call) -> Expression | None:
    z = node.args[0]
    if sign > 0:
        return add(ONE, neg(_call("erfc", z)))
    return neg(_call("erf", neg(z))) if sign else None


def _erfc(sign: int, limit: Any, e: FunctionExpander, node: Call) -> Expression | Expanded | None:
    z = node.args[0]
    if sign > 0:
        return Expanded(_gaussian(e, z, -1))
    return add(TWO, neg(_call("erfc", neg(z)))) if sign else None


def _rule(
    infinite: Callable[[FunctionExpander, Expression], Germ],
    zero: Callable[[FunctionExpander, Expression], Germ] | None = None,
    *,
    odd: str = "",
) -> Callable[..., Any]:
    """Make the rule for a function from its expansions at plus infinity and, perhaps, at zero.

    If ``odd`` is given, it is the name of the function, which is odd. Minus infinity is then
    reduced to plus infinity.
    """

    def rule(
        sign: int, limit: Any, e: FunctionExpander, node: Call
    ) -> Expression | Expanded | None:
        z = node.args[-1]
        if sign < 0 and odd:
            return neg(_call(odd, neg(z)))
        if sign:
            return Expanded(infinite(e, z))
        if zero is not None and limit is e.scale.zero:
            return Expanded(zero(e, z))
        return None

    return rule


def _expint(sign: int, limit: Any, e: FunctionExpander, node: Call) -> Expression | None:
    # E_1(z) = -Ei(-z)
    if fold(node.args[0]) == 1 and (sign or limit is e.scale.zero):
        return neg(_call("ei", neg(node.args[1])))
    return None


def _hyperbolic_integral(
    sign: int, limit: Any, e: FunctionExpander, node: Call
) -> Expression | Expanded | None:
    # Shi = (Ei(z) - Ei(-z))/2, and Chi = (Ei(z) + Ei(-z))/2 for z > 0
    z = node.args[0]
    is_odd = node.function == "shi"
    if sign:
        inverse = _call("ei", neg(z))
        return div(add(_call("ei", z), neg(inverse) if is_odd else inverse), TWO)
    zero = limit is e.scale.zero and not is_odd
    return Expanded(_near_zero(e, z, 2)) if zero else None


def _bessel(sign: int, limit: Any, e: FunctionExpander, node: Call) -> Expanded | None:
    """The expansion of J_n or I_n at zero (DLMF 10.2.2, 10.25.2), for a whole n >= 0."""
    order = fold(node.args[0])
    if sign or limit is not e.scale.zero or order is None or order.denominator != 1 or order < 0:
        return None
    n, step = int(order), -1 if node.function == "bessel_j" else 1
    half = e.germ(div(node.args[1], TWO))

    def coefficient(j: int) -> Any:
        k, odd = divmod(j - n, 2)
        if odd or k < 0:
            return e.scale.zero
        return e.rational(step**k, factorial(k) * factorial(n + k))

    return Expanded(e.scale.compose(coefficient, half))


SINGULAR: dict[str, Callable[..., Any]] = {
    "gamma": _at_poles("gamma"),
    "lgamma": _at_poles("lgamma"),
    "digamma": _at_poles("digamma"),
    "erf": _erf,
    "erfc": _erfc,
    "erfi": _rule(lambda e, z: _gaussian(e, z, 1), odd="erfi"),
    "ei": _rule(_exponential_integral, lambda e, z: _near_zero(e, z, 1)),
    "si": _rule(_sine_integral, odd="si"),
    "ci": _rule(_cosine_integral, lambda e, z: _near_zero(e, z, 2, -1)),
    "expint": _expint,
    "shi": _hyperbolic_integral,
    "chi": _hyperbolic_integral,
    "bessel_j": _bessel,
    "bessel_i": _bessel,
}

#: Functions of arguments that are no germs yet.
RULES: dict[str, Callable[..., Germ]] = {
    "add": lambda e, *terms: e.sum(*map(e.germ, terms)),
    "mul": lambda e, *factors: e.product(*map(e.germ, factors)),
    "neg": lambda e, z: e.scale.neg(e.germ(z)),
    "div": lambda e, z, w: e.product(e.germ(z), e.scale.inverse(e.germ(w))),
    "pow": lambda e, z, w: e.pow(z, w),
    "sqrt": lambda e, z: e.scale.power(e.germ(z), e.rational(1, 2)),
    "root": lambda e, z, n: e.pow(z, div(ONE, n)),
    "exp": lambda e, z: e.scale.exp(e.germ(z)),
    "ln": lambda e, z: e.scale.ln(e.germ(z)),
    "log": _logarithm,
    "sin": lambda e, z: e.circular("sin", e.germ(z)),
    "cos": lambda e, z: e.circular("cos", e.germ(z)),
    "sinh": lambda e, z: e.germ(div(add(_exp(z), neg(_exp(neg(z)))), TWO)),
    "cosh": lambda e, z: e.germ(div(add(_exp(z), _exp(neg(z))), TWO)),
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "acot": lambda e, z: e.germ(_call("atan", div(ONE, z))),
    "asinh": _asinh,
    "acosh": lambda e, z: e.germ(_ln(add(z, _sqrt(add(power(z, TWO), Number(-1)))))),
    "atanh": lambda e, z: e.germ(div(_ln(div(add(ONE, z), add(ONE, neg(z)))), TWO)),
    "abs": _absolute,
    "sgn": lambda e, z: e.rational(e.sign(e.germ(z))),
    "heaviside": lambda e, z: e.rational(int(e.sign(e.germ(z)) > 0)),
    "floor": lambda e, z: e.floor(z),
    "ceil": lambda e, z: e.floor(z, upwards=True),
    "max": lambda e, *nodes: e.extreme(*nodes, sign=1),
    "min": lambda e, *nodes: e.extreme(*nodes, sign=-1),
    "piecewise": lambda e, *nodes: e.piecewise(*nodes),
}
