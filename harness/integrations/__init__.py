"""Our problems and verdicts inside other programs: inspect_ai, lm-evaluation-harness, verifiers.

- `asking`: problems with their prompts, and a verdict on what was said; shared by all.
- `for_inspect`: a task for every benchmark and subset, and the scorer ``verified``.
- `for_lm_eval`, `lm_eval_path`: task YAML for every benchmark and subset.
- `for_verifiers`: a taskset, to evaluate or to train on.

The wheel installs this folder a second time as ``calculus_harness``: inspect_ai and verifiers find
things by the name of a package, and theirs to write should be that of the distribution. Modules
``for_X`` import X, and are imported by X alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .for_verifiers import CalculusTaskset

#: verifiers looks here for a taskset.
__all__ = ["CalculusTaskset"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.for_verifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
