r"""Cuts a formula into statements: chains of links joined by ``=``.

A formula's LaTeX is cut at its top level, which means outside of braces, brackets and environments
such as ``cases``. ``F(x) = a = b, \quad x > 0 \\ u = x^2`` has three *chains*. The first chain has
the links F(x), a and b. The last link of a chain is its answer. The first link is the root, which
says what the chain is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ..latex.tokens.words import OPERATORS
from .boxes import closing_brace
from .cases import as_cases
from .clean import without_membership
from .words.tables import patterns
from .words.vocabulary import Role, is_name, role_of, without_lead

_BRACKETS = frozenset(("bracket", "sized", "escaped"))

# --- Text within a formula -----------------------------------------------------------------------
# "plus" and the like stand for signs.
_OPERATORS = {"plus": "+", "minus": "-", "times": r"\cdot"}

# --- Rows and pauses -----------------------------------------------------------------------------
#: Tokens that are looked at behind a pause for the next one at the top level, so that a formula of
#: many pauses takes linear time.
_AHEAD = 40  # 10 change no answer of the corpora (tests/mutation/constants.py)


@dataclass(slots=True)
class Chain:
    """The sides (links) of an equation. If the first is empty, an earlier equation continues."""

    links: list[str] = field(default_factory=list)
    lead: str = ""  # the prose in \text{} before it
    remark: bool = False  # follows the answer: "where C is ..", "x > 0"
    approximate: bool = False  # follows an approximation sign
    alternative: bool = False  # joined to the one before with "or"
    tends: bool = False  # an arrow precedes the last link
    bound: bool = False  # holds an inequality or membership at its top level
    subject: bool = False  # "the integral of" precedes the first link
    unknown: str = ""  # words in it that may change the formula


def chains(latex: str, *, boxed: bool = False) -> list[Chain]:
    """Cut a formula into statements, in order. Empty statements are left out.

    Args:
        latex: the formula.
        boxed: whether the formula is the content of a box. In a box, every word must be in the list
            of known words.

    """
    if "\\text" in latex:
        latex = patterns.text_of_signs.sub(r" \1 ", latex)
    latex = as_cases(without_membership(without_lead(latex)))
    if aside := patterns.aside.fullmatch(latex):
        latex = aside[1]
    if patterns.involved.search(latex) is None:
        links = latex.split("=")
        for link in links:
            if (
                link.count("{") != link.count("}")
                or link.count("(") != link.count(")")
                or link.count("[") != link.count("]")
            ):
                break
        else:
            return [Chain(links)] if latex.strip(" =\n") else []
    cutter = _ChainCutter(latex, brackets=True, boxed=boxed)
    if cutter.unbalanced:
        cutter = _ChainCutter(latex, brackets=False, boxed=boxed)
    return cutter.done


class _Nesting:
    """Tells which tokens of a formula are inside braces, brackets or tables."""

    __slots__ = ("braced", "braces", "brackets", "depth", "latex", "tables")

    def __init__(self, latex: str, brackets: bool) -> None:
        self.latex = latex
        self.brackets = brackets  # whether they nest; in "]0, 1[" they do not
        self.braces = self.depth = 0
        self.tables = 0  # environments that are part of a link
        self.braced = 0  # tables behind a brace, closed by \right.

    def holds(self, group_name: str, token: re.Match[str]) -> bool:
        """Handle the next token. Return whether the token opens, closes or is inside a group."""
        if group_name == "brace":
            self.braces = self.braces + 1 if token[0] == "{" else max(self.braces - 1, 0)
        elif self.braces:
            pass
        elif group_name in ("begin", "end"):
            return self._environment(group_name, token[group_name])
        elif self.tables:
            pass
        elif group_name in _BRACKETS:
            if self.brackets:
                self._bracket(token, opens=token[group_name][-1] in "([{")
        elif group_name == "null":
            self.depth -= self.braced > 0
            self.braced = max(self.braced - 1, 0)
        else:
            return self.depth > 0
        return True

    def _environment(self, group_name: str, name: str) -> bool:
        statements = patterns.row_environment.fullmatch(name) is not None and not self.braced
        if statements or (name == "array" and not self.depth and not self.tables):
            return self.tables > 0
        self.tables = self.tables + 1 if group_name == "begin" else max(self.tables - 1, 0)
        return True

    def _bracket(self, token: re.Match[str], *, opens: bool) -> None:
        if opens:
            self.depth += 1
            self.braced += patterns.table_follows.match(self.latex, token.end()) is not None
        elif self.depth:
            self.depth -= 1


class _ChainCutter:
    """Cuts a formula into chains ``a = b = c`` in a single pass. ``done`` collects the chains."""

    def __init__(self, latex: str, *, brackets: bool, boxed: bool) -> None:
        self.latex = latex
        self.boxed = boxed
        self.done: list[Chain] = []
        self.chain = Chain()
        self.pieces: list[str] = []  # of the current link
        self.start = 0  # of the next piece
        self.until = 0  # the end of the last text command
        self.row = False  # a row break stands between the last piece and the next
        self.tokens = list(patterns.statement_token.finditer(latex))
        self.unbalanced = self._run(brackets)

    def _run(self, brackets: bool) -> bool:
        """Handle the tokens at the top level. Return whether a bracket is not closed."""
        nesting = _Nesting(self.latex, brackets)
        for index, token in enumerate(self.tokens):
            group_name = token.lastgroup
            if (
                group_name is not None
                and token.start() >= self.until
                and not nesting.holds(group_name, token)
            ):
                _HANDLERS[group_name](self, index, token)
        self._take(None)
        self._close_chain()
        return nesting.depth > 0

    # What a token does

    def _boundary(self, _: int, token: re.Match[str]) -> None:
        """Handle the beginning or end of an environment whose rows are statements."""
        self._take(token)

    def _row(self, _: int, token: re.Match[str]) -> None:
        self._take(token)
        self.row = True

    def _bound(self, _: int, token: re.Match[str]) -> None:
        self._take(token)
        self.pieces.append(token[0])
        self.chain.bound = True

    def _relation(self, index: int, token: re.Match[str]) -> None:
        if self.row and patterns.indentation.fullmatch(self.latex, self.start, token.start()):
            self.row = False  # the row goes on with the chain, before what stood beside it, too
            if self.chain.remark and self.chain.lead and not self.chain.links and not self.pieces:
                self.chain = self.done.pop()
        self._take(token)
        if token.lastgroup == "so":
            if not self.chain.links and not self.pieces:
                return  # an arrow or "therefore" at the beginning
            following = self._next(index)
            if self.chain.links or (following is not None and following.lastgroup == "equal"):
                self._close_chain()
                self.chain.tends = True
                return
            self.chain.tends = True
        self._close_link()

    def _near(self, _: int, token: re.Match[str]) -> None:
        self._take(token)
        link = "".join(self.pieces)
        if not link.strip() or "\\int" in link or patterns.lone_name.fullmatch(link):
            self.chain.approximate = not (self.boxed or link.strip() or self.chain.links)
            self._close_link()
        else:
            self._close_chain()
            self.chain.approximate = True

    def _pause(self, index: int, token: re.Match[str]) -> None:
        """Handle a comma or a wide space.

        If another statement or a remark follows, the current statement ends here.
        """
        latex, at = self.latex, token.start()
        comma = token[0] in ",;"
        if self.row and not comma and patterns.indentation.fullmatch(latex, self.start, at):
            return
        following = self._next(index)
        group_name = following.lastgroup if following else None
        gap = latex[token.end() : following.start() if following else len(latex)]
        if group_name in ("equal", "so") and (
            not gap.strip() or (comma and patterns.lost_space.fullmatch(gap))
        ):
            return  # a space before "=", a "\," that lost its backslash
        self._take(token, drop=False)
        begun = bool(self.pieces)
        if (
            (group_name == "equal" and begun)
            or group_name == "bound"
            or patterns.remark_start.match(gap)
        ):
            self._close_chain(remark=begun and group_name != "equal")
        elif begun and gap.strip() and not patterns.ornaments.fullmatch(gap):
            return  # part of the link: lists are handled by the LaTeX reader
        self.start = token.end()

    def _text(self, _: int, token: re.Match[str]) -> None:
        self.until = self._text_end(token)

    def _text_end(self, token: re.Match[str]) -> int:
        r"""Handle ``\text{..}`` and return the index of the end.

        The content may be a formula, the constant of integration, a connective, or a remark.
        """
        close = closing_brace(self.latex, token.end())
        if close < 0:
            return 0
        words = self.latex[token.end() + 1 : close]
        begun = bool(self.pieces) or bool(self.latex[self.start : token.start()].strip())
        constant = patterns.constant_text.fullmatch(words) is not None
        sign = _OPERATORS.get(words.strip().lower()) if begun else None
        if begun and patterns.plus_constant_text.fullmatch(words):
            sign = "+ C"
        role = Role.LEAD if constant else role_of(words)
        argument = patterns.argument_follows.match(self.latex, close + 1) is not None
        is_operator = token["text"] == "operatorname" and words in OPERATORS  # si is no word there
        if not constant and (is_operator or is_name(words, applied=argument)):
            return close + 1
        mathematical = role is Role.UNKNOWN and _looks_mathematical(words)
        upright = token["text"] in ("mathrm", "operatorname")
        if role is Role.UNKNOWN and not mathematical and not sign:
            applied = argument and patterns.applied_name.fullmatch(words)
            if self.boxed or upright or applied or patterns.arithmetic.fullmatch(words):
                if self.boxed and not upright:
                    self.chain.unknown = words
                return close + 1  # the words stay in the link, and the LaTeX reader refuses them
        row = self.row
        self._take(token)
        self.start = close + 1
        if not words.strip(" .,;:"):
            return close + 1
        begun = bool(self.pieces)
        behind = not patterns.ornaments.fullmatch(self.latex, close + 1)
        last_character = self.pieces[-1].rstrip()[-1:] if self.pieces else ""
        if constant and last_character in ("+", "-"):
            self.pieces.append(" C")
        elif begun and role is Role.OFFER:
            remark = self.chain.remark
            self._close_chain(remark=remark)
            self.chain.alternative = not remark
        elif sign:
            self.pieces.append(f" {sign} ")
        elif begun and role is Role.SAME and (behind or self.chain.remark):
            self._close_link()
        elif mathematical:
            self.pieces.append(words)
        elif not begun and not any(link.strip() for link in self.chain.links):
            self.chain.lead += " " + words
            self.chain.subject = role is Role.SUBJECT
        elif begun or row:
            self.row = False
            self._close_chain(remark=True)
            self.chain.lead = words
        return close + 1

    # The link and the chain that grow

    def _take(self, token: re.Match[str] | None, *, drop: bool = True) -> None:
        """Add the text before the token to the current link (one side of an equation).

        If ``drop`` is true, the token itself is left out. If not, the next piece begins with the
        token.
        """
        end = token.start() if token else len(self.latex)
        piece = self.latex[self.start : end]
        self.start = token.end() if token and drop else end
        if self.row and piece.strip():
            # A row continues the chain, or its last link, or begins another statement.
            indentation = patterns.indentation.match(piece)
            piece = piece[indentation.end() :] if indentation else piece
            self.row = False
            if not piece:
                return
            if self.pieces and not (
                patterns.row_starts_open.match(piece)
                or patterns.row_ends_open.search("".join(self.pieces[-2:]))
            ):
                self._close_chain()
            piece = " " + piece
        if piece and (self.pieces or not piece.isspace()):
            self.pieces.append(piece)

    def _close_link(self) -> None:
        self.chain.links.append("".join(self.pieces))
        self.pieces.clear()

    def _close_chain(self, *, remark: bool = False) -> None:
        self._close_link()
        chain = self.chain
        if chain.subject and self.boxed and sum(map(bool, map(str.strip, chain.links))) < 2:
            chain.unknown = chain.lead  # "the integral of F", without a value
        if chain.bound or any(link.strip() for link in chain.links):
            self.done.append(chain)
            self.chain = Chain(remark=remark)
        else:
            self.chain = Chain(
                lead=chain.lead, remark=remark or chain.remark, unknown=chain.unknown
            )

    def _next(self, index: int) -> re.Match[str] | None:
        """The next token at the top level that separates sides of an equation, or statements."""
        depth = 0
        for token in self.tokens[index + 1 : index + 1 + _AHEAD]:
            group_name = token.lastgroup
            if group_name == "brace" or group_name in _BRACKETS:
                depth += 1 if token[group_name or 0][-1] in "{([" else -1
            elif group_name is not None and depth <= 0:
                return token
        return None


#: What the tokens at the top level do.
_HANDLERS: Final[dict[str, Callable[[_ChainCutter, int, re.Match[str]], None]]] = {
    "begin": _ChainCutter._boundary,
    "end": _ChainCutter._boundary,
    "row": _ChainCutter._row,
    "bound": _ChainCutter._bound,
    "near": _ChainCutter._near,
    "pause": _ChainCutter._pause,
    "text": _ChainCutter._text,
    "equal": _ChainCutter._relation,
    "so": _ChainCutter._relation,
}


def _looks_mathematical(words: str) -> bool:
    r"""Whether the content of a ``\text{}`` is a formula."""
    return patterns.formula_sign.search(words) is not None and all(
        is_name(word[0]) for word in patterns.word_of_letters.finditer(words)
    )
