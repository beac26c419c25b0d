"""Short answers in free text: in the last box, or after "the answer is"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .boxed.placed import filled, place
from .boxes import Box, boxes
from .visible import visible
from .words.tables import patterns

#: Only this many characters at the end of a text are searched, as in `choose`: a bound of the work.
#: With 2,000 no text of the corpora has another answer (tests/mutation/constants.py).
TAIL = 20_000


@dataclass(frozen=True, slots=True)
class FinalText:
    """The visible text of a completion, and the boxed or announced answer.

    ``answer`` is None without a boxed or announced answer. ``formula`` is a boxed answer with
    text commands.
    """

    text: str
    answer: str | None
    source: str
    formula: str | None = None


def _boxed(text: str, closed: list[Box]) -> FinalText:
    """Return the content of the last box not rejected by the text.

    If the box is in a larger formula, this formula is returned. If the text offers
    alternatives to the boxed answer, the alternatives are added with "or".
    """
    while closed:
        around = place(text, closed)
        if around.unknown:
            break
        if not around.denied:
            contents = {number: box.content or "" for number, box in enumerate(closed)}
            templates = (around.template, *around.alternatives)
            answer = r" \text{ or } ".join(filled(template, contents) for template in templates)
            plain = patterns.wrapped_text.sub(r"\1", answer).strip(" $")
            return FinalText(text, plain, "boxed", answer.strip(" $"))
        closed = closed[:-1]
    return FinalText("", None, "none")


def final_text(completion: str, *, strict: bool, stop: Sequence[str], truncated: bool) -> FinalText:
    """Find the boxed answer of a completion. Without a box, find the announced answer.

    Thoughts are ignored, and so is the text after the first ``stop`` string. `extract` finds
    formulas by the same rules. If ``strict`` or ``truncated`` is true, the answer must be in a box.
    """
    visible_part = visible(completion, stop)
    text = visible_part.text[-TAIL:]
    if "\\" in text and patterns.redefines.search(text):
        return FinalText("", None, "none")
    closed = [box for box in boxes(text) if box.content]
    if closed and not (truncated and visible_part.thought is not None):
        return _boxed(text, closed)
    if strict or truncated or visible_part.thought is not None:
        return FinalText("", None, "none")
    announcements = list(patterns.announces.finditer(text))
    if announcements:
        answer = announcements[-1]["answer"]
        while (inner := patterns.announces.search(answer)) is not None:  # another on the same line
            answer = inner["answer"]
        return FinalText(text, patterns.wrapped_text.sub(r"\1", answer), "announced")
    return FinalText(text, None, "none")
