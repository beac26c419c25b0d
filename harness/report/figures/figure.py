"""A figure as a list of shapes, and the SVG. `files` draws the same shapes with Matplotlib."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from markupsafe import Markup, escape

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A line, an area, a text or a dot, in units of a pixel from the top left corner.

    ``style`` contains classes of the style sheet. ``text`` is the text to show, or the tooltip of
    an area. ``link`` is the address that a click opens.
    """

    kind: Literal["line", "area", "text", "dot"]
    style: str
    points: tuple[Point, ...]
    text: str = ""
    anchor: Anchor = "start"
    opacity: float = 1.0
    link: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure. ``name`` is the name of its file, and ``label`` is the description for screen
    readers.

    On a page, ``title`` stands above the figure and ``caption`` below.
    """

    name: str
    label: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    caption: str = ""
    title: str = ""


def line(style: str, *points: Point) -> Shape:
    """A line through points."""
    return Shape("line", style, points)


def text(style: str, x: float, y: float, words: str, anchor: Anchor = "start") -> Shape:
    """A text whose base line is at ``y``."""
    return Shape("text", style, ((x, y),), words, anchor)


def rectangle(
    style: str, x: float, y: float, width: float, height: float, title: str = "", opacity: float = 1
) -> Shape:
    """A rectangle, given by the top left corner and the size."""
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Shape("area", style, corners, title, opacity=opacity)


def whisker(ends: Iterable[float], y: float) -> list[Shape]:
    """A horizontal interval between two ends."""
    low, high = ends
    return [
        line("whisker", (low, y), (high, y)),
        *(line("whisker", (end, y - 4), (end, y + 4)) for end in (low, high)),
    ]


def shortened(name: str, longest: int = 33) -> str:
    """The beginning and the end of a long name, because names often differ at the end only."""
    if len(name) <= longest:
        return name
    tail = longest // 2
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"


def told_apart(names: Sequence[str], longest: int) -> dict[str, str]:
    """The names, with long names shortened. Different names stay different, if possible.

    Of names with the same beginning and the same end, the common first words are left out.

    >>> told_apart(["model-of-1-billion-parameters", "model-of-3-billion-parameters"], 16).values()
    dict_values(['…1-billion-para…', '…3-billion-para…'])
    """
    short = {name: shortened(name, longest) for name in names}
    if len(set(short.values())) == len(short):
        return short
    words = [re.split(r"(?<=[-_/:. ])", name) for name in short]
    columns = zip(*words, strict=False)
    start = sum(
        len(initial) for initial, *_ in takewhile(lambda column: len(set(column)) == 1, columns)
    )
    cut = {name: ("…" if start else "") + name[start:] for name in short}
    return {
        name: text if len(text) <= longest else f"{text[: longest - 1]}…"
        for name, text in cut.items()
    }


#: The width of a character of a label, on average; wider than most, so that labels have room.
CHARACTER = 7.2


def thinned(ticks: Iterable[tuple[float, str]]) -> list[tuple[float, str]]:
    """Labels, centred at their positions, without overlaps of an earlier label.

    >>> thinned([(0, "1,024"), (20, "2,048"), (60, "4,096")])
    [(0, '1,024'), (60, '4,096')]
    """
    spaced: list[tuple[float, str]] = []
    for x, words in ticks:
        if not spaced or x - spaced[-1][0] > CHARACTER * (len(words) + len(spaced[-1][1])) / 2 + 6:
            spaced.append((x, words))
    return spaced


def key(
    entries: Iterable[tuple[str, str, float]], left: float, top: float, width: float
) -> tuple[list[Shape], float]:
    """A key: boxes with names, in lines of at most the given width. An entry has a name, a style
    and an opacity.

    Returns:
        The shapes, and the y at which the last line ends.

    """
    shapes: list[Shape] = []
    x, y = left, top
    for style, words, opacity in entries:
        words = shortened(words, 40)
        needed = 30 + CHARACTER * len(words)
        if x > left and x + needed > left + width:
            x, y = left, y + 18
        box = rectangle(style, x, y, 11, 11, opacity=opacity)
        shapes += [box, text("tick", x + 16, y + 10, words)]
        x += needed
    return shapes, y + 18


def circle(style: str, x: float, y: float, radius: float, title: str = "", link: str = "") -> Shape:
    """A disc as an area."""
    corners = (2 * math.pi * i / 32 for i in range(32))
    points = tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in corners)
    return Shape("area", style, points, title, link=link)


def apart(
    ends: Sequence[tuple[float, str, str]], lowest: float, room: float = 15
) -> list[tuple[float, str, str]]:
    """Labels from top to bottom, moved to avoid overlaps and, if possible, above ``lowest``."""
    placed: list[tuple[float, str, str]] = []
    for at, name, style in sorted(ends):
        placed.append((max(at, placed[-1][0] + room if placed else at), name, style))
    for index in reversed(range(len(placed))):
        at, name, style = placed[index]
        placed[index] = (min(at, lowest), name, style)
        lowest = placed[index][0] - room
    return placed


def svg(figure: Figure, style: str = "") -> Markup:
    """The figure as SVG, in the style of the page or of the given style sheet."""
    return Markup(
        f'<svg viewBox="0 0 {figure.width:.0f} {figure.height:.0f}" role="img" '
        f'aria-label="{escape(figure.label)}" xmlns="http://www.w3.org/2000/svg">'
        f"{f'<style>{style}</style>' if style else ''}{''.join(map(_element, figure.shapes))}</svg>"
    )


def _element(shape: Shape) -> str:
    drawn = _drawn(shape)
    return f'<a href="{escape(shape.link)}">{drawn}</a>' if shape.link else drawn


def _drawn(shape: Shape) -> str:
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
