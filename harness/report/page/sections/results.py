"""The results: a table of models by subsets, and the whole table with its remarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....stats.summary import Row
from ...figures.bars import by_subset, models_of
from ...numbers import with_interval
from ...sections import Section
from ...sources import Sources
from ...summary import remarks, results_section


def sections(sources: Sources) -> list[Section]:
    """Of one model the whole table; of several models by subsets first."""
    rows = sources.summary.rows
    lines = tuple(remarks(sources.summary))
    whole = _without_zeros(results_section(rows))
    if len(models_of(rows)) < 2:
        return [replace(whole, title="Results", remarks=lines)]
    return [
        replace(_leaderboard(sources.short_rows), remarks=lines),
        replace(whole, title="Results with all columns", folded=True),
    ]


def _leaderboard(rows: Sequence[Row]) -> Section:
    """A line for each model, the best first, and a column for each subset."""
    subsets = by_subset(rows)
    cells = {
        (row.label, row.subset): (
            row.passes[0].value,
            with_interval(row.passes[0].value, row.passes[0].interval),
        )
        for row in rows
        if row.passes
    }
    first = next(iter(subsets))
    models = sorted(models_of(rows), key=lambda name: -cells.get((name, first), (-1.0, ""))[0])
    ks = sorted({row.passes[0].k for row in rows if row.passes})
    return Section(
        "Results",
        (f"pass@{ks[0]}" if ks else "model", *subsets),
        tuple((name, *(cells.get((name, one), (0, ""))[1] for one in subsets)) for name in models),
    )


def _without_zeros(section: Section) -> Section:
    """The table without columns in which there is nothing but zeros."""
    kept = [
        place
        for place in range(len(section.headings))
        if place < section.names or any(row[place] not in ("", "0.0", "0") for row in section.rows)
    ]
    return replace(
        section,
        headings=tuple(section.headings[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in section.rows),
    )
