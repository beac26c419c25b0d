"""Value and first derivative of every function in `FUNCTIONS`, in ball arithmetic.

A jet is ``(value, derivative)``; a derivative of ``None`` is an exact zero, so constants cost
nothing. Values are `flint.acb` balls: every result encloses the exact value, and an operation
without a finite value yields a non-finite ball, never an exception. The derivative is
along the real line, which gives ``|u|`` one too. Inverse functions have their principal branches.

A rule is a function of jets. `rule(name, ...)` looks one up; `pow_integer`, `pow_rational` and
others make rules with parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flint import acb, acb_series, arb, fmpq

# python-flint ships no complete stubs for acb, so balls are `Any` to the type checker.
Ball = Any
Jet = tuple[Ball, Ball | None]
Rule = Callable[..., Jet]

ZERO, ONE, TWO = acb(0), acb(1), acb(2)
NAN = acb("nan", "nan")
#: Orders and parameters of special functions beyond this size can run for seconds: unknown.
MAX_ORDER = 256
UNKNOWN: Jet = (NAN, None)


def is_real(value: Ball) -> bool:
    """Whether a ball is exactly real, not only an enclosure that crosses the real axis."""
    return bool(value.imag.is_zero())


# --- arithmetic


def add(x: Jet, y: Jet) -> Jet:
    u, du = x
    v, dv = y
    if du is None:
        return u + v, dv
    return u + v, du if dv is None else du + dv


def sub(x: Jet, y: Jet) -> Jet:
    u, du = x
    v, dv = y
    if dv is None:
        return u - v, du
    return u - v, -dv if du is None else du - dv


def mul(x: Jet, y: Jet) -> Jet:
    u, du = x
    v, dv = y
    if du is None:
        return u * v, None if dv is None else u * dv
    return u * v, du * v if dv is None else du * v + u * dv


def div(x: Jet, y: Jet) -> Jet:
    u, du = x
    v, dv = y
    w = u / v
    if dv is None:
        return w, None if du is None else du / v
    return w, (-w * dv if du is None else du - w * dv) / v


def neg(x: Jet) -> Jet:
    u, du = x
    return -u, None if du is None else -du


# --- powers


def sqrt(x: Jet) -> Jet:
    u, du = x
    v = u.sqrt()
    return v, None if du is None else du / (v + v)


@lru_cache(maxsize=1024)
def pow_integer(k: int) -> Rule:
    """u^k for a whole number k: no logarithm, so it holds at u = 0 and for negative u."""
    exponent = acb(k)
    if k == 2:

        def square(x: Jet) -> Jet:
            u, du = x
            return u * u, None if du is None else (u + u) * du

        return square

    def power(x: Jet) -> Jet:
        u, du = x
        if du is None:
            return u**k, None
        w = u ** (k - 1)
        return w * u, exponent * w * du

    return power


@lru_cache(maxsize=1024)
def pow_rational(p: int, q: int, real_root: bool) -> Rule:
    """u^(p/q), q > 1. With ``real_root`` and q odd, a negative real u has its real root."""
    ratio = fmpq(p, q)
    flip = real_root and q % 2 == 1

    def power(x: Jet) -> Jet:
        u, du = x
        exponent = acb(ratio)
        if flip and is_real(u) and u.real < 0:
            v = (-u) ** exponent
            if p % 2:
                v = -v
        else:
            v = u.sqrt() ** p if q == 2 else u**exponent
        return v, None if du is None else exponent * v * du / u

    return power


def power(x: Jet, y: Jet) -> Jet:
    u, du = x
    w, dw = y
    v = u**w
    if dw is None:
        return v, None if du is None else w * v * du / u
    slope = dw * u.log()
    return v, v * (slope if du is None else slope + w * du / u)


# --- elementary functions


def exp(x: Jet) -> Jet:
    u, du = x
    v = u.exp()
    return v, None if du is None else v * du


def ln(x: Jet) -> Jet:
    u, du = x
    return u.log(), None if du is None else du / u


def ln_abs(x: Jet) -> Jet:
    """ln|u|: as an antiderivative the same as ln u, also where u is not real."""
    u, du = x
    value = (-u).log() if is_real(u) and u.real < 0 else u.log()
    return value, None if du is None else du / u


def ln_size(x: Jet) -> Jet:
    """ln|u| taken literally, along the real line: real even where u is not."""
    u, du = x
    value = acb(abs(u)).log()
    return value, None if du is None else acb((u.conjugate() * du).real) / (abs(u) ** 2)


def sin(x: Jet) -> Jet:
    u, du = x
    if du is None:
        return u.sin(), None
    s, c = u.sin_cos()
    return s, c * du


def cos(x: Jet) -> Jet:
    u, du = x
    if du is None:
        return u.cos(), None
    s, c = u.sin_cos()
    return c, -s * du


def tan(x: Jet) -> Jet:
    u, du = x
    v = u.tan()
    return v, None if du is None else (ONE + v * v) * du


def cot(x: Jet) -> Jet:
    u, du = x
    v = u.cot()
    return v, None if du is None else -(ONE + v * v) * du


def sec(x: Jet) -> Jet:
    u, du = x
    v = u.sec()
    return v, None if du is None else v * u.tan() * du


def csc(x: Jet) -> Jet:
    u, du = x
    v = u.csc()
    return v, None if du is None else -v * u.cot() * du


def sinh(x: Jet) -> Jet:
    u, du = x
    return u.sinh(), None if du is None else u.cosh() * du


def cosh(x: Jet) -> Jet:
    u, du = x
    return u.cosh(), None if du is None else u.sinh() * du


def tanh(x: Jet) -> Jet:
    u, du = x
    v = u.tanh()
    return v, None if du is None else (ONE - v * v) * du


def coth(x: Jet) -> Jet:
    u, du = x
    v = u.coth()
    return v, None if du is None else (ONE - v * v) * du


def sech(x: Jet) -> Jet:
    u, du = x
    v = u.sech()
    return v, None if du is None else -v * u.tanh() * du


def csch(x: Jet) -> Jet:
    u, du = x
    v = u.csch()
    return v, None if du is None else -v * u.coth() * du


def asin(x: Jet) -> Jet:
    u, du = x
    return u.asin(), None if du is None else du / ((ONE - u).sqrt() * (ONE + u).sqrt())


def acos(x: Jet) -> Jet:
    u, du = x
    return u.acos(), None if du is None else -du / ((ONE - u).sqrt() * (ONE + u).sqrt())


def atan(x: Jet) -> Jet:
    u, du = x
    return u.atan(), None if du is None else du / (ONE + u * u)


def acot(x: Jet) -> Jet:
    u, du = x
    return (ONE / u).atan(), None if du is None else -du / (ONE + u * u)


def asinh(x: Jet) -> Jet:
    u, du = x
    return u.asinh(), None if du is None else du / (ONE + u * u).sqrt()


def acosh(x: Jet) -> Jet:
    u, du = x
    return u.acosh(), None if du is None else du / ((u - ONE).sqrt() * (u + ONE).sqrt())


def atanh(x: Jet) -> Jet:
    u, du = x
    # The complex function loses exact reality where the ball is not exact.
    inside = is_real(u) and abs(u.real) < 1
    value = acb(u.real.atanh()) if inside else u.atanh()
    return value, None if du is None else du / (ONE - u * u)


def acoth(x: Jet) -> Jet:
    return atanh(div((ONE, None), x))


def _of_inverse(rule: Rule) -> Rule:
    """The rule of f(1/u), such as asec u = acos(1/u)."""
    return lambda x: rule(div((ONE, None), x))


def _textbook(rule: Rule, turn: int) -> Rule:
    """arcsec, arccsc of u < 0 in [pi, 3 pi/2), where their slope is +-1/(u sqrt(u^2 - 1))."""

    def shifted(x: Jet) -> Jet:
        u, _ = x
        v, dv = rule(x)
        if not (is_real(u) and u.real < 0):
            return v, dv
        return turn * acb.pi() - v, None if dv is None else -dv

    return shifted


# --- not analytic: derivatives along the real line


def absolute(x: Jet) -> Jet:
    u, du = x
    if is_real(u):
        if u.real > 0:
            return x
        if u.real < 0:
            return neg(x)
        return acb(abs(u.real)), None if du is None else NAN
    size = acb(abs(u))
    return size, None if du is None else acb((u.conjugate() * du).real) / size


def real_part(x: Jet) -> Jet:
    u, du = x
    return acb(u.real), None if du is None else acb(du.real)


def imaginary_part(x: Jet) -> Jet:
    u, du = x
    return acb(u.imag), None if du is None else acb(du.imag)


def argument(x: Jet) -> Jet:
    """arg u in (-pi, pi], the imaginary part of ln u."""
    return imaginary_part(ln(x))


def _step(value: Callable[[Ball], Ball]) -> Rule:
    """A function of a real number that is constant between its jumps."""

    def rule(x: Jet) -> Jet:
        u, du = x
        if not is_real(u):
            return NAN, du
        stepped = value(u.real)
        # Only an exact value shows on which side of the jump the whole ball is.
        return (acb(stepped), None) if stepped.is_exact() else (acb(stepped), NAN)

    return rule


def fractional(x: Jet) -> Jet:
    return sub(x, floor(x))


floor = _step(lambda r: r.floor())
ceil = _step(lambda r: r.ceil())
sgn = _step(lambda r: r.sgn())
heaviside = _step(lambda r: (r.sgn() + 1) / 2)


def compare(x: Jet, y: Jet) -> int | None:
    """-1, 0 or 1 as x is below, exactly equal to, or above y; None if the balls overlap."""
    difference = x[0] - y[0]
    if not is_real(difference):
        return None
    real = difference.real
    if real > 0:
        return 1
    if real < 0:
        return -1
    return 0 if real.is_zero() else None


def maximum(x: Jet, y: Jet) -> Jet:
    order = compare(x, y)
    return UNKNOWN if order is None else (x if order >= 0 else y)


def minimum(x: Jet, y: Jet) -> Jet:
    order = compare(x, y)
    return UNKNOWN if order is None else (x if order <= 0 else y)


# --- whole numbers


def gamma(x: Jet) -> Jet:
    u, du = x
    v = u.gamma()
    return v, None if du is None else v * u.digamma() * du


def factorial(x: Jet) -> Jet:
    return gamma(add(x, (ONE, None)))


def double_factorial(x: Jet) -> Jet:
    u, du = x
    if du is not None or not u.real.is_integer() or not is_real(u) or u.real < -1:
        return UNKNOWN
    half = u / TWO
    if half.real.is_integer():
        return TWO**half * (half + ONE).gamma(), None
    return TWO ** (half + acb(0.5)) * (half + ONE).gamma() / acb.pi().sqrt(), None


def binomial(x: Jet, y: Jet) -> Jet:
    return div(factorial(x), mul(factorial(y), factorial(sub(x, y))))


# --- special functions


def _unary(value: Callable[[Ball], Ball], slope: Callable[[Ball], Ball]) -> Rule:
    def rule(x: Jet) -> Jet:
        u, du = x
        return value(u), None if du is None else slope(u) * du

    return rule


def _by_series(name: str) -> Rule:
    """The derivative from a power series of length 2, where no closed formula is simpler."""

    def rule(x: Jet) -> Jet:
        u, du = x
        if du is None:
            return getattr(u, name)(), None
        series = getattr(acb_series([u, ONE], prec=2), name)()
        return series[0], series[1] * du

    return rule


def _in_argument(at: int, value: Callable[..., Ball], slope: Callable[..., Ball]) -> Rule:
    """A function differentiated in its argument number ``at``; the others must be constant."""

    def rule(*jets: Jet) -> Jet:
        values = [v for v, _ in jets]
        if not all(abs(v) < MAX_ORDER for i, v in enumerate(values) if i != at % len(jets)):
            return UNKNOWN
        if any(d is not None for i, (_, d) in enumerate(jets) if i != at % len(jets)):
            return value(*values), NAN
        d = jets[at][1]
        return value(*values), None if d is None else slope(*values) * d

    return rule


def _in_last(value: Callable[..., Ball], slope: Callable[..., Ball]) -> Rule:
    return _in_argument(-1, value, slope)


def _gauss(sign: int) -> Callable[[Ball], Ball]:
    """2/sqrt(pi) exp(sign u^2), the derivative of erf (-1) and erfi (+1)."""
    return lambda u: TWO / acb.pi().sqrt() * (u * u * sign).exp()


def _half_pi_square(u: Ball) -> Ball:
    return acb.pi() * u * u / TWO


def _elliptic_k_slope(m: Ball) -> Ball:
    return (m.elliptic_e() - (ONE - m) * m.elliptic_k()) / (TWO * m * (ONE - m))


def _delta(phi: Ball, m: Ball) -> Ball:
    s = phi.sin()
    return (ONE - m * s * s).sqrt()


def _elliptic_pi_slope(n: Ball, phi: Ball, m: Ball) -> Ball:
    s = phi.sin()
    return ONE / ((ONE - n * s * s) * _delta(phi, m))


def _hypgeom(*jets: Jet) -> Jet:
    """``pFq(a; b; z)``; derivative in z by raising every parameter by one."""
    p, q = int(jets[0][0].real.unique_fmpz() or 0), int(jets[1][0].real.unique_fmpz() or 0)
    values = [v for v, _ in jets[2:]]
    if not all(abs(v) < MAX_ORDER for v in values[:-1]):
        return UNKNOWN
    if len(values) != p + q + 1 or any(d is not None for _, d in jets[2:-1]):
        return UNKNOWN
    a, b, z = values[:p], values[p : p + q], values[-1]
    value = _pfq(z, a, b)
    dz = jets[-1][1]
    if dz is None:
        return value, None
    factor = ONE
    for top in a:
        factor *= top
    for bottom in b:
        factor /= bottom
    return value, factor * _pfq(z, [t + ONE for t in a], [t + ONE for t in b]) * dz


def _pfq(z: Ball, a: list[Ball], b: list[Ball]) -> Ball:
    if (len(a), len(b)) == (2, 1):
        return z.hypgeom_2f1(a[0], a[1], b[0])
    return z.hypgeom(a, b)


def _lambertw_slope(u: Ball) -> Ball:
    w = u.lambertw()
    return w / (u * (ONE + w))


def _polygamma(n: Ball, u: Ball) -> Ball:
    return u.polygamma(n)


def _dawson(u: Ball) -> Ball:
    return acb.pi().sqrt() / TWO * (-u * u).exp() * u.erfi()


def _zeta2(x: Jet, y: Jet) -> Jet:
    """Hurwitz zeta(s, a), differentiated in a."""
    return _in_last(lambda s, a: s.zeta(a), lambda s, a: -s * (s + ONE).zeta(a))(x, y)


def _gudermannian(x: Jet) -> Jet:
    return mul((TWO, None), atan(tanh(div(x, (TWO, None)))))


#: Rules of functions that are not handled by a rule of their own in `rewards.decision.balls`.
RULES: dict[str, Rule] = {
    "add": add,
    "mul": mul,
    "div": div,
    "neg": neg,
    "sqrt": sqrt,
    "exp": exp,
    "ln": ln,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "cot": cot,
    "sec": sec,
    "csc": csc,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "acot": acot,
    "asec": _of_inverse(acos),
    "acsc": _of_inverse(asin),
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "coth": coth,
    "sech": sech,
    "csch": csch,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "acoth": acoth,
    "asech": _of_inverse(acosh),
    "acsch": _of_inverse(asinh),
    "abs": absolute,
    "re": real_part,
    "im": imaginary_part,
    "arg": argument,
    "sgn": sgn,
    "floor": floor,
    "ceil": ceil,
    "frac": fractional,
    "heaviside": heaviside,
    "max": maximum,
    "min": minimum,
    "gamma": gamma,
    "factorial": factorial,
    "double_factorial": double_factorial,
    "binomial": binomial,
    "gudermannian": _gudermannian,
    "erf": _unary(lambda u: u.erf(), _gauss(-1)),
    "erfc": _unary(lambda u: u.erfc(), lambda u: -_gauss(-1)(u)),
    "erfi": _unary(lambda u: u.erfi(), _gauss(1)),
    "dawson": _unary(_dawson, lambda u: ONE - TWO * u * _dawson(u)),
    "ei": _unary(lambda u: u.ei(), lambda u: u.exp() / u),
    "li": _unary(lambda u: u.li(), lambda u: ONE / u.log()),
    "li_offset": _unary(lambda u: u.li() - TWO.li(), lambda u: ONE / u.log()),
    "si": _unary(lambda u: u.si(), lambda u: u.sin() / u),
    "ci": _unary(lambda u: u.ci(), lambda u: u.cos() / u),
    "shi": _unary(lambda u: u.shi(), lambda u: u.sinh() / u),
    "chi": _unary(lambda u: u.chi(), lambda u: u.cosh() / u),
    "expint": _in_last(lambda n, u: u.expint(n), lambda n, u: -u.expint(n - ONE)),
    "lgamma": _unary(lambda u: u.lgamma(), lambda u: u.digamma()),
    "digamma": _unary(lambda u: u.digamma(), lambda u: _polygamma(ONE, u)),
    "polygamma": _in_last(_polygamma, lambda n, u: _polygamma(n + ONE, u)),
    "gamma_upper": _in_last(
        lambda s, u: u.gamma_upper(s), lambda s, u: -(u ** (s - ONE)) * (-u).exp()
    ),
    "gamma_lower": _in_last(
        lambda s, u: u.gamma_lower(s), lambda s, u: u ** (s - ONE) * (-u).exp()
    ),
    "beta_lower": lambda a, b, u: _in_last(
        lambda p, q, z: z.beta_lower(p, q),
        lambda p, q, z: z ** (p - ONE) * (ONE - z) ** (q - ONE),
    )(a, b, u),
    "beta": lambda a, b: div(mul(gamma(a), gamma(b)), gamma(add(a, b))),
    "zeta": _by_series("zeta"),
    "hurwitz_zeta": _zeta2,
    "polylog": _in_last(lambda s, u: u.polylog(s), lambda s, u: u.polylog(s - ONE) / u),
    "fresnel_s": _unary(lambda u: u.fresnel_s(), lambda u: _half_pi_square(u).sin()),
    "fresnel_c": _unary(lambda u: u.fresnel_c(), lambda u: _half_pi_square(u).cos()),
    "elliptic_k": _unary(lambda m: m.elliptic_k(), _elliptic_k_slope),
    "elliptic_ec": _unary(
        lambda m: m.elliptic_e(), lambda m: (m.elliptic_e() - m.elliptic_k()) / (TWO * m)
    ),
    "elliptic_f": _in_argument(
        0, lambda phi, m: acb.elliptic_f(phi, m), lambda phi, m: ONE / _delta(phi, m)
    ),
    "elliptic_e": _in_argument(0, lambda phi, m: acb.elliptic_e_inc(phi, m), _delta),
    "elliptic_pi": _in_argument(
        1, lambda n, phi, m: acb.elliptic_pi_inc(n, phi, m), _elliptic_pi_slope
    ),
    "elliptic_pic": _in_last(lambda n, m: acb.elliptic_pi(n, m), lambda n, m: NAN),
    "hypgeom": _hypgeom,
    "lambertw": _unary(lambda u: u.lambertw(), _lambertw_slope),
    "bessel_j": _in_last(
        lambda n, u: u.bessel_j(n), lambda n, u: (u.bessel_j(n - ONE) - u.bessel_j(n + ONE)) / TWO
    ),
    "bessel_y": _in_last(
        lambda n, u: u.bessel_y(n), lambda n, u: (u.bessel_y(n - ONE) - u.bessel_y(n + ONE)) / TWO
    ),
    "bessel_i": _in_last(
        lambda n, u: u.bessel_i(n), lambda n, u: (u.bessel_i(n - ONE) + u.bessel_i(n + ONE)) / TWO
    ),
    "bessel_k": _in_last(
        lambda n, u: u.bessel_k(n), lambda n, u: -(u.bessel_k(n - ONE) + u.bessel_k(n + ONE)) / TWO
    ),
    "airy_ai": _by_series("airy_ai"),
    "airy_bi": _by_series("airy_bi"),
    "lerch_phi": _in_argument(
        0,
        lambda z, s, a: z.lerch_phi(s, a),
        lambda z, s, a: (z.lerch_phi(s - ONE, a) - a * z.lerch_phi(s, a)) / z,
    ),
    "legendre_p": _in_last(
        lambda n, u: u.legendre_p(n),
        lambda n, u: n * (u * u.legendre_p(n) - u.legendre_p(n - ONE)) / (u * u - ONE),
    ),
    "chebyshev_t": _in_last(lambda n, u: u.chebyshev_t(n), lambda n, u: n * u.chebyshev_u(n - ONE)),
    "chebyshev_u": _in_last(
        lambda n, u: u.chebyshev_u(n),
        lambda n, u: ((n + ONE) * u.chebyshev_t(n + ONE) - u * u.chebyshev_u(n)) / (u * u - ONE),
    ),
    "hermite_h": _in_last(lambda n, u: u.hermite_h(n), lambda n, u: TWO * n * u.hermite_h(n - ONE)),
    "laguerre_l": _in_last(lambda n, u: u.laguerre_l(n), lambda n, u: -u.laguerre_l(n - ONE, ONE)),
}

#: Inverse secants with the range that makes their slope free of |u| (Stewart's, say).
TEXTBOOK: dict[str, Rule] = {
    "asec": _textbook(RULES["asec"], 2),
    "acsc": _textbook(RULES["acsc"], 1),
}

CONSTANTS: dict[str, Callable[[], Ball]] = {
    "pi": acb.pi,
    "e": lambda: ONE.exp(),
    "i": lambda: acb(0, 1),
    "euler_gamma": lambda: acb(arb.const_euler()),
    "catalan": lambda: acb(arb.const_catalan()),
}
