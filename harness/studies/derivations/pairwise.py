"""Pairwise analysis of problems and perturbed versions (Meadows et al., section 5, tables 3, 6).

An item (`.items`) is an unperturbed problem with its perturbed versions. An item is in a category
if the model's answers are:

- **S**: right unperturbed (the static accuracy);
- **G**: right unperturbed, wrong under every perturbation;
- **None**: wrong everywhere, perturbed or not; **All**: right everywhere, perturbed or not.

Table 6 is about pairs. A pair consists of the positive item (true label 1) and the negative item of
an example. The categories of pairs are:

- **Static±**: both items right unperturbed; **All**: both items right everywhere;
- **Not P**: the positive item right unperturbed, and wrong under every perturbation.

The final operator of an item is the last operation of its derivation. For each category, operators
are ranked by normalised frequency. The normalised frequency of an operator counts only the items
(or pairs) with this final operator. The frequency is the share of these items that are in the
category. N_P is the ranking for G, in descending order.

Intervals treat an example, with its two items, as a cluster (docs/statistics.md). Differences are
paired by item. Differences of F1 have the percentile interval of the bootstrap over clusters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....rewards.records import Record
from ...stats.intervals import (
    LEVEL,
    Floats,
    cluster_sums,
    interval,
    mean_interval,
    resampled,
)
from ...stats.metrics.labels import Labels
from ...stats.significance import holm, sign_flip
from .items import ItemGroup, JudgedLabel, ModelItems, PerturbedItem

STATIC = "static"
S, G, NONE, ALL = "S", "G", "None", "All"
STATIC_PM, NOT_P = "Static±", "Not P"
#: Several unperturbed subsets of a benchmark together.
TOGETHER = "all"

Interval = tuple[float, float]


#: Whether an item belongs to a category of Table 3.
CATEGORIES: Mapping[str, Callable[[PerturbedItem], bool]] = {
    S: lambda item: item.static.right,
    G: lambda item: item.fails_to_generalise,
    NONE: lambda item: not item.static.right and item.none_of_the_twins,
    ALL: lambda item: item.everywhere,
}

ItemPair = tuple[PerturbedItem, PerturbedItem]

#: Whether the positive and the negative of an example belong to a category of Table 6.
PAIR_CATEGORIES: Mapping[str, Callable[[ItemPair], bool]] = {
    STATIC_PM: lambda pair: pair[0].static.right and pair[1].static.right,
    ALL: lambda pair: pair[0].everywhere and pair[1].everywhere,
    NOT_P: lambda pair: pair[0].fails_to_generalise,
}


@dataclass(frozen=True, slots=True)
class RewritingOperator:
    """An operator, and how often items that end in this operator are in a category.

    ``of`` is the number of items whose derivation ends in the operator. ``count`` is the number of
    those items that are in the category.
    """

    name: str
    count: int
    of: int

    @property
    def frequency(self) -> float:
        return self.count / self.of


@dataclass(frozen=True, slots=True)
class Category:
    """How many items or pairs are in a category, and which final operators they have.

    ``count`` of the ``of`` items or pairs are in the category. Operators are ranked by the share of
    the category among the items that end in the operator.
    """

    name: str
    count: int
    of: int
    interval: Interval
    operators: tuple[RewritingOperator, ...]

    @property
    def share(self) -> float:
        return self.count / self.of


@dataclass(frozen=True, slots=True)
class Scores:
    """Accuracy and F1 of label 1 on a set of problems.

    ``f1_interval`` is None if all resamples have the same F1.
    """

    name: str
    problems: int
    accuracy: float
    accuracy_interval: Interval
    f1: float
    f1_interval: Interval | None


@dataclass(frozen=True, slots=True)
class Drop:
    """The score on perturbed problems minus the score on unperturbed problems, paired by item.

    ``p`` is the p value of a sign-flip test on accuracy. ``adjusted`` is Holm's adjusted p value,
    over all drops that are computed together.
    """

    name: str
    items: int
    accuracy: float
    accuracy_interval: Interval
    p: float
    f1: float
    f1_interval: Interval | None
    adjusted: float = math.nan


@dataclass(frozen=True)
class SubsetAnalysis:
    """A model's results on a subset without perturbations and on its perturbed versions.

    ``drops`` has the differences of the scores. ``others`` has the scores on sets that Meadows et
    al. derived from the subset (s-1, s-2, easy). ``left_out`` is the number of items that lack an
    answer to the problem or to a perturbed version.
    """

    benchmark: str
    subset: str
    perturbations: tuple[str, ...]
    items: int
    left_out: int
    static: Scores
    perturbed: tuple[Scores, ...]
    drops: tuple[Drop, ...]
    others: tuple[Scores, ...]
    categories: tuple[Category, ...]
    pairs: int
    pair_categories: tuple[Category, ...]

    def category(self, name: str) -> Category:
        return next(category for category in self.categories if category.name == name)

    @property
    def by_rank(self) -> tuple[RewritingOperator, ...]:
        """Final operators of the items that only perturbations make wrong (category G), by rank."""
        return self.category(G).operators


@dataclass(frozen=True)
class Analysis(Record):
    """How perturbations change the scores of a model, by subset and on several subsets together."""

    model: str
    label: str
    samples: int
    families: tuple[SubsetAnalysis, ...]


def analyse(answered: Sequence[ModelItems]) -> list[Analysis]:
    """Analyse how perturbations of the problems change each model's scores."""
    return with_family(
        [
            Analysis(
                model_items.model,
                model_items.label,
                model_items.samples,
                tuple(_families(model_items)),
            )
            for model_items in answered
        ]
    )


