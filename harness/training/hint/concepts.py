"""The few-shot concepts (Li et al. 2023, table 4, figure 4): pretrained models, fine-tuned.

The directory of the fine-tuned models:

- ``config.json``: the configuration
- ``MODEL-sSEED-CONCEPT-nOPERATORS/``: a training (`fitting`) for each concept and each largest
  number of operators
- ``evaluation-CONCEPT/``: a run of the concept's models on the concept's five splits

Half of each batch is from the main training set, so that the model does not forget the other
concepts. The default steps and learning rates are the paper's.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from statistics import mean, median

import msgspec

from ....benchmarks.hint.semantics import CONCEPTS
from ....benchmarks.hint.splits import SPLITS, TRAIN_OPERATORS
from ....rewards.records import plain
from ...core.errors import UserError
from ...models import create
from ...models.seq2seq.sizes import Sizes
from ...report.sections import Section
from ...stats.summary import summarise
from ...store.run import Run
from ..config import ConfigSection
from ..settings_file import write_settings
from ..training_run import TrainingRun
from .curves import curves_section
from .examples import training_set, validation_set
from .fitting import Fit, fit
from .settings import TrainingSection

#: Learning rates of the fine-tuning by kind of model (appendix B.3).
RATES = {"gru": 1e-3, "lstm": 1e-3, "transformer": 1e-5}


class ConceptsConfig(ConfigSection, frozen=True, kw_only=True):
    """Models to fine-tune, each on every concept.

    ``start`` is a directory of `train hint`, and ``models`` are the names of folders
    (``NAME-sSEED``) in the directory. ``operators`` are the largest numbers of operators in the
    examples of a concept; figure 4 takes several. ``training`` has the same settings as in `train
    hint`; ``per_length`` is about the main training set. ``limit`` is the number of problems in the
    evaluation of a concept.
    """

    start: str
    models: tuple[str, ...]
    concepts: tuple[str, ...] = tuple(CONCEPTS)
    operators: tuple[int, ...] = (TRAIN_OPERATORS,)
    training: TrainingSection = TrainingSection(steps=1_000, learning_rate=RATES)
    limit: int | None = None
    data_seed: int = 0
    pictures: str = ""

    def __post_init__(self) -> None:
        if unknown := set(self.concepts) - set(CONCEPTS):
            raise ValueError(f"concepts are {', '.join(CONCEPTS)}, not {min(unknown)}")
        if not all(1 <= count <= TRAIN_OPERATORS for count in self.operators):
            raise ValueError(f"operators must be 1 to {TRAIN_OPERATORS}")


def train(config: ConceptsConfig, into: TrainingRun) -> dict[str, Run]:
    """Fine-tune and evaluate the models, or resume the training.

    Args:
        config: the configuration.
        into: the directory of the fine-tuned models, with log and progress.

    Returns:
        The run of each concept.

    Raises:
        UserError: the directory ``start`` lacks a model.

    """
    starts = {name: Path(config.start) / name for name in config.models}
    sizes = {name: _sizes(folder) for name, folder in starts.items()}
    write_settings(into.out, "config.json", plain(config))
    runs = {}
    # Each concept is evaluated as soon as its models are trained; finished models and evaluations
    # are skipped.
    for concept in config.concepts:
        folders = []
        for name, folder in starts.items():
            for operators in config.operators:
                target = into.out / f"{name}-{concept}-n{operators}"
                folders.append(target)
                if not (target / "model").is_dir():
                    into.log(f"teaching {name} the concept {concept}, up to {operators} operators")
                    fit(_fit_of(config, sizes[name], folder, concept, operators), target)
        into.log(f"evaluating the concept {concept}")
        pictures = {"pictures": config.pictures} if config.pictures else {}
        runs[concept] = into.evaluate(
            [create(f"seq2seq/{folder}", pictures) for folder in folders],
            [f"hint/{concept}_{split}" for split in SPLITS],
            name=f"evaluation-{concept}",
            limit=config.limit,
            seed=config.data_seed,
        )
    return runs


def _sizes(folder: Path) -> Sizes:
    file = folder / "model" / "config.json"
    if not file.is_file():
        raise UserError(f"{folder} holds no finished model of `train hint`")
    return msgspec.json.decode(file.read_bytes(), type=Sizes)


def _fit_of(config: ConceptsConfig, sizes: Sizes, start: Path, concept: str, operators: int) -> Fit:
    options = config.training
    seed = int(start.name.rpartition("-s")[2])
    return Fit.of(
        options,
        sizes,
        training_set(config.data_seed, None, operators, concept),
        seed,
        rate={**RATES, **options.learning_rate}[sizes.kind],
        rehearsal=training_set(config.data_seed, options.per_length, options.operators),
        start=start,
        validation=validation_set(config.data_seed, options.validation, concept),
        pictures=config.pictures,
        data_seed=config.data_seed,
    )


#: Of the models of a concept: by name, most operators and split the accuracies of the seeds.
Accuracies = Mapping[tuple[str, int, str], list[float]]


def accuracies(run: Run) -> Accuracies:
    """The accuracies of a concept's models, in percent; ``avg`` is the mean of the splits."""
    by_key: dict[tuple[str, int, str], list[float]] = {}
    by_model: dict[str, dict[str, float]] = {}
    for row in summarise(run).rows:
        split = row.subset.rpartition("_")[2]
        if split in SPLITS:
            name = Path(row.label).name
            by_model.setdefault(name, {})[split] = 100 * row.passes[0].value
    for label, values in by_model.items():
        model, _, operators = label.rpartition("-n")
        name = model.rpartition("-")[0].rpartition("-s")[0]
        for split, value in (values | {"avg": mean(values.values())}).items():
            by_key.setdefault((name, int(operators), split), []).append(value)
    return by_key


