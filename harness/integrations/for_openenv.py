"""OpenEnv (``openenv-core``): a server of episodes with our problems, over HTTP and WebSocket.

    uvicorn --factory calculus_harness.harness.integrations.for_openenv:app --port 8001

The variables ``CALCULUS_BENCHMARK`` (``bee``), ``CALCULUS_PROMPT``, ``CALCULUS_TURNS`` and
``CALCULUS_RUBRIC`` (JSON of fields of `rewards.adapters.environments.episode.Turns` and of
`rewards.adapters.scoring.Rubric`) choose the problems and the reward. ``reset(seed=...)`` chooses a
problem at random, ``reset(problem=KEY)`` by name; an action is the text of the model. (openenv-core
0.3, ``openenv/core/env_server/interfaces.py``.)
"""

# No `from __future__ import annotations`: pydantic reads these classes' annotations.
import asyncio
import json
import os
import random
from typing import Any, ClassVar

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from ...rewards.adapters.environments.episode import INSTRUCTION, Episode, Turns
from ...rewards.adapters.scoring import NO_OPINION, Rubric
from ..core.errors import UserError
from ..tasks import TASKS
from .questions import PromptedQuestion, questions

#: The number of concurrent episodes, of a few kilobytes each.
EPISODES = 512


class CalculusAction(Action):
    """A turn of the model."""

    text: str
    truncated: bool = False


class CalculusObservation(Observation):
    """The model's input: the prompt as messages, or the reply to a check or an answer."""

    messages: list[dict[str, str]] = Field(default_factory=list)


class CalculusEnvironment(Environment[CalculusAction, CalculusObservation, State]):
    """Episodes with the problems of a benchmark."""

    SUPPORTS_CONCURRENT_SESSIONS: ClassVar[bool] = True

    def __init__(
        self, questions: list[PromptedQuestion], turns: Turns, rubric: dict[str, Any]
    ) -> None:
        super().__init__()
        self._asked = {question.key: question for question in questions}
        self._turns, self._settings = turns, rubric
        self._episode: Episode | None = None
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        problem: str | None = None,
        **_: Any,
    ) -> CalculusObservation:
        """Begin an episode."""
        key = problem or random.Random(seed).choice(list(self._asked))
        if key not in self._asked:
            raise ValueError(f"there is no problem {key!r} here")
        question = self._asked[key]
        task = TASKS[question.problem.task]
        rubric = Rubric(task.verifier, stop=question.prompt.stop, **self._settings)
        label = {
            "target": question.problem.target.judged,
            "variable": question.problem.target.integrated_over,
            "assumptions": dict(question.problem.assumptions),
        }
        self._episode = Episode(label, rubric, self._turns)
        self._state = State(episode_id=episode_id or key, step_count=0)
        rendered = question.rendered()
        messages = [
            {"role": message.role, "content": message.content} for message in rendered.messages
        ]
        messages = messages or [{"role": "user", "content": rendered.text}]
        if self._turns.checks:
            messages[-1]["content"] += f"\n\n{INSTRUCTION}"
        return CalculusObservation(messages=messages, metadata={"problem": key})

    def step(
        self, action: CalculusAction, timeout_s: float | None = None, **_: Any
    ) -> CalculusObservation:
        """Take a turn of the model."""
        return asyncio.run(self.step_async(action, timeout_s))

    async def reset_async(self, *arguments: Any, **named: Any) -> CalculusObservation:
        return self.reset(*arguments, **named)

    async def step_async(
        self, action: CalculusAction, timeout_s: float | None = None, **_: Any
    ) -> CalculusObservation:
        if self._episode is None:
            raise ValueError("reset comes before the first step")
        self._state.step_count += 1
        done = await self._episode.step(action.text, truncated=action.truncated)
        if done.observation is not None:
            messages = [{"role": "user", "content": done.observation}]
            return CalculusObservation(messages=messages, reward=0.0)
        assert done.score is not None
        if done.reward is None:
            raise RuntimeError(NO_OPINION[done.score.status])
        outcome = {"status": done.score.status, "answer": done.score.verdict.answer or ""}
        metadata: dict[str, Any] = done.metrics | outcome
        return CalculusObservation(done=True, reward=done.reward, metadata=metadata)

    @property
    def state(self) -> State:
        return self._state


def app() -> Any:
    """The server, for uvicorn's ``--factory``.

    Raises:
        UserError: a variable has a bad value.

    """
    environment = os.environ
    try:
        settings = json.loads(environment.get("CALCULUS_RUBRIC", "{}"))
        turns = Turns(**json.loads(environment.get("CALCULUS_TURNS", "{}")))
        Rubric(**settings)
    except (ValueError, TypeError) as error:
        raise UserError(f"CALCULUS_RUBRIC or CALCULUS_TURNS: {error}") from None
    problems = questions(
        environment.get("CALCULUS_BENCHMARK", "bee"), prompt=environment.get("CALCULUS_PROMPT")
    )
    return create_app(
        lambda: CalculusEnvironment(problems, turns, settings),
        CalculusAction,
        CalculusObservation,
        env_name="calculus",
        max_concurrent_envs=EPISODES,
    )
