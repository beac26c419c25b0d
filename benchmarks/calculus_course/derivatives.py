"""Derivatives: a bank, its perturbations, and an endless generator."""

from __future__ import annotations

from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE, entries, of_entry

TASK = "derivative"
REQUEST = "Find the derivative."


@benchmark("course/derivatives", source=SOURCE, size=lambda: len(entries("derivatives")), task=TASK)
def bank(seed: int, index: int) -> Problem:
    """Derivatives: explicit, partial, higher, at a point, implicit, parametric."""
    return of_entry(TASK, "derivatives", entries("derivatives")[index], REQUEST)
