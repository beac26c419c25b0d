"""Removes the surroundings of a question: number, titles, marks, hints, and instructions."""

from __future__ import annotations

import re
from typing import Final

from ..marks import LONGEST
from .instructions import without_instructions

#: What stands around a question: its number, titles, marks, and hints.
_TITLE: Final = re.compile(
    r"\\(?:emph|paragraph|textbf|textit|textsc|underline)\s*\{([^{}$]*)\}|\*\*"
)
_LAYOUT: Final = re.compile(
    r"\\(?:hfill|noindent|smallskip|medskip|bigskip|newline)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{(?:exercise|problem|question|enumerate|itemize|center)\}"
)
_LABEL: Final = re.compile(
    r"\A\s*(?:\\item\s*(?:\[[^\]]*\])?"
    r"|(?i:Question|Problem|Exercise|Example|Q)\.?\s*\d{1,3}(?=\s)"
    r"|(?:Question|Problem|Exercise|Example|Input|Task|Q)\.?\s*\d{0,3}(?:\.\d{1,3})*\s*[.:)]"
    r"|\d{1,3}(?:\.\d{1,3})*\s*[.:)](?=\s)|\d{1,3}\s*(?=\((?:[a-h]|[ivx]{1,4})\))"
    r"|\((?:[a-h]|[ivx]{1,4}|\d{1,2})\)(?=\s))"
)
#: The number of a theorem or an exercise.
_REFERENCE: Final = re.compile(
    r"\b(?i:Chapter|Equation|Examples?|Exercises?|Figure|Part|Problems?|Section|Theorem)\s+"
    r"\d[\d.]*(?:\s*[–-]+\s*\d+)?(?![\w.]*[+*/^=])"
)
_MARKS: Final = re.compile(
    r"(?:[(\[](?:[Tt]otal(?:\s+(?:for|is|[Qq]uestion|\d+))*\s+)?\s*\d{1,2}\s*(?:marks?|points?|pts?\.?)\s*[)\]]|(?<=[.?!$\s])\s*[(\[]\d{1,2}[)\]])\s*\Z"
)
_HINT: Final = re.compile(
    r"\((?i:hint)\b(?:[^()]|\([^()]*\)){0,300}\)|\[(?i:hint)\b[^\[\]]{0,300}\]"
    r"|\b[Hh]int\s*:(?:\$[^$]*\$|[^.$]){0,300}(?:\.|\Z)"
)


def without_frame(text: str) -> str:
    r"""Remove the surroundings of a question: number, marks, and hints.

    >>> without_frame(r"**3.** (b) Find $\int x\,dx$. (Hint: it is easy.) [4 marks]").strip()
    'Find $\\int x\\,dx$.'

    """
    if len(text) > LONGEST:
        return text
    plain = _LAYOUT.sub(" ", without_instructions(text))
    plain = _TITLE.sub(lambda match: match[1] or "", plain)
    while (label := _LABEL.match(plain)) is not None:
        plain = plain[label.end() :]
    plain = _REFERENCE.sub(" ", plain)
    return _HINT.sub(" ", _MARKS.sub("", plain))
