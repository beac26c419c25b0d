r"""Equations of numbers with ``\pm`` or i, such as the roots of a characteristic equation."""

from __future__ import annotations

import re

from .....numeric.ball_arithmetic.balls import UnusableError, precision
from .....numeric.ball_arithmetic.compare import compare
from .....numeric.ball_arithmetic.evaluation import evaluate
from .....numeric.ball_arithmetic.jets import Ball
from .....reading.expression.traversal import needs_worker, substitute, symbols_of
from .....reading.expression.tree import Call, Number
from .....reading.latex import ReadError, read
from ...result import Judgement

_BITS = 128
_BOTH_SIGNS = re.compile(r"\\pm(?![A-Za-z])|±")
_HAS_I = re.compile(r"(?<![A-Za-z\\])i(?![A-Za-z])")
_I = Call("sqrt", (Number(-1),))


def both_signs(lhs: str, rhs: str) -> Judgement | None:
    r"""The judgement on an equation of numbers with ``\pm`` or i. None for other equations."""
    signed = [_BOTH_SIGNS.search(side) is not None for side in (lhs, rhs)]
    if signed[0] != signed[1] or not (all(signed) or any(map(_HAS_I.search, (lhs, rhs)))):
        return None
    with precision(_BITS):
        values = [
            [_value(_BOTH_SIGNS.sub(f" {sign} ", side)) for sign in "+-"[: 1 + signed[0]]]
            for side in (lhs, rhs)
        ]
        lhs_values, rhs_values = ([value for value in of if value is not None] for of in values)
        if len(lhs_values) != len(values[0]) or len(rhs_values) != len(values[1]):
            return None
        pairs = [
            [compare(lhs_value, rhs_value).same for rhs_value in rhs_values]
            for lhs_value in lhs_values
        ]
        negated = not all(signed) and compare(lhs_values[0], -rhs_values[0]).same is not False
    if all(any(row) for row in pairs) and all(any(column) for column in zip(*pairs, strict=True)):
        return Judgement.CORRECT
    certain = any(all(same is False for same in row) for row in pairs) and not negated
    return Judgement.INCORRECT if certain else None


def _value(latex: str) -> Ball | None:
    try:
        readings = read(latex, symbols="i")
    except ReadError:
        return None
    tree = substitute(readings[0].expression, "i", _I)
    if len(readings) > 1 or symbols_of(tree) or needs_worker(tree):
        return None
    try:
        value = evaluate(tree)
    except (ArithmeticError, UnusableError):
        return None
    return value if value.is_finite() else None
