"""SymPy's heuristic integration, ended early if the limit of calls will certainly be exceeded.

Most of the time of FWD goes to integrands without a closed form, mainly in `heurisch`, which makes
a polynomial in the integrand's components with an unknown coefficient for each monomial up to some
degree, differentiates the polynomial and solves for the coefficients. The number of monomials is
known in advance, and gives a lower bound of the number of calls. The early end rejects exactly the
attempts that the limit would reject later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import comb
from typing import Any

from .work_limit import require_calls

#: Lower bounds of the calls per monomial before the equations are solved: for a new monomial, and
#: for a monomial in SymPy's cache of derivatives. From 28 monomials on, none of 60 polynomials
#: measured took fewer than 3,300 and 750.
NEW_MONOMIAL, OLD_MONOMIAL = 3000, 350
#: With fewer monomials, other work dominates.
FEW_MONOMIALS = 100


@contextmanager
def ended_early() -> Iterator[None]:
    """A context in which `heurisch` raises `CallLimitError` as soon as the error is certain."""
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
