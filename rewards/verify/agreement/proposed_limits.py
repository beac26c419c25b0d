"""Limits that a computer algebra system proposes, and what speaks against them.

A proposal is no proof. An answer that agrees with it is accepted if values of the function come
nearer to it as well, and an answer that does not is never refuted.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from flint import acb, arb, fmpq

from ...numeric.ball_arithmetic.balls import UnusableError, precision
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.ball_arithmetic.jets import Ball
from ...proof.limit_questions import LimitQuestion
from ...proof.limits import Limit
from ...reading.expression.sympy_bridge import from_sympy, to_sympy
from ...reading.expression.tree import Expression

#: Distances from the point at which a limit is compared with the function, in powers of two, and
#: bits of the balls.
_DISTANCES: Final = (6, 12, 24, 48)
_BITS: Final = 1024


@lru_cache(maxsize=256)
def proposed(question: LimitQuestion) -> Limit | None:
    """The limit that SymPy finds, mostly by Gruntz's algorithm; None if it finds none."""
    import sympy

    try:
        expression = to_sympy(question.expression, {question.variable: "real"})
        variable = next(s for s in expression.free_symbols if s.name == question.variable)
        infinity = {1: sympy.oo, -1: -sympy.oo}
        at = infinity[question.at] if isinstance(question.at, int) else to_sympy(question.at)
        direction = {1: "+", -1: "-", 0: "+-"}[question.side]
        limit: Any = sympy.limit(expression, variable, at, "+" if at.is_infinite else direction)
        if limit.is_infinite:
            return (
                Limit(1 if limit.is_extended_positive else -1) if limit.is_extended_real else None
            )
        return Limit(value=from_sympy(limit)) if not limit.free_symbols else None
    except Exception:
        return None


def is_approached(question: LimitQuestion, limit: Limit) -> bool:
    """Whether values of the function come nearer and nearer to a limit."""
    signs = (question.side,) if question.side else (1, -1)
    signs = (question.at,) if isinstance(question.at, int) else signs
    return any(_from_side(question, limit, sign) for sign in signs)


def _from_side(question: LimitQuestion, limit: Limit, sign: int) -> bool:
    gaps: list[arb] = []
    try:
        tape = compile_tape(question.expression, question.variable)
        with precision(_BITS):
            value = _ball(limit.value) if limit.value is not None else None
            start = None if isinstance(question.at, int) else _ball(question.at)
            for exponent in _DISTANCES:
                size = fmpq(2) ** exponent
                x = acb(sign * size) if start is None else start + acb(sign / size)
                ball = tape.run(x, {}, derivative=False)[tape.root][0]
                if ball.is_finite():
                    gap = 1 / ball.real * limit.sign if value is None else abs(ball - value)
                    gaps.append(arb(gap))
    except UnusableError:
        return False
    nearer = all(bool(next_gap <= gap_before) for gap_before, next_gap in pairwise(gaps))
    return len(gaps) > 1 and nearer and bool(gaps[-1] >= 0)


def _ball(expression: Expression) -> Ball:
    tape = compile_tape(expression, "")
    return tape.run(acb(0), {}, derivative=False)[tape.root][0]
