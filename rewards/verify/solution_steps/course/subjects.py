"""What a solution is about: an integral, or another question such as a limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, pairwise
from math import inf
from typing import Any, Protocol

from ....errors import ProblemError
from ....numeric.quadrature import prepare_definite
from ....numeric.sampling.integrand import prepare
from ....proof.inverse_functions import read_derivative_of_inverse
from ....proof.limit_questions import limit_readings
from ....questions import COURSE, NAMES, QUESTIONS
from ....reading.expression.build import add, div, mul, neg
from ....reading.expression.derivative import differentiate
from ....reading.expression.linear import NotLinearError, root
from ....reading.expression.traversal import fold, substitute, symbols_of
from ....reading.expression.tree import Expression, Symbol
from ....reading.latex import to_latex
from ....reading.problem import read_integral
from ....reading.problem.derivative import read_derivative
from ....reading.problem.differential_equation import (
    DifferentialEquation,
    read_differential_equation,
)
from ....reading.problem.power_series import asks_of_series, read_series
from ....reading.problem.sums import SumProblem, read_sum
from ....verdict import Verdict
from ..judging.course.flows import Flow
from ..operations import Integral, Side
from ..scope import COUNTED, Range
from ..sides import read_sides

#: Where formulas of a limit are compared: beyond a number, or so near to the point. Beyond e, ln x
#: exceeds 1, and at half the distance to the next whole number few functions have other zeros. No
#: claim of the 44 solutions with such limits changes with half or twice the values.
INFINITY_NEIGHBOURHOOD, POINT_NEIGHBOURHOOD = 4.0, 0.5
#: The variable where a question does not say it.
_INDEX = re.compile(r"_\s*\{?\s*([a-zA-Z])\s*(?:=|\\to|\\rightarrow|\\geq?)")
_SIGNS = (
    (re.compile(r"\\lim(?![A-Za-z])"), "limit"),
    (
        re.compile(r"\\sum(?![A-Za-z])|∑|\b(?:Taylor|Maclaurin|[Rr]adius of|[Ii]nterval of)\b"),
        "sum",
    ),
)
#: A letter that stands alone, outside of words.
_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z]|\s*[('])")
_BY_INTEGRAL = re.compile(r"([A-Za-z])\s*\(\s*([a-z])\s*\)\s*=\s*(\\int(?:\\,|[^,;$])*)")
_NAMED = re.compile(r"(?<![A-Za-z\\])([fghF])\s*\(\s*[a-z]\s*\)\s*=")


class Verify(Protocol):
    """Judges the final answer of a completion."""

    def __call__(self, completion: str, **options: Any) -> Verdict: ...


@dataclass(frozen=True)
class Subject:
    """The problem of a solution.

    Attributes:
        variable: the variable of the problem.
        symbols: the parameters, and the functions defined by an equation.
        assumptions: assumptions on parameters, such as ``positive``.
        verify: judges the final answer.
        integral: the integral of the problem. None for any other question.
        values: the functions defined by a formula in the question, each with variable and
            formula. The variable is an empty text after a name alone, as in ``y = x^2``.
        flow: the functions defined only by an equation of the question, such as ``y' = y``.
        counted: the integer variables.
        course: the kind of the question, such as ``limit``. Empty for an integral.
        ranges: the ranges from which values of variables are taken. If the question is a limit, the
            range is near the point of the limit.
        partial_sums: writes a partial sum of the question's series in LaTeX. The arguments
            are the name of the partial sum, such as S, and the last index, such as N.

    """

    variable: str
    symbols: frozenset[str]
    assumptions: Mapping[str, str]
    verify: Verify
    integral: Integral | None = None
    values: Mapping[str, tuple[str, Side]] = field(default_factory=dict)
    flow: Flow | None = None
    counted: frozenset[str] = frozenset()
    course: str = ""
    ranges: Mapping[str, Range] = field(default_factory=dict)
    partial_sums: Callable[[str, str], str] | None = None

    @property
    def functions(self) -> dict[str, str]:
        """The functions of the question, each with a variable."""
        return {name: by for name, (by, _) in self.values.items() if by}


def subject_of(
    problem: str,
    task: str,
    variable: str | None,
    assumptions: Mapping[str, str],
    completion: str = "",
) -> Subject:
    """Read the problem of a solution.

    Args:
        problem: the text of the problem.
        task: the kind of the question, a name in `rewards.questions.NAMES`. If the task is empty,
            the kind is found in the text of the problem.
        variable: the variable of an indefinite integral.
        assumptions: assumptions on parameters, such as ``positive``.
        completion: the text of the solution. If a differential equation does not name the
            independent variable, the variable is found in the solution.

    Raises:
        ProblemError: the problem is unreadable, or the task is unknown.

    """
    if task and NAMES.get(task) not in {"antiderivative", "definite", "steps", *COURSE}:
        raise ProblemError(f"no steps are judged for the task {task!r}")
    name = NAMES.get(task, "")
    if name in COURSE:
        return _of_course(problem, name, assumptions, completion)
    try:
        subject = _of_integral(problem, variable, assumptions)
        inferred_task = (
            kind_of_question(problem) if _is_number(subject) and not (name or variable) else ""
        )
        if not inferred_task:
            return subject
    except ProblemError:
        inferred_task = kind_of_question(problem)
        if inferred_task and name == "steps":
            raise ProblemError(
                f"{problem!r} is a question of the course: its steps bring no reward; name the "
                f"task {inferred_task!r}, which pays for the answer"
            ) from None
        if not inferred_task or name:
            raise
    return _of_course(problem, inferred_task, assumptions, completion)


def _is_number(subject: Subject) -> bool:
    r"""Whether the integrand is a number, as in ``\sum_{n=0}^\infty 2^{-n}``.

    Such a problem may ask for the number instead of an integral.
    """
    integral = subject.integral
    return integral is not None and integral.limits is None and not symbols_of(integral.integrand)


def kind_of_question(problem: str) -> str:
    """The kind of question in the text of a problem, such as ``limit``; empty if unknown."""
    for sign, question_task in _SIGNS:
        if sign.search(problem):
            return question_task
    readable_tasks = []
    for question_task, read in (
        ("derivative", read_derivative),
        ("differential_equation", read_differential_equation),
    ):
        with suppress(ProblemError):
            read(problem)
            readable_tasks.append(question_task)
    return readable_tasks[0] if len(readable_tasks) == 1 else ""


def _of_integral(problem: str, variable: str | None, assumptions: Mapping[str, str]) -> Subject:
    if read_integral(problem, variable).lower is not None:
        bounded = prepare_definite(problem, assumptions)
        integrand = bounded.integrand
        limits = bounded.lower, bounded.upper
        integral = Integral(integrand.expression, integrand.variable, limits)
        verify = partial(QUESTIONS["definite"].verify, problem=problem, assumptions=assumptions)
    else:
        integrand = prepare(problem, variable, assumptions)
        integral = Integral(integrand.expression, integrand.variable)
        verify = partial(
            QUESTIONS["antiderivative"].verify,
            integrand=problem,
            variable=variable,
            assumptions=assumptions,
        )
    symbols = frozenset(integrand.symbols)
    return Subject(integrand.variable, symbols, integrand.assumptions, verify, integral)


def _of_course(problem: str, task: str, assumptions: Mapping[str, str], completion: str) -> Subject:
    verify = partial(QUESTIONS[task].verify, problem=problem, assumptions=assumptions)
    if task == "differential_equation":
        subject = _differential_equation(problem, assumptions, verify, completion)
    else:
        make = {"derivative": _derivative, "limit": _limit, "sum": _sum}[task]
        subject = make(problem, assumptions, verify)
    return replace(subject, course=task)


def _integral_function(problem: str) -> dict[str, tuple[str, Side]]:
    r"""The function defined in a question by an integral: ``F(x) = \int_0^x ..``."""
    defined = _BY_INTEGRAL.search(problem)
    if defined is None:
        return {}
    name, by, formula = defined.groups()
    sides = read_sides(formula, {by}, ({}, {}), by, count(1), course=True)
    return {name: (by, sides[0])} if sides else {}


def _derivative(problem: str, assumptions: Mapping[str, str], verify: Verify) -> Subject:
    try:
        question = read_derivative(problem)
    except ProblemError:
        inverse = read_derivative_of_inverse(problem)
        if inverse is None:
            raise
        tree, x, _ = inverse
        named = _NAMED.search(problem)
        of_name = {named[1]: (x, Side(tree, {}))} if named else {}
        return Subject(x, frozenset(symbols_of(tree) - {x}), assumptions, verify, None, of_name)
    x, assumptions = question.variable, {**dict(question.assumptions), **assumptions}
    formulas = question.definitions
    trees = [question.derivative, *formulas.values(), *([question.curve] if question.curve else [])]
    symbols = set().union(*map(symbols_of, trees))
    values = _integral_function(problem)
    for name, tree in formulas.items():
        formula_symbols = symbols_of(tree)
        by = x if x in formula_symbols or len(formula_symbols) != 1 else next(iter(formula_symbols))
        by = by if re.search(rf"{re.escape(name)}\s*\(\s*\\?{re.escape(by)}\s*\)", problem) else ""
        values[name] = by, Side(tree, {})
    flow = None
    if question.curve is not None:
        y = question.function
        slope = neg(div(differentiate(question.curve, x), differentiate(question.curve, y)))
        flow = Flow(x, (y,), {y: slope}, assumptions, question.curve, dict(question.point))
        symbols.add(y)
    return Subject(x, frozenset(symbols - {x, *formulas}), assumptions, verify, None, values, flow)


def _limit(problem: str, assumptions: Mapping[str, str], verify: Verify) -> Subject:
    try:
        question = limit_readings(problem, assumptions)[0]
    except ProblemError:  # of a Riemann sum, for instance
        verify("")
        index = _INDEX.search(problem)
        name = index[1] if index else "x"
        return Subject(name, frozenset(), assumptions, verify)
    counted = frozenset({question.variable} if question.is_sequence else ())
    symbols = frozenset(question.parameters)
    assumptions = dict(question.assumptions)
    ranges: dict[str, Range] = {}
    if isinstance(question.at, int):
        ranges[question.variable] = (
            (INFINITY_NEIGHBOURHOOD, inf) if question.at > 0 else (-inf, -INFINITY_NEIGHBOURHOOD)
        )
    elif question.side and (at := fold(question.at)) is not None:
        ends = float(at), float(at) + question.side * POINT_NEIGHBOURHOOD
        ranges[question.variable] = min(ends), max(ends)
    return Subject(question.variable, symbols, assumptions, verify, counted=counted, ranges=ranges)


def _sum(problem: str, assumptions: Mapping[str, str], verify: Verify) -> Subject:
    if asks_of_series(problem):
        series = read_series(problem)
        assumptions = {**dict(series.conditions.assumptions), **assumptions}
        symbols = frozenset(series.parameters) - {series.variable}
        named = _NAMED.search(problem)
        values = {}
        if named and not series.series:
            values[named[1]] = series.variable, Side(series.function, {})
        counted = frozenset(problem.counter for problem in series.series)
        return Subject(series.variable, symbols, assumptions, verify, None, values, counted=counted)
    sums = read_sum(problem)[0]
    assumptions = {**dict(sums.conditions.assumptions), **assumptions}
    counted = frozenset({sums.counter})
    partial = _PartialSums(sums) if sums.is_series else None
    return Subject(
        sums.counter,
        frozenset(sums.parameters),
        assumptions,
        verify,
        counted=counted,
        partial_sums=partial,
    )


@dataclass(frozen=True)
class _PartialSums:
    """Writes the partial sums of a series."""

    problem: SumProblem

    def __call__(self, name: str, letter: str) -> str:
        """LaTeX of the partial sum with the last index ``letter``.

        The result is an empty text if the name or the letter is unusual.
        """
        problem = self.problem
        if name not in "Ss" or letter not in COUNTED or isinstance(problem.lower, int):
            return ""
        index = "j" if letter != "j" else "k"
        term = substitute(mul(problem.factor, problem.term), problem.counter, Symbol(index))
        lower = to_latex(problem.lower)
        return rf"\sum_{{{index}={lower}}}^{{{letter}}} \left({to_latex(term)}\right)"


def _differential_equation(
    problem: str, assumptions: Mapping[str, str], verify: Verify, completion: str
) -> Subject:
    question = read_differential_equation(problem)
    if question.is_variable_implied:
        letters = set(_LETTER.findall(completion))
        variables_in_solution = [name for name in ("x", "t") if name in letters - {*question.names}]
        if variables_in_solution and not re.search(
            rf"(?<![\\A-Za-z])[a-z]?{question.variable}[a-z]?(?![A-Za-z])", completion
        ):
            question = replace(question, variable=variables_in_solution[0])
    assumptions = {**dict(question.assumptions), **assumptions}
    symbols = frozenset(question.names - {question.variable} | {*question.functions})
    slopes = _slopes(question)
    flow = Flow(question.variable, question.functions, slopes, assumptions, question=question)
    return Subject(question.variable, symbols, assumptions, verify, flow=flow)


def _slopes(question: DifferentialEquation) -> dict[str, Expression]:
    """Map each function, and each lower derivative, to the next derivative.

    For y'' = F, the table maps y to y' and y' to F. The table is empty if no equation can be solved
    for the highest derivative.
    """
    jets = {jet: name for name, jet in question.jets.items() if not jet.at}
    slopes: dict[str, Expression] = {}
    for function in question.functions:
        order = question.orders[function]
        by_order = {jet.order: name for jet, name in jets.items() if jet.function == function}
        names = [function, *(f"{function}{chr(39) * at}" for at in range(1, order))]
        table = {by_order[at]: Symbol(names[at]) for at in range(1, order) if at in by_order}
        slope = _solved(question, by_order.get(order, ""))
        if slope is None:
            return {}
        for name, tree in table.items():
            slope = substitute(slope, name, tree)
        slopes |= {name: Symbol(raised) for name, raised in pairwise(names)}
        slopes[names[-1]] = slope
    return slopes


def _solved(question: DifferentialEquation, top: str) -> Expression | None:
    """Solve an equation for ``top``, the highest derivative of a function.

    The result is None unless exactly one equation contains ``top``. The result is also None if
    the equation is not linear in ``top``, or if the solution has another highest derivative.
    """
    equations = [
        add(lhs, neg(rhs))
        for lhs, rhs in question.equations
        if top in symbols_of(lhs) | symbols_of(rhs)
    ]
    if len(equations) != 1:
        return None
    try:
        slope = root(equations[0], top)
    except NotLinearError:
        return None
    tops = {
        name
        for name, jet in question.jets.items()
        if not jet.at and jet.order == question.orders[jet.function]
    }
    return None if symbols_of(slope) & tops else slope
