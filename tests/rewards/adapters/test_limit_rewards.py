"""Rewards of limits, alone and among other tasks."""

from __future__ import annotations

from calculus_harness.rewards.adapters.for_trl import make_reward

SINE = r"\lim_{x\to0}\frac{\sin x}{x}"
COMPLETIONS = [r"\boxed{1}", r"\boxed{2}", r"\boxed{\infty}", SINE, "no idea"]


def test_a_rubric_of_limits() -> None:
    reward = make_reward(task="limit")
    assert reward(completions=COMPLETIONS, question=[SINE] * 5) == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_limits_among_other_questions() -> None:
    reward = make_reward(task="mixed")
    rewards = reward(
        completions=[r"\boxed{1}", r"\boxed{x^2+C}"],
        task=["limit", "integration"],
        question=[SINE, None],
        integrand=[None, "2x"],
    )
    assert rewards == [1.0, 1.0]
