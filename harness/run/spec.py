"""A sweep as data: `SweepSpec`, read from flags, TOML and Python alike.

A setting has the same name everywhere: ``--top-p`` on the command line, ``top-p = 0.95`` in TOML,
``top_p=0.95`` in Python. Hyphens and underscores are interchangeable.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
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
    """The settings of a sweep: the models, the problems, the prompt, and the run directory.

    Args:
        model: names such as ``solver/sympy``, which may be followed by options of the model
            (``openai/a;base-url=http://127.0.0.1:8000/v1``).
        benchmark: names such as ``bee`` or ``bee/competition``, or files of problems.
        phases: the name of the phases that follow (`harness.studies.phases`).
        phase_filter: which solved problems the phases perturb (`harness.studies.named_phases`).
        prompt: the name or path of a template; by default the template of the problems' task.
        num_fewshot: the number of worked examples in the prompt, if the prompt has examples.
        system_message: a system message before the prompt's other messages.
        pictures: the folder of the symbols in a prompt's pictures.
        turns: the largest number of turns; after a wrong answer the model is asked again. A larger
            number extends an earlier run.
        feedback: the message after a wrong answer: that the answer is wrong (``verdict``), a point
            at which it is wrong (``witness``), or the first wrong step (``steps``).
        samples: the number of samples of each problem. A larger number extends an earlier run.
        limit: the largest number of problems, spread over the subsets. A larger number extends an
            earlier run.
        seed: the seed from which the seeds of samples and the generated problems are derived.
        sampling: sampling parameters.
        model_option: options of the models (``-M key=value``).
        out: the run directory; by default one under ``runs/`` that the settings determine.
        primary_k: the k of pass@k for which comparisons adjust p values. The k is declared when the
            run is created (1 by default), and fixed from then on.
        policy: the rules of judging.
        prices: a file of prices (`harness.core.prices`).
        max_cost: the largest cost in dollars of all answers in the run, including earlier answers.
        max_tokens_total: the largest number of tokens of all prompts and completions in the run.

    >>> settings = {"model": ["solver/sympy"], "benchmark": ["bee"], "top-p": 0.9}
    >>> SweepSpec.of(**settings).sampling.top_p
    0.9

    """

    model: tuple[str, ...]
    benchmark: tuple[str, ...]
    _: KW_ONLY
    phases: str | None = None
    phase_filter: PhaseFilter | None = None
    prompt: str | None = None
    num_fewshot: Annotated[int, Meta(ge=0)] | None = None
    system_message: str | None = None
    pictures: str | None = None
    turns: Count = 1
    feedback: Feedback = "verdict"
    samples: Count = 1
    limit: Count | None = None
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    model_option: Mapping[str, Any] = field(default_factory=dict)
    out: str | None = None
    primary_k: Count | None = None
    policy: Policy = field(default_factory=Policy)
    prices: str | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    max_tokens_total: Count | None = None

    def __post_init__(self) -> None:
        for name in ("model", "benchmark"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise ArgumentTypeError(f"{name} must be a list, as in [{value!r}], not {value!r}")

    @classmethod
    def of(cls, **settings: Any) -> SweepSpec:
        """The checked sweep of flags, a TOML file or keyword arguments.

        Args:
            settings: the fields, and the fields of `Sampling` and `Policy`, by name. A text is
                accepted for a list with a single element; lists, dictionaries and paths are
                converted. ``model`` may be a table of models with their own options
                (``[model."openai/a"]``). ``columns``, ``syntax``, ``split`` and ``skip_broken`` are
                for benchmarks that are files, and become a part of the benchmark's name.

        Returns:
            The checked spec.

        Raises:
            UserError: a setting is unknown, missing, of the wrong type or out of range.

        >>> SweepSpec.of(model=["solver/sympy"], benchmark="bee", samples=4).samples
        4

        """
        groups: dict[str, dict[str, Any]] = {name: {} for name in ("spec", *_GROUPS)}
        for name, value in plain(settings).items():
            key = _field_of(name)
            group = next((name for name, keys in _GROUPS.items() if key in keys), "spec")
            groups["spec" if key in _GROUPS else group][key] = _as_list(key, value)
        data, source = groups.pop("spec"), groups.pop("source")
        for group, values in groups.items():
            data[group] = data.get(group, {}) | values
        spec = convert(data, cls, flag_of)
        if not spec.model or not spec.benchmark:
            raise UserError("a sweep needs at least one model and one benchmark")
        if spec.phases is None and spec.phase_filter is not None:
            raise UserError("phase-filter is for the problems of phases, and there are no phases")
        if spec.feedback != "verdict" and spec.turns == 1:
            raise UserError("feedback is for the turns after the first: say turns, too")
        files = convert(source, FileSettings, flag_of)
        return replace(spec, benchmark=files.added_to(spec.benchmark)) if source else spec

    @classmethod
    def read(cls, path: str | Path) -> SweepSpec:
        """Read a TOML file of settings; see `of`.

        Args:
            path: the file.

        Returns:
            The checked spec.

        Raises:
            UserError: the file cannot be read, or a setting in it is refused.

        """
        return cls.of(**read_settings(Path(path)))

    def settings(self) -> dict[str, Any]:
        """The settings other than the defaults, named like the flags, for `of`.

        Returns:
            The settings.

        """
        explicit, defaults = (
            {**row.pop("sampling"), **row.pop("policy"), **row}
            for row in (plain(self), plain(SweepSpec((), ())))
        )
        changed = (name for name in SETTINGS if explicit.get(name) != defaults.get(name))
        return {flag_of(name): explicit[name] for name in changed}

    def to_toml(self) -> str:
        """The settings as TOML, for `read`.

        Returns:
            The TOML.

        Raises:
            UserError: an option has a value outside of TOML, such as None.

        """
        try:
            return tomli_w.dumps(self.settings())
        except TypeError as error:
            raise UserError(f"these settings cannot be written as TOML: {error}") from None


@dataclass(frozen=True)
class FileSettings:
    """Settings for reading benchmarks from files (``file:PATH``, ``hub:NAME``)."""

    columns: tuple[str, ...] = ()
    syntax: str | None = None
    split: str | None = None
    skip_broken: bool = False

    def added_to(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """The names of the benchmarks; the settings are added to the names of files."""
        columns = [column for group in self.columns for column in group.split(",") if column]
        skip_broken = "yes" if self.skip_broken else None
        values = {"syntax": self.syntax, "split": self.split, "skip_broken": skip_broken}
        set_values = {name: value for name, value in values.items() if value is not None}
        if (columns or set_values) and not any(map(is_source, benchmarks)):
            raise UserError(
                "--columns, --syntax, --split and --skip-broken are for files (file:PATH)"
            )
        return tuple(with_columns(name, columns, **set_values) for name in benchmarks)


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file, named like the flags.

    Raises:
        UserError: the file cannot be read, is not TOML, or has an unknown setting.

    """
    named: dict[str, Any] = {}
    for name, value in read_file(path, tomllib.loads, tomllib.TOMLDecodeError).items():
        if (flag := flag_of(name)) in named:
            raise UserError(f"{path}: {flag} is there twice, once as {name!r}")
        if flag != "dry-run":
            try:
                _field_of(name)
            except UserError as error:
                raise UserError(f"{path}: {error}") from None
        named[flag] = value
    return named


def flag_of(name: str) -> str:
    """The name of a setting with hyphens, as on the command line and in TOML files."""
    return name.replace("_", "-")


def _field_of(name: str) -> str:
    """The field for the name of a setting; raises `UserError` if no setting has the name."""
    flag = flag_of(name)
    if flag in COMMAND_LINE_ONLY:
        raise UserError(f"{name!r} is no setting of a sweep; say --{flag} on the command line")
    if flag not in (flags := [*map(flag_of, SETTINGS), "sampling", "policy"]):
        raise UserError(f"unknown setting {name!r}; {suggest(flag, flags)}")
    return flag.replace("-", "_")


def _as_list(key: str, value: Any) -> Any:
    """A text as a list with an element, and a table of models as a list of names with options."""
    if isinstance(value, str) and key in ("model", "benchmark", "stop", "columns"):
        return [value]
    return _with_options(value) if key == "model" and isinstance(value, Mapping) else value


def _with_options(table: Mapping[str, Any]) -> list[str]:
    """The names of models in a table, with the options added to the names."""
    models = []
    for model, options in table.items():
        if not isinstance(options, Mapping):
            raise UserError(f"model {model!r} must be a table of options, not {options!r}")
        base, earlier_options = split_options(model)
        texts = earlier_options | {
            key: option if isinstance(option, str) else json.dumps(option)
            for key, option in options.items()
        }
        models.append(";".join([base, *(f"{key}={text}" for key, text in texts.items())]))
        if split_options(models[-1]) != (base, texts):
            raise UserError(f"model {model!r} has an option that holds ';key=', which ends options")
    return models


def _names(settings: type) -> tuple[str, ...]:
    return tuple(item.name for item in fields(settings))


#: The settings that are fields of a part of the spec, or are about the source of a benchmark.
_GROUPS = {
    "sampling": _names(Sampling),
    "policy": _names(Policy),
    "source": _names(FileSettings),
}
#: Every setting by the name of its field.
SETTINGS = tuple(
    name
    for names in (_names(SweepSpec), *_GROUPS.values())
    for name in names
    if name not in _GROUPS
)
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
