"""A sequence integrator as in Lample and Charton (2019): data, training and evaluation.

The directory of a training run:

- ``config.json``: the configuration; a different configuration needs another directory
- ``data/METHOD/``: the pairs of a generator in the released format, METHOD.train, .valid and .test
- ``start/``: the network with random weights, and the tokenizer
- ``checkpoints/``: an interrupted training goes on from a checkpoint to the same weights
- ``log.jsonl``: losses
- ``model/``: the trained model, for `--model transformers/DIR/model`
- ``evaluation/``: a run (`harness.sweep`) of the held-out problems
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ...benchmarks.calculus_course.from_constants import EQUATIONS, token_pairs
from ...benchmarks.lample_charton import GeneratorSettings
from ...benchmarks.lample_charton.codec.released import (
    CountedPair,
    ReleasedFileError,
    deduplicated,
    read,
    split,
    write,
)
from ...benchmarks.lample_charton.generators import METHODS
from ...benchmarks.lample_charton.parallel import stream
from ...benchmarks.lample_charton.problems import NAME
from ...rewards.records import plain
from ..core.errors import UserError
from ..core.policy import Policy
from ..core.requests import Sampling
from ..models import create
from ..models.transformers.lample_charton import NetworkSizes, make
from ..store.run import Run
from .config import ConfigSection
from .settings_file import write_settings
from .trainers import train_seq2seq
from .training_run import TrainingRun, made_once


class NetworkSection(ConfigSection, frozen=True, kw_only=True):
    """The network; the defaults are the paper's. Feed-forward parts are four times as wide."""

    layers: int = 6
    width: int = 512
    heads: int = 8
    positions: int = 4096  # the longest sequence
    dropout: float = 0.0


class MethodSection(ConfigSection, frozen=True, kw_only=True):
    """The number of drawn pairs of a method, and of held-out pairs, split as in the release.

    Validation set (whose loss is logged) and test set have ``held_out`` problems each, before the
    removal of integrands that are also in training.
    """

    draws: int
    held_out: int
    seed: int = 0


class PairsSection(ConfigSection, frozen=True, kw_only=True):
    """The training pairs: methods of the generators, and files in the released format."""

    methods: Mapping[str, MethodSection] = {}
    files: tuple[str, ...] = ()
    grammar: str = "published"
    max_operators: int = 15
    max_length: int = 512

    @property
    def settings(self) -> GeneratorSettings:
        return GeneratorSettings(
            max_operators=self.max_operators, max_length=self.max_length, grammar=self.grammar
        )


class BeamsSection(ConfigSection, frozen=True, kw_only=True):
    """The evaluation, on the held-out problems and further benchmarks: a beam search."""

    benchmarks: tuple[str, ...] = ()
    beams: int = 10
    max_tokens: int = 512
    limit: int | None = None


class IntegratorConfig(ConfigSection, frozen=True, kw_only=True):
    """A training run; ``training`` are options of `transformers.Seq2SeqTrainingArguments`."""

    data: PairsSection
    training: Mapping[str, Any]
    network: NetworkSection = NetworkSection()
    evaluation: BeamsSection = BeamsSection()
    seed: int = 0

    def __post_init__(self) -> None:
        data, network = self.data, self.network
        if not data.methods and not data.files:
            raise ValueError("data: there are neither methods nor files: nothing to train on")
        if not data.methods and not self.evaluation.benchmarks:
            raise ValueError("evaluation: files have no held-out problems; name benchmarks")
        names = (*METHODS, *EQUATIONS)
        if unknown := data.methods.keys() - set(names):
            raise ValueError(f"data: unknown method {min(unknown)!r}; known: {', '.join(names)}")
        if 0 < len(data.methods.keys() & EQUATIONS.keys()) < len(data.methods):
            raise ValueError("data: a model reads integrals or differential equations, not both")
        for name, method in data.methods.items():
            if method.held_out < 1 or method.draws < 2 * method.held_out:
                raise ValueError(f"data: {name}: draws must be twice held_out at least, which is 1")
        if min(network.layers, network.heads, self.evaluation.beams) < 1:
            raise ValueError("layers, heads and beams must be positive")
        if network.width % network.heads:
            raise ValueError("network: width must be divisible by heads")
        if network.positions < data.settings.max_length + 2:  # sub Y'
            raise ValueError("network: positions must be max_length + 2 at least")


