"""HINT's seq2seq baselines (Li et al. 2023, tables 2, 3 and A3), trained and evaluated.

    config.json the configuration; a different configuration needs another directory MODEL-sSEED/
    checkpoint.pt, log.jsonl and, when finished, model/ evaluation/ a run (`harness.sweep`) of all
    models

Finished models are skipped; an interrupted training resumes from the checkpoint, with the same
final weights.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, pstdev
from typing import Any

import msgspec
import torch
from safetensors.torch import save_file

from ...benchmarks.hint.images import Pictures
from ...benchmarks.hint.pools import pools_of
from ...benchmarks.hint.sampling import evaluate
from ...benchmarks.hint.splits import SPLITS, TRAIN_OPERATORS, expressions, part
from ...rewards.errors import suggest
from ...rewards.records import plain
from ..models import create
from ..models.seq2seq.networks import make, padded, windows_of
from ..models.seq2seq.sizes import TABLE_3, Sizes, source_tokens, target_tokens
from ..report.sections import Section
from ..stats.summary import summarise
from ..store.atomic import replacing
from ..store.run import Run
from .config import ConfigSection
from .settings_file import write_settings
from .training_run import TrainingRun

#: The largest norm of gradients (Li et al. 2023, section 4.3).
CLIP = 5.0
#: Learning rates by kind of model (table A3).
RATES = {"gru": 1e-3, "lstm": 1e-3, "transformer": 1e-4}


class TrainingSection(ConfigSection, frozen=True, kw_only=True):
    """Settings of the training; the defaults are the paper's.

    ``per_length`` is the number of expressions for each number of operators (None: all, up to
    100,000). ``learning_rate`` is by kind of model (`RATES`).
    """

    steps: int = 100_000
    batch_size: int = 128
    learning_rate: Mapping[str, float] = {}
    per_length: int | None = None
    save_steps: int = 1_000
    device: str = ""


class HintEvaluation(ConfigSection, frozen=True, kw_only=True):
    """Settings of the evaluation: the five splits, with a limit spread over them."""

    benchmarks: tuple[str, ...] = tuple(f"hint/{split}" for split in SPLITS)
    limit: int | None = None


class HintConfig(ConfigSection, frozen=True, kw_only=True):
    """Baselines to train, each with every seed.

    ``models`` are names of table 3; ``sizes`` change all of them (`Sizes`). ``pictures`` is a
    folder of the original handwriting; "" means this package's drawings.
    """

    models: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    sizes: Mapping[str, Any] = {}
    training: TrainingSection = TrainingSection()
    evaluation: HintEvaluation = HintEvaluation()
    data_seed: int = 0
    pictures: str = ""

    def __post_init__(self) -> None:
        for name in self.models:
            if name not in TABLE_3:
                raise ValueError(f"unknown model {name!r}; {suggest(name, TABLE_3)}")
            self.sizes_of(name)
        if fixed := self.sizes.keys() & {"kind", "attention", "relative", "universal"}:
            raise ValueError(f"sizes: the names in models say the {min(fixed)}")
        if unknown := self.training.learning_rate.keys() - RATES.keys():
            raise ValueError(f"learning_rate is by {', '.join(RATES)}, not {min(unknown)}")
        training = self.training
        if min(training.steps, training.batch_size, training.save_steps) < 1:
            raise ValueError("steps, batch_size and save_steps must be positive")

    def sizes_of(self, name: str) -> Sizes:
        return msgspec.convert(plain(TABLE_3[name]) | dict(self.sizes), Sizes)


def train(config: HintConfig, into: TrainingRun) -> Run:
    """Train and evaluate, or resume both.

    Args:
        config: The configuration.
        into: The directory of the training run, with log and progress.

    Returns:
        The run of the evaluation.

    """
    out, log = into.out, into.log
    write_settings(out, "config.json", plain(config))
    texts: list[str] = []
    values: list[int] = []
    models = []
    for name in config.models:
        for seed in config.seeds:
            folder = out / f"{name}-s{seed}"
            models.append(str(folder))
            if (folder / "model").is_dir():
                continue
            if not texts:
                texts, values = training_set(config.data_seed, config.training.per_length)
            sizes = config.sizes_of(name)
            log(f"training {name}, seed {seed}, on {len(texts):,} expressions")
            _fit(sizes, texts, values, folder, config, seed)
    log("evaluating")
    options = {"pictures": config.pictures} if config.pictures else {}
    return into.evaluate(
        [create(f"seq2seq/{model}", options) for model in models],
        config.evaluation.benchmarks,
        limit=config.evaluation.limit,
        seed=config.data_seed,
    )


def training_set(seed: int, per_length: int | None) -> tuple[list[str], list[int]]:
    """Expressions and results: for each number of operators the first ones, in the order drawn."""
    texts: list[str] = []
    values: list[int] = []
    for operators in range(TRAIN_OPERATORS + 1):
        rows = part(seed, operators).train[:per_length]
        texts += expressions(rows)
        values += evaluate(rows)[0].tolist()
    return texts, values


def _fit(
    sizes: Sizes,
    texts: Sequence[str],
    values: Sequence[int],
    folder: Path,
    config: HintConfig,
    seed: int,
) -> None:
    options = config.training
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(seed)
    network = make(sizes).to(device)
    rates = {**RATES, **options.learning_rate}
    optimizer = torch.optim.Adam(network.parameters(), rates[sizes.kind])
    folder.mkdir(exist_ok=True)
    checkpoint = folder / "checkpoint.pt"
    state: dict[str, Any] = {"step": 0, "seconds": 0.0}
    if checkpoint.is_file():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
    root = Path(config.pictures) if config.pictures else None
    pictures, pools = Pictures(root, config.data_seed), pools_of(root, config.data_seed)
    began = time.perf_counter() - state["seconds"]
    losses: list[Any] = []
    network.train()
    for step, chosen in batches(len(texts), options.batch_size, options.steps, seed, state["step"]):
        source = padded([source_tokens(texts[at]) for at in chosen], device)
        target = padded([target_tokens(values[at]) for at in chosen], device)
        windows = None
        if sizes.inputs == "pictures":
            paths = [path for at in chosen for path in pools.chosen("train", texts[at], at)]
            windows = windows_of(map(pictures.symbol, paths), device)
        torch.manual_seed(step * 1_000_003 + seed)  # dropout, the same after an interruption
        loss = network.loss(source, target, windows)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.detach())
        if step % options.save_steps == 0 or step == options.steps:
            seconds = time.perf_counter() - began
            row = {"step": step, "loss": float(torch.stack(losses).mean()), "seconds": seconds}
            with replacing(checkpoint) as file:
                state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
                torch.save({**state, "step": step, "seconds": seconds}, file)
            with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
            losses = []
    finished = folder / "model.part"
    finished.mkdir(exist_ok=True)
    save_file(network.state_dict(), finished / "model.safetensors")
    (finished / "config.json").write_text(json.dumps(plain(sizes), indent=2) + "\n", "utf-8")
    finished.rename(folder / "model")
    checkpoint.unlink()


def batches(
    size: int, batch: int, steps: int, seed: int, done: int = 0
) -> Iterator[tuple[int, list[int]]]:
    """The remaining steps, counted from 1, with indices of examples; epochs are shuffled."""
    per_epoch = max(size // batch, 1)  # an incomplete batch is dropped
    order, epoch = torch.empty(0), -1
    for step in range(done, steps):
        if step // per_epoch != epoch:
            epoch = step // per_epoch
            generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
            order = torch.randperm(size, generator=generator)
        at = step % per_epoch * batch
        yield step + 1, order[at : at + batch].tolist()


def medians(run: Run) -> Section:
    """Table 3 of a run: for each baseline the median over seeds ± the standard deviation."""
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
