"""Builders of special functions.

A builder makes the tree of a call from the subscript, the arguments and the separators between the
arguments. A builder returns None if the function does not take such arguments. Most builders are
formulas in SymPy's notation (`_formula`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..expression.build import ONE, TWO
from ..expression.formulas import with_arguments
from ..expression.traversal import fold
from ..expression.tree import Call, Expression, Number, Symbol
from ..functions import RECORDS, Function
from .ambiguities import Ambiguity
from .parser import Parser

Arguments = list[Expression]
#: (parser, subscript or None, arguments, separators) -> the call, or None where they do not fit.
Builder = Callable[[Parser, "Expression | None", Arguments, str], "Expression | None"]


def _formula(*forms: str) -> Builder:
    """Make a builder from forms of a call, such as ``_s u: polylog(s, u)``.

    Before the colon stand the names of the subscript, with an underscore, and of the arguments.
    Behind the colon stands the formula in SymPy's notation.
    """
    by_count: dict[tuple[bool, int], tuple[list[str], str]] = {}
    for form in forms:
        names, _, formula = form.partition(": ")
        by_count[names[0] == "_", len(names.split())] = names.lstrip("_").split(), formula

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None:
            arguments = [subscript, *arguments]
        form = by_count.get((subscript is not None, len(arguments)))
        if form is None:
            return None
        names, formula = form
        return with_arguments(formula, dict(zip(names, arguments, strict=True)))

    return build


def _either(ambiguity: Ambiguity, likelier: Builder, other: Builder) -> Builder:
    """Make a builder for a name with two meanings."""

    def build(
        parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
    ) -> Expression | None:
        chosen = other if parser.choose(ambiguity) else likelier
        return chosen(parser, subscript, arguments, separators)

    return build


def _by_record(function: Function) -> Builder:
    """Make a builder for a function with as many arguments as the function's record states.

    The subscript of a function with an order is the first argument.
    """
    min_arguments, max_arguments = function.arity

    def build(
        _: Parser, subscript: Expression | None, arguments: Arguments, __: str
    ) -> Expression | None:
        if subscript is not None:
            arguments = [subscript, *arguments] if function.ordered else []
        if len(arguments) < min_arguments or len(arguments) > (max_arguments or len(arguments)):
            return None
        return Call(function.name, tuple(arguments))

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
        if spelling == "parameter" or module in (Number(0), ONE):
            return Call(name, (*leading, module))
        if separators[-1:] == "\\":  # F(phi\alpha) holds the modular angle (DLMF 19.2)
            module = Call("pow", (Call("sin", (module,)), TWO))
        elif is_parameter == parser.choose(Ambiguity.elliptic_modulus):
            module = Call("pow", (module, TWO))
        if count == 2 and separators[-1:] == ";" and parser.choose(Ambiguity.elliptic_jacobi):
            leading[-1] = Call("asin", (leading[-1],))
        return Call(name, (*leading, module))

    return build


def _elliptic_d(
    parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build the elliptic ``D(k) = (K(k) - E(k))/k^2`` (DLMF 19.2.8)."""
    complete_integral = BUILDERS["K"](parser, subscript, arguments, separators)
    if complete_integral is None:
        return None
    (parameter,) = complete_integral.args
    return with_arguments("(elliptic_k(m) - elliptic_e(m))/m", {"m": parameter})


def complementary(integral: Expression) -> Expression | None:
    """The complementary integral ``K'`` or ``E'`` of a complete elliptic integral (DLMF 19.2.9).

    The complementary integral has the parameter 1 - m instead of m. The result is None for any
    other integral.
    """
    if integral.function not in ("elliptic_k", "elliptic_ec"):
        return None
    return with_arguments(f"{integral.function}(1 - m)", {"m": integral.args[0]})


