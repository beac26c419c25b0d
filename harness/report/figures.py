"""Figures as plain SVG that takes its colours from the page's style sheet."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from harness.metrics import Row
from harness.report.tables import all_ks, percent
from rewards.verdict import Status

WIDTH, LEFT, RIGHT = 860, 250, 130
BAR, GAP, GROUP = 13, 3, 16
_AXIS = 26
#: Statuses in the order of a stacked bar: right, wrong, the ways to say nothing usable, unknown.
ORDER = (
    Status.CORRECT, Status.INCORRECT, Status.NOT_CLOSED_FORM, Status.UNPARSEABLE,
    Status.NO_ANSWER, Status.UNDECIDED, Status.TIMEOUT, Status.ERROR,
)  # fmt: skip


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _svg(height: float, label: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _name(row: Row, y: float, several: bool) -> str:
    name = f"{row.subset} · {row.label}" if several else row.subset
    if len(name) > 33:
        name = name[:32] + "…"
    return f'<text class="name" x="{LEFT - 12}" y="{y:.1f}" text-anchor="end">{escape(name)}</text>'


def _grid(bottom: float) -> list[str]:
    parts = []
    for tick in range(0, 101, 20):
        x = _x(tick / 100)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{bottom:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{tick}'
            f"{' %' if tick == 100 else ''}</text>"
        )
    return parts


def pass_bars(rows: Sequence[Row]) -> Markup:
    """Bars of pass@k with whiskers for the intervals, a group for each model and subset."""
    several = len({row.label for row in rows}) > 1
    ks = all_ks(rows)
    parts: list[str] = []
    y = 10.0
    for row in rows:
        top = y
        for estimate in row.passes:
            shade = 1 - 0.6 * ks.index(estimate.k) / max(1, len(ks) - 1) if len(ks) > 1 else 1
            width, middle = _x(estimate.value) - LEFT, y + BAR / 2
            low, high = (_x(bound) for bound in estimate.interval)
            parts.append(
                f'<rect class="bar" x="{LEFT}" y="{y:.1f}" width="{width:.1f}" height="{BAR}" '
                f'rx="2" opacity="{shade:.2f}"/>'
                f'<path class="whisker" d="M{low:.1f} {middle:.1f}H{high:.1f}'
                f'M{low:.1f} {middle - 4:.1f}v8M{high:.1f} {middle - 4:.1f}v8"/>'
                f'<text class="value" x="{WIDTH - RIGHT + 14}" y="{middle + 4:.1f}">'
                f"pass@{estimate.k} {percent(estimate.value)}</text>"
            )
            y += BAR + GAP
        parts.insert(0, _name(row, (top + y - GAP) / 2 + 4, several))
        y += GROUP
    bottom = y - GROUP + 8
    return _svg(bottom + _AXIS, "pass@k with 95 % intervals", [*_grid(bottom), *parts])


def verdict_bars(rows: Sequence[Row]) -> Markup:
    """One stacked bar of verdict shares for each model and subset."""
    several = len({row.label for row in rows}) > 1
    parts: list[str] = []
    y = 10.0
    for row in rows:
        parts.append(_name(row, y + BAR / 2 + 4, several))
        start = 0.0
        for status in ORDER:
            share = row.rates[status]
            if share:
                x, width = _x(start), _x(start + share) - _x(start)
                parts.append(
                    f'<rect class="s-{status}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                    f'height="{BAR + 3}"><title>{status.replace("_", " ")}: {percent(share)} %'
                    "</title></rect>"
                )
                start += share
        y += BAR + GROUP
    bottom = y - GROUP + 8
    return _svg(bottom + _AXIS, "shares of the verdicts", [*_grid(bottom), *parts])
