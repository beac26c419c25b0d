"""The values of a sum for choices of its parameters, each computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import cycle, product
from typing import Final

from flint import acb, arb, fmpq

from ...reading.expression.build import number
from ...reading.expression.traversal import substitute, symbols_of
from ...reading.expression.tree import Expression
from ...reading.problem.sums import SumProblem
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import Ball
from ..quadrature.value import IntegralValue
from ..quadrature.work import QuadratureError
from ..sampling.parameters import regimes
from .finite import at, exact, finite_sum
from .value import infinite_sum, mirrored

#: Consecutive whole numbers at which a sum with a symbolic limit is compared, for one symbol and
#: for several.
CONSECUTIVE, OF_SEVERAL = range(16), (0, 1, 2, 3, 5, 8)
#: Steps between whole numbers beyond all numbers of an answer: an odd and an even one.
BEYOND: Final = (19, 28)

Values = dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class Point:
    """A choice of the parameters, and the value of the sum for it."""

    values: Values
    sum: IntegralValue


def choices(problem: SumProblem, assumptions: Mapping[str, str], largest: int) -> Iterator[Values]:
    """Choices of the parameters: whole numbers in limits, draws of the others.

    Args:
        problem: the sum.
        assumptions: kinds of its parameters.
        largest: the largest number of an answer; two whole numbers are beyond twice that number,
            since binom(n, 50) is 0 below 50.

    Yields:
        The values of all parameters, with which the sum has a term at least.

    """
    whole = whole_parameters(problem)
    names = [name for name in problem.parameters if name not in whole]
    draws: list[Values] = [{}]
    if names:
        shown, conditions = [problem.term, problem.factor], problem.conditions.comparisons
        drawn, special = regimes(names, assumptions, shown, conditions)
        draws = [{name: Fraction(value) for name, value in draw} for draw in (*drawn, *special)]
    if not whole:
        yield from sorted(draws, key=lambda draw: max(map(abs, draw.values())))
        return
    ranges = [CONSECUTIVE if len(whole) == 1 else OF_SEVERAL] * len(whole)
    further = [[2 * largest + step + at for at in range(len(whole))] for step in BEYOND]
    for draw, chosen in zip(cycle(draws), [*product(*ranges), *further], strict=False):
        values = {**draw, **{name: Fraction(n) for name, n in zip(whole, chosen, strict=True)}}
        if length(problem, values) > 0:
            yield values


def whole_parameters(problem: SumProblem) -> list[str]:
    """The symbols in limits, sorted."""
    limits = [limit for limit in (problem.lower, problem.upper) if not isinstance(limit, int)]
    return sorted(set().union(*map(symbols_of, limits)) if limits else ())


def ends(problem: SumProblem, values: Mapping[str, Fraction]) -> tuple[int, int]:
    """The limits of a finite sum as numbers."""
    ends: list[int] = []
    for limit in (problem.lower, problem.upper):
        value = None if isinstance(limit, int) else exact(limit, values)
        if value is None or value.denominator != 1:
            raise QuadratureError("a limit is no whole number")
        ends.append(int(value))
    return ends[0], ends[1]


def length(problem: SumProblem, values: Mapping[str, Fraction]) -> int:
    """The number of terms; 1 for an infinite sum, 0 where a limit is no whole number."""
    if isinstance(problem.lower, int) or isinstance(problem.upper, int):
        return 1
    try:
        low, high = ends(problem, values)
    except QuadratureError:
        return 0
    return high - low + 1


@lru_cache(maxsize=8192)
def value_at(
    problem: SumProblem, items: tuple[tuple[str, Fraction], ...], digits: int
) -> IntegralValue:
    """The value of a sum for a choice of its parameters, factor and addend included."""
    values = dict(items)
    with precision(64 + 4 * digits):
        if not isinstance(problem.lower, int) and not isinstance(problem.upper, int):
            low, high = ends(problem, values)
            total = finite_sum(problem.term, problem.counter, low, high, values)
            ball = (
                acb(fmpq(total.numerator, total.denominator))
                if isinstance(total, Fraction)
                else total
            )
            return IntegralValue(_real(_around(problem, ball, values)), "enclosure")
        term = problem.term
        for name, value in items:
            term = substitute(term, name, number(value))
        sums: list[IntegralValue] = []
        for part, start in _halves(problem, term, values):
            sums.append(infinite_sum(part, problem.counter, start, digits))
        divergent = [each for each in sums if each.diverges]
        if divergent:
            return (
                divergent[0]
                if len(sums) == 1
                or all(each.sign == divergent[0].sign or not each.diverges for each in sums)
                else IntegralValue(arb("nan"), "divergence")
            )
        ball = sum((acb(each.ball) for each in sums), acb(0))
        return IntegralValue(_real(_around(problem, ball, values)), "enclosure")


def _around(problem: SumProblem, ball: Ball, values: Values) -> Ball:
    factor, outside = (at(tree, values) for tree in (problem.factor, problem.outside))
    return factor * ball + outside


def _real(ball: Ball) -> arb:
    if not ball.imag.contains(0):
        raise QuadratureError("the sum is not real")
    value: arb = ball.real
    return value


def _halves(
    problem: SumProblem, term: Expression, values: Values
) -> Iterator[tuple[Expression, int]]:
    """An infinite sum as sums to infinity, each with its first index."""
    lower, upper = problem.lower, problem.upper
    if isinstance(lower, int) and isinstance(upper, int):
        yield term, 0
        yield mirrored(term, problem.counter), 1
        return
    limit = upper if isinstance(lower, int) else lower
    start = exact(limit, values) if not isinstance(limit, int) else None
    if start is None or start.denominator != 1:
        raise QuadratureError("a limit is no whole number")
    if isinstance(lower, int):
        yield mirrored(term, problem.counter), -int(start)
    else:
        yield term, int(start)
