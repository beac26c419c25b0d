"""verifiers (``verifiers.v1``): a taskset, to evaluate with ``vf-eval`` or to train on.

    vf-eval calculus-harness --env.taskset.benchmark bee/competition --env.agent.harness.id null

The reward is from `rewards.adapters.scoring`: 1 for a proven answer in a box, 0 for any other
completion. A bad problem, or no workers, raises an error instead of giving a reward.
"""

# No `from __future__ import annotations`: verifiers reads these classes' annotations.
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar

import verifiers.v1 as vf
from pydantic import Field

from ...benchmarks.problem import Problem
from ...rewards.adapters.components import load_component
from ...rewards.adapters.components.format import THINK_TAGS
from ...rewards.adapters.scoring import NO_OPINION, Rollout, Rubric, Score, ascore, telemetry
from ...rewards.workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ..core.errors import UserError
from ..report.lm_eval_logs import reference
from ..tasks import TASKS
from .questions import PromptedQuestion, questions

__all__ = ["CalculusTaskset"]


class CalculusData(vf.TaskData):
    """The data of a trace: the prompt, the problem, and the prompt's stop strings."""

    problem: dict[str, Any]
    stop: list[str]


class CalculusTaskConfig(vf.TaskConfig):
    """How completions are rewarded: the fields of `rewards.adapters.scoring.Rubric`.

    The problem says the task, and the prompt where an answer stops.
    """

    components: list[str] = Field(default_factory=lambda: ["correctness"])
    """``correctness``, and with it ``format`` or functions of your own: ``FILE.py:FUNCTION``."""
    weights: list[float] | None = None
    """One for each component; 1 for correctness and 0.1 for the others by default."""
    strict: bool = True
    """Take an answer only from a box."""
    gate: bool = True
    """Other components count only beside a correct answer."""
    workers: int = 1
    """Worker processes of each process; one judges about 1,000 answers a second."""
    deadline: float = DEFAULT_DEADLINE
    """Seconds of processor time for a verdict."""
    memory_mb: int = DEFAULT_MEMORY_MB
    """Megabytes that a worker may take beyond its code."""
    length: tuple[int, int] | None = None
    """Two lengths in tokens for the component ``length``: full credit, no credit."""
    think_tags: tuple[str, str] = THINK_TAGS
    """The strings that open and close a thought."""
    must_think: bool = False
    """The component ``format`` requires a thought."""
    min_coverage: float = 0.0
    """Take an answer for incorrect that is right on a smaller share of the domain."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Of the verifier, such as ``strict_domain``."""

    @property
    def rubric(self) -> dict[str, Any]:
        """The fields of a rubric."""
        names = {item.name for item in fields(Rubric)} & type(self).model_fields.keys()
        loaded = tuple(map(load_component, self.components))
        return {name: getattr(self, name) for name in names} | {"components": loaded}


class CalculusTask(vf.Task[CalculusData, vf.State, CalculusTaskConfig]):
    """A problem as a task."""

    @property
    def key(self) -> str:
        return str(self.data.id)

    @vf.reward(weight=1.0)
    async def solved(self, trace: vf.Trace) -> float:
        """Return the reward; the numbers of `scoring.telemetry` become metrics."""
        score = await self._score(trace.last_reply, trace.is_truncated)
        trace.record_metrics(telemetry(score, self._rubric, truncated=trace.is_truncated))
        if score.reward is None:
            reason = f"{NO_OPINION[score.status]} {score.verdict.evidence.detail}"
            raise ValueError(f"{self.data.id}: {reason}".rstrip())
        return score.reward

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the reference is rewarded; None without a reference."""
        answer = reference(Problem.from_dict(self.data.problem))
        if not answer:
            return None
        return (await self._score(rf"\boxed{{{answer}}}", truncated=False)).status == "correct"

    async def _score(self, text: str, truncated: bool) -> Score:
        problem = Problem.from_dict(self.data.problem)
        rollout = Rollout(
            text,
            problem.target.judged,
            problem.target.integrated_over,
            dict(problem.assumptions),
            truncated=truncated,
        )
        [score] = await ascore([rollout], self._rubric)
        return score

    @property
    def _rubric(self) -> Rubric:
        verifier = TASKS[self.data.problem["task"]].verifier
        return Rubric(verifier, stop=tuple(self.data.stop), **self.config.rubric)


class CalculusTasksetConfig(vf.TasksetConfig):
    """The problems and the prompt (arguments of `questions.questions`)."""

    task: CalculusTaskConfig = CalculusTaskConfig()
    benchmark: str = "bee"
    """As for ``run.py sweep``: ``bee``, ``bee/competition``, ``mine.jsonl``."""
    prompt: str | None = None
    """A template's name or path; each task's own by default."""
    shots: int | None = None
    """How many worked examples, for prompts that show some."""
    limit: int | None = None
    """How many problems, spread over the subsets."""
    seed: int = 0
    """Of the sample that a limit takes, and of generated problems."""


class CalculusTaskset(vf.Taskset[CalculusTask, CalculusTasksetConfig]):
    """The problems of a benchmark."""

    INFINITE: ClassVar[bool] = False

    def load(self) -> Iterator[CalculusTask]:
        config = self.config
        for entry in config.task.components:
            load_component(entry)  # refused before the first rollout
        for question in questions(
            config.benchmark,
            prompt=config.prompt,
            shots=config.shots,
            limit=config.limit,
            seed=config.seed,
        ):
            yield CalculusTask(_data(question), config.task)


def _data(question: PromptedQuestion) -> CalculusData:
    problem, template, rendered = question.problem, question.prompt, question.rendered()
    if len(template.stages) > 1:
        raise UserError(f"verifiers asks once: prompt {template.name!r} has stages")
    system = [message.content for message in rendered.messages if message.role == "system"]
    turns = [message for message in rendered.messages if message.role != "system"]
    message_types = {"user": vf.UserMessage, "assistant": vf.AssistantMessage}
    prompt: str | vf.Messages = rendered.text
    if [message.role for message in turns] == ["user"]:
        prompt = turns[0].content  # more harnesses take a text than messages
    elif turns:
        prompt = [message_types[message.role](content=message.content) for message in turns]
    return CalculusData(
        id=question.key,
        name=question.key,
        prompt=prompt,
        system_prompt="\n\n".join(system) or None,
        problem=problem.to_dict(),
        stop=list(template.stop),
    )
