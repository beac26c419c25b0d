"""Rules of special functions: derivatives, contiguous relations, definitions by other functions.

Formulas are taken from the *Digital Library of Mathematical Functions*, whose sections are named.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

from flint import fmpq

from ....reading.expression.traversal import fold
from ....reading.expression.tree import Call
from ..quotients import NotProvedError
from ..tower import FORMS, RULES
from .elementary import Q, Slope, T, generator
from .exponentials import exp
from .logarithms import ln
from .radicals import principal_power as power
from .radicals import sqrt

#: Most steps of a contiguous relation, and the largest whole number with a gamma function's value.
MAX_STEPS, MAX_WHOLE = 40, 1000


# --- error functions, Fresnel integrals (7.2), exponential integrals (6.2)


def _turning(name: str, turned: str) -> Slope:
    """erf(i u) = i erfi(u), and erfi(i u) = i erf(u)."""

    def rule(t: T, u: Q) -> Q:
        argument = t.without_i(t.normal(u))
        return t.by_record(name, u) if argument is None else t.i * t.by_record(turned, argument)

    return rule


RULES |= {
    "erf": _turning("erf", "erfi"),
    "erfi": _turning("erfi", "erf"),
    "erfc": lambda t, u: 1 - RULES["erf"](t, u),
    "dawson": lambda t, u: sqrt(t, t.named("pi")) / 2 * exp(t, -u * u) * RULES["erfi"](t, u),
    "li": lambda t, u: t.by_record("ei", ln(t, u)),
    "li_offset": lambda t, u: RULES["li"](t, u) - RULES["li"](t, t.field.rational(2)),
}


# --- gamma functions (5.5, 5.15), incomplete (8.4, 8.8) and generalised exponential (8.19)


def _shift(t: T, order: Q, *, least: int = 0) -> tuple[Q, int]:
    """An order with the rational term in [least, least + 1), and the number of steps up."""
    order, steps = t.normal(order), 0
    if order.den.is_one():
        for exponents, c in order.num.terms():
            if not any(exponents):
                steps = int(c.floor()) - least
    if abs(steps) > MAX_STEPS:
        raise NotProvedError("an order that is too large")
    return order - steps, steps


def _gamma_upper(t: T, s: Q, u: Q) -> Q:
    """Gamma(s + 1, u) = s Gamma(s, u) + u^s exp(-u)."""
    s, steps = _shift(t, s)
    order_at_start, u = s, t.normal(u)

    def term(order: Q) -> Q:
        return power(t, u, order) * exp(t, -u)

    if s.is_zero() and steps > 0:
        value, s, steps = exp(t, -u), s + 1, steps - 1
    elif s.rational() == fmpq(1, 2):
        value = sqrt(t, t.named("pi")) * RULES["erfc"](t, sqrt(t, u))
    else:
        value = generator(t, "gamma_upper", u, lambda: -term(order_at_start) / u, s)
    for _ in range(steps):
        value, s = s * value + term(s), s + 1
    for _ in range(-steps):
        s = s - 1
        value = (value - term(s)) / s
    return value


def _gamma(t: T, u: Q) -> Q:
    """Gamma(u + 1) = u Gamma(u)."""
    integer = u.rational()
    if integer is not None and integer.q == 1 and 1 <= integer <= MAX_WHOLE:
        return t.field.rational(factorial(int(integer) - 1))
    u, steps = _shift(t, u, least=1)
    base, ratio = u, u.rational()
    if ratio == 1:
        raise NotProvedError("a pole of the gamma function")
    if ratio == fmpq(3, 2):
        value = sqrt(t, t.named("pi")) / 2
    else:
        slope: Callable[[], Q] = lambda: _gamma(t, base) * RULES["digamma"](t, base)  # noqa: E731
        value = generator(t, "gamma", u, slope, real=True)
    for _ in range(steps):
        value, u = u * value, u + 1
    for _ in range(-steps):
        u = u - 1
        value = value / u
    return value


def _polygamma(t: T, n: Q, u: Q) -> Q:
    """psi_n(u + 1) = psi_n(u) + (-1)^n n! / u^(n + 1)."""
    order = n.rational()
    if order is None or order.q != 1 or not 0 <= order.p <= MAX_STEPS:
        raise NotProvedError("an order that is not a whole number")
    u, steps = _shift(t, u, least=1)
    base, k = u, int(order.p)
    value = generator(t, "polygamma", u, lambda: _polygamma(t, n + 1, base), n, real=True)
    for _ in range(steps):
        value, u = value + (-1) ** k * factorial(k) / u ** (k + 1), u + 1
    for _ in range(-steps):
        u = u - 1
        value = value - (-1) ** k * factorial(k) / u ** (k + 1)
    return value


def _zeta(t: T, s: Q, a: Q | None = None) -> Q:
    """The derivative of zeta(s, a) in a is -s zeta(s + 1, a) (25.11.17)."""
    if a is None:
        return generator(t, "zeta", s, lambda: _unknown("zeta"))
    return generator(t, "zeta", a, lambda: -s * _zeta(t, s + 1, a), s)


def _unknown(name: str) -> Q:
    raise NotProvedError(f"{name} of what varies")


RULES |= {
    "gamma": _gamma,
    "gamma_upper": _gamma_upper,
    "gamma_lower": lambda t, s, u: _gamma(t, s) - _gamma_upper(t, s, u),
    "expint": lambda t, n, u: power(t, u, n - 1) * _gamma_upper(t, 1 - n, u),
    "factorial": lambda t, u: _gamma(t, u + 1),
    "beta": lambda t, a, b: _gamma(t, a) * _gamma(t, b) / _gamma(t, a + b),
    "binomial": lambda t, n, k: _gamma(t, n + 1) / (_gamma(t, k + 1) * _gamma(t, n - k + 1)),
    "polygamma": _polygamma,
    "zeta": _zeta,
    "digamma": lambda t, u: _polygamma(t, t.field.zero, u),
}


# --- polylogarithms (25.12), Lambert's W (4.13)


def _polylog(t: T, s: Q, u: Q) -> Q:
    if s.rational() == 1:
        return -ln(t, 1 - u)
    return generator(t, "polylog", u, lambda: _polylog(t, s - 1, u) / u, s)


def _lambertw(t: T, u: Q, branch: Q | None = None) -> Q:
    """W' = W / (u (1 + W)) on every branch."""
    parameters = () if branch is None or branch.is_zero() else (branch,)

    def factor() -> Q:
        w = _lambertw(t, u, branch)
        return w / (u * (1 + w))

    return generator(t, "lambertw", u, factor, *parameters, at=0)


