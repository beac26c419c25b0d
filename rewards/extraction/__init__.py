r"""Completion text -> the LaTeX of the final answer. Pure, linear, never raises on any text.

Order, which `Extraction.source` names:

1. ``boxed``: the last complete ``\boxed``, ``\fbox``, ``\framebox`` (also ``\boxed 5``) outside any
   thinking block. A box that holds an equation gives its last link. A box that holds only the
   constant of integration yields to an earlier box, if there is one. An empty box, or one with a
   placeholder (``\boxed{...}``), is a mention of the instruction: it answers nothing and hides the
   boxes before it; only text after it is looked at further.

With ``strict`` that is all. Otherwise, every formula outside the thoughts is judged, from the last
to the first: ``$..$``, ``\(..\)``, ``$$..$$``, ``\[..\]``, environments, code, and formulas without
delimiters. A statement is never an answer if it is a lone constant, a definition (``u = x^2``,
``C = ..``), a differential, a condition (``x > 0``), a derivative (a check), or an integral without
a value. What remains is *strong* if it ends in ``+ C`` or says what it is (``\int f dx = ..``,
``F(x) = ..``), and *announced* if words such as "the answer is" lead to it. Then

2. the last formula that is strong or announced, and is not spoken of as something else (recalled,
   used, checked); a later plain formula overrides it only if it stands as a display or words of
   conclusion lead to it: ``final_answer`` if announced, else ``display``, ``inline`` or ``bare``;
3. the last plain expression; 4. the last side of an identity; by the same names;
5. ``none``.

A formula's last statement counts, and of a chain ``a = b = c`` the last link; what follows an
approximation sign, a condition, or "where C is .." is left out.

``truncated`` completions (cut by the token limit) have an answer only in a complete box that stands
outside the thoughts and is not followed by the beginning of another.
"""

from __future__ import annotations

from collections.abc import Sequence

from .boxed import from_boxes, is_placeholder
from .boxes import boxes
from .choose import from_formulas
from .result import Extraction, nothing
from .visible import visible

__all__ = ["Extraction", "extract"]


def extract(
    completion: str, *, strict: bool = False, stop: Sequence[str] = (), truncated: bool = False
) -> Extraction:
    """The final answer of a completion; the rules are in the package's docstring.

    ``strict`` accepts a box or nothing. ``stop`` are the prompt's stop strings: what follows the
    first of them was never asked for. ``truncated`` says that the token limit cut the completion.
    """
    shown = visible(completion, stop)
    text = shown.text
    all_boxes = boxes(text) if "box" in text else []
    if shown.thought is not None and (truncated or not all_boxes or boxes(shown.thought)):
        return nothing("the thinking block is not closed")
    if not all_boxes:
        if truncated:
            return nothing("truncated, without a box")
        return nothing("no box") if strict else from_formulas(text)
    last = all_boxes[-1]
    complete = [box for box in all_boxes if box.content is not None]
    if last.content is None and truncated:
        return nothing("the last box is not closed")
    if not complete:
        # The box lacks its last brace: as a formula it may do without the first, too.
        opened = text.find("{", last.start)
        text = f"{text[: last.start]} {text[opened + 1 :]}"
        return nothing("no closed box") if strict else from_formulas(text)
    if is_placeholder(complete[-1]):
        if strict or truncated:
            return nothing("the last box is empty")
        return from_formulas(text[complete[-1].end :])
    return from_boxes(complete, ("a later box is not closed",) if last.content is None else ())
