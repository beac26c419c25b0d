"""Ask models, keep every answer, count, report: `sweep(models=[...], benchmarks=[...])`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.comparing import compare
    from harness.errors import UserError
    from harness.grading import Policy
    from harness.models import Capability, Model, ask_each, register
    from harness.phases import run_phases
    from harness.planning import plan
    from harness.prices import Prices
    from harness.requests import Completion, FinishReason, Request, Sampling
    from harness.store import Run
    from harness.sweeping import score, sweep

__all__ = [
    "Capability",
    "Completion",
    "FinishReason",
    "Model",
    "Policy",
    "Prices",
    "Request",
    "Run",
    "Sampling",
    "UserError",
    "ask_each",
    "compare",
    "plan",
    "register",
    "run_phases",
    "score",
    "sweep",
]

_HOMES = {
    "harness.comparing": ("compare",),
    "harness.errors": ("UserError",),
    "harness.grading": ("Policy",),
    "harness.models": ("Capability", "Model", "ask_each", "register"),
    "harness.phases": ("run_phases",),
    "harness.planning": ("plan",),
    "harness.prices": ("Prices",),
    "harness.requests": ("Completion", "FinishReason", "Request", "Sampling"),
    "harness.store": ("Run",),
    "harness.sweeping": ("score", "sweep"),
}


def __getattr__(name: str) -> Any:
    # Imported when used, so that the command line starts at once.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
