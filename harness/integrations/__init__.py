"""Problems and verdicts inside inspect_ai, lm-evaluation-harness, verifiers and OpenEnv.

- `questions`: problems with prompts, and the verdict on a completion; shared by all modules.
- `for_inspect`: a task for every benchmark and subset, and the scorer ``verified``.
- `for_lm_eval`, `lm_eval_path`: task YAML for every benchmark and subset.
- `for_verifiers`: a taskset, to evaluate or to train on.
- `for_openenv`: a server of episodes.

inspect_ai finds the tasks by the distribution's entry point ``inspect_ai``, verifiers finds the
taskset as ``calculus_harness.CalculusTaskset``. A module ``for_X`` needs the package X, and only X
imports the module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .for_verifiers import CalculusTaskset

__all__ = ["CalculusTaskset"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.for_verifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
