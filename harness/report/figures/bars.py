"""Bar charts: pass@k, shares of the verdicts, lengths of answers, counts by category."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...stats.summary import Row
from ...store.counts import BINS, bin_start
from ..numbers import percent
from .colours import STATUSES, series_class
from .figure import Figure, Shape, key, line, rectangle, text, thinned, told_apart, whisker

#: Figures are as wide as a telephone or a paper's column, so that their texts are readable there.
WIDTH, LEFT_MARGIN, RIGHT = 440, 148, 104
_BAR, _ROW, _HEADING, _GAP, _AXIS = 12, 18, 22, 10, 26
#: Characters of a name to the left of a bar.
_NAME = 20


def _x(share: float) -> float:
    return LEFT_MARGIN + share * (WIDTH - LEFT_MARGIN - RIGHT)


def percent_axis(x: Callable[[float], float], top: float, bottom: float) -> list[Shape]:
    """A horizontal axis in percent; ``x`` is the position of a share."""
    shapes = []
    for tick in range(0, 101, 25):
        at = x(tick / 100)
        shapes.append(line("grid", (at, top), (at, bottom)))
        label = f"{tick} %" if tick == 100 else str(tick)
        shapes.append(text("tick", at, bottom + 16, label, "middle"))
    return shapes


def models_of(rows: Iterable[Row]) -> list[str]:
    """The names of the models, in the order of colours in every figure."""
    return list(dict.fromkeys(row.label for row in rows))


def by_subset(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each subset; the entry for all subsets together comes first."""
    subsets: dict[str, list[Row]] = {"all": []}
    for row in rows:
        subsets.setdefault(row.subset, []).append(row)
    return {name: subset for name, subset in subsets.items() if subset}


def _lines(rows: Sequence[Row]) -> Iterator[tuple[float, Row | None, str]]:
    """The lines of a chart: the top, the row and the name of each line.

    A heading has no row, and the name of a subset. A single model needs no headings; with several
    models each subset has a heading.
    """
    y = 6.0
    if len(models_of(rows)) == 1:
        for group in by_subset(rows).values():
            yield y, group[0], group[0].subset
            y += _ROW
        return
    for subset, group in by_subset(rows).items():
        yield y, None, subset
        y += _HEADING
        for row in group:
            yield y, row, row.label
            y += _ROW
        y += _GAP


def _bars(rows: Sequence[Row], shapes: list[Shape]) -> Iterator[tuple[float, Row, str]]:
    """Draw the headings and names of a chart; yields the top, the row and the name of each bar."""
    names = told_apart([name for _, row, name in _lines(rows) if row], _NAME)
    for y, row, name in _lines(rows):
        if row is None:
            shapes.append(text("heading", 4, y + 14, name))
        else:
            shapes.append(text("name", LEFT_MARGIN - 8, y + _BAR / 2 + 4, names[name], "end"))
            yield y, row, name


def pass_bars(rows: Sequence[Row]) -> Figure:
    """Bars of pass@1 and of pass@k for the largest k.

    Each subset is a group of bars, and each model has a colour.
    """
    models = models_of(rows)
    rows = [row for row in rows if row.passes]  # the others have no score
    shapes: list[Shape] = []
    bottom = 0.0
    for y, row, name in _bars(rows, shapes):
        bottom = y + _ROW
        lowest, highest = row.passes[0], row.passes[-1]
        style = f"share {series_class(models.index(row.label))}"
        middle = y + _BAR / 2
        words = percent(lowest.value)
        if highest.k > lowest.k:
            title = f"{name}, pass@{highest.k}: {percent(highest.value)}"
            width = _x(highest.value) - LEFT_MARGIN
            shapes.append(rectangle(style, LEFT_MARGIN, y, width, _BAR, title, opacity=0.35))
            words += f", @{highest.k} {percent(highest.value)}"
        title = f"{name}, pass@{lowest.k}: {percent(lowest.value)}"
        shapes += [
            rectangle(style, LEFT_MARGIN, y, _x(lowest.value) - LEFT_MARGIN, _BAR, title),
            *whisker(map(_x, lowest.interval), middle),
            text("value", WIDTH - RIGHT + 8, middle + 4, words),
        ]
    shapes = [*percent_axis(_x, 4, bottom), *shapes]
    label = "pass@k with 95 % intervals"
    caption = "pass@1 with its 95 % interval; paler, pass@k of all samples (@k)."
    return Figure("subsets", label, WIDTH, bottom + _AXIS, tuple(shapes), caption)


