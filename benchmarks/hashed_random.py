"""Random numbers from hashes: the same on every machine and in every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


class HashedRandom:
    """A random number generator whose n-th number is a hash of its key and n.

    Methods of Python's `random.Random` may change between versions.

    Args:
        key: names the stream of numbers, for example a benchmark's name, a seed and an index.

    >>> rng = HashedRandom("dice", 0)
    >>> [rng.integer(1, 6) for _ in range(5)]
    [1, 5, 6, 4, 6]

    """

    def __init__(self, *key: object) -> None:
        self._key = key
        self._count = 0

    def below(self, bound: int) -> int:
        """A random integer from 0 to ``bound`` - 1."""
        self._count += 1
        return _hash(*self._key, self._count) % bound  # of 2^256: the bias is negligible

    def integer(self, low: int, high: int, *, nonzero: bool = False) -> int:
        """A random integer from ``low`` to ``high``, inclusive."""
        while True:
            value = low + self.below(high - low + 1)
            if value or not nonzero:
                return value

    def choice(self, items: Sequence[Item]) -> Item:
        """A random item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All items in random order."""
        self._count += 1
        keys = [_hash(*self._key, self._count, index) for index in range(len(items))]
        return [items[index] for index in sorted(range(len(items)), key=keys.__getitem__)]


def _hash(*key: object) -> int:
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=32).digest(), "big")
