"""The sections of the configurations for training on HINT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ....benchmarks.hint.splits import SPLITS, TRAIN_OPERATORS
from ....rewards.errors import suggest
from ....rewards.records import plain
from ...models.seq2seq.sizes import TABLE_3, Sizes
from ..config import ConfigSection

#: Learning rates by kind of model (table A3).
RATES = {"gru": 1e-3, "lstm": 1e-3, "transformer": 1e-4}


class TrainingSection(ConfigSection, frozen=True, kw_only=True):
    """The settings of a training; the defaults are the paper's.

    ``per_length`` is the number of expressions of each number of operators (None: all, up to
    100,000), ``operators`` the largest number of operators; with fewer than the paper's 10 the
    validation has longer expressions up to twice as many. ``learning_rate`` has a rate for each
    kind of model (`RATES`). ``validation`` is the number of validation expressions, spread over the
    splits (None: all 4,698). The accuracy on the validation expressions at every ``save_steps``
    selects the weights; with 0 expressions the last weights are stored. ``bf16`` computes products
    of matrices in bfloat16.
    """

    steps: int = 100_000
    batch_size: int = 128
    learning_rate: Mapping[str, float] = {}
    per_length: int | None = None
    operators: int = TRAIN_OPERATORS
    validation: int | None = None
    save_steps: int = 1_000
    device: str = ""
    bf16: bool = False

    def __post_init__(self) -> None:
        if unknown := self.learning_rate.keys() - RATES.keys():
            raise ValueError(f"learning_rate is by {', '.join(RATES)}, not {min(unknown)}")
        if min(self.steps, self.batch_size, self.save_steps) < 1:
            raise ValueError("steps, batch_size and save_steps must be positive")
        if not 0 <= self.operators <= TRAIN_OPERATORS:
            raise ValueError(f"operators must be 0 to {TRAIN_OPERATORS}")

    def rate(self, kind: str) -> float:
        """The learning rate of a kind of model."""
        return {**RATES, **self.learning_rate}[kind]


class HintEvaluation(ConfigSection, frozen=True, kw_only=True):
    """The problems of the evaluation: the five splits; a limit is spread over the splits."""

    benchmarks: tuple[str, ...] = tuple(f"hint/{split}" for split in SPLITS)
    limit: int | None = None


class HintConfig(ConfigSection, frozen=True, kw_only=True):
    """Baselines to train, each with every seed.

    ``models`` are names of table 3; ``sizes`` change the sizes of all models (`Sizes`).
    ``pictures`` is a folder of the original handwriting; "" stands for the drawings of this
    package.
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
            sizes_of(name, self.sizes)

    def sizes_of(self, name: str) -> Sizes:
        """The sizes of a model of table 3 in this configuration."""
        return sizes_of(name, self.sizes)


def sizes_of(name: str, changed: Mapping[str, Any]) -> Sizes:
    """The sizes of a model of table 3, with changes.

    Raises:
        ValueError: the name is unknown, or a size contradicts the name.

    """
    if name not in TABLE_3:
        raise ValueError(f"unknown model {name!r}; {suggest(name, TABLE_3)}")
    if fixed := changed.keys() & {"kind", "attention", "relative", "universal"}:
        raise ValueError(f"sizes: the names in models say the {min(fixed)}")
    return msgspec.convert(plain(TABLE_3[name]) | dict(changed), Sizes)
