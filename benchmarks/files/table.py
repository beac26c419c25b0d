"""Names of tables, and reading of tables."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from ...rewards.errors import install
from ..errors import BenchmarkError
from ..problem import Problem
from .rows import FIELDS, RowFormat, problem_from_row

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
#: The file of a search's failures in a run directory, which may be named without the suffix.
ARCHIVE = "archive.jsonl"
#: The prefix of a file in a benchmark's own format -> the module whose `rows` reads the file. The
#: module declares a benchmark, and is imported at the first use (as in `benchmarks.registry`).
RELEASED = {"lample_charton/": "..lample_charton.released_problems"}
#: The lengths of a message about the first broken row, and of the list of further broken rows.
MAX_MESSAGE, LISTED = 200, 5


class ProblemFileError(BenchmarkError):
    """A file of problems is unusable; the message names the line."""


class BrokenRowsWarning(UserWarning):
    """Rows left out by ``skip-broken=yes``."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """The place of a table and the way of reading; ``reader`` is a module of `RELEASED`."""

    place: str
    hub: bool = False
    reader: str = ""
    row_format: RowFormat = field(default_factory=RowFormat)
    split: str | None = None
    skip_broken: bool = False

    @property
    def name(self) -> str:
        """The benchmark's name in the table's problems."""
        return Path(self.place).stem


def is_source(spec: str) -> bool:
    """Whether a benchmark's name refers to a table."""
    name = spec.partition("?")[0]
    return (
        name.startswith(("file:", "hub:"))
        or name.endswith(SUFFIXES)
        or (Path(name) / "state.json").is_file()  # a folder by `datasets.save_to_disk`
        or _archive(name) != name
        or _released(name)[1] != ""
    )


def _released(name: str) -> tuple[str, str]:
    """The path in a name such as ``lample_charton/FILE``, and the file's reader module.

    A path needs a dot or a slash: no file hides a subset.
    """
    for start, reader in RELEASED.items():
        path = name.removeprefix(start)
        if path != name and ("." in path or "/" in path) and Path(path).is_file():
            return path, reader
    return name, ""


def _archive(name: str) -> str:
    """The file of ``RUN/archive``; any other name unchanged."""
    path = Path(name)
    file = path.parent / ARCHIVE
    is_archive = path.name == file.stem and (path.parent / "manifest.json").is_file()
    return str(file) if is_archive and file.is_file() else name


def parse(spec: str) -> TableSource:
    """Parse a name such as ``file:mine.csv?integrand=problem``.

    Raises:
        ProblemFileError: a setting is unknown or has a wrong value.

    """
    address, _, query = spec.partition("?")
    address, reader = _released(_archive(address))
    scheme, colon, path = address.partition(":")
    if colon and scheme in ("file", "hub"):
        address = path
    settings: dict[str, str] = {}
    for setting in filter(None, query.split("&")):
        name, equals, value = setting.partition("=")
        names = (*FIELDS, "syntax", "split", "skip-broken")
        if not equals or name not in names:
            raise ProblemFileError(f"{spec}: {setting!r} is none of {'=, '.join(names)}=")
        settings[name] = value
    skip = settings.pop("skip-broken", "no")
    if skip not in ("yes", "no"):
        raise ProblemFileError(f"{spec}: skip-broken must be yes or no, not {skip!r}")
    # Released files have a fixed format: settings on columns cannot apply.
    if reader and settings:
        raise ProblemFileError(f"{spec}: a file of prefix tokens has no {next(iter(settings))}=")
    split, syntax = settings.pop("split", None), settings.pop("syntax", "latex")
    if split is not None and Path(address).is_file():
        raise ProblemFileError(f"{spec}: a file has no splits; only a data set has")
    try:
        row_format = RowFormat(settings, syntax)
    except ValueError as error:
        raise ProblemFileError(f"{spec}: {error}") from None
    hub = colon != "" and scheme == "hub"
    return TableSource(address, hub, reader, row_format, split, skip == "yes")


def with_columns(spec: str, columns: Iterable[str], **settings: str) -> str:
    """The name of a table with columns (``integrand=problem``) and settings added."""
    added = [*columns, *(f"{name.replace('_', '-')}={value}" for name, value in settings.items())]
    if not added or not is_source(spec):
        return spec
    return spec + ("&" if "?" in spec else "?") + "&".join(added)


def read_problems(source: TableSource | Path) -> list[Problem]:
    """The problems of a table, in its order.

    Raises:
        ProblemFileError: the table cannot be read, has no problems, or has broken rows without
            ``skip-broken``.

    """
    if isinstance(source, Path):
        source = TableSource(str(source))
    problems: dict[str, Problem] = {}
    broken: list[str] = []
    for where, row in rows_of(source):
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
    # All broken rows are reported together.
    if broken:
        _report(source, broken)
    if not problems:
        raise ProblemFileError(f"{source.place} holds no problems")
    return list(problems.values())


