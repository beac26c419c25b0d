"""What a training run is: a YAML file of a few sections, checked before anything begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from ..core.errors import UserError, suggest

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Scratch:
    """The size of a small Llama, made on the spot with a tokenizer of single characters.

    With ``commands`` the commands of LaTeX are tokens too, which makes texts about half as long.
    """

    hidden_size: int = 128
    layers: int = 3
    heads: int = 4
    context: int = 64
    commands: bool = False


@dataclass(frozen=True, kw_only=True)
class ModelSection:
    """The model to begin with: ``path`` (a directory or a hub id), or one from ``scratch``.

    ``lora`` are options of `peft.LoraConfig`; with them only an adapter is trained.
    """

    path: str = ""
    scratch: Scratch | None = None
    dtype: str = "float32"
    lora: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class DataSection:
    """What to train on: benchmarks, or folders of `run.py generate train`; and the prompt.

    ``answer`` is what the warm start teaches: a template in which ``{antiderivative}`` stands for
    the reference.
    """

    benchmarks: tuple[str, ...]
    prompt: str = "direct"
    limit: int | None = None
    answer: str = r"\boxed{{antiderivative}+C}"


@dataclass(frozen=True, kw_only=True)
class RewardSection:
    """Options of `rewards.adapters.for_trl.make_reward`."""

    components: tuple[str, ...] = ("correctness",)
    weights: tuple[float, ...] | None = None
    strict: bool = True


@dataclass(frozen=True, kw_only=True)
class EvaluationSection:
    """What is asked before and after, through `harness.sweep`."""

    benchmarks: tuple[str, ...]
    model: str = "transformers"  # the kind of `--model`
    options: Mapping[str, Any] = field(default_factory=dict)  # as of -M
    samples: int = 4
    temperature: float = 1.0
    max_tokens: int = 1024
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class Config:
    """A training run. ``sft`` and ``grpo`` are options of `trl.SFTConfig` and `trl.GRPOConfig`."""

    model: ModelSection
    data: DataSection
    evaluation: EvaluationSection
    reward: RewardSection = field(default_factory=RewardSection)
    sft: Mapping[str, Any] | None = None
    grpo: Mapping[str, Any] | None = None
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def load(path: Path) -> Config:
    """Read a YAML file; every mistake in it is a `UserError` that names the place."""
    try:
        import yaml
    except ImportError:
        raise UserError(
            "training needs the extra 'train': pip install 'calculus-harness[train]'"
        ) from None
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from None
    config = _read(Config, raw, str(path))
    if bool(config.model.path) == bool(config.model.scratch):
        raise UserError(f"{path}: model needs either a path or scratch")
    if config.sft is None and config.grpo is None:
        raise UserError(f"{path}: there is neither sft nor grpo: nothing to train")
    return config


def _read(kind: type[T], raw: Any, where: str) -> T:
    """A section as its dataclass."""
    if not isinstance(raw, dict):
        raise UserError(f"{where}: settings are needed, as in NAME: VALUE, not {raw!r}")
    hints = get_type_hints(kind)
    known = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    values = {}
    for name, value in raw.items():
        if name not in known:
            raise UserError(f"{where}: unknown setting {name!r}; {suggest(str(name), known)}")
        values[name] = _value(hints[name], value, f"{where}: {name}")
    try:
        return kind(**values)
    except TypeError as error:
        missing = str(error).rpartition(":")[2].strip() or str(error)
        raise UserError(f"{where}: {missing} is missing") from None


def _value(hint: Any, value: Any, where: str) -> Any:
    options = get_args(hint)
    if type(None) in options:
        if value is None:
            return None
        hint = next(option for option in options if option is not type(None))
    if is_dataclass(hint) and isinstance(hint, type):
        return _read(hint, value, where)
    if str(hint).startswith("tuple"):
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list):
            raise UserError(f"{where} must be a list, not {value!r}")
        return tuple(items)
    wanted = {int: int, float: int | float, str: str, bool: bool}.get(hint, dict)
    if not isinstance(value, wanted) or (hint is not bool and isinstance(value, bool)):
        name = getattr(hint, "__name__", "mapping")
        raise UserError(f"{where} must be a {name}, not {value!r}")
    return float(str(value)) if hint is float else value
