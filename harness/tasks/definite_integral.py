"""Definite integrals: the answer is a closed form of the value, or that there is none."""

from __future__ import annotations

from collections.abc import Sequence

from ...benchmarks.payloads import DefiniteTarget
from ...benchmarks.problem import Problem
from ...rewards.errors import ProblemError
from ...rewards.verdict import Status, Verdict
from ...rewards.verify.definite import decimal_contradiction, verify_definite_integral
from ...rewards.workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ...rewards.workers.verdicts import amap_verdicts
from ..core.policy import Policy
from .base import AnswerOptions, Graded, Task


async def _grade(graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]) -> list[Verdict]:
    items = [
        (
            completion.text,
            str(problem.target.judged),
            {
                "assumptions": dict(problem.assumptions),
                "accept": policy.accept,
                **AnswerOptions.of(completion, policy, stop).keywords(),
            },
        )
        for problem, completion in graded
    ]
    deadline = policy.deadline or DEFAULT_DEADLINE
    return await amap_verdicts("definite", items, None, deadline, DEFAULT_MEMORY_MB)


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
    summary="Find the value of a definite integral in closed form.",
    verifier="definite",
    grade=_grade,
    prompt="definite-cot",
    check=_check,
)
