"""The files of a search in the run directory, in addition to the files of every run.

search.json             settings, generations and notes; written again after every generation
search/generation-N.json  the mutants of a generation, written before they are asked
archive.jsonl           the failures that were kept, as a file of problems
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....benchmarks.files.table import ARCHIVE
from ....benchmarks.problem import Problem
from ....rewards.errors import UserError
from ....rewards.records import Record
from ...core.errors import RunError
from ...store.atomic import write_atomically

RECORD = "search.json"


@dataclass(frozen=True, slots=True)
class Generation(Record):
    """The numbers of a generation.

    Attributes:
        number: the number of the generation, from 1.
        drawn: the number of mutants made.
        refused: the number of invalid mutants, by reason.
        repeated: the number of mutants asked before, or twice in the generation.
        asked: the number of new mutants.
        failed: the number of asked mutants failed by the model.
        unconfirmed: the number of failed mutants solved by the model at a second request.
        unknown: the number of asked mutants without a decided verdict.
        novel: the number of mutants new in the archive.
        archive: the size of the archive afterwards.
        length: the mean length of the novel mutants, in characters.

    """

    number: int
    drawn: int
    refused: Mapping[str, int]
    repeated: int
    asked: int
    failed: int
    unconfirmed: int
    unknown: int
    novel: int
    archive: int
    length: float | None = None


@dataclass(frozen=True, slots=True)
class Minimal(Record):
    """The smallest failure found near another failure, with a solved neighbour.

    Attributes:
        found: the id of the failure at the start.
        problem: the id of the smallest failure.
        text: the smallest failure's formula.
        neighbour: the id of a solved problem next to the smallest failure; empty without one.
        neighbour_text: the neighbour's formula.
        steps: number of reductions.

    """

    found: str
    problem: str
    text: str
    neighbour: str = ""
    neighbour_text: str = ""
    steps: int = 0


@dataclass(frozen=True, slots=True)
class SearchRecord(Record):
    """A search, as stored in ``search.json``.

    Attributes:
        settings: the settings of the search (`harness.studies.search.SearchSettings`).
        model: the hash of the model whose failures are looked for.
        solved_by: the hash of the model that solves the failures, if any.
        embedding: the features for the clusters of failures, in words.
        policy: the name of the verdicts.
        generations: the numbers of each generation.
        minimal: smallest failures.
        notes: remarks for the reader.
        ended: why the search ended; empty while the search goes on.

    """

    settings: Mapping[str, Any]
    model: str
    solved_by: str | None
    embedding: str
    policy: str
    generations: tuple[Generation, ...] = ()
    minimal: tuple[Minimal, ...] = ()
    notes: tuple[str, ...] = ()
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Batch(Record):
    """The asked mutants of a generation, and the numbers of omitted mutants."""

    drawn: int
    refused: Mapping[str, int]
    repeated: int
    problems: tuple[Problem, ...] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """The batch as a JSON-serialisable dictionary, for `from_dict`."""
        row = super(Batch, self).to_dict()
        return row | {"problems": [problem.to_dict() for problem in self.problems]}


def read_record(path: Path) -> SearchRecord | None:
    """The record of a search in a run directory; None if the run has no search.

    Raises:
        RunError: the record is damaged.

    """
    row = _json(path / RECORD)
    return None if row is None else _parsed(SearchRecord, row, path / RECORD)


def write_record(path: Path, record: SearchRecord) -> None:
    """Write the record of a search."""
    _write(path / RECORD, json.dumps(record.to_dict(), indent=1, ensure_ascii=False))


def read_archive(path: Path) -> list[Problem]:
    """The problems in a run directory's archive, in the order of discovery."""
    file = path / ARCHIVE
    if not file.exists():
        return []
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return [_parsed(Problem, row, file) for row in rows]


def write_archive(path: Path, problems: Sequence[Problem]) -> None:
    """Write the archive as a file of problems, for `--benchmark`."""
    lines = (json.dumps(problem.to_dict(), ensure_ascii=False) + "\n" for problem in problems)
    _write(path / ARCHIVE, "".join(lines))


def read_batch(path: Path, number: int) -> Batch | None:
    """The stored mutants of a generation, if any."""
    row = _json(_batch_file(path, number))
    return None if row is None else _parsed(Batch, row, _batch_file(path, number))


def write_batch(path: Path, number: int, batch: Batch) -> None:
    """Store a generation's mutants."""
    file = _batch_file(path, number)
    file.parent.mkdir(exist_ok=True)
    _write(file, json.dumps(batch.to_dict(), ensure_ascii=False))


def _batch_file(path: Path, number: int) -> Path:
    return path / "search" / f"generation-{number:03}.json"


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from None


def _parsed(record_class: Any, row: Any, path: Path) -> Any:
    try:
        return record_class.from_dict(row)
    except (UserError, TypeError) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from None


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from None
