r"""Replace the letter in the upper limit of a sum, as n in ``\sum_{k=1}^n k``, by numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ....reading.expression.traversal import fold
from ..operations import Side
from ..text.statements import Link

#: The letter to which a sum runs.
_SUM_TO = re.compile(
    r"\\(?:sum|prod)(?:\\limits)?\s*_\s*\{[^{}]*\}\s*\^\s*(?:\{(?P<end>[^{}]*)\}|(?P<letter>[A-Za-z]))"
)
_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_BINOMIAL = re.compile(r"\\[dt]?binom\s*([A-Za-z\d])\s*([A-Za-z\d])")


def spelt(latex: str) -> str:
    r"""Put braces around short arguments, such as ``n`` in ``\sum^nk`` and ``\binom nk``."""
    latex = _BINOMIAL.sub(r"\\binom{\1}{\2}", latex)
    return _SUM_TO.sub(
        lambda mark: mark[0] if mark["end"] else f"{mark[0][:-1]}{{{mark['letter']}}} ", latex
    )


def upper_letters(latex: str) -> Iterator[str]:
    """The letters in the upper limits of the sums of a formula."""
    for mark in _SUM_TO.finditer(latex):
        yield from _LETTER.findall(mark["end"] or mark["letter"])


def at_number(latex: str, letter: str, value: int, sides: Callable[[Link], list[Side]]) -> str:
    """Replace a letter in a formula by a number. Upper limits such as n - 1 are computed."""
    name = re.compile(rf"(?<![\\A-Za-z]){letter}(?![A-Za-z])")
    for mark in reversed(list(_SUM_TO.finditer(latex))):
        ends = sides(Link(name.sub(f"{{{value}}}", mark["end"] or ""), 0, 0))
        end = fold(ends[0].expression) if len(ends) == 1 and not ends[0].operations else None
        if end is not None:
            text_before, text_after = latex[: mark.start("end")], latex[mark.end("end") :]
            latex = f"{text_before}{end}{text_after}"
    return name.sub(f"{{{value}}}", latex)
