"""A sweep as data: `SweepSpec`, read from flags, TOML and Python alike.

A setting has one name, that of its flag: ``--top-p``, ``top-p = 0.95`` in TOML, ``top_p=0.95`` in
Python. Repeatable flags are singular: ``--model`` and ``--benchmark`` fill the fields ``models``
and ``benchmarks``, ``-M`` (the table ``[model-option]``) fills ``options``, ``--num-fewshot`` fills
``shots``. The names of the fields, ``n`` and ``M`` are understood everywhere, too.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import tomli_w
from msgspec import Meta

from ...benchmarks.files.table import is_source, with_columns
from ...rewards.errors import ArgumentTypeError
from ...rewards.records import convert, plain
from ..core.errors import UserError, read_file, suggest
from ..core.policy import Policy
from ..core.requests import Sampling
from ..models.registry import split_options

Count = Annotated[int, Meta(ge=1)]
#: What a wrong answer is told before the next turn (`harness.run.turns`).
Feedback: TypeAlias = Literal["verdict", "witness", "steps"]
PhaseFilter: TypeAlias = Literal["none", "published"]


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """What to ask whom, how, and where to keep it.

    Args:
        models: names such as ``solver/sympy``, perhaps with options of their own behind them
            (``openai/a;base-url=http://127.0.0.1:8000/v1``).
        benchmarks: names such as ``bee`` or ``bee/competition``, or files of problems.
        phases: name of the phases to ask afterwards (`harness.studies.phases`).
        phase_filter: which solved problems they perturb (`harness.studies.named_phases`).
        prompt: name or path of a template; by default the one of the problems' task.
        shots: how many worked examples the prompt shows, if it shows any.
        system_message: a system message before the prompt's other messages.
        pictures: the folder of the symbols in a prompt's pictures.
        turns: after a wrong answer, up to so many turns in all; more extend an earlier run.
        feedback: what a wrong answer is told: that it is wrong (``verdict``), where (``witness``),
            or its first wrong step (``steps``).
        samples: samples of each problem; a larger number extends an earlier run.
        limit: at most so many problems, spread over the subsets; a larger number extends.
        seed: the seed of every sample's seed and of every generated problem.
        sampling: sampling parameters.
        options: options of the models (``-M key=value``).
        out: the run directory; by default one under ``runs/`` that the settings determine.
        primary_k: the k of pass@k for which comparisons adjust p values; declared when the run is
            created (1 by default) and fixed from then on.
        policy: how strictly to judge.
        prices: a file of prices (`harness.core.prices`).
        max_cost: stop when the models' answers in the run, earlier ones too, cost so many dollars.
        max_tokens_total: stop when their prompts and completions have so many tokens.

    >>> settings = {"model": ["solver/sympy"], "benchmark": ["bee"], "top-p": 0.9}
    >>> SweepSpec.from_settings(settings).sampling.top_p
    0.9

    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    _: KW_ONLY
    phases: str | None = None
    phase_filter: PhaseFilter | None = None
    prompt: str | None = None
    shots: Annotated[int, Meta(ge=0)] | None = None
    system_message: str | None = None
    pictures: str | None = None
    turns: Count = 1
    feedback: Feedback = "verdict"
    samples: Count = 1
    limit: Count | None = None
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    options: Mapping[str, Any] = field(default_factory=dict)
    out: str | None = None
    primary_k: Count | None = None
    policy: Policy = field(default_factory=Policy)
    prices: str | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    max_tokens_total: Count | None = None

    def __post_init__(self) -> None:
        for name in ("models", "benchmarks"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise ArgumentTypeError(f"{name} must be a list, as in [{value!r}], not {value!r}")

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> SweepSpec:
        """The sweep that settings describe, named like the flags.

        Args:
            settings: as a TOML file has them. ``model`` may be a table of models with their own
                options (``[model."openai/a"]``). ``columns``, ``syntax``, ``split`` and
                ``skip-broken`` are about benchmarks that are files, and become part of their names.

        Returns:
            The checked spec.

        Raises:
            UserError: a setting is unknown, missing, of the wrong kind or out of range.

        """
        refuse_unknown(settings)
        settings = {name: _with_options(name, value) for name, value in settings.items()}
        lists = {
            name: [value]
            for name, value in settings.items()
            if word_of(name) in _REPEATABLE and isinstance(value, str)
        }
        return cls._of({**settings, **lists}, lambda key: _FLAGS.get(key, key))

    @classmethod
    def make(cls, **settings: Any) -> SweepSpec:
        """The sweep that keyword arguments describe, checked.

        Args:
            settings: the fields, or what the flags are called (``n``, ``temperature``, ``top_p``);
                lists, dictionaries and paths are converted.

        Returns:
            The checked spec.

        Raises:
            UserError: a value is missing, of the wrong kind or out of range.

        >>> SweepSpec.make(models=["solver/sympy"], benchmarks=["bee"], samples=4).samples
        4

        """
        parts = {part: settings.pop(part) for part in ("sampling", "policy") if part in settings}
        refuse_unknown(settings)
        return cls._of(settings, str, **plain(parts))

    @classmethod
    def _of(
        cls, settings: Mapping[str, Any], shown: Callable[[str], str], **parts: Any
    ) -> SweepSpec:
        """The sweep of settings; ``parts`` are whole sampling parameters and policies."""
        files, data = {}, {"sampling": {}, "policy": {}} | parts
        for name, value in plain(dict(settings)).items():
            word = word_of(name)
            if word in _FILE_SETTINGS:
                files[word.replace("-", "_")] = value
                continue
            part, key = _PLACES[word]
            (data[part] if part else data)[key] = value
        spec = _checked(data, shown)
        if files:
            source = convert(files, FileSettings, lambda key: key.replace("_", "-"))
            data["benchmarks"] = source.added_to(spec.benchmarks)
            spec = _checked(data)
        return spec

    @classmethod
    def read(cls, path: str | Path) -> SweepSpec:
        """Read a TOML file of settings; see `from_settings`.

        Args:
            path: the file.

        Returns:
            The checked spec.

        Raises:
            UserError: the file cannot be read, or a setting in it is refused.

        """
        return cls.from_settings(read_settings(Path(path)))

    def settings(self) -> dict[str, Any]:
        """What is not at its default, named like the flags; `from_settings` reads it back.

        Returns:
            The settings.

        """
        data, defaults = plain(self), plain(SweepSpec((), ()))
        settings = {}
        for name, (part, key) in _PLACES.items():
            value = data[part][key] if part else data[key]
            if value != (defaults[part][key] if part else defaults[key]):
                settings[name] = value
        return settings

    def to_toml(self) -> str:
        """The settings as TOML, which `read` reads back.

        Returns:
            The TOML.

        Raises:
            UserError: an option has a value that TOML does not know, such as None.

        """
        try:
            return tomli_w.dumps(self.settings())
        except TypeError as error:
            raise UserError(f"these settings cannot be written as TOML: {error}") from None


@dataclass(frozen=True)
class FileSettings:
    """How to read benchmarks that are files (``file:PATH``, ``hub:NAME``)."""

    columns: tuple[str, ...] = ()
    syntax: str | None = None
    split: str | None = None
    skip_broken: bool = False

    def added_to(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """The benchmarks' names, with these settings added to those that are files."""
        columns = [column for group in self.columns for column in group.split(",") if column]
        skip_broken = "yes" if self.skip_broken else None
        values = {"syntax": self.syntax, "split": self.split, "skip_broken": skip_broken}
        given = {name: value for name, value in values.items() if value is not None}
        if (columns or given) and not any(map(is_source, benchmarks)):
            raise UserError(
                "--columns, --syntax, --split and --skip-broken are for files (file:PATH)"
            )
        return tuple(with_columns(name, columns, **given) for name in benchmarks)


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file, named like the flags.

    Raises:
        UserError: the file cannot be read, is not TOML, or has an unknown setting.

    """
    settings = read_file(path, tomllib.loads, tomllib.TOMLDecodeError)
    try:
        refuse_unknown(name for name in settings if word_of(name) != "dry-run")
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    named: dict[str, Any] = {}
    for name, value in settings.items():
        if word_of(name) in named:
            raise UserError(f"{path}: {word_of(name)} is there twice, once as {name!r}")
        named[word_of(name)] = value
    return named


def refuse_unknown(settings: Iterable[str]) -> None:
    """Raise `UserError` for the first name that is no setting of a sweep."""
    known = [*_PLACES, *_FILE_SETTINGS]
    for name in settings:
        word = word_of(name)
        if word in COMMAND_LINE_ONLY:
            raise UserError(f"{name!r} is no setting of a sweep; say --{word} on the command line")
        if word not in known:
            raise UserError(f"unknown setting {name!r}; {suggest(word, known)}")


def _with_options(name: str, value: Any) -> Any:
    """A table of models with their options as names with options; another setting as it is."""
    if word_of(name) != "model" or not isinstance(value, Mapping):
        return value
    models = []
    for model, options in value.items():
        if not isinstance(options, Mapping):
            raise UserError(f"model {model!r} must be a table of options, not {options!r}")
        base, before = split_options(model)
        texts = before | {
            key: option if isinstance(option, str) else json.dumps(option)
            for key, option in options.items()
        }
        models.append(";".join([base, *(f"{key}={text}" for key, text in texts.items())]))
        if split_options(models[-1]) != (base, texts):
            raise UserError(f"model {model!r} has an option that holds ';key=', which ends options")
    return models


def word_of(name: str) -> str:
    """A setting's name as that of its flag; also ``top_p``, ``n``, and the names of fields."""
    hyphenated = name.replace("_", "-")
    return {"n": "samples", "M": "model-option", **_FLAGS}.get(name, hyphenated)


def _checked(data: Mapping[str, Any], shown: Any = str) -> SweepSpec:
    spec = convert(data, SweepSpec, shown)
    if not spec.models or not spec.benchmarks:
        raise UserError("a sweep needs at least one model and one benchmark")
    if spec.phases is None and spec.phase_filter is not None:
        raise UserError("phase-filter is for the problems of phases, and there are no phases")
    return spec


#: Field -> the name of its flag, where they differ.
_FLAGS = {
    "models": "model",
    "benchmarks": "benchmark",
    "shots": "num-fewshot",
    "options": "model-option",
} | {
    item.name: item.name.replace("_", "-")
    for kind in (SweepSpec, Sampling, Policy)
    for item in fields(kind)
    if "_" in item.name
}
#: Setting -> where it is in a spec: a part ("sampling", "policy" or none), and the field.
_PLACES: dict[str, tuple[str, str]] = {
    _FLAGS.get(item.name, item.name): (part, item.name)
    for part, kind in (("", SweepSpec), ("sampling", Sampling), ("policy", Policy))
    for item in fields(kind)
    if item.name not in ("sampling", "policy")
}
#: Settings that are lists: their flags are repeatable, and a file may have one text for a list.
_REPEATABLE = ("model", "benchmark", "stop", "columns")
_FILE_SETTINGS = tuple(item.name.replace("_", "-") for item in fields(FileSettings))
#: Flags that say what to do with a sweep, and are no part of it.
COMMAND_LINE_ONLY = (
    "cluster",
    "config",
    "dry-run",
    "json",
    "preset",
    "retry-errors",
    "save-config",
    "yes",
)
