"""Figures as plain SVG that takes its colours from the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from ....rewards.verdict import Status
from ...stats.metrics import Row
from ...store.counts import BINS, bin_start
from ..tables import all_ks, percent

WIDTH, LEFT, RIGHT = 860, 250, 130
BAR, GAP, GROUP = 13, 3, 16
_AXIS = 26
#: Statuses in the order of a stacked bar: right, wrong, the ways to say nothing usable, unknown.
ORDER = (
    Status.CORRECT,
    Status.INCORRECT,
    Status.NOT_CLOSED_FORM,
    Status.UNPARSEABLE,
    Status.NO_ANSWER,
    Status.UNDECIDED,
    Status.TIMEOUT,
    Status.ERROR,
)


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _svg(height: float, label: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def cut(name: str, longest: int = 33) -> str:
    """A name's two ends, where it is too long: what tells names apart is often the last of them."""
    if len(name) <= longest:
        return name
    tail = longest // 2
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"


def _name(row: Row, y: float, several: bool) -> str:
    name = cut(f"{row.subset} · {row.label}" if several else row.subset)
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


def histogram(series: Sequence[tuple[str, Mapping[int, int]]], unit: str) -> Markup:
    """How long answers are, on a logarithmic axis: a strip for each model, all on one axis.

    ``series`` has the numbers of answers by bin, as `harness.store.counts.histogram` makes them.
    """
    lowest = min(min((i for i in bins if i), default=1) for _, bins in series)
    highest = max(max(bins) for _, bins in series)
    strip, gap = 62.0, 18.0
    step = (WIDTH - LEFT - RIGHT) / max(1, highest - lowest + 1)
    parts = []
    for place, (name, bins) in enumerate(series):
        bottom = 10 + strip + place * (strip + gap)
        tallest, total = max(bins.values()), sum(bins.values())
        label = cut(name)
        parts.append(
            f'<text class="name" x="{LEFT - 12}" y="{bottom - strip / 2 + 4:.1f}" '
            f'text-anchor="end">{escape(label)}</text>'
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom:.1f}" '
            f'y2="{bottom:.1f}"/>'
            f'<text class="value" x="{WIDTH - RIGHT + 14}" y="{bottom - strip / 2 + 4:.1f}">'
            f"{escape(_middle(bins))}</text>"
        )
        for index, count in bins.items():
            if index < lowest:  # nothing at all was said
                continue
            height = strip * count / tallest
            start, end = bin_start(index), bin_start(index + 1)
            parts.append(
                f'<rect class="bar" x="{LEFT + (index - lowest) * step + 0.5:.1f}" '
                f'y="{bottom - height:.1f}" width="{max(1.0, step - 1):.1f}" '
                f'height="{height:.1f}"><title>{math.ceil(start)} to {math.ceil(end) - 1} {unit}: '
                f"{count} of {total}</title></rect>"
            )
    foot = 10 + len(series) * (strip + gap)
    doublings = (highest - lowest) // BINS + 1
    every = max(1, math.ceil(doublings / 10))
    for power in range(math.ceil((lowest - 1) / BINS), (highest - 1) // BINS + 2, every):
        x = LEFT + (1 + power * BINS - lowest) * step
        if LEFT <= x <= WIDTH - RIGHT + 1:
            parts.append(
                f'<text class="tick" x="{x:.1f}" y="{foot:.1f}" text-anchor="middle">'
                f"{2**power:,}</text>"
            )
    return _svg(foot + 10, f"{unit} of the answers", parts)


def _middle(bins: Mapping[int, int]) -> str:
    """The bin of the median in words."""
    total, seen = sum(bins.values()), 0
    for index, count in sorted(bins.items()):
        seen += count
        if 2 * seen >= total:
            return f"half ≤ {max(0, math.ceil(bin_start(index + 1)) - 1):,}"
    return ""
