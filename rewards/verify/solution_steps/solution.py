"""Verify a solution: the claims in the order of the text, then the final answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...arguments import check_text
from ...numeric.sampling.integrand import as_latex
from ...verdict import Status, Verdict
from ...workers.deadline import Deadline
from ...workers.errors import WorkerError
from ...workers.pool import DEFAULT_DEADLINE
from ...workers.verdicts import call_task
from ..answers import NeedsWorkerError
from .course.subjects import subject_of
from .judging.work import Work
from .reader import Reader
from .result import Claim, Judgement, Solution
from .substitution import free_symbols
from .text.statements import Link, statements

if TYPE_CHECKING:
    import sympy

_JUDGEMENTS = {Status.CORRECT: Judgement.CORRECT, Status.INCORRECT: Judgement.INCORRECT}


def verify_solution(
    completion: str,
    integrand: str | sympy.Expr,
    *,
    task: str = "",
    variable: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    thoughts: bool = False,
    deadline: float | Deadline = DEFAULT_DEADLINE,
) -> Solution:
    r"""Verify every step of a solution of an integral, or of a question of the calculus course.

    Equations in displays, in the text and on separate lines are read as claims. Each claim is
    judged alone: a right consequence of a wrong claim is right. Expressions with indefinite
    integrals are equal if they differ by a constant. A claim is ``unchecked`` if unreadable, or if
    true only on an interval of the real line.

    Args:
        completion: the model's output. Any text is safe, and the work is bounded.
        integrand: f, as for `verify_antiderivative`; or a definite integral, in LaTeX, as for
            `verify_definite_integral`; or a question of the course, as for `verify_derivative`,
            `verify_limit`, `verify_sum` or `verify_differential_equation`.
        task: the kind of the question, a name in `rewards.questions.NAMES`. By default, the kind is
            found in the text. A text that is no integral may have a limit sign, a sum sign or a
            derivative.
        variable: the variable of an indefinite integral, as for `verify_antiderivative`.
        assumptions: assumptions on parameters, as for `verify_antiderivative`.
        strict: whether the final answer needs a box.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.
        thoughts: whether the thoughts of the model are read as well. Rewards never read thoughts.
        deadline: total seconds of processor time for the work in a worker.

    Returns:
        The claims with offsets, the definitions, and the verdict on the final answer.

    Raises:
        ProblemError: the integrand is unreadable or ambiguous, or the variable is wrong.
        PoolError: a worker is needed and cannot be started.
        ArgumentTypeError: the completion is not text, or a switch is not a bool.

    Example:
        >>> solution = verify_solution(
        ...     r"$\int x\cos x\,dx = x\sin x + \int\sin x\,dx = x\sin x - \cos x + C$", r"x\cos x"
        ... )
        >>> [str(claim.judgement) for claim in solution.claims]
        ['incorrect', 'correct', 'incorrect']
        >>> solution.claims[0].kind, solution.first_wrong, solution.outcome
        ('parts', 0, 'wrong')

    """
    check_text("completion", completion)
    text = as_latex(integrand)
    options: dict[str, Any] = {
        "task": task,
        "variable": variable,
        "assumptions": dict(assumptions or {}),
        "strict": strict,
        "stop": list(stop),
        "truncated": truncated,
        "thoughts": thoughts,
    }
    # The final answer and the claims may need a worker, each for itself and all at once.
    time_left = Deadline.of(deadline)
    try:
        return _solution(completion, text, Work(), deadline=time_left, **options)
    except NeedsWorkerError:
        with suppress(WorkerError):
            result = call_task("solution", completion, text, options, deadline=time_left)
            return Solution.from_dict(result)
        return _solution(completion, text, Work(special=False), deadline=time_left, **options)


def _solution(
    completion: str,
    problem: str,
    work: Work,
    *,
    variable: str | None,
    strict: bool,
    stop: Sequence[str],
    truncated: bool,
    thoughts: bool,
    deadline: Deadline,
    task: str,
    assumptions: Mapping[str, str],
) -> Solution:
    subject = subject_of(problem, task, variable, assumptions, completion)
    integral = subject.integral
    verify = subject.verify
    options_of_text = {"strict": strict, "stop": stop, "truncated": truncated}
    verdict = verify(completion, **options_of_text, deadline=deadline)
    unproven = verdict.status is Status.INCORRECT and verdict.evidence.witness is None
    if integral is not None and unproven and verdict.answer:
        # Perhaps a wrong step beside a right answer; here steps are judged by themselves.
        alone = verify(rf"\boxed{{{verdict.answer}}}", deadline=deadline)
        verdict = alone if alone.answer == verdict.answer else verdict
    reader = Reader(subject, work)
    reader.take_all(statements(completion, stop, thoughts=thoughts))
    chains = [statement.links for statement in reader.answer_statements if len(statement.links) > 1]
    lost = verdict.status is Status.INCORRECT and verdict.evidence.witness is None
    if (
        integral is not None
        and integral.limits
        and lost
        and chains
        and not any(statement.boxed for statement in reader.answer_statements)
    ):
        # Taken for the answer was an antiderivative on the way to the value.
        verdict = verify(rf"\boxed{{{chains[-1][-1].latex}}}", deadline=deadline)
    reader.settle(verdict)
    final = _final_claim(reader, verdict, completion)
    claims = [*reader.claims, final] if final else reader.claims
    return Solution(tuple(claims), tuple(reader.definitions), verdict)


def _final_claim(reader: Reader, verdict: Verdict, completion: str) -> Claim | None:
    """The claim that the final answer is right. If the text has no answer, the result is None."""
    if verdict.answer is None:
        return None
    answer = _joined(verdict.answer)
    boxed = [statement.links[-1] for statement in reader.answer_statements if statement.boxed]
    same = [
        link
        for statement in reader.answer_statements
        if answer in _joined((link := statement.links[-1]).latex)
    ]
    answer_link = (boxed or same)[-1] if boxed or same else _place(verdict.answer, completion)
    judgement = _JUDGEMENTS.get(verdict.status, Judgement.UNCHECKED)
    if judgement is Judgement.INCORRECT and not boxed:
        read = reader.sides(Link(verdict.answer, 0, 0))
        names = {*reader.scope.values, *reader.scope.introduced}
        if reader.problem_integral and reader.problem_integral.limits:
            names.add(reader.problem_integral.variable)
        if read and free_symbols(read[0]) & names:
            judgement = Judgement.UNCHECKED  # the text ends before its answer
    evidence = verdict.evidence
    return Claim(
        "final",
        judgement,
        "",
        verdict.answer,
        answer_link.start,
        answer_link.end,
        displayed=True,
        points=evidence.points,
        witness=evidence.witness,
        detail=evidence.detail,
    )


def _place(answer: str, completion: str) -> Link:
    """Find an answer that is not a side of an equation. Return the answer with offsets.

    If the completion does not contain the answer verbatim, the result has the offsets of the last
    line.
    """
    at = completion.rfind(answer)
    if at >= 0:
        return Link(answer, at, at + len(answer))
    end = len(completion.rstrip())
    return Link(answer, completion.rfind("\n", 0, end) + 1, end)


def _joined(latex: str) -> str:
    """Remove all white space from LaTeX."""
    return "".join(latex.split())
