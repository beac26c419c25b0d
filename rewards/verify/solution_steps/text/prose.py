"""The role of a formula according to the words around it: assertion, condition or failed try.

The file ``solutions.toml`` has the words, and also the words before an answer.
"""

from __future__ import annotations

import re
from typing import Literal

from ....reading.extraction.words.tables import patterns

#: What a text takes back.
Tries = Literal["", "statement", "try", "all"]

#: The end of a sentence, of a paragraph, or the beginning of an item.
_SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n\s*\n|\n\s*(?:[-*•]|\d{1,2}[.)]|\\item)\s")


def names_roots(lead: str) -> bool:
    """Whether the words before an equation restrict the equation to zeros."""
    return patterns.names_roots.search(lead) is not None


def asks(lead: str) -> bool:
    """Whether the words before an equation ask to solve the equation."""
    return patterns.asks.search(lead) is not None


def names_an_end(lead: str) -> bool:
    """Whether a number after the words is an end of a range, as 5 in "up to 5 = 8"."""
    return patterns.names_an_end.search(lead) is not None


def names_both_ends(lead: str) -> bool:
    """Whether a value after the words is an end of a range, as in "from 3 to 2 pi = 8"."""
    return patterns.names_both_ends.search(lead) is not None


def is_condition(lead: str, after_condition: bool) -> bool:
    """Whether the words before a formula make the formula a condition.

    If the previous formula was a condition (``after_condition``), a word such as "and" suffices.
    """
    return any(
        role.search(lead) for role in (patterns.supposes, patterns.for_all, patterns.to_solve)
    ) or (after_condition and patterns.joins.fullmatch(lead) is not None)


def kind_of_letter(words_before: str, words_after: str) -> str:
    """The kind of numbers that the words around a letter state, such as ``integer``, or ""."""
    match = patterns.kind_before.search(words_before) or patterns.kind_behind.match(words_after)
    return (match and match.lastgroup) or ""


def chooses(lead: str) -> bool:
    """Whether the words before a symbol allow a new meaning of the symbol."""
    return patterns.chooses.search(lead) is not None


def derives(lead: str) -> bool:
    """Whether the words before a formula derive the formula from the preceding text."""
    return patterns.derives.search(lead) is not None


def quotes(lead: str) -> bool:
    """Whether the words before a formula only mention the formula, as in "a common mistake is"."""
    return patterns.quotes.search(_SENTENCE.split(lead)[-1]) is not None


def given_up(words: str) -> Tries:
    """What the words retract: the last "statement", the current "try", or "all" tries.

    The result is empty if the words retract nothing.
    """
    if patterns.abandons.search(words):
        return "all" if patterns.earlier.search(words) else "try"
    return "statement" if patterns.given_up.search(words) else ""


def begins_try(words: str) -> bool:
    """Whether the words begin another try."""
    return patterns.begins_try.search(words) is not None


def goes_on(lead: str) -> bool:
    """Whether ``= b`` continues a chain. If not, the words before are a name, such as "Area"."""
    return patterns.goes_on.search(lead) is not None


def ends_sentence(words: str) -> bool:
    """Whether a sentence ends within the words."""
    return _SENTENCE.search(words) is not None


def is_name(words: str) -> bool:
    """Whether words in a formula may be the name of the computed quantity, such as "Upper sum"."""
    return patterns.no_name.search(words) is None
