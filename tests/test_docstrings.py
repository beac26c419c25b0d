"""The examples in docstrings run, and public functions say what they take and return."""

from __future__ import annotations

import ast
import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import calculus_harness

PACKAGE = Path(calculus_harness.__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> list[str]:
    """Modules whose docstrings hold a prompt; only these are imported."""
    names = []
    for folder in ("harness", "prompts", "rewards", "benchmarks"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
                names.append(".".join(parts).removesuffix(".__init__"))
    return ["calculus_harness", *names]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    failed, tried = doctest.testmod(module, optionflags=FLAGS)
    assert tried
    assert not failed


@pytest.mark.parametrize("name", sorted(set(calculus_harness.__all__) - {"CalculusTaskset"}))
def test_public_names_are_documented(name: str) -> None:
    thing = getattr(calculus_harness, name)
    text = inspect.getdoc(thing) or ""
    assert ">>> " in text, "an example that runs"
    if not inspect.isfunction(thing):
        return
    parameters = inspect.signature(thing).parameters
    sections = ["Returns:"] + ["Args:"] * bool(parameters)
    assert [section for section in sections if section not in text] == []
    arguments = text.partition("Args:")[2].partition("Returns:")[0]
    missing = [name for name in parameters if f"{name}:" not in arguments.replace("*", "")]
    assert missing == []


def test_no_module_of_ours_is_imported_in_a_function_without_need() -> None:
    """Imports inside functions are for optional packages, and for commands that load late."""
    lazy = {
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for folder in ("harness", "prompts", "rewards", "benchmarks")
        for path in (PACKAGE / folder).rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.level
    }
    # `--help` loads nothing else; training is imported after its extra was found and the
    # environment of torch was set.
    allowed = ("__main__", "cli/main", "cli/options", "cli/train")
    names = tuple(f"harness/{name}.py" for name in allowed)
    assert {place for place in lazy if not place.startswith(names)} == set()
