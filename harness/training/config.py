"""The configuration of a training run: a YAML file with a few sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..core.errors import UserError, install, read_file, suggest


class ConfigSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping of settings; unknown names are refused."""


class SmallLlamaSize(ConfigSection, frozen=True, kw_only=True):
    """The size of a small Llama with random weights and a tokenizer of characters.

    With ``commands``, LaTeX commands are tokens, too, which halves the length of texts.
    """

    hidden_size: int = 128
    layers: int = 3
    heads: int = 4
    context: int = 64
    commands: bool = False


class ModelSection(ConfigSection, frozen=True, kw_only=True):
    """The initial model: ``path`` (a directory or a hub's id), or a new model from ``scratch``.

    ``lora`` has options of `peft.LoraConfig`; with ``lora`` only an adapter is trained.
    """

    path: str = ""
    scratch: SmallLlamaSize | None = None
    dtype: str = "float32"
    lora: Mapping[str, Any] | None = None


class DataSection(ConfigSection, frozen=True, kw_only=True):
    """The training problems, from benchmarks or folders of `run.py generate train`, and the prompt.

    ``answer`` is the completion of supervised fine-tuning: a template with ``{antiderivative}`` for
    the reference, or other names of texts in a problem's target.
    """

    benchmarks: tuple[str, ...]
    prompt: str = "direct"
    limit: int | None = None
    answer: str = r"\boxed{{antiderivative}+C}"


class RewardSection(ConfigSection, frozen=True, kw_only=True):
    """Options of `rewards.adapters.for_trl.make_reward`."""

    task: str = "antiderivative"
    components: tuple[str, ...] = ("correctness",)
    weights: tuple[float, ...] | None = None
    strict: bool = True


class EvaluationSection(ConfigSection, frozen=True, kw_only=True):
    """The evaluation before and after training, a `harness.sweep`."""

    benchmarks: tuple[str, ...]
    model: str = "transformers"  # the kind of `--model`
    options: Mapping[str, Any] = {}  # as of -M
    samples: int = 4
    temperature: float = 1.0
    max_tokens: int = 1024
    limit: int | None = None


class Config(ConfigSection, frozen=True, kw_only=True):
    """A training run. ``sft`` and ``grpo`` are options of `trl.SFTConfig` and `trl.GRPOConfig`.

    ``report_to`` names the trainers' trackers: tensorboard, trackio, wandb.
    """

    model: ModelSection
    data: DataSection
    evaluation: EvaluationSection
    reward: RewardSection = RewardSection()
    sft: Mapping[str, Any] | None = None
    grpo: Mapping[str, Any] | None = None
    report_to: tuple[str, ...] = ()
    seed: int = 0


SectionT = TypeVar("SectionT", bound=ConfigSection)


def load(path: Path) -> Config:
    """Read the configuration of `train sft` and `train grpo`; see `read`."""
    config = read(path, Config)
    if bool(config.model.path) == bool(config.model.scratch):
        raise UserError(f"{path}: model needs either a path or scratch")
    if config.sft is None and config.grpo is None:
        raise UserError(f"{path}: there is neither sft nor grpo: nothing to train")
    return config


def read(path: Path, structure: type[SectionT]) -> SectionT:
    """Read a YAML file of settings.

    Args:
        path: A YAML file.
        structure: The structure of the settings.

    Raises:
        UserError: The file cannot be read, or a setting is missing, unknown or of a wrong type;
            the message names the setting.

    """
    try:
        import yaml
    except ImportError:
        raise UserError(f"training needs the extra 'train': {install('train')}") from None
    raw = read_file(path, yaml.safe_load, yaml.YAMLError)
    try:
        return msgspec.convert(_with_lists(raw), structure)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: {_message(error)}") from None


def _with_lists(raw: Any) -> Any:
    """Return settings with lists in place of lists written as strings."""
    if not isinstance(raw, dict):
        return raw
    return {
        name: [value]
        if name in ("benchmarks", "components", "models", "report_to") and isinstance(value, str)
        else _with_lists(value)
        for name, value in raw.items()
    }


def _message(error: msgspec.ValidationError) -> str:
    """Return msgspec's message after the setting's name, with a suggestion for an unknown name."""
    message, _, setting = str(error).partition(" - at `$.")
    unknown = re.search(r"unknown field `(.*)`", message)
    sections = ConfigSection.__subclasses__()  # the names of all settings
    names = {field.name for section in sections for field in msgspec.structs.fields(section)}
    hint = f"; {suggest(unknown[1], names)}" if unknown else ""
    return (f"{setting[:-1]}: " if setting else "") + message + hint
