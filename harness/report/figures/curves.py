"""Charts of shares: pass@k over k with bands, and shares over named categories."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...stats.metrics.pass_at_k import pass_at_k
from ...stats.tallies import Estimate, estimate, keys_by_subset, tally_samples
from ..sources import Sources
from .bars import WIDTH, percent_axis
from .colours import series_class
from .figure import Figure, Shape, apart, key, line, shortened, text, thinned, told_apart

#: A curve needs so many samples of each problem, and has at most so many points.
FEWEST_SAMPLES, MOST_POINTS = 4, 16
_HEIGHT, _TOP, _LEFT_MARGIN, _RIGHT = 230, 12, 40, 142


@dataclass(frozen=True)
class Curve:
    """The points of a series: shares, possibly with intervals. ``style`` is the colour of the
    series.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()
    style: str = "c0"


def pass_curves(sources: Sources) -> list[Figure]:
    """Figures of pass@k over k: a figure for each subset with all models; for a single model, a
    figure with all subsets.

    Subsets in which models were asked different problems are left out.
    """
    short = sources.short_names
    names = list(short.values())
    subsets: dict[str, dict[str, list[Estimate]]] = {"all": {}}
    for run, labels in zip(sources.runs, sources.names, strict=True):
        keys = keys_by_subset(run)
        for model, tallies in tally_samples(run, sources.policy).items():
            for subset, its_keys in keys.items():
                group = [tallies[key] for key in its_keys if key in tallies]
                min_samples = min((tally.samples for tally in group), default=0)
                if min_samples >= FEWEST_SAMPLES:
                    points = [estimate(group, pass_at_k, k) for k in spaced(min_samples)]
                    subsets.setdefault(subset, {})[short[labels[model]]] = points
    shared = sources.shared_subsets
    subsets = {name: series for name, series in subsets.items() if series and name in shared}
    if not subsets:
        return []
    if len(names) == 1:
        own = {subset: points for subset, series in subsets.items() for points in series.values()}
        return [_over_k("pass_at_k", names[0], own, list(own))]
    return [
        _over_k("_".join(["pass_at_k", *re.findall(r"\w+", subset)]), subset, series, names)
        for subset, series in subsets.items()
    ]


def _over_k(
    name: str, title: str, series: Mapping[str, Sequence[Estimate]], names: Sequence[str]
) -> Figure:
    """Curves with bands. A series' index in ``names`` determines the colour."""
    largest = max(point.k for points in series.values() for point in points)

    def x(k: int) -> float:
        return math.log(k) / math.log(largest)

    curves = [
        Curve(
            series_name,
            tuple((x(e.k), e.value) for e in points),
            (
                *((x(e.k), e.interval[1]) for e in points),
                *((x(e.k), e.interval[0]) for e in reversed(points)),
            ),
            series_class(names.index(series_name)),
        )
        for series_name, points in series.items()
    ]
    ks = [2**i for i in range(20) if 2**i <= largest]
    ticks = [(x(k), f"k = {k}" if k == 1 else str(k)) for k in ks]
    shapes = _panel(curves, ticks)
    caption = "pass@k in percent, unbiased; bands are 95 % intervals."
    height = _TOP + _HEIGHT + 28
    return Figure(name, f"pass@k over k, {title}", WIDTH, height, tuple(shapes), caption, title)


def spaced(n: int) -> list[int]:
    """Whole numbers from 1 to n, evenly spread on a logarithmic axis."""
    steps = MOST_POINTS - 1
    return sorted({round(n ** (i / steps)) for i in range(steps + 1)})


def category_chart(
    name: str,
    label: str,
    categories: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    ordered: bool = False,
) -> Figure:
    """Shares of several series over named categories; points of ``ordered`` categories are joined
    by lines.
    """
    centres = [(category + 0.5) / max(1, len(categories)) for category in range(len(categories))]
    curves = []
    for number, (title, values) in enumerate(series.items()):
        pairs = zip(centres, values, strict=False)  # a series may end before the last category
        points = tuple((x, value) for x, value in pairs if value is not None)
        if points:
            curves.append(Curve(title, points, style=series_class(number)))
    ticks = list(zip(centres, categories, strict=True))
    shapes = _panel(curves, ticks, joined=ordered)
    return Figure(name, label, WIDTH, _TOP + _HEIGHT + 28, tuple(shapes))


def _panel(
    curves: Sequence[Curve], ticks: Sequence[tuple[float, str]], joined: bool = True
) -> list[Shape]:
    """Axes in percent, with curves or dots; the names of the curves stand at the right."""
    left_edge, right, bottom = _LEFT_MARGIN, WIDTH - _RIGHT, _TOP + _HEIGHT

    def at(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
        return tuple((left_edge + (right - left_edge) * x, bottom - _HEIGHT * y) for x, y in points)

    shapes: list[Shape] = []
    for tick in range(0, 101, 20):
        ends = at(((0, tick / 100), (1, tick / 100)))
        shapes.append(line("grid", *ends))
        shapes.append(text("tick", left_edge - 7, ends[0][1] + 4, str(tick), "end"))
    x_labels = [(at([(x, 0)])[0][0], words) for x, words in ticks]
    shapes += [text("tick", x, bottom + 18, words, "middle") for x, words in thinned(x_labels)]
    labels = []
    for curve in curves:
        if curve.band:
            shapes.append(Shape("area", f"band {curve.style}", at(curve.band)))
        if joined:
            shapes.append(line(f"curve {curve.style}", *at(curve.points)))
        else:
            shapes += [Shape("dot", f"share {curve.style}", (point,)) for point in at(curve.points)]
        labels.append((at(curve.points)[-1][1], curve.name, curve.style))
    # Names at the ends of curves are moved apart, as curves often end together.
    names = told_apart([curve.name for curve in curves], 16)
    for y, name, style in apart(labels, bottom):
        shapes.append(text(f"end {style}", right + 10, y + 4, names[name]))
    return shapes


def label_chart(
    name: str,
    label: str,
    rows: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    caption: str = "",
) -> Figure:
    """Shares by label, with a line for each label and a dot for each series in the series'
    colour.
    """
    left_edge, right = 180, WIDTH - 26

    def at(share: float) -> float:
        return left_edge + (right - left_edge) * share

    entries = [(f"share {series_class(number)}", name, 1.0) for number, name in enumerate(names)]
    shapes, y = key(entries, 4, 6, WIDTH - 8) if len(names) > 1 else ([], 6.0)
    top = y
    lines: list[Shape] = []
    for title, values in rows.items():
        y += 20
        xs = {label_name: at(value) for label_name, value in values.items()}
        lines.append(text("name", left_edge - 12, y + 4, shortened(title, 23), "end"))
        lines.append(line("span", (min(xs.values()), y), (max(xs.values()), y)))
        for label_name, x in xs.items():
            lines.append(Shape("dot", f"share {series_class(names.index(label_name))}", ((x, y),)))
    shapes += percent_axis(at, top, y + 12)
    return Figure(name, label, WIDTH, y + 36, (*shapes, *lines), caption)
