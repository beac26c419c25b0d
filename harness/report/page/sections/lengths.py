"""Lengths of the answers, in tokens and characters."""

from __future__ import annotations

from ....store import counts
from ...figures.bars import length_bars
from ...sections import Section
from ...sources import Sources

#: What is counted, by the name of the sums (`store.counts`), with the caption.
LENGTHS = {
    "tokens": "Tokens of a completion, as the server counted them.",
    "characters": "Characters of a completion, with its reasoning.",
}


def sections(sources: Sources) -> list[Section]:
    """A histogram for each counted unit."""
    sums = [
        (sources.short_names[names[model]], total)
        for run, names in zip(sources.runs, sources.names, strict=True)
        for (model, _), total in counts.totals(run.completions).items()
        if model in names
    ]
    labels = list(sources.short_names.values())
    figures = []
    for unit, caption in LENGTHS.items():
        series = [
            (
                label,
                counts.histogram((model_sums for name, model_sums in sums if name == label), unit),
            )
            for label in labels
        ]
        if nonempty := [(label, bins) for label, bins in series if bins]:
            figures.append(length_bars(nonempty, unit, caption))
    return [Section("Length of the answers", figures=tuple(figures))] if figures else []
