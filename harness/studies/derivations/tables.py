"""The pairwise analysis (`pairwise`) as tables and a figure, with the published numbers.

These are Tables 1, 2, 3 and 6 and figure 3 of Meadows et al. 2023. Published numbers have separate,
marked tables, because these numbers are from other models. They are also from examples that our
verifier did not prove.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...report.figures.curves import category_chart
from ...report.figures.figure import Figure
from ...report.numbers import p_value, percent, points, with_interval
from ...report.sections import Section
from .intersections import Intersection
from .pairwise import (
    ALL,
    NONE,
    NOT_P,
    STATIC,
    STATIC_PM,
    TOGETHER,
    Analysis,
    Category,
    Drop,
    G,
    S,
    SubsetAnalysis,
)
from .published import SOURCE, published

REMARK = (
    f"Tables headed “published” are from {SOURCE}: other models, asked of other examples, which "
    "no verifier has proven. A guide to what is usual, not a comparison."
)
#: The largest number of named items of an intersection, as in Figure 5.
MAX_NAMED_ITEMS = 3
#: The numbers of operators in Table 3 and Table 6, as in the paper.
NAMED, NAMED_OF_PAIRS = 5, 3


def sections(analyses: Sequence[Analysis], common: Sequence[Intersection] = ()) -> list[Section]:
    """Make the tables of each model, the tables of several models, and the published tables."""
    tables: list[Section] = []
    for analysis in analyses:
        for family in analysis.families:
            name = f"{analysis.label} on {_name(family)}"
            tables.append(_accuracy(family, f"{name}: accuracy and F1", analysis.samples))
            tables.append(_categories(family, f"{name}: static against perturbed"))
            if family.pairs:
                tables.append(_pairs(family, f"{name}: right and wrong steps together"))
        tables.append(_by_rank(analysis))
    families = {(f.benchmark, f.subset): f for a in analyses for f in a.families}
    return [*tables, *map(_in_common, common), *_published(list(families.values()))]


def _name(family: SubsetAnalysis) -> str:
    return f"{family.benchmark}/{family.subset}"


# --- ours --------------------------------------------------------------------------------------


def _accuracy(family: SubsetAnalysis, title: str, samples: int) -> Section:
    """Make a subset's part of Table 1 or 2 of Meadows et al.: a line for each set of problems."""
    drops = {drop.name: drop for drop in family.drops}
    rows = []
    for scores in (family.static, *family.perturbed, *family.others):
        drop = drops.get(scores.name)
        rows.append(
            (
                scores.name,
                str(scores.problems),
                with_interval(scores.accuracy, scores.accuracy_interval),
                with_interval(scores.f1, scores.f1_interval),
                *(_dropped(drop) if drop else ("", "", "", "")),
            )
        )
    remarks = [
        "In percent and percentage points; 95 % intervals, resampled by example; differences are "
        "perturbed minus static, paired by item. F1 is that of label 1: who says 1 to all has 66.7."
    ]
    if family.subset == TOGETHER:
        remarks.append("Subsets together repeat what each of them says: no Holm-adjusted p.")
    if samples > 1:
        remarks.append("The label of most samples counts; a tie is a wrong answer.")
    if family.left_out:
        remarks.append(f"{family.left_out} items without answers to all their twins are left out.")
    return Section(
        title,
        ("", "problems", "accuracy", "F1", "accuracy difference", "p", "p (Holm)", "F1 difference"),
        tuple(rows),
        tuple(remarks),
    )


def _dropped(drop: Drop) -> tuple[str, ...]:
    return (
        points(drop.accuracy, drop.accuracy_interval),
        p_value(drop.p),
        "" if math.isnan(drop.adjusted) else p_value(drop.adjusted),
        points(drop.f1, drop.f1_interval),
    )


def _categories(family: SubsetAnalysis, title: str) -> Section:
    """Make Table 3 of Meadows et al.: how many items are in each category."""
    return Section(
        title,
        ("", "items", "% of items", f"the {NAMED} most frequent final operators"),
        tuple(_shared(category, NAMED) for category in family.categories),
        (
            f"S: right unperturbed. G: right unperturbed and wrong under each of "
            f"{', '.join(family.perturbations)}. None, All: wrong, right everywhere. Behind an "
            "operator: items of the category among all items that end in it.",
        ),
    )


def _pairs(family: SubsetAnalysis, title: str) -> Section:
    """Make Table 6 of Meadows et al.: how many pairs of items are in each category."""
    return Section(
        title,
        ("", "pairs", "% of pairs", f"the {NAMED_OF_PAIRS} most frequent final operators"),
        tuple(_shared(category, NAMED_OF_PAIRS) for category in family.pair_categories),
        (
            "Of the right and the wrong item of an example. Static±: both right unperturbed. All: "
            "both right everywhere. Not P: the positive right unperturbed, and wrong under every "
            "perturbation.",
        ),
    )


