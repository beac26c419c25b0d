"""Rules of special functions: derivatives, contiguous relations, definitions by other functions.

Formulas are from the *Digital Library of Mathematical Functions*: gamma functions (5.5, 5.15),
incomplete gamma functions (8.4, 8.8), generalised exponential integrals (8.19), polylogarithms
(25.12), Lambert's W (4.13), Bessel (10.6, 10.29) and hypergeometric functions (15.4, 15.5, 16.3).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from math import factorial
from operator import mul

from flint import fmpq

from ....reading.expression.traversal import fold
from ....reading.expression.tree import Call
from ..quotients import NotProvedError
from ..tower import FORMS, RULES
from .elementary import Q, T
from .exponentials import exp
from .logarithms import ln
from .radicals import principal_power as power
from .radicals import sqrt

#: Most steps of a contiguous relation, and the largest whole number with a gamma function's value.
MAX_STEPS, MAX_WHOLE = 40, 1000


def _shift(t: T, order: Q, *, least: int = 0) -> tuple[Q, int]:
    """Write an order as an integer and a base order with rational term in [least, least + 1)."""
    order = t.field.normal(order)
    number = order.num[(0,) * t.field.ring.size] if order.den.is_one() else fmpq(0)
    steps = int(number.floor()) - least if number else 0
    if abs(steps) > MAX_STEPS:
        raise NotProvedError("an order that is too large")
    return order - steps, steps


def _raised(value: Q, order: Q, steps: int, relation: Callable[[Q], tuple[Q | int, Q | int]]) -> Q:
    """Compute f(order + steps) from f(order), with the pair (a, b) of f(n + 1) = a f(n) + b."""
    for k in range(steps) if steps > 0 else range(-1, steps - 1, -1):
        a, b = relation(order + k)
        value = a * value + b if steps > 0 else (value - b) / a
    return value


def _gamma_upper(t: T, s: Q, u: Q) -> Q:
    """Compute Gamma(s, u), by Gamma(s + 1, u) = s Gamma(s, u) + u^s exp(-u)."""
    s, steps = _shift(t, s)
    u = t.field.normal(u)
    if s.is_zero() and steps > 0:
        value, s, steps = exp(t, -u), s + 1, steps - 1
    elif s.rational() == fmpq(1, 2):
        value = sqrt(t, t.named("pi")) * t.applied("erfc", sqrt(t, u))
    else:
        value = t.by_record("gamma_upper", s, u)
    return _raised(value, s, steps, lambda s: (s, power(t, u, s) * exp(t, -u)))


def _gamma(t: T, u: Q) -> Q:
    """Compute the gamma function, by Gamma(u + 1) = u Gamma(u)."""
    integer = u.rational()
    if integer is not None and integer.q == 1 and 1 <= integer <= MAX_WHOLE:
        return t.field.ring.one * factorial(int(integer) - 1)
    u, steps = _shift(t, u, least=1)
    if u.is_one():
        raise NotProvedError("a pole of the gamma function")
    half_way = u.rational() == fmpq(3, 2)  # Gamma(3/2) is sqrt(pi)/2 (5.4.6)
    value = sqrt(t, t.named("pi")) / 2 if half_way else t.by_record("gamma", u)
    return _raised(value, u, steps, lambda u: (u, 0))


def _polygamma(t: T, n: Q, u: Q) -> Q:
    """Compute the polygamma function, by psi_n(u + 1) = psi_n(u) + (-1)^n n! / u^(n + 1)."""
    order = n.rational()
    if order is None or order.q != 1 or not 0 <= order.p <= MAX_STEPS:
        raise NotProvedError("an order that is not a whole number")
    u, steps = _shift(t, u, least=1)
    k, value = int(order.p), t.by_record("polygamma", n, u)
    return _raised(value, u, steps, lambda u: (1, (-1) ** k * factorial(k) / u ** (k + 1)))


def _lambertw(t: T, *args: Q) -> Q:
    """Compute Lambert's W, with the derivative W' = W / (u (1 + W)) on every branch."""
    args = tuple(map(t.field.normal, args[:1] if args[-1].is_zero() else args))

    def factor() -> Q:
        w = _lambertw(t, *args)
        return w / (args[0] * (1 + w))

    return t.function("lambertw", args, factor)


def _bessel(t: T, n: Q, u: Q, name: str, alpha: int, beta: int) -> Q:
    """Compute a Bessel function C of order n, by C(n+1) = alpha C(n-1) + beta (2n/z) C(n)."""
    n, steps = _shift(t, n)
    lower, upper = t.by_record(name, n, u), t.by_record(name, n + 1, u)
    for k in range(steps):
        lower, upper = upper, alpha * lower + 2 * beta * (n + k + 1) / u * upper
    for k in range(-steps):
        lower, upper = alpha * (upper - 2 * beta * (n - k) / u * lower), lower
    return lower


def _hypgeom(t: T, node: Call) -> Q:
    p, q = (fold(arg) for arg in node.args[:2])
    values = [t.field.normal(t.value(arg)) for arg in node.args[2:]]
    if p is None or q is None or len(values) != p + q + 1:
        raise NotProvedError("a hypergeometric function of another form")
    return _pfq(t, values[: int(p)], values[int(p) : -1], values[-1])


def _pfq(t: T, upper: list[Q], lower: list[Q], z: Q) -> Q:
    same = next((a for a in upper if a in lower), None)
    if same is not None:
        return _pfq(t, _without(upper, same), _without(lower, same), z)
    if any(a.is_zero() for a in upper):
        return t.field.ring.one
    if not lower and len(upper) < 2:
        return power(t, 1 - z, -upper[0]) if upper else exp(t, z)
    contiguous = next((a for a in upper if a + 1 in lower), None)

    def factor() -> Q:
        if contiguous is not None:  # z F' + a F = a G, where G is without the pair a; a + 1
            reduced = _pfq(t, _without(upper, contiguous), _without(lower, contiguous + 1), z)
            return contiguous / z * (reduced - _pfq(t, upper, lower, z))
        total = _pfq(t, [a + 1 for a in upper], [b + 1 for b in lower], z)
        return reduce(mul, upper, total) / reduce(mul, lower, t.field.ring.one)

    sizes = (t.field.ring.one * len(parameters) for parameters in (upper, lower))
    args = (*sizes, *upper, *lower, z)
    return t.function("hypgeom", args, factor, at=len(args) - 1)


def _without(parameters: list[Q], parameter: Q) -> list[Q]:
    at = parameters.index(parameter)
    return parameters[:at] + parameters[at + 1 :]


FORMS["hypgeom"] = _hypgeom
RULES |= {
    "gamma": _gamma,
    "gamma_upper": _gamma_upper,
    "expint": lambda t, n, u: power(t, u, n - 1) * _gamma_upper(t, 1 - n, u),
    "polygamma": _polygamma,
    "digamma": lambda t, u: _polygamma(t, t.field.ring.zero, u),
    "polylog": lambda t, s, u: -ln(t, 1 - u) if s.is_one() else t.by_record("polylog", s, u),
    "lambertw": _lambertw,
}
for _letter, _alpha, _beta in (("j", -1, 1), ("y", -1, 1), ("i", 1, -1), ("k", 1, 1)):
    _name = f"bessel_{_letter}"
    RULES[_name] = partial(_bessel, name=_name, alpha=_alpha, beta=_beta)
