"""The kinds of model there are. A kind is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, get_type_hints

from harness.errors import ModelError, UnknownNameError, suggest
from harness.models.base import Model

#: A whole spec (``solver/sympy``), or a kind before the slash (``python``) -> its class.
_KINDS: dict[str, str | type[Model]] = {
    "solver/sympy": "harness.models.solvers:SympySolver",
    "python": "harness.models.python_function:PythonFunction",
}


def register(kind: str, model: type[Model]) -> None:
    """Add a kind of model: under a whole spec, or under what stands before the slash."""
    _KINDS[kind] = model


def create(spec: str, options: Mapping[str, Any] | None = None) -> Model:
    """The model that ``KIND/NAME`` names, with options as of ``-M key=value``."""
    kind = spec if spec in _KINDS else spec.partition("/")[0]
    if kind not in _KINDS or not ("/" in kind or spec.partition("/")[2]):
        raise UnknownNameError(f"unknown model {spec!r}; {suggest(spec, map(_shown, _KINDS))}")
    model = _load(kind)
    settings = _options(model, spec, options or {})
    try:
        return model(spec=spec, **settings)
    except ModelError:
        raise
    except (ValueError, OSError) as error:
        raise ModelError(f"model {spec}: {error}") from error


def describe() -> Iterator[tuple[str, type[Model]]]:
    """Every kind as the command line names it, with its class."""
    for kind in _KINDS:
        yield _shown(kind), _load(kind)


def option_names(model: type[Model]) -> dict[str, Any]:
    """The options of a kind as the command line names them, with their defaults."""
    return {
        item.name.replace("_", "-"): item.default for item in fields(model) if item.name != "spec"
    }


def _load(kind: str) -> type[Model]:
    entry = _KINDS[kind]
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        loaded: type[Model] = getattr(importlib.import_module(module), name)
        return loaded
    return entry


def _shown(kind: str) -> str:
    return kind if "/" in kind else f"{kind}/NAME"


def _options(model: type[Model], spec: str, options: Mapping[str, Any]) -> dict[str, Any]:
    types = get_type_hints(model)
    known = {item.name for item in fields(model)} - {"spec"}
    settings = {}
    for name, value in options.items():
        key = name.replace("-", "_")
        if key not in known:
            hint = suggest(name, option_names(model)) if known else "it has none"
            raise UnknownNameError(f"model {spec} has no option {name!r}; {hint}")
        settings[key] = _convert(value, types[key], f"model {spec}: {name}")
    return settings


def _convert(value: Any, kind: Any, what: str) -> Any:
    """A command line's text as the option's type."""
    if kind is bool and value in ("true", "false"):
        return value == "true"
    if kind in (int, float) and isinstance(value, str | int | float):
        try:
            return kind(value)
        except ValueError:
            pass
    elif isinstance(kind, type) and isinstance(value, kind):
        return value
    name = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, str(kind))
    raise ModelError(f"{what} must be {name}, not {value!r}")
