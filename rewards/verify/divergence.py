"""What an answer says where there is no value: that it diverges, does not exist, or is infinite."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..reading.extraction.announced import final_text
from .answers import ExtractedAnswer

_DIVERGES = re.compile(
    r"\b(?:diverg(?:es|ent|ing|e)|d(?:oes|o)\s+not\s+(?:converge|exist)|doesn'?t\s+(?:converge|exist)"
    r"|non-?convergent|not\s+convergent|DNE|has\s+no\s+(?:finite\s+)?value|undefined)\b",
    re.IGNORECASE,
)
_CONVERGES = re.compile(r"\bconverg(?:es|ent|e)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|n't|never|no)\s+(?:\w+\s+)?$", re.IGNORECASE)
_INFINITE = re.compile(r"\s*(?P<sign>[+-]?)\s*(?:\\infty|∞|\\infinity|oo)\s*[.,]?\s*")


def stated_divergence(
    completion: str, answer: ExtractedAnswer, strict: bool, stop: Sequence[str], truncated: bool
) -> int | None:
    """Whether the final answer is divergence: +1 or -1 names the infinity, 0 none; else None."""
    text = (answer.text or "").replace("\\ ", " ").replace("~", " ")
    infinite = _INFINITE.fullmatch(text)
    if infinite:
        return -1 if infinite["sign"] == "-" else 1
    if answer.text is not None and answer.source == "boxed":
        return 0 if says_divergent(text) and "\\begin" not in text else None
    shown = final_text(completion, strict=strict, stop=stop, truncated=truncated)
    last = (shown.answer or shown.text.strip().rpartition("\n")[2])[-400:]
    if answer.text is None and shown.source != "boxed" and says_divergent(last):
        if answer.status is not None:
            answer.text, answer.source, answer.status = "diverges", "final_answer", None
        return 0
    return None


def says_divergent(text: str) -> bool:
    """Whether a text says that there is no value, and not that there is one."""
    words = list(_DIVERGES.finditer(text))
    if not words or _DENIED.search(text[: words[-1].start()]):
        return False
    return not any(
        _DENIED.search(text[: word.start()]) is None for word in _CONVERGES.finditer(text)
    )
