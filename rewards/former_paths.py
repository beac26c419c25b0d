"""Former paths of public modules. For example, `rewards.latex` is now `rewards.reading.latex`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

#: What each public module or package is called now.
PRESENT = {
    "antiderivative": "verify.antiderivative",
    "arithmetic": "verify.arithmetic",
    "baselines": "verify.baselines",
    "certificates": "verify.certificates",
    "definite": "verify.definite",
    "expansions": "numeric.expansions",
    "expression": "reading.expression",
    "extraction": "reading.extraction",
    "labels": "verify.labels",
    "latex": "reading.latex",
    "quadrature": "numeric.quadrature",
    "steps": "verify.solution_steps",
    "values": "verify.values",
}

_PREFIX = f"{__package__}."


class _FormerPaths(MetaPathFinder, Loader):
    """An import finder for former paths of modules.

    A former path yields the module at the present path. The module is not loaded a second time.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        name = fullname.removeprefix(_PREFIX).partition(".")[0]
        return spec_from_loader(fullname, self) if name in PRESENT else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name, dot, submodule = spec.name.removeprefix(_PREFIX).partition(".")
        module = import_module(f"{_PREFIX}{PRESENT[name]}{dot}{submodule}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state  # the one that it was loaded by


def keep() -> None:
    """Make imports of former paths work, even if old folders remain at these paths."""
    if not any(isinstance(finder, _FormerPaths) for finder in sys.meta_path):
        sys.meta_path.insert(0, _FormerPaths())
