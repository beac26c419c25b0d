"""The pairwise analysis as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...report.sections import as_markdown, csv_table, export, json_text, latex_table
from .pairwise import Analysis, Family, Interval, Scores
from .tables import REMARK, sections

_COLUMNS = tuple(
    "model benchmark subset measure of value interval_low interval_high count total".split()
)
#: A measure, of what, its value and interval, and how many there are of how many.
Measure = tuple[str, str, float, Interval | None, int | str, int | str]


def export_analyses(analyses: Sequence[Analysis], form: str) -> str:
    """All tables as Markdown or LaTeX (booktabs); our numbers as CSV (one a line) or JSON."""
    return export(
        form,
        markdown=lambda: f"{as_markdown(sections(analyses))}\n{REMARK}\n",
        latex=lambda: "\n".join(
            f"% {section.title}\n{latex_table(section)}" for section in sections(analyses)
        ),
        csv=lambda: csv_table(_COLUMNS, _lines(analyses)),
        json=lambda: json_text([analysis.to_dict() for analysis in analyses]),
    )


def _lines(analyses: Sequence[Analysis]) -> Iterator[Sequence[object]]:
    for analysis in analyses:
        for family in analysis.families:
            names = (analysis.label, family.benchmark, family.subset)
            for measure, of, value, bounds, count, total in _measures(family):
                interval = [f"{bound:.6f}" for bound in bounds] if bounds else ["", ""]
                yield *names, measure, of, f"{value:.6f}", *interval, count, total


def _measures(family: Family) -> Iterator[Measure]:
    for scores in (family.static, *family.perturbed, *family.others):
        yield from _of_scores(scores)
    for drop in family.drops:
        interval = drop.accuracy_interval
        yield "accuracy difference", drop.name, drop.accuracy, interval, "", drop.items
        yield "F1 difference", drop.name, drop.f1, drop.f1_interval, "", drop.items
        yield "p", drop.name, drop.p, None, "", drop.items
    categories = [(category.name, category) for category in family.categories]
    categories += [(f"pairs {category.name}", category) for category in family.pair_categories]
    for name, category in categories:
        yield name, "", category.share, category.interval, category.count, category.of
        for operator in category.operators:
            yield name, operator.name, operator.frequency, None, operator.count, operator.of


def _of_scores(scores: Scores) -> Iterator[Measure]:
    yield "accuracy", scores.name, scores.accuracy, scores.accuracy_interval, "", scores.problems
    yield "F1", scores.name, scores.f1, scores.f1_interval, "", scores.problems
