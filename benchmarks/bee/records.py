"""What was decided when a problem was generated: which draw was taken, what `simplify` came to.

The decisions of seed 0 are part of the package; those of other seeds are kept in a cache, so that a
seed gives the same problems again, and are repeated in the problems' metadata. A record is only
used for the draft that it was made for (``base``).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from ...rewards.expression.tree import Expression

SHIPPED = "decisions.jsonl"


@dataclass(frozen=True, slots=True)
class Record:
    """One decision: ``spot`` is the parent's id with the variation, ``turn`` the draw that was
    taken, ``base`` the hash of its integrand, ``outcome`` why that was simplified or not,
    ``integrand`` the simplified one, ``coverage`` the share of the real domain on which the
    reference holds.
    """

    recipe: str
    seed: int
    difficulty: int
    spot: str
    turn: int
    base: str
    outcome: str
    integrand: str | None = None
    coverage: float | None = None

    @property
    def place(self) -> Place:
        return self.recipe, self.seed, self.difficulty, self.spot

    def to_line(self) -> str:
        row = {key: value for key, value in asdict(self).items() if value is not None}
        return json.dumps(row, ensure_ascii=False) + "\n"


#: Recipe, seed, difficulty and spot; records of several banks may be about the same place.
Place = tuple[str, int, int, str]


def base_of(integrand: Expression) -> str:
    """A short hash of the integrand that a record is about: of its tree, not of how we print it."""
    return sha256(repr(integrand).encode()).hexdigest()[:12]


class Ledger:
    """The records there are: those of the package first, then those of this machine's cache."""

    def __init__(self) -> None:
        self._records: dict[Place, list[Record]] = defaultdict(list)
        file = Path(__file__).with_name(SHIPPED)
        self._read(file.read_text(encoding="utf-8") if file.is_file() else "")
        self._shipped = tuple(self._records)
        with contextlib.suppress(OSError):
            self._read(cache_file().read_text(encoding="utf-8"))

    def find(self, place: Place) -> Sequence[Record]:
        return self._records.get(place, ())

    def places(self, recipe: str) -> set[str]:
        """The spots of a recipe at which the package has a problem with seed 0."""
        return {
            spot
            for name, seed, level, spot in self._shipped
            if (name, seed, level) == (recipe, 0, 1)
        }

    def add(self, records: Sequence[Record]) -> None:
        """Add to the cache; without a place for it, the decisions are made again next time."""
        if not records:
            return
        for record in records:
            self._records[record.place].append(record)
        with contextlib.suppress(OSError):
            path = cache_file()
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(record.to_line() for record in records))

    def _read(self, text: str) -> None:
        for line in text.splitlines():
            with contextlib.suppress(ValueError, TypeError):  # torn by a kill: decided again
                record = Record(**json.loads(line))
                self._records[record.place].append(record)


@cache
def ledger() -> Ledger:
    """The ledger of this process."""
    return Ledger()


def cache_file() -> Path:
    """In ``$CALCULUS_HARNESS_CACHE``, or else in the user's cache directory."""
    own = os.environ.get("CALCULUS_HARNESS_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(own or f"{base}/calculus-harness").expanduser() / "bee-decisions.jsonl"
