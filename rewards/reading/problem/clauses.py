r"""Cuts a text without prose into clauses: ``y = x^x, \frac{dy}{dx} at x = 1``.

A clause is a formula with the words before the formula. Punctuation and delimiters separate the
clauses. All words have to be in a closed list, because an unknown word may change the question.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ...errors import ProblemError
from .layout import ENDS, marked_tables, pieces_of, restored_tables
from .marks import PROSE, SPACING, refuse_long
from .prose import TABLE

#: What separates clauses: marks of formulas, ends of rows, cells and sentences, wide spaces. A mark
#: beside a sign of equality aligns rows.
_BREAKS: Final = re.compile(
    r"\$+|\\[()\[\]]|\\\\|\\(?:begin|end)\s*\{[a-z]+\*?\}(?:\{[lcr|]+\})?|(?<!=)&(?!\s*=)|(?<!\\)[.?!:](?=\s|\Z)|\\q?quad(?![A-Za-z])"
)
_WORD: Final = re.compile(
    r"(?<![\\A-Za-z_^'])[A-Za-z]{2,}(?:['’-][a-z]+)?(?![A-Za-z_^({\\'])"
    r"|(?<![\\A-Za-z])(?:[aA](?= [a-z]{2}))"
)
#: Words between formulas.
_KNOWN_WORDS: Final = (
    TABLE["nothing"]
    | TABLE["preposition"]
    | frozenset("all any constant constants general or particular real singular solution".split())
)
_MARK: Final = "\ue010"


class Clause(NamedTuple):
    """A formula of a question, and the words before the formula.

    Attributes:
        words: the words between the preceding formula and this formula, in lower case.
        formula: the formula in LaTeX. Empty for words after the last formula.

    """

    words: tuple[str, ...]
    formula: str


def clauses(text: str) -> list[Clause]:
    r"""Cut a question into clauses: formulas, each with the preceding words.

    Args:
        text: the question.

    Returns:
        The clauses in the order of the text. Words after the last formula form a clause with an
        empty formula.

    Raises:
        ProblemError: the text is too long, or has a meaningless character.

    >>> [clause.formula for clause in clauses(r"$y=x^x$, $\frac{dy}{dx}$ at $x=1$")]
    ['y=x^x', '\\frac{dy}{dx}', 'x=1']
    >>> clauses("y' = y, y(0) = 1")[1]
    Clause(words=(), formula='y(0) = 1')

    """
    refuse_long(text)
    if _MARK in text:
        raise ProblemError("the question has a character that means nothing")
    words: list[str] = []

    def marked(match: re.Match[str]) -> str:
        word = match[0].lower()
        if not _KNOWN_WORDS.issuperset(word.split("-")):  # first-order
            return match[0]
        words.append(word)
        return f" {_MARK}{len(words) - 1}{_MARK} "

    plain, tables = marked_tables(text)
    plain = _BREAKS.sub(" ; ", PROSE.sub(r" ;\1; ", plain)).replace("&", " ")
    plain = SPACING.sub(" ", plain)
    plain = _WORD.sub(marked, plain)
    results: list[Clause] = []
    words_before: list[str] = []
    for piece in pieces_of(plain.replace("\n", " "), ",;"):
        for at, section in enumerate(piece.split(_MARK)):
            if at % 2:
                words_before.append(words[int(section)])
                continue
            formula = ENDS.sub("", section).strip()
            if formula:
                results.append(Clause(tuple(words_before), restored_tables(formula, tables)))
                words_before = []
    if words_before:
        results.append(Clause(tuple(words_before), ""))
    return results
