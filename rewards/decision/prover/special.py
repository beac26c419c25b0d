"""Rules of functions: derivatives, contiguous relations, and definitions by other functions.

Formulas are those of the *Digital Library of Mathematical Functions* (DLMF); its sections are
named. Parameters of special functions must be constant. Each function that is registered in
`RULES` maps the values of its arguments to a value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import fmpq

from ...expression.tree import Call
from ...expression.traversal import fold
from .elements import FORMS, RULES, Translator
from .field import NotProvedError, Quotient

#: Most steps of a contiguous relation.
MAX_STEPS = 40

T, Q = Translator, Quotient


def _slope(t: T, name: str, u: Q, factor: Callable[[], Q], *others: Q, odd: bool = False,
           real: bool = False, last: bool = True) -> Q:  # fmt: skip
    """f(others, u) as a generator with derivative ``factor() u'``; the others are constant."""
    if not all(t.field.is_constant(other) for other in others):
        raise NotProvedError(f"{name} with a parameter that varies")
    args = (*others, u) if last else (u, *others)
    return t.function(name, args, lambda: factor() * t.field.derivative(u), real=real)


def _odd(t: T, u: Q, value: Callable[[Q], Q]) -> Q:
    """An odd function, of an argument with a positive leading coefficient."""
    u = t.normal(u)
    if u.is_zero():
        return u
    return -value(-u) if u.num.leading_coefficient() < 0 else value(u)


def _simple(name: str, factor: Callable[[T, Q], Q], *, odd: bool = False,
            real: bool = True) -> None:  # fmt: skip
    def value(t: T, u: Q) -> Q:
        return _slope(t, name, u, lambda: factor(t, u), real=real)

    RULES[name] = (lambda t, u: _odd(t, u, partial(value, t))) if odd else value


def _one(t: T) -> Q:
    return t.field.one


def _half(t: T) -> Q:
    return t.rational(1, 2)


def _sqrt(t: T, u: Q) -> Q:
    return t.root(u, 2)


# --- elementary functions

RULES.update({
    "neg": lambda t, u: -u,
    "sqrt": _sqrt,
    "exp": lambda t, u: t.exp(u),
    "pi": lambda t: t.named("pi"),
    "euler_gamma": lambda t: t.named("euler_gamma"),
    "catalan": lambda t: t.named("catalan"),
    "e": lambda t: t.exp(t.field.one),
    "i": lambda t: t.i,
    "sin": lambda t, u: t.sin_cos(u)[0],
    "cos": lambda t, u: t.sin_cos(u)[1],
    "tan": lambda t, u: _ratio(t, *t.sin_cos(u)),
    "cot": lambda t, u: _ratio(t, *t.sin_cos(u)[::-1]),
    "sec": lambda t, u: _ratio(t, t.field.one, t.sin_cos(u)[1]),
    "csc": lambda t, u: _ratio(t, t.field.one, t.sin_cos(u)[0]),
    "sinh": lambda t, u: _hyperbolic(t, u)[0],
    "cosh": lambda t, u: _hyperbolic(t, u)[1],
    "tanh": lambda t, u: _ratio(t, *_hyperbolic(t, u)),
    "coth": lambda t, u: _ratio(t, *_hyperbolic(t, u)[::-1]),
    "sech": lambda t, u: _ratio(t, t.field.one, _hyperbolic(t, u)[1]),
    "csch": lambda t, u: _ratio(t, t.field.one, _hyperbolic(t, u)[0]),
    "acos": lambda t, u: t.named("pi") * _half(t) - RULES["asin"](t, u),
    "acot": lambda t, u: RULES["atan"](t, u.inverse()),
    "asec": lambda t, u: RULES["acos"](t, u.inverse()),
    "acsc": lambda t, u: RULES["asin"](t, u.inverse()),
    "acoth": lambda t, u: RULES["atanh"](t, u.inverse()),
    "asech": lambda t, u: RULES["acosh"](t, u.inverse()),
    "acsch": lambda t, u: RULES["asinh"](t, u.inverse()),
    "gudermannian": lambda t, u: t.rational(2) * RULES["atan"](t, RULES["tanh"](t, u * _half(t))),
})  # fmt: skip


def _ratio(t: T, above: Q, below: Q) -> Q:
    return above / t.field.normal(below)


def _hyperbolic(t: T, u: Q) -> tuple[Q, Q]:
    up = t.exp(u)
    down = up.inverse()
    return (up - down) * _half(t), (up + down) * _half(t)


