r"""Verify solutions of differential equations by substitution; no reference answer is needed.

First, the solution must satisfy the equations (*residual*). Second, it must have the initial and
boundary values (*conditions*). Third, it must have as many independent constants as the question
leaves free (*generality*). The order and the conditions determine this number. The rank of a
Jacobian counts the independent constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Unpack

from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.outcome import Budget, Outcome, joined
from ..numeric.sampling.integrand import assumption_items
from ..proof.equality import equality
from ..reading.expression.build import number
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import NotClosedFormError, ReadError, to_latex
from ..reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
    read_differential_equation,
    solutions,
)
from ..verdict import Status, Verdict
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    NeedsWorkerError,
    find_answer,
    stated_text,
    verify_in_worker,
)
from .families import Family
from .options import with_option
from .values import check_variable

#: Independent variables that an answer may use where the question names none.
_VARIABLES: Final = ({"x"}, {"t"}, {"s"})
#: Constant solutions that are looked for, beside the parameters.
_CONSTANT_SOLUTIONS: Final[tuple[Expression, ...]] = (*map(number, (0, 1, -1, 2, -2, 3, -3)),)


def verify_differential_equation(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion solves a differential equation.

    Args:
        completion: the model's output.
        problem: the equations and conditions in LaTeX (``y'' + y = 0, y(0) = 1, y'(0) = 0``).
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``identity`` or ``agreement``. The flag
        ``uniqueness_not_shown`` means that another solution may satisfy the conditions. The flag
        ``redundant_constants`` means that the answer has more constants than it needs.

    Raises:
        ProblemError: the question is unreadable, or is not a determined system in one variable.

    Example:
        >>> verdict = verify_differential_equation(r"$\boxed{y = Ce^{x^2}}$", "y' = 2xy")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'identity')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    completion = with_option(completion, problem, chosen)
    prepared = _prepared(problem, assumption_items(assumptions))
    answer = find_answer(completion, chosen, symbols=prepared.names)
    if answer.text is None:
        return answer.verdict(answer.status or Status.NO_ANSWER)
    answer.text = stated_text(answer)
    try:
        outcome = _judged(problem, assumption_items(assumptions), answer.text)
        if outcome.status is Status.INCORRECT and prepared.question.may_determine_parameters:
            detail = "the conditions may determine a parameter"
            outcome = replace(outcome, status=Status.UNDECIDED, detail=detail)
    except NeedsWorkerError:
        return verify_in_worker("differential_equation", problem, answer)
    return answer.verdict(outcome.status, outcome)


@lru_cache(maxsize=4096)  # a group of rollouts often has the same answer many times
def _judged(problem: str, assumptions: tuple[tuple[str, str], ...], text: str) -> Outcome:
    return _prepared(problem, assumptions).judge(text)


@lru_cache(maxsize=4096)
def _prepared(problem: str, assumptions: tuple[tuple[str, str], ...]) -> _Judge:
    return _Judge(read_differential_equation(problem), dict(assumptions))


class _Judge:
    def __init__(self, question: DifferentialEquation, assumptions: Mapping[str, str]) -> None:
        self.question = question
        self.names = tuple(sorted(question.names))
        self.assumptions = {**dict(question.assumptions), **assumptions}
        check_variable(question.variable, self.assumptions)

    def judge(self, text: str) -> Outcome:
        """Judge whether all solutions that an answer states are right and general."""
        question = self.question
        try:
            stated = solutions(text, question)
        except ReadError as error:
            closed = isinstance(error, NotClosedFormError)
            status = Status.NOT_CLOSED_FORM if closed else Status.UNPARSEABLE
            return Outcome(status, detail=str(error))
        # Symbols other than constants of integration are errors, except an independent variable
        # without a name in the question.
        families: list[Family] = []
        for solution in stated:
            family = Family(question, solution, self.assumptions)
            if {*family.strangers} in _VARIABLES and question.is_variable_implied:
                (variable,) = family.strangers
                renamed_question = replace(question, variable=variable, is_variable_implied=False)
                return _Judge(renamed_question, self.assumptions).judge(text)
            if family.strangers:
                names = ", ".join(family.strangers)
                return Outcome(Status.INCORRECT, detail=f"symbols that are no constants: {names}")
            families.append(family)
        # Every family has to solve the equation before the number of constants matters.
        budget = Budget()
        outcomes: list[Outcome] = []
        try:
            for family in families:
                outcomes += family.outcomes(text, budget)
                if outcomes[-1].status is not Status.CORRECT:
                    return outcomes[-1]
            outcomes.append(self._general(families))
            if question.asks_all and outcomes[-1].status is Status.CORRECT:
                outcomes.append(self._complete(families))
            if all(outcome.status is Status.CORRECT for outcome in outcomes):
                outcomes += (o for family in families for o in family.continuity(text, budget))
        except (UnusableError, ValueError) as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        return joined(outcomes)

    def _general(self, families: Sequence[Family]) -> Outcome:
        """Judge whether a solution has as many independent constants as the question requires."""
        question = self.question
        needed = 0 if question.asks_one else max(question.order - len(question.conditions), 0)
        # Without free constants, the conditions should determine the solution.
        if not needed:
            if question.conditions and not all(family.is_unique() for family in families):
                if any(family.has_multiples() for family in families):
                    return Outcome(Status.INCORRECT, detail="so does every multiple of it")
                if all(family.is_zero for family in families):
                    detail = "zero solves it; that nothing else does is not shown"
                    return Outcome(Status.UNDECIDED, detail=detail)
                return Outcome(Status.CORRECT, proof="identity", flags=("uniqueness_not_shown",))
            return Outcome(Status.CORRECT, proof="identity")
        # Too few constants cannot be general. Enough constants may still depend on each other.
        count = max(len(family.constants) for family in families)
        if count < needed:
            detail = f"constants of integration: {count}, of a general solution: {needed}"
            return Outcome(Status.INCORRECT, detail=detail)
        general = next((family for family in families if family.has_rank(needed)), None)
        if general is not None:
            flags = ("redundant_constants",) if len(general.constants) > needed else ()
            return Outcome(Status.CORRECT, proof="identity", flags=flags)
        if all(family.is_dependent(needed) for family in families):
            detail = f"its constants are not independent: {needed} are needed"
            return Outcome(Status.INCORRECT, detail=detail)
        detail = f"that its constants vary in {needed} independent ways is not shown"
        return Outcome(Status.UNDECIDED, detail=detail)

    def _complete(self, families: Sequence[Family]) -> Outcome:
        """Return undecided if an answer lacks a constant solution of the equation."""
        question = self.question
        if question.order != 1 or question.conditions:
            return Outcome(Status.CORRECT, proof="identity")
        parameters = question.names - {question.variable, *question.functions}
        for value in (*_CONSTANT_SOLUTIONS, *map(Symbol, sorted(parameters))):
            solution = StatedSolution({question.functions[0]: value})
            constant = Family(question, solution, self.assumptions)
            solves = all(equality(a, b) is not None for a, b in constant.substituted())
            if solves and not any(family.contains(value) for family in families):
                name = to_latex(value)
                detail = f"all solutions are asked for; the constant {name} is not among them"
                return Outcome(Status.UNDECIDED, detail=detail)
        return Outcome(Status.CORRECT, proof="identity")
