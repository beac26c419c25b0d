"""Problems in a user's table: the name of a file or of a data set on a hub is a benchmark.

    ./mine.jsonl                                       also .json, .csv, .tsv, .parquet
    file:mine.csv?integrand=problem&antiderivative=answer
    file:saved_dataset                                 a folder by `datasets.save_to_disk`
    hub:someone/integrals?split=test&syntax=sympy      by `datasets.load_dataset`

After the question mark come columns (FIELD=COLUMN, see `benchmarks.table_rows`), ``syntax``
(``latex`` or ``sympy``) and ``split``. Every row is checked when the table is loaded. Rows that
cannot be used are an error that lists them, or with ``skip-broken=yes`` a warning.
"""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import BenchmarkError
from .problem import Problem
from .table_rows import FIELDS, RowFormat, problem_from_row

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
#: Broken rows that a message lists.
LISTED = 5


class ProblemFileError(BenchmarkError):
    """A file of problems that cannot be used; the message names the line."""


class BrokenRowsWarning(UserWarning):
    """Rows that ``skip-broken=yes`` left out."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """The place of a table and how to read it."""

    place: str
    hub: bool = False
    row_format: RowFormat = field(default_factory=RowFormat)
    split: str | None = None
    skip_broken: bool = False

    @property
    def name(self) -> str:
        """The benchmark's name in its problems."""
        return Path(self.place).stem


def is_source(spec: str) -> bool:
    """Whether a benchmark's name is that of a table."""
    return spec.startswith(("file:", "hub:")) or spec.partition("?")[0].endswith(SUFFIXES)


def parse(spec: str) -> TableSource:
    """Parse a name such as ``file:mine.csv?integrand=problem``.

    Raises:
        ProblemFileError: if a setting is unknown or has a wrong value.

    """
    place, _, query = spec.partition("?")
    kind, colon, rest = place.partition(":")
    if colon and kind in ("file", "hub"):
        place = rest
    settings: dict[str, str] = {}
    for setting in filter(None, query.split("&")):
        name, equals, value = setting.partition("=")
        known = (*FIELDS, "syntax", "split", "skip-broken")
        if not equals or name not in known:
            raise ProblemFileError(f"{spec}: {setting!r} is none of {'=, '.join(known)}=")
        settings[name] = value
    skip = settings.pop("skip-broken", "no")
    if skip not in ("yes", "no"):
        raise ProblemFileError(f"{spec}: skip-broken must be yes or no, not {skip!r}")
    split, syntax = settings.pop("split", None), settings.pop("syntax", "latex")
    try:
        row_format = RowFormat(settings, syntax)
    except ValueError as error:
        raise ProblemFileError(f"{spec}: {error}") from None
    return TableSource(place, colon != "" and kind == "hub", row_format, split, skip == "yes")


def with_columns(spec: str, columns: Iterable[str], **settings: str) -> str:
    """The name of a table with columns (``integrand=problem``) and settings added."""
    added = [*columns, *(f"{name.replace('_', '-')}={value}" for name, value in settings.items())]
    if not added or not is_source(spec):
        return spec
    return spec + ("&" if "?" in spec else "?") + "&".join(added)


def read_problems(source: TableSource | Path) -> list[Problem]:
    """The problems of a table, in its order.

    Raises:
        ProblemFileError: if the table cannot be read, has no problems, or has broken rows that are
            not to be skipped.

    """
    if isinstance(source, Path):
        source = TableSource(str(source))
    problems: dict[str, Problem] = {}
    broken: list[str] = []
    for where, row in _rows(source):
        try:
            if isinstance(row, ValueError):
                raise row
            problem = problem_from_row(row, source.row_format, source.name, int(where.split()[-1]))
            if problem.id in problems:
                raise ValueError(f"the id {problem.id!r} is there twice")
        except KeyError as error:
            broken.append(f"{where}: no {error}")
        except (ValueError, TypeError) as error:
            broken.append(f"{where}: {error}")
        else:
            problems[problem.id] = problem
    if broken:
        _report(source, broken)
    if not problems:
        raise ProblemFileError(f"{source.place} holds no problems")
    return list(problems.values())


