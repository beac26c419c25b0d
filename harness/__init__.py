"""Ask models, keep every answer, count, report: `sweep(models=[...], benchmarks=[...])`."""

from __future__ import annotations

if __name__ == "harness":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audits.auditing import Audit, audit
    from .core.errors import UserError
    from .core.policy import Policy
    from .core.prices import Prices
    from .core.requests import Completion, FinishReason, Request, Sampling
    from .models import Capability, Model, ask_each, register
    from .report import print_comparison, print_summary, to_pandas
    from .run.phases import run_phases
    from .run.plan import plan
    from .run.scoring import score
    from .run.spec import SweepSpec
    from .run.sweep import sweep
    from .stats.compare import compare
    from .stats.summary import summarise
    from .store.run import Run

__all__ = [
    "Audit",
    "Capability",
    "Completion",
    "FinishReason",
    "Model",
    "Policy",
    "Prices",
    "Request",
    "Run",
    "Sampling",
    "SweepSpec",
    "UserError",
    "ask_each",
    "audit",
    "compare",
    "plan",
    "print_comparison",
    "print_summary",
    "register",
    "run_phases",
    "score",
    "summarise",
    "sweep",
    "to_pandas",
]

_HOMES = {
    ".report": ("print_comparison", "print_summary", "to_pandas"),
    ".audits.auditing": ("Audit", "audit"),
    ".stats.compare": ("compare",),
    ".stats.summary": ("summarise",),
    ".core.errors": ("UserError",),
    ".core.policy": ("Policy",),
    ".core.prices": ("Prices",),
    ".models": ("Capability", "Model", "ask_each", "register"),
    ".run.phases": ("run_phases",),
    ".run.plan": ("plan",),
    ".core.requests": ("Completion", "FinishReason", "Request", "Sampling"),
    ".stats.findings": ("Run",),  # a run that says what was found in it
    ".run.scoring": ("score",),
    ".run.spec": ("SweepSpec",),
    ".run.sweep": ("sweep",),
}


def __getattr__(name: str) -> Any:
    # Imported when used, so that the command line starts at once.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