def train(config: IntegratorConfig, into: TrainingRun, *, workers: int = 1) -> Run:
    """Make pairs, train and evaluate, or resume the run.

    Args:
        config: The configuration.
        into: The directory of the training run, with log and progress.
        workers: The number of processes that make pairs.

    Returns:
        The run of the evaluation.

    Raises:
        UserError: A setting is wrong, or a file of pairs cannot be read.

    """
    out, log = into.out, into.log
    write_settings(out, "config.json", plain(config))
    # Each stage has a directory that appears only when complete: a stopped training resumes at the
    # first missing stage.
    for name in config.data.methods:
        if not (out / "data" / name).is_dir():
            log(f"making pairs: {name}")
            make_pairs(name, config.data, out / "data", workers)
    model = out / "model"
    if not model.is_dir():
        sizes = NetworkSizes(**plain(config.network))
        start = made_once(out / "start", partial(make, sizes, config.seed))
        pairs, valid = training_pairs(config.data, out / "data")
        log(f"training on {len(pairs):,} pairs")
        train_seq2seq(str(start), pairs, valid, out, options=config.training, seed=config.seed)
    log("evaluating")
    evaluation = config.evaluation
    # Held-out pairs of the same generator, then other benchmarks.
    tests = [f"{NAME}/{_file(out / 'data', name, 'test')}" for name in config.data.methods]
    return into.evaluate(
        [create(f"transformers/{model}")],
        [*tests, *evaluation.benchmarks],
        prompt="prefix-ode" if config.data.methods.keys() & EQUATIONS.keys() else "prefix",
        samples=evaluation.beams,
        limit=evaluation.limit,
        seed=config.seed,
        sampling=Sampling(beams=evaluation.beams, max_tokens=evaluation.max_tokens),
        policy=Policy(answer_format="prefix"),
    )


def make_pairs(name: str, data: PairsSection, folder: Path, workers: int = 1) -> None:
    """Draw and split the pairs of a method; the result does not depend on the number of workers."""
    method = data.methods[name]
    if name in EQUATIONS:
        drawn = token_pairs(name, method.seed)
    else:
        pairs = stream(name, method.seed, data.settings, workers=workers)
        drawn = ((pair.integrand, pair.antiderivative) for _, pair in pairs)
    lines = deduplicated(islice(drawn, method.draws))
    try:
        splits = split(lines, method.held_out)
    except ValueError as error:
        raise UserError(f"data: {name}: of {method.draws} draws {error}") from None
    unfinished = folder / f"{name}.part"
    unfinished.mkdir(parents=True, exist_ok=True)
    for split_name, chosen in (
        ("train", splits.train),
        ("valid", splits.valid),
        ("test", splits.test),
    ):
        write(chosen, unfinished / f"{name}.{split_name}")
    unfinished.rename(folder / name)


def training_pairs(data: PairsSection, folder: Path) -> tuple[list[CountedPair], list[CountedPair]]:
    """The training pairs and the validation pairs.

    Training pairs exclude integrands of held-out sets, and pairs of files beyond the maximal
    length.
    """

    def held_out(split_name: str) -> list[CountedPair]:
        return [pair for name in data.methods for pair in read(_file(folder, name, split_name))]

    valid, test = held_out("valid"), held_out("test")
    kept_out = {pair.integrand for pair in (*valid, *test)}
    files = [_file(folder, name, "train") for name in data.methods]
    max_length = data.max_length - 2  # the ends
    pairs = []
    for path in [*files, *map(Path, data.files)]:
        try:
            pairs += [
                pair
                for pair in read(path)
                if pair.integrand not in kept_out
                and max(len(pair.integrand), len(pair.antiderivative)) <= max_length
            ]
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror or error}") from None
        except (ReleasedFileError, UnicodeDecodeError) as error:
            raise UserError(str(error)) from None
    return pairs, valid


def _file(folder: Path, name: str, split_name: str) -> Path:
    return folder / name / f"{name}.{split_name}"
