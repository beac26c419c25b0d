"""Grading: completions to verdicts, by the grader of each problem's task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....rewards.verdict import Verdict
from ...core.policy import Policy
from ...core.requests import Completion
from ...store.run import Run
from ...store.samples import Prompts
from ...tasks import Graded, task

#: Completions graded together.
BATCH = 512


def stop_strings(run: Run) -> dict[str, tuple[str, ...]]:
    """The stop strings of an answer, by task."""
    prompts = Prompts(run)
    return {task: tuple(prompts.stop(task)) for task in prompts.templates}


def row_of(completion: Completion, verdict: Verdict) -> dict[str, Any]:
    """A verdict as stored, with the completion's identifying fields."""
    head = {
        "key": completion.key,
        "model": completion.model,
        "problem": completion.problem,
        "sample": completion.sample,
        "stage": completion.stage,
        "finish_reason": completion.finish_reason,
    }
    return head | verdict.to_dict()


async def grade(
    graded: Sequence[Graded],
    policy: Policy,
    stop: Mapping[str, tuple[str, ...]],
) -> list[Verdict]:
    """The verdicts on completions, in order.

    Args:
        graded: pairs of a problem and a completion.
        policy: the rules of judging.
        stop: for each task, the strings that end an answer. After such a string, a base model
            begins to invent the next question.

    Returns:
        A verdict for each pair.

    Raises:
        UnknownNameError: a problem's task is not registered.

    """
    positions: dict[str, list[int]] = {}
    for position, (problem, _) in enumerate(graded):
        positions.setdefault(problem.task, []).append(position)
    verdicts: dict[int, Verdict] = {}
    for name, indices in positions.items():
        group = [graded[index] for index in indices]
        judged = await task(name).grade(group, policy, tuple(stop.get(name, ())))
        verdicts.update(zip(indices, judged, strict=True))
    return [verdicts[position] for position in range(len(graded))]
