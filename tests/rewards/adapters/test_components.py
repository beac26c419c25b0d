"""Reward components: a decorator registers a function under its name everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from calculus_harness.rewards.adapters.components import COMPONENTS, GradedCompletion, component
from calculus_harness.rewards.adapters.for_trl import make_reward
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score

NAMES = ("correctness", "format", "length")
RIGHT, WRONG = r"$\boxed{x^2}$", r"$\boxed{x^3}$"


@pytest.fixture
def short() -> Iterator[str]:
    @component("short", weight=0.25, gated=False)
    def value(graded: GradedCompletion) -> float:
        return float(len(graded.text) < 20)

    yield "short"
    del COMPONENTS["short"]


def test_a_new_component_is_weighted_and_logged(short: str) -> None:
    rubric = Rubric(components=("correctness", short))
    scores = score(
        [Rollout(RIGHT, "2x"), Rollout(WRONG, "2x"), Rollout("So: " + 9 * " " + RIGHT, "2x")],
        rubric,
    )
    assert [item.reward for item in scores] == [1.25, 0.25, 1.0]
    assert scores[1].components == {"correctness": 0.0, "short": 1.0}


def test_adapters_know_a_new_component(short: str) -> None:
    reward = make_reward(components=["correctness", short], weights=[1.0, 0.5])
    assert reward([""], [RIGHT], integrand=["2x"]) == [1.5]


def test_the_components_that_there_are() -> None:
    settings = {name: (COMPONENTS[name].weight, COMPONENTS[name].gated) for name in NAMES}
    assert settings == {"correctness": (1.0, False), "format": (0.1, True), "length": (0.1, True)}


def test_names_are_taken_once(short: str) -> None:
    with pytest.raises(ValueError, match="already a component 'format'"):
        component("format")(lambda graded: 1.0)
    with pytest.raises(ValueError, match="components must be some of"):
        Rubric(components=("correctness", "shorter"))
