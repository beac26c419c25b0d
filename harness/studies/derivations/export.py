"""The effects of perturbations (`pairwise`) as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...report.sections import export
from .intersections import Intersection
from .pairwise import Analysis, Interval, Scores, SubsetAnalysis
from .prompt_designs import AskedDesign, designs_table
from .tables import REMARK, sections

_COLUMNS = tuple(
    "model benchmark subset measure of value interval_low interval_high count total".split()
)
#: A measure, its object, value and interval, a count and a total.
Measure = tuple[str, str, float, Interval | None, int | str, int | str]


def export_analyses(
    analyses: Sequence[Analysis],
    form: str,
    common: Sequence[Intersection] = (),
    designs: Sequence[AskedDesign] = (),
) -> str:
    """Write the analyses as text in one of four forms.

    Markdown and LaTeX (booktabs) have all tables. CSV and JSON have only our own numbers. CSV has a
    line for each number. In the lines for the table of prompts, the column ``of`` holds the prompt.
    JSON is one list: all analyses, then all intersections of several models, then the table of
    prompts. An intersection has the key ``models``, and an analysis has the key ``model``.
    """
    design_tables = designs_table(designs)
    *tables, last_table = [*sections(analyses, common), *design_tables]
    tables.append(replace(last_table, remarks=(*last_table.remarks, REMARK)))
    data = [
        *(record.to_dict() for record in (*analyses, *common)),
        *({"table": s.title, "headings": s.headings, "rows": s.rows} for s in design_tables),
    ]
    lines = [*_lines(analyses), *_common_lines(common), *_design_lines(designs)]
    return export(form, tables, (_COLUMNS, lines), data)


def _lines(analyses: Sequence[Analysis]) -> Iterator[Sequence[object]]:
    for analysis in analyses:
        for family in analysis.families:
            names = (analysis.label, family.benchmark, family.subset)
            for line in _measures(family):
                yield *names, *_numbers(*line)


def _common_lines(common: Sequence[Intersection]) -> Iterator[Sequence[object]]:
    for intersection in common:
        names = (" and ".join(intersection.models), intersection.benchmark, intersection.subset)
        for category in intersection.categories:
            line = category.name, "", category.share, category.interval, category.count, category.of
            yield *names, *_numbers(*line)


def _design_lines(designs: Sequence[AskedDesign]) -> Iterator[Sequence[object]]:
    for design in designs:
        for line in _of_scores(design.scores):
            yield design.model, design.design.benchmark, design.design.subset, *_numbers(*line)


def _numbers(
    measure: str,
    of: str,
    value: float,
    bounds: Interval | None,
    count: int | str,
    total: int | str,
) -> Sequence[object]:
    interval = [f"{bound:.6f}" for bound in bounds] if bounds else ["", ""]
    return measure, of, f"{value:.6f}", *interval, count, total


def _measures(family: SubsetAnalysis) -> Iterator[Measure]:
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
