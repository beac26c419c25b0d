"""The values of an integral for several choices of its parameters. Each value is computed once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from flint import acb

from ...reading.expression.tree import Expression
from ..ball_arithmetic.jets import Ball
from ..sampling.cases import Draw
from ..sampling.parameters import regimes
from .line import OutsideDomainError, limit_value
from .problem import KEPT_TEXTS, DefiniteIntegral, definite_readings
from .value import IntegralValue, evaluate
from .work import QuadratureError

#: Choices of the parameters at which an answer is compared where none distinguishes cases: below 1,
#: above 1, in the middle, beyond the largest number.
DRAWS = 4


@lru_cache(maxsize=KEPT_TEXTS)
def values_of(integral: DefiniteIntegral, digits: int) -> tuple[tuple[Draw, IntegralValue], ...]:
    """The integral for `DRAWS` usual choices of its parameters, and for all special choices.

    The choices do not depend on an answer. For a special choice, a function such as abs or max
    takes another case. If there are special choices, all values must be computed.

    Args:
        integral: the integral.
        digits: decimal digits asked for.

    Raises:
        QuadratureError: too few values can be computed.

    """
    usual, special = draws_of(integral)
    wanted_count = min(DRAWS, len(usual))
    results: list[tuple[Draw, IntegralValue]] = []
    errors: list[QuadratureError] = []
    for draw in usual:
        try:
            results.append((draw, evaluate(integral, balls(draw), digits)))
        except QuadratureError as failed:
            errors.append(failed)
        if sum(not value.diverges for _, value in results) == wanted_count and not special:
            break
    if len(results) < min(wanted_count, 2):
        # What only some parameters cause is no fault of the problem.
        raise min(errors, key=lambda error: isinstance(error, OutsideDomainError))
    for draw in special:
        with suppress(OutsideDomainError):
            results.append((draw, evaluate(integral, balls(draw), digits)))
    if special:
        for error in errors:
            if not isinstance(error, OutsideDomainError):
                raise error
    diverging = [value for _, value in results if value.diverges]
    if diverging and len(diverging) < len(results):
        # It converges for some parameters only; those are meant.
        results = [pair for pair in results if not pair[1].diverges]
    return tuple(results)


def value_at(integral: DefiniteIntegral, draw: Draw, digits: int) -> IntegralValue:
    """The value of an integral for one choice of its parameters.

    Raises:
        OutsideDomainError: the integrand is not real for these parameters.
        QuadratureError: the value cannot be computed.

    """
    value = _value_or_reason(integral, draw, digits)
    if isinstance(value, str):
        raise QuadratureError(value)
    return value


@lru_cache(maxsize=KEPT_TEXTS)
def _value_or_reason(integral: DefiniteIntegral, draw: Draw, digits: int) -> IntegralValue | str:
    """The value of an integral, or the reason why the computation failed."""
    try:
        return evaluate(integral, balls(draw), digits)
    except OutsideDomainError:
        raise
    except QuadratureError as error:
        return str(error)


def with_whole_parameters(integral: DefiniteIntegral) -> Iterator[DefiniteIntegral]:
    r"""Yield copies of the integral in which parameters are assumed to be whole numbers.

    In each copy except the last, one parameter is whole. In the last copy, all parameters are
    whole. For example, x^m \ln^n x is real on (0, 1) only if n is whole.
    """
    names, assumptions = integral.parameters, dict(integral.integrand.assumptions)
    if integral.is_text and names:
        for integer_names in (*((name,) for name in names), names):
            extended = dict.fromkeys(integer_names, "integer") | assumptions
            yield from definite_readings(integral.text, extended)[integral.number :][:1]


def has_reversed_limits(integral: DefiniteIntegral, draw: Draw) -> bool:
    """Whether the lower limit is above the upper limit for these parameters."""
    lower, upper = (limit_value(limit, balls(draw)) for limit in (integral.lower, integral.upper))
    return bool(lower > upper)


def draws_of(
    integral: DefiniteIntegral, answer: Expression | None = None
) -> tuple[list[Draw], list[Draw]]:
    """Two lists of choices of the parameters, computed by `regimes`.

    The first list contains usual choices. The second list has further choices if a function
    distinguishes cases, as abs and max do.
    """
    trees = expressions(integral) + ([] if answer is None else [answer])
    assumptions = integral.integrand.assumptions
    return regimes(integral.parameters, assumptions, trees, integral.conditions)


def balls(draw: Draw) -> dict[str, Ball]:
    """Convert the values of parameters to balls."""
    return {name: acb(value) for name, value in draw}


def expressions(integral: DefiniteIntegral) -> list[Expression]:
    """The integrand and the finite limits of an integral."""
    limits = (integral.lower, integral.upper)
    finite_limits = [limit for limit in limits if not isinstance(limit, int)]
    return [integral.integrand.expression, *finite_limits]
