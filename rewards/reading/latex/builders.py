"""Builders of special functions.

A builder makes the tree of a call from the subscript, the arguments and the separators between the
arguments. A builder returns None if the function does not take such arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..expression.build import IMAGINARY, ONE, PI, TWO, neg
from ..expression.traversal import fold
from ..expression.tree import Call, Expression, Number, Symbol
from ..functions import RECORDS, Function
from . import ambiguities
from .parser import Parser

Arguments = list[Expression]
#: (parser, subscript or None, arguments, separators) -> the call, or None where they do not fit.
Builder = Callable[[Parser, "Expression | None", Arguments, str], "Expression | None"]


def _plain(name: str, *counts: int) -> Builder:
    """Make a builder for a function without a subscript.

    The numbers of arguments that the function may have are ``counts``.
    """

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None or len(arguments) not in counts:
            return None
        return Call(name, tuple(arguments))

    return build


def _of_one(make: Callable[[Expression], Expression]) -> Builder:
    """Make a builder for a function with one argument and no subscript. ``make`` makes the tree."""

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        return make(*arguments) if subscript is None and len(arguments) == 1 else None

    return build


def _ordered(name: str) -> Builder:
    """Make a builder for a function with an order and one argument.

    The order is the subscript or the first argument.
    """

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None:
            arguments = [subscript, *arguments]
        if len(arguments) != 2:
            return None
        return Call(name, tuple(arguments))

    return build


def _variadic(name: str) -> Builder:
    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        return Call(name, tuple(arguments)) if subscript is None and len(arguments) > 1 else None

    return build


def _by_record(function: Function) -> Builder:
    """Make a builder for a function with as many arguments as the function's record states."""
    if function.ordered:
        return _ordered(function.name)
    min_arguments, max_arguments = function.arity
    return (
        _plain(function.name, *range(min_arguments, max_arguments + 1))
        if max_arguments
        else _variadic(function.name)
    )


