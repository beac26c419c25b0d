r"""Functions that a model may call while it works: is this an antiderivative, is this step right?

They take and return text, have docstrings in the form that trainers make schemas from, judge in
isolated workers, and never raise for what a model sends.

>>> check_antiderivative("2x", "x^2 + C")
'correct'
>>> check_antiderivative("2x", "x^3")
'incorrect: at x=0.587494 it gives 1.035448, not 1.174988'
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import ProblemError
from ...verdict import Status, Verdict
from ...workers.errors import PoolError, WorkerError
from ...workers.pool import shared_pool
from ..scoring import BAD_PROBLEM, FAULT, Rollout, Rubric, Score, score

#: The longest argument that is judged, and the longest reply: a model's context is dear.
LONGEST_ARGUMENT, LONGEST_REPLY = 4000, 300
#: A ball as a witness has it.
_BALL = re.compile(r"\[(-?[0-9.]+(?:e[-+]?[0-9]+)?) \+/- [^\]]{1,40}\]")


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
    """The finding on an answer, as a model reads it."""
    if not isinstance(answer, str) or len(answer) > LONGEST_ARGUMENT:
        return f"unreadable: give a formula of at most {LONGEST_ARGUMENT} characters"
    text = answer if r"\boxed" in answer else rf"$\boxed{{{answer}}}$"
    return finding(score([Rollout(text, target, **row)], rubric)[0])


def finding(given: Score) -> str:
    """A score in a line: no more than its status and why."""
    verdict = given.verdict
    if given.status == FAULT:
        return "undecided: the checker does not work now"
    if given.status == BAD_PROBLEM:
        return f"unreadable problem: {verdict.evidence.detail}"[:LONGEST_REPLY]
    return finding_of(verdict)


def finding_of(verdict: Verdict) -> str:
    """A verdict in a line: its status and why."""
    return _line(verdict)[:LONGEST_REPLY]


def _line(verdict: Verdict) -> str:
    witness, detail = verdict.evidence.witness, verdict.evidence.detail
    if verdict.status is Status.CORRECT:
        return "correct"
    if verdict.status is Status.INCORRECT:
        if witness is not None:
            point, got, expected = map(_middle, (witness.point, witness.got, witness.expected))
            return f"incorrect: at {point} it gives {got}, not {expected}"
        return f"incorrect: {detail}" if detail else "incorrect"
    if verdict.status in (Status.UNPARSEABLE, Status.NO_ANSWER, Status.NOT_CLOSED_FORM):
        return f"unreadable: {detail}" if detail else "unreadable"
    return "undecided"


def _middle(balls: object) -> str:
    """The middles of balls, as ``x=0.587494`` for ``x=[0.587494000000000 +/- 3.94e-17]``."""
    return _BALL.sub(lambda ball: f"{float(ball[1]):.7g}", str(balls))


def step_checked(step: str, problem: Any, rubric: Rubric) -> str:
    """The findings on the equations of a step, as a model reads them."""
    if not isinstance(step, str) or not isinstance(problem, str) or len(step) > LONGEST_ARGUMENT:
        return f"unreadable: give equations of at most {LONGEST_ARGUMENT} characters"
    text = step if "$" in step or r"\[" in step else f"$${step}$$"
    pool = shared_pool(rubric.workers, rubric.memory_mb)
    try:
        judged = pool.call("solution", text, problem, {}, deadline=rubric.deadline)
    except (WorkerError, ProblemError, PoolError, OSError) as error:
        return f"undecided: {error}"[:LONGEST_REPLY]
    lines = [
        f"{claim['judgement']}: {claim['left']} = {claim['right']}"[:LONGEST_REPLY]
        for claim in judged["claims"]
        if claim["left"] and claim["judgement"] in ("correct", "incorrect", "unchecked")
    ]
    shown = [line.replace("unchecked:", "undecided:", 1) for line in lines[:8]]
    return "\n".join(shown) or "unreadable: there is no equation in it"
