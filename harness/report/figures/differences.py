"""Paired differences with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...stats.paired import Comparison, Contrast, Difference
from ..numbers import p_value, points
from .bars import LEFT, WIDTH
from .figure import Figure, Shape, line, shortened, text, whisker

_NUMBERS = 262  # room for a difference in words
_ROW = 26


def difference_figures(comparison: Comparison) -> tuple[Figure, ...]:
    """A figure for each system, or two systems, with the differences at the primary k."""
    groups: dict[str, list[tuple[Contrast, Difference]]] = {}
    for row in comparison.contrasts:
        shown = row.at(comparison.primary_k) or (row.differences[0] if row.differences else None)
        if shown is None:
            continue
        if comparison.by == "perturbation":
            title = f"{row.system}: pass@{shown.k}, perturbed minus original, paired by parent"
        else:
            title = f"pass@{shown.k}, {row.second} minus {row.first}, paired by problem"
        groups.setdefault(title, []).append((row, shown))
    every = [difference for rows in groups.values() for _, difference in rows]
    reach = max((abs(bound) for one in every for bound in one.interval), default=1.0)
    return tuple(
        _differences(f"{comparison.by}_differences_{number}", title, rows, reach)
        for number, (title, rows) in enumerate(groups.items(), 1)
    )


def _differences(
    name: str, caption: str, rows: Sequence[tuple[Contrast, Difference]], reach: float
) -> Figure:
    """A line for each contrast; the axis goes as far as ``reach`` on either side."""
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.25, 0.5) if reach <= 4 * s or s == 0.5)
    limit = step * max(1, math.ceil(reach / step - 1e-9))
    right = WIDTH - _NUMBERS
    bottom = 12 + _ROW * len(rows)

    def x(value: float) -> float:
        return LEFT + (right - LEFT) * (value + limit) / (2 * limit)

    shapes: list[Shape] = []
    for i in range(-round(limit / step), round(limit / step) + 1):
        at = x(i * step)
        shapes.append(line("grid" if i else "zero", (at, 4), (at, bottom)))
        label = f"{100 * i * step:+.0f}" if i else "0"
        shapes.append(text("tick", at, bottom + 16, label, "middle"))
    for place, (row, difference) in enumerate(rows):
        y = 12 + _ROW * (place + 0.5)
        p = p_value(difference.adjusted if difference.adjusted is not None else difference.p)
        words = (
            f"{points(difference.value, difference.interval)}, p {'' if p[0] == '<' else '= '}{p}"
        )
        clear = difference.interval[0] > 0 or difference.interval[1] < 0
        shapes += [
            text("name", LEFT - 12, y + 4, shortened(row.group), "end"),
            *whisker(map(x, difference.interval), y),
            Shape("dot", f"dot {'sure' if clear else 'unsure'}", ((x(difference.value), y),)),
            text("value", right + 16, y + 4, words),
        ]
    label = "paired differences with 95 % intervals"
    return Figure(name, label, WIDTH, bottom + 26, tuple(shapes), caption)
