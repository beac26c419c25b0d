"""Which attempt was taken, where SymPy decides: what its work comes to may change with its version.

The records of FWD with seed 0 are part of the package; those of other addresses are kept in a
cache. So an address gives the same pair again, whatever is installed by then.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from .generators import Settings
from .pairs import Pair

SHIPPED = "decisions.jsonl"

#: Method, settings, seed and index.
Address: TypeAlias = tuple[str, Settings, int, int]


class Ledger:
    """The records there are: those of the package first, then those of this machine's cache."""

    def __init__(self) -> None:
        self._pairs: dict[Address, Pair] = {}
        file = Path(__file__).with_name(SHIPPED)
        self._read(file.read_text(encoding="utf-8") if file.is_file() else "")
        self._shipped = frozenset(self._pairs)
        with contextlib.suppress(OSError):
            self._read(cache_file().read_text(encoding="utf-8"))

    def find(self, address: Address) -> Pair | None:
        return self._pairs.get(address)

    def shipped(self, method: str) -> int:
        """How many pairs of seed 0 the package has, counted from index 0 without a gap."""
        return next(i for i in count() if (method, Settings(), 0, i) not in self._shipped)

    def add(self, found: Mapping[Address, Pair]) -> None:
        """Add to the cache; without a place for it, the work is done again next time."""
        if not found:
            return
        self._pairs.update(found)
        with contextlib.suppress(OSError):
            path = cache_file()
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(to_line(address, pair) for address, pair in found.items()))

    def _read(self, text: str) -> None:
        for line in text.splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # torn by a kill: made again
                row = json.loads(line)
                settings = Settings(**row["settings"])
                address = (row["method"], settings, row["seed"], row["index"])
                self._pairs.setdefault(address, Pair.from_row(row["pair"]))


def to_line(address: Address, pair: Pair) -> str:
    """One record as a line of JSON; settings only where they are not the defaults."""
    method, settings, seed, index = address
    usual = asdict(Settings())
    changed = {name: value for name, value in asdict(settings).items() if value != usual[name]}
    row: dict[str, Any] = {
        "method": method,
        "seed": seed,
        "index": index,
        "settings": changed,
        "pair": pair.to_row(),
    }
    return json.dumps(row) + "\n"


@cache
def ledger() -> Ledger:
    """The ledger of this process."""
    return Ledger()


def cache_file() -> Path:
    """In ``$CALCULUS_HARNESS_CACHE``, or else in the user's cache directory."""
    own = os.environ.get("CALCULUS_HARNESS_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(own or f"{base}/calculus-harness").expanduser() / "lample-charton-decisions.jsonl"
