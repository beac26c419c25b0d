"""Runs in a worker of `harness.models.solvers.SympySolver`: LaTeX in, LaTeX out."""

from __future__ import annotations

import sympy
from rewards.sympy_bridge import to_sympy
from sympy.core.cache import clear_cache

from rewards.latex import read


def integrate(integrand: str, variable: str) -> str:
    """SymPy's antiderivative of a LaTeX integrand; an unevaluated rest is printed as it stands."""
    clear_cache()  # what was asked before must not change the answer
    expression = to_sympy(read(integrand, symbols=[variable])[0].expression)
    return str(sympy.latex(sympy.integrate(expression, sympy.Symbol(variable)))) + " + C"