RULES |= {"polylog": _polylog, "lambertw": _lambertw}


# --- elliptic integrals with the parameter m (19.2, 19.4)


RULES |= {
    "elliptic_pic": lambda t, n, m: generator(t, "elliptic_pic", m, lambda: _unknown("Pi"), n),
}


# --- Bessel functions (10.6, 10.29), Airy functions (9.2)


def _bessel(name: str, alpha: int, beta: int, sigma: int) -> Callable[[T, Q, Q], Q]:
    """C(n+1) = alpha C(n-1) + beta (2n/z) C(n), and C'(n) = sigma C(n+1) + (n/z) C(n)."""

    def low(t: T, n: Q, u: Q) -> Q:
        return generator(t, name, u, lambda: sigma * high(t, n, u) + n / u * low(t, n, u), n)

    def high(t: T, n: Q, u: Q) -> Q:
        slope: Callable[[], Q] = lambda: (  # noqa: E731
            sigma * alpha * low(t, n, u) - (n + 1) / u * high(t, n, u)
        )
        return generator(t, name, u, slope, n + 1)

    def value(t: T, n: Q, u: Q) -> Q:
        n, steps = _shift(t, n)
        lower, upper = low(t, n, u), high(t, n, u)
        for _ in range(steps):
            n = n + 1
            lower, upper = upper, alpha * lower + 2 * beta * n / u * upper
        for _ in range(-steps):
            lower, upper = alpha * (upper - 2 * beta * n / u * lower), lower
            n = n - 1
        return lower

    return value


def _airy(name: str) -> dict[str, Slope]:
    """A'' = u A, for a function and its derivative."""
    prime = f"{name}_prime"

    def value(t: T, u: Q) -> Q:
        return generator(t, name, u, lambda: slope(t, u))

    def slope(t: T, u: Q) -> Q:
        return generator(t, prime, u, lambda: u * value(t, u))

    return {name: value, prime: slope}


RULES |= {
    "bessel_j": _bessel("bessel_j", -1, 1, -1),
    "bessel_y": _bessel("bessel_y", -1, 1, -1),
    "bessel_i": _bessel("bessel_i", 1, -1, 1),
    "bessel_k": _bessel("bessel_k", 1, 1, -1),
    **_airy("airy_ai"),
    **_airy("airy_bi"),
}


# --- hypergeometric functions (15.4, 15.5, 16.3)


def _hypgeom(t: T, node: Call) -> Q:
    p, q = (fold(arg) for arg in node.args[:2])
    values = [t.normal(t.value(arg)) for arg in node.args[2:]]
    if p is None or q is None or len(values) != p + q + 1:
        raise NotProvedError("a hypergeometric function of another form")
    return _pfq(t, values[: int(p)], values[int(p) : -1], values[-1])


def _pfq(t: T, upper: list[Q], lower: list[Q], z: Q) -> Q:
    same = next((a for a in upper if a in lower), None)
    if same is not None:
        return _pfq(t, _without(upper, same), _without(lower, same), z)
    if any(a.is_zero() for a in upper):
        return t.field.one
    if not lower and len(upper) < 2:
        return power(t, 1 - z, -upper[0]) if upper else exp(t, z)
    contiguous = next((a for a in upper if a + 1 in lower), None)

    def factor() -> Q:
        if contiguous is not None:  # z F' + a F = a G, where G is without the pair a; a + 1
            reduced = _pfq(t, _without(upper, contiguous), _without(lower, contiguous + 1), z)
            return contiguous / z * (reduced - _pfq(t, upper, lower, z))
        total = _pfq(t, [a + 1 for a in upper], [b + 1 for b in lower], z)
        for a in upper:
            total = total * a
        for b in lower:
            total = total / b
        return total

    sizes = t.field.rational(len(upper)), t.field.rational(len(lower))
    return generator(t, "hypgeom", z, factor, *sizes, *upper, *lower)


def _without(parameters: list[Q], parameter: Q) -> list[Q]:
    at = parameters.index(parameter)
    return parameters[:at] + parameters[at + 1 :]


FORMS["hypgeom"] = _hypgeom
