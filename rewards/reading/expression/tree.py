"""Immutable expression trees, which the verifier reads, evaluates and prints.

The three kinds of node are exact rational `Number`, `Symbol`, and `Call` of a named function.
Nothing is simplified on construction: a tree has the structure of the text. `FUNCTIONS` lists all
functions. Every node has a ``function`` and ``args``. The function of a leaf is ``number`` or
``symbol``, and a leaf has no arguments.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, final

from ..functions import RECORDS

#: Function name -> (fewest, most) arguments; `rewards.reading.functions` says more of each.
#: Angles are radians, ``ln`` is natural; ``log`` is ``log(x, base)``; ``root`` is ``root(x, n)``.
#: Elliptic integrals take the *parameter* m = k^2: ``elliptic_f(phi, m)``, ``elliptic_e(phi, m)``,
#: ``elliptic_k(m)``, ``elliptic_ec(m)`` (complete E), ``elliptic_pi(n, phi, m)``,
#: ``elliptic_pic(n, m)`` (complete Pi). Fresnel integrals are the normalised ones (pi t^2 / 2).
#: ``E(n, x)`` is ``expint(n, x)``; ``gamma_upper(s, x)``, ``gamma_lower(s, x)`` not regularised.
#: ``hypgeom`` is pFq: ``hypgeom(p, q, a1..ap, b1..bq, z)`` with p and q integer Numbers.
#: ``piecewise(value1, condition1, value2, condition2, ...)``, a last value without a condition is
#: "otherwise"; conditions are comparisons ``lt le gt ge eq ne`` joined by ``and``, ``or``.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    name: function.arity for name, function in RECORDS.items()
}


# Nodes are made, hashed and compared by the thousand, which C does for named tuples. Only a class
# that inherits from one may have class variables.


class _Number(NamedTuple):
    numerator: int
    denominator: int = 1


@final
class Number(_Number):
    """An exact rational number in lowest terms, with ``denominator > 0``."""

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
    """A function of `FUNCTIONS` with arguments. A constant such as ``pi`` has no arguments."""

    __slots__ = ()


Expression = Number | Symbol | Call
