"""Rows and problems to a file: JSON Lines, or a folder of the library `datasets`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import UserError
from .jsonl_log import write_atomically

if TYPE_CHECKING:
    from ...benchmarks import Problem


def claim(out: Path, force: bool) -> None:
    """Refuse a place that cannot be written to, before anything is made for it."""
    if out.suffix not in (".jsonl", ""):
        raise UserError(f"--out takes a .jsonl file or a folder, not {out}")
    if out.exists() and not force:
        raise UserError(f"{out} is there already; --force replaces it")


def write_problems(problems: Sequence[Problem], out: Path) -> None:
    """Write problems as `benchmarks.load` reads them, to a ``.jsonl`` file or a folder."""
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
    """Write named splits to a folder, as a `datasets.DatasetDict`; a lone nameless one as it is.

    To a ``.jsonl`` file go all splits, one after the other, with a column ``split``.
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
        try:
            import datasets
        except ImportError:
            raise UserError(
                "a folder needs the extra 'data': pip install 'calculus-harness[data]'"
            ) from None
        datasets.disable_progress_bars()
        made = {
            name: datasets.Dataset.from_list([dict(row) for row in rows])
            for name, rows in splits.items()
        }
        whole = made[""] if list(made) == [""] else datasets.DatasetDict(made)
        whole.save_to_disk(out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from None
