"""The tables of a paired comparison: on the terminal, for papers, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from ..core.program import program
from ..core.wording import counted
from ..stats.gaps import Gap
from ..stats.intervals import LEVEL
from ..stats.paired import POWER, Comparison, Contrast, Difference, Transfer
from ..stats.paired.wording import overall, short_names
from ..stats.repaired import RepairedDifference
from .numbers import dollars, named_p, p_value, percent, points, signed
from .sections import (
    Section,
    export,
    print_remarks,
    print_sections,
    print_small,
)

Line = tuple[Contrast, Difference]


def lines_of(contrasts: Sequence[Contrast]) -> list[Line]:
    return [(row, difference) for row in contrasts for difference in row.differences]


def headings(comparison: Comparison) -> list[str]:
    sides = ["original", "perturbed"] if comparison.by == "perturbation" else ["first", "second"]
    return ["", "pairs", "k", *sides, "difference", "p", "p (Holm)", "detects"]


def cells(row: Contrast, difference: Difference) -> list[str]:
    """The cells of a line as text, in the order of `headings`."""
    count = str(row.pairs) if row.pairs == row.clusters else f"{row.pairs} in {row.clusters}"
    return [
        row.group,
        count,
        str(difference.k),
        percent(difference.first),
        percent(difference.second),
        points(difference.value, difference.interval),
        p_value(difference.p),
        p_value(difference.adjusted),
        _detectable(difference),
    ]


def _detectable(difference: Difference) -> str:
    if difference.design is None:
        return ""
    return percent(difference.design.detectable) if difference.design.detectable <= 1 else "> 100"


def transfer_cells(row: Contrast, difference: Difference) -> list[str]:
    """How often one side solved a problem and the other side failed, in both directions."""
    return [row.group, *_transfer(difference.lost), *_transfer(difference.gained)]


def transfer_headings(comparison: Comparison) -> list[str]:
    first_heading, second_heading = headings(comparison)[3:5]
    return [
        "",
        f"{first_heading} solved, {second_heading} failed",
        "by luck",
        "excess",
        f"{second_heading} solved, {first_heading} failed",
        "by luck",
        "excess",
    ]


def _transfer(transfer: Transfer | None) -> tuple[str, str, str]:
    if transfer is None:
        return "", "", ""
    if transfer.control is None or transfer.excess is None:
        return percent(transfer.share), "", ""
    return (
        percent(transfer.share),
        percent(transfer.control),
        points(transfer.excess, transfer.interval),
    )


def named(comparison: Comparison, row: Contrast) -> str:
    """The name of a contrast in a sentence, with names if the comparison has several systems."""
    several = (
        len(
            {
                (contrast.system, contrast.first, contrast.second)
                for contrast in comparison.contrasts
            }
        )
        > 1
    )
    if comparison.by == "perturbation":
        systems = {contrast.system for contrast in comparison.contrasts}
        return f"{row.system}, {row.group}" if len(systems) > 1 else row.group
    return f"{row.first} and {row.second}, {row.group}" if several else row.group


def remarks(comparison: Comparison) -> list[str]:
    """The remarks below the tables: method, family, power, costs, omissions."""
    # Only contrasts at the primary k are adjusted.
    family = [
        difference
        for row in comparison.contrasts
        for difference in row.differences
        if difference.adjusted is not None
    ]
    lines = [
        "In percent and percentage points, second minus first; 95 % intervals, resampled by "
        "cluster; p is the larger of the sign-flip test's and the interval's."
    ]
    if len(family) > 1:
        lines.append(
            f"Holm's p, and the intervals beside it, hold for the family of {len(family)} at the "
            f"primary k = {comparison.primary_k}, which was declared before the run; the rest is "
            "exploratory."
        )
    if comparison.breakdown:
        lines.append(
            f"The lines by {comparison.broken_down_by} are a family of their own; a problem with "
            "several is in several."
        )
    if any(
        way is not None and way.control is None
        for row in comparison.contrasts
        for difference in row.differences
        if difference.k == comparison.primary_k
        for way in (difference.lost, difference.gained)
    ):
        lines.append(
            f"What was lost or gained by luck can only be told with {2 * comparison.primary_k} "
            "samples of each problem."
        )
    # The remaining remarks explain what is unusual in the comparison: clusters, power, costs,
    # undecided answers, and problems without a counterpart.
    if any(row.pairs != row.clusters for row in comparison.contrasts):
        lines.append("Pairs whose problems were made from the same one are a cluster.")
    lines += power_remarks(comparison)
    for name, cost in comparison.costs.items():
        if cost is not None:
            solved = cost.per_solved
            text = f"{name}: {dollars(cost.per_problem)} dollars a problem"
            lines.append(f"{text}, {dollars(solved)} a solved one." if solved else f"{text}.")
    for row, difference in lines_of(comparison.contrasts):
        low, high = difference.bounds
        if difference.k == comparison.primary_k and high - low > 1e-9:
            lines.append(
                f"{named(comparison, row)}: undecided answers count as not correct; decided, the "
                f"difference would be between {signed(low)} and {signed(high)}."
            )
    lines += [
        f"{named(comparison, row)}: {counted(row.unpaired, 'problem')} left out for want of a "
        "counterpart."
        for row in comparison.contrasts
        if row.unpaired and not comparison.pairing
    ]
    return lines + list(comparison.notes)


def power_remarks(comparison: Comparison) -> Iterator[str]:
    """For each contrast, the detectable difference, and the number of problems for the target."""
    for row in comparison.contrasts:
        difference = row.at(comparison.primary_k)
        if difference is None or difference.design is None:
            continue
        plan = difference.design
        odds = f"with {100 * POWER:.0f} % power at the level {100 * plan.alpha:.3g} %"
        if plan.detectable <= 1:
            what = f"a true difference of {percent(plan.detectable)} points is found {odds}"
        else:
            what = f"too few to find any difference {odds}"
        text = f"{named(comparison, row)}: {what}"
        # If the target is out of reach: more problems, or more samples of each, if these can help.
        if plan.detectable > plan.target:
            what = "problems" if row.pairs == row.clusters else "clusters of problems"
            text += (
                f"; for {percent(plan.target)} points it takes {plan.clusters_needed} {what} "
                f"instead of {plan.clusters}"
            )
            if plan.samples_needed is not None:
                text += f", or {counted(plan.samples_needed, 'sample')} of each"
            elif plan.sampling is not None:
                text += ", and more samples of these would not do"
        yield f"{text}."


def sentences(comparison: Comparison, short: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each comparison of models at the primary k, on all problems that pair.

    ``short`` has the names of models to write.
    """
    for row in comparison.contrasts:
        difference = row.at(comparison.primary_k)
        groups = {contrast.group for contrast in comparison.contrasts}
        if difference is None or (comparison.by == "model" and "all" in groups - {row.group}):
            continue
        if comparison.by == "perturbation":
            sides = f"{short[row.system]}: {row.group} − originals"
        else:
            sides = f"{short[row.second]} − {short[row.first]}"
        # A difference counts by the adjusted p alone; an interval that excludes 0 only before the
        # correction is mentioned.
        adjusted = difference.adjusted
        p = difference.p if adjusted is None else adjusted
        low, high = difference.interval
        verdict = "no detectable difference"
        if p < 1 - LEVEL:
            verdict = "higher" if difference.value > 0 else "lower"
        elif low > 0 or high < 0:
            verdict += " after Holm's correction"
        amount = points(difference.value, difference.interval).replace("-", "−")
        yield f"{sides}: {amount}, {verdict} ({named_p(difference.p, adjusted)})"


