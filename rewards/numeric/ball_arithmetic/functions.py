"""Rules for special functions in ball arithmetic, and the table of all functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from operator import itemgetter

from flint import acb, acb_series

from ...reading.expression.formulas import template
from ...reading.expression.tree import Expression, Number, Symbol
from ...reading.functions import RECORDS, Function
from ...reading.functions.record import WORKER
from .jets import (
    CONSTANTS,
    ELEMENTARY,
    NAN,
    ONE,
    TWO,
    Ball,
    Jet,
    Rule,
    add,
    atan,
    div,
    is_real,
    mul,
    sub,
    unary,
)

#: Orders and parameters of special functions beyond this size can run for seconds: unknown.
MAX_ORDER = 256


# --- whole numbers


gamma = unary(acb.gamma, lambda u, v: v * u.digamma())


def factorial(x: Jet) -> Jet:
    return gamma(add(x, (ONE, None)))


def _unknown(*jets: Jet) -> Jet:
    """An unknown value with an unknown derivative. Both are nan, because None would mean zero."""
    varies = any(slope is not None for _, slope in jets)
    return NAN, NAN if varies else None


def double_factorial(x: Jet) -> Jet:
    u, du = x
    if du is not None or not u.real.is_integer() or not is_real(u) or u.real < -1:
        return _unknown(x)
    half = u / TWO
    if half.real.is_integer():
        return TWO**half * (half + ONE).gamma(), None
    return TWO ** (half + acb(0.5)) * (half + ONE).gamma() / acb.pi().sqrt(), None


def binomial(x: Jet, y: Jet) -> Jet:
    return div(factorial(x), mul(factorial(y), factorial(sub(x, y))))


# --- special functions


def _by_series(name: str) -> Rule:
    """Make a rule that differentiates the function ``name`` by a power series of length 2.

    The rule is for functions whose derivative has no simpler formula.
    """

    def rule(x: Jet) -> Jet:
        u, du = x
        if du is None:
            return getattr(u, name)(), None
        series = getattr(acb_series([u, ONE], prec=2), name)()
        return series[0], series[1] * du

    return rule


def _in_argument(at: int, value: Callable[..., Ball], slope: Callable[..., Ball]) -> Rule:
    """Make a rule that differentiates a function with respect to argument number ``at``.

    All other arguments must be constant.
    """

    def rule(*jets: Jet) -> Jet:
        values = [v for v, _ in jets]
        if not all(abs(v) < MAX_ORDER for i, v in enumerate(values) if i != at % len(jets)):
            return _unknown(*jets)
        if any(d is not None for i, (_, d) in enumerate(jets) if i != at % len(jets)):
            return value(*values), NAN
        d = jets[at][1]
        return value(*values), None if d is None else slope(*values) * d

    return rule


def _in_last(value: Callable[..., Ball], slope: Callable[..., Ball]) -> Rule:
    return _in_argument(-1, value, slope)


def _gauss(sign: int) -> Callable[[Ball, Ball], Ball]:
    """Make the derivative 2/sqrt(pi) exp(sign u^2) of erf (sign -1) or erfi (sign +1)."""
    return lambda u, _: TWO / acb.pi().sqrt() * (u * u * sign).exp()


def _delta(phi: Ball, m: Ball) -> Ball:
    s = phi.sin()
    return (ONE - m * s * s).sqrt()


def _elliptic_pi_slope(n: Ball, phi: Ball, m: Ball) -> Ball:
    s = phi.sin()
    return ONE / ((ONE - n * s * s) * _delta(phi, m))


def _hypgeom(*jets: Jet) -> Jet:
    """The generalised hypergeometric function ``pFq(a; b; z)`` and its derivative.

    The derivative with respect to z is a constant times ``pFq(a + 1; b + 1; z)``. Here every
    parameter is raised by 1.
    """
    p, q = int(jets[0][0].real.unique_fmpz() or 0), int(jets[1][0].real.unique_fmpz() or 0)
    values = [v for v, _ in jets[2:]]
    if not all(abs(v) < MAX_ORDER for v in values[:-1]):
        return _unknown(*jets)
    if len(values) != p + q + 1 or any(d is not None for _, d in jets[2:-1]):
        return _unknown(*jets)
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


@lru_cache(maxsize=16)
def lambertw(branch: int) -> Rule:
    """Make the rule of one branch of Lambert's W function. The branch -1 is real on [-1/e, 0)."""
    return unary(lambda u: u.lambertw(branch), lambda u, v: v / (u * (ONE + v)))


def _dawson(u: Ball) -> Ball:
    return acb.pi().sqrt() / TWO * (-u * u).exp() * u.erfi()


