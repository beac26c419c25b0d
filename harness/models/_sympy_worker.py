"""Runs in a worker of `harness.models.solvers.SympySolver`: LaTeX in, LaTeX out."""

from __future__ import annotations

import time

import sympy
from sympy.core.cache import clear_cache

from rewards.latex import read
from rewards.sympy_bridge import to_sympy


def integrate(integrand: str, variable: str) -> tuple[str, str, float]:
    """What SymPy says of a LaTeX integrand, a remark, and the seconds that it took.

    An integral that SymPy leaves unevaluated is printed as it stands. An exception out of
    `sympy.integrate` is its way to give up: no answer, with the exception as the remark.
    """
    start = time.perf_counter()
    clear_cache()  # what was asked before must not change the answer
    expression = to_sympy(read(integrand, symbols=[variable])[0].expression)
    try:
        answer, remark = sympy.latex(sympy.integrate(expression, sympy.Symbol(variable))), ""
    except MemoryError:
        raise
    except Exception as error:
        answer, remark = "", f"SymPy raised {type(error).__name__}: {error}"
    text = rf"\boxed{{{answer} + C}}" if answer else ""
    return text, remark, time.perf_counter() - start
