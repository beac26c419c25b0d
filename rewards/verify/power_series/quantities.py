r"""Judges quantities of a power series: polynomial, coefficient, remainder, radius, interval.

The function and a polynomial answer are expanded at the point with exact coefficients
(`rewards.numeric.expansions`). The polynomial is right if all coefficients up to the degree in the
question are equal. It is wrong if two coefficients are proved to differ.
"""

from __future__ import annotations

from typing import Final

from ...errors import ProblemError
from ...numeric.ball_arithmetic.balls import precision
from ...numeric.expansions.series import NotExpandedError, UndefinedError
from ...numeric.outcome import Outcome, show
from ...numeric.quadrature.work import QuadratureError
from ...numeric.summation.hypergeometric import value_of
from ...proof.equality import equality
from ...proof.limit_questions import with_values
from ...proof.limits import are_equal
from ...proof.power_series import (
    GENERAL,
    coefficients_of,
    degree_of_terms,
    general_coefficients,
    interval_of_convergence,
    lagrange_remainder,
    radius,
    whole_degree,
)
from ...proof.ranks import ball_of
from ...reading.expression.build import ZERO
from ...reading.expression.traversal import all_nodes, fold, substitute, symbols_of
from ...reading.expression.traversal import degree as degree_of
from ...reading.expression.tree import Expression, Number, Symbol
from ...reading.functions.arithmetic import COMPARISONS, PIECEWISE
from ...reading.problem.conditions import Interval
from ...reading.problem.power_series import MAX_DEGREE, SeriesQuestion
from ...verdict import Status, Witness
from ..answers import with_strangers
from ..values import compare_values

#: Polynomials that are multiplied out. A product such as x^5 (1+x)^40 - x^5 (1+x)^40 may be 0.
LARGEST_DEGREE: Final = 4 * MAX_DEGREE
#: Functions that may change at a number, without `piecewise`, which has comparisons.
_WITH_CASES: Final = {record.name for record in (*PIECEWISE, *COMPARISONS)} - {"piecewise"}


def judge_quantity(
    answer: Expression | Interval | int,
    question: SeriesQuestion,
    through: int = 0,
) -> Outcome:
    """Judge whether an answer is what a question about a power series asks for.

    Args:
        answer: the answer, an interval, or 1 or -1 for an infinity.
        question: the question.
        through: the degree up to which the coefficients of a polynomial have to be right. A
            negative number means that the remainder in the answer hides terms that the question
            asks for.

    Raises:
        ProblemError: the function has no Taylor series at the point.

    """
    if through < 0:
        detail = "the remainder is larger than terms that are asked for"
        return Outcome(Status.INCORRECT, detail=detail)
    try:
        if isinstance(answer, Interval):
            return _interval(answer, question)
        if question.wanted == "radius":
            return _radius(answer, question)
        if isinstance(answer, int):
            return Outcome(Status.INCORRECT, detail="no number, nor a polynomial")
        if question.wanted == "coefficient":
            return _coefficient(answer, question)
        if question.wanted == "remainder":
            return _lagrange(answer, question)
        return _polynomial(answer, question, through)
    except (NotExpandedError, QuadratureError, ValueError, RecursionError) as error:
        if isinstance(error, ProblemError):
            raise
        return Outcome(Status.UNDECIDED, detail=str(error))


def _polynomial(answer: Expression, question: SeriesQuestion, through: int) -> Outcome:
    degree = whole_degree(question.degree)
    if question.terms:
        degree = through = degree_of_terms(question)
    bound = degree_of(answer, question.variable)
    if bound is None:
        return Outcome(Status.INCORRECT, detail="the answer is no polynomial")
    if (strange := with_strangers(answer, question.parameters)) is not None:
        return strange
    if bound > LARGEST_DEGREE:
        return Outcome(Status.UNDECIDED, detail=f"the degree may be more than {LARGEST_DEGREE}")
    if bound > degree and any(k > degree for k, _ in coefficients_of(answer, question, bound)):
        return Outcome(Status.INCORRECT, detail=f"the degree is more than {degree}")
    terms = dict(coefficients_of(question.function, question, through))
    got = dict(coefficients_of(answer, question, degree))
    for k in range(through + 1):
        got_term, second = got.get(k, ZERO), terms.get(k, ZERO)
        if got_term != second and not are_equal(got_term, second, question.assumptions):
            power_ = f"({question.variable} - a)^{k}" if question.centre != ZERO else f"x^{k}"
            detail = f"another coefficient of {power_}"
            return Outcome(Status.INCORRECT, detail=detail, witness=_witness(second, got_term))
    return Outcome(Status.CORRECT, points=degree + 1, proof="expansion")


def _witness(expected: Expression, got: Expression) -> Witness | None:
    if symbols_of(expected) | symbols_of(got):
        return None
    with precision(128):
        return Witness("", expected=show(value_of(expected)), got=show(value_of(got)))


