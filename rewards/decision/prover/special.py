"""Rules of functions: derivatives, contiguous relations, and definitions by other functions.

Formulas are those of the *Digital Library of Mathematical Functions*, whose sections are named.
`RULES` maps a function to one of a translator and of its arguments' values. Where a derivative is
by one argument, the others must be constant.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import factorial
from typing import TypeAlias

from flint import fmpq

from ...expression.traversal import fold
from ...expression.tree import Call
from .elements import FORMS, RULES, Translator
from .field import NotProvedError, Quotient

#: Most steps of a contiguous relation.
MAX_STEPS = 40

T: TypeAlias = Translator
Q: TypeAlias = Quotient
Slope = Callable[[T, Q], Q]


def _generator(t: T, name: str, u: Q, factor: Callable[[], Q], *others: Q, at: int = -1,
               real: bool = False) -> Q:  # fmt: skip
    """f(..., u, ...) as a generator with derivative ``factor() u'``; ``at`` is the place of u."""
    if not all(t.field.is_constant(other) for other in others):
        raise NotProvedError(f"{name} with a parameter that varies")
    args = list(others)
    args.insert(len(args) if at < 0 else at, u)
    return t.function(name, tuple(args), lambda: factor() * t.field.derivative(u), real=real)


def _odd(value: Slope) -> Slope:
    """An odd function: its arguments have a positive leading coefficient."""

    def rule(t: T, u: Q) -> Q:
        u = t.normal(u)
        if u.is_zero():
            return u
        return -value(t, -u) if u.num.leading_coefficient() < 0 else value(t, u)

    return rule


def _by(name: str, slope: Slope, *, real: bool = True) -> Slope:
    return lambda t, u: _generator(t, name, u, lambda: slope(t, u), real=real)


def _power(t: T, base: Q, exponent: Q) -> Q:
    """The principal power; `Translator.power` has real roots of odd order instead."""
    ratio = exponent.rational()
    if ratio is not None and (ratio.q == 1 or ratio.q % 2 == 0):
        return t.power(base, Fraction(int(ratio.p), int(ratio.q)))
    return t.exp(exponent * t.ln(base))


def _sqrt(t: T, u: Q) -> Q:
    return t.root(u, 2)


# --- elementary functions


def _sinh_cosh(t: T, u: Q) -> tuple[Q, Q]:
    up = t.exp(u)
    down = 1 / up
    return (up - down) / 2, (up + down) / 2


def _asinh(t: T, u: Q) -> Q:
    if t.split:  # 4.37.16
        return t.ln(u + _sqrt(t, u * u + 1))
    return _generator(t, "asinh", u, lambda: 1 / _sqrt(t, u * u + 1), real=True)


def _acosh(t: T, u: Q) -> Q:
    def radical() -> Q:
        return _sqrt(t, u - 1) * _sqrt(t, u + 1)

    if t.split:  # 4.37.21
        return t.ln(u + radical())
    return _generator(t, "acosh", u, lambda: 1 / radical())


def _atanh(t: T, u: Q) -> Q:
    inside = t.split and t.field.is_real(u)
    if inside and t.require_sign(1 - u) > 0 and t.require_sign(1 + u) > 0:  # 4.37.24
        return (t.ln(1 + u) - t.ln(1 - u)) / 2
    return _generator(t, "atanh", u, lambda: 1 / (1 - u * u))


def _over(pair: Callable[[T, Q], tuple[Q, Q]], above: int, below: int) -> Slope:
    """A quotient of two of: the first of a pair (0), the second (1), one (2)."""

    def rule(t: T, u: Q) -> Q:
        parts = (*pair(t, u), t.field.one)
        return parts[above] / t.normal(parts[below])

    return rule


def _of_inverse(name: str) -> Slope:
    return lambda t, u: RULES[name](t, 1 / u)


for _pair, _names in ((Translator.sin_cos, "sin cos tan cot sec csc"),
                      (_sinh_cosh, "sinh cosh tanh coth sech csch")):  # fmt: skip
    _places = ((0, 2), (1, 2), (0, 1), (1, 0), (2, 1), (2, 0))
    for _name, _place in zip(_names.split(), _places, strict=True):
        RULES[_name] = _over(_pair, *_place)
for _name, _other in (("acot", "atan"), ("asec", "acos"), ("acsc", "asin"), ("acoth", "atanh"),
                      ("asech", "acosh"), ("acsch", "asinh")):  # fmt: skip
    RULES[_name] = _of_inverse(_other)
for _name in ("pi", "euler_gamma", "catalan"):
    RULES[_name] = partial(Translator.named, name=_name)
