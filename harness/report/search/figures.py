"""Figures of searches: the growth of archives, and a map of an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from ....benchmarks.problem import Problem
from ...core.requests import problem_key
from ..figures.bars import WIDTH
from ..figures.colours import series_class
from ..figures.figure import Figure, Shape, apart, circle, key, line, shortened, text, thinned

_LEFT_MARGIN, _RIGHT, _TOP, _HEIGHT = 46, 130, 12, 210
_MAP, _RADIUS = 400.0, 4.0
#: Clusters with a colour of their own on the map; the others share one.
_COLOURS = 9


def by_generation(
    name: str, title: str, series: Mapping[str, Sequence[float | None]], caption: str
) -> Figure:
    """Numbers by generation, with a curve for each search."""
    longest = max(len(values) for values in series.values())
    finite = [value for values in series.values() for value in values if value is not None]
    top = _round_up(max(finite, default=1.0))
    right, bottom = WIDTH - _RIGHT, _TOP + _HEIGHT

    def at(generation: int, value: float) -> tuple[float, float]:
        x = (generation - 1) / max(1, longest - 1)
        return _LEFT_MARGIN + (right - _LEFT_MARGIN) * x, bottom - _HEIGHT * value / top

    shapes: list[Shape] = []
    for step in range(5):
        value = top * step / 4
        shapes.append(line("grid", at(1, value), (right, at(1, value)[1])))
        shapes.append(text("tick", _LEFT_MARGIN - 7, at(1, value)[1] + 4, f"{value:g}", "end"))
    ticks = [(at(number, 0)[0], str(number)) for number in range(1, longest + 1)]
    shapes += [text("tick", x, bottom + 18, words, "middle") for x, words in thinned(ticks)]
    ends: list[tuple[float, str, str]] = []
    for number, (label, values) in enumerate(series.items()):
        style = series_class(number)
        points = [at(index, value) for index, value in enumerate(values, 1) if value is not None]
        if points:
            shapes.append(line(f"curve {style}", *points))
            shapes += [Shape("dot", f"dot {style}", (point,)) for point in points[-1:]]
            ends.append((points[-1][1], label, style))
    for y, label, style in apart(ends, bottom):
        shapes.append(text(f"end {style}", right + 10, y + 4, shortened(label, 15)))
    return Figure(name, title, WIDTH, bottom + 28, tuple(shapes), caption, title)


def _round_up(value: float) -> float:
    """The next larger round number for the upper end of an axis.

    Round numbers are 1 to 9 times a power of ten, and 1.2, 1.6 and 2.4 times a power of ten, for
    few digits at a quarter of the axis.
    """
    scale = 1.0
    while value > 8 * scale:
        scale *= 10
    while value <= 0.8 * scale and scale > 1e-9:
        scale /= 10
    steps = (1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8)
    return next(step * scale for step in steps if value <= step * scale)


def archive_map(name: str, title: str, problems: Sequence[Problem]) -> Figure | None:
    """A map of all failures by structure; a click on a failure opens the problem on the page."""
    placed = [(problem, problem.metadata.get("place")) for problem in problems]
    clusters = list(dict.fromkeys(str(problem.metadata.get("cluster")) for problem in problems))
    counts = {
        cluster: sum(p.metadata.get("cluster") == cluster for p in problems) for cluster in clusters
    }
    # Large clusters get the distinct colours; all small clusters share the last.
    clusters.sort(key=lambda cluster: -counts[cluster])
    colours = {cluster: series_class(min(at, _COLOURS - 1)) for at, cluster in enumerate(clusters)}
    shapes: list[Shape] = []
    for problem, position in placed:
        if not isinstance(position, list):
            continue
        x, y = (float(str(value)) for value in position)
        cluster = str(problem.metadata["cluster"])
        words = f"{problem.metadata['formula']} ({cluster}; {problem.metadata['status']})"
        link = f"#problems?open={quote(problem_key(problem), safe='')}"
        x_pixel, top = _LEFT_MARGIN / 2 + _MAP * x, _TOP + _MAP * (1 - y)
        shapes.append(circle(f"share {colours[cluster]}", x_pixel, top, _RADIUS, words, link))
    if not shapes:
        return None
    entries = [
        (f"share {colours[cluster]}", f"{cluster}: {counts[cluster]}", 1.0) for cluster in clusters
    ]
    names, bottom = key(entries, 4, _TOP + _MAP + 14, WIDTH - 8)
    caption = (
        "Every point is a failure: the two largest principal components of counts of operations, "
        "depth and sizes of numbers. A click opens problem, answer and verdict."
    )
    return Figure(name, title, WIDTH, bottom + 4, (*shapes, *names), caption, title)
