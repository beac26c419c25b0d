"""Accuracy over the sizes of the model and of the training set (Li et al. 2023, figure 3).

The directory of the grid:

- ``config.json``: the configuration
- ``MODEL-hHIDDEN-dDATA-sSEED/``: the training of a model (`fitting`)
- ``evaluation/``: a run of all models on the split LL
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any

from safetensors.torch import load_file

from ....rewards.records import plain
from ...models import create
from ...report.sections import Section
from ...stats.summary import summarise
from ...store.run import Run
from ..config import ConfigSection
from ..settings_file import write_settings
from ..training_run import TrainingRun
from .curves import curves_section, with_spread
from .examples import training_set, validation_set
from .fitting import Fit, fit
from .settings import HintEvaluation, TrainingSection, sizes_of


class ScalingConfig(ConfigSection, frozen=True, kw_only=True):
    """A grid of sizes.

    ``sizes`` has the sizes (`Sizes`) of each model, the smallest model first. ``per_length`` has
    the numbers of training expressions of each number of operators.
    """

    model: str = "transformer-universal"
    sizes: tuple[Mapping[str, Any], ...]
    per_length: tuple[int, ...]
    seeds: tuple[int, ...] = (0,)
    training: TrainingSection = TrainingSection()
    evaluation: HintEvaluation = HintEvaluation(benchmarks=("hint/LL",))
    data_seed: int = 0

    def __post_init__(self) -> None:
        for changed in self.sizes:
            sizes_of(self.model, changed)
        if not self.sizes or not self.per_length or min(self.per_length) < 1:
            raise ValueError("sizes and per_length are not empty, and per_length is positive")


def train(config: ScalingConfig, into: TrainingRun) -> Run:
    """Train all sizes on all numbers of examples and evaluate, or resume the training."""
    write_settings(into.out, "config.json", plain(config))
    options = config.training
    validation = validation_set(config.data_seed, options.validation)
    folders = []
    for per_length in config.per_length:
        examples = training_set(config.data_seed, per_length, options.operators)
        for changed in config.sizes:
            sizes = sizes_of(config.model, changed)
            for seed in config.seeds:
                name = f"{config.model}-h{sizes.hidden}-d{len(examples)}-s{seed}"
                folders.append(into.out / name)
                if (folders[-1] / "model").is_dir():
                    continue
                into.log(f"training {name}")
                data = {"validation": validation, "data_seed": config.data_seed}
                fit(Fit.of(options, sizes, examples, seed, **data), folders[-1])
    into.log("evaluating")
    return into.evaluate(
        [create(f"seq2seq/{folder}", {}) for folder in folders],
        config.evaluation.benchmarks,
        limit=config.evaluation.limit,
        seed=config.data_seed,
    )


@dataclass(frozen=True, slots=True)
class Trained:
    """A model of the grid: numbers of parameters and of examples, and the accuracy as a share."""

    parameters: int
    examples: int
    accuracy: float


def trained(run: Run) -> list[Trained]:
    """The models of a run; sizes and examples are read from the names of the folders."""
    models = []
    for row in summarise(run).rows:
        if row.subset != "all" and "/" in row.subset:
            folder = Path(row.label.partition("/")[2])
            examples = int(folder.name.rpartition("-s")[0].rpartition("-d")[2])
            weights = load_file(folder / "model" / "model.safetensors")
            parameters = sum(tensor.numel() for tensor in weights.values())
            models.append(Trained(parameters, examples, row.passes[0].value))
    return models


def scaling_sections(run: Run) -> list[Section]:
    """Figure 3: accuracy over parameters and over examples, with the log-linear trend."""
    models = trained(run)
    return [
        _trend(models, "parameters", "examples", 1e33),
        _trend(models, "examples", "parameters", 1e15),
    ]


def log_linear(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The least-squares line of y over log10 x: value at 1 and slope; None for a single x.

    >>> log_linear([(10, 0.1), (100, 0.2), (1000, 0.3)])
    (0.0, 0.1)

    """
    logs = [math.log10(x) for x, _ in points]
    if len(set(logs)) == 1:
        return None
    slope, at_one = linear_regression(logs, [y for _, y in points])
    return round(at_one, 12), round(slope, 12)


def _trend(models: Sequence[Trained], over: str, curve: str, published: float) -> Section:
    lines: dict[int, dict[int, list[float]]] = {}
    for model in models:
        line = lines.setdefault(getattr(model, curve), {})
        line.setdefault(getattr(model, over), []).append(model.accuracy)
    names = {size: f"{size:,} {curve}" for size in sorted(lines)}
    # The line of the largest setting is compared with the paper's extrapolation.
    largest = max(lines)
    fitted = log_linear([(x, y) for x, ys in lines[largest].items() for y in ys])
    remarks = []
    if fitted is not None and fitted[1] > 0:
        needed = (0.9 - fitted[0]) / fitted[1]
        remarks.append(
            f"Of {names[largest]}: {100 * fitted[1]:.2f} points for each factor of ten; 90 % would "
            f"take 10^{needed:.0f} {over} (the paper: 10^{math.log10(published):.0f})."
        )
    elif fitted is not None:
        remarks.append(f"Of {names[largest]}: no rise with {over}.")
    return curves_section(
        f"scaling_{over}",
        f"Accuracy on LL over {over} (Figure 3), in percent",
        f"Accuracy on LL in percent over {over}",
        over,
        {name: lines[size] for size, name in names.items()},
        lambda shares: with_spread(shares) if len(shares) > 1 else f"{100 * shares[0]:.1f}",
        remarks,
    )
