"""Proofs that the rank of a matrix of expressions is at least a given number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import Final

from flint import acb, acb_mat

from ..numeric.ball_arithmetic.balls import precision
from ..numeric.ball_arithmetic.domain import uniform
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.ball_arithmetic.jets import Ball
from ..reading.expression.traversal import symbols_of
from ..reading.expression.tree import Expression

#: Points at which a rank is looked for, and minors of a matrix that are tried at each.
_POINTS, _MINORS = 6, 40
#: Bits of the balls: entries of textbooks' matrices lose less than 60.
_BITS: Final = 160


def balls_of(trees: Sequence[Expression], values: Mapping[str, Ball]) -> list[Ball] | None:
    """Compute balls (complex intervals) that contain the values of expressions.

    The result is None if a value is not finite.

    Args:
        trees: the expressions.
        values: the values of all symbols in the expressions.

    """
    with precision(_BITS):
        balls = [evaluate(tree, values) for tree in trees]
    return balls if all(ball.is_finite() for ball in balls) else None


def ball_of(tree: Expression) -> Ball | None:
    """Compute a ball (a complex interval) that contains the value of an expression.

    The symbols have fixed sample values. The result is None if the value is not finite.
    """
    values = {name: acb(0.5 + uniform("value", name)) for name in symbols_of(tree)}
    balls = balls_of([tree], values)
    return balls[0] if balls else None


def is_invertible(rows: Sequence[Sequence[Ball]]) -> bool:
    """Whether a matrix is proved invertible. Each entry is any number in a complex interval."""
    with precision(_BITS):
        return not acb_mat([list(row) for row in rows]).det().contains(0)


def has_rank(rows: Sequence[Sequence[Expression]], needed: int) -> bool:
    """Whether a matrix provably has at least a given rank at almost all points.

    The proof is a sample point at which the matrix has this rank or more.

    Args:
        rows: the matrix.
        needed: the rank.

    >>> from calculus_harness.rewards.reading.expression.tree import Number, Symbol
    >>> has_rank([[Symbol("x"), Number(1)]], 1)
    True

    """
    flat = [tree for row in rows for tree in row]
    names = sorted(set().union(*map(symbols_of, flat)))
    for attempt in range(_POINTS):
        values = {name: acb(0.25 + 1.5 * uniform("rank", attempt, name)) for name in names}
        balls = balls_of(flat, values)
        if balls is None:
            continue
        width = len(rows[0])
        minors = (
            [[balls[row * width + column] for column in columns] for row in chosen]
            for chosen in combinations(range(len(rows)), needed)
            for columns in combinations(range(width), needed)
        )
        if any(is_invertible(minor) for minor in islice(minors, _MINORS)):
            return True
    return False
