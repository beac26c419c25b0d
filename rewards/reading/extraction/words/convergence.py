"""Words about convergence in an answer, such as "diverges" or "converges absolutely"."""

from __future__ import annotations

import re

from ...latex import signed_infinity
from .leads import read_lead
from .tables import patterns

_CONVERGES = re.compile(
    r"(?:\b(absolute|conditional)(?:ly)?\s+)?\bconverg(?:es|ent|e)\b(?:\s+(absolute|conditional)ly)?",
    re.IGNORECASE,
)
#: A kind of convergence, without the verb.
_KIND = re.compile(r"(absolute|conditional)(?:ly)?()", re.IGNORECASE)
#: A sentence that gives a value, and the value.
_GIVES = re.compile(r"(.*\b(?:is|equals|equal to))\s(.*)", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(r"(?:(?:the|it|series|is)\s+)*", re.IGNORECASE)


def divergence_of(text: str) -> int | None:
    """The divergence stated by a text. The result is 1 or -1 for an infinity, and 0 for words.

    If the text states no divergence, the result is None.
    """
    infinity = signed_infinity(text)
    if infinity is None and says_divergent(text):
        return 0
    if infinity is None and (sentence := _GIVES.fullmatch(text)) is not None:
        lead = read_lead(sentence[1])
        return signed_infinity(sentence[2]) if lead.announced or lead.concluded else None
    return infinity


def asserted_convergence(text: str, *, alone: bool = False) -> str | None:
    """The convergence asserted by a text: "absolute", "conditional", or "" without a kind.

    The result is None if the text does not assert convergence.

    Args:
        text: the text.
        alone: whether further words in the text are forbidden.

    """
    plain = re.sub(r"\\text\s*\{([^{}]*)\}|[.,]", r" \1 ", text).strip()
    if alone:
        subject = _SUBJECT.match(plain)
        begin = subject.end() if subject else 0
        words = _CONVERGES.fullmatch(plain, begin) or _KIND.fullmatch(plain, begin)
    else:
        words = None if patterns.diverges.search(plain) else _asserted(plain)
    return (words[1] or words[2] or "").lower() if words else None


def _asserted(text: str) -> re.Match[str] | None:
    """The first words that assert convergence and are not denied."""
    assertions = _CONVERGES.finditer(text)
    return next(
        (words for words in assertions if not patterns.denies_next.search(text[: words.start()])),
        None,
    )


def says_divergent(text: str) -> bool:
    """Whether a text asserts divergence, without a negation, and does not assert convergence."""
    words = list(patterns.diverges.finditer(text))
    if not words or patterns.denies_next.search(text[: words[-1].start()]):
        return False
    return _asserted(text) is None
