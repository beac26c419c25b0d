"""SymPy's heuristic integration, ended at once where it certainly exceeds its limit of calls.

Most of the time of FWD goes to integrands that have no closed form, and most of that to `heurisch`.
It makes a polynomial with an unknown coefficient for each monomial up to some degree in the parts
of the integrand, differentiates it and solves for the coefficients. The number of monomials is
known before that work, and so is a lower bound of the calls that it takes. Ending it there rejects
just the attempts that the limit rejects later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import comb
from typing import Any

from .work_limit import require_calls

#: Calls for each monomial before the equations are solved, at least: for one that is new, and for
#: one that was differentiated before, which is in SymPy's cache. From 28 monomials on, none of 60
#: polynomials measured took fewer than 3,300 and 750.
NEW_MONOMIAL, OLD_MONOMIAL = 3000, 350
#: With fewer monomials, other work dominates.
FEW_MONOMIALS = 100


@contextmanager
def ended_early() -> Iterator[None]:
    """Within it, `heurisch` raises `CallLimitError` as soon as it is certain to be raised."""
    from sympy.integrals import heurisch

    itermonomials, most_before = heurisch.itermonomials, 0

    def counted(variables: Sequence[Any], degree: Any, *args: Any) -> Any:
        nonlocal most_before
        monomials = comb(len(variables) + int(degree), int(degree))
        if monomials >= FEW_MONOMIALS:
            new = max(0, monomials - most_before)
            require_calls(NEW_MONOMIAL * new + OLD_MONOMIAL * (monomials - new))
        most_before = max(most_before, monomials)
        return itermonomials(variables, degree, *args)

    heurisch.itermonomials = counted
    try:
        yield
    finally:
        heurisch.itermonomials = itermonomials
