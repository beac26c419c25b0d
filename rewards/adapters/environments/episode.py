"""A rollout that takes and returns text, the common core of trainers' environments.

A turn is a message of the model. If a turn ends with ``<check>FORMULA</check>`` and the rollout has
checks left, the reply says whether the formula is right. Any other turn is an answer. A right
answer ends the rollout, and so does the last answer that `Turns` allows. After any other answer the
model gets a message from `adapters.feedback`, and answers again. The reward of the rollout is the
reward of its last answer.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...errors import ProblemError
from ...workers.errors import PoolError, WorkerError
from ..feedback import FEEDBACK, WITH_STEPS, Feedback, retry
from ..rows import RowTarget, target_of
from ..scoring import Rollout, Rubric, Score, ascore, numbers, task_of, telemetry
from .tools import checked, judged, solution_claims

OPEN, CLOSE = "<check>", "</check>"
#: The instruction about checks for prompts.
INSTRUCTION = (
    f"To check a formula before you answer, end your message with {OPEN}FORMULA{CLOSE}, where the "
    "formula is LaTeX; the next message says whether it is right."
)


@dataclass(frozen=True, slots=True)
class Turns:
    """The limits on the turns of a rollout. Bad values raise a `ValueError`.

    Attributes:
        checks: how many checks the model may ask for.
        attempts: how many answers the model may give.
        feedback: the kind of message before another attempt (`adapters.feedback.retry`).

    """

    checks: int = 0
    attempts: int = 1
    feedback: Feedback = "verdict"

    def __post_init__(self) -> None:
        if self.checks < 0 or self.attempts < 1:
            raise ValueError("there must be 0 checks or more, and 1 attempt or more")
        if self.feedback not in FEEDBACK:
            raise ValueError(f"feedback is one of {', '.join(FEEDBACK)}, not {self.feedback!r}")

    @property
    def most(self) -> int:
        """The largest number of turns of a rollout."""
        return self.checks + self.attempts


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of a turn.

    Attributes:
        observation: the reply to the model. None at the end of the rollout.
        reward: the reward. 0 before the end of the rollout. None means "no opinion".
        metrics: numbers about the rollout, for logs. Every trainer gets the same names. Empty
            before the end of the rollout.
        score: the score. None before the end of the rollout.

    """

    observation: str | None
    reward: float | None = 0.0
    metrics: dict[str, float] = field(default_factory=dict)
    score: Score | None = None

    def number(self, row: Any) -> float:
        """The reward as a number, for a trainer that has no value for "no opinion".

        If the reward cannot be replaced by a number, `scoring.numbers` raises `NoOpinionError`.
        """
        return 0.0 if self.score is None else numbers([self.score], [str(row)])[0]

    @property
    def done(self) -> bool:
        return self.observation is None


@dataclass
class Episode:
    r"""A rollout of a problem.

    Attributes:
        label: the target: the integrand or value, or an object (`rows.target_of`).
        rubric: the rubric.
        turns: the limits of checks and answers.

    >>> import asyncio
    >>> episode = Episode("2x", Rubric(workers=1), Turns(checks=1, attempts=2))
    >>> asyncio.run(episode.step("Perhaps <check>x^3</check>")).observation[:9]
    'incorrect'
    >>> asyncio.run(episode.step(r"It is $\boxed{x^3}$.")).observation[:25]
    'Your answer is incorrect.'
    >>> asyncio.run(episode.step(r"It is $\boxed{x^2}$.")).reward
    1.0

    """

    label: Any
    rubric: Rubric = field(default_factory=Rubric)
    turns: Turns = field(default_factory=Turns)
    extra: Any = None
    checks: int = field(default=0, init=False)
    attempts: int = field(default=0, init=False)

    @property
    def target(self) -> RowTarget:
        return target_of(self.label, self.extra)

    async def step(self, text: str, *, truncated: bool = False, thinking: bool = False) -> Turn:
        """Process a message of the model, and return the reply with the reward."""
        formula = None if truncated else asked_for(text)
        if formula is not None and self.checks < self.turns.checks:
            self.checks += 1
            row = self.target._asdict()
            target = row.pop("target")
            return Turn(await asyncio.to_thread(checked, formula, target, self.rubric, **row))
        rollout = Rollout(text, **self.target._asdict(), truncated=truncated, thinking=thinking)
        [score] = await ascore([rollout], self.rubric)
        self.attempts += 1
        # Without a reward, the row or the workers are at fault: another answer is useless.
        ended = score.status == "correct" or score.reward is None
        if not ended and self.attempts < self.turns.attempts:
            return Turn(await asyncio.to_thread(self._told, rollout, score))
        used = {"checks": float(self.checks), "attempts": float(self.attempts)}
        metrics = telemetry(score, self.rubric, truncated=truncated) | used
        return Turn(None, score.reward, metrics, score)

    def _told(self, rollout: Rollout, score: Score) -> str:
        """Make the message to the model about its answer, before the next attempt."""
        feedback, claims, task = self.turns.feedback, [], task_of(rollout, self.rubric)
        if feedback == "steps" and task in WITH_STEPS:
            with suppress(WorkerError, ProblemError, PoolError, OSError):
                claims = solution_claims(rollout.text, rollout.target, self.rubric, task)
        return retry(feedback, judged(score), task, claims)


def asked_for(text: str) -> str | None:
    """The formula in the check at the end of a model's message, or None without a check."""
    text = text.rstrip()
    if not text.endswith(CLOSE):
        return None
    _, opening, formula = text.removesuffix(CLOSE).rpartition(OPEN)
    return formula.strip() if opening else None
