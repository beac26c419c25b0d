"""A figure as a list of shapes, and its SVG. `files` draws the same shapes with Matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A line, an area, a text or a dot, in units of a pixel from the top left corner.

    ``style`` are classes of the style sheet. ``text`` is that of a text, and of an area what is
    shown when one points at it.
    """

    kind: Literal["line", "area", "text", "dot"]
    style: str
    points: tuple[Point, ...]
    text: str = ""
    anchor: Anchor = "start"
    opacity: float = 1.0


@dataclass(frozen=True)
class Figure:
    """A figure; ``name`` is its file's, ``label`` says what it shows to those who cannot see it."""

    name: str
    label: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    caption: str = ""


def line(style: str, *points: Point) -> Shape:
    """A line through points."""
    return Shape("line", style, points)


def text(style: str, x: float, y: float, words: str, anchor: Anchor = "start") -> Shape:
    """A text at its base line."""
    return Shape("text", style, ((x, y),), words, anchor)


def rectangle(
    style: str, x: float, y: float, width: float, height: float, title: str = "", opacity: float = 1
) -> Shape:
    """A rectangle by its top left corner."""
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Shape("area", style, corners, title, opacity=opacity)


def whisker(ends: Iterable[float], y: float) -> list[Shape]:
    """A horizontal interval by its two ends."""
    low, high = ends
    return [
        line("whisker", (low, y), (high, y)),
        *(line("whisker", (end, y - 4), (end, y + 4)) for end in (low, high)),
    ]


def shortened(name: str, longest: int = 33) -> str:
    """A long name's two ends, as what tells names apart is often the last of them."""
    if len(name) <= longest:
        return name
    tail = longest // 2
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"


def apart(
    ends: Sequence[tuple[float, str, str]], lowest: float, room: float = 15
) -> list[tuple[float, str, str]]:
    """Labels from top to bottom, moved so that none covers another or, if possible, is too low."""
    placed: list[tuple[float, str, str]] = []
    for at, name, style in sorted(ends):
        placed.append((max(at, placed[-1][0] + room if placed else at), name, style))
    for place in reversed(range(len(placed))):
        at, name, style = placed[place]
        placed[place] = (min(at, lowest), name, style)
        lowest = placed[place][0] - room
    return placed


def svg(figure: Figure, style: str = "") -> Markup:
    """The figure as SVG, which takes its style from the page or from the given style sheet."""
    return Markup(
        f'<svg viewBox="0 0 {figure.width:.0f} {figure.height:.0f}" role="img" '
        f'aria-label="{escape(figure.label)}" xmlns="http://www.w3.org/2000/svg">'
        f"{f'<style>{style}</style>' if style else ''}{''.join(map(_element, figure.shapes))}</svg>"
    )


def _element(shape: Shape) -> str:
    (x, y), *_ = shape.points
    words = escape(shape.text)
    if shape.kind == "text":
        anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
        return f'<text class="{shape.style}" x="{x:.1f}" y="{y:.1f}"{anchor}>{words}</text>'
    if shape.kind == "dot":
        return f'<circle class="{shape.style}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in shape.points)
    if shape.kind == "line":
        return f'<path class="{shape.style}" d="M{path}"/>'
    opacity = f' opacity="{shape.opacity:.2f}"' if shape.opacity != 1 else ""
    title = f"<title>{words}</title>" if words else ""
    return f'<path class="{shape.style}" d="M{path}Z"{opacity}>{title}</path>'