def _report(source: TableSource, broken: list[str]) -> None:
    first_error = broken[0] if len(broken[0]) <= MAX_MESSAGE else f"{broken[0][:MAX_MESSAGE]} ..."
    further = ""
    if len(broken) > 1:
        locations = [row.partition(":")[0] for row in broken[1 : LISTED + 1]]
        ellipsis = ", ..." if len(broken) > LISTED + 1 else ""
        further = f"; {len(broken) - 1} more rows cannot be used: {', '.join(locations)}{ellipsis}"
    if not source.skip_broken:
        leaves = "it" if len(broken) == 1 else "them"
        raise ProblemFileError(
            f"{source.place}, {first_error}{further} (--skip-broken leaves {leaves} out)"
        )
    message = f"{source.place}: left out {len(broken)} broken: {first_error}{further}"
    warnings.warn(message, BrokenRowsWarning, stacklevel=3)


# --- the formats: each yields (location, row), with an error in place of an unreadable row ---

_Rows = Iterator[tuple[str, Any]]


def rows_of(source: TableSource) -> _Rows:
    """The rows of a table with their locations; formulas are not parsed.

    Args:
        source: the table.

    Yields:
        A location such as ``line 3``, and the row, or a `ValueError` for a broken row.

    Raises:
        ProblemFileError: the table cannot be read.

    """
    path = Path(source.place)
    if source.hub:
        return _of_hub(source)
    if path.is_dir():
        return _of_folder(source)
    if source.reader:
        return _of_released(path, source.reader)
    if path.suffix == ".parquet":
        return _of_parquet(path)
    return _of_text(path)


def _of_text(path: Path) -> _Rows:
    """The rows of a text file: JSON is read at once, other formats line by line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if path.suffix in (".csv", ".tsv"):
                yield from _of_csv(file, "\t" if path.suffix == ".tsv" else ",")
            elif path.suffix == ".json":
                yield from _of_json(path, file.read())
            else:
                yield from _of_lines(file)
    except OSError as error:
        raise ProblemFileError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ProblemFileError(f"{path} is not UTF-8 text: {error.reason}") from None


def _of_released(path: Path, reader: str) -> _Rows:
    try:
        yield from import_module(reader, __package__).rows(path)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ProblemFileError(f"cannot read {path}: {error}") from None


def _of_lines(file: Iterable[str]) -> _Rows:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield f"line {number}", _decoded(line)
            except ValueError as error:
                yield f"line {number}", error


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too many brackets in brackets") from None


def _of_json(path: Path, text: str) -> _Rows:
    try:
        rows = _decoded(text)
    except ValueError as error:
        raise ProblemFileError(f"{path}: {error}") from None
    if isinstance(rows, list):
        yield from _numbered(rows)
        return
    lists = _lists(rows)  # such as HINT's few-shot data sets, by concept and part
    if not lists:
        raise ProblemFileError(f"{path} must hold a list of objects")
    for name, rows_of_list in lists:
        yield from ((f"{name}, {where}", row) for where, row in _numbered(rows_of_list))


def _lists(tree: Any) -> list[tuple[str, list[Any]]]:
    """The lists in nested objects, by joined names; empty for any other value."""
    lists: list[tuple[str, list[Any]]] = []
    for name, inner in tree.items() if isinstance(tree, Mapping) else ():
        inner_lists = [("", inner)] if isinstance(inner, list) else _lists(inner)
        if not inner_lists:
            return []
        lists += [
            (", ".join(filter(None, (name, inner_name))), rows) for inner_name, rows in inner_lists
        ]
    return lists


def _of_csv(file: Iterable[str], delimiter: str) -> _Rows:
    reader = csv.DictReader(file, delimiter=delimiter, strict=True)
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

    def rows() -> Iterator[Any]:
        try:
            for batch in parquet.ParquetFile(path).iter_batches():
                yield from batch.to_pylist()
        except (OSError, pyarrow.ArrowException) as error:
            raise ProblemFileError(f"cannot read {path}: {error}") from None

    return _numbered(rows())


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
        return cast("Iterable[Any]", loaded)
    names = list(loaded)
    if source.split is None and len(names) == 1:
        return cast("Iterable[Any]", loaded[names[0]])
    if source.split not in loaded:
        which = "has no split" if source.split else "needs a split"
        raise ProblemFileError(
            f"{source.place} {which} {source.split or ''}: add split= one of {', '.join(names)}"
        )
    return cast("Iterable[Any]", loaded[source.split])


def _numbered(rows: Iterable[Any]) -> _Rows:
    for number, row in enumerate(rows, 1):
        yield f"row {number}", row


def _datasets() -> Any:
    try:
        import datasets
    except ImportError:
        raise ProblemFileError(f"this needs the extra 'data': {install('data')}") from None
    return datasets
