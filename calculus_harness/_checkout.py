"""In a checkout, `harness`, `rewards`, `prompts` and `benchmarks` are names of the same modules.

Without this, ``from rewards import Verdict`` would load every module a second time, and its classes
would not be those of `calculus_harness.rewards`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

FOLDERS = ("harness", "rewards", "prompts", "benchmarks")


class _Alias(MetaPathFinder, Loader):
    """Finds ``rewards.X`` as ``calculus_harness.rewards.X``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in FOLDERS:
            return spec_from_loader(fullname, self)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(f"{__package__}.{spec.name}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state  # the one that it was loaded by


def alias(name: str) -> None:
    """Let the folder that is being imported as ``name`` be the package in `calculus_harness`."""
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())
    sys.modules[name] = import_module(f"{__package__}.{name}")