def _report(source: TableSource, broken: list[str]) -> None:
    listed = "; ".join(broken[:LISTED])
    if len(broken) > LISTED:
        listed += f"; and {len(broken) - LISTED} more"
    if not source.skip_broken:
        raise ProblemFileError(f"{source.place}, {listed} (skip-broken=yes leaves them out)")
    message = f"{source.place}: left out {len(broken)} broken: {listed}"
    warnings.warn(message, BrokenRowsWarning, stacklevel=3)


# --- the formats: each yields (place, row), with an error in place of a row that cannot be read ---

_Rows = Iterator[tuple[str, Any]]


def _rows(source: TableSource) -> _Rows:
    path = Path(source.place)
    if source.hub:
        return _of_hub(source)
    if path.is_dir():
        return _of_folder(source)
    if path.suffix == ".parquet":
        return _of_parquet(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ProblemFileError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ProblemFileError(f"{path} is not UTF-8 text: {error.reason}") from None
    if path.suffix in (".csv", ".tsv"):
        return _of_csv(text, "\t" if path.suffix == ".tsv" else ",")
    if path.suffix == ".json":
        return _of_json(path, text)
    return _of_lines(text)


def _of_lines(text: str) -> _Rows:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                yield f"line {number}", error


def _of_json(path: Path, text: str) -> _Rows:
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise ProblemFileError(f"{path}: {error}") from None
    if isinstance(rows, list):
        yield from _numbered(rows)
        return
    parts = _lists(rows)  # such as HINT's few-shot data sets, by concept and part
    if not parts:
        raise ProblemFileError(f"{path} must hold a list of objects")
    for name, part in parts:
        yield from ((f"{name}, {where}", row) for where, row in _numbered(part))


def _lists(tree: Any) -> list[tuple[str, list[Any]]]:
    """The lists in nested objects by their joined names; none if there is anything else."""
    found: list[tuple[str, list[Any]]] = []
    for name, inner in tree.items() if isinstance(tree, Mapping) else ():
        below = [("", inner)] if isinstance(inner, list) else _lists(inner)
        if not below:
            return []
        found += [(", ".join(filter(None, (name, rest))), rows) for rest, rows in below]
    return found


def _of_csv(text: str, delimiter: str) -> _Rows:
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    rows = iter(reader)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"line {reader.line_num}", ValueError(str(error))
            continue
        where = f"line {reader.line_num}"
        if None in row or None in row.values():
            yield where, ValueError(f"not {len(reader.fieldnames or ())} columns")
        else:
            yield where, row


def _of_parquet(path: Path) -> _Rows:
    if not path.is_file():
        raise ProblemFileError(f"cannot read {path}: no such file")
    _datasets()  # for the message that names the extra
    import pyarrow
    from pyarrow import parquet

    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise ProblemFileError(f"cannot read {path}: {error}") from None
    return _numbered(rows)


def _of_folder(source: TableSource) -> _Rows:
    datasets = _datasets()
    try:
        loaded = datasets.load_from_disk(source.place)
    except (OSError, ValueError) as error:
        raise ProblemFileError(f"{source.place} holds no saved data set: {error}") from None
    return _numbered(_split(loaded, source))


def _of_hub(source: TableSource) -> _Rows:
    datasets = _datasets()
    try:
        loaded = datasets.load_dataset(source.place)
    except Exception as error:  # network, hub and formats raise errors of many classes
        reason = str(error).strip().split("\n")[0]
        raise ProblemFileError(f"cannot load {source.place}: {reason}") from None
    return _numbered(_split(loaded, source))


def _split(loaded: Any, source: TableSource) -> Iterable[Any]:
    if not isinstance(loaded, Mapping):
        return list(loaded)
    names = list(loaded)
    if source.split is None and len(names) == 1:
        return list(loaded[names[0]])
    if source.split not in loaded:
        which = "has no split" if source.split else "needs a split"
        raise ProblemFileError(
            f"{source.place} {which} {source.split or ''}: add split= one of {', '.join(names)}"
        )
    return list(loaded[source.split])


def _numbered(rows: Iterable[Any]) -> _Rows:
    for number, row in enumerate(rows, 1):
        yield f"row {number}", row


def _datasets() -> Any:
    try:
        import datasets
    except ImportError:
        raise ProblemFileError(
            "this needs the extra 'data': pip install 'calculus-harness[data]'"
        ) from None
    return datasets
