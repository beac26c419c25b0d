"""Encoders of several data sets, initial models and seeds: tables 1 and 2 of Meadows et al.

The directory of a grid:

- ``config.json``: the configuration; a different configuration needs another directory
- ``data/SET/``: the sequences of a set, as of `generate derivations` and `generate calculus`
- ``ENCODER-SET-sSEED/``: a training run (`encoder`)
- ``evaluation-SET/``: a run (`harness.sweep`) of all encoders of the set

All sets and encoders of a seed are trained before the next seed begins, so that an interrupted grid
has complete tables of fewer seeds. The same command goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shutil import rmtree

from ...benchmarks.derivations.splits import SplitSizes, data_splits
from ...rewards.errors import suggest
from ...rewards.records import plain
from ..core.errors import UserError
from ..models import create
from ..models.gguf_weights import weights_folder
from ..store.problem_files import write_splits
from ..store.run import Run
from .config import ConfigSection
from .encoder import SCRATCH, EncoderSettings
from .encoder import train as train_encoder
from .settings_file import write_settings
from .training_run import TrainingRun, made_once

#: The operations of the calculus task, by the name of the subset.
OPERATIONS = {"diff": "differentiation", "int": "integration"}
#: The numbers of steps of the derivation task, by the name of the subset.
STEPS = {f"step{steps}": steps for steps in (2, 3, 4)}
#: The perturbations with a twin for every problem.
PERTURBED = {"derivations": ("vr", "ee", "ar"), "calculus": ("vr", "ec")}


class EncoderSection(ConfigSection, frozen=True, kw_only=True):
    """The settings of an encoder's training, with the names of `encoder.EncoderSettings`.

    ``epochs_by_set`` replaces ``epochs`` for some sets.
    """

    model: str
    epochs: float
    batch_size: int = 16
    learning_rate: float
    warmup: int = 0
    keep_layers: int = 0
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    dropout: float = 0.1
    max_tokens: int = 256
    epochs_by_set: Mapping[str, float] = {}


class SequencesSection(ConfigSection, frozen=True, kw_only=True):
    """The numbers of sequences, two for each example; ``test`` is the size of each test set.

    ``train_by_set`` replaces ``train`` for some sets.
    """

    train: int
    validation: int
    test: int
    train_by_set: Mapping[str, int] = {}


class EncoderGridConfig(ConfigSection, frozen=True, kw_only=True):
    """A grid: every encoder is trained on every set with every seed of weights and order.

    ``data_seed`` is the seed of the sequences, the same for all encoders.
    """

    encoders: Mapping[str, EncoderSection]
    sequences: SequencesSection
    sets: tuple[str, ...] = (*STEPS, *OPERATIONS)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    data_seed: int = 7

    def __post_init__(self) -> None:
        for name in self.sets:
            if name not in STEPS and name not in OPERATIONS:
                raise ValueError(f"unknown set {name!r}; {suggest(name, (*STEPS, *OPERATIONS))}")
        for name in (*self.sequences.train_by_set, *_sets_with_epochs(self)):
            if name not in self.sets:
                raise ValueError(f"sizes are stated for {name!r}, which is not among the sets")
        if not self.encoders or not self.sets or not self.seeds:
            raise ValueError("encoders, sets and seeds must not be empty")
        sizes = (*self.sequences.train_by_set.values(), self.sequences.train)
        if min(*sizes, self.sequences.validation, self.sequences.test) < 2:
            raise ValueError("every split needs at least two sequences")
        try:
            for encoder in self.encoders:
                settings_of(self, encoder, self.sets[0], self.seeds[0], Path())
        except UserError as error:
            raise ValueError(f"encoders: {encoder}: {error}") from None


def _sets_with_epochs(config: EncoderGridConfig) -> list[str]:
    return [name for section in config.encoders.values() for name in section.epochs_by_set]


def train(config: EncoderGridConfig, into: TrainingRun) -> list[Run]:
    """Make the sequences, train and evaluate, or resume the grid.

    Args:
        config: The configuration.
        into: The directory of the grid, with log and progress.

    Returns:
        The run of each set.

    Raises:
        UserError: A setting is wrong, or an initial model cannot be loaded.

    """
    out = into.out
    for section in config.encoders.values():  # a missing package is told before hours of training
        if section.model != SCRATCH:
            weights_folder(section.model)
    write_settings(out, "config.json", plain(config))
    for name in config.sets:
        make_sequences(config, name, out / "data" / name)
    runs: dict[str, Run] = {}
    for seed in config.seeds:
        for name in config.sets:
            models = []
            for encoder in config.encoders:
                folder = out / f"{encoder}-{name}-s{seed}"
                into.log(f"{encoder} on {name}, seed {seed}")
                model = train_encoder(
                    settings_of(config, encoder, name, seed, out), folder, log=into.log
                )
                # Checkpoints are only for an interrupted training, and three times as large.
                rmtree(folder / "checkpoints", ignore_errors=True)
                models.append(create(f"encoder/{model}"))
            subsets = subsets_of(name)
            runs[name] = into.evaluate(
                models,
                subsets,
                name=f"evaluation-{name}",
                prompt=f"{_task(name).replace('_', '-')}-zero-shot",
                limit=config.sequences.test * len(subsets),
                seed=config.data_seed,
            )
    return list(runs.values())


def settings_of(
    config: EncoderGridConfig, encoder: str, name: str, seed: int, out: Path
) -> EncoderSettings:
    """Return the settings of the training of an encoder on a set with a seed."""
    section = config.encoders[encoder]
    settings = plain(section)
    epochs = settings.pop("epochs_by_set").get(name, section.epochs)
    train_size = config.sequences.train_by_set.get(name, config.sequences.train)
    return EncoderSettings(
        **settings | {"epochs": epochs},
        task=_task(name),
        data=str(out / "data" / name),
        steps=STEPS.get(name),
        every=max(1, int(-(-train_size // section.batch_size) * epochs / EVALUATIONS)),
        seed=seed,
    )


#: Evaluations on the validation split of a training, whose best checkpoint is kept.
EVALUATIONS = 2


def subsets_of(name: str) -> list[str]:
    """Return the benchmarks of a set: the unperturbed subset and the perturbed subsets."""
    benchmark = "derivations" if name in STEPS else "calculus"
    subset = f"{benchmark}/{name}"
    return [subset, *(f"{subset}_{perturbation}" for perturbation in PERTURBED[benchmark])]


def make_sequences(config: EncoderGridConfig, name: str, folder: Path) -> None:
    """Write the sequences of a set, unless the directory exists.

    The test set has the same size as in the evaluation, so that no training sequence is asked.
    """
    if folder.is_dir():
        return
    sequences = config.sequences
    sizes = SplitSizes(
        sequences.train_by_set.get(name, sequences.train), sequences.validation, sequences.test
    )
    kind = STEPS[name] if name in STEPS else OPERATIONS[name]
    splits = data_splits(kind, sizes, config.data_seed, workers=1)
    made_once(folder, partial(write_splits, splits))


def _task(name: str) -> str:
    return "derivation_step" if name in STEPS else "calculus_step"
