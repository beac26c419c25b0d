"""Accuracies over a number, such as training steps or parameters, as a table and a chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean, pstdev

from ...report.figures.curves import category_chart
from ...report.sections import Section

#: By the name of a curve and the number: the accuracies (shares) of the seeds.
Curves = Mapping[str, Mapping[int, Sequence[float]]]


def with_spread(shares: Sequence[float]) -> str:
    """The mean in percent with the standard deviation."""
    return f"{100 * mean(shares):.1f} ± {100 * pstdev(shares):.1f}"


def curves_section(
    name: str,
    title: str,
    label: str,
    over: str,
    curves: Curves,
    cell: Callable[[Sequence[float]], str] = with_spread,
    remarks: Sequence[str] = (),
) -> Section:
    """A table and a chart of curves over a number.

    Args:
        name: the name of the figure's file.
        title: the title of the section.
        label: what the figure shows.
        over: the heading of the column of numbers.
        curves: the accuracies; a curve may lack some of the numbers.
        cell: writes the accuracies of a cell.
        remarks: the remarks below the table.

    """
    ticks = sorted({tick for curve in curves.values() for tick in curve})
    rows = tuple(
        (f"{tick:,}", *(cell(curve[tick]) if tick in curve else "" for curve in curves.values()))
        for tick in ticks
    )
    series = {
        key: [mean(curve[tick]) if tick in curve else None for tick in ticks]
        for key, curve in curves.items()
    }
    chart = category_chart(name, label, [row[0] for row in rows], series, ordered=True)
    return Section(title, (over, *curves), rows, tuple(remarks), figures=(chart,))
