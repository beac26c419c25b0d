r"""The pieces of the formulas in a question, each with the preceding words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..marks import DELIMITER, PROSE
from ..prose import without_frame
from .parts import PLACEHOLDER, taken_apart
from .pieces import pieces

#: What stands before a domain, which says nothing.
_DOMAIN: Final = (["interval"], ["near"], ["on"], ["over"])


def divided(text: str) -> tuple[str, list[str]] | None:
    r"""Take a question apart as `taken_apart` does, and divide the formulas at words inside.

    >>> divided(r"y=x^2, y' \text{ at } x=3")[1]
    ["y=x^2, y' ", ' x=3']

    """
    question = taken_apart(text)
    if question is None and PROSE.search(text) and not DELIMITER.search(text):
        question = "\ue0120\ue012", [without_frame(text)]
    if question is None:
        return None
    formulas: list[str] = []

    def divide(mark: re.Match[str]) -> str:
        formula, pieces_of_formula = question[1][int(mark[1])], []
        openings = [formula[: word.start()] for word in PROSE.finditer(formula)]
        # words in a group belong to the formula: v_{\text{max}}
        is_whole = "cases" in formula or any(x.count("{") != x.count("}") for x in openings)
        for number, segment in enumerate([formula] if is_whole else PROSE.split(formula)):
            if number % 2:
                pieces_of_formula.append(segment)
            elif segment.strip(" ,.;"):
                pieces_of_formula.append(f"\ue012{len(formulas)}\ue012")
                formulas.append(segment)
        return " ".join(pieces_of_formula)

    return PLACEHOLDER.sub(divide, question[0]), formulas


def mentioned(marked_prose: str, formulas: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a question's formulas, and the text before each. Domains are left out."""
    for match in PLACEHOLDER.finditer(marked_prose):
        preceding = marked_prose[: match.start()]
        if preceding.split()[-1:] not in _DOMAIN:
            for piece in pieces(formulas[int(match[1])]):
                yield piece, preceding
