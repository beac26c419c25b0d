"""Shadow checks: a sample of rewards is judged again later, in other workers, with more budget.

A reward should not change with the worker, the load or the time. No trainer would notice such a
change, because a right answer with reward 0 only slows learning down. The server therefore judges a
few completions again, in a separate pool and with a longer deadline. The server prefers idle
moments, and counts changed verdicts. An alarm of a run can watch
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

#: Statuses without a decision on the answer.
_UNKNOWN = frozenset({"undecided", "timeout", "error"})


def outcome(online: Score, repeated: Score) -> str:
    """Classify the result of judging a completion a second time.

    - ``same``: the statuses are the same, or neither judgement is a decision.
    - ``changed``: both judgements are decisions, and they differ.
    - ``decided``: the second judgement is a decision, and the first is not.
    - ``undecided``: the first judgement is a decision, and the second is not.

    A judgement is a decision if its status is not undecided, timeout or error. The second judgement
    has more time and memory than the first judgement.
    """
    if online.status == repeated.status:
        return "same"
    if online.status in _UNKNOWN:
        return "decided" if repeated.status not in _UNKNOWN else "same"
    return "undecided" if repeated.status in _UNKNOWN else "changed"


@dataclass
class Shadow:
    """Judges a sample of the completions a second time.

    Attributes:
        rate: the share of completions that is judged again.
        budget: the deadline of the second judgement, as a multiple of the first deadline.
        workers: the number of separate worker processes.
        kept: the largest number of waiting completions. If there are more, the oldest is dropped.
        longest: the largest length of a completion in characters.
        patience: seconds that a check waits for an idle moment.
        seed: the seed of the sample.

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
        """Take a random sample of judged rollouts for a second judgement."""
        for rollout, score in zip(rollouts, scores, strict=True):
            if self._random.random() < self.rate and len(rollout.text) <= self.longest:
                self.waiting.append((rollout, score))
                self._offered.set()

    async def run(
        self, rubric: Rubric, idle: Callable[[], bool], tell: Callable[[str], None]
    ) -> None:
        """Judge waiting completions a second time, until the coroutine is cancelled.

        Args:
            rubric: the rubric of the first judgements.
            idle: a function that returns true if no requests of the trainer are in progress.
            tell: a function that is called with each `outcome`.

        """
        # Another memory limit gives a separate pool, whose workers have not cached these
        # completions.
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
            rollout, former = self.waiting.popleft()
            if not self.waiting:
                self._offered.clear()
            [repeated] = await ascore([rollout], again)
            if repeated.status == FAULT:
                continue
            came = outcome(former, repeated)
            if came in ("changed", "undecided"):
                log.warning(
                    "a verdict became another one: %s, then %s; target %.200r, completion %.2000r",
                    former.status,
                    repeated.status,
                    rollout.target,
                    rollout.text,
                )
            tell(came)
