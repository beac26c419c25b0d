"""Turns tokens of the text into canonical tokens.

All synonyms have the same canonical token. A canonical token has no size and no style.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from ...expression.tree import Expression
from .names import GREEK, GREEK_CHARACTERS, GREEK_VARIANTS, NAMES
from .pattern import INVISIBLE, SUBSCRIPT, SUPERSCRIPT, TEXT, plain_script
from .words import LONGEST_RUN, SYNONYMS, split, word_of

#: Commands that change how a formula looks, and nothing else.
_DROPPED: Final = frozenset(
    r"""\displaystyle \textstyle \scriptstyle \scriptscriptstyle \limits \nolimits \nonumber
    \notag \mathstrut \strut \rm \it \bf \sf \tt \cal \quad \qquad \thinspace \medspace
    \thickspace \negthinspace \negmedspace \enspace \enskip \space \nobreakspace \allowbreak
    \nobreak \break \linebreak \mathbf \boldsymbol \bm \mathit \mathcal \mathscr \mathbb \mathfrak
    \mathsf \mathtt \mathnormal \mathrm \operatorname \operatorname* \text \textrm \textit
    \textbf \mathop \mathord \mathbin \mathrel \mathinner \mbox \hbox \boxed \fbox \ensuremath
    \underline \smash \hfill \hfil \left \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl
    \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm \null \relax \protect \noindent \par \large
    \Large \LARGE \small \normalsize \tiny \huge \Huge \centering \pmb \symbf \symup \symit
    \upright \qty \pqty \num \displaylines \mathup \textnormal \bigstar \unicode \iffalse \fi \sl
    \em \normalfont \upshape
    """.split()
)
_BARS: Final = frozenset(("|", "\\left|", "\\right|"))
_DELIMITERS: Final = _BARS | {
    *r"( ) [ ] { } . / \{ \} \lfloor \rfloor \lceil \rceil \backslash".split()
}
_TABULAR: Final = frozenset(
    ("cases", "dcases", "rcases", "matrix", "pmatrix", "smallmatrix", "array")
)


@dataclass(frozen=True, slots=True, eq=False)  # a key of the lexer's cache, by identity
class Vocabulary:
    """The meanings of tokens for a problem with certain names.

    Attributes:
        symbols: the names of the problem.
        atoms: the trees of tokens that are operands by themselves.
        canonical: tokens that the lexer passes on unchanged. All other tokens go through `spell`.

    """

    symbols: frozenset[str]
    atoms: Mapping[str, Expression]
    canonical: frozenset[str]
    _spelt: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def spell(self, raw: str) -> tuple[str, ...]:
        """Turn a token of the text into canonical tokens."""
        tokens = self._spelt.get(raw)
        if tokens is None:
            tokens = _spell(raw, self.symbols, self.canonical)
            if len(self._spelt) < 4096 and len(raw) <= LONGEST_RUN:
                self._spelt[raw] = tokens
        return tokens


def _spell(raw: str, symbols: frozenset[str], canonical: Collection[str]) -> tuple[str, ...]:
    if raw in canonical or not raw:
        return (raw,)
    synonym = SYNONYMS.get(raw)
    if synonym is not None:
        return (synonym,)
    if raw in GREEK_CHARACTERS:
        return ("\\" + GREEK_CHARACTERS[raw],)
    initial = raw[0]
    if initial.isascii() and initial.isalpha():
        return split(raw, symbols)
    if initial in SUPERSCRIPT:
        return ("^", "{", *_digits_and_letters(plain_script(raw)), "}")
    if initial in SUBSCRIPT:
        return ("_", "{", *_digits_and_letters(plain_script(raw)), "}")
    if initial != "\\" or len(raw) == 1:
        return (raw,)
    return _spell_command(raw, symbols)


def _digits_and_letters(text: str) -> list[str]:
    return re.findall(r"[0-9]+|.", text)


def _spell_command(raw: str, symbols: frozenset[str]) -> tuple[str, ...]:
    if raw in _DROPPED:
        return ()
    name = raw[1:]
    if name in GREEK_VARIANTS:
        name = GREEK_VARIANTS[name]
        return (name,) if len(name) == 1 else ("\\" + name,)
    if name in GREEK:
        return (raw,)
    if name in NAMES:
        return (NAMES[name],)
    if raw.startswith("\\\\"):
        return ("\\\\",)
    head = re.match(r"\\([A-Za-z]+)", raw)
    command = head[1] if head else ""
    argument = raw[len(command) + 1 :].lstrip("*").strip()
    if argument.startswith("{") and argument.endswith("}"):
        content = argument[1:-1].strip()
        if command in ("begin", "end"):
            return _environment(command, content.partition("}")[0])
        if re.match(TEXT, raw[1:]):
            return word_of(content, command.startswith("operatorname"), symbols)
    if re.fullmatch(INVISIBLE, raw[1:]):
        return ()
    mark = SYNONYMS.get(argument, argument)
    if mark in _DELIMITERS and re.match(r"left|right|middle|big|Big", command):
        return _delimiter(command, mark)
    lowered = NAMES.get(name.lower())
    if lowered is not None and len(name) > 2:
        return (lowered,)
    return (raw,)


def _environment(command: str, name: str) -> tuple[str, ...]:
    name = name.rstrip("*")
    return (f"\\{command} {name}",) if name in _TABULAR else ()


def _delimiter(command: str, mark: str) -> tuple[str, ...]:
    if mark in _BARS:
        if command == "left" or command.endswith("l"):
            return ("\\left|",)
        if command == "right" or command.endswith("r"):
            return ("\\right|",)
        return ("\\middle|",) if command == "middle" else ("|",)
    if mark == ".":
        return (f"\\{command}.",)
    if mark in ("/", "\\backslash"):
        if command in ("left", "right"):  # x^2\left/2\right., \left.x^2\right/2
            return ("/", "\\left.") if command == "left" else ("\\right.", "/")
        return ("/",)
    return (mark,)
