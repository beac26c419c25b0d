"""The keys of a log's rows, on disk, to save memory.

A key is looked up once for every planned completion; a set of keys in memory (150 bytes each) would
end a run of 10^8. `KeyIndex` keeps the keys of sealed shards in a database beside the log, and only
the keys of unsealed shards in memory. The database is derived, and made again for a missing or
damaged file, or for a changed shard.

While reading keys, the index finds stray rows (`strays`): a second row of a key, and, in an index
``within`` another index, a row without a key in the other index. A power cut leaves stray rows if
the file system wrote the verdicts to disk before the completions.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex
from typing import Any

from .reader import LogReader
from .shards import Place, Tests

#: Keys in memory before newly sealed shards are looked for: about 15 MB.
RECENT = 100_000

_TABLES = """
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shards (shard INTEGER PRIMARY KEY, stamp TEXT, rows INTEGER);
CREATE TABLE IF NOT EXISTS covered (shard INTEGER PRIMARY KEY, stamp TEXT);
CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, value TEXT);
"""


class KeyIndex:
    """The keys of a log, with the caller as the only writer.

    Args:
        log: the log.
        within: the index of a log that must have every key of ``log``.

    Attributes:
        strays: by shard, the numbers of the stray rows, which the index lacks.

    """

    def __init__(self, log: LogReader, within: KeyIndex | None = None) -> None:
        self._log, self._within = log, within
        self._patience = RECENT
        self._database = self._opened()
        self.refresh()

    def __contains__(self, key: object) -> bool:
        return key in self._recent or self._is_sealed(key)

    def __len__(self) -> int:
        return self._sealed + len(self._recent)

    def add(self, key: str) -> None:
        """Take in the key of an appended row."""
        self._recent.add(key)
        if len(self._recent) >= self._patience:
            self._take_sealed()
            # Where nothing was sealed meanwhile, asking at every row would cost a pass each.
            self._patience = max(RECENT, 2 * len(self._recent))

    def refresh(self) -> None:
        """Read the shards that have changed since the index was written."""
        self._recent: set[str] = set()
        self.strays: dict[int, set[int]] = {}
        stamps = {shard: self._log.stamp(shard) for shard in self._log.shards()}
        # A changed shard, or another generation of the enclosing index, invalidates the whole
        # database.
        if any(stamps.get(shard) != stamp for shard, stamp in self._shards().items()) or (
            self._within is not None and self._name("within") != self._within.generation
        ):
            self._clear()
        indexed = self._shards()
        [total] = self._database.execute("SELECT TOTAL(rows) FROM shards").fetchone()
        self._sealed = int(total)
        for shard in stamps:
            if shard not in indexed:
                self._take(shard)

    def lacking(self, log: LogReader, shard: int, tests: Tests) -> list[Place]:
        """The places of another log's fitting rows without keys in the index.

        A sealed shard without missing keys is remembered, as long as no key is removed here, and
        not read again.
        """
        # A sealed shard without missing keys stays so: the database remembers the shard by its
        # stamp.
        stamp = json.dumps(log.stamp(shard))
        query = (shard, stamp)
        covered = self._database.execute(
            "SELECT 1 FROM covered WHERE (shard, stamp) = (?, ?)", query
        )
        if covered.fetchone() is not None:
            return []
        settled, positions = log.stamp(shard) is not None, []
        for position, row in log.heads_of(shard, tests):
            if not self._sealed or not self._is_sealed(row["key"]):
                settled = False
                if row["key"] not in self._recent:
                    positions.append(position)
        if settled:
            with self._database as database:
                database.execute("INSERT OR REPLACE INTO covered VALUES (?, ?)", query)
        return positions

    def close(self) -> None:
        self._database.close()

    @property
    def generation(self) -> str:
        """A name that changes if the keys of a sealed shard may have gone."""
        return self._name("generation") or ""

    def _take_sealed(self) -> None:
        indexed = self._shards()
        for shard in self._log.shards():
            if shard not in indexed and self._log.stamp(shard) is not None:
                self._take(shard, is_sealed=True)

    def _take(self, shard: int, is_sealed: bool = False) -> None:
        """Take in a shard: into the database if it is sealed and has no strays, else into memory.

        ``is_sealed`` keys are in memory already, without strays.
        """
        stamp = self._log.stamp(shard)
        keys: set[str] = set()
        strays: set[int] = set()
        # A shard whose completions are not sealed stays in memory, since these may yet be lost.
        settled = stamp is not None
        for number, (_, row) in enumerate(self._log.heads_of(shard)):
            key = row["key"]
            if self._within is not None and not self._within._is_sealed(key):
                settled = False
                if key not in self._within:
                    strays.add(number)
                    continue
            if key in keys or (not is_sealed and key in self):
                strays.add(number)
            else:
                keys.add(key)
        if strays:
            self.strays[shard] = strays
        if not settled or strays:
            self._recent |= keys
            return
        with self._database as database:
            database.executemany("INSERT INTO keys VALUES (?)", ((key,) for key in sorted(keys)))
            database.execute(
                "INSERT INTO shards VALUES (?, ?, ?)", (shard, json.dumps(stamp), len(keys))
            )
        self._sealed += len(keys)
        self._recent -= keys

    def _is_sealed(self, key: object) -> bool:
        match = self._database.execute("SELECT 1 FROM keys WHERE key = ?", (key,))
        return match.fetchone() is not None

    def _shards(self) -> dict[int, Any]:
        rows: Iterable[tuple[int, str]] = self._database.execute("SELECT shard, stamp FROM shards")
        return {shard: json.loads(stamp) for shard, stamp in rows}

    def _name(self, name: str) -> str | None:
        row = self._database.execute("SELECT value FROM names WHERE name = ?", (name,)).fetchone()
        return row and str(row[0])

    def _clear(self) -> None:
        with self._database as database:
            for table in ("keys", "shards", "covered", "names"):
                database.execute(f"DELETE FROM {table}")
        self._begin(self._database)

    def _begin(self, database: sqlite3.Connection) -> None:
        within = "" if self._within is None else self._within.generation
        with database:
            database.executemany(
                "INSERT OR IGNORE INTO names VALUES (?, ?)",
                (("generation", token_hex(8)), ("within", within)),
            )

    def _opened(self) -> sqlite3.Connection:
        """The database; a damaged database is made again."""
        self._log.directory.mkdir(parents=True, exist_ok=True)
        path = self._log.directory / "keys.sqlite"
        try:
            return self._connected(path)
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            return self._connected(path)

    def _connected(self, path: Path) -> sqlite3.Connection:
        # The run's lock keeps others out; locks of the database fail on some network disks.
        # In a notebook a thread scores for the one that opened the run, never both at a time.
        address = f"{path.absolute().as_uri()}?nolock=1"
        database = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            database.executescript(_TABLES)
            self._begin(database)
            database.execute("SELECT COUNT(*) FROM shards").fetchone()
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database
