"""Curves of shares: pass@k over k with bands, and shares over named categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...stats.metrics.pass_at_k import pass_at_k
from ...stats.tallies import Estimate, Tally, estimate, tally_samples
from ..sources import Sources
from .bars import WIDTH
from .colours import series_class
from .figure import Figure, Shape, apart, line, shortened, text

#: A curve needs so many samples of each problem, and has at most so many points.
FEWEST_SAMPLES, MOST_POINTS = 4, 16
_HEIGHT, _TOP, _GAP = 250, 34, 44


@dataclass(frozen=True)
class Curve:
    """Points of one series, each with a share and perhaps its interval."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Panel:
    """Curves on common axes; ``ticks`` are places from 0 to 1 on the horizontal one, and names."""

    title: str
    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, str], ...]


def pass_curves(sources: Sources) -> Figure | None:
    """pass@k over k, a panel for each model; None where no problems have enough samples."""
    panels = []
    for run, names in zip(sources.runs, sources.names, strict=True):
        for model, tallies in tally_samples(run, sources.policy).items():
            subsets: dict[str, list[Tally]] = {}
            for key, tally in tallies.items():
                subsets.setdefault(run.problem(key).name, []).append(tally)
            curves = {
                name.partition("/")[2] or name: [
                    estimate(group, pass_at_k, k) for k in spaced(fewest)
                ]
                for name, group in subsets.items()
                if (fewest := min(tally.samples for tally in group)) >= FEWEST_SAMPLES
            }
            if curves:
                panels.append(_over_k(names[model], curves))
    if not panels:
        return None
    caption = "In percent, unbiased; bands are 95 % intervals."
    return draw("pass_at_k", "pass@k over k", panels, caption)


def _over_k(title: str, curves: Mapping[str, Sequence[Estimate]]) -> Panel:
    largest = max(point.k for points in curves.values() for point in points)

    def x(k: int) -> float:
        return math.log(k) / math.log(largest)

    ks = [2**i for i in range(20) if 2**i <= largest]
    return Panel(
        title=title,
        curves=tuple(
            Curve(
                name,
                tuple((x(e.k), e.value) for e in points),
                (
                    *((x(e.k), e.interval[1]) for e in points),
                    *((x(e.k), e.interval[0]) for e in reversed(points)),
                ),
            )
            for name, points in curves.items()
        ),
        ticks=tuple((x(k), f"k = {k}" if k == 1 else str(k)) for k in ks),
    )


def spaced(n: int) -> list[int]:
    """Whole numbers from 1 to n, evenly spread on a logarithmic axis."""
    steps = MOST_POINTS - 1
    return sorted({round(n ** (i / steps)) for i in range(steps + 1)})


def category_curves(
    name: str, label: str, categories: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> Figure:
    """Shares of several series over named categories."""
    places = [place / max(1, len(categories) - 1) for place in range(len(categories))]
    curves = []
    for title, values in series.items():
        pairs = zip(places, values, strict=False)  # a series may end before the last category
        points = tuple((x, value) for x, value in pairs if value is not None)
        if points:
            curves.append(Curve(title, points))
    panel = Panel("", tuple(curves), tuple(zip(places, categories, strict=True)))
    return draw(name, label, [panel])


def draw(name: str, label: str, panels: Sequence[Panel], caption: str = "") -> Figure:
    """Panels side by side, two in a row."""
    across = 1 if len(panels) == 1 else 2
    width = (WIDTH - 20 * (across - 1)) / across
    shapes: list[Shape] = []
    for place, panel in enumerate(panels):
        left = (place % across) * (width + 20)
        top = (place // across) * (_HEIGHT + _TOP + _GAP) + _TOP
        shapes += _panel(panel, left + 40, left + width - 118, top)
    height = math.ceil(len(panels) / across) * (_HEIGHT + _TOP + _GAP)
    return Figure(name, label, WIDTH, height, tuple(shapes), caption)


def _panel(panel: Panel, left: float, right: float, top: float) -> list[Shape]:
    bottom = top + _HEIGHT

    def at(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
        return tuple((left + (right - left) * x, bottom - _HEIGHT * y) for x, y in points)

    title = shortened(panel.title, int((right - left + 110) / 7))
    shapes = [text("name", left, top - 14, title)] if title else []
    for tick in range(0, 101, 20):
        ends = at(((0, tick / 100), (1, tick / 100)))
        shapes.append(line("grid", *ends))
        shapes.append(text("tick", left - 7, ends[0][1] + 4, str(tick), "end"))
    for x, words in panel.ticks:
        shapes.append(text("tick", at([(x, 0)])[0][0], bottom + 18, words, "middle"))
    labels = []
    for number, curve in enumerate(panel.curves):
        style = series_class(number)
        if curve.band:
            shapes.append(Shape("area", f"band {style}", at(curve.band)))
        shapes.append(line(f"curve {style}", *at(curve.points)))
        labels.append((at(curve.points)[-1][1], curve.name, style))
    for y, name, style in apart(labels, bottom):
        shapes.append(text(f"end {style}", right + 8, y + 4, shortened(name, 17)))
    return shapes
