"""Figures of comparisons: pass@k over k, and paired differences with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from ...core.errors import UserError
from ...stats.metrics import Estimate, Tally, estimate, tally_samples
from ...stats.paired import Comparison, Contrast, Difference
from ..comparisons import p_value, points, remarks
from .svg import LEFT, WIDTH, cut

if TYPE_CHECKING:
    from ..sources import Sources

#: A curve needs so many samples of each problem, and has at most so many points.
FEWEST_SAMPLES, MOST_POINTS = 4, 16
#: Colours of the page's style sheet; more lines than that take them again, dashed.
COLOURS = 6
_PANEL, _TOP, _GAP = 250, 34, 44
_NUMBERS = 262  # room for a difference in words
_ROW = 26


@dataclass(frozen=True)
class Curve:
    """pass@k of one subset (or system) over k."""

    name: str
    points: tuple[Estimate, ...]


@dataclass(frozen=True)
class Panel:
    """The curves of one model."""

    title: str
    curves: tuple[Curve, ...]


def panels(sources: Sources) -> list[Panel]:
    """A panel for each model whose problems have enough samples."""
    found = []
    for run, names in zip(sources.runs, sources.names, strict=True):
        for model, tallies in tally_samples(run, sources.policy).items():
            subsets: dict[str, list[Tally]] = {}
            for key, tally in tallies.items():
                subsets.setdefault(run.problem(key).name, []).append(tally)
            curves = [
                Curve(name, tuple(estimate(group, k) for k in spaced(fewest)))
                for name, group in subsets.items()
                if (fewest := min(tally.samples for tally in group)) >= FEWEST_SAMPLES
            ]
            if curves:
                found.append(Panel(names[model], tuple(curves)))
    return found


def spaced(n: int) -> list[int]:
    """Whole numbers from 1 to n, evenly spread on a logarithmic axis."""
    steps = MOST_POINTS - 1
    return sorted({round(n ** (i / steps)) for i in range(steps + 1)})


def pass_curves(found: Sequence[Panel]) -> Markup:
    """Lines over k on a logarithmic axis, with bands for the intervals, named at their ends."""
    across = 1 if len(found) == 1 else 2
    width = (WIDTH - 20 * (across - 1)) / across
    parts = []
    for place, panel in enumerate(found):
        left = (place % across) * (width + 20)
        top = (place // across) * (_PANEL + _TOP + _GAP)
        parts.append(_panel(panel, left + 40, left + width - 118, top + _TOP))
    height = math.ceil(len(found) / across) * (_PANEL + _TOP + _GAP)
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="pass@k over k" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _panel(panel: Panel, left: float, right: float, top: float) -> str:
    largest = max(point.k for curve in panel.curves for point in curve.points)
    bottom = top + _PANEL

    def x(k: int) -> float:
        return left + (right - left) * math.log(k) / math.log(largest)

    def y(value: float) -> float:
        return bottom - _PANEL * value

    room = int((right - left + 110) / 7)
    title = cut(panel.title, room)
    parts = [f'<text class="name" x="{left:.1f}" y="{top - 14:.1f}">{escape(title)}</text>']
    for tick in range(0, 101, 20):
        at = y(tick / 100)
        parts.append(
            f'<line class="grid" x1="{left:.1f}" x2="{right:.1f}" y1="{at:.1f}" '
            f'y2="{at:.1f}"/><text class="tick" x="{left - 7:.1f}" y="{at + 4:.1f}" '
            f'text-anchor="end">{tick}</text>'
        )
    ks = [2**i for i in range(20) if 2**i <= largest]
    for k in ks:
        label = f"k = {k}" if k == ks[0] else str(k)
        parts.append(
            f'<text class="tick" x="{x(k):.1f}" y="{bottom + 18:.1f}" '
            f'text-anchor="middle">{label}</text>'
        )
    ends = []
    for place, curve in enumerate(panel.curves):
        colour = f"c{place % COLOURS}{' dashed' if place >= COLOURS else ''}"
        upper = [f"{x(e.k):.1f} {y(e.interval[1]):.1f}" for e in curve.points]
        lower = [f"{x(e.k):.1f} {y(e.interval[0]):.1f}" for e in reversed(curve.points)]
        line = [f"{x(e.k):.1f} {y(e.value):.1f}" for e in curve.points]
        parts.append(
            f'<path class="band {colour}" d="M{"L".join(upper + lower)}Z"/>'
            f'<path class="curve {colour}" d="M{"L".join(line)}"/>'
        )
        ends.append((y(curve.points[-1].value), curve.name.partition("/")[2] or curve.name, colour))
    for at, name, colour in _apart(ends):
        shown = cut(name, 17)
        parts.append(
            f'<text class="end {colour}" x="{right + 8:.1f}" y="{at + 4:.1f}">'
            f"{escape(shown)}</text>"
        )
    return "".join(parts)


def _apart(
    ends: Sequence[tuple[float, str, str]], room: float = 15
) -> list[tuple[float, str, str]]:
    """Labels from top to bottom, moved so that none covers another."""
    placed: list[tuple[float, str, str]] = []
    for at, name, colour in sorted(ends):
        lowest = placed[-1][0] + room if placed else -math.inf
        placed.append((max(at, lowest), name, colour))
    return placed


def differences(rows: Sequence[tuple[Contrast, Difference]], reach: float) -> Markup:
    """A line for each contrast: its difference, the interval, and both in words.

    The axis goes as far as ``reach`` on either side, so that figures can share it.
    """
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.25, 0.5) if reach <= 4 * s or s == 0.5)
    limit = step * max(1, math.ceil(reach / step - 1e-9))
    right = WIDTH - _NUMBERS
    bottom = 12 + _ROW * len(rows)

    def x(value: float) -> float:
        return LEFT + (right - LEFT) * (value + limit) / (2 * limit)

    parts = []
    for i in range(-round(limit / step), round(limit / step) + 1):
        at, kind = x(i * step), "zero" if i == 0 else "grid"
        parts.append(
            f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="4" y2="{bottom}"/>'
            f'<text class="tick" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{100 * i * step:+.0f}</text>".replace("+0<", "0<")
        )
    for place, (row, found) in enumerate(rows):
        y = 12 + _ROW * (place + 0.5)
        low, high = (x(bound) for bound in found.interval)
        p = found.adjusted if found.adjusted is not None else found.p
        name = cut(row.group)
        shown = p_value(p)
        words = f"{points(found.value, found.interval)}, p {'' if shown[0] == '<' else '= '}{shown}"
        clear = "sure" if found.interval[0] > 0 or found.interval[1] < 0 else "unsure"
        parts.append(
            f'<text class="name" x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}'
            f'</text><path class="whisker" d="M{low:.1f} {y:.1f}H{high:.1f}M{low:.1f} '
            f'{y - 4:.1f}v8M{high:.1f} {y - 4:.1f}v8"/><circle class="dot {clear}" '
            f'cx="{x(found.value):.1f}" cy="{y:.1f}" r="5"/><text class="value" '
            f'x="{right + 16}" y="{y + 4:.1f}">{escape(words)}</text>'
        )
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {bottom + 26}" role="img" '
        'aria-label="paired differences with 95 % intervals" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


@dataclass(frozen=True)
class ComparisonFigures:
    """A comparison as the page shows it: figures with their captions, and the remarks."""

    title: str
    figures: tuple[tuple[str, Markup], ...]
    remarks: tuple[str, ...]


def comparison_figures(sources: Sources) -> list[ComparisonFigures]:
    """Perturbations against originals, and models against each other, where there are any."""
    from ...stats.compare import compare

    found = []
    for by, title in (
        ("perturbation", "Perturbations against their originals"),
        ("model", "Models against each other"),
    ):
        try:
            comparison = compare(*sources.runs, by=by, policy=sources.policy)  # type: ignore[arg-type]
        except UserError:  # there is nothing to compare in these runs
            continue
        figures = tuple(_figures(comparison))
        found.append(ComparisonFigures(title, figures, tuple(remarks(comparison))))
    return found


def _figures(comparison: Comparison) -> list[tuple[str, Markup]]:
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
    found = [line for rows in groups.values() for line in rows]
    reach = max((abs(bound) for _, line in found for bound in line.interval), default=1.0)
    return [(title, differences(rows, reach)) for title, rows in groups.items()]
