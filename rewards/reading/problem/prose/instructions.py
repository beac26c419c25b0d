r"""Removes the instructions of a prompt on the response: "put your final answer within \\boxed{}".

The template of a prompt stands around the question, and speaks of the response, of who writes the
response and of who reads the response. A clause is left out only if all words are known.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import combining, normalize

from .languages import foreign_words, unspaced_words
from .vocabulary import INSTRUCTIONS, RESPONSE

#: Words on -ly that do something to a value, or ask for a decimal.
_CHANGING_MANNERS: Final = frozenset("approximately multiply numerically roughly uniformly".split())
_KNOWN: Final = INSTRUCTIONS | foreign_words("asks", "nothing", "response")
_UNSPACED: Final = unspaced_words("response")
#: Stands for a sign of a text that a clause may have; no text has it by chance.
_FILL: Final = "\ue013"
#: What stands in a prompt for a text: the answer, a number of a step, tokens of a chat.
_PLACEHOLDER: Final = re.compile(
    r"\$*\\{1,2}(?:boxed|fbox)\s*(?:\{+[A-Za-z_ .…<>\[\]-]*\}+)?\$*"
    r"|\$(?=\{?(?i:(?:your_?|final_?)?answer))"
    r"|(?<=[A-Za-z}])\$(?=[\s.,'\"]|\Z)|\$\$(?=\s+to\s)|\b\d+\s+steps?(?:\s+or\s+(?:fewer|less|more))?\b|\b[Ss]tep\s+\d+\b"
    r"|\b(?:i\.e|e\.g)\.|\b(?:final )?number or expression\b|\bis wrong\b|\b[Dd]ouble-check"
    r"|\b\d+(?:\.\d+)?%|(?m:^\s*\d+[.)](?=\s))"
    r"|\bdifferent terms\b|\b[Ii]ntegrate natural language\b"
)
#: Tokens of a chat, tags and titles of the parts of a prompt.
_CHAT: Final = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>(?:(?:assistant|system|user)\b)?|<(?:start|end)_of_turn>"
    r"(?:(?:model|user)\b)?|</?(?:s|bos|eos)>|\[/?INST\]|<</?SYS>>"
    r"|</?[a-z_]{4,20}>|#{2,4}\s*[A-Z]\w+\s*:"
)
#: A name of the answer: [answer], <final_answer>.
_BRACKETED: Final = re.compile(
    r"(?i)[<\[]/?((?:your[ _]|final[ _])?(?:answer|response|result|submit))[>\]]"
)
_CLAUSE: Final = re.compile(
    r"((?<=[.?!:>])\s+|(?<=[$\])])\s+(?=[A-Z][a-z])|\n+|(?<=[。！？：])\s*)"
)
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Signs that may stand beside the words of an instruction.
_PUNCTUATION: Final = re.compile(rf"[\s.,:;?!\"'“”‘’`()\[\]{{}}<>/*#…_=—–，。：；、！？{_FILL}-]*")
_PERSONA: Final = re.compile(
    r"\s*You are an? (?:\w+[ -]){0,4}?(?:assistant|expert|professor|solver|tutor)\b"
)


def is_manner(word: str) -> bool:
    """Whether a word says how something is done, such as "carefully", and changes no value."""
    return word.endswith("ly") and word not in _CHANGING_MANNERS


def _is_instruction(clause: str) -> bool:
    """Whether a clause says how a response is written, and nothing of a formula."""
    if not clause.isascii():
        clause = "".join(sign for sign in normalize("NFD", clause) if not combining(sign))
        clause = _UNSPACED.sub(_FILL, clause)
    words = [word.lower() for word in _PLAIN_WORD.findall(clause)]
    if not _PUNCTUATION.fullmatch(_PLAIN_WORD.sub("", clause)):
        return False
    if not words:
        return _FILL in clause
    return _PERSONA.match(clause) is not None or (
        not RESPONSE.isdisjoint(words) and all(word in _KNOWN or is_manner(word) for word in words)
    )


def without_instructions(text: str) -> str:
    r"""Remove the instructions of a prompt on the response, such as the sentences of a template.

    >>> without_instructions(r"Find $x$. Put your final answer within \boxed{}.").strip()
    'Find $x$.'

    """
    text = _CHAT.sub("\n", _BRACKETED.sub(r" \1 ", text))
    # of the same length, so that a clause of the one text is at the same place in the other
    plain = _PLACEHOLDER.sub(lambda match: _FILL * len(match[0]), text)
    remaining_clauses, position = [], 0
    for clause in _CLAUSE.split(plain):
        if not _is_instruction(clause):
            remaining_clauses.append(text[position : position + len(clause)])
        position += len(clause)
    return "".join(remaining_clauses)
