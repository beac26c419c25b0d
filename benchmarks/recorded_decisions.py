"""Recorded decisions of SymPy: generated problems do not depend on SymPy's version.

The results of SymPy within a time limit depend on the version and on the machine. Benchmarks record
the outcomes: decisions of seed 0 are in a data file of the benchmark, decisions of other seeds in a
cache in the user's home. Both are JSON Lines.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

Decision = TypeVar("Decision")


class RecordedDecisions(Generic[Decision]):
    """The decisions recorded in a data file and in this machine's cache.

    Args:
        shipped: the data file of the package.
        cache_name: the file's name in the cache directory (`cache_file`).
        key: returns the subject of a decision. Several decisions may share a key.
        from_row: makes a decision from a JSON object.
        to_row: the JSON object of a decision.

    """

    def __init__(
        self,
        shipped: Path,
        cache_name: str,
        *,
        key: Callable[[Decision], Hashable],
        from_row: Callable[[dict[str, Any]], Decision],
        to_row: Callable[[Decision], dict[str, Any]],
    ) -> None:
        self._cache = cache_file(cache_name)
        self._key, self._from_row, self._to_row = key, from_row, to_row
        self._by_key: dict[Hashable, list[Decision]] = defaultdict(list)
        if shipped.is_file():
            self._read(shipped)
        #: The keys of the decisions in the package.
        self.shipped: frozenset[Any] = frozenset(self._by_key)
        with contextlib.suppress(OSError):
            self._read(self._cache)

    def find(self, key: Hashable) -> Sequence[Decision]:
        """The decisions about a key, the package's first."""
        return self._by_key.get(key, ())

    def add(self, decisions: Sequence[Decision]) -> None:
        """Add decisions, and append them to a writable cache."""
        if not decisions:
            return
        for decision in decisions:
            self._by_key[self._key(decision)].append(decision)
        with contextlib.suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            with self._cache.open("a", encoding="utf-8") as file:
                file.write("".join(map(self.to_line, decisions)))

    def to_line(self, decision: Decision) -> str:
        """A decision as a line of the files."""
        return json.dumps(self._to_row(decision), ensure_ascii=False) + "\n"

    def _read(self, path: Path) -> None:
        for line in path.read_text(encoding="utf-8").splitlines():
            # Skip a line that a killed process left incomplete: the decision is made again.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                decision = self._from_row(json.loads(line))
                self._by_key[self._key(decision)].append(decision)


def cache_file(name: str) -> Path:
    """A file in ``$CALCULUS_HARNESS_CACHE``, or else in the user's cache directory."""
    own = os.environ.get("CALCULUS_HARNESS_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(own or f"{base}/calculus-harness").expanduser() / name