def print_comparison(
    comparison: Comparison, console: Console | None = None, *, every: bool = False
) -> None:
    """Print the findings of a comparison, and a small table.

    Args:
        comparison: the result of `stats.compare.compare`.
        console: where to print; by default the terminal, or the notebook.
        every: whether to print also every subset and k, the losses expected by chance, the power,
            and all remarks.

    Returns:
        Nothing.

    Example:
        >>> from calculus_harness import compare, sweep
        >>> runs = [sweep(["solver/sympy"], ["drills"], limit=1, out=out) for out in ("a", "b")]
        >>> print_comparison(compare(*runs))
        No difference between sympy [a] and sympy [b] was found ...
        ...

    """
    console = console or Console()

    def print_lines(title: str, contrasts: Sequence[Contrast]) -> None:
        for sides, rows in _by_sides(comparison, contrasts).items():
            body = [cells(*line) for line in lines_of(rows)]
            _print(console, title, sides, headings(comparison), body)

    print_remarks(comparison.sentences, console, style="")
    print_remarks(comparison.pairing, console)
    # By default a screen has the sentences, the largest differences and a hint at the rest.
    if not every:
        print_small(overview_section(comparison), console)
        print_lines(f"By {comparison.broken_down_by}", comparison.breakdown)
        print_sections(_further(comparison), console)
        row_count = len(overall(comparison) if comparison.by == "model" else comparison.contrasts)
        if row_count > _LINES:
            print_remarks([f"{row_count - _LINES} more lines with larger p: --all."], console)
        family = _FAMILY.format(k=comparison.primary_k)
        command_hint = f"Every subset, k and power: {program()} compare {' '.join(comparison.runs)}"
        by = " --by perturbation" if comparison.by == "perturbation" else ""
        print_remarks([family, *comparison.notes, f"{command_hint}{by} --all"], console)
        return
    print_lines(_heading(comparison), comparison.contrasts)
    print_lines(f"By {comparison.broken_down_by}", comparison.breakdown)
    lines = [
        (row, difference)
        for row in comparison.contrasts
        if (difference := row.at(comparison.primary_k)) and (difference.lost or difference.gained)
    ]
    for sides, rows in _by_sides(comparison, [row for row, _ in lines]).items():
        title = f"Solved one, failed the other, at k = {comparison.primary_k}"
        title += _verdicts(comparison)
        body = [transfer_cells(*line) for line in lines if line[0] in rows]
        _print(console, title, sides, transfer_headings(comparison), body)
    print_sections(_further(comparison), console)
    print_remarks(remarks(comparison), console)


