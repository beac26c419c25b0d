r"""Functions that a model may call during a rollout, to check an antiderivative or a step.

The functions take and return text, and judge in isolated workers. No text of a model raises an
exception. Trainers derive the tools' schemas from the docstrings.

>>> check_antiderivative("2x", "x^2 + C")
'correct'
>>> check_antiderivative("2x", "x^3")
'incorrect: at x = 0.587494, integrand 1.174988, derivative 1.035448, difference -0.1395404'
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import ProblemError
from ...questions import COURSE
from ...verdict import Status, Verdict
from ...workers.errors import PoolError, WorkerError
from ...workers.pool import shared_pool
from ..feedback import LONGEST, finding, steps
from ..scoring import BAD_PROBLEM, CUT_OFF, FAULT, Rollout, Rubric, Score, score, task_of

#: The largest number of characters of an argument.
LONGEST_ARGUMENT = 4000


def check_antiderivative(integrand: str, answer: str) -> str:
    """Check whether a formula is an antiderivative of an integrand.

    Args:
        integrand: The function to integrate, in LaTeX.
        answer: The antiderivative to check, in LaTeX, without a box.

    Returns:
        "correct", "incorrect" with a reason, "unreadable" with a reason, or "undecided".

    """
    return checked(answer, integrand, Rubric())


def check_step(problem: str, step: str) -> str:
    r"""Check whether the equations of a step are right.

    Args:
        problem: The function to integrate, in LaTeX.
        step: The equations, in LaTeX, such as \int xe^x\,dx = xe^x - \int e^x\,dx.

    Returns:
        A line for each equation: "correct", "incorrect" or "undecided", with the equation.

    """
    return step_checked(step, problem, Rubric())


def checked(answer: str, target: Any, rubric: Rubric, **row: Any) -> str:
    """Check an answer, and describe the result as text for the model."""
    if not isinstance(answer, str) or len(answer) > LONGEST_ARGUMENT:
        return f"unreadable: give a formula of at most {LONGEST_ARGUMENT} characters"
    text = answer if r"\boxed" in answer else rf"$\boxed{{{answer}}}$"
    rollout = Rollout(text, target, **row)
    [scored] = score([rollout], rubric)
    if scored.status in (FAULT, CUT_OFF):
        return "undecided: the checker does not work now"
    if scored.status == BAD_PROBLEM:
        return f"unreadable problem: {scored.verdict.evidence.detail}"[:LONGEST]
    return finding(judged(scored), task_of(rollout, rubric))


def judged(scored: Score) -> Verdict:
    """The verdict of a score, with the status of the score.

    The two statuses differ if `Rubric.min_coverage` makes a right answer incorrect.
    """
    if scored.status == scored.verdict.status:
        return scored.verdict
    share = f"right on {100 * (scored.verdict.evidence.coverage or 0):.0f} % of the domain alone"
    evidence = replace(scored.verdict.evidence, detail=share)
    return replace(scored.verdict, status=Status(scored.status), evidence=evidence)


def step_checked(step: str, problem: Any, rubric: Rubric) -> str:
    """Check the equations of a step, and describe the results as text for the model."""
    if not isinstance(step, str) or not isinstance(problem, str) or len(step) > LONGEST_ARGUMENT:
        return f"unreadable: give equations of at most {LONGEST_ARGUMENT} characters"
    text = step if "$" in step or r"\[" in step else f"$${step}$$"
    try:
        return steps(solution_claims(text, problem, rubric, rubric.task))
    except (WorkerError, ProblemError, PoolError, OSError) as error:
        return f"undecided: {error}"[:LONGEST]


def solution_claims(
    text: str, problem: str, rubric: Rubric, task: str = ""
) -> list[dict[str, Any]]:
    """The claims of a solution, which are its judged equations (`rewards.verify.solution_steps`).

    ``task`` is the kind of the question, if the question is one of the calculus course. If the
    worker raises an exception, this function raises it again.
    """
    pool = shared_pool(rubric.workers, rubric.memory_mb)
    options = {"task": task} if task in COURSE else {}
    solution = pool.call("solution", text, problem, options, deadline=rubric.deadline)
    claims: list[dict[str, Any]] = solution["claims"]
    return claims
