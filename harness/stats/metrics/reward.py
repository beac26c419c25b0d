"""The mean reward of a sample."""

from __future__ import annotations

from ..tallies import Group
from .rates import rate
from .registry import metric


@metric("reward", unit="number", shown="never")
def reward(group: Group) -> float:
    return rate("reward", group)
