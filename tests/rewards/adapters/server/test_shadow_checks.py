"""Shadow checks: a sample of the verdicts, judged again by another version."""

from __future__ import annotations

import asyncio

import pytest

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
from calculus_harness.rewards.adapters.scoring import Rollout, Score
from calculus_harness.rewards.adapters.server import shadow as shadows
from calculus_harness.rewards.verdict import Status, Verdict
from tests.rewards.adapters.server.sockets import until
from tests.rewards.adapters.server.test_server import RIGHT

pytestmark = pytest.mark.serve


def score(status: str, reward: float = 0.0) -> Score:
    return Score(reward, status, Verdict(Status(status), reward))


@pytest.mark.parametrize(
    ("reward", "shadow_reward", "expected"),
    [
        ("correct", "correct", "same"),
        ("incorrect", "correct", "changed"),
        ("timeout", "correct", "decided"),
        ("undecided", "timeout", "same"),
        ("correct", "timeout", "undecided"),
    ],
)
def test_outcomes_of_shadow_checks(reward: str, shadow_reward: str, expected: str) -> None:
    assert shadows.outcome(score(reward), score(shadow_reward)) == expected


def test_a_verdict_that_changes_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The second judgement reveals a fault of the first judgement."""
    logged: list[str] = []

    async def run() -> None:
        shadow = shadows.Shadow(rate=1.0, patience=0.2)
        rubric = make_reward_func(workers=1).rubric
        task = asyncio.create_task(shadow.run(rubric, lambda: False, logged.append))
        shadow.offer([Rollout(RIGHT, "2x")] * 2, [score("incorrect"), score("correct", 1.0)])
        await until(lambda: len(logged) == 2)
        task.cancel()

    asyncio.run(run())
    assert logged == ["changed", "same"]
    assert "incorrect, then correct" in caplog.text


def test_the_sample_is_of_its_rate_and_bounded() -> None:
    shadow = shadows.Shadow(rate=0.1, kept=2000, seed=3)
    for _ in range(100):
        shadow.offer([Rollout("x", "x")] * 100, [score("correct")] * 100)
    assert 800 < len(shadow.waiting) < 1200
    shadow.offer([Rollout("x" * 200_000, "x")] * 1000, [score("correct")] * 1000)
    assert len(shadow.waiting) < 1200
    with pytest.raises(ValueError, match="between 0 and 1"):
        shadows.Shadow(rate=2.0)
