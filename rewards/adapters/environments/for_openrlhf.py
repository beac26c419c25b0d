"""Agent of OpenRLHF: a file for ``--train.agent_func_path``.

    # my_agent.py
    from calculus_harness.rewards.adapters.environments.for_openrlhf import agent_executor
    AgentExecutor = agent_executor(checks=3, components=["correctness", "format"])

A row's label is as for ``reward_func`` (`rewards.adapters.for_openrlhf`).

OpenRLHF 0.11 (``openrlhf/utils/agent.py``) makes an instance of the class for each prompt. ``step``
gets the observation, the action and the label. The ``rewards`` that ``step`` returns must have
``item()``.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..feedback import Feedback
from ..rows import opens_thinking
from ..scoring import Rubric
from .episode import Episode, Turns

#: How OpenRLHF's chat continues after an observation; other templates are an option.
TURN = "\n<|im_start|>user\n{observation}<|im_end|>\n<|im_start|>assistant\n"


def agent_executor(
    *,
    checks: int = 0,
    attempts: int = 1,
    feedback: Feedback = "verdict",
    turn: str = TURN,
    **rubric: Any,
) -> type[Any]:
    """Make the class ``AgentExecutor``, which OpenRLHF imports from the user's file.

    Args:
        checks: the largest number of checks in a rollout (`episode.Turns`).
        attempts: the largest number of answers. If one answer and zero checks are allowed, a
            rollout has a single turn.
        feedback: the kind of message before another attempt.
        turn: the text between two turns of the model, with the placeholder ``{observation}``.
        rubric: fields of `scoring.Rubric`.

    Returns:
        The class.

    Raises:
        ValueError: a field has a bad value.
        TypeError: a field is unknown.

    """
    made_rubric, turns = Rubric(**rubric), Turns(checks, attempts, feedback)
    agent: Any = importlib.import_module("openrlhf.utils.agent")

    class Instance(agent.AgentInstanceBase):
        def __init__(self) -> None:
            self._episode: Episode | None = None

        async def reset(self, states: dict[str, Any], **_: Any) -> dict[str, Any]:
            self._episode = Episode(states["label"], made_rubric, turns)
            return states

        async def step(self, states: dict[str, Any], **_: Any) -> dict[str, Any]:
            if self._episode is None:
                self._episode = Episode(states["label"], made_rubric, turns)
            thinking = opens_thinking(states.get("observation_text"), made_rubric.think_tags[0])
            done = await self._episode.step(states["action_text"], thinking=thinking)
            reply = "" if done.observation is None else turn.format(observation=done.observation)
            correct = done.score is not None and done.score.status == "correct"
            return {
                "rewards": np.float64(done.number(states["label"])),
                "scores": np.float64(correct),
                "environment_feedback": reply,
                "done": done.done,
                "sampling_params": states.get("sampling_params"),
                "extra_logs": {name: np.float64(value) for name, value in done.metrics.items()},
            }

    class AgentExecutor(agent.MultiTurnAgentExecutor):
        def __init__(self) -> None:
            super().__init__(Instance)

    return AgentExecutor
