"""One rollout as text in and text out: what environments of trainers are faces of.

A turn whose text ends with ``<check>FORMULA</check>`` asks whether the formula is right, as long as
checks are left; the observation says so. Any other turn is an answer. A right one ends the rollout,
as does the last that `Turns` allows; after another one the model is told what `adapters.feedback`
says of it, and answers again. The reward is that of the last answer.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...errors import ProblemError
from ...workers.errors import PoolError, WorkerError
from ..feedback import FEEDBACK, WITH_STEPS, Feedback, retry
from ..rows import Target, target_of
from ..scoring import Rollout, Rubric, Score, ascore, numbers, task_of, telemetry
from .tools import checked, judged, solution_claims

OPEN, CLOSE = "<check>", "</check>"
#: What to say in a prompt.
INSTRUCTION = (
    f"To check a formula before you answer, end your message with {OPEN}FORMULA{CLOSE}, where the "
    "formula is LaTeX; the next message says whether it is right."
)


@dataclass(frozen=True, slots=True)
class Turns:
    """How many turns a rollout may have. Checked when made (`ValueError`).

    Attributes:
        checks: how often a formula may be checked.
        attempts: how many answers may be given.
        feedback: what is told before another attempt (`adapters.feedback.retry`).

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
        """The most turns of a rollout."""
        return self.checks + self.attempts


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of a turn.

    Attributes:
        observation: the reply to the model; None at the end.
        reward: the reward; 0 before the end, None for "no opinion".
        metrics: numbers for each sample, under the same names for every trainer; at the end.
        score: the score, at the end.

    """

    observation: str | None
    reward: float | None = 0.0
    metrics: dict[str, float] = field(default_factory=dict)
    score: Score | None = None

    def number(self, row: Any) -> float:
        """The reward for a trainer that takes no "no opinion"; raises as `scoring.numbers` does."""
        return 0.0 if self.score is None else numbers([self.score], [str(row)])[0]

    @property
    def done(self) -> bool:
        return self.observation is None


@dataclass
class Episode:
    r"""A rollout of one problem.

    Attributes:
        label: the target: the integrand (value, ...), or an object (`rows.target_of`).
        rubric: what earns what.
        turns: how many checks and answers there may be.

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
    def target(self) -> Target:
        return target_of(self.label, self.extra)

    async def step(self, text: str, *, truncated: bool = False, thinking: bool = False) -> Turn:
        """One turn of the model."""
        formula = None if truncated else asked_for(text)
        if formula is not None and self.checks < self.turns.checks:
            self.checks += 1
            row = self.target._asdict()
            target = row.pop("target")
            return Turn(await asyncio.to_thread(checked, formula, target, self.rubric, **row))
        rollout = Rollout(text, **self.target._asdict(), truncated=truncated, thinking=thinking)
        [score] = await ascore([rollout], self.rubric)
        self.attempts += 1
        # Without a reward, the row or the workers are at fault: another answer is of no use.
        ended = score.status == "correct" or score.reward is None
        if not ended and self.attempts < self.turns.attempts:
            return Turn(await asyncio.to_thread(self._told, rollout, score))
        used = {"checks": float(self.checks), "attempts": float(self.attempts)}
        metrics = telemetry(score, self.rubric, truncated=truncated) | used
        return Turn(None, score.reward, metrics, score)

    def _told(self, rollout: Rollout, score: Score) -> str:
        """What is said of an answer before the next."""
        kind, claims, task = self.turns.feedback, [], task_of(rollout, self.rubric)
        if kind == "steps" and task in WITH_STEPS:
            with suppress(WorkerError, ProblemError, PoolError, OSError):
                claims = solution_claims(rollout.text, rollout.target, self.rubric)
        return retry(kind, judged(score), task, claims)


def asked_for(text: str) -> str | None:
    """The formula that a turn asks to check, if it ends with one."""
    text = text.rstrip()
    if not text.endswith(CLOSE):
        return None
    _, found, formula = text.removesuffix(CLOSE).rpartition(OPEN)
    return formula.strip() if found else None
