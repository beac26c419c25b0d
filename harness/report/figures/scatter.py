"""Two models by problem: how often each solves the same problems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from .bars import WIDTH
from .figure import Figure, Shape, circle, line, shortened, text

_LEFT_MARGIN, _RIGHT, _TOP = 52, 20, 26
_SIZE = WIDTH - _LEFT_MARGIN - _RIGHT
#: The radius of the largest circle.
_RADIUS = 19.0


def scatter(name: str, first: str, second: str, points: Sequence[tuple[float, float]]) -> Figure:
    """A circle at two models' shares of correct samples, with an area by the number of problems."""
    counts = Counter(points)
    largest_count = max(counts.values())

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT_MARGIN + x * _SIZE, _TOP + (1 - y) * _SIZE

    shapes: list[Shape] = [line("zero", at(0, 0), at(1, 1))]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        shapes += [line("grid", at(tick, 0), at(tick, 1)), line("grid", at(0, tick), at(1, tick))]
        words = f"{100 * tick:.0f}"
        x, y = at(tick, 0)
        shapes.append(text("tick", x, y + 34, words, "middle"))
        x, y = at(0, tick)
        shapes.append(text("tick", x - 24, y + 4, words, "end"))
    for (x_value, y_value), count in sorted(counts.items(), key=lambda item: -item[1]):
        what = "problem" if count == 1 else "problems"
        title = f"{count} {what}: {100 * x_value:.0f} % and {100 * y_value:.0f} %"
        radius = max(2.0, _RADIUS * math.sqrt(count / largest_count))
        shapes.append(circle("bubble", *at(x_value, y_value), radius, title))
    above_count = sum(count for (x_value, y_value), count in counts.items() if y_value > x_value)
    below_count = sum(count for (x_value, y_value), count in counts.items() if y_value < x_value)
    bottom = _TOP + _SIZE + 54
    shapes += [
        text("name", _LEFT_MARGIN + _SIZE / 2, bottom, shortened(first, 50), "middle"),
        text("name", 4, 12, shortened(second, 50)),
    ]
    caption = (
        "Correct samples in percent; a circle's area is the number of problems. "
        f"Above the diagonal ({above_count}) {second} does better, "
        f"below it ({below_count}) {first}."
    )
    return Figure(
        name, f"{second} over {first}, by problem", WIDTH, bottom + 10, tuple(shapes), caption
    )
