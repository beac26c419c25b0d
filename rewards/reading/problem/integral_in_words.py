r"""Reads an integral without a sign: "Integrate $x e^x$.", "the integral of $t^2$ from $0$ to $1$".

The words before the first formula ask for an integral, and the formula is the integrand. Words
before a further formula say what the formula is: the variable ("with respect to"), a limit ("from",
"to"), or a condition.
"""

from __future__ import annotations

import re
from typing import Final

from . import prose
from .conditions import Conditions

_ASKS: Final = frozenset(("antiderivative", "integral", "integrate", "primitive"))
_WORDS: Final = prose.INTEGRAL | {"from", "function", "respect", "to", "with"}
#: The last words before a formula, and what the formula is.
_ROLES: Final = {
    ("respect", "to"): "variable",
    ("from",): "_",
    ("to",): "^",
}
#: The name of the function that is integrated: f(x) =, y =.
_NAMED: Final = re.compile(
    r"\s*[A-Za-z](?:_\w)?\s*(?:(?:\\left)?\(\s*(?P<variable>[A-Za-z])\s*(?:\\right)?\))?\s*=(?!=)"
)


def integral_in_words(text: str) -> tuple[str, Conditions] | None:
    r"""Write a question for an integral in words as a formula. Return the formula and conditions.

    The result is None if the words do not ask for an integral, or may change the question.

    Raises:
        ProblemError: a word may change the question.

    >>> integral_in_words(r"Integrate $t e^t$ with respect to $t$.")[0]
    '\\int {t e^t} \\,dt'
    >>> integral_in_words(r"Find the definite integral of $x^2$ from $0$ to $1$.")[0]
    '\\int _{0}^{1} {x^2} '

    """
    plain = prose.without_prose(text, _WORDS)
    parts: dict[str, str] = {}
    conditions, begin, all_words = "", 0, set[str]()
    for match in prose.MARKED.finditer(plain):
        words = re.findall(r"[^\s.,:;?!]+", plain[begin : match.start()].lower())
        formula, begin = prose.DELIMITER.sub(" ", match[0]).strip(" .,;"), match.end()
        all_words.update(words)
        roles = [role for last, role in _ROLES.items() if tuple(words[-len(last) :]) == last]
        if "integrand" not in parts:
            if _ASKS.isdisjoint(words):
                return None
            parts["integrand"] = formula
        elif roles:
            if parts.setdefault(roles[0], formula) != formula:
                return None
        else:
            conditions += f" {' '.join(words)} {formula} ,"
    all_words.update(re.findall(r"[^\s.,:;?!]+", plain[begin:].lower()))
    stated = prose.conditions_around(conditions, _WORDS) if conditions else Conditions()
    limits = [mark for mark in "_^" if mark in parts]
    is_definite = "definite" in all_words or bool(limits)
    if stated is None or not all_words <= _WORDS or (is_definite and len(limits) < 2):
        return None
    if (named := _NAMED.match(parts["integrand"])) is not None:
        parts["integrand"] = parts["integrand"][named.end() :]
        if named["variable"]:
            parts.setdefault("variable", named["variable"])
    marks = "".join(f"{mark}{{{parts[mark]}}}" for mark in limits)
    differential = rf"\,d{parts['variable']}" if "variable" in parts else ""
    return rf"\int {marks} {{{parts['integrand']}}} {differential}", stated