def _asinh(t: T, u: Q) -> Q:
    if t.split:  # DLMF 4.37.16
        return t.ln(u + _sqrt(t, u * u + _one(t)))
    t.splittable = True
    return _slope(t, "asinh", u, lambda: _sqrt(t, u * u + _one(t)).inverse(), real=True)


def _acosh(t: T, u: Q) -> Q:
    def radical() -> Q:
        return _sqrt(t, u - _one(t)) * _sqrt(t, u + _one(t))

    if t.split:  # DLMF 4.37.21
        return t.ln(u + radical())
    t.splittable = True
    return _slope(t, "acosh", u, lambda: radical().inverse())


def _atanh(t: T, u: Q) -> Q:
    one = _one(t)
    if t.split and t.field.is_real(u):  # DLMF 4.37.3, between -1 and 1
        if t.require_sign(one - u) > 0 and t.require_sign(one + u) > 0:
            return (t.ln(one + u) - t.ln(one - u)) * _half(t)
    t.splittable = True
    return _slope(t, "atanh", u, lambda: (one - u * u).inverse())


_simple("asin", lambda t, u: _sqrt(t, _one(t) - u * u).inverse(), odd=True, real=False)
_simple("atan", lambda t, u: (_one(t) + u * u).inverse(), odd=True)
RULES["asinh"] = lambda t, u: _odd(t, u, partial(_asinh, t))
RULES["acosh"] = _acosh
RULES["atanh"] = lambda t, u: _odd(t, u, partial(_atanh, t))


# --- not analytic: on an interval where a sign, or a whole part, does not change


def _absolute(t: T, u: Q) -> Q:
    return u if t.require_sign(u) > 0 else -u


def _larger(t: T, *values: Q, sign: int) -> Q:
    best = values[0]
    for other in values[1:]:
        gap = t.normal(other - best)
        if not gap.is_zero() and t.require_sign(gap) == sign:
            best = other
    return best


RULES.update({
    "abs": _absolute,
    "sgn": lambda t, u: t.rational(t.require_sign(u)),
    "heaviside": lambda t, u: t.rational(int(t.require_sign(u) > 0)),
    "max": partial(_larger, sign=1),
    "min": partial(_larger, sign=-1),
    "frac": lambda t, u: u - RULES["floor"](t, u),
})  # fmt: skip


def _whole(name: str) -> None:
    def value(t: T, u: Q) -> Q:
        if not t.field.is_real(u):
            raise NotProvedError("rounding what may not be real")
        return _slope(t, name, u, lambda: t.field.zero, real=True)

    RULES[name] = value


_whole("floor")
_whole("ceil")


# --- error functions and Fresnel integrals (DLMF 7.2)


def _gauss(sign: int) -> Callable[[T, Q], Q]:
    return lambda t, u: t.rational(2) / _sqrt(t, t.named("pi")) * t.exp(t.rational(sign) * u * u)


def _turn(t: T, u: Q) -> Q:
    return t.named("pi") * u * u * _half(t)


_simple("erf", _gauss(-1), odd=True)
_simple("erfi", _gauss(1), odd=True)
_simple("fresnel_s", lambda t, u: t.sin_cos(_turn(t, u))[0], odd=True)
_simple("fresnel_c", lambda t, u: t.sin_cos(_turn(t, u))[1], odd=True)
RULES["erfc"] = lambda t, u: _one(t) - _erf(t, u)
RULES["dawson"] = lambda t, u: (
    _sqrt(t, t.named("pi")) * _half(t) * t.exp(-u * u) * RULES["erfi"](t, u)
)


def _of_imaginary(name: str, other: str) -> Callable[[T, Q], Q]:
    """erf(i u) = i erfi(u), and the other way round."""
    plain, turned = RULES[name], RULES[other]

    def value(t: T, u: Q) -> Q:
        inside = t.without_i(t.normal(u))
        return plain(t, u) if inside is None else t.i * turned(t, inside)

    return value


_erf = _of_imaginary("erf", "erfi")
RULES["erf"], RULES["erfi"] = _erf, _of_imaginary("erfi", "erf")


# --- exponential integrals (DLMF 6.2) and incomplete gamma functions (DLMF 8.8)

_simple("ei", lambda t, u: t.exp(u) / u, real=True)
_simple("si", lambda t, u: t.sin_cos(u)[0] / u, odd=True)
_simple("ci", lambda t, u: t.sin_cos(u)[1] / u, real=False)
_simple("shi", lambda t, u: _hyperbolic(t, u)[0] / u, odd=True)
_simple("chi", lambda t, u: _hyperbolic(t, u)[1] / u, real=False)
RULES["li"] = lambda t, u: RULES["ei"](t, t.ln(u))
RULES["li_offset"] = lambda t, u: RULES["li"](t, u) - RULES["li"](t, t.rational(2))


