"""Definite integrals: the answer is a closed form of the value, or that there is none."""

from __future__ import annotations

from ...benchmarks.payloads import DefiniteTarget
from ...benchmarks.problem import Problem
from ...rewards.errors import ProblemError
from ...rewards.questions import QUESTIONS
from ...rewards.verdict import Status
from ...rewards.verify.definite import decimal_contradiction, verify_definite_integral
from .base import Task, by_workers


def _check(problem: Problem) -> str | None:
    """What the integral says against the known value, in closed form and as a decimal."""
    target = problem.target_as(DefiniteTarget)
    integral, value = target.integral, target.value
    if target.decimal is not None and (wrong := decimal_contradiction(integral, target.decimal)):
        return wrong
    if value is None:
        return None
    try:
        verdict = verify_definite_integral(
            f"\\boxed{{{value}}}", integral, assumptions=problem.assumptions
        )
    except ProblemError as error:
        return str(error)
    if verdict.status is Status.INCORRECT:
        return f"the integral refutes the value {value}"
    return "" if verdict.correct else None


TASK = Task(
    name="definite_integral",
    summary=QUESTIONS["definite"].summary,
    verifier="definite",
    grade=by_workers(QUESTIONS["definite"]),
    prompt="definite-cot",
    check=_check,
)
