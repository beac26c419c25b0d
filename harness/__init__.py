"""Ask models, keep every answer, count, report: `sweep(models=[...], benchmarks=[...])`."""

from __future__ import annotations

if __name__ == "harness":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.errors import UserError
    from .core.requests import Completion, FinishReason, Request, Sampling
    from .models import Capability, Model, ask_each, register
    from .run.grade import Policy
    from .run.phases import run_phases
    from .run.plan import plan
    from .run.sweep import score, sweep
    from .stats.compare import compare
    from .stats.cost import Prices
    from .store.run import Run

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
    ".stats.compare": ("compare",),
    ".core.errors": ("UserError",),
    ".run.grade": ("Policy",),
    ".models": ("Capability", "Model", "ask_each", "register"),
    ".run.phases": ("run_phases",),
    ".run.plan": ("plan",),
    ".stats.cost": ("Prices",),
    ".core.requests": ("Completion", "FinishReason", "Request", "Sampling"),
    ".store.run": ("Run",),
    ".run.sweep": ("score", "sweep"),
}


def __getattr__(name: str) -> Any:
    # Imported when used, so that the command line starts at once.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
