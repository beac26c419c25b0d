"""What the words around a formula make of it: an assertion, a condition, or a try that failed.

The words are in ``solutions.toml`` beside those that lead to an answer.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from ...reading.extraction.words.phrases import Phrases

#: What a text takes back.
Tries = Literal["", "statement", "try", "all"]

_CONDITION: Final = Phrases("supposes", "for_all", "to_solve")
_JOINS: Final = Phrases("joins")
_CHOOSES: Final = Phrases("chooses")
_DERIVES: Final = Phrases("derives")
_QUOTES: Final = Phrases("quotes")
_GIVEN_UP: Final = Phrases("given_up")
_ABANDONS: Final = Phrases("abandons")
_EARLIER: Final = Phrases("earlier")
_BEGINS: Final = Phrases("begins_try")
_GOES_ON: Final = Phrases("goes_on")
_ROOTS: Final = Phrases("names_roots")
_ASKS: Final = Phrases("asks")
_END: Final = Phrases("names_an_end")
_NO_NAME: Final = Phrases("no_name")
#: The end of a sentence, of a paragraph, or the beginning of an item.
_SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n\s*\n|\n\s*(?:[-*•]|\d{1,2}[.)]|\\item)\s")


def names_roots(lead: str) -> bool:
    """Whether an equation behind these words says where something vanishes."""
    return _ROOTS.search(lead) is not None


def asks(lead: str) -> bool:
    """Whether an equation behind these words is to be solved for a letter in it."""
    return _ASKS.search(lead) is not None


def names_an_end(lead: str) -> bool:
    """Whether a number behind these words is the end of a range: "from 3 to 5 = 8"."""
    return _END.search(lead) is not None


def is_condition(lead: str, before: bool) -> bool:
    """Whether a formula behind these words is a condition; ``before``: the one before it was."""
    return _CONDITION.search(lead) is not None or (before and _JOINS.fullmatch(lead) is not None)


def chooses(lead: str) -> bool:
    """Whether a symbol behind these words may get a new meaning."""
    return _CHOOSES.search(lead) is not None


def derives(lead: str) -> bool:
    """Whether a formula behind these words follows from what stands before them."""
    return _DERIVES.search(lead) is not None


def quotes(lead: str) -> bool:
    """Whether the sentence of a formula quotes what is not asserted: "a common mistake is"."""
    return _QUOTES.search(_SENTENCE.split(lead)[-1]) is not None


def given_up(words: str) -> Tries:
    """What these words take back: the statement before them, the try it is in, or all tries."""
    if _ABANDONS.search(words):
        return "all" if _EARLIER.search(words) else "try"
    return "statement" if _GIVEN_UP.search(words) else ""


def begins_try(words: str) -> bool:
    """Whether another try begins with these words."""
    return _BEGINS.search(words) is not None


def goes_on(lead: str) -> bool:
    """Whether ``= b`` behind these words goes on with a chain, and is not what a name equals."""
    return _GOES_ON.search(lead) is not None


def ends_sentence(words: str) -> bool:
    """Whether a sentence ends within these words."""
    return _SENTENCE.search(words) is not None


def is_name(words: str) -> bool:
    """Whether words in a formula may be the name of what is computed: "Upper sum"."""
    return _NO_NAME.search(words) is None
