r"""Reads a question for a sum in other people's words: the formula with a sum sign, or with dots."""

from __future__ import annotations

import re
from typing import Final

from ..conditions import Conditions
from .asked import Asked, plain, taken_apart

_SIGN: Final = re.compile(r"\\(?:sum|sumop)(?![A-Za-z])|[∑Σ](?=\s*[_^])")
_DOTS: Final = re.compile(r"\+\s*(?:\\[lc]?dots(?![A-Za-z])|\.{3}|…)")
#: What a sum is not asked for with: the values of a parameter, a part of the series.
_PART: Final = re.compile(
    r"\b(?:error|even|first|interval|odd|partial|primes?|radius|remainder|second|starting|third"
    r"|uniformly)\b|(?<!in )\bterms\b",
    re.IGNORECASE,
)
_NOUNS: Final = ("expression", "progression", "series", "sum", "sums")
_INDEX: Final = re.compile(r"_\s*\{?\s*(\\?[A-Za-z]+)")


def sum_question(text: str) -> tuple[str, Conditions] | None:
    r"""Find the sum that a question asks for. Return its formula and the conditions.

    The result is None if the question has no words, or not exactly one sum.

    Raises:
        ProblemError: a word or a formula may change the question.

    >>> sum_question(r"Hi! What is $\sum_{k=0}^\infty a^k$, please, for $|a|<1$?")[0]
    '\\sum_{k=0}^\\infty a^k'

    """
    parts = taken_apart(text)
    if parts is None or _PART.search(parts[0]):
        return None
    for sign in (_SIGN, _DOTS):
        signed = [at for at, formula in enumerate(parts[1]) if sign.search(formula)]
        if len(signed) == 1:
            formula = parts[1][signed[0]]
            index = _INDEX.search(formula) if sign is _SIGN else None
            name = index[1].lstrip("\\") if index else ""
            return plain(
                parts, Asked(formula, frozenset(signed), formula, name, True, nouns=_NOUNS)
            )
        if signed:
            return None
    return None
