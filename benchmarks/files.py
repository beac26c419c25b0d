"""Problems of one's own: a table in a file, or a data set on a hub, is a benchmark by its name.

    ./mine.jsonl                                       also .json, .csv, .tsv, .parquet
    file:mine.csv?integrand=problem&antiderivative=answer
    file:saved_dataset                                 a folder by `datasets.save_to_disk`
    hub:someone/integrals?split=test&syntax=sympy      by `datasets.load_dataset`

After the question mark come columns (FIELD=COLUMN, see `benchmarks.rows`), ``syntax`` (``latex`` or
``sympy``), ``split``, and ``skip-broken=yes`` to leave out, with a warning, the rows that cannot be
used; without it they are listed and the whole is refused. Every row is checked before any is asked.
"""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .problem import Problem
from .rows import FIELDS, Layout, problem_of

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
#: Broken rows that a message names.
LISTED = 5


class ProblemFileError(ValueError):
    """A file of problems that cannot be used; the message names the line."""


class BrokenRowsWarning(UserWarning):
    """Rows that were left out, as asked."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table is and how to read it."""

    place: str
    hub: bool = False
    layout: Layout = field(default_factory=Layout)
    split: str | None = None
    skip_broken: bool = False

    @property
    def name(self) -> str:
        """What its problems' benchmark is called."""
        return Path(self.place).stem


def is_source(spec: str) -> bool:
    """Whether a benchmark's name means a table of one's own."""
    return spec.startswith(("file:", "hub:")) or spec.partition("?")[0].endswith(SUFFIXES)


def parse(spec: str) -> Source:
    """Read a name such as ``file:mine.csv?integrand=problem``."""
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
        raise ProblemFileError(f"{spec}: skip-broken is yes or no, not {skip!r}")
    split, syntax = settings.pop("split", None), settings.pop("syntax", "latex")
    try:
        layout = Layout(settings, syntax)
    except ValueError as error:
        raise ProblemFileError(f"{spec}: {error}") from None
    return Source(place, colon != "" and kind == "hub", layout, split, skip == "yes")


def with_columns(spec: str, columns: Iterable[str], **settings: str) -> str:
    """A source's name with columns (``integrand=problem``) and settings added."""
    added = [*columns, *(f"{name.replace('_', '-')}={value}" for name, value in settings.items())]
    if not added or not is_source(spec):
        return spec
    return spec + ("&" if "?" in spec else "?") + "&".join(added)


def read_problems(source: Source | Path) -> list[Problem]:
    """The problems of a table, in its order."""
    if isinstance(source, Path):
        source = Source(str(source))
    problems: dict[str, Problem] = {}
    broken: list[str] = []
    for where, row in _rows(source):
        try:
            if isinstance(row, ValueError):
                raise row
            problem = problem_of(row, source.layout, source.name, int(where.split()[-1]))
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


def _report(source: Source, broken: list[str]) -> None:
    listed = "; ".join(broken[:LISTED])
    if len(broken) > LISTED:
        listed += f"; and {len(broken) - LISTED} more"
    if not source.skip_broken:
        raise ProblemFileError(f"{source.place}, {listed} (skip-broken=yes leaves them out)")
    message = f"{source.place}: left out {len(broken)} broken: {listed}"
    warnings.warn(message, BrokenRowsWarning, stacklevel=3)


# --- the formats: each yields (where, row), with an error in place of a row that cannot be read ---

_Rows = Iterator[tuple[str, Any]]


def _rows(source: Source) -> _Rows:
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
    if not isinstance(rows, list):
        raise ProblemFileError(f"{path} must hold a list of objects")
    yield from _numbered(rows)


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


def _of_folder(source: Source) -> _Rows:
    datasets = _datasets()
    try:
        loaded = datasets.load_from_disk(source.place)
    except (OSError, ValueError) as error:
        raise ProblemFileError(f"{source.place} holds no saved data set: {error}") from None
    return _numbered(_split(loaded, source))


def _of_hub(source: Source) -> _Rows:
    datasets = _datasets()
    try:
        loaded = datasets.load_dataset(source.place)
    except Exception as error:  # the network, the hub, a format: whatever it is, it is not ours
        reason = str(error).strip().split("\n")[0]
        raise ProblemFileError(f"cannot load {source.place}: {reason}") from None
    return _numbered(_split(loaded, source))


def _split(loaded: Any, source: Source) -> Iterable[Any]:
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
