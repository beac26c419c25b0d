"""The results: a table of models by subsets, and the whole table with remarks."""

from __future__ import annotations

from dataclasses import replace

from ....stats.findings import Findings
from ....stats.summary import Row, Summary
from ...figures.bars import by_subset
from ...numbers import estimated
from ...sections import Section, with_columns
from ...sources import Sources
from ...summary import remarks, repaired_section, results_section

NO_SCORE = "no score"


def sections(sources: Sources) -> list[Section]:
    """For a single model the complete table; for several models first a table by subsets."""
    summary, findings = sources.summary, sources.findings
    shared = [row for row in summary.rows if row.subset != "all" or "all" in sources.shared_subsets]
    table = _without_zeros(results_section(shared))
    lines, notes = _remarks(summary)
    again = [repaired_section(summary.repaired)] if summary.repaired else []
    if findings is None or len(findings.standings) < 2:
        return [replace(table, title="Results", remarks=lines, notes=notes), *again]
    return [
        replace(_leaderboard(sources, findings), remarks=lines, notes=notes),
        *again,
        replace(table, title="Results with all columns", folded=True),
    ]


def _remarks(summary: Summary) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The remarks on missing answers, always visible, and all other remarks, behind a click."""
    lines = remarks(summary)
    late = bool(summary.missing) + bool(summary.unscored)  # the last lines
    early_count = len(lines) - late
    return tuple(lines[early_count:]), {"Bounds, tokens, remarks": tuple(lines[:early_count])}


def _leaderboard(sources: Sources, findings: Findings) -> Section:
    """A line for each model and a column for each subset; models are ranked by the common problems
    only.

    If the models were asked different problems, the first column is for the common problems, if
    there are any, and a cell shows the number of problems.
    """
    subsets = by_subset([row for row in sources.short_rows if row.subset != "all"])
    cells = {(row.label, row.subset): row for row in sources.short_rows}
    shared = sources.shared_subsets
    common = next((standing.common for standing in findings.standings if standing.common), None)
    headings = [
        "model" if common is None else f"pass@{common.k}",
        "asked",
        *([f"all {findings.common} common problems"] if common else ()),
        *(_heading(name, rows, shared) for name, rows in subsets.items()),
    ]
    lines = []
    for standing in findings.standings:
        name = sources.short_names[standing.model]
        line = [name, f"{standing.problems:,}"]
        if common:
            line.append(estimated(standing.common) if standing.scored else NO_SCORE)
        for subset in subsets:
            row = cells.get((name, subset))
            line.append("" if row is None else _of_row(row, subset in shared))
        lines.append(tuple(line))
    return Section("Results", tuple(headings), tuple(lines))


def _heading(name: str, rows: list[Row], shared: frozenset[str]) -> str:
    """The name of a subset, with the number of problems if the number is the same for all
    models.
    """
    return f"{name} ({rows[0].problems})" if name in shared else f"{name} (not the same problems)"


def _of_row(row: Row, shared: bool) -> str:
    if not row.passes:
        return NO_SCORE
    return estimated(row.passes[0]) + ("" if shared else f" of {row.problems}")


def _without_zeros(section: Section) -> Section:
    """The table without columns of zeros."""
    return with_columns(
        section,
        [
            column
            for column in range(section.names, len(section.headings))
            if any(row[column] not in ("", "0.0", "0") for row in section.rows)
        ],
    )