_FAMILY = "pass@{k} in percent; interval and p adjusted by Holm's method over all lines of --all."


def overview_section(comparison: Comparison) -> Section:
    """A line for every two models on all common problems; or a line for every perturbation."""
    k = comparison.primary_k
    rows = comparison.contrasts if comparison.by == "perturbation" else overall(comparison)
    lines = [(row, difference) for row in rows if (difference := row.at(k)) is not None]
    if len(lines) > _LINES:  # those that are surest
        lines = sorted(lines, key=lambda line: (line[1].p, -abs(line[1].value)))[:_LINES]
    names = short_names(
        dict.fromkeys(name for row in rows for name in (row.system, row.first, row.second))
    )
    perturbed = comparison.by == "perturbation"
    empty_names = ("",) if perturbed else ("", "")
    several = perturbed and len({row.system for row in rows}) > 1
    # The two sides and their difference are one number too many for 80 columns with two names.
    columns = (1, 3, 5, 7)
    return Section(
        _verdicts(comparison).removeprefix(", "),
        (*(("",) * several), *empty_names, *headings(comparison)[1:2], *_SIDES[comparison.by]),
        tuple(
            (
                *((names[row.system],) * several),
                *((row.group,) if perturbed else (names[row.first], names[row.second])),
                *(text for at, text in enumerate(cells(row, difference)) if at in columns),
            )
            for row, difference in lines
        ),
        names=len(empty_names) + several,
    )


#: Lines of the small table: with the sentence, the remarks and the heading a screen of 24 lines.
_LINES = 10
_SIDES = {
    "model": ("first", "second − first", "p (Holm)"),
    "perturbation": ("original", "difference", "p (Holm)"),
}


def _print(
    console: Console, title: str, sides: str, names: list[str], body: list[list[str]]
) -> None:
    title_line = f"{title}: {sides}" if sides else title
    print_sections([Section(title_line, tuple(names), tuple(map(tuple, body)))], console)


def _heading(comparison: Comparison) -> str:
    if comparison.by == "perturbation":
        return f"Perturbations against their originals, paired by parent{_verdicts(comparison)}"
    return f"Paired by problem{_verdicts(comparison)}"


def _verdicts(comparison: Comparison) -> str:
    return f", verdicts {comparison.verdicts}" if comparison.verdicts else ""


def _by_sides(comparison: Comparison, rows: Sequence[Contrast]) -> dict[str, list[Contrast]]:
    """Groups of contrasts of the same system, or of the same two systems, by title."""
    names = "first {0.first}, second {0.second}"
    key = "{0.system}" if comparison.by == "perturbation" else names
    groups: dict[str, list[Contrast]] = {}
    for row in rows:
        groups.setdefault(key.format(row), []).append(row)
    return groups


def export_comparison(comparison: Comparison, form: str) -> str:
    """The comparison as text.

    Args:
        comparison: the result of `stats.compare.compare`.
        form: one of `FORMATS`; CSV has a line for each contrast and k.

    Returns:
        The text.

    Raises:
        UserError: the format is not one of `FORMATS`.

    >>> from calculus_harness.harness.stats.paired import Comparison
    >>> export_comparison(Comparison("model", 1, ()), "csv")[:12]
    'part,system,'

    """
    sections = [comparison_table(comparison), *_further(comparison)]
    return export(form, sections, _lines(comparison), comparison.to_dict())


