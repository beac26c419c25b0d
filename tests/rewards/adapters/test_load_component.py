"""Reward components from a user's own file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from calculus_harness.rewards.adapters.components import COMPONENTS, load_component
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score
from calculus_harness.rewards.errors import UserError

OWN = """
from calculus_harness.rewards.adapters.components import component

def short(graded):
    return float(len(graded.text) < 20)

@component("sure", weight=0.3)
def sure(graded):
    return float("perhaps" not in graded.text)
"""


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    registered = dict(COMPONENTS)
    yield
    COMPONENTS.clear()
    COMPONENTS.update(registered)
    load_component.cache_clear()


def test_a_function_of_a_file_is_a_component(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN)
    names = tuple(map(load_component, ("correctness", f"{own}:short", f"{own}:sure")))
    assert names == ("correctness", "short", "sure")
    assert [COMPONENTS[name].weight for name in names] == [1.0, 0.1, 0.3]
    assert load_component(f"{own}:short") == "short"  # a second time it is the same
    texts = [r"\boxed{x^2}", r"perhaps it is rather \boxed{x^2}", r"\boxed{x^3}"]
    rewards = score([Rollout(text, "2x") for text in texts], Rubric(components=names, workers=1))
    assert [item.reward for item in rewards] == pytest.approx([1.4, 1.0, 0.0])


@pytest.mark.parametrize(
    ("source", "name", "why"),
    [
        ("def f(graded): return 1", "g", "has no function 'g'"),
        ("def format(graded): return 1", "format", "already a component 'format'"),
        ("import nothing_like_it", "f", "ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    tmp_path: Path, source: str, name: str, why: str
) -> None:
    (tmp_path / "own.py").write_text(source)
    with pytest.raises(UserError, match=why):
        load_component(f"{tmp_path}/own.py:{name}")
    with pytest.raises(UserError, match="there is no file"):
        load_component("nowhere.py:f")
