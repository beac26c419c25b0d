"""The kinds of model. A kind's module is imported at the first use.

A kind is one module and one line in `_BUILT_IN`. Another distribution adds a kind by an entry point
in the group ``calculus_harness.models``:

    [project.entry-points."calculus_harness.models"]
    mykind = "mypackage.models:MyModel"

with models ``mykind/NAME``.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_type_hints

import msgspec

from ..core.errors import ModelError, UnknownNameError, suggest
from .base import Model

#: A full spec (``solver/sympy``), or a kind before the slash (``python``) -> the class.
_BUILT_IN: dict[str, str | type[Model]] = {
    "solver/sympy": ".solvers.sympy:SympySolver",
    "solver/maxima": ".solvers.maxima:MaximaSolver",
    "solver/fricas": ".solvers.fricas:FricasSolver",
    "solver/alkahest": ".solvers.alkahest:AlkahestSolver",
    "openai": ".openai.client:OpenAIModel",
    "openai-batch": ".openai.batch:OpenAIBatch",
    "litellm": ".litellm:LiteLLMModel",
    "inspect": ".inspect_log:InspectLog",
    "replay": ".replay:Replay",
    "python": ".python_function:PythonFunction",
    "vllm": ".vllm.engine:VllmEngine",
    "vllm-server": ".vllm.server:VllmServer",
    "transformers": ".transformers.generator:TransformersModel",
    "encoder": ".transformers.classifier:Encoder",
    "seq2seq": ".seq2seq.model:Seq2Seq",
}
#: The group of entry points of other distributions' kinds.
GROUP = "calculus_harness.models"
#: The names of option types in error messages.
_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def register(kind: str, model: type[Model]) -> None:
    """Add a kind of model in this process.

    Args:
        kind: a full spec (``solver/mine``), or the kind before the slash (``mine``).
        model: the class; a frozen dataclass.

    Returns:
        Nothing; `create` and `describe` know the kind afterwards.

    >>> from calculus_harness.harness.models.python_function import PythonFunction
    >>> register("function", PythonFunction)
    >>> "function/NAME" in dict(describe())
    True

    """
    _BUILT_IN[kind] = model


def create(spec: str, options: Mapping[str, Any] | None = None) -> Model:
    """Make the model that a spec names.

    Args:
        spec: ``KIND/NAME``, as in ``openai/gpt-5-mini`` or ``solver/sympy``; the model's own
            options may follow, as in ``openai/a;base-url=http://127.0.0.1:8000/v1;concurrency=8``.
        options: the options of ``-M key=value``; texts are converted to the types of the model's
            fields.

    Returns:
        The model. Nothing is started or loaded yet.

    Raises:
        UnknownNameError: The kind is unknown, or has no such option.
        ModelError: An option has a wrong type or value, or the model cannot be used here.

    >>> create("solver/sympy", {"time-limit": "5"}).label
    'solver/sympy (time-limit=5.0)'
    >>> create("solver/sympy;time-limit=7", {"time-limit": "5"}).label
    'solver/sympy (time-limit=7.0)'

    """
    spec, own = split_options(spec)
    options = dict(options or {}) | own
    classes = _model_classes(spec)
    prefix = spec if spec in classes else spec.partition("/")[0]
    if prefix not in classes or not ("/" in prefix or spec.partition("/")[2]):
        raise UnknownNameError(f"unknown model {spec!r}; {_suggestion(spec, classes)}")
    model = _load(prefix, classes[prefix])
    settings = _settings(model, spec, options)
    try:
        return model(spec=spec, **settings)
    except ModelError:
        raise
    except (ValueError, OSError) as error:
        raise ModelError(f"model {spec}: {error}") from error


def split_options(spec: str) -> tuple[str, dict[str, str]]:
    """Split a model's name from the options behind it: ``KIND/NAME;key=value;key=value``.

    A semicolon that no ``key=`` follows belongs to the name or the value.

    Args:
        spec: the name, perhaps with options.

    Returns:
        The name, and the options as texts.

    >>> split_options("openai/a;base-url=http://h:8/v1;server=vllm")
    ('openai/a', {'base-url': 'http://h:8/v1', 'server': 'vllm'})

    """
    name, *settings = re.split(r";(?=[A-Za-z][\w-]*=)", spec)
    return name, {key: value for key, _, value in (text.partition("=") for text in settings)}


def describe() -> Iterator[tuple[str, type[Model]]]:
    """Yield every kind, in command-line form (``openai/NAME``), with the class.

    Yields:
        Kinds with classes.

    Raises:
        ModelError: The class of another distribution's kind cannot be imported.

    >>> [kind for kind, _ in describe()][:2]
    ['solver/sympy', 'solver/maxima']

    """
    for prefix, entry in _model_classes().items():
        yield _pattern(prefix), _load(prefix, entry)


def option_names(model: type[Model]) -> dict[str, Any]:
    """Return the options of a kind, by command-line name, with defaults."""
    return {
        item.name.replace("_", "-"): item.default
        for item in fields(model)
        if item.name not in ("spec", model.passes_on)
    }


def _model_classes(spec: str = "") -> dict[str, str | type[Model] | EntryPoint]:
    """All kinds, ours first. Entry points are read only for a ``spec`` of unknown kind."""
    if spec in _BUILT_IN or spec.partition("/")[0] in _BUILT_IN:
        return dict(_BUILT_IN)  # looking for entry points reads every installed distribution
    return {entry.name: entry for entry in entry_points(group=GROUP)} | _BUILT_IN


def _load(prefix: str, entry: str | type[Model] | EntryPoint) -> type[Model]:
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        loaded: Any = getattr(import_module(module, __package__), name)
    elif isinstance(entry, EntryPoint):
        source = f"the model kind {prefix!r} of {entry.dist.name if entry.dist else 'a plugin'}"
        try:
            loaded = entry.load()
        except Exception as error:  # another's code
            reason = f"{type(error).__name__}: {error}"
            raise ModelError(f"{source} cannot be imported ({reason})") from error
        if not (isinstance(loaded, type) and issubclass(loaded, Model)):
            raise ModelError(f"{source} is no subclass of Model: {entry.value}")
    else:
        loaded = entry
    model: type[Model] = loaded
    return model


def _pattern(prefix: str) -> str:
    return prefix if "/" in prefix else f"{prefix}/NAME"


def _suggestion(spec: str, available: Mapping[str, object]) -> str:
    """A suggestion of kinds for a mistyped spec, with the spec's name."""
    prefix, _, name = spec.partition("/")
    name = name or "NAME"
    prefixes = {name_of_kind.partition("/")[0] for name_of_kind in available}
    near = [prefix] if prefix in prefixes else difflib.get_close_matches(prefix, prefixes)
    candidates = [
        name_of_kind if "/" in name_of_kind else f"{name_of_kind}/{name}"
        for name_of_kind in available
        if name_of_kind.partition("/")[0] in near
    ]
    if candidates:
        return suggest(f"{prefix}/{name}", candidates)
    return suggest(spec, map(_pattern, available))


def _settings(model: type[Model], spec: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the fields of a model."""
    types = get_type_hints(model)
    names = {item.name for item in fields(model)} - {"spec", model.passes_on}
    settings: dict[str, Any] = {}
    further = {}
    for option, value in options.items():
        name = option.replace("-", "_")
        if name in names:
            settings[name] = _convert(value, types[name], f"model {spec}: {option}")
        elif model.passes_on:
            text = value if isinstance(value, str) else json.dumps(value)
            further[option.replace("_", "-")] = text
        else:
            hint = suggest(option, option_names(model)) if names else "it has none"
            raise UnknownNameError(f"model {spec} has no option {option!r}; {hint}")
    return settings | ({model.passes_on: tuple(sorted(further.items()))} if further else {})


def _convert(value: Any, option_type: Any, option: str) -> Any:
    """Convert a text of the command line, or a value from Python or a file, to an option's type."""
    try:
        return msgspec.convert(value, option_type, strict=False)
    except msgspec.ValidationError as error:
        names = [
            name for type_, name in _TYPE_NAMES.items() if option_type in (type_, type_ | None)
        ]
        expected = names[0] if names else f"a {option_type} ({error})"
        raise ModelError(f"{option} must be {expected}, not {value!r}") from None
