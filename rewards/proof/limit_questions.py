"""Reads questions about limits: the function, the variable, the point and the side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import ProblemError
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..numeric.sampling.cases import Draw
from ..numeric.sampling.integrand import assumption_items
from ..reading.expression.build import ONE, ZERO, div, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.sympy_bridge import from_sympy
from ..reading.expression.traversal import fold, substitute_all, symbols_of
from ..reading.expression.tree import Expression
from ..reading.latex import to_latex
from ..reading.problem import read_limit
from ..reading.problem.integral import Limit as Point
from ..reading.problem.integral import derivative_of_integral
from ..reading.problem.limit import LimitOfIntegral, read_limit_of_integral
from .limits import Assumptions, Limit, are_equal, limit
from .plane_limits import plane_limit

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class LimitQuestion:
    r"""One reading of a question about a limit.

    Attributes:
        expression: the function.
        variable: the variable of the limit.
        at: the point as an expression. The integers 1 and -1 mean plus and minus infinity.
        side: 1 from the right, -1 from the left, 0 from both sides.
        assumptions: assumptions on the parameters.
        conditions: comparisons that the problem states.
        is_sequence: whether the variable takes integer values only.
        flags: ambiguities of the notation.
        second_variable: the second variable and its point, for a limit in two variables.

    Example:
        >>> limit_readings(r"\lim_{x\to0} \frac{\sin ax}{x}")[0].parameters
        ('a',)

    """

    expression: Expression
    variable: str
    at: Point
    side: int = 0
    assumptions: Assumptions = ()
    conditions: tuple[Expression, ...] = ()
    is_sequence: bool = False
    flags: tuple[str, ...] = ()
    second_variable: tuple[str, Expression] | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all symbols except the variable, sorted."""
        names = symbols_of(self.expression) - {self.variable}
        if self.second_variable is not None:
            names = (names | symbols_of(self.second_variable[1])) - {self.second_variable[0]}
        if not isinstance(self.at, int):
            names |= symbols_of(self.at)
        return tuple(sorted(names))

    @property
    def latex(self) -> str:
        """The question as LaTeX, in a form that `limit_readings` can read."""
        mark = {1: "^{+}", -1: "^{-}", 0: ""}[self.side]
        infinity = {1: r"\infty", -1: r"-\infty"}
        at = infinity[self.at] if isinstance(self.at, int) else f"{{{to_latex(self.at)}}}{mark}"
        names = self.variable
        if self.second_variable is not None:
            names = f"({names},{self.second_variable[0]})"
            at = rf"({at},{{{to_latex(self.second_variable[1])}}})"
        return rf"\lim_{{{names} \to {at}}} {to_latex(self.expression)}"

    @property
    def all_assumptions(self) -> Assumptions:
        """The assumption about each parameter. By default, a parameter is positive."""
        stated = dict(self.assumptions)
        return tuple((name, stated.get(name, "positive")) for name in self.parameters)

    def limit(self) -> Limit:
        """Compute the limit with a proof (see `rewards.proof.limits.limit`)."""
        if self.second_variable is not None:
            name, coordinate = self.second_variable
            if self.side or isinstance(self.at, int) or name in dict(self.assumptions):
                raise NotExpandedError("a condition on a limit in two variables")
            return plane_limit(self.expression, (self.variable, name), (self.at, coordinate))
        variable, at, side = self.variable, self.at, self.side
        return limit(self.expression, variable, at, side, self.all_assumptions, self.is_sequence)

    def at_draw(self, draw: Draw) -> LimitQuestion:
        """The same question with numbers in place of the parameters."""
        at = self.at if isinstance(self.at, int) else with_values(self.at, draw)
        return replace(self, expression=with_values(self.expression, draw), at=at)


def limit_readings(
    problem: str | sympy.Limit, assumptions: Mapping[str, str] | None = None
) -> tuple[LimitQuestion, ...]:
    r"""Read a limit in every way that the notation allows.

    Args:
        problem: LaTeX with a limit sign, a sentence, or a SymPy ``Limit``.
        assumptions: assumptions about the parameters, as in `verify_antiderivative`. A parameter
            without an assumption is positive.

    Returns:
        The readings, sorted from the likeliest to the least likely. Most texts have one reading.

    Raises:
        ProblemError: the problem is unreadable.

    Example:
        >>> limit_readings(r"\lim_{x\to0^-} \frac{1}{x}")[0].side
        -1

    """
    stated = assumption_items(assumptions)
    if isinstance(problem, str):
        return _readings(problem, stated)
    expression, variable, at, direction = problem.args
    if at.is_infinite and not at.is_extended_real:
        raise ProblemError(f"{problem}: {at} is no point of the real line")
    point: Point = (1 if at.is_extended_positive else -1) if at.is_infinite else from_sympy(at)
    side = {"+": 1, "-": -1}.get(str(direction), 0)
    question = LimitQuestion(from_sympy(expression), str(variable), point, side, stated)
    return (_with_variable(question, dict(stated)),)


