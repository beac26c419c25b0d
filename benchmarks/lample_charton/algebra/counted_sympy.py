"""SymPy compiled with call counters in all functions, at little cost.

`sys.settrace` would count calls without compilation, but doubles the time. Here each function's
body begins with a call of `TICK`, a built-in function in C. The modified bytecode is kept in the
cache directory, by Python's rules for bytecode.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import repeat
from types import CodeType
from typing import Any

from ...recorded_decisions import cache_file

#: The packages whose calls are counted.
PACKAGES = ("sympy", "mpmath")
#: The name of the built-in function that each function of the packages calls.
TICK = "_calculus_harness_tick"


def install() -> None:
    """Make this process import SymPy in the counted form; to be called before the import.

    Raises:
        RuntimeError: SymPy is imported already.

    """
    if any(package in sys.modules for package in PACKAGES):
        raise RuntimeError("SymPy is imported already, and would not count its calls")
    set_tick(repeat(None).__next__)
    sys.pycache_prefix, sys.dont_write_bytecode = str(cache_file("counted-bytecode")), False
    sys.meta_path.insert(0, _Finder)


def installed() -> bool:
    """Whether the process's SymPy counts calls."""
    return hasattr(builtins, TICK)


def set_tick(tick: Callable[[], object]) -> Callable[[], object]:
    """Set the function that every call ticks; returns the previous function."""
    previous: Callable[[], object] = getattr(builtins, TICK, tick)
    setattr(builtins, TICK, tick)
    return previous


class _Finder:
    """Finds the counted packages, and leaves all other packages to other finders."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Compiles modules by `compiled`."""

    def source_to_code(  # type: ignore[override]
        self, data: bytes, path: str, *, _optimize: int = -1
    ) -> CodeType:
        return compiled(data, path, _optimize)


def compiled(source: bytes | str, path: str, optimize: int = -1) -> CodeType:
    """A module's code with a call of `TICK` at the start of each function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            call = ast.Expr(ast.Call(ast.Name(TICK, ast.Load()), [], []))
            ast.fix_missing_locations(ast.copy_location(call, node.body[0]))
            has_docstring = ast.get_docstring(node, clean=False) is not None
            node.body.insert(int(has_docstring), call)  # a docstring stays first
    code: CodeType = compile(tree, path, "exec", dont_inherit=True, optimize=optimize)
    return code
