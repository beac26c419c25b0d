"""What a task is, and the grader of tasks whose verifier only reads text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...benchmarks.payloads import QuestionTarget
from ...benchmarks.problem import Problem
from ...rewards.errors import ProblemError
from ...rewards.questions import QUESTIONS, Question
from ...rewards.verdict import Status, Verdict
from ...rewards.verify.labels import verify_label
from ...rewards.workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ...rewards.workers.verdicts import amap_verdicts
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
    verifier: str
    grade: Grader
    prompt: str | None = None
    answer_formats: tuple[AnswerFormat, ...] = ("latex",)
    metrics: tuple[str, ...] = ()
    check: Callable[[Problem], str | None] = lambda problem: None


@dataclass(frozen=True, slots=True)
class AnswerArguments:
    """How the final answer of a completion is found, as keyword arguments of verifiers.

    Args:
        strict: take an answer only from a box.
        stop: the prompt's stop strings; text after the first of them is ignored.
        truncated: whether the token limit cut the completion off.

    """

    strict: bool
    stop: tuple[str, ...]
    truncated: bool

    @classmethod
    def of(cls, completion: Completion, policy: Policy, stop: tuple[str, ...]) -> AnswerArguments:
        """The options for a completion under a policy."""
        return cls(policy.strict, stop, completion.finish_reason.truncated)

    def keywords(self) -> dict[str, Any]:
        """The options by name, as workers are sent them."""
        return {"strict": self.strict, "stop": list(self.stop), "truncated": self.truncated}


def in_thread(verdict: Callable[[Graded, Policy, tuple[str, ...]], Verdict]) -> Grader:
    """The grader of a function that judges an answer fast, and needs no worker process."""

    async def grade(
        graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]
    ) -> list[Verdict]:
        def verdicts() -> list[Verdict]:
            return [verdict(pair, policy, stop) for pair in graded]

        return await asyncio.to_thread(verdicts)

    return grade


def by_text(verify: Callable[..., Verdict]) -> Grader:
    """The grader of a verifier that only reads text."""

    def verdict(graded: Graded, policy: Policy, stop: tuple[str, ...]) -> Verdict:
        problem, completion = graded
        arguments = AnswerArguments.of(completion, policy, stop)
        return verify(completion.text, problem.target.judged, **arguments.keywords())

    return in_thread(verdict)


def of_labels(name: str, summary: str, prompt: str) -> Task:
    """A task whose answer is the label 1 or 0; the arguments are those of `Task`."""
    return Task(
        name=name,
        summary=summary,
        verifier="label",
        grade=by_text(verify_label),
        prompt=prompt,
        metrics=("accuracy", "F1", "macro F1"),
    )


def by_workers(question: Question) -> Grader:
    """The grader of a verifier that may work long: it runs in worker processes."""

    async def grade(
        graded: Sequence[Graded], policy: Policy, stop: tuple[str, ...]
    ) -> list[Verdict]:
        items = [
            (
                completion.text,
                str(problem.target.judged),
                {
                    "assumptions": dict(problem.assumptions),
                    "accept": policy.accept,
                    **AnswerArguments.of(completion, policy, stop).keywords(),
                },
            )
            for problem, completion in graded
        ]
        deadline = policy.deadline or DEFAULT_DEADLINE
        return await amap_verdicts(question.worker_task, items, None, deadline, DEFAULT_MEMORY_MB)

    return grade


def of_course(name: str) -> Task:
    """The task of a question of the course (`rewards.questions.COURSE`).

    Args:
        name: the question's name.

    Returns:
        The task. A problem's answer, where one is known, is checked against the question.

    >>> of_course("derivative").prompt
    'course-cot'

    """
    question = QUESTIONS[name]

    def check(problem: Problem) -> str | None:
        target = problem.target_as(QuestionTarget)
        if target.answer is None:
            return None
        try:
            verdict = question.verify(
                rf"\boxed{{{target.answer}}}", target.question, assumptions=problem.assumptions
            )
        except ProblemError as error:
            return str(error)
        if verdict.status in (Status.CORRECT, Status.UNDECIDED):
            return "" if verdict.correct else None
        return f"the question refutes the answer {target.answer}"

    return Task(
        name=question.task,
        summary=question.summary,
        verifier=name,
        grade=by_workers(question),
        prompt="course-cot",
        check=check,
    )
