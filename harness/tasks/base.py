"""What a task is, and the grader of tasks whose verifier only reads text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ...benchmarks.problem import Problem
from ...rewards.verdict import Verdict
from ..core.policy import AnswerFormat, Policy
from ..core.requests import Completion

#: A problem with a completion to grade.
Graded = tuple[Problem, Completion]
#: From problems with completions, a policy and the prompt's stop strings to verdicts, in order.
Grader = Callable[[Sequence[Graded], Policy, tuple[str, ...]], Awaitable[list[Verdict]]]


@dataclass(frozen=True)
class Task:
    """What is asked, how an answer is judged, and what is counted.

    Args:
        name: as `Problem.task` has it.
        summary: one line for `run.py ls tasks`.
        target: the entry of `Problem.target` that an answer is judged by.
        verifier: the verifier's name in `rewards.adapters`, for trainers and other programs.
        grade: judges completions.
        prompt: name of the template that is taken where none is named.
        answer_formats: the notations in which its answers can be read.
        metrics: names of metrics that are for this task, besides those that are for every task.
        check: what contradicts a problem's target, empty if nothing does; None if that cannot be
            recomputed (by default).

    >>> from calculus_harness.harness.tasks import task
    >>> task("integration").verifier
    'antiderivative'

    """

    name: str
    summary: str
    target: str
    verifier: str
    grade: Grader
    prompt: str | None = None
    answer_formats: tuple[AnswerFormat, ...] = ("latex",)
    metrics: tuple[str, ...] = ()
    check: Callable[[Problem], str | None] = lambda problem: None


def by_text(verify: Callable[..., Verdict], target: str) -> Grader:
    """The grader of a verifier that only reads text: it is fast and needs no worker process."""

    async def grade(
        graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]
    ) -> list[Verdict]:
        def verdicts() -> list[Verdict]:
            return [
                verify(
                    completion.text,
                    problem.target[target],
                    strict=policy.strict,
                    stop=stop,
                    truncated=completion.finish_reason.truncated,
                )
                for problem, completion in graded
            ]

        return await asyncio.to_thread(verdicts)

    return grade
