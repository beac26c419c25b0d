"""Finds and removes words in the prose of a question."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from ..conditions import has_kind
from ..marks import PROSE
from .vocabulary import TABLE, row


@cache
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    """A regular expression of words in prose. The letter a is a word only before another word."""
    patterns = [
        r"a(?=\s+[A-Za-z]{2})" if word == "a" else word.replace(" ", r"\s+")
        for word in sorted(words, reverse=True)
    ]
    return re.compile(rf"(?<![\\A-Za-z^_])(?i:{'|'.join(patterns)})(?![A-Za-z_^])")


def without_words(text: str, words: frozenset[str]) -> str:
    r"""Remove the words of an instruction from a text with or without formulas.

    >>> from calculus_harness.rewards.reading.problem.prose import POWER_SERIES
    >>> without_words(r"\text{Evaluate the series } a", POWER_SERIES).split()
    ['a']

    """
    return _pattern(words).sub(" ", PROSE.sub(r" \1 ", text))


def phrases(*roles: str) -> str:
    """A pattern of the words and the phrases of rows of `TABLE`."""
    joined = "|".join(sorted(row(*roles), reverse=True)).replace(" ", r"\s+")
    return rf"\b(?:{joined})\b"


#: What is to be done where there is no answer: ..., or write DNE.
_ASIDE: Final = re.compile(rf"{phrases('aside')}[^.?!\ue012]*")


def without_asides(text: str) -> str:
    """Remove the instructions of a question for the case without an answer."""
    return _ASIDE.sub(" ", text)


def says(text: str, role: str) -> bool:
    """Whether a text has a word of a row of `TABLE`."""
    return _pattern(TABLE[role]).search(text) is not None


def states_kind(words: str) -> bool:
    """Whether words state a kind of number beyond the default, such as "integer"."""
    return "not positive" in words or has_kind(without_words(words, row("no kind", "name")))
