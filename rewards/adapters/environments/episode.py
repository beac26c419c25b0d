"""One rollout as text in and text out: what environments of trainers are faces of.

A turn whose text ends with ``<check>FORMULA</check>`` asks whether the formula is right, as long as
checks are left; the observation says so. Any other turn is the answer, and ends the rollout.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ..rows import Target, target_of
from ..scoring import Rollout, Rubric, Score, ascore, telemetry
from .tools import checked

OPEN, CLOSE = "<check>", "</check>"
#: What to say in a prompt.
INSTRUCTION = (
    f"To check a formula before you answer, end your message with {OPEN}FORMULA{CLOSE}, where the "
    "formula is LaTeX; the next message says whether it is right."
)


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

    @property
    def done(self) -> bool:
        return self.observation is None


@dataclass
class Episode:
    r"""A rollout of one problem.

    Attributes:
        label: the target: the integrand (value, ...), or an object (`rows.target_of`).
        rubric: what earns what.
        checks: how many checks are left.

    >>> import asyncio
    >>> episode = Episode("2x", Rubric(workers=1), checks=1)
    >>> asyncio.run(episode.step("Perhaps <check>x^3</check>")).observation[:9]
    'incorrect'
    >>> asyncio.run(episode.step(r"It is $\boxed{x^2}$.")).reward
    1.0

    """

    label: Any
    rubric: Rubric = field(default_factory=Rubric)
    checks: int = 0
    extra: Any = None
    used: int = field(default=0, init=False)

    @property
    def target(self) -> Target:
        return target_of(self.label, self.extra)

    async def step(self, text: str, *, truncated: bool = False, thinking: bool = False) -> Turn:
        """One turn of the model."""
        formula = None if truncated else asked_for(text)
        if formula is not None and self.used < self.checks:
            self.used += 1
            row = self.target._asdict()
            target = row.pop("target")
            return Turn(await asyncio.to_thread(checked, formula, target, self.rubric, **row))
        rollout = Rollout(text, **self.target._asdict(), truncated=truncated, thinking=thinking)
        [score] = await ascore([rollout], self.rubric)
        metrics = telemetry(score, self.rubric, truncated=truncated) | {"checks": float(self.used)}
        return Turn(None, score.reward, metrics, score)


def asked_for(text: str) -> str | None:
    """The formula that a turn asks to check, if it ends with one."""
    text = text.rstrip()
    if not text.endswith(CLOSE):
        return None
    _, found, formula = text.removesuffix(CLOSE).rpartition(OPEN)
    return formula.strip() if found else None