RULES |= {
    "neg": lambda t, u: -u,
    "sqrt": _sqrt,
    "exp": Translator.exp,
    "e": lambda t: t.exp(t.field.one),
    "i": lambda t: t.i,
    "asin": _odd(_by("asin", lambda t, u: 1 / _sqrt(t, 1 - u * u), real=False)),
    "acos": lambda t, u: t.named("pi") / 2 - RULES["asin"](t, u),
    "atan": _odd(_by("atan", lambda t, u: 1 / (1 + u * u))),
    "asinh": _odd(_asinh),
    "acosh": _acosh,
    "atanh": _odd(_atanh),
    "gudermannian": lambda t, u: 2 * RULES["atan"](t, RULES["tanh"](t, u / 2)),
}


# --- not analytic: where a sign, or a whole part, does not change


def _largest(t: T, *values: Q, sign: int) -> Q:
    best = values[0]
    for other in values[1:]:
        gap = t.normal(other - best)
        if not gap.is_zero() and t.require_sign(gap) == sign:
            best = other
    return best


def _whole(name: str) -> Slope:
    def rule(t: T, u: Q) -> Q:
        if not t.field.is_real(u):
            raise NotProvedError("rounding what may not be real")
        return _generator(t, name, u, lambda: t.field.zero, real=True)

    return rule


RULES |= {
    "abs": lambda t, u: u * t.require_sign(u),
    "sgn": lambda t, u: t.rational(t.require_sign(u)),
    "heaviside": lambda t, u: t.rational(int(t.require_sign(u) > 0)),
    "max": partial(_largest, sign=1),
    "min": partial(_largest, sign=-1),
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "frac": lambda t, u: u - RULES["floor"](t, u),
}


# --- error functions, Fresnel integrals (7.2), exponential integrals (6.2)


def _gauss(name: str, sign: int) -> Slope:
    return _odd(_by(name, lambda t, u: 2 / _sqrt(t, t.named("pi")) * t.exp(sign * u * u)))


def _turning(plain: Slope, turned: Slope) -> Slope:
    """erf(i u) = i erfi(u), and the other way round."""

    def rule(t: T, u: Q) -> Q:
        inside = t.without_i(t.normal(u))
        return plain(t, u) if inside is None else t.i * turned(t, inside)

    return rule


def _turn(t: T, u: Q) -> tuple[Q, Q]:
    return t.sin_cos(t.named("pi") * u * u / 2)


_erf, _erfi = _gauss("erf", -1), _gauss("erfi", 1)
RULES |= {
    "erf": _turning(_erf, _erfi),
    "erfi": _turning(_erfi, _erf),
    "erfc": lambda t, u: 1 - RULES["erf"](t, u),
    "dawson": lambda t, u: _sqrt(t, t.named("pi")) / 2 * t.exp(-u * u) * RULES["erfi"](t, u),
    "fresnel_s": _odd(_by("fresnel_s", lambda t, u: _turn(t, u)[0])),
    "fresnel_c": _odd(_by("fresnel_c", lambda t, u: _turn(t, u)[1])),
    "ei": _by("ei", lambda t, u: t.exp(u) / u),
    "si": _odd(_by("si", lambda t, u: t.sin_cos(u)[0] / u)),
    "ci": _by("ci", lambda t, u: t.sin_cos(u)[1] / u, real=False),
    "shi": _odd(_by("shi", lambda t, u: _sinh_cosh(t, u)[0] / u)),
    "chi": _by("chi", lambda t, u: _sinh_cosh(t, u)[1] / u, real=False),
    "li": lambda t, u: RULES["ei"](t, t.ln(u)),
    "li_offset": lambda t, u: RULES["li"](t, u) - RULES["li"](t, t.rational(2)),
}


# --- gamma functions (5.5, 5.15), incomplete (8.4, 8.8) and generalised exponential (8.19)


def _shift(t: T, order: Q, *, least: int = 0) -> tuple[Q, int]:
    """An order as one whose rational term lies in [least, least + 1), and whole steps up."""
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
    first, u = s, t.normal(u)

    def term(order: Q) -> Q:
        return _power(t, u, order) * t.exp(-u)

    if s.is_zero() and steps > 0:
        value, s, steps = t.exp(-u), s + 1, steps - 1
    elif s.rational() == fmpq(1, 2):
        value = _sqrt(t, t.named("pi")) * RULES["erfc"](t, _sqrt(t, u))
    else:
        value = _generator(t, "gamma_upper", u, lambda: -term(first) / u, s)
    for _ in range(steps):
        value, s = s * value + term(s), s + 1
    for _ in range(-steps):
        s = s - 1
        value = (value - term(s)) / s
    return value


