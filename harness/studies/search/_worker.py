"""A task of workers: SymPy's `simplify`, as the released code calls it."""

from __future__ import annotations

from typing import Any

from ....benchmarks.lample_charton.algebra import counted_sympy
from ....benchmarks.lample_charton.algebra.backends import CALLS_PER_SECOND
from ....benchmarks.lample_charton.algebra.isolation import ForkError, load_sympy, run_in_fork
from ....benchmarks.lample_charton.algebra.work_limit import CallLimitError, call_limited
from ....benchmarks.lample_charton.codec.prefix import from_prefix
from ....benchmarks.lample_charton.codec.sympy_prefix import sympy_prefix
from ....rewards.expression.sympy_bridge import to_sympy

#: The published limit; it is counted in calls of SymPy, so that it is the same on any machine.
SECONDS = 1
_PROCESSOR_SECONDS = 15

counted_sympy.install()
load_sympy()


def simplified(tokens: str) -> dict[str, str]:
    """The tokens of a simplified formula, or the reason why there are none."""
    try:
        made: dict[str, str] = run_in_fork(_simplify, tokens, processor_seconds=_PROCESSOR_SECONDS)
    except ForkError as error:
        return {"tokens": "", "reason": f"SymPy: {error}"}
    return made


def _simplify(tokens: str) -> dict[str, str]:
    import sympy

    def evaluate() -> Any:
        # Without assumptions on x, as the released code has its problems.
        return sympy.simplify(to_sympy(from_prefix(tokens.split())))

    try:
        simple = call_limited(SECONDS * CALLS_PER_SECOND, evaluate)
    except CallLimitError:
        return {"tokens": "", "reason": f"more than {SECONDS} s of SymPy"}
    except Exception as error:  # SymPy raises many classes
        return {"tokens": "", "reason": f"SymPy fails: {type(error).__name__}"}
    if simple.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        return {"tokens": "", "reason": "infinite or not real"}
    try:
        return {"tokens": " ".join(sympy_prefix(simple)), "reason": ""}
    except ValueError as error:
        return {"tokens": "", "reason": str(error)}
