r"""Reward components, by name. A reward is a weighted sum of components
(`rewards.adapters.scoring`).

A component is a function from a `GradedCompletion` to a number between 0 and 1. To add a component,
write a file in this folder and import the file at the end of this module. In a training script of
your own, the decorator `component` suffices. The component's name can be used in
`Rubric.components`, in ``make_reward(components=...)`` and with ``run.py serve-reward
--component``.

>>> from calculus_harness.rewards.adapters.components import GradedCompletion, component
>>> @component("certainty", weight=0.2)
... def certainty(graded: GradedCompletion) -> float:
...     return float("probably" not in graded.text)

>>> from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score
>>> rubric = Rubric(components=("correctness", "certainty"), workers=1)
>>> completions = [r"$\boxed{x^2}$", r"probably $\boxed{x^2}$", r"$\boxed{x^3}$"]
>>> [each.reward for each in score([Rollout(text, "2x") for text in completions], rubric)]
[1.2, 1.0, 0.0]
"""

from __future__ import annotations

from . import correctness, format, length, steps  # noqa: F401  # importing them registers them
from .base import COMPONENTS, Component, GradedCompletion, component, load_component

__all__ = ["COMPONENTS", "Component", "GradedCompletion", "component", "load_component"]
