"""The task of the workers of `benchmarks.bee.simplify`."""

from __future__ import annotations

import signal
from types import FrameType

import sympy
from sympy.core.cache import clear_cache

from ...rewards.expression.sympy_bridge import from_sympy, to_sympy
from ...rewards.expression.traversal import symbols_of
from ...rewards.latex import read, to_latex


class _CpuLimitError(BaseException):
    """The time is up. Not an `Exception`, because SymPy would catch that and continue."""


def _stop(signum: int, frame: FrameType | None) -> None:
    raise _CpuLimitError


def simplify(integrand: str, cpu_limit: float) -> str | None:
    """The simplified integrand in LaTeX, symbols other than x being positive; None if out of time.

    ``cpu_limit`` is in seconds of processor time. A worker process may use signals, and the pool
    kills it if they fail.
    """
    clear_cache()  # the result must not depend on earlier ones
    tree = read(integrand, symbols=["x"])[0].expression
    kinds = dict.fromkeys(symbols_of(tree) - {"x"}, "positive")
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_limit)
    try:
        return to_latex(from_sympy(sympy.simplify(to_sympy(tree, kinds))))
    except _CpuLimitError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
