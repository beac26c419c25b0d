"""HINT's five splits side by side, generalisation gaps, and the published tables."""

from __future__ import annotations

from collections.abc import Iterator

from .....benchmarks import hint
from .....benchmarks.hint.problems import is_hint
from .....benchmarks.hint.splits import SPLITS
from ....stats.gaps import gaps
from ....stats.summary import Row
from ....stats.tallies import tally_samples
from ...comparison import gap_table
from ...numbers import estimated, percent
from ...published import published_table
from ...sections import Section
from ...sources import Sources

_ALL = "all"
PUBLISHED = (
    "Li et al. 2023: medians of five runs ± standard deviation, on the released expressions, which "
    "are others than ours. The GPT-3 rows are ordinary arithmetic, 100 expressions of each split."
)


def sections(sources: Sources) -> list[Section]:
    """The splits, the gaps and the published figures; empty without problems of HINT."""
    rows = tuple(_split_rows(sources))
    if not rows:
        return []
    measured = [
        gap
        for run, names in zip(sources.runs, sources.names, strict=True)
        for model, tallies in tally_samples(run, sources.policy).items()
        for gap in gaps(run.problems, 1, {sources.short_names[names[model]]: tallies})
    ]
    splits = Section("HINT's splits", ("model", "measured", *SPLITS, _ALL), rows, names=2)
    return [
        splits,
        *([gap_table(measured)] if measured else []),
        Section(
            "HINT's splits, as published",
            ("table", *splits.headings[1:]),
            tuple(published()),
            (PUBLISHED,),
            names=2,
            folded=True,
        ),
    ]


def published() -> Iterator[tuple[str, ...]]:
    """The rows of tables 3 (symbols) and 2 (pictures)."""
    for row in published_table(hint):
        inputs = {"3": "3, symbols", "2": "2, pictures"}[row["table"]]
        cells = (
            f"{row[split]} ± {row[f'{split}_sd']}" if row[f"{split}_sd"] else row[split]
            for split in (*SPLITS, _ALL)
        )
        yield inputs, row["model"], *cells


def _split_rows(sources: Sources) -> Iterator[tuple[str, ...]]:
    """The accuracy by HINT's answer, then by the notebooks, for each model and asked concept."""
    problems = [problem for run in sources.runs for problem in run.problems.values()]
    # The row of all problems is HINT's only if no other benchmark is in the runs.
    names = {problem.name for problem in problems if is_hint(problem)}
    if all(map(is_hint, problems)):
        names.add(_ALL)
    splits: dict[tuple[str, str], dict[str, Row]] = {}
    for row in sources.short_rows:
        subset = row.subset.rpartition("/")[2].removesuffix("_distinct")
        concept, _, split = subset.rpartition("_")
        if row.subset in names and split in (*SPLITS, _ALL) and row.passes:
            splits.setdefault((row.label, concept), {})[split] = row
    for (model, concept), rows in splits.items():
        if not rows.keys() & set(SPLITS):
            continue
        row_name = f"{model}, concept {concept}" if concept else model
        columns = [rows.get(split) for split in (*SPLITS, _ALL)]
        estimates = (row.passes[0] if row else None for row in columns)
        yield (
            row_name,
            "HINT answer",
            *map(estimated, estimates),
        )
        ordinary = [row.numbers.get("ordinary arithmetic") if row else None for row in columns]
        if any(share is not None for share in ordinary):
            yield (
                row_name,
                "ordinary arithmetic",
                *("" if share is None else percent(share) for share in ordinary),
            )