def table_4(runs: Mapping[str, Run]) -> Section:
    """Table 4: medians over the seeds by concept, with the published medians in brackets."""
    rows = []
    columns = (*SPLITS, "avg")
    by_concept = {concept: accuracies(run) for concept, run in runs.items()}
    names = list(dict.fromkeys(key[0] for measured in by_concept.values() for key in measured))
    for name in names:
        for concept, measured in by_concept.items():
            largest = max(operators for model, operators, _ in measured if model == name)
            cells = []
            for split in columns:
                paper = _published(name, concept, split)
                value = f"{median(measured[name, largest, split]):.1f}"
                cells.append(f"{value} ({paper})" if paper else value)
            rows.append((name, concept, *cells))
    return Section(
        "Few-shot concepts (Table 4), in percent",
        ("model", "concept", *columns),
        tuple(rows),
        ("In brackets the paper's, of pictures and models of full size.",),
        names=2,
    )


def figure_4(runs: Mapping[str, Run]) -> Section:
    """Figure 4: the mean accuracy of all concepts over the largest number of operators."""
    averages: dict[str, dict[int, list[float]]] = {}
    for run in runs.values():
        for (name, operators, split), values in accuracies(run).items():
            if split == "avg":
                shares = averages.setdefault(name, {}).setdefault(operators, [])
                shares.append(median(values) / 100)
    return curves_section(
        "concepts",
        "Most operators of the examples (Figure 4), in percent",
        "Accuracy in percent over the most operators of a concept's examples",
        "operators",
        averages,
        lambda shares: f"{100 * mean(shares):.1f}",
    )


#: The models of table 4 under our names.
_PAPER_NAMES = {"lstm-attention": "lstm_att", "transformer-universal": "rel_uni"}


def _published(name: str, concept: str, split: str) -> str:
    text = resources.files(__package__).joinpath("table_4.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        if row["model"] == _PAPER_NAMES.get(name) and row["concept"] == concept:
            return row[split]
    return ""