def _shift(t: T, order: Q, *, least: int = 0) -> tuple[Q, int]:
    """An order as one whose rational term lies in [least, least + 1), and whole steps up."""
    order = t.normal(order)
    rest = order
    steps = 0
    if order.den.is_one():
        for exponents, c in order.num.terms():
            if not any(exponents):
                steps = int(c.floor()) - least
                rest = order - t.rational(steps)
    if abs(steps) > MAX_STEPS:
        raise NotProvedError("an order that is too large")
    return rest, steps


def _upper(t: T, s: Q, u: Q) -> Q:
    """Gamma(s + 1, u) = s Gamma(s, u) + u^s exp(-u) (DLMF 8.8.2)."""
    if not t.field.is_constant(s):
        raise NotProvedError("an order that varies")
    s, steps = _shift(t, s)
    u, low = t.normal(u), t.exp(-u)

    def term(order: Q) -> Q:
        ratio = order.rational()
        if ratio is not None:
            return t.power(u, Fraction(int(ratio.p), int(ratio.q))) * low
        return t.exp(order * t.ln(u)) * low

    half = s.rational()
    if half is not None and half == 0 and steps > 0:
        value, s, steps = low, t.field.one, steps - 1
    elif half is not None and half == fmpq(1, 2):  # DLMF 8.4.6
        value = _sqrt(t, t.named("pi")) * RULES["erfc"](t, _sqrt(t, u))
    else:
        at = s
        value = _slope(t, "gamma_upper", u, lambda: -term(at) / u, s)
    for _ in range(steps):
        value, s = s * value + term(s), s + t.field.one
    for _ in range(-steps):
        s = s - t.field.one
        value = (value - term(s)) / s
    t.rules.add("gamma_upper recurrence")
    return value


RULES["gamma_upper"] = _upper
RULES["gamma_lower"] = lambda t, s, u: RULES["gamma"](t, s) - _upper(t, s, u)  # DLMF 8.2.3


def _expint(t: T, n: Q, u: Q) -> Q:
    """E_n(u) = u^(n - 1) Gamma(1 - n, u) (DLMF 8.19.1)."""
    order = n - t.field.one
    ratio = order.rational()
    if ratio is not None:
        factor = t.power(u, Fraction(int(ratio.p), int(ratio.q)))
    else:
        factor = t.exp(order * t.ln(u))
    return factor * _upper(t, -order, u)


RULES["expint"] = _expint


# --- gamma and its logarithmic derivatives (DLMF 5.5, 5.15)


def _gamma(t: T, u: Q) -> Q:
    u, steps = _shift(t, u, least=1)
    ratio = u.rational()
    if ratio is not None and ratio == 1 and steps < 0:
        raise NotProvedError("a pole of the gamma function")
    if ratio is not None and ratio == 1:
        value = t.field.one
    elif ratio is not None and ratio == fmpq(3, 2):
        value = _sqrt(t, t.named("pi")) * _half(t)
    else:
        base = u
        value = _slope(
            t, "gamma", u, lambda: RULES["gamma"](t, base) * RULES["digamma"](t, base), real=True
        )
    for _ in range(steps):
        value, u = u * value, u + t.field.one
    for _ in range(-steps):
        u = u - t.field.one
        value = value / u
    return value


def _polygamma(t: T, n: Q, u: Q) -> Q:
    order = n.rational()
    if order is None or order.q != 1 or not 0 <= order.p <= MAX_STEPS:
        raise NotProvedError("an order that is not a whole number")
    u, steps = _shift(t, u, least=1)
    k = int(order.p)
    base = u
    value = _slope(
        t, "polygamma", u, lambda: RULES["polygamma"](t, n + t.field.one, base), n, real=True
    )
    factor = t.rational((-1) ** k * _factorial(k))
    for _ in range(steps):
        value, u = value + factor / u ** (k + 1), u + t.field.one
    for _ in range(-steps):
        u = u - t.field.one
        value = value - factor / u ** (k + 1)
    return value


def _factorial(k: int) -> int:
    return 1 if k < 2 else k * _factorial(k - 1)


RULES.update({
    "gamma": _gamma,
    "factorial": lambda t, u: _gamma(t, u + _one(t)),
    "polygamma": _polygamma,
    "digamma": lambda t, u: _polygamma(t, t.field.zero, u),
    "beta": lambda t, a, b: _gamma(t, a) * _gamma(t, b) / _gamma(t, a + b),
    "binomial": lambda t, n, k: (
        _gamma(t, n + _one(t)) / (_gamma(t, k + _one(t)) * _gamma(t, n - k + _one(t)))
    ),
})  # fmt: skip
_simple("lgamma", lambda t, u: RULES["digamma"](t, u), real=False)


