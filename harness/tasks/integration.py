"""Indefinite integrals: the answer is an antiderivative."""

from __future__ import annotations

from collections.abc import Sequence

from ...rewards.batch import averify_many
from ...rewards.verdict import Verdict
from ..core.policy import Policy
from .base import Graded, Task
from .prefix_answers import with_prefix


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
    grade=with_prefix(_verified),
    prompt="antiderivbench",
    answer_formats=("latex", "prefix"),
)