def _gamma(t: T, u: Q) -> Q:
    """Gamma(u + 1) = u Gamma(u)."""
    u, steps = _shift(t, u, least=1)
    base, ratio = u, u.rational()
    if ratio == 1 and steps < 0:
        raise NotProvedError("a pole of the gamma function")
    if ratio == 1:
        value = t.field.one
    elif ratio == fmpq(3, 2):
        value = _sqrt(t, t.named("pi")) / 2
    else:
        slope: Callable[[], Q] = lambda: _gamma(t, base) * RULES["digamma"](t, base)  # noqa: E731
        value = _generator(t, "gamma", u, slope, real=True)
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
    value = _generator(t, "polygamma", u, lambda: _polygamma(t, n + 1, base), n, real=True)
    for _ in range(steps):
        value, u = value + (-1) ** k * factorial(k) / u ** (k + 1), u + 1
    for _ in range(-steps):
        u = u - 1
        value = value - (-1) ** k * factorial(k) / u ** (k + 1)
    return value


def _zeta(t: T, s: Q, a: Q | None = None) -> Q:
    """The derivative of zeta(s, a) in a is -s zeta(s + 1, a) (25.11.17)."""
    if a is None:
        return _generator(t, "zeta", t.normal(s), lambda: _unknown("zeta of what varies"))
    return _generator(t, "zeta", a, lambda: -s * _zeta(t, s + 1, a), s)


def _unknown(what: str) -> Q:
    raise NotProvedError(what)


RULES |= {
    "gamma": _gamma,
    "gamma_upper": _gamma_upper,
    "gamma_lower": lambda t, s, u: _gamma(t, s) - _gamma_upper(t, s, u),
    "expint": lambda t, n, u: _power(t, u, n - 1) * _gamma_upper(t, 1 - n, u),
    "factorial": lambda t, u: _gamma(t, u + 1),
    "beta": lambda t, a, b: _gamma(t, a) * _gamma(t, b) / _gamma(t, a + b),
    "binomial": lambda t, n, k: _gamma(t, n + 1) / (_gamma(t, k + 1) * _gamma(t, n - k + 1)),
    "polygamma": _polygamma,
    "digamma": lambda t, u: _polygamma(t, t.field.zero, u),
    "lgamma": _by("lgamma", lambda t, u: RULES["digamma"](t, u), real=False),
    "zeta": _zeta,
    "beta_lower": lambda t, a, b, u: _generator(
        t, "beta_lower", u, lambda: _power(t, u, a - 1) * _power(t, 1 - u, b - 1), a, b
    ),
}


# --- polylogarithms (25.12), Lambert's W (4.13)


def _polylog(t: T, s: Q, u: Q) -> Q:
    order = s.rational()
    if order is not None and order.q == 1 and -MAX_STEPS <= order.p <= 1:
        if order == 1:
            return -t.ln(1 - u)
        # Li_s is p(u) / (1 - u)^(1 - s); u d/du of it has u p' (1 - u) + (1 - s) u p above.
        p = [0, 1]
        for k in range(1, 1 - int(order.p)):
            p = [i * c + (k - i + 1) * b for i, (c, b) in enumerate(zip([*p, 0], [0, *p]))]  # noqa: B905
        above = t.field.zero
        for c in reversed(p):
            above = above * u + c
        return above / (1 - u) ** (1 - int(order.p))
    return _generator(t, "polylog", u, lambda: _polylog(t, s - 1, u) / u, s)


def _lambertw(t: T, u: Q, branch: Q | None = None) -> Q:
    if branch is not None and not branch.is_zero():
        raise NotProvedError("another branch of Lambert's W")
    return _generator(t, "lambertw", u, lambda: _lambertw(t, u) / (u * (1 + _lambertw(t, u))))


RULES |= {"polylog": _polylog, "lambertw": _lambertw}


# --- elliptic integrals with the parameter m (19.2, 19.4)


def _delta(t: T, phi: Q, m: Q, n: Q | None = None) -> Q:
    square = t.sin_cos(phi)[0] ** 2
    root = _sqrt(t, 1 - m * square)
    return root if n is None else root * (1 - n * square)


def _k_slope(t: T, m: Q) -> Q:
    k, e = RULES["elliptic_k"](t, m), RULES["elliptic_ec"](t, m)
    return (e - (1 - m) * k) / (2 * m * (1 - m))


