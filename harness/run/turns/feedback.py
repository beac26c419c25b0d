"""The message about a wrong answer, before a model tries again (`rewards.adapters.feedback`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ....benchmarks.payloads import DefiniteTarget, IntegrationTarget, QuestionTarget
from ....benchmarks.problem import Problem
from ....rewards.adapters.environments.tools import solution_claims
from ....rewards.adapters.feedback import FEEDBACK, Feedback, retry
from ....rewards.adapters.scoring import ROW_TASKS, Rubric
from ....rewards.errors import ProblemError
from ....rewards.verdict import Verdict
from ....rewards.workers.errors import PoolError, WorkerError
from ...stats.repaired import CONTROL


async def reply_to(arm: str, problem: Problem, text: str, verdict: Verdict) -> str:
    """The message after a wrong answer.

    Args:
        arm: the content of the message: the fact of a wrong answer (``verdict``), a refuting point
            (``witness``), the first wrong step (``steps``), or nothing (``control``).
        problem: the problem.
        text: the complete text of the model.
        verdict: the verdict on the text, with a status in `stats.repaired.WRONG`.

    """
    feedback: Feedback = next((candidate for candidate in FEEDBACK if candidate == arm), "none")
    assert arm in (feedback, CONTROL), arm
    claims = await asyncio.to_thread(_claims, problem, text) if feedback == "steps" else ()
    return retry(feedback, verdict, ROW_TASKS[problem.task], claims)


def _claims(problem: Problem, text: str) -> Sequence[Mapping[str, Any]]:
    """The judged equations of a text; empty if the equations cannot be judged."""
    if not isinstance(problem.target, IntegrationTarget | DefiniteTarget | QuestionTarget):
        return ()
    try:
        return solution_claims(text, problem.target.judged, Rubric(), problem.task)
    except (WorkerError, ProblemError, PoolError, OSError):
        return ()
