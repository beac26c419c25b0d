"""What to train on HINT, and how: the sections of the configurations."""

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
    """How to train; the defaults are the paper's.

    ``per_length`` is how many expressions of each number of operators are taken (None: all, up to
    100,000), ``operators`` the most operators. ``learning_rate`` is by kind of model (`RATES`).
    ``validation`` is the number of validation expressions, spread over their splits, by whose
    accuracy at every ``save_steps`` the weights are selected (None: all 4,698; 0: the last weights
    are kept).
    """

    steps: int = 100_000
    batch_size: int = 128
    learning_rate: Mapping[str, float] = {}
    per_length: int | None = None
    operators: int = TRAIN_OPERATORS
    validation: int | None = None
    save_steps: int = 1_000
    device: str = ""

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
    """What the models are asked: the five splits, spread over them with a limit."""

    benchmarks: tuple[str, ...] = tuple(f"hint/{split}" for split in SPLITS)
    limit: int | None = None


class HintConfig(ConfigSection, frozen=True, kw_only=True):
    """Baselines to train, each with every seed.

    ``models`` are names of table 3; ``sizes`` change all of them (`Sizes`). ``pictures`` is a
    folder of the original handwriting; "" is what this package draws.
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
    """The sizes of a model of table 3, some of them changed.

    Raises:
        ValueError: there is no such model, or a size contradicts its name.

    """
    if name not in TABLE_3:
        raise ValueError(f"unknown model {name!r}; {suggest(name, TABLE_3)}")
    if fixed := changed.keys() & {"kind", "attention", "relative", "universal"}:
        raise ValueError(f"sizes: the names in models say the {min(fixed)}")
    return msgspec.convert(plain(TABLE_3[name]) | dict(changed), Sizes)