def with_family(analyses: Sequence[Analysis]) -> list[Analysis]:
    """Adjust the p values of differences in accuracy for multiple testing.

    Holm's method adjusts the p values of all models and single subsets together. The p values in
    joint analyses of several subsets are not adjusted.
    """
    drops = [
        drop
        for analysis in analyses
        for family in analysis.families
        if family.subset != TOGETHER
        for drop in family.drops
    ]
    adjusted = iter(holm([drop.p for drop in drops]))

    def adjust(family: SubsetAnalysis) -> SubsetAnalysis:
        if family.subset == TOGETHER:
            return family
        drops = tuple(replace(drop, adjusted=next(adjusted)) for drop in family.drops)
        return replace(family, drops=drops)

    return [
        replace(analysis, families=tuple(map(adjust, analysis.families))) for analysis in analyses
    ]


def _families(answered: ModelItems) -> Iterable[SubsetAnalysis]:
    """Yield the analysis of each subset of a model, and joint analyses of several subsets.

    Subsets of one benchmark are analysed jointly if they have the same perturbations.
    """
    together: dict[tuple[str, tuple[str, ...]], list[ItemGroup]] = {}
    for (benchmark, subset, perturbations), group in answered.groups.items():
        derived_scores = [
            scores(name, [label for label, _ in labels], [example for _, example in labels])
            for name, labels in group.others.items()
        ]
        yield family(benchmark, subset, perturbations, group.items, group.left_out, derived_scores)
        together.setdefault((benchmark, perturbations), []).append(group)
    for (benchmark, perturbations), item_groups in together.items():
        if len(item_groups) > 1:
            every = [item for item_group in item_groups for item in item_group.items]
            left_out = sum(item_group.left_out for item_group in item_groups)
            yield family(benchmark, TOGETHER, perturbations, every, left_out)


def family(
    benchmark: str,
    subset: str,
    perturbations: tuple[str, ...],
    items: Sequence[PerturbedItem],
    left_out: int = 0,
    derived_scores: Sequence[Scores] = (),
) -> SubsetAnalysis:
    """Analyse the items of a subset: their scores, the effect of perturbations, the categories."""
    examples = [item.example for item in items]
    static = [item.static for item in items]
    perturbed = {name: [item.twins[name] for item in items] for name in perturbations}
    pairs = pairs_of(items)
    return SubsetAnalysis(
        benchmark=benchmark,
        subset=subset,
        perturbations=perturbations,
        items=len(items),
        left_out=left_out,
        static=scores(STATIC, static, examples),
        perturbed=tuple(scores(name, labels, examples) for name, labels in perturbed.items()),
        drops=tuple(drop(name, static, labels, examples) for name, labels in perturbed.items()),
        others=tuple(derived_scores),
        categories=tuple(
            categorised(
                name, [holds(item) for item in items], [i.operator for i in items], examples
            )
            for name, holds in CATEGORIES.items()
        ),
        pairs=len(pairs),
        pair_categories=tuple(
            categorised(
                name,
                [holds(pair) for pair in pairs],
                [positive.operator for positive, _ in pairs],
                [positive.example for positive, _ in pairs],
            )
            for name, holds in PAIR_CATEGORIES.items()
            if pairs
        ),
    )


