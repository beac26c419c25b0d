r"""Definite integrals as papers print them: ``\int_0^\infty \frac{\ln x}{1+x^2}\,dx``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ...errors import ProblemError
from ...reading.expression.sympy_bridge import from_sympy
from ...reading.expression.traversal import symbols_of
from ...reading.expression.tree import Expression
from ...reading.problem import Limit, read_integral
from ..sampling.integrand import Integrand, assumption_items, integrands, prepare

if TYPE_CHECKING:
    import sympy

#: Problem texts of which the readings and the values are kept: those of a few training batches.
KEPT_TEXTS = 4096


@dataclass(frozen=True, slots=True)
class DefiniteIntegral:
    r"""A readable definite integral.

    Attributes:
        integrand: f, its variable and its parameters.
        lower: the lower limit.
        upper: the upper limit.
        principal_value: whether Cauchy's principal value is asked for.
        text: the problem as given by the caller.
        conditions: the comparisons that the text states for the parameters.
        number: the number of this reading among the readings of the text, from 0.

    Example:
        >>> prepare_definite(r"\int_0^\infty e^{-x} \, dx").upper
        1

    """

    integrand: Integrand
    lower: Limit
    upper: Limit
    principal_value: bool
    text: str
    number: int = 0
    conditions: tuple[Expression, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols of integrand and limits, except the variable of integration, sorted."""
        names = set(self.integrand.parameters)
        for limit in (self.lower, self.upper):
            if not isinstance(limit, int):
                names |= symbols_of(limit)
        return tuple(sorted(names))

    @property
    def is_text(self) -> bool:
        """Whether the problem was given as LaTeX. LaTeX can be read again."""
        return not self.text.lstrip().startswith("Integral(")


def prepare_definite(
    problem: str | sympy.Integral, assumptions: Mapping[str, str] | None = None
) -> DefiniteIntegral:
    r"""The likeliest reading of a definite integral.

    Args:
        problem: as for `definite_readings`.
        assumptions: as for `definite_readings`.

    Returns:
        The first of `definite_readings`.

    Raises:
        ProblemError: as for `definite_readings`.

    Example:
        >>> prepare_definite(r"\int_0^1 x^a \, dx").parameters
        ('a',)

    """
    return definite_readings(problem, assumptions)[0]


def definite_readings(
    problem: str | sympy.Integral, assumptions: Mapping[str, str] | None = None
) -> tuple[DefiniteIntegral, ...]:
    r"""Read a definite integral in every way that its notation allows.

    Args:
        problem: LaTeX with an integral sign, both limits and a differential. The text may begin
            with ``I =`` or ``\mathrm{PV}``. A SymPy ``Integral`` over one range is also accepted.
        assumptions: assumptions on parameters, as in `rewards.numeric.sampling.pool.ASSUMPTIONS`.

    Returns:
        The readings, the likeliest first. Most texts have one reading.

    Raises:
        ProblemError: the text is unreadable, a limit is missing, the text is a multiple integral,
            or a condition is about a letter that the integral does not have.

    Example:
        >>> [each.lower for each in definite_readings(r"\int_0^1 x^a \, dx")]
        [Number(numerator=0, denominator=1)]

    """
    if isinstance(problem, str):
        return _prepare_text(problem, assumption_items(assumptions))
    if len(problem.limits) != 1 or len(problem.limits[0]) != 3:
        raise ProblemError(f"{problem} is not an integral over one range")
    variable, lower, upper = problem.limits[0]
    integrand = prepare(problem.function, str(variable), assumptions)
    limits = [_sympy_limit(limit) for limit in (lower, upper)]
    return (DefiniteIntegral(integrand, limits[0], limits[1], False, str(problem)),)


def _sympy_limit(limit: sympy.Expr) -> Limit:
    if limit.is_infinite:
        return 1 if limit.is_extended_positive else -1
    return from_sympy(limit)


@lru_cache(maxsize=KEPT_TEXTS)
def _prepare_text(
    text: str, assumptions: tuple[tuple[str, str], ...]
) -> tuple[DefiniteIntegral, ...]:
    problem = read_integral(text, None, [name for name, _ in assumptions])
    lower, upper = problem.lower, problem.upper
    if lower is None or upper is None:
        lacks = "lower and no upper limit" if problem.has_sign else "integral sign"
        raise ProblemError(f"{text!r} is no definite integral: it has no {lacks}")
    stated, comparisons = problem.conditions
    # "for x > 0" of the variable of integration says nothing of the value
    comparisons = tuple(c for c in comparisons if problem.variable not in symbols_of(c))
    assumptions = tuple(sorted({**dict(stated), **dict(assumptions)}.items()))
    readings = tuple(
        DefiniteIntegral(
            integrand, lower, upper, problem.principal_value, text, number, comparisons
        )
        for number, integrand in enumerate(integrands(problem, text, None, assumptions))
    )
    letters = set().union(*(reading.parameters for reading in readings))
    lacking = sorted(set().union(*map(symbols_of, comparisons)) - letters)
    if lacking:
        raise ProblemError(f"{text!r} has conditions on {', '.join(lacking)}, which it lacks")
    return readings
