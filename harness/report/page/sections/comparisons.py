"""Perturbations compared with their originals, and models with each other."""

from __future__ import annotations

from ....core.errors import UserError
from ....stats.compare import By, compare
from ...comparison import remarks
from ...figures.differences import difference_figures
from ...sections import Section
from ...sources import Sources

TITLES: dict[By, str] = {
    "perturbation": "Perturbations against their originals",
    "model": "Models against each other",
}


def sections(sources: Sources) -> list[Section]:
    """A section for each kind of comparison that is possible."""
    made = []
    for by, title in TITLES.items():
        try:
            comparison = compare(*sources.runs, by=by, policy=sources.policy)
        except UserError:  # these runs have nothing of this kind to compare
            continue
        figures = difference_figures(comparison)
        made.append(Section(title, remarks=tuple(remarks(comparison)), figures=figures))
    return made
