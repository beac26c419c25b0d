"""Environment of SkyRL (``skyrl-gym``): ``env_class: calculus`` in a row of the data set.

    from skyrl_gym.envs import register
    register(id="calculus", entry_point="calculus_harness.rewards.adapters.environments.for_skyrl:"
             "CalculusEnv")

A row has ``reward_spec.ground_truth``, which is the integrand, or an object as for verl. The
configuration of the environment may have the fields of `episode.Turns` and of `scoring.Rubric`.
The interface is from skyrl-gym 0.4 (``skyrl_gym/envs/base_text_env.py``).
"""

# No `from __future__ import annotations`: the base class is there at run time only.
import asyncio
from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ..scoring import Rubric
from .episode import Episode, Turns


class CalculusEnv(BaseTextEnv):
    """One rollout as an environment of SkyRL. SkyRL calls the methods in a thread."""

    def __init__(
        self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        options = dict(env_config or {})
        limits = {name: options.pop(name) for name in Turns.__slots__ if name in options}
        turns = Turns(**limits)
        row = dict(extras or {})
        label = row["reward_spec"]["ground_truth"]
        self._episode = Episode(label, Rubric(**options), turns, row.get("extra_info"))
        self._metrics: dict[str, float] = {}
        self.max_turns = turns.most

    def step(self, action: str) -> BaseTextEnvStepOutput:
        self.turns += 1
        done = asyncio.run(self._episode.step(action))
        self._metrics = done.metrics
        messages = (
            [] if done.observation is None else [{"role": "user", "content": done.observation}]
        )
        return BaseTextEnvStepOutput(
            observations=messages,
            reward=done.number(self._episode.label),
            done=done.done,
            metadata=done.metrics,
        )

    def get_metrics(self) -> dict[str, float]:
        """The numbers of the rollout that SkyRL averages."""
        return self._metrics