def verdict_bars(rows: Sequence[Row]) -> Figure:
    """A stacked bar of verdict shares for each model and subset, with a key."""
    shapes: list[Shape] = []
    # The rows decide the height; the axis and the key are added below them.
    bottom = 0.0
    for y, row, name in _bars(rows, shapes):
        bottom = y + _ROW
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
                        _BAR,
                        title=f"{name}, {words}: {percent(share)} %",
                        opacity=_opacity(status),
                    )
                )
                start += share
    shapes = [*percent_axis(_x, 4, bottom), *shapes]
    # The key has only the statuses that occur.
    statuses = [status for status in STATUSES if any(row.rates[status] for row in rows)]
    entries = [
        (f"share s-{status}", status.replace("_", " "), _opacity(status)) for status in statuses
    ]
    keys, height = key(entries, 4, bottom + _AXIS + 6, WIDTH - 8)
    label = "shares of the verdicts"
    return Figure("verdicts", label, WIDTH, height + 4, (*shapes, *keys))


def _opacity(status: str) -> float:
    return 0.72 if status == "unparseable" else 1.0


def length_bars(series: Sequence[tuple[str, Mapping[int, int]]], unit: str, caption: str) -> Figure:
    """Histograms of the lengths of answers, below each other for each model, on a common
    logarithmic axis.

    ``series`` has the numbers of answers by bin, from `store.counts.histogram`.
    """
    lowest = min(min((i for i in bins if i), default=1) for _, bins in series)
    highest = max(max(bins) for _, bins in series)
    strip, gap = 44.0, 12.0
    step = (WIDTH - LEFT_MARGIN - RIGHT) / max(1, highest - lowest + 1)
    shapes: list[Shape] = []
    names = told_apart([name for name, _ in series], _NAME)
    for row_number, (name, bins) in enumerate(series):
        bottom = 10 + strip + row_number * (strip + gap)
        tallest, total = max(bins.values()), sum(bins.values())
        middle = bottom - strip / 2 + 4
        shapes += [
            text("name", LEFT_MARGIN - 8, middle, names[name], "end"),
            line("grid", (LEFT_MARGIN, bottom), (WIDTH - RIGHT, bottom)),
            text("value", WIDTH - RIGHT + 8, middle, _median(bins)),
        ]
        for index, count in bins.items():
            if index < lowest:  # empty answers
                continue
            height = strip * count / tallest
            start, end = math.ceil(bin_start(index)), math.ceil(bin_start(index + 1)) - 1
            x = LEFT_MARGIN + (index - lowest) * step + 0.5
            title = f"{start} to {end} {unit}: {count} of {total}"
            style = f"share {series_class(row_number)}"
            width = max(1.0, step - 1)
            shapes.append(rectangle(style, x, bottom - height, width, height, title))
    foot = 10 + len(series) * (strip + gap)
    ticks = []
    for power in range(math.ceil((lowest - 1) / BINS), (highest - 1) // BINS + 2):
        x = LEFT_MARGIN + (1 + power * BINS - lowest) * step
        if LEFT_MARGIN <= x <= WIDTH - RIGHT + 1:
            ticks.append((x, f"{2**power:,}"))
    shapes += [text("tick", x, foot, words, "middle") for x, words in thinned(ticks)]
    return Figure(unit, f"{unit} of the answers", WIDTH, foot + 10, tuple(shapes), caption)


def _median(bins: Mapping[int, int]) -> str:
    """The upper end of the bin of the median, in words."""
    total, counted = sum(bins.values()), 0
    for index, count in sorted(bins.items()):
        counted += count
        if 2 * counted >= total:
            return f"half ≤ {max(0, math.ceil(bin_start(index + 1)) - 1):,}"
    return ""


def count_bars(name: str, label: str, groups: Mapping[str, Mapping[str, int]]) -> Figure:
    """Counts by category, with a group of bars for each category."""
    left_edge, right, height = 44, 12, 220
    categories = list(dict.fromkeys(name for counts in groups.values() for name in counts))
    highest = max(1, *(count for counts in groups.values() for count in counts.values()), 0)
    step = (WIDTH - left_edge - right) / max(1, len(categories))
    width = 0.8 * step / max(1, len(groups))
    entries = [(f"share {series_class(at)}", group, 1.0) for at, group in enumerate(groups)]
    shapes, top = key(entries, left_edge, 6, WIDTH - left_edge - right)
    top += 10
    for fifth in range(6):
        y = top + height * (1 - fifth / 5)
        shapes.append(line("grid", (left_edge, y), (WIDTH - right, y)))
        shapes.append(text("tick", left_edge - 7, y + 4, f"{highest * fifth / 5:g}", "end"))
    for number, (group, counts) in enumerate(groups.items()):
        style = series_class(number)
        for bar_number, category in enumerate(categories):
            count = counts.get(category, 0)
            tall = height * count / highest
            x = left_edge + bar_number * step + 0.1 * step + number * width
            title = f"{group}, {category}: {count}"
            shapes.append(rectangle(f"share {style}", x, top + height - tall, width, tall, title))
    ticks = [(left_edge + (index + 0.5) * step, name) for index, name in enumerate(categories)]
    shapes += [text("tick", x, top + height + 18, word, "middle") for x, word in thinned(ticks)]
    return Figure(name, label, WIDTH, top + height + 40, tuple(shapes))