def _zeta(t: T, s: Q, *rest: Q) -> Q:
    """zeta(s, a) has -s zeta(s + 1, a) for its derivative in a (DLMF 25.11.17)."""
    if not rest:
        if not t.field.is_constant(s):
            raise NotProvedError("zeta of what varies")
        return t.function("zeta", (s,), lambda: t.field.zero)
    (a,) = rest
    return _slope(t, "zeta", a, lambda: -s * _zeta(t, s + t.field.one, a), s)


RULES["zeta"] = _zeta


def _beta_lower(t: T, a: Q, b: Q, u: Q) -> Q:
    def slope() -> Q:
        below = t.exp((a - _one(t)) * t.ln(u))
        return below * t.exp((b - _one(t)) * t.ln(_one(t) - u))

    return _slope(t, "beta_lower", u, slope, a, b)


RULES["beta_lower"] = _beta_lower


# --- polylogarithms (DLMF 25.12), Lambert's W


def _polylog(t: T, s: Q, u: Q) -> Q:
    order = s.rational()
    one = t.field.one
    if order is not None and order.q == 1 and -MAX_STEPS <= order.p <= 1:
        if order == 1:
            return -t.ln(one - u)
        # (z d/dz)^k z/(1 - z), as polynomials over (1 - z)^(k + 1)
        value, z = u / (one - u), u
        numerators = [0, 1]
        for k in range(1, -int(order.p) + 1):
            numerators = _euler_step(numerators, k)
        value = t.field.zero
        for i, c in enumerate(numerators):
            value = value + t.rational(c) * z**i
        return value / (one - z) ** (1 - int(order.p))
    return _slope(t, "polylog", u, lambda: _polylog(t, s - one, u) / u, s)


def _euler_step(p: list[int], k: int) -> list[int]:
    """The numerator of z d/dz (p / (1 - z)^k) over (1 - z)^(k + 1): z p' (1 - z) + k z p."""
    made = [0] * (len(p) + 1)
    for i, c in enumerate(p):
        made[i] += i * c
        made[i + 1] += (k - i) * c
    return made


def _lambertw(t: T, u: Q, branch: Q | None = None) -> Q:
    if branch is not None and not branch.is_zero():
        raise NotProvedError("another branch of Lambert's W")

    def slope() -> Q:
        w = _lambertw(t, u)
        return w / (u * (t.field.one + w))

    return _slope(t, "lambertw", u, slope)


RULES["polylog"], RULES["lambertw"] = _polylog, _lambertw


# --- elliptic integrals (DLMF 19.2, 19.4), with the parameter m


def _delta(t: T, phi: Q, m: Q) -> Q:
    s, _ = t.sin_cos(phi)
    return _sqrt(t, t.field.one - m * s * s)


def _elliptic_pi(t: T, n: Q, phi: Q, m: Q) -> Q:
    def factor() -> Q:
        s, _ = t.sin_cos(phi)
        return ((t.field.one - n * s * s) * _delta(t, phi, m)).inverse()

    if not t.field.is_constant(m):
        raise NotProvedError("a parameter that varies")
    return t.function("elliptic_pi", (n, phi, m), lambda: factor() * t.field.derivative(phi)) \
        if t.field.is_constant(n) else _give_up()  # fmt: skip


def _give_up() -> Q:
    raise NotProvedError("a parameter that varies")


def _elliptic_k(t: T, m: Q) -> Q:
    def factor() -> Q:
        rest = t.field.one - m
        return (_elliptic_ec(t, m) - rest * _elliptic_k(t, m)) / (t.rational(2) * m * rest)

    return _slope(t, "elliptic_k", m, factor)


def _elliptic_ec(t: T, m: Q) -> Q:
    def factor() -> Q:
        return (_elliptic_ec(t, m) - _elliptic_k(t, m)) / (t.rational(2) * m)

    return _slope(t, "elliptic_ec", m, factor)


RULES.update({
    "elliptic_f": lambda t, phi, m: _slope(
        t, "elliptic_f", phi, lambda: _delta(t, phi, m).inverse(), m, last=False
    ),
    "elliptic_e": lambda t, phi, m: _slope(
        t, "elliptic_e", phi, lambda: _delta(t, phi, m), m, last=False
    ),
    "elliptic_pi": _elliptic_pi,
    "elliptic_k": _elliptic_k,
    "elliptic_ec": _elliptic_ec,
    "elliptic_pic": lambda t, n, m: t.function("elliptic_pic", (n, m), _give_up),
})  # fmt: skip


