"""Indefinite integrals: the answer is an antiderivative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...rewards.batch import averify_many
from ...rewards.verdict import Verdict
from ..core.policy import Policy
from ..core.requests import FinishReason
from .base import Graded, Task
from .prefix_answers import as_latex


async def _grade(graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]) -> list[Verdict]:
    if policy.answer_format == "latex":
        return await _verified(graded, policy, stop)
    readings = [as_latex(completion.text, stop) for _, completion in graded]
    readable = [
        (problem, replace(completion, text=reading, finish_reason=FinishReason.STOP))
        for (problem, completion), reading in zip(graded, readings, strict=True)
        if isinstance(reading, str)
    ]
    verified = iter(await _verified(readable, policy, ()))
    return [next(verified) if isinstance(reading, str) else reading for reading in readings]


async def _verified(
    graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]
) -> list[Verdict]:
    return await averify_many(
        [completion.text for _, completion in graded],
        [str(problem.target.judged) for problem, _ in graded],
        variable=[problem.target.integrated_over for problem, _ in graded],
        assumptions=[dict(problem.assumptions) for problem, _ in graded],
        truncated=[completion.finish_reason.truncated for _, completion in graded],
        stop=list(stop),
        **policy.options,
    )


TASK = Task(
    name="integration",
    summary="Find an antiderivative of an integrand.",
    verifier="antiderivative",
    grade=_grade,
    prompt="antiderivbench",
    answer_formats=("latex", "prefix"),
)
