"""The final answer of a completion: the answer in a box, or else the answer among the formulas."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from .boxed.content import from_boxes, is_mention, is_placeholder
from .boxes import boxes
from .choose import from_formulas
from .judge import Asks, ExtractionGoal
from .result import Extraction, nothing
from .visible import visible
from .words.tables import patterns

#: Characters at the end of a text that hold its last sentence, as for `concludes`.
_ENDING: Final = 400


def extract(
    completion: str,
    *,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    symbols: Collection[str] = (),
    asks: Asks = "antiderivative",
) -> Extraction:
    r"""Extract the final answer of a completion. The package's docstring states the rules.

    Args:
        completion: the model's output.
        strict: whether a box is required.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.
        symbols: the possible names in an answer, if known.
        asks: the requested quantity. A value that is not in a box has only ``symbols``.

    Returns:
        The answer's LaTeX, the source of the answer, and notes. The LaTeX is None if there is no
        answer.

    Example:
        >>> extract(r"Hence $\int 2x\,dx = x^2 + C$.").answer
        'x^2 + C'

    """
    goal = ExtractionGoal(symbols, asks)
    visible_part = visible(completion, stop)
    text = visible_part.text
    may_redefine = "def" in text or "newcommand" in text or "\\let" in text
    if may_redefine and (redefined := patterns.redefines.search(text)):
        return nothing(f"a command gets another meaning: {redefined[0]}")
    marked = boxes(text) if "box" in text else []
    if visible_part.thought is not None and (
        truncated or not marked or boxes(visible_part.thought)
    ):
        return nothing("the thinking block is not closed")
    if not marked:
        if truncated:
            return nothing("truncated, without a box")
        return nothing("no box") if strict else _unboxed(text, goal)
    while len(marked) > 1 and is_mention(marked[-1], text):
        marked.pop()
    last_box = marked[-1]
    complete = [box for box in marked if box.content is not None]
    if last_box.content is None and truncated:
        return nothing("the last box is not closed")
    if not complete:
        # The box lacks its last brace: as a formula it may do without the first, too.
        opened = text.find("{", last_box.start)
        text = f"{text[: last_box.start]} {text[opened + 1 :]}"
        return nothing("no closed box") if strict else from_formulas(text, goal)
    if is_placeholder(complete[-1]):
        if strict or truncated:
            return nothing("the last box is empty")
        return from_formulas(text[complete[-1].end :], goal)
    # A check that fails behind the last box takes the box back, if another answer follows.
    if failed := patterns.check_fails.search(text, complete[-1].end):
        begin = complete[-1].end
        for end in patterns.sentence_end.finditer(text, begin, failed.start()):
            begin = end.end()
        corrected = from_formulas(text[begin:], goal)
        if corrected.source == "final_answer":
            return nothing("the box is taken back") if strict else corrected
    return from_boxes(
        text, complete, ("a later box is not closed",) if last_box.content is None else ()
    )


def _unboxed(text: str, goal: ExtractionGoal) -> Extraction:
    extraction = from_formulas(text, goal)
    if extraction.answer is None and goal.asks_value and patterns.is_zero.search(text[-_ENDING:]):
        return Extraction("0", "bare")
    return extraction
