"""Judges a power series that is the answer: a formula with a sum sign, or a series with dots."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from ...errors import ProblemError
from ...numeric.expansions.series import NotExpandedError
from ...numeric.outcome import Outcome
from ...numeric.quadrature.work import QuadratureError
from ...numeric.summation.choices import largest_constant
from ...proof.limits import are_equal
from ...proof.power_series import centre, radius
from ...reading.expression.build import ZERO, add, mul, number
from ...reading.expression.traversal import fold, substitute
from ...reading.expression.tree import Expression
from ...reading.problem.power_series import SeriesQuestion
from ...reading.problem.sums import SumProblem, read_sum
from ...verdict import Status
from ..answers import best
from .closed_forms import SumJudge

#: The points at which a series is compared with its function, as shares of the radius of
#: convergence, and the radius that is taken for a series that converges everywhere.
_SHARES: Final = (Fraction(1, 2), Fraction(-2, 5), Fraction(1, 3))
_RADIUS: Final = Fraction(1, 2)
#: The largest number in a term, unless the function has a larger one: a coefficient such as
#: binom(n, 32) changes the values by more than 10^-20, and values agree to 60 digits.
_LARGEST: Final = 32


def judge_expansion(text: str, question: SeriesQuestion, assumptions: Mapping[str, str]) -> Outcome:
    """Judge whether an answer is the Taylor series of a function.

    The answer has to be a power series about the centre of the question. Its values have to be
    those of the function at several points within the radius of convergence.

    Args:
        text: the answer.
        question: the question.
        assumptions: the assumption about each parameter, by the parameter's name.

    """
    try:
        readings = read_sum(text)
    except ProblemError:
        return Outcome(Status.UNPARSEABLE, detail="the answer is no series")
    return best((_judged(each, question, assumptions),) for each in readings)[0]


def _judged(
    series: SumProblem, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Outcome:
    x, function = question.variable, question.function
    largest = largest_constant(function, 10 * _LARGEST)
    if largest_constant(series.term, 10 * _LARGEST) > max(largest, _LARGEST):
        return Outcome(Status.UNDECIDED, detail=f"numbers above {max(largest, _LARGEST)}")
    try:
        size = _radius(series, question, assumptions)
    except ProblemError as error:
        return Outcome(Status.INCORRECT, detail=str(error))
    except (QuadratureError, NotExpandedError) as error:
        return Outcome(Status.UNDECIDED, detail=str(error))
    outcome = Outcome(Status.UNDECIDED)
    for share in _SHARES:
        point = add(question.centre, mul(number(share), size))
        at_point = series._replace(
            term=substitute(series.term, x, point),
            factor=substitute(series.factor, x, point),
            outside=substitute(series.outside, x, point),
        )
        judge = SumJudge(at_point, tuple(assumptions.items()))
        outcome = judge.judge(substitute(function, x, point), "")
        if outcome.status is not Status.CORRECT:
            return outcome
    return Outcome(Status.CORRECT, points=len(_SHARES), digits=outcome.digits)


def _radius(
    series: SumProblem, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Expression:
    """The radius of convergence of an answer.

    Raises:
        ProblemError: the answer is no power series about the point of the question.

    """
    asked = SeriesQuestion("radius", ZERO, question.variable, series=(series,))
    if not are_equal(centre(asked), question.centre, assumptions):
        raise ProblemError("the series has another centre")
    size = radius(asked, assumptions)
    if size is not None and fold(size) == 0:
        raise ProblemError("the series converges at its centre only")
    return number(_RADIUS) if size is None else size
