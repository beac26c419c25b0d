"""Paired differences with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...stats.paired import Comparison, Difference
from ..numbers import named_p, points
from .bars import WIDTH
from .colours import series_class
from .figure import CHARACTER, Figure, Shape, line, shortened, text, whisker

_LEFT_MARGIN, _RIGHT, _ROW, _HEADING = 24, 24, 58, 26
#: With more pairs of models only the comparison on all problems is drawn.
MOST_PAIRS = 3

#: A line of the figure: its name, its colour, and its difference.
Line = tuple[str, str, Difference]


def difference_figure(comparison: Comparison, short: Mapping[str, str]) -> Figure | None:
    """The differences at the primary k, with a group for each subset; None without differences.

    ``short`` has the names of models to write.
    """
    systems = list(dict.fromkeys(row.system for row in comparison.contrasts))
    pairs = list(dict.fromkeys((row.first, row.second) for row in comparison.contrasts))
    groups: dict[str, list[Line]] = {"all": []}
    k = comparison.primary_k
    for row in comparison.contrasts:
        difference = row.at(k) or (row.differences[0] if row.differences else None)
        if difference is None:
            continue
        k = difference.k
        if comparison.by == "perturbation":
            drawn = short[row.system], series_class(systems.index(row.system)), difference
        else:
            drawn = f"{short[row.second]} − {short[row.first]}", "c0", difference
        groups.setdefault(row.group, []).append(drawn)
    if groups["all"] and len(pairs) > MOST_PAIRS and comparison.by == "model":
        groups = {"all": groups["all"]}
    groups = {name: lines for name, lines in groups.items() if lines}
    if not groups:
        return None
    what = "perturbed − original, paired by parent"
    caption = f"pass@{k}, {what if comparison.by == 'perturbation' else 'paired by problem'}."
    return _draw(f"{comparison.by}_differences", groups, caption)


def _draw(name: str, groups: Mapping[str, Sequence[Line]], caption: str) -> Figure:
    every = [difference for lines in groups.values() for _, _, difference in lines]
    reach = max(abs(bound) for difference in every for bound in difference.interval)
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.25, 0.5) if reach <= 4 * s or s == 0.5)
    limit = step * max(1, math.ceil(reach / step - 1e-9))

    def x(value: float) -> float:
        return _LEFT_MARGIN + (WIDTH - _LEFT_MARGIN - _RIGHT) * (value + limit) / (2 * limit)

    ticks = [i * step for i in range(-round(limit / step), round(limit / step) + 1)]
    shapes: list[Shape] = []
    y = 4.0
    for group, lines in groups.items():
        if len(groups) > 1:
            shapes.append(text("heading", 4, y + 15, group))
            y += _HEADING
        for label, style, difference in lines:
            p = named_p(difference.p, difference.adjusted)
            words = f"{points(difference.value, difference.interval)}, {p}"
            clear = difference.interval[0] > 0 or difference.interval[1] < 0
            middle = y + 43
            dot = f"dot {'sure' if clear else 'unsure'} {style}"
            shapes += [
                text(f"end {style}", 4, y + 13, shortened(label, int(WIDTH / CHARACTER) - 2)),
                text("value", 4, y + 28, words),
                *(
                    line("grid" if at else "zero", (x(at), middle - 9), (x(at), middle + 9))
                    for at in ticks
                ),
                *whisker(map(x, difference.interval), middle),
                Shape("dot", dot, ((x(difference.value), middle),)),
            ]
            y += _ROW
    for at in ticks:
        shapes.append(text("tick", x(at), y + 12, f"{100 * at:+.0f}" if at else "0", "middle"))
    label = "paired differences with 95 % intervals"
    return Figure(name, label, WIDTH, y + 22, tuple(shapes), caption)
