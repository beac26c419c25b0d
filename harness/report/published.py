"""Published results to compare with a run's results: AntiderivBench, Table 1; Symbolic
Brittleness.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import ModuleType
from typing import TypeAlias

from ...benchmarks import bee, brittleness
from ..stats.summary import Summary
from .sections import Section

SOURCE = "AntiderivBench (Piotrowski and Yang), Table 1"
REMARK = (
    f"Published in {SOURCE}: on the original problems, which are others than these, and judged by "
    "that paper's evaluator. A guide to what is usual, not a comparison."
)


def published_table(package: ModuleType) -> Iterator[dict[str, str]]:
    """The rows of the file ``published.csv`` of a benchmark's package."""
    file = resources.files(package) / "published.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A row of published results: a method on a subset, with pass@k in percent for each k."""

    method: str
    subset: str
    passes: dict[int, float]


def published() -> list[PublishedResult]:
    """All rows of the table, in the table's order."""
    rows: dict[tuple[str, str], PublishedResult] = {}
    for row in published_table(bee):
        key = (row["method"], row["subset"])
        result = PublishedResult(row["method"], f"bee/{row['subset']}", {})
        rows.setdefault(key, result).passes[int(row["k"])] = float(row["percent"])
    return list(rows.values())


Numbers: TypeAlias = Mapping[tuple[str, ...], str]


def numbers(package: ModuleType, *columns: str) -> Numbers:
    """The published numbers of a benchmark, as printed, by the values of the given columns."""
    return {tuple(row[name] for name in columns): row["value"] for row in published_table(package)}


@cache
def brittleness_numbers() -> Numbers:
    """The numbers of Welleck et al., by table or figure (``table 2``), group, row and measure."""
    return numbers(brittleness, "place", "group", "row", "measure")


def published_rows(summary: Summary) -> list[PublishedResult]:
    """The published rows for the subsets of a run, in the order of the subsets."""
    subsets = list(dict.fromkeys(row.subset for row in summary.rows))
    rows = [row for row in published() if row.subset in subsets]
    return sorted(rows, key=lambda row: subsets.index(row.subset))


def published_sections(summary: Summary) -> list[Section]:
    """The published results for the subsets of a run, as a section; empty without results."""
    results = published_rows(summary)
    ks = sorted({k for result in results for k in result.passes})
    section = Section(
        title="Published results, on other problems",
        headings=("subset", "method", *(f"pass@{k}" for k in ks)),
        rows=tuple(
            (
                result.subset,
                result.method,
                *(f"{result.passes[k]:.1f}" if k in result.passes else "" for k in ks),
            )
            for result in results
        ),
        remarks=(REMARK,),
        names=2,
        folded=True,
    )
    return [section] if results else []
