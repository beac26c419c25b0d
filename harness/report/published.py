"""Published results to set beside a run's: AntiderivBench, Table 1."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from ...benchmarks import bee
from ..stats.metrics import Summary

if TYPE_CHECKING:
    from rich.console import Console

SOURCE = "AntiderivBench (Piotrowski and Yang), Table 1"
REMARK = (
    f"Published in {SOURCE}: on the original problems, which are others than these, and judged by "
    "that paper's evaluator. A guide to what is usual, not a comparison."
)


@dataclass(frozen=True, slots=True)
class Published:
    """One published row: a method on a subset, pass@k in percent by k."""

    method: str
    subset: str
    passes: dict[int, float]


def published() -> list[Published]:
    """All rows of the table, in its order."""
    file = resources.files(bee) / "published.csv"
    rows: dict[tuple[str, str], Published] = {}
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        key = (row["method"], row["subset"])
        found = rows.setdefault(key, Published(row["method"], f"bee/{row['subset']}", {}))
        found.passes[int(row["k"])] = float(row["percent"])
    return list(rows.values())


def beside(summary: Summary) -> list[Published]:
    """The rows for the subsets that a run has, subset by subset."""
    subsets = list(dict.fromkeys(row.subset for row in summary.rows))
    rows = [row for row in published() if row.subset in subsets]
    return sorted(rows, key=lambda row: subsets.index(row.subset))


def print_published(summary: Summary, console: Console | None = None) -> None:
    """Print them as a table, if there are any."""
    rows = beside(summary)
    if not rows:
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = console or Console()
    ks = all_ks(rows)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings(ks):
        table.add_column(heading, justify="right" if heading.startswith("pass") else "left")
    for row in rows:
        table.add_row(*cells(row, ks))
    console.print("published, on other problems", style="bold")
    console.print(table)
    console.print(REMARK, style="dim", soft_wrap=True, markup=False, highlight=False)


def all_ks(rows: Sequence[Published]) -> list[int]:
    return sorted({k for row in rows for k in row.passes})


def headings(ks: Sequence[int]) -> list[str]:
    return ["subset", "method", *(f"pass@{k}" for k in ks)]


def cells(row: Published, ks: Sequence[int]) -> list[str]:
    """A row as text."""
    numbers = [f"{row.passes[k]:.1f}" if k in row.passes else "" for k in ks]
    return [row.subset, row.method, *numbers]
