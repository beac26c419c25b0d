"""Chooses values for the parameters of a sum, and computes the sum once for each choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import cycle, islice, product
from typing import Final

from flint import acb, arb

from ...errors import ProblemError
from ...reading.expression.build import ONE, ZERO, number
from ...reading.expression.traversal import fold, is_constant, nodes_of, substitute_all, symbols_of
from ...reading.expression.tree import Expression
from ...reading.problem.sums import SumProblem, of_reversed_range
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import Ball
from ..quadrature.value import IntegralValue
from ..quadrature.work import QuadratureError, working_bits
from ..sampling.parameters import admits, regimes
from .finite import at, exact, finite_sum
from .hypergeometric import MAX_TERMS
from .terms import exact_fmpq
from .value import infinite_sum, long_sum, mirrored

#: Consecutive whole numbers at which a sum with a symbolic limit is compared: a formula that
#: depends on n modulo 8 or less is compared twice in each residue class.
CONSECUTIVE: Final = range(16)
#: The same for each of several symbols: differences of all sizes up to 8, in 36 pairs of two.
OF_SEVERAL: Final = (0, 1, 2, 3, 5, 8)
#: Steps between whole numbers beyond all numbers of an answer: an odd and an even one, both more
#: than `CONSECUTIVE` has.
BEYOND: Final = (19, 28)
#: Draws of the parameters of an infinite sum: an answer that is right at those of two regimes and
#: in the middle by chance has the fourth, which depends on its text, against it.
DRAWS: Final = 4
#: The most by which a parameter is reduced for this draw, so that it keeps its regime. A smaller
#: share is taken where a condition such as r > 1 fails.
SHARES: Final = (Fraction(1, 2), Fraction(1, 16), Fraction(1, 128))
#: Assumptions that say no more of an index than the range of the index does.
_OF_EVERY_INDEX: Final = ("real", "integer", "signed integer")
#: Values of sums that are kept: 20 for each of the questions of a batch.
KEPT_VALUES: Final = 8192
#: Bits at which the size of a constant is estimated, of which a comparison needs a few.
FEW_BITS: Final = 64

Values = dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class ParameterPoint:
    """A choice of the parameters with the value of the sum.

    Attributes:
        values: the values of the parameters.
        sum: the value of the sum as a ball.
        exact: the value of the sum as a rational number, or None if the value is not known to be
            rational.

    """

    values: Values
    sum: IntegralValue
    exact: Fraction | None = None

    @property
    def balls(self) -> dict[str, Ball]:
        """The values of the parameters as balls."""
        return {name: acb(exact_fmpq(v)) for name, v in self.values.items()}


def choices(problem: SumProblem, largest: int, salt: str) -> Iterator[Values]:
    """Choose values of the parameters at which the answer and the sum are compared.

    Parameters in the limits of summation are whole numbers. The values of other parameters come
    from `rewards.numeric.sampling`.

    Args:
        problem: the sum.
        largest: the largest number in the answer. Some of the chosen whole numbers are larger than
            twice ``largest``, because a wrong answer may be right for small numbers. For example,
            an additional term binom(n, 50) is zero for all n below 50.
        salt: the text of the answer. One of the choices depends on this text. A wrong answer that
            is right for all choices is therefore hard to write.

    Yields:
        Values of all parameters for which the sum has at least one term.

    """
    for values in _choices(problem, largest, salt):
        if (length(problem, values) or 0) > 0:
            yield values


def _choices(problem: SumProblem, largest: int, salt: str) -> Iterator[Values]:
    integer_names, assumptions = problem.whole_parameters, problem.assumptions
    names = [name for name in problem.parameters if name not in integer_names]
    draws: list[Values] = [{}]
    comparisons = problem.conditions.comparisons
    conditions = [c for c in comparisons if symbols_of(c).isdisjoint(integer_names)]
    on_integers = [c for c in comparisons if c not in conditions]
    if names:
        trees = [problem.term, problem.factor]
        drawn, special = regimes(names, assumptions, trees, conditions)
        draws = [{name: Fraction(value) for name, value in draw} for draw in (*drawn, *special)]
        draws.sort(key=lambda draw: max(map(abs, draw.values())))
        salted = (_salted(draws[0], assumptions, salt, share) for share in SHARES)
        draws[:0] = islice((draw for draw in salted if admits(conditions, draw)), 1)
    if not integer_names:
        yield from draws
        return
    ranges = [CONSECUTIVE if len(integer_names) == 1 else OF_SEVERAL] * len(integer_names)
    distant = [[2 * largest + step + at for at in range(len(integer_names))] for step in BEYOND]
    numbers = (fold(side) for comparison in on_integers for side in comparison.args)
    start = max((0, *(int(value) for value in numbers if value is not None)))
    near_bound = [tuple(start + step for step in steps) for steps in product(*ranges)]
    all_integers = dict.fromkeys((*product(*ranges), *near_bound, *map(tuple, distant)))
    for draw, integers in zip(cycle(draws), all_integers, strict=False):
        values = draw | {
            name: Fraction(_of_parity(number, assumptions.get(name)))
            for name, number in zip(integer_names, integers, strict=True)
        }
        if admits(on_integers, values):
            yield values


def _of_parity(number: int, assumption: str | None) -> int:
    """Turn n into a value that satisfies an assumption: 2n if even, 2n + 1 if odd, else n."""
    return 2 * number + (assumption == "odd") if assumption in ("even", "odd") else number


def conventions(problem: SumProblem) -> Iterator[SumProblem]:
    """Yield the readings of a sum. If the limits are not reversed, the sum itself is the only
    reading.

    Limits are reversed if the upper limit is always below the lower limit. Such a sum has up to two
    readings, because two conventions exist. By one convention, the sum is minus the sum over the
    indices between the limits. By the other convention, the sum is empty and its value is 0.

    Raises:
        ProblemError: an assumption restricts the index, for example to even numbers.

    """
    assumption = problem.assumptions.get(problem.counter, "real")
    if assumption not in _OF_EVERY_INDEX:
        raise ProblemError(
            f"the index {problem.counter} runs over a range, and cannot be {assumption}"
        )
    if not _is_reversed(problem):
        yield problem
        return
    between = of_reversed_range(problem)
    if not _is_reversed(between):
        yield between
    yield problem._replace(term=ZERO, lower=ONE, upper=ONE, flags=("sum:empty range",))


def _is_reversed(problem: SumProblem) -> bool:
    """Whether the upper limit is below the lower limit for all choices of the parameters."""
    seen = False
    for values in _choices(problem, 0, ""):
        terms = length(problem, values)
        if terms is not None and terms > 0:
            return False
        seen = seen or terms is not None
    return seen


def _salted(draw: Values, assumptions: Mapping[str, str], salt: str, share: Fraction) -> Values:
    """Reduce the value of each real parameter by at most a share of it.

    The reduction of a parameter is computed from a hash of the text ``salt``.
    """
    digest = sha256(salt.encode()).digest()
    values: Values = {}
    for position, (name, value) in enumerate(draw.items()):
        start = 2 * position % len(digest)
        summand = int.from_bytes(digest[start : start + 2])
        real = assumptions.get(name, "positive") in ("positive", "negative", "real")
        values[name] = value * (1 - share * Fraction(summand, 2**16)) if real else value
    return values


def points(problem: SumProblem, digits: int, largest: int, salt: str) -> list[ParameterPoint]:
    """The values of a sum for several choices of its parameters.

    A value includes the factor before the sum and the addend after the sum. If the sum converges
    for some choices only, the other choices are left out.

    Args:
        problem: the sum.
        digits: the number of decimal digits that are wanted.
        largest: as for `choices`.
        salt: as for `choices`.

    Raises:
        QuadratureError: fewer than two choices have a value.

    """
    if not problem.parameters:
        return [point_at(problem, (), digits)]
    chosen: list[ParameterPoint] = []
    failure: QuadratureError | None = None
    converging = 0
    for values in choices(problem, largest, salt):
        try:
            point = point_at(problem, tuple(sorted(values.items())), digits)
        except QuadratureError as error:
            failure = failure or error
            continue
        chosen.append(point)
        converging += not point.sum.diverges
        if problem.is_infinite and converging == DRAWS:
            break
    if len(chosen) < 2:
        raise failure or QuadratureError("the sum has no values for its parameters")
    if converging:  # where it converges for some parameters only, those are meant
        chosen = [point for point in chosen if not point.sum.diverges]
    return chosen


def largest_constant(answer: Expression, limit: int) -> int:
    """The largest absolute value of a constant in an answer, rounded up.

    The denominator of a rational number counts as a constant, too.

    Args:
        answer: the answer.
        limit: the greatest value that matters to the caller. Any irrational constant above
            ``limit`` counts as ``limit + 1``.

    """
    largest = 0
    for node in nodes_of(answer):
        if is_constant(node):
            value = fold(node)
            if value is None:
                largest = max(largest, _rounded(node, limit))
            else:
                ceiling = abs(value.numerator) // value.denominator + 1
                largest = max(largest, ceiling, value.denominator)
    return largest


def _rounded(node: Expression, limit: int) -> int:
    """The absolute value of a constant, rounded up to an integer.

    If the constant has no value, or exceeds the limit, the result is limit + 1.
    """
    with precision(FEW_BITS), suppress(QuadratureError):
        size = abs(at(node, {})).upper()
        if size < limit:
            return int(float(size)) + 1
    return limit + 1


def lists_terms(problem: SumProblem, answer: Expression, function: str = "add") -> bool:
    """Whether a closed form is just the list of the terms, joined by plus signs.

    If ``function`` is "mul", the terms are the factors of a product, joined by times signs.
    """
    if problem.is_infinite or answer.function != function or problem.parameters:
        return False
    low, high = ends(problem, {})
    listed = _operands(answer, function)
    # a sum of two numbers may be the closed form
    if len(listed) <= 2 or len(listed) != high - low + 1:
        return False
    with precision(FEW_BITS), suppress(QuadratureError):
        waiting = [at(summand, {}) for summand in listed]
        for k in range(low, high + 1):
            term = at(problem.term, {problem.counter: Fraction(k)})
            same = next((value for value in waiting if (value - term).contains(0)), None)
            if same is None:
                return False
            waiting.remove(same)
        return True
    return False


def _operands(node: Expression, function: str) -> list[Expression]:
    if node.function != function:
        return [node]
    return [operand for arg in node.args for operand in _operands(arg, function)]


def ends(problem: SumProblem, values: Mapping[str, Fraction]) -> tuple[int, int]:
    """The limits of a finite sum as whole numbers, for given values of the parameters."""
    low, high = (exact(limit, values) for limit in problem.limits)
    if low is None or high is None or low.denominator * high.denominator != 1:
        raise QuadratureError("a limit is no whole number")
    return int(low), int(high)


def length(problem: SumProblem, values: Mapping[str, Fraction]) -> int | None:
    """The number of terms of a finite sum. If the limits are reversed, it is zero or negative.

    For an infinite sum, the result is 1. If a limit is not a whole number, the result is None.
    """
    if problem.is_infinite:
        return 1
    try:
        low, high = ends(problem, values)
    except QuadratureError:
        return None
    return high - low + 1


@lru_cache(maxsize=KEPT_VALUES)
def point_at(
    problem: SumProblem, items: tuple[tuple[str, Fraction], ...], digits: int
) -> ParameterPoint:
    """The value of a sum for a choice of its parameters.

    The value includes the factor before the sum and the addend after the sum.

    Args:
        problem: the sum.
        items: the parameters with their values.
        digits: the number of decimal digits that are wanted.

    Raises:
        QuadratureError: the sum has no value, or the value cannot be computed.

    """
    values = dict(items)
    total: Fraction | Ball
    with precision(working_bits(digits)):
        if problem.is_infinite:
            sums = [infinite_sum(*half, digits) for half in _halves(problem, values)]
            signs = {sum_value.sign for sum_value in sums if sum_value.diverges}
            if signs:
                sign = signs.pop() if len(signs) == 1 else 0
                return ParameterPoint(values, IntegralValue(arb("nan"), "divergence", sign))
            total = sum((acb(sum_value.ball) for sum_value in sums), acb(0))
        else:
            low, high = ends(problem, values)
            if high < low - 1:
                raise QuadratureError("the limits are reversed")
            if high - low < MAX_TERMS:
                total = finite_sum(problem.term, problem.counter, low, high, values)
            else:
                total = long_sum(_term_at(problem, values), problem.counter, low, high, digits)
        factor, addend = (exact(tree, values) for tree in (problem.factor, problem.outside))
        exact_sum = None
        if isinstance(total, Fraction):
            exact_sum = None if factor is None or addend is None else factor * total + addend
            total = acb(exact_fmpq(total))
        ball = at(problem.factor, values) * total + at(problem.outside, values)
        if not ball.imag.contains(0):
            raise QuadratureError("the sum is not real")
        return ParameterPoint(values, IntegralValue(ball.real, "enclosure"), exact_sum)


def _term_at(problem: SumProblem, values: Values) -> Expression:
    pairs = ((name, number(value)) for name, value in values.items())
    return substitute_all(problem.term, pairs)


def _halves(problem: SumProblem, values: Values) -> Iterator[tuple[Expression, str, int]]:
    """Write an infinite sum as one or two sums to plus infinity.

    Yield the term, the index and its first value in each sum. In a sum from minus infinity, the
    index is negated.
    """
    term, index = _term_at(problem, values), problem.counter
    if not problem.limits:
        yield term, index, 0
        yield mirrored(term, index), index, 1
        return
    start = exact(problem.limits[0], values)
    if start is None or start.denominator != 1:
        raise QuadratureError("a limit is no whole number")
    if problem.is_series:
        yield term, index, int(start)
    else:
        yield mirrored(term, index), index, -int(start)
