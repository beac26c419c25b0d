"""Values and first derivatives of elementary functions, in ball arithmetic.

A jet is ``(value, derivative)``. The derivative ``None`` means an exact zero, so that derivatives
of constants cost nothing. Values are `flint.acb` balls. Every result encloses the exact value. An
operation without a finite value yields a non-finite ball and never raises an exception. The
derivative is taken along the real line, so that ``|u|`` has a derivative, too. Inverse functions
have their principal branches.

A rule is a function of jets. `rule(name, ...)` looks up a rule; `pow_integer`, `pow_rational` and
others make rules with parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flint import acb, arb, fmpq

# python-flint ships no complete stubs for acb, so balls are `Any` to the type checker.
Ball = Any
Jet = tuple[Ball, Ball | None]
Rule = Callable[..., Jet]

ZERO, ONE, TWO = acb(0), acb(1), acb(2)
NAN = acb("nan", "nan")
UNKNOWN: Jet = (NAN, None)


def is_real(value: Ball) -> bool:
    """Whether the imaginary part of a ball is exactly 0. A ball around 0 does not suffice."""
    return bool(value.imag.is_zero())


def is_unreal(value: Ball) -> bool:
    """Whether a complex ball certainly contains no real number."""
    return bool(value.is_finite() and not value.imag.contains(0))


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
    """Make the rule of u^k for a whole number k.

    No logarithm is used. Therefore u may be 0 or negative.
    """
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
    """Make the rule of u^(p/q) for q > 1.

    If ``real_root`` is true and q is odd, the root of a negative real u is real.
    """
    ratio = fmpq(p, q)
    flip = real_root and q % 2 == 1

    def power(x: Jet) -> Jet:
        u, du = x
        exponent = acb(ratio)
        if flip and is_real(u) and u.real < 0:
            v = (-u) ** exponent
            if p % 2:
                v = -v
        elif flip and u.real < 0 and u.imag.contains(0):
            v = NAN  # perhaps real: neither root is known
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


def unary(value: Callable[[Ball], Ball], slope: Callable[[Ball, Ball], Ball]) -> Rule:
    """Make the rule of a function f of u from f and from f', which is a function of u and f(u)."""

    def rule(x: Jet) -> Jet:
        u, du = x
        v = value(u)
        return v, None if du is None else slope(u, v) * du

    return rule


def exp(x: Jet) -> Jet:
    u, du = x
    v = u.exp()
    return v, None if du is None else v * du


def ln(x: Jet) -> Jet:
    u, du = x
    return u.log(), None if du is None else du / u


def ln_abs(u: Jet, x: Jet) -> Jet:
    """Compute ln|u|. If neither u nor the point x is real, compute the analytic ln u instead."""
    value, slope = u
    if is_real(value):
        size = (-value).log() if value.real < 0 else value.log()
        return size, None if slope is None else slope / value
    return ln_size(u) if is_real(x[0]) else ln(u)


def ln_size(x: Jet) -> Jet:
    """Compute ln|u|, and the derivative of ln|u| along the real line. ``x`` is the jet of u."""
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
    is_inner = is_real(u) and abs(u.real) < 1
    value = acb(u.real.atanh()) if is_inner else u.atanh()
    return value, None if du is None else du / (ONE - u * u)


def acoth(x: Jet) -> Jet:
    return atanh(div((ONE, None), x))


def _of_inverse(rule: Rule) -> Rule:
    """Make the rule of f(1/u) from the rule of f, as in asec u = acos(1/u)."""
    return lambda x: rule(div((ONE, None), x))


def _textbook(rule: Rule, turn: int) -> Rule:
    """Make the rule of arcsec or arccsc, as some textbooks define them, from the usual rule.

    For negative u, the value is ``turn`` pi minus the usual value, and lies in [pi, 3 pi/2]. The
    slope is then +-1/(u sqrt(u^2 - 1)).
    """

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
    """The complex argument arg u in (-pi, pi], which is the imaginary part of ln u."""
    return imaginary_part(ln(x))


def _step(value: Callable[[Ball], Ball]) -> Rule:
    """Make the rule of a step function, which is constant between its jumps."""

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
    """-1 if x < y, 0 if x is exactly equal to y, 1 if x > y, and None if the balls overlap."""
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
    if order is None and is_real(x[0]) and is_real(y[0]):
        return acb(x[0].real.max(y[0].real)), NAN  # as for a jump, the slope is not known
    return UNKNOWN if order is None else (x if order >= 0 else y)


def minimum(x: Jet, y: Jet) -> Jet:
    order = compare(x, y)
    if order is None and is_real(x[0]) and is_real(y[0]):
        return acb(x[0].real.min(y[0].real)), NAN
    return UNKNOWN if order is None else (x if order <= 0 else y)


#: Rules of elementary functions and of those that are not analytic.
ELEMENTARY: dict[str, Rule] = {
    **{
        rule.__name__: rule
        for rule in (add, mul, div, neg, sqrt, exp, ln, sin, cos, asin, acos, atan, acot)
    },
    **{rule.__name__: rule for rule in (asinh, acosh, atanh, acoth)},
    "tan": unary(acb.tan, lambda u, v: ONE + v * v),
    "cot": unary(acb.cot, lambda u, v: -(ONE + v * v)),
    "sec": unary(acb.sec, lambda u, v: v * u.tan()),
    "csc": unary(acb.csc, lambda u, v: -v * u.cot()),
    "sinh": unary(acb.sinh, lambda u, v: u.cosh()),
    "cosh": unary(acb.cosh, lambda u, v: u.sinh()),
    "tanh": unary(acb.tanh, lambda u, v: ONE - v * v),
    "coth": unary(acb.coth, lambda u, v: ONE - v * v),
    "sech": unary(acb.sech, lambda u, v: -v * u.tanh()),
    "csch": unary(acb.csch, lambda u, v: -v * u.coth()),
    "asec": _of_inverse(acos),
    "acsc": _of_inverse(asin),
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
}

#: Inverse secants with the range that makes their slope free of |u| (Stewart's, say).
TEXTBOOK: dict[str, Rule] = {
    "asec": _textbook(ELEMENTARY["asec"], 2),
    "acsc": _textbook(ELEMENTARY["acsc"], 1),
}

CONSTANTS: dict[str, Callable[[], Ball]] = {
    "pi": acb.pi,
    "e": lambda: ONE.exp(),
    "i": lambda: acb(0, 1),
    "euler_gamma": lambda: acb(arb.const_euler()),
    "catalan": lambda: acb(arb.const_catalan()),
}
