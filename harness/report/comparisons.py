"""A comparison for people and for programs: the terminal, CSV, LaTeX (booktabs), Markdown, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.errors import UserError
from ..stats.paired import POWER, Comparison, Contrast, Difference, Transfer
from .tables import FORMATS, dollars, percent, tex

if TYPE_CHECKING:
    from rich.console import Console

Line = tuple[Contrast, Difference]


def signed(value: float) -> str:
    """Percentage points with their sign, as in ``-12.5``."""
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def points(value: float, interval: tuple[float, float] | None) -> str:
    """A difference with its interval, as in ``-12.5 [-20.1, -4.0]``."""
    if interval is None:
        return signed(value)
    return f"{signed(value)} [{signed(interval[0])}, {signed(interval[1])}]"


def p_value(p: float | None) -> str:
    if p is None:
        return ""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def lines_of(contrasts: Sequence[Contrast]) -> list[Line]:
    return [(row, found) for row in contrasts for found in row.differences]


def headings(comparison: Comparison) -> list[str]:
    sides = ["original", "perturbed"] if comparison.by == "perturbation" else ["first", "second"]
    return ["", "pairs", "k", *sides, "difference", "p", "p (Holm)", "detects"]


def cells(row: Contrast, found: Difference) -> list[str]:
    """A line as text, in the order of `headings`."""
    count = str(row.pairs) if row.pairs == row.clusters else f"{row.pairs} in {row.clusters}"
    return [
        row.group,
        count,
        str(found.k),
        percent(found.first),
        percent(found.second),
        points(found.value, found.interval),
        p_value(found.p),
        p_value(found.adjusted),
        _detectable(found),
    ]


def _detectable(found: Difference) -> str:
    if found.design is None:
        return ""
    return percent(found.design.detectable) if found.design.detectable <= 1 else "> 100"


def transfer_cells(row: Contrast, found: Difference) -> list[str]:
    """What was solved on one side and failed on the other, both ways."""
    return [row.group, *_transfer(found.lost), *_transfer(found.gained)]


def transfer_headings(comparison: Comparison) -> list[str]:
    one, other = headings(comparison)[3:5]
    return [
        "",
        f"{one} solved, {other} failed",
        "by luck",
        "excess",
        f"{other} solved, {one} failed",
        "by luck",
        "excess",
    ]


def _transfer(found: Transfer | None) -> tuple[str, str, str]:
    if found is None:
        return "", "", ""
    if found.control is None or found.excess is None:
        return percent(found.share), "", ""
    return percent(found.share), percent(found.control), points(found.excess, found.interval)


def named(comparison: Comparison, row: Contrast) -> str:
    """A contrast as a sentence names it: with the system, or the systems, where there are more."""
    several = len({(other.system, other.first, other.second) for other in comparison.contrasts}) > 1
    if comparison.by == "perturbation":
        systems = {other.system for other in comparison.contrasts}
        return f"{row.system}, {row.group}" if len(systems) > 1 else row.group
    return f"{row.first} and {row.second}, {row.group}" if several else row.group


def remarks(comparison: Comparison) -> list[str]:
    """What a reader of the table has to know."""
    family = [
        found
        for row in comparison.contrasts
        for found in row.differences
        if found.adjusted is not None
    ]
    lines = [
        "In percent and percentage points, second minus first; 95 % intervals, resampled by "
        "cluster; sign-flip p values."
    ]
    if len(family) > 1:
        lines.append(
            f"Holm's p holds for the family of {len(family)} at the primary k = "
            f"{comparison.primary_k}, which was declared before the run; the rest is exploratory."
        )
    if comparison.breakdown:
        lines.append(
            f"The lines by {comparison.broken_down_by} are a family of their own; a problem with "
            "several is in several."
        )
    if any(
        way is not None and way.control is None
        for row in comparison.contrasts
        for found in row.differences
        if found.k == comparison.primary_k
        for way in (found.lost, found.gained)
    ):
        lines.append(
            f"What was lost or gained by luck can only be told with {2 * comparison.primary_k} "
            "samples of each problem."
        )
    if any(row.pairs != row.clusters for row in comparison.contrasts):
        lines.append("Pairs whose problems were made from the same one are a cluster.")
    lines += _needs(comparison)
    for name, cost in comparison.costs.items():
        if cost is not None:
            solved = cost.per_solved
            text = f"{name}: {dollars(cost.per_problem)} dollars a problem"
            lines.append(f"{text}, {dollars(solved)} a solved one." if solved else f"{text}.")
    for row, found in lines_of(comparison.contrasts):
        low, high = found.bounds
        if found.k == comparison.primary_k and high - low > 1e-9:
            lines.append(
                f"{named(comparison, row)}: undecided answers count as not correct; decided, the "
                f"difference would be between {signed(low)} and {signed(high)}."
            )
    lines += [
        f"{named(comparison, row)}: {row.unpaired} problems without a counterpart are left out."
        for row in comparison.contrasts
        if row.unpaired
    ]
    return lines + list(comparison.notes)


def _needs(comparison: Comparison) -> Iterator[str]:
    """What each contrast could have shown, and what it would take to show less."""
    for row in comparison.contrasts:
        found = row.at(comparison.primary_k)
        if found is None or found.design is None:
            continue
        plan = found.design
        odds = f"with {100 * POWER:.0f} % power at the level {100 * plan.alpha:.3g} %"
        if plan.detectable <= 1:
            what = f"a true difference of {percent(plan.detectable)} points is found {odds}"
        else:
            what = f"too few to find any difference {odds}"
        text = f"{named(comparison, row)}: {what}"
        if plan.detectable > plan.target:
            what = "problems" if row.pairs == row.clusters else "clusters of problems"
            text += (
                f"; for {percent(plan.target)} points it takes {plan.clusters_needed} {what} "
                f"instead of {plan.clusters}"
            )
            if plan.samples_needed is not None:
                text += f", or {plan.samples_needed} samples of each"
            elif plan.sampling is not None:
                text += ", and more samples of these would not do"
        yield f"{text}."


def print_comparison(comparison: Comparison, console: Console | None = None) -> None:
    """Print the tables, as wide as they need to be."""
    from rich.console import Console

    console = console or Console()
    parts = [(_heading(comparison), comparison.contrasts)]
    if comparison.broken_down_by:
        parts.append((f"By {comparison.broken_down_by}", comparison.breakdown))
    for title, contrasts in parts:
        for sides, rows in _by_sides(comparison, contrasts).items():
            shown = f"{title}: {sides}" if sides else title
            _print(console, shown, headings(comparison), [cells(*line) for line in lines_of(rows)])
    lines = [
        (row, found)
        for row in comparison.contrasts
        if (found := row.at(comparison.primary_k)) and (found.lost or found.gained)
    ]
    for sides, rows in _by_sides(comparison, [row for row, _ in lines]).items():
        title = f"Solved one, failed the other, at k = {comparison.primary_k}"
        body = [transfer_cells(*line) for line in lines if line[0] in rows]
        shown = f"{title}: {sides}" if sides else title
        _print(console, shown, transfer_headings(comparison), body)
    for text in remarks(comparison):
        console.print(text, style="dim", soft_wrap=True, markup=False, highlight=False)


def _heading(comparison: Comparison) -> str:
    if comparison.by == "perturbation":
        return "Perturbations against their originals, paired by parent"
    return "Paired by problem"


def _by_sides(comparison: Comparison, rows: Sequence[Contrast]) -> dict[str, list[Contrast]]:
    """Contrasts of the same system, or the same two, together, under a title."""
    names = "first {0.first}, second {0.second}"
    key = "{0.system}" if comparison.by == "perturbation" else names
    groups: dict[str, list[Contrast]] = {}
    for row in rows:
        groups.setdefault(key.format(row), []).append(row)
    return groups


def _print(console: Console, title: str, names: list[str], body: list[list[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for position, name in enumerate(names):
        table.add_column(name, justify="right" if position else "left")
    for line in body:
        table.add_row(*line, style="bold" if line[0] == "all" else None)
    wide = console.options.update(max_width=10_000)
    console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(title, style="bold", markup=False, highlight=False)
    console.print(table)


def export_comparison(comparison: Comparison, form: str) -> str:
    """The comparison as JSON, CSV (a line for each contrast and k), LaTeX or Markdown."""
    if form == "json":
        return json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        return _csv(comparison)
    if form not in FORMATS:
        raise UserError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")
    rows = [*comparison.contrasts, *comparison.breakdown]
    if comparison.by == "perturbation":
        systems = ["system"] if len({row.system for row in rows}) > 1 else []
        names = [*systems, "perturbation", *headings(comparison)[1:]]
        sides = [[row.system] * len(systems) for row, _ in lines_of(rows)]
    else:
        names = ["first system", "second system", "subset", *headings(comparison)[1:]]
        sides = [[row.first, row.second] for row, _ in lines_of(rows)]
    lines = [[*side, *cells(*line)] for side, line in zip(sides, lines_of(rows), strict=True)]
    left = len(names) - 8
    if form == "markdown":
        rule = ["---"] * left + ["---:"] * 8
        return "".join(f"| {' | '.join(line)} |\n" for line in [names, rule, *lines])
    body = "".join(f"  {' & '.join(map(_math, line))} \\\\\n" for line in lines)
    return (
        f"\\begin{{tabular}}{{{'l' * left}{'r' * 8}}}\n  \\toprule\n"
        f"  {' & '.join(map(tex, names))} \\\\\n  \\midrule\n{body}  \\bottomrule\n"
        "\\end{tabular}\n"
    )


def _math(cell: str) -> str:
    """A cell as LaTeX, with true minus signs."""
    numeric = cell[:1] in "+-0123456789<" and not cell.strip("+-0123456789.,[]< ")
    if not numeric or not cell:
        return tex(cell)
    return "$" + cell.replace("] ", "]").replace("< ", "<").replace(" [", r"\ [") + "$"


def _csv(comparison: Comparison) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(
        [
            "part",
            "system",
            "group",
            "first_side",
            "second_side",
            "pairs",
            "clusters",
            "unpaired",
            "k",
            "primary",
            "first",
            "second",
            "difference",
            "interval_low",
            "interval_high",
            "bound_low",
            "bound_high",
            "p",
            "exact",
            "p_holm",
            "detectable",
            "clusters_needed",
            "samples_needed",
            "lost",
            "lost_by_luck",
            "lost_excess",
            "gained",
            "gained_by_luck",
            "gained_excess",
        ]
    )
    parts = [("family", row) for row in comparison.contrasts]
    parts += [(f"by_{comparison.broken_down_by}", row) for row in comparison.breakdown]
    for part, row in parts:
        for found in row.differences:
            plan = found.design
            numbers: list[float | None] = [
                found.first,
                found.second,
                found.value,
                *found.interval,
                *found.bounds,
                found.p,
            ]
            ways: list[float | None] = []
            for way in (found.lost, found.gained):
                ways += [way.share, way.control, way.excess] if way else [None] * 3
            writer.writerow(
                [
                    part,
                    row.system,
                    row.group,
                    row.first,
                    row.second,
                    row.pairs,
                    row.clusters,
                    row.unpaired,
                ]
                + [found.k, int(found.k == comparison.primary_k), *map(_number, numbers)]
                + [int(found.exact), _number(found.adjusted)]
                + [_number(plan.detectable if plan else None)]
                + [plan.clusters_needed if plan else "", (plan and plan.samples_needed) or ""]
                + [_number(number) for number in ways]
            )
    return buffer.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
