r"""Judges answers about power series: Taylor polynomial, coefficient, remainder, radius.

The difference of the function and a polynomial is expanded at the point with exact coefficients
(`rewards.numeric.expansions`). The polynomial is right if the leading term has a higher power than
the degree of the question, and wrong if a term of a lower power is proved not to be zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from ...errors import ProblemError
from ...numeric.ball_arithmetic.balls import precision
from ...numeric.expansions.series import NotExpandedError, UndefinedError
from ...numeric.outcome import Outcome, show
from ...numeric.quadrature.work import QuadratureError
from ...numeric.summation.hypergeometric import value_of
from ...proof.limits import are_equal
from ...proof.power_series import coefficients_of, radius
from ...reading.expression.build import ZERO, add, div, mul, neg, power
from ...reading.expression.derivative import differentiate
from ...reading.expression.traversal import fold, is_constant, nodes_of, substitute, symbols_of
from ...reading.expression.tree import Expression, Number, Symbol
from ...reading.problem.power_series import MAX_DEGREE, SeriesQuestion
from ...verdict import Status, Witness
from ..values import compare_values, equality

#: Values of n at which a formula for the coefficient of x^n is compared.
GENERAL: Final = 24
#: A remainder at the end of a polynomial: O(x^5), o(x^4), R_4(x), dots.
_REMAINDER: Final = re.compile(
    r"\s*\+\s*(?:(?P<order>(?:\\mathcal\s*\{?\s*)?[oO]\s*\}?)\s*(?:\\left|\\bigl?)?\s*\(\s*(?P<power>.+?)"
    r"\s*(?:\\right|\\bigr?)?\)|R_\{?\d*\}?(?:\s*\([^()]*\))?|\\c?dots|\\ldots|\.\.\.|…)\s*\.?\s*\Z"
)
_POWER_OF: Final = re.compile(r"(?P<base>.+?)\s*(?:\^\s*\{?\s*(?P<exponent>\d+)\s*\}?)?\s*")


def without_remainder(text: str, question: SeriesQuestion) -> tuple[str, int]:
    r"""A polynomial without its remainder, and the degree up to which terms have to be right.

    Args:
        text: the answer.
        question: the question.

    Returns:
        The polynomial, and the degree of the question, or the larger degree that the remainder
        promises; -1 if the remainder covers terms of the question.

    """
    degree = int(fold(question.degree) or 0)
    match = _REMAINDER.search(text) if question.wanted == "polynomial" else None
    if match is None:
        return text, degree
    before_remainder = text[: match.start()]
    if match["order"] is None:
        return before_remainder, degree
    stated = _POWER_OF.fullmatch(match["power"])
    exponent = int(stated["exponent"] or 1) if stated else 0
    small = "o" in match["order"].replace("mathcal", "").replace("\\", "")
    through = min(exponent if small else exponent - 1, MAX_DEGREE)
    return before_remainder, through if through >= degree else -1


def judge_series(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str], through: int
) -> Outcome:
    """Whether an answer is what a question asks for.

    Args:
        answer: the answer.
        question: the question.
        assumptions: the kinds of the parameters, by their names.
        through: the degree up to which a polynomial has to be right (`without_remainder`).

    Raises:
        ProblemError: the function has no Taylor series at the point.

    """
    if through < 0:
        detail = "the remainder is larger than terms that are asked for"
        return Outcome(Status.INCORRECT, detail=detail)
    try:
        if question.wanted == "radius":
            return _radius(answer, question, assumptions)
        if question.wanted == "coefficient":
            return _coefficient(answer, question, assumptions)
        if question.wanted == "remainder":
            return _lagrange(answer, question, assumptions)
        return _polynomial(answer, question, assumptions, through)
    except (NotExpandedError, QuadratureError, ValueError, RecursionError) as error:
        if isinstance(error, ProblemError):
            raise
        return Outcome(Status.UNDECIDED, detail=str(error))


# -- Taylor polynomials ---------------------------------------------------------------------------


def _polynomial(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str], through: int
) -> Outcome:
    degree = _whole(question.degree)
    if question.terms:
        degree = through = _degree_of_terms(question, assumptions)
    bound = _degree_bound(answer, question.variable)
    if bound is None:
        return Outcome(Status.INCORRECT, detail="the answer is no polynomial")
    extra = sorted(symbols_of(answer) - set(question.parameters))
    if extra:
        detail = f"symbols that the question lacks: {', '.join(extra)}"
        return Outcome(Status.INCORRECT, detail=detail)
    if bound > degree and any(
        k > degree
        for k, _ in coefficients_of(answer, question, assumptions, min(bound, 4 * MAX_DEGREE))
    ):
        return Outcome(Status.INCORRECT, detail=f"the degree is more than {degree}")
    terms = dict(coefficients_of(question.function, question, assumptions, through))
    got = dict(coefficients_of(answer, question, assumptions, degree))
    for k in range(through + 1):
        got_term, second = got.get(k, ZERO), terms.get(k, ZERO)
        if got_term != second and not are_equal(got_term, second, assumptions):
            power_ = f"({question.variable} - a)^{k}" if question.centre != ZERO else f"x^{k}"
            detail = f"another coefficient of {power_}"
            return Outcome(Status.INCORRECT, detail=detail, witness=_witness(second, got_term))
    return Outcome(Status.CORRECT, points=degree + 1, proof="expansion")


def _degree_of_terms(question: SeriesQuestion, assumptions: Mapping[str, str]) -> int:
    """The degree of the polynomial with as many nonzero terms as the question asks for."""
    for degree in range(4 * question.terms, MAX_DEGREE + 1, 4):
        terms = coefficients_of(question.function, question, assumptions, degree)
        if len(terms) >= question.terms:
            return terms[question.terms - 1][0]
    raise ProblemError(f"there are fewer terms than {question.terms} up to degree {MAX_DEGREE}")


def _witness(expected: Expression, got: Expression) -> Witness | None:
    if symbols_of(expected) | symbols_of(got):
        return None
    with precision(128):
        return Witness("", expected=show(value_of(expected)), got=show(value_of(got)))


def _degree_bound(node: Expression, variable: str) -> int | None:
    """A bound of the degree of a polynomial; None for any other form."""
    if is_constant(node, variable):
        return 0
    if isinstance(node, Symbol):
        return 1
    bounds = [_degree_bound(arg, variable) for arg in node.args]
    if node.function == "pow":
        exponent = fold(node.args[1])
        if exponent is None or exponent.denominator != 1 or not 0 <= exponent <= MAX_DEGREE:
            return None
        return None if bounds[0] is None else bounds[0] * int(exponent)
    known_bounds = [bound for bound in bounds if bound is not None]
    if len(known_bounds) < len(bounds):
        return None
    if node.function in ("add", "neg"):
        return max(known_bounds)
    if node.function == "mul":
        return sum(known_bounds)
    return known_bounds[0] if node.function == "div" and not known_bounds[1] else None


def _whole(node: Expression) -> int:
    value = fold(node)
    if value is None or value.denominator != 1 or not 0 <= value <= MAX_DEGREE:
        raise ProblemError(f"the degree is a whole number up to {MAX_DEGREE}")
    return int(value)


# -- coefficients ---------------------------------------------------------------------------------


def _coefficient(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Outcome:
    extra = sorted(symbols_of(answer) - set(question.parameters))
    if extra:
        detail = f"symbols that the question lacks: {', '.join(extra)}"
        return Outcome(Status.INCORRECT, detail=detail)
    names = symbols_of(question.degree)
    if not names:
        k = _whole(question.degree)
        expected = dict(coefficients_of(question.function, question, assumptions, k)).get(k, ZERO)
        if are_equal(answer, expected, assumptions):
            return Outcome(Status.CORRECT, points=1, proof="expansion")
        return Outcome(Status.INCORRECT, witness=_witness(expected, answer))
    return _general_coefficient(answer, question, assumptions, names)


def _general_coefficient(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str], names: set[str]
) -> Outcome:
    """A formula for the coefficient of x^n: agreement for many n is no proof."""
    if len(names) > 1:
        raise ProblemError("the exponent has more than one symbol")
    (name,) = names
    terms = dict(coefficients_of(question.function, question, assumptions, GENERAL))
    compared = 0
    for n in range(GENERAL + 1):
        exponent = fold(substitute(question.degree, name, Number(n)))
        if exponent is None or exponent.denominator != 1 or not 0 <= exponent <= GENERAL:
            continue
        expected = terms.get(int(exponent), ZERO)
        value = substitute(answer, name, Number(n))
        try:
            same = are_equal(value, expected, assumptions)
        except (UndefinedError, NotExpandedError):
            continue  # 1/n has no value for n = 0
        if not same and n:
            detail = f"another coefficient for {name} = {n}"
            return Outcome(Status.INCORRECT, detail=detail, witness=_witness(expected, value))
        compared += same
    largest = max((abs(fold(node) or Fraction(0)) for node in nodes_of(answer)), default=0)
    if compared < GENERAL // 3 or largest > GENERAL // 2:
        return Outcome(Status.UNDECIDED, detail=f"agrees for {compared} values of {name}")
    return Outcome(Status.CORRECT, points=compared, proof="agreement")


# -- remainders -----------------------------------------------------------------------------------


def _lagrange(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Outcome:
    """Lagrange's form: the next term with the derivative at a point between."""
    degree = _whole(question.degree)
    between = sorted(symbols_of(answer) - set(question.parameters))
    if len(between) > 1:
        return Outcome(Status.INCORRECT, detail=f"several new symbols: {', '.join(between)}")
    slope = question.function
    for _ in range(degree + 1):
        slope = differentiate(slope, question.variable)
        if sum(1 for _ in nodes_of(slope)) > 5_000:
            raise NotExpandedError("a derivative that is too long")
    name = between[0] if between else "c"
    distance = power(add(Symbol(question.variable), neg(question.centre)), Number(degree + 1))
    expected = div(
        mul(substitute(slope, question.variable, Symbol(name)), distance),
        Number(math.factorial(degree + 1)),
    )
    if not between and name in symbols_of(expected):
        return Outcome(Status.INCORRECT, detail="the point between is missing")
    if equality(answer, expected) is not None:
        return Outcome(Status.CORRECT, points=1, proof="identity")
    names = sorted(symbols_of(answer) | symbols_of(expected))
    for at in range(3):
        values = {n: Number(7 + 4 * k + 2 * at, 16) for k, n in enumerate(names)}
        sides = []
        for tree in (answer, expected):
            for n, value in values.items():
                tree = substitute(tree, n, value)
            sides.append(tree)
        outcome = compare_values(sides[0], sides[1])
        if outcome.status is Status.INCORRECT:
            return outcome
    return Outcome(Status.UNDECIDED, detail="the remainder agrees, and is not proved")


# -- radii of convergence -------------------------------------------------------------------------


def _radius(
    answer: Expression, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Outcome:
    expected = radius(question, assumptions)
    if expected is None:
        return Outcome(Status.INCORRECT, detail="the series converges everywhere")
    if symbols_of(answer) - set(question.parameters):
        return Outcome(Status.INCORRECT, detail="the radius is a number")
    if are_equal(answer, expected, assumptions):
        return Outcome(Status.CORRECT, points=1, proof="expansion")
    return Outcome(Status.INCORRECT, witness=_witness(expected, answer))


def judge_infinite_radius(
    infinity: int, question: SeriesQuestion, assumptions: Mapping[str, str]
) -> Outcome:
    """Whether an infinite radius is right."""
    try:
        expected = radius(question, assumptions)
    except (NotExpandedError, QuadratureError, ValueError, RecursionError) as error:
        if isinstance(error, ProblemError):
            raise
        return Outcome(Status.UNDECIDED, detail=str(error))
    if expected is not None or infinity != 1:
        return Outcome(Status.INCORRECT, detail="the radius is finite")
    return Outcome(Status.CORRECT, points=1, proof="expansion")
