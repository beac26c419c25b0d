"""Runs in a worker of `harness.models.solvers.SympySolver`: LaTeX in, LaTeX out."""

from __future__ import annotations

import time

import sympy
from sympy.core.cache import clear_cache

from rewards.latex import read
from rewards.sympy_bridge import to_sympy


def integrate(integrand: str, variable: str) -> tuple[str, float]:
    """SymPy's antiderivative of a LaTeX integrand, and the seconds that it took.

    An integral that SymPy leaves unevaluated is printed as it stands.
    """
    start = time.perf_counter()
    clear_cache()  # what was asked before must not change the answer
    expression = to_sympy(read(integrand, symbols=[variable])[0].expression)
    answer = sympy.latex(sympy.integrate(expression, sympy.Symbol(variable)))
    return f"{answer} + C", time.perf_counter() - start
