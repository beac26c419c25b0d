"""Random draws that are the same everywhere: each comes from a hash of what it is for."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


class Draws:
    """A stream of draws named by ``key``. Python's own generator is not used: its methods may
    change from one version to the next.
    """

    def __init__(self, *key: object) -> None:
        self._key = key
        self._count = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to ``bound`` - 1."""
        self._count += 1
        return _digest(*self._key, self._count) % bound  # of 2^256, so without bias that shows

    def integer(self, low: int, high: int, *, nonzero: bool = False) -> int:
        """A whole number from ``low`` to ``high``."""
        while True:
            value = low + self.below(high - low + 1)
            if value or not nonzero:
                return value

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All items in an order of their own."""
        self._count += 1
        keys = [_digest(*self._key, self._count, place) for place in range(len(items))]
        return [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


def _digest(*key: object) -> int:
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=32).digest(), "big")
