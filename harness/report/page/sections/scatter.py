"""Models against each other, problem by problem."""

from __future__ import annotations

from itertools import combinations

from ....stats.tallies import Tally, tally_samples
from ...figures.scatter import scatter
from ...sections import Section
from ...sources import Sources

#: Up to so many models all pairs are drawn; of more, each with the best.
EVERY_PAIR = 4


def sections(sources: Sources) -> list[Section]:
    """A figure for every two models with common problems."""
    tallies: dict[str, dict[str, Tally]] = {}
    for run, names in zip(sources.runs, sources.names, strict=True):
        for model, its_tallies in tally_samples(run, sources.policy).items():
            if its_tallies:
                tallies[names[model]] = its_tallies
    shares = {
        name: {key: tally.correct / tally.samples for key, tally in its_tallies.items()}
        for name, its_tallies in tallies.items()
    }
    ranked = sources.findings.standings if sources.findings else ()
    best = [standing.model for standing in ranked if standing.scored]
    pairs = list(combinations(best, 2))
    if len(best) > EVERY_PAIR:
        pairs = pairs[: len(best) - 1]
    figures = []
    for number, (x_model, y_model) in enumerate(pairs, 1):
        points = [
            (share, shares[y_model][key])
            for key, share in shares[x_model].items()
            if key in shares[y_model]
        ]
        if points:
            short = sources.short_names
            figures.append(scatter(f"problems_{number}", short[x_model], short[y_model], points))
    return [Section("Model against model, by problem", figures=tuple(figures))] if figures else []
