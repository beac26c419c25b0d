"""The kinds of model there are. A kind is imported when it is asked for."""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_type_hints

from ..core.errors import ModelError, UnknownNameError, suggest
from .base import Model

#: A whole spec (``solver/sympy``), or a kind before the slash (``python``) -> its class.
_KINDS: dict[str, str | type[Model]] = {
    "solver/sympy": ".solvers.sympy:SympySolver",
    "solver/maxima": ".solvers.maxima:MaximaSolver",
    "solver/fricas": ".solvers.fricas:FricasSolver",
    "openai": ".openai.client:OpenAIModel",
    "openai-batch": ".openai.batch:OpenAIBatch",
    "replay": ".replay:Replay",
    "python": ".python_function:PythonFunction",
    "vllm": ".vllm.engine:VllmEngine",
    "vllm-server": ".vllm.server:VllmServer",
    "transformers": ".transformers.generator:TransformersModel",
    "encoder": ".transformers.classifier:Encoder",
}


def register(kind: str, model: type[Model]) -> None:
    """Add a kind of model: under a whole spec, or under what stands before the slash."""
    _KINDS[kind] = model


def create(spec: str, options: Mapping[str, Any] | None = None) -> Model:
    """The model that ``KIND/NAME`` names, with options as of ``-M key=value``."""
    kind = spec if spec in _KINDS else spec.partition("/")[0]
    if kind not in _KINDS or not ("/" in kind or spec.partition("/")[2]):
        raise UnknownNameError(f"unknown model {spec!r}; {_meant(spec)}")
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
        item.name.replace("_", "-"): item.default
        for item in fields(model)
        if item.name not in ("spec", model.passes_on)
    }


def _load(kind: str) -> type[Model]:
    entry = _KINDS[kind]
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        loaded: type[Model] = getattr(importlib.import_module(module, __package__), name)
        return loaded
    return entry


def _shown(kind: str) -> str:
    return kind if "/" in kind else f"{kind}/NAME"


def _meant(spec: str) -> str:
    """What a mistyped spec may be: its kind is what is mistyped, its name can be anything."""
    kind, _, name = spec.partition("/")
    name = name or "NAME"
    first = {known.partition("/")[0] for known in _KINDS}
    near = [kind] if kind in first else difflib.get_close_matches(kind, first)
    known = [
        known if "/" in known else f"{known}/{name}"
        for known in _KINDS
        if known.partition("/")[0] in near
    ]
    return suggest(f"{kind}/{name}", known) if known else suggest(spec, map(_shown, _KINDS))


def _options(model: type[Model], spec: str, options: Mapping[str, Any]) -> dict[str, Any]:
    types = get_type_hints(model)
    known = {item.name for item in fields(model)} - {"spec", model.passes_on}
    settings: dict[str, Any] = {}
    further = {}
    for name, value in options.items():
        key = name.replace("-", "_")
        if key in known:
            settings[key] = _convert(value, types[key], f"model {spec}: {name}")
        elif model.passes_on:
            further[name.replace("_", "-")] = value if isinstance(value, str) else json.dumps(value)
        else:
            hint = suggest(name, option_names(model)) if known else "it has none"
            raise UnknownNameError(f"model {spec} has no option {name!r}; {hint}")
    return settings | ({model.passes_on: tuple(sorted(further.items()))} if further else {})


def _convert(value: Any, kind: Any, what: str) -> Any:
    """A command line's text, or a value of Python's or a file's, as the option's type."""
    if isinstance(kind, UnionType):  # optional: None is its default
        if value is None:
            return None
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    if kind is bool and value in ("true", "false"):
        return value == "true"
    if kind in (int, float) and isinstance(value, str):
        with suppress(ValueError):
            return kind(value)
    elif kind is float and type(value) is int:
        return float(value)
    elif type(value) is kind:  # by type: True is no number, and 2.5 no whole one
        return value
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    raise ModelError(f"{what} must be {names.get(kind, kind)}, not {value!r}")
