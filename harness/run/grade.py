"""Grading: completions to verdicts, by the grader of each problem's task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...rewards.verdict import Verdict
from ..core.policy import Policy
from ..tasks import Graded, task


async def grade(
    graded: Sequence[Graded],
    policy: Policy,
    stop: Mapping[str, tuple[str, ...]],
) -> list[Verdict]:
    """The verdicts on completions, in order.

    Args:
        graded: problems, each with a completion.
        policy: how strictly to judge.
        stop: by task, the strings that end an answer: after them a base model begins to invent the
            next question.

    Returns:
        A verdict for each pair.

    Raises:
        UnknownNameError: a problem's task is not registered.

    """
    positions: dict[str, list[int]] = {}
    for position, (problem, _) in enumerate(graded):
        positions.setdefault(problem.task, []).append(position)
    verdicts: dict[int, Verdict] = {}
    for name, places in positions.items():
        group = [graded[place] for place in places]
        judged = await task(name).grade(group, policy, tuple(stop.get(name, ())))
        verdicts.update(zip(places, judged, strict=True))
    return [verdicts[position] for position in range(len(graded))]
