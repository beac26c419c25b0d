"""Plain charts as SVG in the page's colours: lines over categories, and bars of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

#: Colours of the page's style sheet; more series than that take them again, dashed.
COLOURS = 6
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _AXIS = 860, 250, 44, 150, 14, 40
#: Room between labels at the ends of lines.
_ROOM = 15


def _svg(label: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH} {_TOP + _HEIGHT + _AXIS}" role="img" '
        f'aria-label="{escape(label)}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _y(share: float) -> float:
    return _TOP + _HEIGHT * (1 - share)


def _grid(highest: float) -> list[str]:
    parts = []
    for fifth in range(6):
        at, value = _y(fifth / 5), highest * fifth / 5
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text class="tick" x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">'
            f"{value:g}</text>"
        )
    return parts


def _apart(ends: Sequence[tuple[float, str, str]], bottom: float) -> list[tuple[float, str, str]]:
    """Labels from top to bottom, moved so that none covers another or leaves the chart below."""
    placed: list[tuple[float, str, str]] = []
    for at, name, colour in sorted(ends):
        placed.append((max(at, placed[-1][0] + _ROOM if placed else at), name, colour))
    for place in reversed(range(len(placed))):
        at, name, colour = placed[place]
        placed[place] = (min(at, bottom), name, colour)
        bottom = placed[place][0] - _ROOM
    return placed


def lines(
    label: str, categories: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> Markup:
    """Shares (0 to 1) of several series over named categories, named at their ends."""
    parts = _grid(100)
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(categories) - 1)
    for place, category in enumerate(categories):
        parts.append(
            f'<text class="tick" x="{_LEFT + place * step:.1f}" y="{_TOP + _HEIGHT + 18}" '
            f'text-anchor="middle">{escape(category)}</text>'
        )
    ends = []
    for number, (name, values) in enumerate(series.items()):
        colour = f"c{number % COLOURS}{' dashed' if number >= COLOURS else ''}"
        known = [(place, value) for place, value in enumerate(values) if value is not None]
        if not known:
            continue
        points = [f"{_LEFT + place * step:.1f} {_y(value):.1f}" for place, value in known]
        parts.append(f'<path class="curve {colour}" d="M{"L".join(points)}"/>')
        ends.append((_y(known[-1][1]), name, colour))
    for at, name, colour in _apart(ends, _TOP + _HEIGHT):
        parts.append(
            f'<text class="end {colour}" x="{_WIDTH - _RIGHT + 8}" y="{at + 4:.1f}">'
            f"{escape(name)}</text>"
        )
    return _svg(label, parts)


def bars(label: str, groups: Mapping[str, Mapping[str, int]]) -> Markup:
    """Counts by category, one colour for each group; groups share their categories."""
    categories = list(dict.fromkeys(name for counts in groups.values() for name in counts))
    highest = max((count for counts in groups.values() for count in counts.values()), default=0)
    parts = _grid(max(1, highest))
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(categories))
    width = 0.8 * step / max(1, len(groups))
    for number, (name, counts) in enumerate(groups.items()):
        for place, category in enumerate(categories):
            count = counts.get(category, 0)
            height = _HEIGHT * count / max(1, highest)
            x = _LEFT + place * step + 0.1 * step + number * width
            parts.append(
                f'<rect class="c{number % COLOURS}" style="fill:var(--c)" x="{x:.1f}" '
                f'y="{_TOP + _HEIGHT - height:.1f}" width="{width:.1f}" height="{height:.1f}">'
                f"<title>{escape(name)}, {escape(category)}: {count}</title></rect>"
            )
        parts.append(
            f'<text class="end c{number % COLOURS}" x="{_WIDTH - _RIGHT + 8}" '
            f'y="{_TOP + 16 + 18 * number}">{escape(name)}</text>'
        )
    for place, category in enumerate(categories):
        x = _LEFT + (place + 0.5) * step
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">'
            f"{escape(category)}</text>"
        )
    return _svg(label, parts)
