"""The role of a formula according to the words around it: assertion, condition or failed try.

The words are in ``solutions.toml`` beside the words that lead to an answer.
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
    """Whether an equation behind these words says where something vanishes."""
    return patterns.names_roots.search(lead) is not None


def asks(lead: str) -> bool:
    """Whether an equation behind the words is to be solved for a letter."""
    return patterns.asks.search(lead) is not None


def names_an_end(lead: str) -> bool:
    """Whether a number behind these words is the end of a range: "from 3 to 5 = 8"."""
    return patterns.names_an_end.search(lead) is not None


def is_condition(lead: str, before: bool) -> bool:
    """Whether the words before a formula make the formula a condition.

    If the previous formula was a condition (``before``), a word such as "and" suffices.
    """
    return any(
        role.search(lead) for role in (patterns.supposes, patterns.for_all, patterns.to_solve)
    ) or (before and patterns.joins.fullmatch(lead) is not None)


def chooses(lead: str) -> bool:
    """Whether a symbol behind these words may get a new meaning."""
    return patterns.chooses.search(lead) is not None


def derives(lead: str) -> bool:
    """Whether a formula behind the words follows from the text before the words."""
    return patterns.derives.search(lead) is not None


def quotes(lead: str) -> bool:
    """Whether a sentence mentions a formula without asserting it, as in "a common mistake is"."""
    return patterns.quotes.search(_SENTENCE.split(lead)[-1]) is not None


def given_up(words: str) -> Tries:
    """What the words retract: the last "statement", the current "try", or "all" tries; else ""."""
    if patterns.abandons.search(words):
        return "all" if patterns.earlier.search(words) else "try"
    return "statement" if patterns.given_up.search(words) else ""


def begins_try(words: str) -> bool:
    """Whether another try begins with these words."""
    return patterns.begins_try.search(words) is not None


def goes_on(lead: str) -> bool:
    """Whether the words before ``= b`` show that ``= b`` continues a chain.

    If not, the words are a name for b, such as "Area".
    """
    return patterns.goes_on.search(lead) is not None


def ends_sentence(words: str) -> bool:
    """Whether a sentence ends within these words."""
    return _SENTENCE.search(words) is not None


def is_name(words: str) -> bool:
    """Whether words in a formula may name the computed quantity: "Upper sum"."""
    return patterns.no_name.search(words) is None