# --- Bessel functions (DLMF 10.6, 10.29) and Airy functions (DLMF 9.2)


def _bessel(name: str, alpha: int, beta: int, sigma: int) -> Callable[[T, Q, Q], Q]:
    """C(n+1) = alpha C(n-1) + beta (2n/z) C(n), and C'(n) = sigma C(n+1) + (n/z) C(n)."""

    def base(t: T, n: Q, u: Q, *, upper: bool) -> Q:
        """The generators of order n and n + 1, and the derivative of each by the other."""
        order = n + t.field.one if upper else n

        def factor() -> Q:
            other = base(t, n, u, upper=not upper)
            here = base(t, n, u, upper=upper)
            if upper:
                return t.rational(sigma * alpha) * other - order / u * here
            return t.rational(sigma) * other + order / u * here

        return _slope(t, name, u, factor, order)

    def value(t: T, n: Q, u: Q) -> Q:
        n, steps = _shift(t, n)
        one, a, b = t.field.one, t.rational(alpha), t.rational(2 * beta)
        low, high = base(t, n, u, upper=False), base(t, n, u, upper=True)
        for _ in range(steps):
            n = n + one
            low, high = high, a * low + b * n / u * high
        for _ in range(-steps):
            low, high = a * (high - b * n / u * low), low
            n = n - one
        t.rules.add(f"{name} recurrence")
        return low

    return value


RULES["bessel_j"] = _bessel("bessel_j", -1, 1, -1)
RULES["bessel_y"] = _bessel("bessel_y", -1, 1, -1)
RULES["bessel_i"] = _bessel("bessel_i", 1, -1, 1)
RULES["bessel_k"] = _bessel("bessel_k", 1, 1, -1)


def _airy(name: str) -> Callable[[T, Q], Q]:
    """A'' = u A; the derivative, which has no name of its own, is ``name'`` (DLMF 9.2.1)."""

    def value(t: T, u: Q) -> Q:
        return _slope(t, name, u, lambda: _slope(t, f"{name}'", u, lambda: u * value(t, u)))

    return value


RULES["airy_ai"], RULES["airy_bi"] = _airy("airy_ai"), _airy("airy_bi")


# --- hypergeometric functions (DLMF 15.5, 16.3)


def _hypgeom(t: T, node: Call) -> Q:
    p, q = (fold(arg) for arg in node.args[:2])
    values = [t.normal(t.value(arg)) for arg in node.args[2:]]
    if p is None or q is None or len(values) != p + q + 1:
        raise NotProvedError("a hypergeometric function of another form")
    return _pfq(t, values[: int(p)], values[int(p) : -1], values[-1])


def _pfq(t: T, above: list[Q], below: list[Q], z: Q) -> Q:
    if not all(t.field.is_constant(each) for each in (*above, *below)):
        raise NotProvedError("a parameter that varies")
    above, below = [t.normal(a) for a in above], [t.normal(b) for b in below]
    one = t.field.one
    for a in above:
        if a in below:
            above.remove(a)
            below.remove(a)
            break
    if (len(above), len(below)) == (0, 0):
        return t.exp(z)
    if (len(above), len(below)) == (1, 0):
        ratio = above[0].rational()
        if ratio is not None:  # (1 - z)^(-a)
            return t.power(one - z, Fraction(-int(ratio.p), int(ratio.q)))
        return t.exp(-above[0] * t.ln(one - z))
    if any(a.is_zero() for a in above):
        return one
    args = (*above, t.rational(0), *below, t.rational(0), z)
    for a in above:
        if a + one in below:
            # z F' + a F = a G, where G is without the pair a; a + 1.
            first, pair = a, below[below.index(a + one)]
            others = [each for each in above if each is not first]
            rest = [each for each in below if each is not pair]

            def paired() -> Q:
                return first / z * (_pfq(t, others, rest, z) - _pfq(t, above, below, z))

            t.rules.add("hypgeom pair a; a + 1")
            return t.function("hypgeom", args, lambda: paired() * t.field.derivative(z))

    def raised() -> Q:
        factor = one
        for a in above:
            factor = factor * a
        for b in below:
            factor = factor / b
        return factor * _pfq(t, [a + one for a in above], [b + one for b in below], z)

    return t.function("hypgeom", args, lambda: raised() * t.field.derivative(z))


FORMS["hypgeom"] = _hypgeom
