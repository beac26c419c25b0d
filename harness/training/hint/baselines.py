"""HINT's seq2seq baselines (Li et al. 2023, tables 2, 3 and A3), trained and evaluated.

The directory of the baselines:

- ``config.json``: the configuration; a different configuration needs another directory
- ``MODEL-sSEED/``: the training of a model (`fitting`)
- ``evaluation/``: a run (`harness.sweep`) of all models

Finished models are skipped. An interrupted training goes on from the last checkpoint, to the same
weights as without the interruption.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median, pstdev

from ....rewards.records import plain
from ...models import create
from ...report.sections import Section
from ...stats.summary import summarise
from ...store.run import Run
from ..settings_file import write_settings
from ..training_run import TrainingRun
from .curves import curves_section
from .examples import Examples, training_set, validation_set
from .fitting import Fit, fit, logged
from .settings import HintConfig


def train(config: HintConfig, into: TrainingRun) -> Run:
    """Train and evaluate the baselines, or resume the training.

    Args:
        config: The configuration.
        into: The directory of the baselines, with log and progress.

    Returns:
        The run of the evaluation.

    """
    write_settings(into.out, "config.json", plain(config))
    options = config.training
    # The training set is drawn once, and only for a missing model.
    examples = Examples()
    validation = validation_set(config.data_seed, options.validation, operators=options.operators)
    for name in config.models:
        for seed in config.seeds:
            folder = into.out / f"{name}-s{seed}"
            if (folder / "model").is_dir():
                continue
            examples = examples or training_set(
                config.data_seed, options.per_length, options.operators
            )
            sizes = config.sizes_of(name)
            into.log(f"training {name}, seed {seed}, on {len(examples):,} expressions")
            data = {"pictures": config.pictures, "data_seed": config.data_seed}
            settings = Fit.of(options, sizes, examples, seed, validation=validation, **data)
            fit(settings, folder)
    into.log("evaluating")
    pictures = {"pictures": config.pictures} if config.pictures else {}
    return into.evaluate(
        [create(f"seq2seq/{folder}", pictures) for folder in folders(config, into.out)],
        config.evaluation.benchmarks,
        limit=config.evaluation.limit,
        seed=config.data_seed,
    )


def folders(config: HintConfig, out: Path) -> list[Path]:
    """The folders of the models."""
    return [out / f"{name}-s{seed}" for name in config.models for seed in config.seeds]


def medians(run: Run) -> Section:
    """Table 3 of a run: for each baseline the median and the standard deviation over the seeds."""
    rows: dict[str, dict[str, list[float]]] = {}
    for row in summarise(run).rows:
        name = Path(row.label).name.rpartition("-s")[0]
        value = 100 * row.passes[0].value
        rows.setdefault(name, {}).setdefault(row.subset.rpartition("/")[2], []).append(value)
    subsets = list(dict.fromkeys(subset for values in rows.values() for subset in values))
    return Section(
        "Medians over the seeds ± standard deviation, in percent",
        ("model", *subsets),
        tuple(
            (name, *(f"{median(values[s]):.1f} ± {pstdev(values[s]):.1f}" for s in subsets))
            for name, values in rows.items()
        ),
    )


def progress(trained: Sequence[Path]) -> Section | None:
    """Validation accuracy over the training steps: for each baseline the mean over the seeds.

    The accuracy of a model is the mean over the splits; the same mean selects the weights.
    """
    # Seeds of a baseline are averaged at each step.
    curves: dict[str, dict[int, list[float]]] = {}
    for folder in trained:
        for row in logged(folder):
            if "validation" in row:
                name = folder.name.rpartition("-s")[0]
                accuracy = mean(row["validation"].values())
                curves.setdefault(name, {}).setdefault(row["step"], []).append(accuracy)
    if not curves:
        return None
    return curves_section(
        "learning",
        "Validation accuracy over the steps, in percent (mean of the seeds ± standard deviation)",
        "Validation accuracy in percent over training steps",
        "step",
        curves,
    )