def _zeta2(x: Jet, y: Jet) -> Jet:
    """Hurwitz's zeta function zeta(s, a), with its derivative with respect to a."""
    return _in_last(lambda s, a: s.zeta(a), lambda s, a: -s * (s + ONE).zeta(a))(x, y)


def _gudermannian(x: Jet) -> Jet:
    return mul((TWO, None), atan(ELEMENTARY["tanh"](div(x, (TWO, None)))))


def _polygamma(n: Jet, x: Jet) -> Jet:
    """The polygamma function of order n. The result is unknown if the order is below -1.

    For orders below -1, python-flint uses the definition by Espinosa and Moll. Other authors
    integrate repeatedly from 0. The two definitions differ by a polynomial.
    """
    if not n[0].real > -2:
        return _unknown(n, x)
    return _by_record(RECORDS["polygamma"])(n, x)


@cache
def _slope(name: str) -> Callable[[Sequence[Ball]], Ball]:
    """Make a function that computes the derivative of ``name`` from the values of its arguments.

    The formula of the derivative is in the table of functions, `RECORDS`.
    """
    return _formula(template(RECORDS[name].derivative), RECORDS[name].arguments.split())


def _formula(tree: Expression, names: Sequence[str]) -> Callable[[Sequence[Ball]], Ball]:
    if isinstance(tree, Symbol):
        return itemgetter(names.index(tree.name))
    if isinstance(tree, Number):
        return lambda _: acb(tree.numerator) / tree.denominator
    if not tree.args:
        return lambda _: CONSTANTS[tree.function]()
    operands = [_formula(arg, names) for arg in tree.args]
    if tree.function == "pow":
        return lambda values: operands[0](values) ** operands[1](values)
    rule = RULES[tree.function]
    if len(operands) > 1 and RECORDS[tree.function].arity[1] is None:
        return lambda values: reduce(rule, [(operand(values), None) for operand in operands])[0]
    return lambda values: rule(*[(operand(values), None) for operand in operands])[0]


def _by_record(function: Function) -> Rule:
    """Make a rule that calls the method of python-flint whose name is the function's name.

    The formula of the derivative is in ``function.derivative``.
    """
    at = function.arguments.split().index("u")

    def value(*values: Ball) -> Ball:
        return getattr(values[at], function.name)(*values[:at], *values[at + 1 :])

    return _in_argument(at, value, lambda *values: _slope(function.name)(values))


#: Rules of functions that are not handled by a rule of their own in
#: `rewards.numeric.ball_arithmetic.compiler`.
RULES: dict[str, Rule] = ELEMENTARY | {
    "gamma": gamma,
    "factorial": factorial,
    "double_factorial": double_factorial,
    "binomial": binomial,
    "gudermannian": _gudermannian,
    "erf": unary(acb.erf, _gauss(-1)),
    "erfc": unary(acb.erfc, lambda u, v: -_gauss(-1)(u, v)),
    "erfi": unary(acb.erfi, _gauss(1)),
    "dawson": unary(_dawson, lambda u, v: ONE - TWO * u * v),
    "li_offset": unary(lambda u: u.li() - TWO.li(), lambda u, v: ONE / u.log()),
    "beta": lambda a, b: div(mul(gamma(a), gamma(b)), gamma(add(a, b))),
    "zeta": _by_series("zeta"),
    "hurwitz_zeta": _zeta2,
    "elliptic_ec": unary(acb.elliptic_e, lambda m, v: (v - m.elliptic_k()) / (TWO * m)),
    "elliptic_f": _in_argument(
        0, lambda phi, m: acb.elliptic_f(phi, m), lambda phi, m: ONE / _delta(phi, m)
    ),
    "elliptic_e": _in_argument(0, lambda phi, m: acb.elliptic_e_inc(phi, m), _delta),
    "elliptic_pi": _in_argument(
        1, lambda n, phi, m: acb.elliptic_pi_inc(n, phi, m), _elliptic_pi_slope
    ),
    "elliptic_pic": _in_last(lambda n, m: acb.elliptic_pi(n, m), lambda n, m: NAN),
    "hypgeom": _hypgeom,
    "polygamma": _polygamma,
    "lambertw": lambertw(0),
    "airy_ai": _by_series("airy_ai"),
    "airy_bi": _by_series("airy_bi"),
    "airy_ai_prime": unary(lambda u: u.airy_ai(derivative=1), lambda u, v: u * u.airy_ai()),
    "airy_bi_prime": unary(lambda u: u.airy_bi(derivative=1), lambda u, v: u * u.airy_bi()),
    "laguerre_l": _in_last(lambda n, u: u.laguerre_l(n), lambda n, u: -u.laguerre_l(n - ONE, ONE)),
}
RULES |= {
    function.name: _by_record(function)
    for function in RECORDS.values()
    if function.cost == WORKER and function.name not in RULES and hasattr(acb, function.name)
}
