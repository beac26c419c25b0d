"""Problems and rows written to JSON Lines, or to a folder of the library `datasets`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import UserError, needing
from .atomic import write_atomically

if TYPE_CHECKING:
    from ...benchmarks import Problem


def check_out(out: Path, force: bool) -> None:
    """Refuse an unwritable output path before the work begins."""
    if out.suffix not in (".jsonl", ""):
        raise UserError(f"--out takes a .jsonl file or a folder, not {out}")
    if out.exists() and not force:
        raise UserError(f"{out} is there already; --force replaces it")


def write_problems(problems: Sequence[Problem], out: Path) -> None:
    """Write problems to a ``.jsonl`` file or a folder, for `benchmarks.load`."""
    rows = [problem.to_dict() for problem in problems]
    if out.suffix != ".jsonl":
        # Mappings whose keys differ from row to row are text in a table.
        loose = ("assumptions", "metadata")
        rows = [row | {name: json.dumps(row[name]) for name in loose} for row in rows]
    write_rows(rows, out)


def write_rows(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Write rows to a ``.jsonl`` file or, with the extra 'data', to a folder."""
    write_splits({"": rows}, out)


def write_splits(splits: Mapping[str, Sequence[Mapping[str, Any]]], out: Path) -> None:
    """Write named splits to a folder as a `datasets.DatasetDict`, or to one ``.jsonl`` file.

    In a ``.jsonl`` file a column ``split`` has the split's name. A single split named "" is written
    without one, and to a folder as a `datasets.Dataset`.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".jsonl":
            lines = (
                json.dumps((dict(row) | {"split": name}) if name else dict(row), ensure_ascii=False)
                + "\n"
                for name, rows in splits.items()
                for row in rows
            )
            write_atomically(out, "".join(lines).encode())
            return
        with needing("a folder needs the extra 'data'", "data"):
            import datasets
        datasets.disable_progress_bars()
        tables = {
            name: datasets.Dataset.from_list([dict(row) for row in rows])
            for name, rows in splits.items()
        }
        data = tables[""] if list(tables) == [""] else datasets.DatasetDict(tables)
        data.save_to_disk(out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from None