def pairs_of(items: Sequence[PerturbedItem]) -> list[ItemPair]:
    """Pair the items with label 1 and label 0 of every example that has both."""
    positives = {(item.model, item.example): item for item in items if item.positive}
    return [
        (positives[item.model, item.example], item)
        for item in items
        if not item.positive and (item.model, item.example) in positives
    ]


def categorised(
    name: str, holds: Sequence[bool], operators: Sequence[str], clusters: Sequence[str]
) -> Category:
    """Make the category ``name`` from the items that have a true entry in ``holds``.

    The category has the share of these items among all items. It also has the number of these items
    for each final operator.
    """
    bounds = interval([float(is_right) for is_right in holds], clusters)
    return Category(name, sum(holds), len(holds), bounds, ranked(holds, operators))


def ranked(holds: Sequence[bool], operators: Sequence[str]) -> tuple[RewritingOperator, ...]:
    """Rank operators by the share of their items for which ``holds`` is true.

    Of operators with the same share, the operator with more items comes first.
    """
    of = Counter(operators)
    count = Counter(name for name, is_right in zip(operators, holds, strict=True) if is_right)
    counted = [RewritingOperator(name, count[name], number) for name, number in of.items()]
    return tuple(
        sorted(counted, key=lambda operator: (-operator.frequency, -operator.of, operator.name))
    )


def scores(name: str, judged: Sequence[JudgedLabel], clusters: Sequence[str]) -> Scores:
    """Compute accuracy and F1 of answers."""
    right = [float(label.right) for label in judged]
    labels = Labels.of([label.truth for label in judged], [label.given for label in judged])
    [drawn] = resampled([_f1_sums(judged, clusters)], 0)
    return Scores(
        name=name,
        problems=len(judged),
        accuracy=labels.accuracy,
        accuracy_interval=interval(right, clusters),
        f1=labels.f1(1),
        f1_interval=_percentiles(_f1(drawn)),
    )


def drop(
    name: str,
    static: Sequence[JudgedLabel],
    perturbed: Sequence[JudgedLabel],
    clusters: Sequence[str],
) -> Drop:
    """Compute the scores with the perturbation minus the scores without it.

    A negative number means that the perturbation does harm.
    """
    changes = [float(b.right) - float(a.right) for a, b in zip(static, perturbed, strict=True)]
    both = np.concatenate([_f1_sums(static, clusters), _f1_sums(perturbed, clusters)], axis=1)
    [drawn] = resampled([both], 0)
    total = both.sum(axis=0, keepdims=True)
    return Drop(
        name=name,
        items=len(static),
        accuracy=math.fsum(changes) / len(changes),
        accuracy_interval=mean_interval(changes, clusters),
        p=sign_flip(changes, clusters).p,
        f1=float(_f1(total[:, 2:])[0] - _f1(total[:, :2])[0]),
        f1_interval=_percentiles(_f1(drawn[:, 2:]) - _f1(drawn[:, :2])),
    )


def _f1_sums(judged: Sequence[JudgedLabel], clusters: Sequence[str]) -> Floats:
    """The two sums from which F1 of label 1 is computed, for each cluster.

    The first sum is the number of correct predictions of label 1. The second sum is the number of
    predictions of label 1 plus the number of items with true label 1.
    """
    hits = [float(label.truth == 1 == label.given) for label in judged]
    either = [float(label.truth == 1) + float(label.given == 1) for label in judged]
    return cluster_sums([hits, either], clusters)[0]


def _f1(sums: Floats) -> Floats:
    """Compute F1 in each row from the two sums of `_f1_sums`. If the second sum is 0, F1 is 0."""
    return np.asarray(2 * sums[:, 0] / np.maximum(sums[:, 1], 1e-12))


def _percentiles(drawn: Floats) -> Interval | None:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return None if high - low < 1e-12 else (float(low), float(high))