@lru_cache(maxsize=4096)
def _readings(text: str, assumptions: Assumptions) -> tuple[LimitQuestion, ...]:
    of_integral = read_limit_of_integral(text)
    if of_integral is not None:
        return (_by_lhopital(of_integral, text),)
    problem = read_limit(text, [name for name, _ in assumptions])
    stated = {**dict(problem.conditions.assumptions), **dict(assumptions)}
    comparisons = tuple(
        c for c in problem.conditions.comparisons if problem.variable not in symbols_of(c)
    )
    questions = (
        LimitQuestion(
            reading.expression,
            problem.variable,
            problem.at,
            problem.side,
            (),
            comparisons,
            problem.whole,
            reading.ambiguities,
            problem.beside,
        )
        for reading in problem.readings
    )
    return tuple(_with_variable(question, stated) for question in questions)


def _by_lhopital(problem: LimitOfIntegral, text: str) -> LimitQuestion:
    """Turn the limit of an integral over a shrinking interval into a limit without an integral.

    The question asks for the limit of I/r. Here I is the integral, and r is the reciprocal of the
    factor in front of the integral. L'Hospital's rule applies if I and r tend to 0. I tends to 0
    because both ends of the interval tend to one point, at which the integrand has a limit. If
    I'/r' has a limit, I/r has the same limit. The result asks for the limit of I'/r'.

    Raises:
        ProblemError: a condition of the rule is not proved, or the question has parameters.

    """
    integral, x, at, side = problem.integral, problem.variable, problem.at, problem.side
    integrand, t, reciprocal = integral.readings[0].expression, integral.variable, None
    names = symbols_of(integrand) | symbols_of(problem.factor)
    for end in (integral.lower, integral.upper):
        names |= symbols_of(end) if isinstance(end, Expression) else {"infinity"}
    error = ProblemError(f"{text!r}: the limit of the integral is not found by L'Hospital's rule")
    if names - {x, t} or t in (None, x) or len(integral.readings) > 1 or x in symbols_of(integrand):
        raise error
    assert t is not None
    assert isinstance(integral.lower, Expression)
    assert isinstance(integral.upper, Expression)
    # The conditions of the rule: the interval shrinks to a point at which the integrand has a
    # limit, so that I tends to 0; r tends to 0; and I'/r' has a limit.
    reciprocal = div(ONE, problem.factor)
    try:
        lower, upper = (limit(end, x, at, side).value for end in (integral.lower, integral.upper))
        if lower is None or upper is None or not are_equal(lower, upper, {}):
            raise error
        if limit(integrand, t, lower).value is None or limit(reciprocal, x, at, side).value != ZERO:
            raise error
        slope = div(derivative_of_integral(integral, x), differentiate(reciprocal, x))
        question = LimitQuestion(slope, x, at, side)
        if not question.limit().exists:
            raise error
    except (NotExpandedError, UndefinedError):
        raise error from None
    return question


def _with_variable(question: LimitQuestion, assumptions: dict[str, str]) -> LimitQuestion:
    """Remove the variable's assumption from ``assumptions``, and apply the assumption.

    A positive or negative variable at 0 means a limit from one side. An integer variable means the
    limit of a sequence.

    Raises:
        ProblemError: the variable has an assumption of another kind, or the assumption excludes
            values near the point.

    """
    variable, at = question.variable, question.at
    assumption = assumptions.pop(variable, "real")
    question = replace(question, assumptions=tuple(sorted(assumptions.items())))
    infinite = isinstance(at, int)
    if assumption == "real":
        return question
    if infinite and (assumption == "signed integer" or (assumption == "integer" and at == 1)):
        return replace(question, is_sequence=True)
    if assumption in ("positive", "negative"):
        sign = 1 if assumption == "positive" else -1
        point = at if isinstance(at, int) else fold(at)
        if point == 0 and question.side in (0, sign):
            return replace(question, side=sign)
        if point is not None and point * sign > 0:
            return question
    raise ProblemError(f"{question.latex}: the limit of a variable that is {assumption}")


def with_values(expression: Expression, draw: Draw) -> Expression:
    """Replace the parameters of an expression by their values in ``draw``."""
    return substitute_all(expression, ((name, number(Fraction(size))) for name, size in draw))
