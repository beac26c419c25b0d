r"""Proved coefficients of power series, and radii of convergence.

Coefficients come from exact expansions on both sides of the point (`rewards.numeric.expansions`).
A radius follows from the growth of the coefficients. If the growth is unknown, the radius follows
from the limit of the quotients of successive coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from flint import fmpq

from ..errors import ProblemError
from ..numeric.ball_arithmetic.balls import precision
from ..numeric.expansions.germs import GermExpander, LimitPoint
from ..numeric.expansions.series import NotExpandedError, Series, UndefinedError
from ..numeric.outcome import Outcome
from ..numeric.quadrature.work import QuadratureError
from ..numeric.summation.expanded import SlowTerm
from ..numeric.summation.hypergeometric import Hypergeometric
from ..numeric.summation.terms import Summand, summands_of
from ..reading.expression.build import ONE, ZERO, add, div, mul, neg, number, power
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import fold, size, substitute, symbols_of
from ..reading.expression.tree import Call, Expression, Number, Symbol
from ..reading.problem.conditions import Interval
from ..reading.problem.power_series import MAX_DEGREE, SeriesQuestion
from ..reading.problem.sums import SumProblem
from ..verdict import Status
from .constants import ExactNumbers
from .limits import are_equal, limit
from .prover.quotients import NotProvedError
from .sums.convergence import judge_convergence

#: Largest n at which a formula for the coefficient of x^n is compared.
GENERAL = 24
#: Nodes of a derivative in a remainder: the tenth derivative of tan x has 1,000.
MAX_NODES = 5_000


class NoSeriesError(ProblemError):
    """The function has no Taylor series at the point."""


@lru_cache(maxsize=2048)
def coefficients_of(
    function: Expression, question: SeriesQuestion, degree: int
) -> tuple[tuple[int, Expression], ...]:
    """The nonzero Taylor coefficients up to a degree, as pairs (exponent, coefficient).

    Raises:
        ProblemError: there is no Taylor series.
        NotExpandedError: no expansion was found.

    """
    # An expansion from one side may have |x - a|: a Taylor series is the same from both sides.
    try:
        sides = [_from_one_side(function, question, degree, sign) for sign in (1, -1)]
    except UndefinedError:
        raise NoSeriesError("the function is not real on both sides of the point") from None
    except NotProvedError as error:  # sums and products of numbers, with too many terms
        raise NotExpandedError(str(error)) from None
    ahead, behind = map(dict, sides)
    for k in ahead.keys() | behind.keys():
        mirrored = mul(Number((-1) ** k), behind.get(k, ZERO))
        if not are_equal(ahead.get(k, ZERO), mirrored, question.assumptions):
            raise NoSeriesError("the function has no Taylor series at the point")
    return sides[0]


def _from_one_side(
    function: Expression, question: SeriesQuestion, degree: int, sign: int
) -> tuple[tuple[int, Expression], ...]:
    r"""The coefficients of the powers of \|x - a\| on one side of the centre a, with exponents."""
    numbers = ExactNumbers(question.assumptions)
    expander = GermExpander(numbers, question.variable, LimitPoint(question.centre, sign))
    germ = expander.expand(function)
    coefficients: list[tuple[int, Expression]] = []
    for exponent, coefficient in expander.terms(germ):
        if isinstance(coefficient, Series):
            coefficient = expander.normal(coefficient)
            if isinstance(coefficient, Series):
                raise NoSeriesError("the function has no Taylor series at the point")
        if bool(exponent > degree):
            break
        if numbers.is_zero(coefficient):
            continue
        if not isinstance(exponent, fmpq) or exponent.q != 1 or exponent < 0:
            raise NoSeriesError("the function has no Taylor series at the point")
        coefficients.append((int(exponent.p), numbers.tree(coefficient)))
    return tuple(coefficients)


def radius(question: SeriesQuestion) -> Expression | None:
    """The radius of convergence of a power series. None means infinity.

    Raises:
        ProblemError: the series is not a power series.
        QuadratureError: the radius was not found.
        NotExpandedError: the limit of the quotients of coefficients was not found.

    """
    series = question.series[0]
    if not series.is_series:
        raise ProblemError("a power series has an index up to infinity")
    index, general = series.counter, general_term(series, question.variable)
    coefficients = general.coefficient
    with suppress(QuadratureError):
        return _by_growth(coefficients, index, general.steps)
    quotient = div(coefficients, substitute(coefficients, index, add(Symbol(index), ONE)))
    assumptions = tuple(sorted(question.assumptions.items()))
    quotient_limit = limit(Call("abs", (quotient,)), index, 1, 0, assumptions, True)
    if not quotient_limit.exists:
        raise QuadratureError("the quotients of coefficients have no limit")
    if quotient_limit.value is None:
        return None
    return power(quotient_limit.value, number(Fraction(1, general.steps)))


class GeneralTerm(NamedTuple):
    """The term c_n (x - a)^{p n + q} of a power series.

    Attributes:
        steps: p.
        centre: a.
        exponent: p n + q.
        coefficient: c_n, which is the term at x = a + 1.

    """

    steps: int
    centre: Expression
    exponent: Expression
    coefficient: Expression


def general_term(series: SumProblem, x: str) -> GeneralTerm:
    """Find the power of x in the terms of a power series.

    Raises:
        ProblemError: the term has no such factor, or x also occurs in another factor.

    """
    term, index = series.term, series.counter
    # Collect the factors with x, and the growth of each exponent from one term to the next.
    factors: list[tuple[Expression, Fraction]] = []
    exponents: list[Expression] = []
    pending = [(term, Fraction(1))]
    while pending:
        node, times = pending.pop()
        if x not in symbols_of(node):
            continue
        if node.function in ("mul", "neg"):
            pending += [(arg, times) for arg in node.args]
        elif node.function == "div":
            pending += [(node.args[0], times), (node.args[1], -times)]
        elif node.function == "pow" and x not in symbols_of(node.args[1]):
            slope = fold(differentiate(node.args[1], index))
            if slope is None:
                raise ProblemError("the series is no power series")
            factors.append((node.args[0], slope * times))
            exponents.append(mul(number(times), node.args[1]))
        elif index not in symbols_of(node):
            factors.append((node, Fraction(0)))
            exponents.append(number(times))
        else:
            raise ProblemError("the series is no power series")
    # The factors are powers of linear functions b + a x, which must have the same zero: the centre.
    steps, centre = Fraction(0), None
    for base, slope in factors:
        a, b = differentiate(base, x), substitute(base, x, ZERO)
        if x in symbols_of(a) or fold(a) == 0:
            raise ProblemError("the series is no power series")
        root = neg(div(b, a))
        if centre is not None and not are_equal(centre, root, {}):
            raise ProblemError("the series has two centres")
        steps, centre = steps + slope, root
    if centre is None or steps.denominator != 1 or steps <= 0:
        raise ProblemError("the series is no power series")
    coefficient = substitute(term, x, add(centre, ONE))
    return GeneralTerm(int(steps), centre, add(*exponents), coefficient)


def _by_growth(coefficients: Expression, index: str, steps: int) -> Expression | None:
    r"""Compute the radius of convergence from the growth of the coefficients. None means infinity.

    The coefficients grow like n!^d L^n n^{-s}, and may have a further factor that varies slowly.
    The slow factor must have an expansion. The factor then lies between two powers of n and does
    not change the radius. From one term to the next, the exponent of x - a grows by ``steps``.
    """
    radii: list[Expression] = []
    for summand in summands_of(coefficients, index):
        bare = Hypergeometric(
            Summand(summand.numerator, summand.denominator, summand.base, summand.gammas)
        )
        if summand.slow != ONE:
            with precision(128):
                SlowTerm(
                    (Summand(coefficient=summand.coefficient, slow=summand.slow),), index
                ).expansions(1)
        growth = bare.growth
        if growth.factorials > 0:
            return ZERO
        if growth.factorials < 0:
            continue
        numerator, denominator = bare.quotient
        leading = numerator.leading_coefficient() / denominator.leading_coefficient()
        scale = mul(Number(int(leading.p), int(leading.q)), summand.base)
        radii.append(power(Call("abs", (scale,)), number(Fraction(-1, steps))))
    if len(radii) > 1:
        raise QuadratureError("a sum of several series")
    return radii[0] if radii else None


def whole_degree(node: Expression) -> int:
    """Convert a degree to an integer. `ProblemError` if the degree is no small whole number."""
    value = fold(node)
    if value is None or value.denominator != 1 or not 0 <= value <= MAX_DEGREE:
        raise ProblemError(f"the degree is a whole number up to {MAX_DEGREE}")
    return int(value)


def degree_of_terms(question: SeriesQuestion) -> int:
    """The lowest degree up to which the series has the requested number of nonzero terms."""
    for degree in range(4 * question.terms, MAX_DEGREE + 1, 4):
        terms = coefficients_of(question.function, question, degree)
        if len(terms) >= question.terms:
            return terms[question.terms - 1][0]
    raise ProblemError(f"there are fewer terms than {question.terms} up to degree {MAX_DEGREE}")


def general_coefficients(question: SeriesQuestion) -> Iterator[tuple[int, Expression]]:
    """Yield the coefficients that a formula in n gives for n = 0, 1, 2, ..., as pairs with n.

    The exponents are up to `GENERAL`.

    Raises:
        ProblemError: the exponent has more than one symbol.

    """
    name, *other_names = symbols_of(question.degree)
    if other_names:
        raise ProblemError("the exponent has more than one symbol")
    terms = dict(coefficients_of(question.function, question, GENERAL))
    for n in range(GENERAL + 1):
        exponent = fold(substitute(question.degree, name, Number(n)))
        if exponent is not None and exponent.denominator == 1 and 0 <= exponent <= GENERAL:
            yield n, terms.get(int(exponent), ZERO)


def interval_of_convergence(
    question: SeriesQuestion,
) -> tuple[Interval, tuple[Outcome, Outcome] | None]:
    """The ends of the interval of convergence, and the outcomes of "converges" at the ends.

    If the series converges for all numbers, there are no outcomes.

    Raises:
        ProblemError: the series is not a power series, or has parameters.
        QuadratureError: the radius of convergence was not found.
        NotExpandedError: the radius of convergence was not found.

    """
    if question.parameters or question.conditions.comparisons or len(question.series) != 1:
        raise ProblemError("an interval is judged only if the series has one reading, no parameter")
    size, series = radius(question), question.series[0]
    if size is None:
        return Interval((None, None)), None
    middle = general_term(series, question.variable).centre
    if fold(size) == 0:
        at_centre = Outcome(Status.CORRECT, detail="the sum converges")
        return Interval((middle, middle)), (at_centre, at_centre)
    numbers, ends, outcomes = ExactNumbers(), list[Expression](), list[Outcome]()
    for end in (add(middle, neg(size)), add(middle, size)):
        ends.append(numbers.tree(numbers.value(end)))  # 2, for |1|^(-1) - (-3)
        term = substitute(series.term, question.variable, ends[-1])
        outcomes.append(judge_convergence(series._replace(term=term)))
    return Interval((ends[0], ends[1])), (outcomes[0], outcomes[1])


def lagrange_remainder(question: SeriesQuestion, degree: int, name: str) -> Expression:
    """Lagrange's remainder: the next Taylor term, but with the derivative at the point ``name``.

    Raises:
        NotExpandedError: the derivative is too long.

    """
    slope = question.function
    for _ in range(degree + 1):
        slope = differentiate(slope, question.variable)
        if size(slope) > MAX_NODES:
            raise NotExpandedError("a derivative that is too long")
    distance = power(add(Symbol(question.variable), neg(question.centre)), Number(degree + 1))
    return div(
        mul(substitute(slope, question.variable, Symbol(name)), distance),
        Number(math.factorial(degree + 1)),
    )
