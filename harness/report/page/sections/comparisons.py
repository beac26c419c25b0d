"""Perturbations compared with originals, and models with each other."""

from __future__ import annotations

from dataclasses import replace

from ....stats.compare import By
from ...comparison import comparison_table, gap_table, power_remarks, remarks, sentences
from ...figures.differences import difference_figure
from ...sections import Section
from ...sources import Sources

TITLES: dict[By, str] = {
    "perturbation": "Perturbations against their originals",
    "model": "Models against each other",
}


def sections(sources: Sources) -> list[Section]:
    """A figure for each possible kind of comparison, and a table of all contrasts."""
    built = []
    for by, title in TITLES.items():
        comparison = sources.comparison(by)
        if comparison is None:
            continue
        figure = difference_figure(comparison, sources.short_names)
        power = tuple(power_remarks(comparison))
        built.append(
            Section(
                title,
                remarks=tuple(line for line in remarks(comparison) if line not in power),
                figures=(figure,) if figure else (),
                notes={
                    "Each comparison in a sentence": tuple(
                        sentences(comparison, sources.short_names)
                    ),
                    "What these samples can detect": power,
                },
            )
        )
        table = comparison_table(comparison)
        built.append(
            Section(f"{title}: table", table.headings, table.rows, names=table.names, folded=True)
        )
        if comparison.gaps:
            built.append(replace(gap_table(comparison.gaps), folded=True))
    return built
