"""Expressions with their results: training sets, validation sets, batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from ....benchmarks.hint.images import Pictures
from ....benchmarks.hint.pools import pools_of
from ....benchmarks.hint.sampling import Rows, evaluate
from ....benchmarks.hint.splits import SPLITS, TRAIN_OPERATORS, expressions, part
from ...models.seq2seq.networks import padded, windows_of
from ...models.seq2seq.sizes import source_tokens, target_tokens


@dataclass(frozen=True, slots=True)
class Examples:
    """Expressions with their results."""

    texts: tuple[str, ...] = ()
    values: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def of(cls, drawn: Iterable[Rows]) -> Examples:
        """The expressions of rows of prefix codes."""
        texts: list[str] = []
        values: list[int] = []
        for rows in drawn:
            texts += expressions(rows)
            values += evaluate(rows)[0].tolist()
        return cls(tuple(texts), tuple(values))


def training_set(
    seed: int,
    per_length: int | None,
    operators: int = TRAIN_OPERATORS,
    concept: str | None = None,
) -> Examples:
    """The first expressions of each number of operators, in the order of drawing.

    Args:
        seed: the seed of the data set.
        per_length: the number of expressions of each number of operators; None for all.
        operators: the largest number of operators.
        concept: the concept of a few-shot data set.

    """
    counts = range(operators + 1)
    return Examples.of(part(seed, count, concept).train[:per_length] for count in counts)


def validation_set(
    seed: int,
    size: int | None = None,
    concept: str | None = None,
    operators: int = TRAIN_OPERATORS,
) -> Mapping[str, Examples]:
    """The validation expressions by split, about equally many of each split.

    The expressions of a split are taken in turn from each number of operators. If training has
    fewer ``operators`` than the paper, the splits are those of the smaller task: short expressions
    (I, SS, SL) have at most as many operators, and long ones (LS, LL) up to twice as many.
    """
    blocks: dict[str, list[Rows]] = {split: [] for split in SPLITS}
    for count in range(2 * operators + 1):
        for split, rows in part(seed, count, concept).val.items():
            if count <= operators:
                blocks[split].append(rows)
            elif split != "I":  # expressions as those of training, but longer
                blocks["L" + split[1]].append(rows)
    sets: dict[str, Examples] = {}
    for split, examples in blocks.items():
        share = None if size is None else -(-size // (len(SPLITS) * max(len(examples), 1)))
        if examples and share != 0:
            sets[split] = Examples.of(block[:share] for block in examples)
    return sets


@dataclass(frozen=True)
class ExampleReader:
    """Makes tensors of examples: tokens, and pictures for models that see.

    Attributes:
        inputs: ``symbols`` or ``pictures``.
        device: the device of the tensors.
        pictures: the folder of handwriting; "" for the drawings of this package.
        seed: the seed of the pools of pictures.

    """

    inputs: str
    device: str
    pictures: str = ""
    seed: int = 0

    def read(
        self, examples: Examples, chosen: Iterable[int], pool: str = "train"
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """The source, the target and the windows of chosen examples."""
        chosen = list(chosen)
        source = padded([source_tokens(examples.texts[at]) for at in chosen], self.device)
        target = padded([target_tokens(examples.values[at]) for at in chosen], self.device)
        if self.inputs != "pictures":
            return source, target, None
        root = Path(self.pictures) if self.pictures else None
        drawn, pools = Pictures(root, self.seed), pools_of(root, self.seed)
        paths = [path for at in chosen for path in pools.chosen(pool, examples.texts[at], at)]
        return source, target, windows_of(map(drawn.symbol, paths), self.device)


def batches(
    size: int, batch: int, steps: int, seed: int, done: int = 0
) -> Iterator[tuple[int, list[int]]]:
    """The remaining steps, counted from 1, with indices of examples; epochs are shuffled."""
    per_epoch = max(size // batch, 1)  # what is left of an epoch is not used
    order, epoch = torch.empty(0), -1
    for step in range(done, steps):
        if step // per_epoch != epoch:
            epoch = step // per_epoch
            generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
            order = torch.randperm(size, generator=generator)
        at = step % per_epoch * batch
        yield step + 1, order[at : at + batch].tolist()
