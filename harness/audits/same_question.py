"""Marks of questions of the course: equal for questions that are the same.

Two questions are the same if their trees are the same up to the name of the bound variable of a
limit, a sum or a derivative. Names of parameters and functions count, because their kinds may
depend on them. Questions with equal marks are the same; the same question in another algebraic form
may have another mark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ...rewards.errors import ProblemError
from ...rewards.reading.expression.traversal import substitute
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.problem.derivative import read_derivative
from ...rewards.reading.problem.differential_equation import read_differential_equation
from ...rewards.reading.problem.limit import read_limit
from ...rewards.reading.problem.power_series import asks_of_series, read_series
from ...rewards.reading.problem.sums import read_sum

#: The name in place of a bound variable; no text can have it.
_BOUND = Symbol("bound variable")


def question_key(name: str, problem: str, assumptions: Mapping[str, str]) -> str:
    """The mark of a question in 16 characters; empty for a question that cannot be read.

    Args:
        name: the name of the kind of question.
        problem: the text of the question.
        assumptions: kinds of symbols, as the row states them.

    """
    try:
        parts = _parts(name, problem)
    except ProblemError:
        return ""
    text = repr((name, parts, sorted(assumptions.items())))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _parts(name: str, problem: str) -> tuple[object, ...]:
    """Everything that a question asks."""
    if name == "limit":
        limit = read_limit(problem)
        trees = [_unnamed(each.expression, limit.variable) for each in limit.readings]
        return trees, limit.at, limit.side, limit.conditions, limit.whole
    if name == "sum" and not asks_of_series(problem):
        return tuple(
            each._replace(term=_unnamed(each.term, each.counter), counter="")
            for each in read_sum(problem)
        )
    if name == "sum":
        return (read_series(problem),)
    if name == "derivative":
        asked = read_derivative(problem, written=True)
        if asked.curve is None and not asked.definitions and not asked.point:
            return _unnamed(asked.derivative, asked.variable), asked.kinds, asked.bounds
        return (asked,)
    return (read_differential_equation(problem),)


def _unnamed(tree: Expression, variable: str) -> Expression:
    return substitute(tree, variable, _BOUND)
