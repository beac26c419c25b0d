"""Bar charts: pass@k, shares of the verdicts, lengths of answers, counts by category."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...stats.summary import Row
from ...store.counts import BINS, bin_start
from ..numbers import percent
from .colours import STATUSES, series_class
from .figure import Figure, Shape, line, rectangle, shortened, text, whisker

WIDTH, LEFT, RIGHT = 860, 250, 130
_BAR, _GAP, _GROUP, _AXIS = 13, 3, 16, 26


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _name(row: Row, y: float, several: bool) -> Shape:
    name = shortened(f"{row.subset} · {row.label}" if several else row.subset)
    return text("name", LEFT - 12, y, name, "end")


def _percent_axis(bottom: float) -> list[Shape]:
    shapes = []
    for tick in range(0, 101, 20):
        x = _x(tick / 100)
        shapes.append(line("grid", (x, 4), (x, bottom)))
        label = f"{tick} %" if tick == 100 else str(tick)
        shapes.append(text("tick", x, bottom + 16, label, "middle"))
    return shapes


def pass_bars(rows: Sequence[Row]) -> Figure:
    """Bars of pass@k with their intervals, a group for each model and subset."""
    several = len({row.label for row in rows}) > 1
    ks = sorted({estimate.k for row in rows for estimate in row.passes})
    shapes: list[Shape] = []
    y = 10.0
    for row in rows:
        top = y
        for estimate in row.passes:
            shade = 1 - 0.6 * ks.index(estimate.k) / (len(ks) - 1) if len(ks) > 1 else 1
            middle = y + _BAR / 2
            words = f"pass@{estimate.k} {percent(estimate.value)}"
            shapes += [
                rectangle("bar", LEFT, y, _x(estimate.value) - LEFT, _BAR, opacity=shade),
                *whisker(map(_x, estimate.interval), middle),
                text("value", WIDTH - RIGHT + 14, middle + 4, words),
            ]
            y += _BAR + _GAP
        shapes.append(_name(row, (top + y - _GAP) / 2 + 4, several))
        y += _GROUP
    bottom = y - _GROUP + 8
    shapes = [*_percent_axis(bottom), *shapes]
    return Figure("subsets", "pass@k with 95 % intervals", WIDTH, bottom + _AXIS, tuple(shapes))


def verdict_bars(rows: Sequence[Row]) -> Figure:
    """One stacked bar of verdict shares for each model and subset, with a key."""
    several = len({row.label for row in rows}) > 1
    shapes: list[Shape] = []
    y = 10.0
    for row in rows:
        shapes.append(_name(row, y + _BAR / 2 + 4, several))
        start = 0.0
        for status in STATUSES:
            share = row.rates[status]
            if share:
                x, words = _x(start), status.replace("_", " ")
                shapes.append(
                    rectangle(
                        f"share s-{status}",
                        x,
                        y,
                        _x(start + share) - x,
                        _BAR + 3,
                        title=f"{words}: {percent(share)} %",
                        opacity=_opacity(status),
                    )
                )
                start += share
        y += _BAR + _GROUP
    bottom = y - _GROUP + 8
    shapes = [*_percent_axis(bottom), *shapes]
    shown = [status for status in STATUSES if any(row.rates[status] for row in rows)]
    x = 12.0
    for status in shown:
        words = status.replace("_", " ")
        box = rectangle(f"share s-{status}", x, bottom + 30, 11, 11, opacity=_opacity(status))
        shapes += [box, text("tick", x + 16, bottom + 40, words)]
        x += 34 + 6.5 * len(words)
    height = bottom + _AXIS + 22
    return Figure("verdicts", "shares of the verdicts", WIDTH, height, tuple(shapes))


def _opacity(status: str) -> float:
    return 0.72 if status == "unparseable" else 1.0


def length_bars(series: Sequence[tuple[str, Mapping[int, int]]], unit: str, caption: str) -> Figure:
    """Histograms of the lengths of answers, a strip for each model, on one logarithmic axis.

    ``series`` has the numbers of answers by bin, as `store.counts.histogram` returns them.
    """
    lowest = min(min((i for i in bins if i), default=1) for _, bins in series)
    highest = max(max(bins) for _, bins in series)
    strip, gap = 62.0, 18.0
    step = (WIDTH - LEFT - RIGHT) / max(1, highest - lowest + 1)
    shapes: list[Shape] = []
    for place, (name, bins) in enumerate(series):
        bottom = 10 + strip + place * (strip + gap)
        tallest, total = max(bins.values()), sum(bins.values())
        middle = bottom - strip / 2 + 4
        shapes += [
            text("name", LEFT - 12, middle, shortened(name), "end"),
            line("grid", (LEFT, bottom), (WIDTH - RIGHT, bottom)),
            text("value", WIDTH - RIGHT + 14, middle, _median(bins)),
        ]
        for index, count in bins.items():
            if index < lowest:  # empty answers
                continue
            height = strip * count / tallest
            start, end = math.ceil(bin_start(index)), math.ceil(bin_start(index + 1)) - 1
            x = LEFT + (index - lowest) * step + 0.5
            title = f"{start} to {end} {unit}: {count} of {total}"
            shapes.append(rectangle("bar", x, bottom - height, max(1.0, step - 1), height, title))
    foot = 10 + len(series) * (strip + gap)
    doublings = (highest - lowest) // BINS + 1
    every = max(1, math.ceil(doublings / 10))
    for power in range(math.ceil((lowest - 1) / BINS), (highest - 1) // BINS + 2, every):
        x = LEFT + (1 + power * BINS - lowest) * step
        if LEFT <= x <= WIDTH - RIGHT + 1:
            shapes.append(text("tick", x, foot, f"{2**power:,}", "middle"))
    return Figure(unit, f"{unit} of the answers", WIDTH, foot + 10, tuple(shapes), caption)


def _median(bins: Mapping[int, int]) -> str:
    """The upper end of the median's bin in words."""
    total, counted = sum(bins.values()), 0
    for index, count in sorted(bins.items()):
        counted += count
        if 2 * counted >= total:
            return f"half ≤ {max(0, math.ceil(bin_start(index + 1)) - 1):,}"
    return ""


def count_bars(name: str, label: str, groups: Mapping[str, Mapping[str, int]]) -> Figure:
    """Counts by category, side by side for groups that share the categories."""
    left, right, top, height = 44, 150, 14, 250
    categories = list(dict.fromkeys(name for counts in groups.values() for name in counts))
    highest = max(1, *(count for counts in groups.values() for count in counts.values()), 0)
    step = (WIDTH - left - right) / max(1, len(categories))
    width = 0.8 * step / max(1, len(groups))
    shapes: list[Shape] = []
    for fifth in range(6):
        y = top + height * (1 - fifth / 5)
        shapes.append(line("grid", (left, y), (WIDTH - right, y)))
        shapes.append(text("tick", left - 7, y + 4, f"{highest * fifth / 5:g}", "end"))
    for number, (group, counts) in enumerate(groups.items()):
        style = series_class(number)
        for place, category in enumerate(categories):
            count = counts.get(category, 0)
            tall = height * count / highest
            x = left + place * step + 0.1 * step + number * width
            title = f"{group}, {category}: {count}"
            shapes.append(rectangle(f"share {style}", x, top + height - tall, width, tall, title))
        shapes.append(text(f"end {style}", WIDTH - right + 8, top + 16 + 18 * number, group))
    for place, category in enumerate(categories):
        x = left + (place + 0.5) * step
        shapes.append(text("tick", x, top + height + 18, category, "middle"))
    return Figure(name, label, WIDTH, top + height + 40, tuple(shapes))
