"""Examples in docstrings run, public functions document all arguments; rules for modules."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import calculus_harness

PACKAGE = Path(calculus_harness.__file__).parent
REFERENCE = Path(__file__).parents[1] / "docs" / "api"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
#: A module or name that a page of the reference shows, and the members it is limited to.
ENTRY = re.compile(r"^::: ([\w.]+)(?:\n    options:\n      members: (.*))?", re.MULTILINE)


def modules_with(text: str) -> list[str]:
    """Modules with a given text; only such modules are imported."""
    names = []
    for folder in ("harness", "prompts", "rewards", "benchmarks"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            if text in path.read_text(encoding="utf-8"):
                names_of_path = path.relative_to(PACKAGE.parent).with_suffix("").parts
                names.append(".".join(names_of_path).removesuffix(".__init__"))
    return names


#: Modules whose examples need an optional package, though the modules do not.
NEEDS = {"calculus_harness.rewards.adapters.for_datasets": "datasets"}


def examples() -> list[Any]:
    """Modules with examples. Examples with a solver, which is a separate process, are slow."""
    slow = modules_with('["solver/')
    return [
        pytest.param(name, marks=[pytest.mark.slow] * (name in slow))
        for name in ("calculus_harness", *modules_with(">>> "))
    ]


@pytest.mark.parametrize("name", examples())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    failed, tried = doctest.testmod(module, optionflags=FLAGS)
    assert tried
    assert not failed


def entries() -> list[tuple[str, str]]:
    """Entries of the API reference, as modules and members, and modules with `__all__`."""
    pages = [page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md"))]
    listed = [entry for page in pages for entry in ENTRY.findall(page)]
    return sorted({*listed, *((module_name, "") for module_name in modules_with("\n__all__ = "))})


def public(module_name: str, members: str) -> dict[str, Any]:
    """The functions and classes of an entry."""
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:  # one name of a module, or an extra
        if error.name != module_name:
            raise
        module_name, _, members = module_name.rpartition(".")
        module = import_module(module_name)
    own = [name for name, value in vars(module).items() if _belongs(name, value, module_name)]
    names = re.findall(r"\w+", members) if members else getattr(module, "__all__", own)
    things = {name: getattr(module, name) for name in names if name != "false"}
    return {
        name: thing
        for name, thing in things.items()
        if inspect.isfunction(thing) or isinstance(thing, type)
    }


def _belongs(name: str, value: object, module_name: str) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", "") == module_name


def lacks(thing: Any) -> list[str]:
    """Missing parts of the docstring of a public function or class, and of its methods."""
    text = inspect.getdoc(thing) or ""
    example = [] if re.search(">>> |^Example::", text, re.MULTILINE) else ["an example"]
    if not isinstance(thing, type):
        return sections_lacking(thing) + example
    if issubclass(thing, Exception):
        return [] if text else ["a docstring"]
    lacking = []
    if is_dataclass(thing):
        own = [item.name for item in fields(thing) if item.name in thing.__annotations__]
        lacking += [name for name in own if f"{name}:" not in text]
    for value in vars(thing).values():
        method = getattr(value, "__func__", value)
        if inspect.isfunction(method) and method.__name__[0] != "_" and method.__doc__:
            lacking += [f"{method.__name__}: {section}" for section in sections_lacking(method)]
    return lacking + example


def sections_lacking(function: Callable[..., Any]) -> list[str]:
    """Undocumented parameters of a function, and missing sections of the docstring."""
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    described = text.partition("Args:")[2].partition("Returns:")[0]
    parameters = [name for name in signature.parameters if name not in ("self", "cls")]
    lacking = [name for name in parameters if f"{name}:" not in described]
    if signature.return_annotation not in (None, "None") and not re.search(
        "^(Returns|Yields):", text, re.MULTILINE
    ):
        lacking.append("Returns")
    source = inspect.getsource(function)
    if "Raises:" not in text and re.search(r"^\s+raise (?!AssertionError)", source, re.MULTILINE):
        lacking.append("Raises")
    return lacking


@pytest.mark.parametrize(("module_name", "members"), entries())
def test_public_names_are_documented(module_name: str, members: str) -> None:
    try:
        things = public(module_name, members)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    assert {name: lacks(thing) for name, thing in things.items() if lacks(thing)} == {}


def test_no_module_of_ours_is_imported_in_a_function_without_need() -> None:
    """Imports inside functions are for optional packages, and for commands with late imports."""
    lazy = {
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for folder in ("harness", "prompts", "rewards", "benchmarks")
        for path in (PACKAGE / folder).rglob("*.py")
        if re.search(r"^ +from \.", text := path.read_text(encoding="utf-8"), re.MULTILINE)
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.level
    }
    # `--help` loads nothing else; training is imported after its extra was found and the
    # environment of torch was set.
    allowed = ("__main__", "cli/main", "cli/options", "cli/train")
    names = tuple(f"harness/{name}.py" for name in allowed)
    assert {entry for entry in lazy if not entry.startswith(names)} == set()


def test_a_folder_has_at_most_twelve_modules() -> None:
    folders = ("harness", "prompts", "rewards", "benchmarks", "tests")
    modules = [path for top in folders for path in (REFERENCE.parents[1] / top).rglob("*.py")]
    sizes = Counter(path.parent for path in modules if path.name != "__init__.py")
    assert {str(folder): size for folder, size in sizes.items() if size > 12} == {}