def comparison_table(comparison: Comparison) -> Section:
    """All contrasts in a single table."""
    rows = [*comparison.contrasts, *comparison.breakdown]
    if comparison.by == "perturbation":
        systems = ["system"] if len({row.system for row in rows}) > 1 else []
        names = [*systems, "perturbation"]
        sides = [[row.system] * len(systems) for row, _ in lines_of(rows)]
    else:
        names = ["first system", "second system", "subset"]
        sides = [[row.first, row.second] for row, _ in lines_of(rows)]
    if comparison.verdicts:
        names = ["verdicts", *names]
        sides = [[comparison.verdicts, *side] for side in sides]
    lines = zip(sides, lines_of(rows), strict=True)
    return Section(
        title="",
        headings=(*names, *headings(comparison)[1:]),
        rows=tuple((*side, *cells(*line)) for side, line in lines),
        names=len(names),
    )


def gap_table(gaps: Sequence[Gap]) -> Section:
    """Generalisation gaps of every model; for two models, also the difference of the gaps."""
    two_sided = len(gaps[0].sides) == 2
    systems = ("first system", "second system") if two_sided else ("system",)
    return Section(
        f"Generalisation gaps, in points of pass@{gaps[0].k}",
        (*systems, "splits", *(("first", "second", "difference") if two_sided else ("gap",))),
        tuple(
            (
                *gap.systems,
                gap.group,
                *(points(*side) for side in gap.sides),
                *((points(*gap.difference) if gap.difference else "",) if two_sided else ()),
            )
            for gap in gaps
        ),
        names=len(systems) + 1,
    )


def repaired_table(differences: Sequence[RepairedDifference]) -> Section:
    """repaired@t of every two systems, on the problems with wrong answers of both systems."""
    return Section(
        "Wrong answers that were tried again: repaired@t, second minus first",
        ("first", "second", "told", "turns", "problems", "difference", "p"),
        tuple(
            (
                difference.first,
                difference.second,
                difference.feedback,
                str(difference.turn),
                str(difference.problems),
                points(difference.value, difference.interval),
                p_value(difference.p),
            )
            for difference in differences
        ),
        names=3,
    )


def _further(comparison: Comparison) -> list[Section]:
    """All tables except the table of pass@k."""
    sections = [gap_table(comparison.gaps)] if comparison.gaps else []
    return sections + ([repaired_table(comparison.repaired)] if comparison.repaired else [])


_COLUMNS = tuple(
    "part system group first_side second_side pairs clusters unpaired k primary first second "
    "difference interval_low interval_high bound_low bound_high p exact p_holm detectable "
    "clusters_needed samples_needed lost lost_by_luck lost_excess gained gained_by_luck "
    "gained_excess verdicts".split()
)


def _lines(comparison: Comparison) -> tuple[tuple[str, ...], list[list[object]]]:
    labelled_rows = [("family", row) for row in comparison.contrasts]
    labelled_rows += [(f"by_{comparison.broken_down_by}", row) for row in comparison.breakdown]
    lines: list[list[object]] = []
    for label, row in labelled_rows:
        for d in row.differences:
            plan = d.design
            ways: list[float | None] = []
            for way in (d.lost, d.gained):
                ways += [way.share, way.control, way.excess] if way else [None] * 3
            line: list[object] = [label, row.system, row.group, row.first, row.second]
            line += [row.pairs, row.clusters, row.unpaired, d.k, int(d.k == comparison.primary_k)]
            line += map(_number, (d.first, d.second, d.value, *d.interval, *d.bounds, d.p))
            line += [int(d.exact), _number(d.adjusted), _number(plan.detectable if plan else None)]
            line += [plan.clusters_needed if plan else "", (plan and plan.samples_needed) or ""]
            lines.append([*line, *map(_number, ways), comparison.policy or ""])
    for gap in comparison.gaps:
        value, interval = gap.difference or (None, (None, None))
        numbers = map(_number, (gap.sides[0][0], gap.sides[1][0], value, *interval))
        cells = ["gap", "", gap.group, *gap.systems, "", "", "", gap.k, 1, *numbers]
        lines.append([*cells, *[""] * (len(_COLUMNS) - len(cells) - 1), comparison.policy or ""])
    return _COLUMNS, lines


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
