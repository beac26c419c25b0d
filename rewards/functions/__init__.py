"""Functions and named constants: one record each, from which every table of names is derived.

`rewards.decision.functions.RULES` has their rules of ball arithmetic, `rewards.decision.prover`
those of the prover; a function without a rule is computed by its definition and differentiated by
its record (CONTRIBUTING.md, "A function").
"""

from __future__ import annotations

from collections.abc import Callable

from .arithmetic import ARITHMETIC, COMPARISONS, COMPLEX, CONNECTIVES, CONSTANTS, PIECEWISE
from .elementary import HYPERBOLIC, INVERSE_HYPERBOLIC, INVERSE_TRIGONOMETRIC, TRIGONOMETRIC
from .higher import BESSEL, FACTORIALS, GAMMA, ORTHOGONAL, ZETA
from .integrals import ELLIPTIC, ERROR_FUNCTIONS, EXPONENTIAL_INTEGRALS
from .record import Function

__all__ = [
    "ARITHMETIC", "COMPARISONS", "COMPLEX", "CONNECTIVES", "CONSTANTS", "ELEMENTARY",
    "FACTORIALS", "GAMMA", "HYPERBOLIC", "INVERSE_HYPERBOLIC", "INVERSE_TRIGONOMETRIC",
    "PIECEWISE", "QUOTIENTS", "RECORDS", "SPECIAL", "TRIGONOMETRIC", "Function", "names",
    "spellings",
]  # fmt: skip

#: All families; `ELEMENTARY` are those whose functions are analytic and elementary.
ELEMENTARY = (
    *ARITHMETIC, *TRIGONOMETRIC, *INVERSE_TRIGONOMETRIC, *HYPERBOLIC, *INVERSE_HYPERBOLIC,
)  # fmt: skip
SPECIAL = (
    *FACTORIALS, *ERROR_FUNCTIONS, *EXPONENTIAL_INTEGRALS, *GAMMA, *ZETA, *ELLIPTIC, *BESSEL,
    *ORTHOGONAL,
)  # fmt: skip
RECORDS: dict[str, Function] = {
    record.name: record
    for family in (ELEMENTARY, CONSTANTS, COMPLEX, PIECEWISE, COMPARISONS, CONNECTIVES, SPECIAL)
    for record in family
}


#: Functions that are quotients of sines and cosines.
QUOTIENTS = frozenset(f.name for f in (*TRIGONOMETRIC, *HYPERBOLIC) if f.definition)


def names(which: Callable[[Function], object]) -> frozenset[str]:
    """The names of the functions for which something holds.

    >>> sorted(names(lambda function: function.breaks == "whole"))
    ['ceil', 'floor', 'frac']

    """
    return frozenset(name for name, record in RECORDS.items() if which(record))


def spellings(system: str) -> dict[str, str]:
    """Our names of functions -> the names or notations of a system that has them.

    >>> spellings("maxima")["ln"]
    'log'

    """
    return {name: text for name, f in RECORDS.items() if (text := f.spelling(system))}
