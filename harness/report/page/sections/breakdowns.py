"""Breakdowns: pass@1 by the functions of an integrand, by technique, by HINT's features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....stats.clusters import ParentIndex
from ....stats.compare import Breakdown, labels_of, range_names
from ....stats.paired import MIN_PAIRS
from ....stats.tallies import tally_samples
from ....store.run import Run
from ...figures.curves import label_chart
from ...numbers import percent
from ...sections import Section
from ...sources import Sources

#: Lines of a figure; the table has all.
MAX_GROUPS = 18
_BREAKDOWNS: dict[Breakdown, tuple[str, str]] = {
    "operator": ("function", "Functions of integrands, operators of HINT"),
    "tag": ("technique", "Techniques of the problems, or of their originals"),
    "simplify": ("simplification", "What came of the simplification of the integrand"),
    "depth": ("depth", "Depth of the expression's tree"),
    "length": ("length", "Symbols of the expression"),
    "dependency": ("dependency", "Longest distance between a symbol and its parent"),
    "operators": ("operators", "Number of operators"),
    "result": ("result", "Result of the expression"),
    "largest": ("largest value", "Largest value of any part"),
}


def sections(sources: Sources) -> list[Section]:
    """A figure and a table for each kind of label; the most difficult functions and techniques come
    first.
    """
    built = [built for breakdown in _BREAKDOWNS if (built := _breakdown(sources, breakdown))]
    if not built:
        return []
    chart = Section(
        "Where it breaks",
        figures=tuple(figure for section in built for figure in section.figures),
        remarks=(
            "A problem with several functions, operators or techniques counts in each; of several "
            "models, the problems that all were asked. Searching the problems for a name shows "
            "those that have it.",
        ),
    )
    tables = [
        Section(f"{section.title}: table", section.headings, section.rows, folded=True)
        for section in built
    ]
    return [chart, *tables]


def _breakdown(sources: Sources, breakdown: Breakdown) -> Section | None:
    # Only problems common to all models count: labels differ in difficulty, and models would be
    # compared on different problems.
    values: dict[str, dict[str, list[float]]] = {}
    problems: dict[str, set[str]] = {}
    models = list(sources.short_names.values())
    common = sources.common_problems
    for run, names in zip(sources.runs, sources.names, strict=True):
        labels = dict(_labels(run, breakdown))
        for model, tallies in tally_samples(run, sources.policy).items():
            if not any(tally.scored for tally in tallies.values()):
                continue
            # In the order of the plan: the order of a set differs from process to process.
            for key, tally in tallies.items():
                for label in labels.get(key, ()) if key in common else ():
                    shares = values.setdefault(label, {}).setdefault(
                        sources.short_names[names[model]], []
                    )
                    shares.append(tally.correct / tally.samples)
                    problems.setdefault(label, set()).add(key)
    means = {
        label: {name: sum(shares) / len(shares) for name, shares in of.items()}
        for label, of in values.items()
        if len(problems[label]) >= MIN_PAIRS
    }
    if len(means) < 2:
        return None
    name, title = _BREAKDOWNS[breakdown]
    # Ranges have an order of their own; other labels are ordered by difficulty.
    ranges = [label for label in range_names(breakdown) if label in means]
    order = ranges or sorted(means, key=lambda label: _mean(means[label]))
    rows = {
        f"{label.replace('_', ' ')} ({len(problems[label])})": means[label]
        for label in order[:MAX_GROUPS]
    }
    order_note = "" if ranges else ", the hardest first"
    caption = f"pass@1 in percent{order_note}; in brackets the number of problems."
    if len(order) > MAX_GROUPS:
        caption = caption.removesuffix(".") + f", {MAX_GROUPS} of {len(order)}."
    figure = label_chart(f"by_{name.replace(' ', '_')}", f"pass@1 by {name}", rows, models, caption)
    cells = tuple(
        (
            label,
            str(len(problems[label])),
            *(percent(means[label][model]) if model in means[label] else "" for model in models),
        )
        for label in order
    )
    headings = (name, "problems", *models)
    return Section(title, headings, cells, figures=(figure,))


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


def _labels(run: Run, breakdown: Breakdown) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The labels of each problem; without a technique, the technique of the original."""
    origins = ParentIndex(run.problems)
    for key, problem in run.problems.items():
        labels = labels_of(problem, breakdown)
        if not labels and breakdown == "tag" and problem.pair_parent:
            parent = origins.find(problem, problem.pair_parent)
            labels = labels_of(run.problems[parent], breakdown) if parent else ()
        yield key, labels