def _coefficient(answer: Expression, question: SeriesQuestion) -> Outcome:
    if (strange := with_strangers(answer, question.parameters)) is not None:
        return strange
    name = next(iter(symbols_of(question.degree)), "")
    if not name:
        k = whole_degree(question.degree)
        expected = dict(coefficients_of(question.function, question, k)).get(k, ZERO)
        if are_equal(answer, expected, question.assumptions):
            return Outcome(Status.CORRECT, points=1, proof="expansion")
        return Outcome(Status.INCORRECT, witness=_witness(expected, answer))
    # a formula for the coefficient of x^n: agreement for many n is no proof
    compared = 0
    for n, expected in general_coefficients(question):
        value = substitute(answer, name, Number(n))
        try:
            same = are_equal(value, expected, question.assumptions)
        except (UndefinedError, NotExpandedError):
            continue  # 1/n has no value for n = 0
        if not same and n:
            detail = f"another coefficient for {name} = {n}"
            return Outcome(Status.INCORRECT, detail=detail, witness=_witness(expected, value))
        compared += same
    if compared < GENERAL // 3 or may_vanish(answer, name, GENERAL // 2):
        return Outcome(Status.UNDECIDED, detail=f"agrees for {compared} values of {name}")
    return Outcome(Status.CORRECT, points=compared, proof="agreement")


def may_vanish(formula: Expression, name: str, max_zeros: int) -> bool:
    """Whether a subexpression may vanish at more than ``max_zeros`` of the numbers 0, 1, 2...

    Such a subexpression has a larger constant, more factors n - k, or cases of a function of n.
    """
    nodes = all_nodes(formula)
    constants = [ball_of(node) for node in nodes if not symbols_of(node)]
    is_large = any(ball is None or not abs(ball) < max_zeros + 1 for ball in constants)
    factors = nodes.count(Symbol(name))
    cases = [arg for node in nodes if node.function in _WITH_CASES for arg in node.args]
    compares = any(not isinstance(arg, Symbol) and fold(arg) is None for arg in cases)
    return is_large or factors > max_zeros or compares


def _lagrange(answer: Expression, question: SeriesQuestion) -> Outcome:
    """Judge a remainder in Lagrange's form.

    The remainder has the form of the next term of the series. The derivative in the remainder is
    taken at a point between the centre and x.
    """
    degree = whole_degree(question.degree)
    between = sorted(symbols_of(answer) - set(question.parameters))
    if len(between) > 1:
        return Outcome(Status.INCORRECT, detail=f"several new symbols: {', '.join(between)}")
    name = between[0] if between else "c"
    expected = lagrange_remainder(question, degree, name)
    if not between and name in symbols_of(expected):
        return Outcome(Status.INCORRECT, detail="the point between is missing")
    if equality(answer, expected) is not None:
        return Outcome(Status.CORRECT, points=1, proof="identity")
    names = sorted(symbols_of(answer) | symbols_of(expected))
    for at in range(3):
        draw = tuple((name, (7 + 4 * k + 2 * at) / 16) for k, name in enumerate(names))
        outcome = compare_values(with_values(answer, draw), with_values(expected, draw))
        if outcome.status is Status.INCORRECT:
            return outcome
    return Outcome(Status.UNDECIDED, detail="the remainder agrees, and is not proved")


def _radius(answer: Expression | int, question: SeriesQuestion) -> Outcome:
    """Judge a radius of convergence. The answer is an expression, or 1 or -1 for an infinity."""
    expected = radius(question)
    if isinstance(answer, int) or expected is None:
        if answer == 1 and expected is None:
            return Outcome(Status.CORRECT, points=1, proof="expansion")
        is_number = not isinstance(answer, int)
        detail = "the series converges everywhere" if is_number else "the radius is finite"
        return Outcome(Status.INCORRECT, detail=detail)
    if symbols_of(answer) - set(question.parameters):
        return Outcome(Status.INCORRECT, detail="the radius is a number")
    if are_equal(answer, expected, question.assumptions):
        return Outcome(Status.CORRECT, points=1, proof="expansion")
    return Outcome(Status.INCORRECT, witness=_witness(expected, answer))


def _interval(answer: Interval, question: SeriesQuestion) -> Outcome:
    """Judge an interval of convergence. An end belongs to it if the series converges there."""
    expected, at_ends = interval_of_convergence(question)
    if at_ends is None:
        everywhere = answer.ends == expected.ends
        status = Status.CORRECT if everywhere else Status.INCORRECT
        return Outcome(status, points=1, proof="expansion", detail="" if everywhere else "all x")
    for end, right in zip(answer.ends, expected.ends, strict=True):
        if end is None or right is None or not are_equal(end, right, {}):
            return Outcome(Status.INCORRECT, detail="another end of the interval")
    undecided = ""
    for closed, outcome in zip(answer.closed, at_ends, strict=True):
        if outcome.status not in (Status.CORRECT, Status.INCORRECT):
            undecided = outcome.detail or "the convergence at an end is not decided"
        elif closed != (outcome.status is Status.CORRECT):
            return Outcome(Status.INCORRECT, detail=f"at an end, {outcome.detail}")
    if undecided:
        return Outcome(Status.UNDECIDED, detail=undecided)
    return Outcome(Status.CORRECT, points=2, proof="expansion")
