"""Means over classifiers that were trained with several seeds, each mean with two intervals.

The first interval is Student's interval over the seeds. This interval shows how much the mean would
vary in another training on the same data. The second interval is the bootstrap interval over the
examples, with the answers of all seeds. This interval shows how much the mean would vary on another
test set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from pathlib import Path

from ...report.numbers import points, with_interval
from ...report.sections import Section
from ...stats.intervals import t_interval
from ...store.run import Run
from .items import GroupKey, ModelItems, items_of, pooled
from .pairwise import CATEGORIES, Interval, SubsetAnalysis, family

#: A number of an analysis with its interval over the examples.
Estimate = tuple[float, Interval | None]
#: The accuracy of an answer that does not depend on the problem: half of the labels are 1.
CHANCE = 0.5
#: The mark of a row whose accuracy the examples do not distinguish from `CHANCE`.
FLOOR = " †"


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over seeds, with two intervals.

    Attributes:
        value: the mean.
        over_seeds: Student's interval over the seeds. It is None for a single seed.
        over_examples: the interval over the examples, with the answers of all seeds.

    """

    value: float
    over_seeds: Interval | None
    over_examples: Interval | None

    def text(self, render: Callable[[float, Interval | None], str]) -> str:
        """Write the mean with its interval over seeds and its interval over examples."""
        value = render(self.value, self.over_seeds)
        if self.over_examples is None:
            return value
        return f"{value}; {render(self.value, self.over_examples).partition(' ')[2]}"


@dataclass(frozen=True)
class SeedAnalysis:
    """The results of an encoder on a subset: an analysis for each seed, and one for all seeds."""

    encoder: str
    seeds: tuple[SubsetAnalysis, ...]
    together: SubsetAnalysis

    def measure(self, number: Callable[[SubsetAnalysis], Estimate]) -> Measure:
        """The mean of a number over all seeds, with intervals over seeds and over examples."""
        values = [number(analysis)[0] for analysis in self.seeds]
        over_seeds = t_interval(values) if len(values) > 1 else None
        return Measure(fsum(values) / len(values), over_seeds, number(self.together)[1])

    @property
    def at_floor(self) -> bool:
        """Whether the interval of the accuracy on original problems contains that of guessing."""
        low, high = self.together.static.accuracy_interval
        return low <= CHANCE <= high


def trained_in(runs: Sequence[Run]) -> dict[str, list[ModelItems]]:
    """For each encoder, the items of the models that `training.encoder_grid` trained.

    The grid trains a model for each encoder, training set and seed. For each encoder and seed, the
    models of all training sets are pooled.

    Args:
        runs: the runs in which the models of the grid were evaluated.

    Returns:
        For each encoder, a list with the pooled items of each seed.

    """
    by_seed: dict[tuple[str, str], list[ModelItems]] = {}
    for run in runs:
        for model in items_of([run]):
            name, _, seed = Path(model.label).parent.name.rpartition("-s")
            by_seed.setdefault((name.rpartition("-")[0], seed), []).append(model)
    trained: dict[str, list[ModelItems]] = {}
    for (encoder, seed), models in by_seed.items():
        trained.setdefault(encoder, []).append(pooled(models, f"{encoder}, seed {seed}"))
    return trained


def analyses_over_seeds(
    trained: Mapping[str, Sequence[ModelItems]],
) -> dict[GroupKey, list[SeedAnalysis]]:
    """Analyse every subset. One analysis covers all seeds of an encoder.

    Args:
        trained: for each encoder, the items of each seed. Subsets may be missing from some seeds.

    Returns:
        For each subset, an analysis of each encoder that answered the subset.

    """
    analyses: dict[GroupKey, list[SeedAnalysis]] = {}
    for encoder, models in trained.items():
        for key in dict.fromkeys(key for model in models for key in model.groups):
            seeds = [model for model in models if key in model.groups]
            groups = [model.groups[key] for model in (*seeds, pooled(seeds, encoder))]
            *alone, together = [family(*key, group.items, group.left_out) for group in groups]
            analyses.setdefault(key, []).append(SeedAnalysis(encoder, tuple(alone), together))
    return analyses


def seed_sections(trained: Mapping[str, Sequence[ModelItems]]) -> list[Section]:
    """Make Tables 1 to 3 of Meadows et al. for each encoder: scores, differences and categories.

    Args:
        trained: for each encoder, the items of each seed.

    Returns:
        A section for each pair of a benchmark and a table.

    """
    by_benchmark: dict[tuple[str, tuple[str, ...]], list[tuple[str, SeedAnalysis]]] = {}
    for (benchmark, subset, perturbations), analyses in analyses_over_seeds(trained).items():
        rows = by_benchmark.setdefault((benchmark, perturbations), [])
        rows += [(subset, analysis) for analysis in analyses]
    sections = []
    for (benchmark, perturbations), rows in by_benchmark.items():
        sections.append(_accuracies(benchmark, perturbations, rows))
        sections.append(_categories(benchmark, rows))
    return sections


def _accuracy(analysis: SubsetAnalysis) -> Estimate:
    return analysis.static.accuracy, analysis.static.accuracy_interval


def _f1(analysis: SubsetAnalysis) -> Estimate:
    return analysis.static.f1, analysis.static.f1_interval


def _drop(perturbation: str, analysis: SubsetAnalysis) -> Estimate:
    [drop] = (drop for drop in analysis.drops if drop.name == perturbation)
    return drop.accuracy, drop.accuracy_interval


def _share(category: str, analysis: SubsetAnalysis) -> Estimate:
    items = analysis.category(category)
    return items.share, items.interval


def _accuracies(
    benchmark: str, perturbations: Sequence[str], rows: Sequence[tuple[str, SeedAnalysis]]
) -> Section:
    def cells(analysis: SeedAnalysis) -> list[str]:
        shares = map(analysis.measure, (_accuracy, _f1))
        drops = (analysis.measure(partial(_drop, name)) for name in perturbations)
        return [
            *(measure.text(with_interval) for measure in shares),
            *(measure.text(points) for measure in drops),
        ]

    return Section(
        f"{benchmark}: accuracy, F1, and the accuracy of perturbed minus unperturbed",
        ("subset", "encoder", "seeds", "accuracy", "F1", *perturbations),
        tuple(
            (
                subset,
                analysis.encoder + FLOOR * analysis.at_floor,
                str(len(analysis.seeds)),
                *cells(analysis),
            )
            for subset, analysis in rows
        ),
        (
            "Means over the seeds, in percent and percentage points; 95 % intervals over the "
            "seeds; over the examples. † at the floor: the accuracy is not distinguished from "
            "50 %, the accuracy of guessing, so that differences compare nothing.",
        ),
    )


def _categories(benchmark: str, rows: Sequence[tuple[str, SeedAnalysis]]) -> Section:
    return Section(
        f"{benchmark}: unperturbed against perturbed",
        ("subset", "encoder", *CATEGORIES),
        tuple(
            (
                subset,
                analysis.encoder + FLOOR * analysis.at_floor,
                *(
                    analysis.measure(partial(_share, name)).text(with_interval)
                    for name in CATEGORIES
                ),
            )
            for subset, analysis in rows
        ),
        (
            "In percent of items. S: right unperturbed. G: right unperturbed and wrong under each "
            "perturbation. None, All: wrong, right everywhere.",
        ),
    )