def _log_integral(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``Li(x)``, the offset logarithmic integral, or ``Li_s(x)``, the polylogarithm."""
    if subscript is None:
        return Call("li_offset", (arguments[0],)) if len(arguments) == 1 else None
    return Call("polylog", (subscript, arguments[0])) if len(arguments) == 1 else None


def _ei(
    parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build ``Ei(x)``, or Maple's ``Ei(n, x)``, the generalised exponential integral."""
    if subscript is None and len(arguments) == 1:
        return Call("ei", (arguments[0],))
    return _ordered("expint")(parser, subscript, arguments, separators)


def _upper_gamma(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    if subscript is not None or len(arguments) > 2:
        return None
    return Call("gamma_upper" if len(arguments) == 2 else "gamma", tuple(arguments))


def _beta(
    _: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build the beta function ``B(a, b)``, or an incomplete beta function.

    The incomplete functions ``B_x(a, b)`` and ``B(x; a, b)`` are built as ``beta_lower(a, b, x)``.
    """
    if subscript is not None and len(arguments) == 2:
        return Call("beta_lower", (*arguments, subscript))
    if subscript is None and len(arguments) == 3:
        return Call("beta_lower", (arguments[1], arguments[2], arguments[0]))
    if subscript is None and len(arguments) == 2:
        return Call("beta", tuple(arguments))
    return None


def _fresnel(name: str) -> Builder:
    def build(
        parser: Parser, subscript: Expression | None, arguments: Arguments, _: str
    ) -> Expression | None:
        if subscript is not None or len(arguments) != 1:
            return None
        (argument,) = arguments
        if not parser.choose(ambiguities.FRESNEL_SCALE):
            return Call(name, (argument,))
        # The integral of sin t^2 is sqrt(pi/2) times the normalised one at x sqrt(2/pi).
        scale = Call("sqrt", (Call("div", (TWO, PI)),))
        return Call("div", (Call(name, (Call("mul", (scale, argument)),)), scale))

    return build


def _elliptic(
    incomplete: str | None, complete: str | None, *, spelling: str = "letter", extra: int = 0
) -> Builder:
    """Make a builder for an elliptic integral, complete or incomplete.

    The last argument is the modulus k, the parameter m = k^2, or the modular angle alpha, which
    satisfies k = sin(alpha).

    - The argument is k in two cases, and only if the integral's name is a letter. In an incomplete
      integral, a comma or a semicolon precedes k. In a complete integral, the argument must be the
      symbol k.
    - After a backslash, the argument is alpha.
    - In all other cases, the argument is m. Examples are an argument after a bar, Mathematica's
      names, and the lower-case names of mpmath and of our own printer.

    The first ``extra`` arguments, such as the characteristic of Pi, are kept unchanged.
    """

    def build(
        parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
    ) -> Expression | None:
        if subscript is not None:
            return None
        count = len(arguments) - extra
        if count == 1 and complete is not None:
            is_parameter = spelling != "letter" or arguments[-1] != Symbol("k")
            name = complete
        elif count == 2 and incomplete is not None:
            is_parameter = spelling != "letter" or separators[-1:] == "|"
            name = incomplete
        else:
            return None
        *leading, module = arguments
        if spelling == "parameter" or _is_zero_or_one(module):
            return Call(name, (*leading, module))
        if separators[-1:] == "\\":  # F(phi\alpha) holds the modular angle (DLMF 19.2)
            module = Call("pow", (Call("sin", (module,)), TWO))
        elif is_parameter == parser.choose(ambiguities.ELLIPTIC_MODULUS):
            module = Call("pow", (module, TWO))
        if count == 2 and separators[-1:] == ";" and parser.choose(ambiguities.ELLIPTIC_JACOBI):
            leading[-1] = Call("asin", (leading[-1],))
        return Call(name, (*leading, module))

    return build


def _dawson(
    parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build Dawson's ``D(x)``, or the elliptic ``D(k) = (K(k) - E(k))/k^2`` (DLMF 19.2.8)."""
    if subscript is not None or len(arguments) != 1:
        return None
    if not parser.choose(ambiguities.ELLIPTIC_D):
        return Call("dawson", tuple(arguments))
    complete_integral = BUILDERS["K"](parser, None, arguments, separators)
    if complete_integral is None:
        return None
    (parameter,) = complete_integral.args
    difference = Call("add", (complete_integral, Call("neg", (Call("elliptic_ec", (parameter,)),))))
    return Call("div", (difference, parameter))


def complementary(integral: Expression) -> Expression | None:
    """The complementary integral ``K'`` or ``E'`` of a complete elliptic integral (DLMF 19.2.9).

    The complementary integral has the parameter 1 - m instead of m. The result is None for any
    other integral.
    """
    if integral.function not in ("elliptic_k", "elliptic_ec"):
        return None
    (parameter,) = integral.args
    return Call(integral.function, (Call("add", (ONE, Call("neg", (parameter,)))),))


def associated_laguerre(order: Expression, index: Expression, x: Expression) -> Expression:
    """Build ``L_n^a(x)`` as binomial(n + a, n) 1F1(-n; a + 1; x) (DLMF 18.5.12)."""
    upper = Call("binomial", (Call("add", (order, index)), order))
    lower = Call("add", (index, ONE))
    return Call("mul", (upper, Call("hypgeom", (ONE, ONE, neg(order), lower, x))))


def _is_zero_or_one(node: Expression) -> bool:
    return type(node) is Number and node.numerator in (0, 1) and node.denominator == 1


def _hyper(upper_count: int, lower_count: int) -> Builder:
    """Make a builder for ``2F1(a, b; c; z)`` and the like, for given numbers of parameters."""

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None or len(arguments) != upper_count + lower_count + 1:
            return None
        return Call("hypgeom", (Number(upper_count), Number(lower_count), *arguments))

    return build


def _regularised(name: str) -> Builder:
    """Make a builder for ``P(s, x)`` or ``Q(s, x)`` (DLMF 8.2).

    The value is an incomplete gamma function divided by the gamma function.
    """

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None or len(arguments) != 2:
            return None
        return Call("div", (Call(name, tuple(arguments)), Call("gamma", (arguments[0],))))

    return build


def _shifted_sine_integral(x: Expression) -> Expression:
    """Build ``si(x)`` as Si(x) - pi/2 (DLMF 6.2.10)."""
    return Call("add", (Call("si", (x,)), Call("neg", (Call("div", (PI, TWO)),))))


def _clausen(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``Cl_n(x)``, the sum over k of sin(kx)/k^n or cos(kx)/k^n (Lewin, 4.1).

    If n is even, the terms are sines. If n is odd, the terms are cosines.
    """
    if len(arguments) == 1 and subscript is None:
        subscript = TWO
    elif subscript is None and len(arguments) == 2:
        subscript, *arguments = arguments
    if len(arguments) != 1 or type(subscript) is not Number or subscript.denominator != 1:
        return None
    turned = Call("mul", (IMAGINARY, arguments[0]))
    plus_part, minus_part = (
        Call("polylog", (subscript, Call("exp", (argument,))))
        for argument in (turned, Call("neg", (turned,)))
    )
    if subscript.numerator % 2:
        return Call("div", (Call("add", (plus_part, minus_part)), TWO))
    difference = Call("add", (plus_part, Call("neg", (minus_part,))))
    return Call("div", (difference, Call("mul", (TWO, IMAGINARY))))


def _legendre_chi(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``chi_s(x)``, the odd part of ``Li_s(x)`` (Lewin, 1.8)."""
    if subscript is None or len(arguments) != 1:
        return None
    (argument,) = arguments
    reflected = Call("neg", (Call("polylog", (subscript, Call("neg", (argument,)))),))
    return Call("div", (Call("add", (Call("polylog", (subscript, argument)), reflected)), TWO))


def _struve(polynomial: str, sign: int) -> Builder:
    """Make a builder for a letter that denotes either ``polynomial`` or a Struve function.

    The Struve function is ``H_n(x)`` if the sign is -1, and ``L_n(x)`` if the sign is +1.

    H_n(x) = (x/2)^{n+1} / (Gamma(3/2) Gamma(n+3/2)) 1F2(1; 3/2, n+3/2; -x^2/4) (DLMF 11.2.1-2).
    """

    def build(
        parser: Parser, order: Expression | None, arguments: Arguments, _: str
    ) -> Expression | None:
        if order is None or len(arguments) != 1:
            return None
        (x,) = arguments
        if not parser.choose(ambiguities.STRUVE):
            return Call(polynomial, (order, x))
        half, three = Call("div", (x, TWO)), Number(3, 2)
        shifted = Call("add", (order, three))
        square = Call("mul", (Number(sign), Call("pow", (half, TWO))))
        series = Call("hypgeom", (ONE, TWO, ONE, three, shifted, square))
        power = Call("pow", (half, Call("add", (order, ONE))))
        denominator = Call("mul", (Call("gamma", (three,)), Call("gamma", (shifted,))))
        return Call("mul", (Call("div", (power, denominator)), series))

    return build


def _dirichlet_beta(s: Expression) -> Expression:
    """Build ``beta(s)``, the sum of (-1)^n / (2n+1)^s, as 4^{-s} (zeta(s, 1/4) - zeta(s, 3/4))."""
    zeta_quarter, zeta_three_quarters = (Call("zeta", (s, Number(k, 4))) for k in (1, 3))
    difference = Call("add", (zeta_quarter, Call("neg", (zeta_three_quarters,))))
    return Call("div", (difference, Call("pow", (Number(4), s))))


def _dirichlet_eta(s: Expression) -> Expression:
    """Build ``eta(s)`` as (1 - 2^{1-s}) zeta(s) (DLMF 25.2.3)."""
    minus_s = Number(-s.numerator, s.denominator) if type(s) is Number else Call("neg", (s,))
    power = Call("pow", (TWO, Call("add", (ONE, minus_s))))
    return Call("mul", (Call("add", (ONE, Call("neg", (power,)))), Call("zeta", (s,))))


def harmonic_number(n: Expression, order: Expression = ONE) -> Expression:
    """Build ``H_n`` as psi(n + 1) + gamma, or ``H_n^{(m)}`` by zeta functions (DLMF 25.11.33)."""
    following = Call("add", (n, ONE))
    if order == ONE:
        return Call("add", (Call("digamma", (following,)), Call("euler_gamma")))
    return Call("add", (Call("zeta", (order,)), Call("neg", (Call("zeta", (order, following)),))))


def _harmonic(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    if subscript is not None or not 1 <= len(arguments) <= 2:
        return None
    return harmonic_number(*arguments)


def _cube_root(x: Expression) -> Expression:
    return Call("root", (x, Number(3)))


def _dilog(
    parser: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    if subscript is not None or len(arguments) != 1:
        return None
    (argument,) = arguments
    if parser.choose(ambiguities.DILOGARITHM):
        argument = Call("add", (ONE, Call("neg", (argument,))))
    return Call("polylog", (TWO, argument))


def _normal_distribution(x: Expression) -> Expression:
    """Build ``Phi(x)``, the normal distribution function (DLMF 7.1.2, 7.18(iv))."""
    error = Call("erf", (Call("div", (x, Call("sqrt", (TWO,)))),))
    return Call("div", (Call("add", (ONE, error)), TWO))


def _inverse_tangent_integral(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``Ti_s(x)``, the imaginary part of ``Li_s(ix)``."""
    if subscript is None or len(arguments) != 1:
        return None
    turned = Call("mul", (IMAGINARY, arguments[0]))
    difference = Call(
        "add",
        (
            Call("polylog", (subscript, turned)),
            Call("neg", (Call("polylog", (subscript, Call("neg", (turned,)))),)),
        ),
    )
    return Call("div", (difference, Call("mul", (TWO, IMAGINARY))))


def _cin(x: Expression) -> Expression:
    """Build ``Cin(x)`` as gamma + ln x - Ci(x)."""
    return Call("add", (Call("euler_gamma"), Call("ln", (x,)), Call("neg", (Call("ci", (x,)),))))


def _ein(x: Expression) -> Expression:
    """Build ``Ein(x)`` as E_1(x) + ln x + gamma."""
    return Call("add", (Call("expint", (ONE, x)), Call("ln", (x,)), Call("euler_gamma")))


def _scaled_erfc(x: Expression) -> Expression:
    return Call("mul", (Call("exp", (Call("pow", (x, TWO)),)), Call("erfc", (x,))))


def _lambert(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``W(x)`` or ``W_k(x)`` as ``lambertw(x, k)``. ``W_0`` is the principal branch.

    ``W`` may also have two arguments, in either order. The integer is then the branch.
    """
    if len(arguments) == 2 and subscript is None:
        branch, second = arguments
        swapped = _is_whole(branch) and not _is_whole(second)
        return Call("lambertw", (second, branch) if swapped else (branch, second))
    if len(arguments) != 1:
        return None
    if subscript is None or _is_zero(subscript):
        return Call("lambertw", (arguments[0],))
    return Call("lambertw", (arguments[0], subscript))


def _angle(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    """Build ``atan2(y, x)``, the angle of the point (x, y), as 2 arctan(y / (|(x, y)| + x))."""
    if len(arguments) != 2 or subscript is not None:
        return None
    y, x = arguments
    if type(x) is Number and x.numerator > 0:
        return Call("atan", (Call("div", (y, x)),))
    squares = Call("add", (Call("pow", (x, TWO)), Call("pow", (y, TWO))))
    denominator = Call("add", (Call("sqrt", (squares,)), x))
    return Call("mul", (TWO, Call("atan", (Call("div", (y, denominator)),))))


def _is_zero(node: Expression) -> bool:
    return type(node) is Number and node.numerator == 0


def _is_whole(node: Expression) -> bool:
    value = fold(node)
    return value is not None and value.denominator == 1


BUILDERS: Final[dict[str, Builder]] = {
    **{f.token: _by_record(f) for f in RECORDS.values() if f.called},
    "dawson": _plain("dawson", 1),
    "ei": _ei,
    "Li": _log_integral,
    "dilog": _dilog,
    "fresnels": _fresnel("fresnel_s"),
    "fresnelc": _fresnel("fresnel_c"),
    "gammafunction": _upper_gamma,
    "betafunction": _beta,
    "lambertw": _lambert,
    "zeta": _plain("zeta", 1, 2),
    "ellipticf": _elliptic("elliptic_f", None, spelling="name"),
    "elliptice": _elliptic("elliptic_e", "elliptic_ec", spelling="name"),
    "elliptick": _elliptic(None, "elliptic_k", spelling="name"),
    "ellipticpi": _elliptic("elliptic_pi", "elliptic_pic", spelling="name", extra=1),
    "ellipf": _elliptic("elliptic_f", None, spelling="parameter"),
    "ellipe": _elliptic("elliptic_e", "elliptic_ec", spelling="parameter"),
    "ellipk": _elliptic(None, "elliptic_k", spelling="parameter"),
    "ellippi": _elliptic("elliptic_pi", "elliptic_pic", spelling="parameter", extra=1),
    "K": _elliptic(None, "elliptic_k"),
    "F": _elliptic("elliptic_f", None),
    "E": _elliptic("elliptic_e", "elliptic_ec"),
    "Pi": _elliptic("elliptic_pi", "elliptic_pic", extra=1),
    "hermite or struve": _struve("hermite_h", -1),
    "laguerre or struve": _struve("laguerre_l", 1),
    "dirichlet_beta": _of_one(_dirichlet_beta),
    "dirichlet_eta": _of_one(_dirichlet_eta),
    "harmonic": _harmonic,
    "hyp1f1": _hyper(1, 1),
    "hyp2f1": _hyper(2, 1),
    "dawson or elliptic": _dawson,
    "gamma_p": _regularised("gamma_lower"),
    "gamma_q": _regularised("gamma_upper"),
    "si_tail": _of_one(_shifted_sine_integral),
    "clausen": _clausen,
    "legendre_chi": _legendre_chi,
    "atan2": _angle,
    "cbrt": _of_one(_cube_root),
    "pow": _plain("pow", 2),
    "normal_cdf": _of_one(_normal_distribution),
    "Ti": _inverse_tangent_integral,
    "Cin": _of_one(_cin),
    "Ein": _of_one(_ein),
    "erfcx": _of_one(_scaled_erfc),
}
