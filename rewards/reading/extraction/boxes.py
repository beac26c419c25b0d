r"""Search for ``\boxed{...}`` and similar commands."""

from __future__ import annotations

import re
from typing import NamedTuple

from .words.tables import patterns

#: A box with more characters counts as unclosed: no answer is that long (188 in `responses.json`).
#: Each box costs a search of at most so many characters for its last brace.
LONGEST = 20_000
#: Only this many boxes at the end of a text are searched; the most of any row of the corpora is 39,
#: in a text that pads.
MAX_BOXES = 64

#: A text up to its next brace. Groups without a group inside are passed over.
_TO_BRACE = re.compile(r"(?:[^\\{}]++|\\.|\{(?:[^\\{}]++|\\.)*+\})*+[{}]", re.DOTALL)


class Box(NamedTuple):
    """A box with offsets. ``content`` is None if the box is not closed."""

    start: int
    end: int
    content: str | None


def closing_brace(text: str, start: int) -> int:
    """The index of the closing brace for the brace at ``start``, or -1 for an unclosed brace."""
    depth, at = 1, start + 1
    while depth and (token := _TO_BRACE.match(text, at, start + LONGEST)):
        at = token.end()
        depth += 1 if text[at - 1] == "{" else -1
    return -1 if depth else at - 1


def boxes(text: str) -> list[Box]:
    """The last `MAX_BOXES` boxes of the text, in order. Boxes inside another box are left out."""
    last_boxes: list[Box] = []
    for mark in list(patterns.box.finditer(text))[-MAX_BOXES:]:
        at = mark.end()
        if text.startswith("{", at):
            close = closing_brace(text, at)
            box = Box(mark.start(), close + 1, text[at + 1 : close].strip() if close > 0 else None)
        elif bare := patterns.unbraced_box.match(text, at):
            box = Box(mark.start(), bare.end(), bare[0].strip())
        else:
            continue  # the command without an argument, as in an explanation of it
        if box.content is None:
            box = Box(box.start, len(text), None)
        elif last_boxes and last_boxes[-1].content is not None and box.end <= last_boxes[-1].end:
            continue
        last_boxes.append(box)
    return last_boxes
