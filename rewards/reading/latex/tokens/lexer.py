r"""The lexer cuts LaTeX, plain text or Unicode into canonical tokens.

The lexer applies one regular expression, in one pass over the text. A token is a string, and the
parser looks up the meaning of the token. The lexer normalises the spelling. Sizes and spaces are
dropped, ``\left(`` becomes ``(``, ``\operatorname{arctanh}`` and ``artanh`` become the same token,
and the letters ``xsinx`` become three tokens. Offsets are not stored: `offset_of` computes the
offset for an error message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from ..errors import TooBigError
from ..limits import Limits
from .code import respelt
from .layout import has_marks, kept_places
from .names import NAMES
from .numbers import with_fractions, with_points
from .pattern import TOKEN, without_equation_number
from .spelling import Vocabulary
from .words import with_signs

#: A backslash doubled by a program that escaped the text, not a row break.
_DOUBLED: Final = re.compile(
    r"(?<!\\)\\\\(?=(?:[dt]?frac|left|right|sqrt|ln|log|exp|sin|cos|tan|cot|sec|csc|arc|text|math"
    r"|operatorname|cdot|times|pi)(?![a-z]*\\\\))"
)
#: A sign in braces, which keep TeX from spacing it.
_BRACED: Final = re.compile(r"\{(\\cdot|\\times)\}")
#: An inverse function whose name is in two pieces: ``\operatorname{arc}\tan``, ``arc tan``.
_ARC_ALONE: Final = re.compile(r"arc(?=[\s\\~}])")
_ARC_NAME: Final = r"(?:(?:sin|cos|tan|cot|sec|csc|sen|tg|ctg|cotg)h?)"
_ARC_SPACE: Final = r"(?:\s|\\[,;!: ]|~)"
_ARC: Final = re.compile(
    r"(?:\\(?:operatorname|mathrm|text|textrm)\*?\s?\{\s*arc\s*\}|\{\\rm\s+arc\s*\}|\\?\barc)"
    rf"{_ARC_SPACE}*"
    rf"(?:\\(?:operatorname|mathrm|text|textrm)\*?\s?\{{\s*(?P<named>{_ARC_NAME})\s*\}}"
    rf"|(?:\\|(?<=[\s~,;!:]))(?P<plain>{_ARC_NAME})(?![A-Za-z]))"
)
#: Rows of values and conditions behind a brace, in an environment that is not ``cases``.
_ROWS: Final = r"(?:aligned|gathered|split|matrix|smallmatrix|cases)\}(?:\s*\[[a-z]\])?"
_COLUMNS: Final = r"(?:array|alignedat)\}"
_TABLE: Final = re.compile(
    r"(?:\\(?:left|[bB]igg?l?)\s*)?\\(?:\{|lbrace(?![A-Za-z]))(?:\s|\\[,;:! ])*\\begin\s*\{"
    rf"(?:{_ROWS}|{_COLUMNS}(?:\s*\[[a-z]\])?\s*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})"
)
_TABLE_END: Final = re.compile(
    rf"\\end\s*\{{(?:{_ROWS}|{_COLUMNS})(?:\s*\\right\s*(?:\.|\\\}}|\\rbrace))?"
)
#: Words and a formula in one text command: ``\text{if $x>0$}``.
_MIXED_TEXT: Final = re.compile(
    r"(\\(?:text(?:rm|normal|up)?|[mh]box)\s*\{)([^{}\\$]*)([\\$](?:[^{}]|\{[^{}]*\})*)\}"
)
#: Names of functions whose digits are parts of the names, as in code: log2(x) is not ln(2x). With a
#: backslash, this holds for log10 only: \log2(1+x) may be the number ln 2 times 1+x.
_DIGIT_NAMES: Final = sorted(name for name in NAMES if any(map(str.isdigit, name)))
_WITH_DIGITS: Final = re.compile(
    rf"(?:(?<![A-Za-z{{\\])({'|'.join(_DIGIT_NAMES)})|\\(log10))(?=\s?(?:\\left\s?)?[(\[])",
    re.IGNORECASE,
)
#: The real part has a bracket; before a power, ``Re`` is a constant R times a power of e.
_POWER_OF_E: Final = re.compile(r"(?<![A-Za-z\\{])Re(?=\^)")
_END: Final = [""] * 4


@lru_cache(maxsize=1)  # a problem is read, and then searched for letters that are no parameters
def tokenize(text: str, words: Vocabulary, limits: Limits) -> list[str]:
    """The canonical tokens of `text`, followed by empty tokens.

    The parser looks ahead. The empty tokens tell the parser that the text has ended.
    """
    if len(text) > limits.characters:
        raise TooBigError(f"at most {limits.characters} characters", limits.characters)
    text = _prepared(text, words.symbols)
    tokens: list[str] = []
    add, canonical, spell = tokens.append, words.canonical, words.spell
    for raw in TOKEN.findall(text):
        if raw in canonical:
            add(raw)
        else:
            tokens.extend(spell(raw))
    if len(tokens) > limits.tokens:
        raise TooBigError(f"at most {limits.tokens} tokens", offset_of(text, limits.tokens, words))
    while tokens and not tokens[-1]:
        tokens.pop()
    tokens += _END
    if has_marks(text):
        tokens = [tokens[index] for index in kept_places(tokens)]
    return tokens


def offset_of(text: str, index: int, words: Vocabulary) -> int:
    """The offset in `text` of the token with the number `index`."""
    size = len(text)  # preparing may lengthen it
    text = _prepared(text, words.symbols)
    tokens: list[str] = []
    offsets: list[int] = []
    for match in TOKEN.finditer(text):
        pieces = [match[1]] if not match[1] else words.spell(match[1])
        tokens.extend(pieces)
        offsets.extend([match.start(1)] * len(pieces))
    kept_indices = kept_places(tokens) if has_marks(text) else range(len(tokens))
    token_offsets = [offsets[kept_index] for kept_index in kept_indices if tokens[kept_index]]
    return min(token_offsets[index], size) if index < len(token_offsets) else size


def _prepared(text: str, symbols: Collection[str]) -> str:
    """The text, prepared for tokenization: unusual notation is replaced.

    For example, code is respelt, decimal commas become points, and letters of mathematical
    alphabets become plain letters.
    """
    text = without_equation_number(text)
    if "\\" not in text:
        text = respelt(text, symbols)
    text = with_points(text)
    if ".\\" in text or "\\overline" in text or ".(" in text or ",(" in text or "{,}(" in text:
        text = with_fractions(text)
    if "Re^" in text:
        text = _POWER_OF_E.sub("R e", text)
    if "og1" in text or "og2" in text or "tan2" in text or "xpm1" in text or "yp" in text:
        text = _WITH_DIGITS.sub(r"\\operatorname{\1\2}", text)
    if "\\\\" in text and "\\begin" not in text:
        text = _DOUBLED.sub(r" \\", text)
    if "{\\cdot}" in text or "{\\times}" in text:
        text = _BRACED.sub(r" \1 ", text)
    if "\\begin" in text and "{" in text:
        text = _with_cases(text)
    if "ext" in text or "box" in text:
        text = _MIXED_TEXT.sub(_words_then_formula, text)
    if "arc" in text and _ARC_ALONE.search(text):
        text = _ARC.sub(_joined_arc, text)
    if text.isascii() or max(text) < "\U0001d400":
        return text
    return "".join(
        unicodedata.normalize("NFKC", char) if "\U0001d400" <= char <= "\U0001d7ff" else char
        for char in text
    )


def _with_cases(text: str) -> str:
    r"""Rewrite ``\left\{\begin{array}{ll} .. \end{array}\right.`` in a text as ``cases``."""
    if len(_TABLE.findall(text)) != len(_TABLE_END.findall(text)):
        return text
    text = _TABLE.sub(lambda match: r"\begin{cases}".ljust(len(match[0])), text)
    return _TABLE_END.sub(lambda match: r"\end{cases}".ljust(len(match[0])), text)


def _words_then_formula(match: re.Match[str]) -> str:
    """Move the formula at the end of a text command out of the command.

    The matched text command contains words and then the formula.
    """
    formula = with_signs(match[3].replace("$", " "))
    return f"{match[1]}{match[2]}}}{formula}".ljust(len(match[0]))


def _joined_arc(match: re.Match[str]) -> str:
    name = match["named"] or match["plain"]
    return f"\\arc{name} ".ljust(len(match[0]))
