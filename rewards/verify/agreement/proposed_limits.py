"""Limits that a computer algebra system proposes, and checks of the proposals.

A proposal is no proof. An answer that agrees with a proposal is accepted only if values of the
function approach the proposal. An answer that differs from a proposal is never refuted.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from flint import acb, arb, fmpq

from ...numeric.ball_arithmetic.balls import UnusableError, precision
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.ball_arithmetic.evaluation import evaluate
from ...numeric.ball_arithmetic.jets import is_unreal
from ...proof.limit_questions import LimitQuestion
from ...proof.limits import Limit
from ...reading.expression.sympy_bridge import from_sympy, to_sympy

#: Distances from the point at which a limit is compared with the function, in powers of two, and
#: bits of the balls.
_DISTANCES: Final = (6, 12, 24, 48)
_BITS: Final = 1024
#: How many times nearer the function is at the least distance than at the greatest. The slowest
#: approach that textbooks have is that of 1/ln x, eight times; a constant comes no nearer.
_NEARER: Final = 4


@lru_cache(maxsize=256)
def proposed(question: LimitQuestion) -> Limit | None:
    """The limit that SymPy finds.

    SymPy is asked twice, because its result may depend on whether the variable is declared real. A
    result is rejected if the values of the function do not approach the result. If both results are
    rejected, None is returned.
    """
    for assumptions in ({}, {question.variable: "real"}):
        limit = _found_by_sympy(question, assumptions)
        if limit is not None and is_approached(question, limit):
            return limit
    return None


def _found_by_sympy(question: LimitQuestion, assumptions: dict[str, str]) -> Limit | None:
    """The result of `sympy.limit`, which mostly uses Gruntz's algorithm."""
    import sympy

    try:
        expression = to_sympy(question.expression, assumptions)
        variable = next(s for s in expression.free_symbols if s.name == question.variable)
        infinity = {1: sympy.oo, -1: -sympy.oo}
        at = infinity[question.at] if isinstance(question.at, int) else to_sympy(question.at)
        direction = {1: "+", -1: "-", 0: "+-"}[question.side]
        limit: Any = sympy.limit(expression, variable, at, "+" if at.is_infinite else direction)
        if limit.is_infinite:
            sign = 1 if limit.is_extended_positive else -1
            return Limit(sign) if limit.is_extended_real else None
        return Limit(value=from_sympy(limit)) if not limit.free_symbols else None
    except Exception:  # SymPy raises whatever it meets
        return None


def is_approached(question: LimitQuestion, limit: Limit) -> bool:
    """Whether the function's values come closer and closer to a proposed limit.

    The result is False for a function with steps, which may be nearer than all points, and for
    values that come closer from one side only.
    """
    signs = (question.side,) if question.side else (1, -1)
    signs = (question.at,) if isinstance(question.at, int) else signs
    sides = {_from_side(question, limit, sign) for sign in signs}
    return True in sides and False not in sides


def _from_side(question: LimitQuestion, limit: Limit, sign: int) -> bool | None:
    """Whether values on one side come closer. None if too few values are real there."""
    gaps: list[arb] = []
    try:
        tape = compile_tape(question.expression, question.variable)
        if tape.breaks:
            return False
        with precision(_BITS):
            value = evaluate(limit.value) if limit.value is not None else None
            start = None if isinstance(question.at, int) else evaluate(question.at)
            for exponent in _DISTANCES:
                size = fmpq(2) ** exponent
                x = acb(sign * size) if start is None else start + acb(sign / size)
                ball = tape.value(x, {})
                if ball.is_finite() and not is_unreal(ball):
                    gap = 1 / ball.real * limit.sign if value is None else abs(ball - value)
                    gaps.append(arb(gap))
    except UnusableError:
        return False
    if len(gaps) < 2:
        return None
    if not all(bool(gap >= 0) for gap in gaps):
        return False
    nearer = all(bool(next_gap <= gap_before) for gap_before, next_gap in pairwise(gaps))
    return nearer and bool(gaps[-1] <= gaps[0] / _NEARER)
