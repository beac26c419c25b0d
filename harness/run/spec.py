"""A sweep as data: `SweepSpec`, read from flags, TOML and Python alike.

A setting has one name, that of its flag: ``--top-p``, ``top-p = 0.95`` in TOML, ``top_p=0.95`` in
Python. Repeatable flags are singular: ``--model`` and ``--benchmark`` fill the fields ``models``
and ``benchmarks``, ``-M`` (the table ``[model-option]``) fills ``options``, ``--num-fewshot`` fills
``shots``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import tomli_w
from msgspec import Meta

from ...benchmarks.files import is_source, with_columns
from ..core.errors import UserError, suggest
from ..core.policy import Policy
from ..core.requests import Sampling
from ..core.validation import convert, plain

Count = Annotated[int, Meta(ge=1)]
PhaseFilter: TypeAlias = Literal["none", "published"]


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """What to ask whom, how, and where to keep it.

    Args:
        models: names such as ``solver/sympy``.
        benchmarks: names such as ``bee`` or ``bee/competition``, or files of problems.
        phases: name of the phases to ask afterwards (`harness.studies.phases`).
        phase_filter: which solved problems they perturb (`harness.studies.named_phases`).
        prompt: name or path of a template; by default the one of the problems' task.
        shots: how many worked examples the prompt shows, if it shows any.
        samples: samples of each problem; a larger number extends an earlier run.
        limit: at most so many problems, spread over the subsets; a larger number extends.
        seed: the seed of every sample's seed and of every generated problem.
        sampling: sampling parameters.
        options: options of the models (``-M key=value``).
        out: the run directory; by default one under ``runs/`` that the settings determine.
        primary_k: the k of pass@k for which comparisons adjust p values; declared when the run is
            created (1 by default) and fixed from then on.
        policy: how strictly to judge.

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
    samples: Count = 1
    limit: Count | None = None
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    options: Mapping[str, Any] = field(default_factory=dict)
    out: str | None = None
    primary_k: Count | None = None
    policy: Policy = field(default_factory=Policy)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> SweepSpec:
        """The sweep that settings describe, named like the flags.

        Args:
            settings: as a TOML file has them. ``columns``, ``syntax``, ``split`` and
                ``skip-broken`` are about benchmarks that are files, and become part of their names.

        Returns:
            The checked spec.

        Raises:
            UserError: a setting is unknown, missing, of the wrong kind or out of range.

        """
        settings = dict(settings)
        refuse_unknown(settings)
        files = {
            name.replace("-", "_"): settings.pop(name)
            for name in _FILE_SETTINGS
            if name in settings
        }
        data: dict[str, Any] = {"sampling": {}, "policy": {}}
        for name, value in settings.items():
            part, key = _PLACES[name]
            (data[part] if part else data)[key] = value
        spec = _checked(data, lambda key: _FLAGS.get(key, key))
        if files:
            source = convert(files, FileSettings, lambda key: key.replace("_", "-"))
            data["benchmarks"] = source.added_to(spec.benchmarks)
            spec = _checked(data)
        return spec

    @classmethod
    def make(cls, **settings: Any) -> SweepSpec:
        """The sweep that keyword arguments named like the fields describe, checked.

        Args:
            settings: the fields; lists, dictionaries and paths are converted.

        Returns:
            The checked spec.

        Raises:
            UserError: a value is missing, of the wrong kind or out of range.

        >>> SweepSpec.make(models=["solver/sympy"], benchmarks=["bee"], samples=4).samples
        4

        """
        known = [item.name for item in fields(cls)]
        for name in settings:
            if name not in known:
                raise UserError(f"unknown setting {name!r}; {suggest(name, known)}")
        return _checked(plain(settings))

    @classmethod
    def read(cls, path: str | Path) -> SweepSpec:
        """Read a TOML file of settings; see `from_settings`."""
        return cls.from_settings(read_settings(Path(path)))

    def settings(self) -> dict[str, Any]:
        """What is not at its default, named like the flags; `from_settings` reads it back."""
        data, defaults = plain(self), plain(SweepSpec((), ()))
        settings = {}
        for name, (part, key) in _PLACES.items():
            value = data[part][key] if part else data[key]
            if value != (defaults[part][key] if part else defaults[key]):
                settings[name] = value
        return settings

    def to_toml(self) -> str:
        """The settings as TOML, which `read` reads back."""
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
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}") from None
    try:
        refuse_unknown(settings)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return settings


def refuse_unknown(settings: Iterable[str]) -> None:
    """Raise `UserError` for the first name that is no setting of a sweep."""
    known = [*_PLACES, *_FILE_SETTINGS]
    for name in settings:
        if name in known:
            continue
        if (hyphenated := name.replace("_", "-")) in COMMAND_LINE_ONLY:
            raise UserError(
                f"{name!r} is no setting of a sweep; say --{hyphenated} on the command line"
            )
        meant = {"n": "samples", "M": "model-option"}.get(name, hyphenated)
        raise UserError(f"unknown setting {name!r}; {suggest(meant, known)}")


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
_FILE_SETTINGS = tuple(item.name.replace("_", "-") for item in fields(FileSettings))
#: Flags that say what to do with a sweep, and are no part of it.
COMMAND_LINE_ONLY = ("config", "dry-run", "json", "preset", "save-config")