def _shared(category: Category, named: int) -> tuple[str, ...]:
    operators = (
        f"{operator.name} {operator.count}/{operator.of}"
        for operator in category.operators[:named]
        if operator.count
    )
    return (
        category.name,
        f"{category.count} of {category.of}",
        with_interval(category.share, category.interval),
        ", ".join(operators),
    )


def _in_common(common: Intersection) -> Section:
    """Make a section with our numbers for Figure 5 of Meadows et al."""
    named = ", ".join(common.fail_to_generalise[:MAX_NAMED_ITEMS])
    named += ", ..." * (len(common.fail_to_generalise) > MAX_NAMED_ITEMS)
    remarks = ["An item counts if it is in the category for each of the models."]
    if named:
        remarks.append(f"In G for all of them: {named}")
    return Section(
        f"{' and '.join(common.models)} on {common.benchmark}/{common.subset}: in common",
        ("", "items", "% of items", f"the {NAMED} most frequent final operators"),
        tuple(_shared(category, NAMED) for category in common.categories),
        tuple(remarks),
    )


def _by_rank(analysis: Analysis) -> Section:
    """Make Figure 3 of Meadows et al.: the ranks of operators in category G (`by_rank`)."""
    families = analysis.families
    longest = max(len(family.by_rank) for family in families)
    rows = []
    for rank in range(longest):
        cells = [str(rank + 1)]
        for family in families:
            operator = family.by_rank[rank] if rank < len(family.by_rank) else None
            cells.append(f"{operator.name} {percent(operator.frequency)}" if operator else "")
        rows.append(tuple(cells))
    series: dict[str, list[float | None]] = {
        family.subset: [operator.frequency for operator in family.by_rank] for family in families
    }
    return Section(
        f"{analysis.label}: N_P by rank (Figure 3)",
        ("rank", *(_name(family) for family in families)),
        tuple(rows),
        (
            "Of the items that end in an operator the share in G, in percent, in descending order. "
            "The paper prints no numbers for this figure.",
        ),
        (_figure(analysis, longest, series),),
    )


def _figure(
    analysis: Analysis, longest: int, series: Mapping[str, Sequence[float | None]]
) -> Figure:
    ranks = [str(rank + 1) for rank in range(longest)]
    return category_chart(f"ranks_{analysis.model[:6]}", "N_P by rank", ranks, series, ordered=True)


# --- published ---------------------------------------------------------------------------------


def _published(families: Sequence[SubsetAnalysis]) -> list[Section]:
    """Make tables with the numbers of Meadows et al. for the subsets that a run has."""
    tables = []
    for family in families:
        table = "table 1" if family.benchmark == "derivations" else "table 2"
        derived_sets = [scores.name for scores in family.others]
        sets = [STATIC, *family.perturbations, *derived_sets]
        if section := _published_scores(table, family.subset, sets):
            tables.append(section)
    if any(family.benchmark == "derivations" for family in families):
        tables.append(_published_shares("table 3", TOGETHER, (S, G, NONE, ALL)))
    if any((f.benchmark, f.subset) == ("derivations", "step3") for f in families):
        tables.append(_published_shares("table 6", "step3", (STATIC_PM, ALL, NOT_P)))
    return tables


def _published_scores(table: str, subset: str, sets: Sequence[str]) -> Section | None:
    measures = [f"{name} {what}" for name in sets for what in ("accuracy", "F1")]
    published_measures = {measure for p, _, s, measure in published() if (p, s) == (table, subset)}
    measures = [measure for measure in measures if measure in published_measures]
    models = _models(table, subset)
    if not measures or not models:
        return None
    remark = "Two printed averages for integration do not recompute: static F1 94.1, EC F1 53.9."
    return Section(
        f"published: {SOURCE}, {table}, {subset}",
        ("model", *measures),
        tuple(
            (model, *(published().get((table, model, subset, m), "") for m in measures))
            for model in models
        ),
        (remark,) if (table, subset) == ("table 2", "int") else (),
    )


def _published_shares(table: str, subset: str, names: Sequence[str]) -> Section:
    values = published()
    return Section(
        f"published: {SOURCE}, {table}, {'steps 2 to 4' if subset == TOGETHER else subset}",
        ("model", "", "%", "most frequent final operators"),
        tuple(
            (
                model,
                name,
                values[table, model, subset, name],
                ", ".join(values[table, model, subset, f"{name} operators"].split()),
            )
            for model in _models(table, subset)
            for name in names
        ),
    )


def _models(table: str, subset: str) -> list[str]:
    return list(dict.fromkeys(m for p, m, s, _ in published() if (p, s) == (table, subset)))
