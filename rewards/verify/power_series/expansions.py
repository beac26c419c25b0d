"""Judges a power series that is the answer: a formula with a sum sign, or a series with dots."""

from __future__ import annotations

from ...errors import ProblemError
from ...numeric.expansions.series import NotExpandedError
from ...numeric.outcome import Outcome
from ...numeric.quadrature.work import QuadratureError
from ...proof.limits import are_equal
from ...proof.power_series import GENERAL, GeneralTerm, coefficients_of, general_term
from ...reading.expression.build import ZERO, add, mul
from ...reading.expression.traversal import degree, fold, substitute, symbols_of
from ...reading.expression.tree import Expression, Number
from ...reading.problem.power_series import SeriesQuestion
from ...reading.problem.sums import SumProblem, read_sum
from ...verdict import Status
from ..answers import best
from .quantities import may_vanish


def judge_expansion(text: str, question: SeriesQuestion) -> Outcome:
    """Judge whether an answer is the Taylor series of a function.

    The answer has to be a power series about the point of the question, perhaps plus a polynomial.
    The polynomial has at most the degree
    `GENERAL`. All coefficients up to this degree have to be those of the function.

    Args:
        text: the answer.
        question: the question.

    """
    try:
        readings = read_sum(text)
    except ProblemError:
        return Outcome(Status.UNPARSEABLE, detail="the answer is no series")
    return best((_judged(reading, question),) for reading in readings)[0]


def _judged(series: SumProblem, question: SeriesQuestion) -> Outcome:
    assumptions = question.assumptions
    expected = coefficients_of(question.function, question, GENERAL)
    try:
        general = general_term(series, question.variable)
        if not are_equal(general.centre, question.centre, assumptions):
            return Outcome(Status.INCORRECT, detail="the series has another centre")
        stated, compared = _coefficients(series, question, general)
        for k in range(GENERAL + 1):
            if not are_equal(stated.get(k, ZERO), dict(expected).get(k, ZERO), assumptions):
                return Outcome(Status.INCORRECT, detail=f"another coefficient of the power {k}")
    except (QuadratureError, NotExpandedError, ValueError) as error:  # and `ProblemError`
        return Outcome(Status.UNDECIDED, detail=str(error))
    # A polynomial with fewer factors n - k than compared terms cannot vanish at all of them.
    if may_vanish(series.term, series.counter, compared - 1):
        return Outcome(Status.UNDECIDED, detail=f"agrees for {compared} terms")
    return Outcome(Status.CORRECT, points=compared, proof="agreement")


def _coefficients(
    series: SumProblem, question: SeriesQuestion, general: GeneralTerm
) -> tuple[dict[int, Expression], int]:
    """The coefficients of an answer up to the degree `GENERAL`, and the number of terms.

    Raises:
        ProblemError: the answer is no power series with whole exponents.

    """
    x, index = question.variable, series.counter
    start = fold(series.limits[0]) if series.is_series else None
    outside = degree(series.outside, x)
    if start is None or x in symbols_of(series.factor) or outside is None:
        raise ProblemError("the series is no power series, or has further terms")
    if outside > GENERAL:
        raise ProblemError(f"terms beside the series have powers above {GENERAL}")
    coefficients = dict(coefficients_of(series.outside, question, GENERAL))
    for n in range(int(start), int(start) + GENERAL + 1):
        k = fold(substitute(general.exponent, index, Number(n)))
        if k is None or k.denominator != 1 or k < 0:
            raise ProblemError("the series has other powers than whole ones")
        if k > GENERAL:
            return coefficients, n - int(start)
        term = mul(series.factor, substitute(general.coefficient, index, Number(n)))
        coefficients[int(k)] = add(coefficients.get(int(k), ZERO), term)
    return coefficients, GENERAL + 1
