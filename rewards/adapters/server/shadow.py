"""Shadow checks: a sample of rewards is judged again later, elsewhere, with more budget.

A reward that changes with the worker, the load or the time is a fault that no trainer sees: a
right answer that was 0 once only slows learning down. The server therefore judges a few completions
again, in a pool of its own, with a longer deadline and preferably when nothing else is to be done,
and counts how often the verdict changed. A run can raise an alarm on
``rate(calculus_reward_shadow_total{outcome="changed"}[1h])``.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..scoring import FAULT, Rollout, Rubric, Score, ascore

log = logging.getLogger(__name__)

#: Statuses that say that the verifier could not tell, not what the answer is.
_UNKNOWN = frozenset({"undecided", "timeout", "error"})


def outcome(before: Score, after: Score) -> str:
    """What came of judging again: ``same``, ``changed``, ``decided`` or ``undecided``.

    More budget may decide what was not decided; ``changed`` is a verdict that became another one.
    ``undecided`` is one that was there and is not any more.
    """
    if before.status == after.status:
        return "same"
    if before.status in _UNKNOWN:
        return "decided" if after.status not in _UNKNOWN else "same"
    return "undecided" if after.status in _UNKNOWN else "changed"


@dataclass
class Shadow:
    """Judges a sample of completions again.

    Attributes:
        rate: the share of completions that is judged again.
        budget: how many times longer than in training a verdict may take.
        workers: processes of its own.
        kept: completions that wait; of more, the oldest goes.
        longest: the longest completion that is kept, in characters.
        patience: seconds that a check waits for a moment without training; then it has its turn.
        seed: of the sample.

    """

    rate: float
    budget: float = 5.0
    workers: int = 1
    kept: int = 256
    longest: int = 100_000
    patience: float = 10.0
    seed: int = 0
    waiting: deque[tuple[Rollout, Score]] = field(init=False)

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"the share of shadow checks must be between 0 and 1, not {self.rate}")
        self.waiting = deque(maxlen=self.kept)
        self._random = random.Random(self.seed)
        self._offered = asyncio.Event()

    def offer(self, rollouts: Sequence[Rollout], scores: Sequence[Score]) -> None:
        """Take a sample of what was judged."""
        for rollout, score in zip(rollouts, scores, strict=True):
            if self._random.random() < self.rate and len(rollout.text) <= self.longest:
                self.waiting.append((rollout, score))
                self._offered.set()

    async def run(
        self, rubric: Rubric, idle: Callable[[], bool], tell: Callable[[str], None]
    ) -> None:
        """Judge again until cancelled.

        Args:
            rubric: what earns what.
            idle: whether there is time for it: training comes first.
            tell: receives each `outcome`.

        """
        # Another memory limit makes another pool, whose workers have not seen these completions.
        again = replace(
            rubric,
            workers=self.workers,
            deadline=self.budget * rubric.deadline,
            memory_mb=2 * rubric.memory_mb,
        )
        while True:
            await self._offered.wait()
            for _ in range(round(self.patience / 0.1)):
                if idle():
                    break
                await asyncio.sleep(0.1)
            rollout, before = self.waiting.popleft()
            if not self.waiting:
                self._offered.clear()
            [after] = await ascore([rollout], again)
            if after.status == FAULT:
                continue
            came = outcome(before, after)
            if came in ("changed", "undecided"):
                log.warning(
                    "a verdict became another one: %s, then %s; target %.200r, completion %.2000r",
                    before.status,
                    after.status,
                    rollout.target,
                    rollout.text,
                )
            tell(came)
