"""Judges values of parameters that have to make a piecewise function continuous.

At each point, the limits from both sides and the value of the function have to be equal. For a
differentiable function, the limits of the derivative have to be equal, too. The differences are
called residuals. First, the values are put into the function, because a limit with a parameter
holds for almost all values of the parameter only: x^k tends to 0 at 0, but not for k = 0. Then, if
the residuals with parameters are linear in the parameters and of full rank, no other values fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..numeric.expansions.germs import GermExpander, LimitPoint
from ..numeric.expansions.series import NotExpandedError
from ..numeric.outcome import Outcome
from ..reading.expression.build import add, neg
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import substitute, substitute_all, symbols_of
from ..reading.expression.tree import Call, Expression
from ..reading.problem.question.continuity import ContinuityQuestion
from ..verdict import Status
from .constants import ExactNumbers
from .limits import limit
from .ranks import has_rank


def judge_parameters(question: ContinuityQuestion, values: Mapping[str, Expression]) -> Outcome:
    """Judge values of the parameters.

    Args:
        question: the question.
        values: the value of each parameter, without symbols.

    """
    # A nonzero residual refutes the values. If all vanish, the values are right only if no other
    # values fit, which `_is_determined` shows.
    numbers, function = ExactNumbers(), substitute_all(question.function, values.items())
    try:
        residuals = _residuals(question._replace(function=function))
        if not all(numbers.is_zero(numbers.value(residual)) for residual in residuals):
            return Outcome(Status.INCORRECT, detail="the function is not continuous there")
        if not _is_determined(question):
            return Outcome(Status.UNDECIDED, detail="other values may fit, too")
    except (NotExpandedError, ValueError) as error:
        return Outcome(Status.UNDECIDED, detail=str(error))
    return Outcome(Status.CORRECT, points=len(question.points), proof="expansion")


def _residuals(question: ContinuityQuestion) -> Iterator[Expression]:
    function, x = question.function, question.variable
    for point in question.points:
        from_left, from_right = (_one_sided(function, x, point, side) for side in (-1, 1))
        yield add(from_left, neg(from_right))
        yield add(_value_at(function, x, point), neg(from_right))
        if question.differentiable:
            slope = _slope(function, x)
            from_left, from_right = (_one_sided(slope, x, point, side) for side in (-1, 1))
            yield add(from_left, neg(from_right))


def _one_sided(function: Expression, variable: str, point: Expression, side: int) -> Expression:
    one_sided = limit(function, variable, point, side)
    if one_sided.value is None:
        raise NotExpandedError("a one-sided limit is not a number")
    return one_sided.value


def _slope(function: Expression, variable: str) -> Expression:
    """The derivative of a piecewise function, apart from the points where the pieces meet."""
    pieces = (
        arg if at % 2 else differentiate(arg, variable) for at, arg in enumerate(function.args)
    )
    return Call("piecewise", tuple(pieces))


def _value_at(function: Expression, variable: str, point: Expression) -> Expression:
    """The value of the first piece whose condition holds at a point."""
    expander = GermExpander(ExactNumbers(), variable, LimitPoint(None))
    value = expander.piecewise(*substitute(function, variable, point).args)
    return expander.constants.tree(value)


def _is_determined(question: ContinuityQuestion) -> bool:
    """Whether the residuals are linear in the parameters, and determine all parameters."""
    rows = [
        [differentiate(residual, name) for name in question.unknowns]
        for residual in _residuals(question)
    ]
    is_linear = not any(symbols_of(entry) for row in rows for entry in row)
    return is_linear and has_rank(rows, len(question.unknowns))
