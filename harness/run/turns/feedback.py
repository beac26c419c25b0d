"""What a model is told of a wrong answer before it tries again.

The words are those of the tools that check while a model is trained
(`rewards.adapters.environments.tools`).
"""

from __future__ import annotations

import asyncio

from ....benchmarks.problem import Problem
from ....rewards.adapters.environments.tools import finding_of, step_checked
from ....rewards.adapters.scoring import Rubric
from ....rewards.verdict import Verdict
from ...stats.repaired import CONTROL

_AGAIN = "Give a complete answer in the same form as before."
_CONTROL = f"Think about it once more. {_AGAIN}"


async def told(arm: str, problem: Problem, text: str, verdict: Verdict) -> str:
    """The message after a wrong answer.

    Args:
        arm: what is told: that the answer is wrong (``verdict``), also a point at which it is
            (``witness``), or the first wrong step (``steps``); or nothing (``control``).
        problem: the problem.
        text: the model's whole text.
        verdict: the verdict on it, one of `stats.repaired.WRONG`.

    """
    if arm == CONTROL:
        return _CONTROL
    finding = finding_of(verdict)
    if arm == "steps":
        # A text without a wrong step gets the verdict alone.
        target = problem.target.get("integrand")
        lines = await asyncio.to_thread(step_checked, text, target, Rubric())
        wrong = (line for line in lines.splitlines() if line.startswith("incorrect: "))
        step = next(wrong, "").removeprefix("incorrect: ")
        if step:
            return f"This step is wrong: {step}. {_AGAIN}"
    if arm != "witness":
        finding = finding.partition(":")[0]
    return f"Your answer is {finding}. {_AGAIN}"
