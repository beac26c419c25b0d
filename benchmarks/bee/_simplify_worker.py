"""The task of the workers of `benchmarks.bee.simplify`."""

from __future__ import annotations

import sympy
from sympy.core.cache import clear_cache

from ...rewards.reading.expression.sympy_bridge import from_sympy, to_sympy
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.latex import read, to_latex
from ...rewards.workers.processor_time import ProcessorTimeError, processor_time


def simplify(integrand: str, cpu_limit: float) -> str | None:
    """The simplified integrand in LaTeX for positive parameters; None if out of time.

    ``cpu_limit`` is in seconds of processor time; if the limit has no effect, the pool kills the
    worker.
    """
    clear_cache()  # the result must not depend on earlier ones
    tree = read(integrand, symbols=["x"])[0].expression
    assumptions = dict.fromkeys(symbols_of(tree) - {"x"}, "positive")
    try:
        with processor_time(cpu_limit):
            return to_latex(from_sympy(sympy.simplify(to_sympy(tree, assumptions))))
    except ProcessorTimeError:
        return None
