"""Immutable expression trees, which the verifier reads, evaluates and prints.

There are three kinds of node: exact rational `Number`, `Symbol`, and `Call` of a named function.
Nothing is simplified on construction: a tree has the structure of its text. `FUNCTIONS` lists all
functions. Every node has a ``function`` and ``args``: those of a leaf are its kind and nothing.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, final

#: Function name -> (fewest, most) arguments. ``None`` means any number.
#: Angles are radians, ``ln`` is natural; ``log`` is ``log(x, base)``; ``root`` is ``root(x, n)``.
#: Elliptic integrals take the *parameter* m = k^2: ``elliptic_f(phi, m)``, ``elliptic_e(phi, m)``,
#: ``elliptic_k(m)``, ``elliptic_ec(m)`` (complete E), ``elliptic_pi(n, phi, m)``,
#: ``elliptic_pic(n, m)`` (complete Pi). Fresnel integrals are the normalised ones (pi t^2 / 2).
#: ``E(n, x)`` is ``expint(n, x)``; ``gamma_upper(s, x)``, ``gamma_lower(s, x)`` not regularised.
#: ``hypgeom`` is pFq: ``hypgeom(p, q, a1..ap, b1..bq, z)`` with p and q integer Numbers.
#: ``piecewise(value1, condition1, value2, condition2, ...)``, a last value without a condition is
#: "otherwise"; conditions are comparisons ``lt le gt ge eq ne`` joined by ``and``, ``or``.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    # arithmetic
    "add": (2, None),
    "mul": (2, None),
    "neg": (1, 1),
    "div": (2, 2),
    "pow": (2, 2),
    "sqrt": (1, 1),
    "root": (2, 2),
    "exp": (1, 1),
    "ln": (1, 1),
    "log": (2, 2),
    # constants
    "pi": (0, 0),
    "e": (0, 0),
    "i": (0, 0),
    "euler_gamma": (0, 0),
    "catalan": (0, 0),
    # trigonometric, hyperbolic, and their inverses
    "sin": (1, 1),
    "cos": (1, 1),
    "tan": (1, 1),
    "cot": (1, 1),
    "sec": (1, 1),
    "csc": (1, 1),
    "asin": (1, 1),
    "acos": (1, 1),
    "atan": (1, 1),
    "acot": (1, 1),
    "asec": (1, 1),
    "acsc": (1, 1),
    "sinh": (1, 1),
    "cosh": (1, 1),
    "tanh": (1, 1),
    "coth": (1, 1),
    "sech": (1, 1),
    "csch": (1, 1),
    "asinh": (1, 1),
    "acosh": (1, 1),
    "atanh": (1, 1),
    "acoth": (1, 1),
    "asech": (1, 1),
    "acsch": (1, 1),
    # not analytic
    "abs": (1, 1),
    "re": (1, 1),
    "im": (1, 1),
    "arg": (1, 1),
    "sgn": (1, 1),
    "floor": (1, 1),
    "ceil": (1, 1),
    "frac": (1, 1),
    "max": (2, None),
    "min": (2, None),
    "heaviside": (1, 1),
    "piecewise": (2, None),
    "lt": (2, 2),
    "le": (2, 2),
    "gt": (2, 2),
    "ge": (2, 2),
    "eq": (2, 2),
    "ne": (2, 2),
    "and": (2, None),
    "or": (2, None),
    # whole numbers
    "factorial": (1, 1),
    "double_factorial": (1, 1),
    "binomial": (2, 2),
    # special functions that appear in closed forms
    "erf": (1, 1),
    "erfc": (1, 1),
    "erfi": (1, 1),
    "ei": (1, 1),
    "expint": (2, 2),
    "li": (1, 1),
    "li_offset": (1, 1),
    "si": (1, 1),
    "ci": (1, 1),
    "shi": (1, 1),
    "chi": (1, 1),
    "gamma": (1, 1),
    "lgamma": (1, 1),
    "gamma_upper": (2, 2),
    "gamma_lower": (2, 2),
    "digamma": (1, 1),
    "polygamma": (2, 2),
    "beta": (2, 2),
    "beta_lower": (3, 3),
    "zeta": (1, 2),
    "polylog": (2, 2),
    "fresnel_s": (1, 1),
    "fresnel_c": (1, 1),
    "dawson": (1, 1),
    "elliptic_f": (2, 2),
    "elliptic_e": (2, 2),
    "elliptic_k": (1, 1),
    "elliptic_ec": (1, 1),
    "elliptic_pi": (3, 3),
    "elliptic_pic": (2, 2),
    "hypgeom": (3, None),
    "bessel_j": (2, 2),
    "bessel_y": (2, 2),
    "bessel_i": (2, 2),
    "bessel_k": (2, 2),
    "airy_ai": (1, 1),
    "airy_bi": (1, 1),
    "lambertw": (1, 2),
    "gudermannian": (1, 1),
    "lerch_phi": (3, 3),
    "legendre_p": (2, 2),
    "chebyshev_t": (2, 2),
    "chebyshev_u": (2, 2),
    "hermite_h": (2, 2),
    "laguerre_l": (2, 2),
}


# Nodes are made, hashed and compared by the thousand, which C does for named tuples. Only a class
# that inherits from one may have class variables.


class _Number(NamedTuple):
    numerator: int
    denominator: int = 1


@final
class Number(_Number):
    """An exact rational in lowest terms, ``denominator > 0``."""

    __slots__ = ()
    function: ClassVar[str] = "number"
    args: ClassVar[tuple[Expression, ...]] = ()


class _Symbol(NamedTuple):
    name: str


@final
class Symbol(_Symbol):
    """A free symbol: the variable, a parameter, or a constant of integration (``"C_1"``)."""

    __slots__ = ()
    function: ClassVar[str] = "symbol"
    args: ClassVar[tuple[Expression, ...]] = ()


class _Call(NamedTuple):
    function: str
    args: tuple[Expression, ...] = ()


@final
class Call(_Call):
    """A function of `FUNCTIONS` applied to arguments; constants such as ``pi`` have none."""

    __slots__ = ()


Expression = Number | Symbol | Call
