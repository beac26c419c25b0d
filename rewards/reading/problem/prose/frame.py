"""Removes the surroundings of a question: number, titles, marks, hints, and instructions."""

from __future__ import annotations

import re
from typing import Final

from ....errors import ProblemError
from ..marks import DELIMITER, LONGEST, MARKED, is_function
from .instructions import without_instructions
from .vocabulary import TABLE

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
#: The label of an option, with the space behind: (A), A., A). Fewer options may be parts.
_OPTION: Final = r"(?<![\w\\^])(?:\*\*)?\(?{}[.):](?:\*\*)?(?![A-Za-z])"
#: A word of an option, and the words that an option may have.
_OPTION_WORD: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_OF_OPTIONS: Final = (
    TABLE["convergence"]
    | TABLE["kind"]
    | frozenset(
        """above all cannot determined dne does exist infinity none not other the these
        undefined""".split()
    )
)
_FEWEST_OPTIONS: Final = 3
#: The last option ends with the line or the sentence.
_LAST_OPTION: Final = re.compile(r"[^\n]*?(?=[.?!]\s|\n|\Z)")
_HINT: Final = re.compile(
    r"\((?i:hint)\b(?:[^()]|\([^()]*\)){0,300}\)|\[(?i:hint)\b[^\[\]]{0,300}\]"
    r"|\b[Hh]int\s*:(?:\$[^$]*\$|[^.$]){0,300}(?:\.|\Z)"
)


def options_of(text: str) -> tuple[str, dict[str, str]]:
    r"""Take the options of a question for a choice out of the question.

    Returns:
        The question without the options, and the text of each option by the label of the option. A
        question without a list of at least three options has none. Parts of a question are no
        options: options have formulas, and few words.

    Raises:
        ProblemError: options with labels such as (A) have other words.

    >>> options_of("Find $1+1$. (A) $1$ (B) $2$ (C) none")
    ('Find $1+1$. ', {'A': '1', 'B': '2', 'C': 'none'})

    """
    for labels in ("ABCDEFGH", "abcdefgh"):
        marks: list[re.Match[str]] = []
        for label in labels:
            start = marks[-1].end() if marks else 0
            mark = re.compile(_OPTION.format(label)).search(text, start)
            if mark is None:
                break
            marks.append(mark)
        if len(marks) >= _FEWEST_OPTIONS:
            break
    else:
        return text, {}
    last = marks[-1].end()
    formula = MARKED.match(text, last) or _LAST_OPTION.match(text, last)
    end = formula.end() if formula else len(text)
    ends = [*(mark.start() for mark in marks[1:]), end]
    contents = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    # The letters of (x-a)(x-b)(x-c) are no labels: a label stands outside of formulas and brackets.
    if not all(map(_is_whole, (text[: marks[0].start()], *contents))):
        return text, {}
    listed = {
        label: DELIMITER.sub(" ", content).strip(" \n\t,;.*")
        for label, content in zip(labels, contents, strict=False)
    }
    words = [*map(str.lower, _OPTION_WORD.findall(" ".join(listed.values())))]
    if not all(word in _OF_OPTIONS or is_function(word) for word in words):
        if labels.isupper():
            raise ProblemError("a list of options with words; write the options as formulas")
        return text, {}
    return text[: marks[0].start()] + text[end:], listed


def _is_whole(text: str) -> bool:
    """Whether a text closes the brackets and the formulas that the text opens."""
    pairs = (("(", ")"), ("{", "}"))
    return text.count("$") % 2 == 0 and all(text.count(a) == text.count(b) for a, b in pairs)


def without_frame(text: str) -> str:
    r"""Remove the surroundings of a question: number, marks, hints, and options.

    >>> without_frame(r"**3.** (b) Find $\int x\,dx$. (Hint: it is easy.) [4 marks]").strip()
    'Find $\\int x\\,dx$.'

    """
    if len(text) > LONGEST:
        return text
    plain = _LAYOUT.sub(" ", without_instructions(options_of(text)[0]))
    plain = _TITLE.sub(lambda match: match[1] or "", plain)
    while (label := _LABEL.match(plain)) is not None:
        plain = plain[label.end() :]
    plain = _REFERENCE.sub(" ", plain)
    return _HINT.sub(" ", _MARKS.sub("", plain))