def _e_slope(t: T, m: Q) -> Q:
    return (RULES["elliptic_ec"](t, m) - RULES["elliptic_k"](t, m)) / (2 * m)


RULES |= {
    "elliptic_f": lambda t, phi, m: _generator(
        t, "elliptic_f", phi, lambda: 1 / _delta(t, phi, m), m, at=0
    ),
    "elliptic_e": lambda t, phi, m: _generator(
        t, "elliptic_e", phi, lambda: _delta(t, phi, m), m, at=0
    ),
    "elliptic_pi": lambda t, n, phi, m: _generator(
        t, "elliptic_pi", phi, lambda: 1 / _delta(t, phi, m, n), n, m, at=1
    ),
    "elliptic_k": _by("elliptic_k", _k_slope, real=False),
    "elliptic_ec": _by("elliptic_ec", _e_slope, real=False),
    "elliptic_pic": lambda t, n, m: _generator(
        t, "elliptic_pic", m, lambda: _unknown("complete Pi of what varies"), n
    ),
}


# --- Bessel functions (10.6, 10.29), Airy functions (9.2)


def _bessel(name: str, alpha: int, beta: int, sigma: int) -> Callable[[T, Q, Q], Q]:
    """C(n+1) = alpha C(n-1) + beta (2n/z) C(n), and C'(n) = sigma C(n+1) + (n/z) C(n)."""

    def low(t: T, n: Q, u: Q) -> Q:
        return _generator(
            t, name, u, lambda: sigma * high(t, n, u) + n / u * low(t, n, u), n
        )  # fmt: skip

    def high(t: T, n: Q, u: Q) -> Q:
        slope: Callable[[], Q] = lambda: (  # noqa: E731
            sigma * alpha * low(t, n, u) - (n + 1) / u * high(t, n, u)
        )
        return _generator(t, name, u, slope, n + 1)

    def value(t: T, n: Q, u: Q) -> Q:
        n, steps = _shift(t, n)
        here, after = low(t, n, u), high(t, n, u)
        for _ in range(steps):
            n = n + 1
            here, after = after, alpha * here + 2 * beta * n / u * after
        for _ in range(-steps):
            here, after = alpha * (after - 2 * beta * n / u * here), here
            n = n - 1
        return here

    return value


def _airy(name: str) -> Slope:
    """A'' = u A. The derivative has no name of its own."""

    def value(t: T, u: Q) -> Q:
        return _generator(t, name, u, lambda: _generator(t, f"{name}'", u, lambda: u * value(t, u)))

    return value


RULES |= {
    "bessel_j": _bessel("bessel_j", -1, 1, -1),
    "bessel_y": _bessel("bessel_y", -1, 1, -1),
    "bessel_i": _bessel("bessel_i", 1, -1, 1),
    "bessel_k": _bessel("bessel_k", 1, 1, -1),
    "airy_ai": _airy("airy_ai"),
    "airy_bi": _airy("airy_bi"),
}


# --- hypergeometric functions (15.4, 15.5, 16.3)


def _hypgeom(t: T, node: Call) -> Q:
    p, q = (fold(arg) for arg in node.args[:2])
    values = [t.normal(t.value(arg)) for arg in node.args[2:]]
    if p is None or q is None or len(values) != p + q + 1:
        raise NotProvedError("a hypergeometric function of another form")
    return _pfq(t, values[: int(p)], values[int(p) : -1], values[-1])


def _pfq(t: T, above: list[Q], below: list[Q], z: Q) -> Q:
    same = next((a for a in above if a in below), None)
    if same is not None:
        return _pfq(t, _without(above, same), _without(below, same), z)
    if any(a.is_zero() for a in above):
        return t.field.one
    if not below and len(above) < 2:
        return _power(t, 1 - z, -above[0]) if above else t.exp(z)
    first = next((a for a in above if a + 1 in below), None)

    def factor() -> Q:
        if first is not None:  # z F' + a F = a G, where G is without the pair a; a + 1
            rest = _pfq(t, _without(above, first), _without(below, first + 1), z)
            return first / z * (rest - _pfq(t, above, below, z))
        total = _pfq(t, [a + 1 for a in above], [b + 1 for b in below], z)
        for a in above:
            total = total * a
        for b in below:
            total = total / b
        return total

    sizes = t.rational(len(above)), t.rational(len(below))
    return _generator(t, "hypgeom", z, factor, *sizes, *above, *below)


def _without(parameters: list[Q], one: Q) -> list[Q]:
    at = parameters.index(one)
    return parameters[:at] + parameters[at + 1 :]


FORMS["hypgeom"] = _hypgeom
