"""Pictures of an expression's symbols: disjoint pools for training, validation and test.

As in the release, each symbol's pictures are shuffled and split 75 : 5 : 20, and each token takes
the next picture of the symbol's pool. An exhausted pool is shuffled again.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import shake_128
from pathlib import Path
from typing import TypeAlias

from .sampling import permutation
from .semantics import CONCEPTS, DIGITS, OPERATORS, PARENTHESES

SPLITS = ("train", "val", "test")
#: The percentages of a symbol's pictures for training and validation; the rest is for tests.
TRAIN_SHARE, VAL_SHARE = 75, 5
#: The folders of the symbols that cannot name one.
FOLDERS = {"*": "times", "/": "div"}
#: Other folders that a released file may use for the few-shot operators.
GREEK = {"a": "alpha", "b": "beta", "c": "gamma", "d": "phi"}
VOCABULARY = DIGITS + OPERATORS + PARENTHESES + CONCEPTS
#: Our own pictures: the digits of each class in scikit-learn's digits set, and drawings of others.
DRAWN = dict(
    zip(DIGITS, (178, 182, 177, 183, 181, 182, 181, 179, 174, 180), strict=True)
) | dict.fromkeys(OPERATORS + PARENTHESES + CONCEPTS, 400)


Taker: TypeAlias = Callable[[str], tuple[str, ...]]


class ExpressionPoolError(ValueError):
    """Pictures that cannot serve as pools; the message names the symbol or file."""


def folder_of(symbol: str) -> str:
    """The folder of a symbol's pictures."""
    return FOLDERS.get(symbol, symbol)


@dataclass(frozen=True, slots=True)
class Pools:
    """Names of pictures by part (``train``, ``val``, ``test``) and folder."""

    names: Mapping[str, Mapping[str, Sequence[str]]]
    seed: int = 0

    def taker(self, split: str, used: Mapping[str, int] | None = None) -> Taker:
        """Take a picture for each token of successive expressions.

        Args:
            split: ``train``, ``val`` or ``test``.
            used: How many pictures of each symbol were taken before.

        Returns:
            A function from an expression's text to paths such as ``times/00012.png``. The function
            raises `ExpressionPoolError` for a symbol without pictures.

        """
        cycles: dict[str, Iterator[str]] = {}

        def take(text: str) -> tuple[str, ...]:
            for symbol in text:
                if symbol not in cycles:
                    cycles[symbol] = self._cycle(split, symbol, (used or {}).get(symbol, 0))
            return tuple([next(cycles[symbol]) for symbol in text])

        return take

    def chosen(self, split: str, text: str, *key: object) -> tuple[str, ...]:
        """A picture for each token of one expression, chosen by a key and not in turn.

        >>> drawn_pools().chosen("test", "3+4", "SS-1")[1].partition("/")[0]
        '+'

        """
        drawn = shake_128(repr(("hint", "chosen", self.seed, split, *key)).encode())
        numbers = struct.unpack(f"<{len(text)}I", drawn.digest(4 * len(text)))
        return tuple(
            f"{folder}/{names[number % len(names)]}"
            for symbol, number in zip(text, numbers, strict=True)
            for folder, names in [self._pool(split, symbol)]
        )

    def _pool(self, split: str, symbol: str) -> tuple[str, Sequence[str]]:
        """The folder of a symbol, and the folder's pictures."""
        for folder in (folder_of(symbol), GREEK.get(symbol, "")):
            if names := self.names[split].get(folder):
                return folder, names
        raise ExpressionPoolError(f"no picture of {symbol!r} for {split}")

    def _cycle(self, split: str, symbol: str, start: int) -> Iterator[str]:
        folder, names = self._pool(split, symbol)
        return self._paths(names, split, folder, start)

    def _paths(self, names: Sequence[str], split: str, folder: str, start: int) -> Iterator[str]:
        cycle, skipped = divmod(start, len(names))
        while True:
            order = permutation(len(names), "hint", "pictures", self.seed, split, folder, cycle)
            yield from [f"{folder}/{names[i]}" for i in order.tolist()[skipped:]]
            cycle, skipped = cycle + 1, 0


def split_pictures(pictures: Mapping[str, Iterable[str]], seed: int = 0) -> Pools:
    """Pools of pictures, by folder.

    >>> pools = split_pictures({"1": [f"{i}.png" for i in range(100)]})
    >>> [len(pools.names[split]["1"]) for split in SPLITS]
    [75, 5, 20]
    """
    names: dict[str, dict[str, list[str]]] = {split: {} for split in SPLITS}
    for folder, picture in pictures.items():
        every = sorted(picture)  # the order of a directory is no one's
        order = permutation(len(every), "hint", "pools", seed, folder).tolist()
        train, val = len(every) * TRAIN_SHARE // 100, len(every) * VAL_SHARE // 100
        cuts = (0, train, train + val, len(every))
        for split, start, end in zip(SPLITS, cuts, cuts[1:], strict=False):
            names[split][folder] = sorted(every[index] for index in order[start:end])
    return Pools(names, seed)


def drawn_pools(seed: int = 0) -> Pools:
    """Pools of our drawn pictures."""
    names = {
        folder_of(symbol): [f"{number:05}.png" for number in range(count)]
        for symbol, count in DRAWN.items()
    }
    return split_pictures(names, seed)


def folder_pools(folder: Path, seed: int = 0) -> Pools:
    """Pools of the pictures in a folder with a subfolder for each symbol.

    Raises:
        PoolError: A symbol of the main data set has no picture in the folder.

    """
    pictures = {
        entry.name: [file.name for file in entry.iterdir() if not file.name.startswith(".")]
        for entry in (folder.iterdir() if folder.is_dir() else ())
        if entry.is_dir()
    }
    missing = [s for s in DIGITS + OPERATORS + PARENTHESES if not pictures.get(folder_of(s))]
    if missing:
        raise ExpressionPoolError(f"{folder} has no pictures of {' '.join(missing)}")
    return split_pictures(pictures, seed)


def pools_of(folder: Path | None = None, seed: int = 0) -> Pools:
    """The pools of a folder, its own (`read_pools`) if present; pools of our drawings for None."""
    if folder is None:
        return drawn_pools(seed)
    split = (folder / "sym_train.json").is_file()
    return read_pools(folder, seed) if split else folder_pools(folder, seed)


def read_pools(folder: Path, seed: int = 0) -> Pools:
    """The pools in the release's files ``sym_train.json``, ``sym_val.json``, ``sym_test.json``."""
    try:
        files = {split: (folder / f"sym_{split}.json").read_text("utf-8") for split in SPLITS}
        return Pools({split: json.loads(text) for split, text in files.items()}, seed)
    except (OSError, ValueError) as error:
        raise ExpressionPoolError(f"cannot read the pools in {folder}: {error}") from None
