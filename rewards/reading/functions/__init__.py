"""Functions and named constants, with a record each. All tables of names come from the records.

`rewards.numeric.ball_arithmetic.functions.RULES` has the rules for ball arithmetic, and
`rewards.proof.prover` has the rules for proofs. A function without a rule is computed by the
definition and differentiated by the record (CONTRIBUTING.md, "A function").
"""

from __future__ import annotations

from collections.abc import Callable

from . import arithmetic, elementary, higher, integrals  # noqa: F401  # they register
from .arithmetic import ARITHMETIC, COMPARISONS, COMPLEX, CONNECTIVES, CONSTANTS, PIECEWISE
from .elementary import HYPERBOLIC, INVERSE_HYPERBOLIC, INVERSE_TRIGONOMETRIC, TRIGONOMETRIC
from .higher import FACTORIALS, GAMMA
from .record import PRODUCT, RECORDS, ROOT, Function

__all__ = [
    "ARITHMETIC", "COMPARISONS", "COMPLEX", "CONNECTIVES", "CONSTANTS", "ELEMENTARY",
    "FACTORIALS", "GAMMA", "HYPERBOLIC", "INVERSE_HYPERBOLIC", "INVERSE_TRIGONOMETRIC",
    "PIECEWISE", "QUOTIENTS", "RECORDS", "TRANSCENDENTAL", "TRIGONOMETRIC", "Function",
    "names", "spellings",
]  # fmt: skip

#: Analytic functions that are elementary.
ELEMENTARY = (
    *ARITHMETIC, *TRIGONOMETRIC, *INVERSE_TRIGONOMETRIC, *HYPERBOLIC, *INVERSE_HYPERBOLIC,
)  # fmt: skip
#: Exponential functions, logarithms, trigonometric and hyperbolic functions, and inverse functions.
TRANSCENDENTAL = frozenset(f.name for f in ELEMENTARY if f.branch != ROOT and f.cost != PRODUCT)
#: Functions that are quotients of sines and cosines.
QUOTIENTS = frozenset(
    f.name for f in (*TRIGONOMETRIC, *HYPERBOLIC) if f.definition and not f.branch
)


def names(which: Callable[[Function], object]) -> frozenset[str]:
    """The names of the functions whose records satisfy a condition.

    Args:
        which: the condition, a function from records to truth values.

    Returns:
        The names.

    >>> sorted(names(lambda function: function.breaks == "whole"))
    ['ceil', 'floor', 'frac']

    """
    return frozenset(name for name, record in RECORDS.items() if which(record))


def spellings(system: str) -> dict[str, str]:
    """The names of functions in a computer algebra system.

    Args:
        system: the system's name in lower case.

    Returns:
        A dictionary. The keys are names in trees. The values are the system's names or templates.
        Functions unknown to the system are left out.

    >>> spellings("maxima")["ln"]
    'log'

    """
    return {name: text for name, f in RECORDS.items() if (text := f.spelling(system))}
