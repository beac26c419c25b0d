"""Runs in a worker of `benchmarks.bee.simplify`: LaTeX in, LaTeX out."""

from __future__ import annotations

import signal
from types import FrameType

import sympy
from sympy.core.cache import clear_cache

from ...rewards.expression.sympy_bridge import from_sympy, to_sympy
from ...rewards.expression.traversal import symbols_of
from ...rewards.latex import read, to_latex


class _OutOfTimeError(BaseException):
    """Not an `Exception`, which SymPy might take for a failure of its own and go on."""


def _ring(signum: int, frame: FrameType | None) -> None:
    raise _OutOfTimeError


def simplify(integrand: str, cpu_limit: float) -> str | None:
    """An integrand in x as SymPy simplifies it, its other symbols taken to be positive.

    None after ``cpu_limit`` seconds of processor time. (The process may use signals: it is a
    worker's own, and the pool kills it if they fail.)
    """
    clear_cache()  # what was asked before must not change the answer
    tree = read(integrand, symbols=["x"])[0].expression
    kinds = dict.fromkeys(symbols_of(tree) - {"x"}, "positive")
    signal.signal(signal.SIGVTALRM, _ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_limit)
    try:
        return to_latex(from_sympy(sympy.simplify(to_sympy(tree, kinds))))
    except _OutOfTimeError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