def _clausen(
    parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build ``Cl_n(x)``, the sum over k of sin(kx)/k^n or cos(kx)/k^n (Lewin, 4.1).

    If n is even, the terms are sines. If n is odd, the terms are cosines.
    """
    order, *rest = (
        arguments if subscript is None and len(arguments) > 1 else [subscript or TWO, *arguments]
    )
    if type(order) is not Number or order.denominator != 1:
        return None
    return _CLAUSEN[order.numerator % 2](parser, order, rest, separators)


_CLAUSEN: Final = (
    _formula("_n x: (polylog(n, exp(I*x)) - polylog(n, exp(-(I*x))))/(2*I)"),
    _formula("_n x: (polylog(n, exp(I*x)) + polylog(n, exp(-(I*x))))/2"),
)


def harmonic_number(n: Expression, order: Expression = ONE) -> Expression:
    """Build ``H_n``, or ``H_n^{(m)}`` by zeta functions (DLMF 25.11.33)."""
    formula = "digamma(n + 1) + EulerGamma" if order == ONE else "zeta(m) - zeta(m, n + 1)"
    return with_arguments(formula, {"n": n, "m": order})


def _harmonic(
    _: Parser, subscript: Expression | None, arguments: Arguments, __: str
) -> Expression | None:
    if subscript is not None or len(arguments) > 2:
        return None
    return harmonic_number(*arguments)


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
    if subscript is None or subscript == Number(0):
        return Call("lambertw", (arguments[0],))
    return Call("lambertw", (arguments[0], subscript))


def _angle(
    parser: Parser, subscript: Expression | None, arguments: Arguments, separators: str
) -> Expression | None:
    """Build ``atan2(y, x)``, the angle of the point (x, y)."""
    right = len(arguments) == 2 and type(arguments[1]) is Number and arguments[1].numerator > 0
    return _ANGLE[right](parser, subscript, arguments, separators)


_ANGLE: Final = (
    _formula("y x: 2*atan(y/(sqrt(x**2 + y**2) + x))"),
    _formula("y x: atan(y/x)"),
)


def _is_whole(node: Expression) -> bool:
    value = fold(node)
    return value is not None and value.denominator == 1


BUILDERS: Final[dict[str, Builder]] = {
    **{f.token: _by_record(f) for f in RECORDS.values() if f.called},
    "dawson": _formula("x: dawson(x)"),
    "ei": _formula("x: Ei(x)", "n x: expint(n, x)", "_n x: expint(n, x)"),
    "Li": _formula("x: li_offset(x)", "_s x: polylog(s, x)"),
    "dilog": _either(
        Ambiguity.dilogarithm, _formula("x: polylog(2, x)"), _formula("x: polylog(2, 1 - x)")
    ),
    # The integral of sin t^2 is sqrt(pi/2) times the normalised one at x sqrt(2/pi).
    **{
        name: _either(
            Ambiguity.fresnel_scale,
            _formula(f"x: {name}(x)"),
            _formula(f"x: {name}(sqrt(2/pi)*x)/sqrt(2/pi)"),
        )
        for name in ("fresnels", "fresnelc")
    },
    "gammafunction": _formula("x: gamma(x)", "s x: uppergamma(s, x)"),
    "betafunction": _formula(
        "a b: beta(a, b)", "x a b: beta_lower(a, b, x)", "_x a b: beta_lower(a, b, x)"
    ),
    "lambertw": _lambert,
    "zeta": _formula("s: zeta(s)", "s a: zeta(s, a)"),
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
    # DLMF 11.2.1-2
    **{
        f"{polynomial} or struve": _either(
            Ambiguity.struve,
            _formula(f"_n x: {polynomial}(n, x)"),
            _formula(
                "_n x: (x/2)**(n + 1)/(gamma(1.5)*gamma(n + 1.5))"
                f"*hypgeom(1, 2, 1, 1.5, n + 1.5, {sign}*(x/2)**2)"
            ),
        )
        for polynomial, sign in (("hermite", -1), ("laguerre", 1))
    },
    "dirichlet_beta": _formula("s: (zeta(s, 0.25) - zeta(s, 0.75))/4**s"),
    "dirichlet_eta": _formula("s: (1 - 2**(1 + -s))*zeta(s)"),  # DLMF 25.2.3
    "harmonic": _harmonic,
    "hyp1f1": _formula("a b x: hypgeom(1, 1, a, b, x)"),
    "hyp2f1": _formula("a b c x: hypgeom(2, 1, a, b, c, x)"),
    "dawson or elliptic": _either(Ambiguity.elliptic_d, _formula("x: dawson(x)"), _elliptic_d),
    "gamma_p": _formula("s x: lowergamma(s, x)/gamma(s)"),  # DLMF 8.2
    "gamma_q": _formula("s x: uppergamma(s, x)/gamma(s)"),
    "si_tail": _formula("x: Si(x) - pi/2"),  # DLMF 6.2.10
    "clausen": _clausen,
    "legendre_chi": _formula("_s x: (polylog(s, x) - polylog(s, -x))/2"),  # Lewin, 1.8
    "atan2": _angle,
    "logarithm": _formula("x: log(x)", "x b: log(x)/log(b)"),  # SymPy's and Python's
    "Logarithm": _formula("x: log(x)", "b x: log(x)/log(b)"),  # Mathematica's
    "cbrt": _formula("x: root(x, 3)"),
    "pow": _formula("x y: x**y"),
    "normal_cdf": _formula("x: (1 + erf(x/sqrt(2)))/2"),  # DLMF 7.1.2, 7.18(iv)
    # The imaginary part of Li_s(ix).
    "Ti": _formula("_s x: (polylog(s, I*x) - polylog(s, -(I*x)))/(2*I)"),
    "Cin": _formula("x: EulerGamma + log(x) - Ci(x)"),
    "Ein": _formula("x: expint(1, x) + log(x) + EulerGamma"),
    "erfcx": _formula("x: exp(x**2)*erfc(x)"),
}
