r"""Reads the text around a box: the formula with the box, or a sentence that denies the box.

The boxes of a text are replaced by marks (private characters). The formula around a mark is then
cut into statements like any other formula. A link is one side of an equation. One link contains the
mark. All text of this link belongs to the answer: ``-\boxed{F}``, ``\frac12\boxed{F} + C``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from ..boxes import Box
from ..case_lists import with_conditions
from ..clean import clean
from ..judge import unsolved
from ..spans import Span, bare_spans, restored, spans, where_behind
from ..statements import chains
from ..words.leads import denied_after, denied_before, unknown_beside
from ..words.tables import patterns

#: Only this many characters before the last box are searched for the formulas around boxes; as much
#: as of a text without boxes.
REACH = 20_000
#: Characters before and behind a box in which what touches it is looked for. Half of them, or
#: twice, change no answer of the corpora (tests/mutation/constants.py).
_MARGIN = 40
#: The private character that stands for the first box of a text.
_MARK_BASE = 0xE000
#: The words of a sentence of a box are what these leave: whole formulas, formulas cut off at an end
#: of the searched text, the delimiters behind the box, and marks of code.
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_OPENING = re.compile(r".*(?:\$|\\[()\[\]])|[^\s]*[\\{}^_][^\s]*", re.DOTALL)
_CLOSING = re.compile(r"[$\\{}^_]")
_BOX_END = re.compile(r"\A(?:\$+|\\[)\]]|[}).,;:*_ ])+")
_WORD = re.compile(r"[^\W\d_]{2}")
_FENCE = re.compile(r"```\w*")
#: Most characters of the sentence before a box that are searched for a denial: the longest sentence
#: before a formula of `responses.json` has 197.
_SENTENCE = 240


class BoxContext(NamedTuple):
    """The text around a box.

    Attributes:
        template: the formula around the box, with a character (a mark) in place of each box.
        following: the sides after the box in a chain of equations.
        alternatives: the templates of further boxes, joined to the box by "or".
        where: the definitions after the box, such as a formula after "where".
        denied: whether the text rejects the content of the box.
        unknown: a word of the sentence with a possible effect on the content, or empty.
        unsolved: the name of the answer inside the left side of an equation (`judge.unsolved`).

    """

    template: str
    following: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    where: str = ""
    denied: bool = False
    unknown: str = ""
    unsolved: str = ""

    @property
    def lone(self) -> bool:
        """Whether the box is the whole formula."""
        return len(self.template) == 1


def marks_in(template: str) -> list[int]:
    """The numbers of the boxes in a template, by the marks in place of the boxes."""
    return [ord(character) - _MARK_BASE for character in patterns.box_mark.findall(template)]


def filled(template: str, contents: Mapping[int, str]) -> str:
    """Replace each mark in a template by the content of the box for the mark.

    The content is put in parentheses if necessary.
    """
    bare = len(template) == 1 or "\\begin{cases}" in template

    def content(match: re.Match[str]) -> str:
        box_content = contents[ord(match[0]) - _MARK_BASE]
        term = not match.start() and patterns.sum_goes_on.match(template, match.end())
        return (
            box_content if bare or term or len(box_content) < 2 else rf"\left({box_content}\right)"
        )

    return patterns.box_mark.sub(content, template)


def place(text: str, marked: list[Box]) -> BoxContext:
    """The context of the last box in ``marked``. All boxes in ``marked`` must be closed."""
    last_box = marked[-1]
    mark = chr(_MARK_BASE + len(marked) - 1)
    preceding, following = (
        text[max(0, last_box.start - _SENTENCE) : last_box.start],
        text[last_box.end :][:_MARGIN],
    )
    if (
        len(marked) == 1
        and patterns.box_alone_before.search(preceding[-_MARGIN:])
        and not patterns.command_before.search(preceding[-_MARGIN:])
        and (alone := patterns.box_alone_after.match(following))
    ):
        denied = _denied(text, last_box.start, last_box.end + alone.end())
        return BoxContext(mark, denied=denied, unknown=_unknown(text, last_box.start, last_box.end))
    text = _with_marks(text, marked)
    at = text.index(mark)
    formulas = with_conditions(text, _formulas(text))
    index = next((i for i, span in enumerate(formulas) if span.start <= at < span.end), -1)
    if index < 0:
        return BoxContext(mark)
    span = formulas[index]
    own_formula = _in_formula(span.latex, mark)
    alternatives = [*own_formula.alternatives]
    for neighbour, later in zip(formulas[:index][::-1], formulas[index::-1], strict=False):
        offered = patterns.box_mark.search(neighbour.latex)
        gap = neighbour.end, later.start
        if offered is None or not (
            patterns.joins_boxes.fullmatch(text, *gap)
            or patterns.between_items.fullmatch(text, *gap)
        ):
            break
        alternatives.append(_in_formula(neighbour.latex, offered[0]).template)
    where = where_behind(text, formulas, index) or own_formula.where
    denied = own_formula.denied or _denied(text, span.start, span.end)
    return own_formula._replace(
        alternatives=tuple(alternatives),
        where=where,
        denied=denied,
        unknown=_unknown(text, span.start, span.end),
    )


def _with_marks(text: str, marked: list[Box]) -> str:
    """The text near the last box. A mark replaces each box.

    The marks of the original text are removed.
    """
    pieces: list[str] = []
    start = 0
    for number, box in enumerate(marked):
        pieces += [patterns.box_mark.sub("", text[start : box.start]), chr(_MARK_BASE + number)]
        start = box.end
    head, tail = "".join(pieces), patterns.box_mark.sub("", text[start:][:REACH])
    if len(head) > REACH:
        line = head.find("\n", len(head) - REACH)
        head = head[line + 1 if line >= 0 else len(head) - REACH :]
    return restored(head + tail)


def _formulas(text: str) -> list[Span]:
    """Find the formulas in delimiters, and the formulas around boxes without delimiters."""
    formulas = spans(text)
    for match in patterns.box_mark.finditer(text):
        at = match.start()
        if not any(span.start <= at < span.end for span in formulas):
            formulas.append(_bare(text, at))
    return sorted(formulas, key=lambda span: span.start)


def _bare(text: str, at: int) -> Span:
    """Find the formula around a box without delimiters. The mark at ``at`` stands for the box.

    If no operand or operator touches the mark, the formula is the mark alone.
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    preceding = text[max(start, at - _MARGIN) : at]
    touched = patterns.operand_before.search(preceding) and not patterns.bullet_before.search(
        preceding
    )
    if touched or patterns.operand_after.match(text, at + 1, end):
        for span in bare_spans(text, start, end):
            if span.start <= at < span.end:
                return span
    return Span("bare", text[at], at, at + 1)


def _in_formula(latex: str, mark: str) -> BoxContext:
    """Find the context of a box within a formula. The character ``mark`` stands for the box."""
    statements = chains(latex)
    for at, chain in enumerate(statements):
        for number, link in enumerate(chain.links):
            if mark not in link:
                continue
            if chain.bound and patterns.unequal.search(link):
                return BoxContext(mark, denied=True)
            if chain.bound and patterns.condition_sign.search(link) and "cases}" not in link:
                return BoxContext(mark)
            following = tuple(filter(None, map(clean, chain.links[number + 1 :])))
            start = at
            while start and statements[start].alternative:
                start -= 1
            offered = [clean(statement.links[-1]) for statement in statements[start:at]]
            template = _template(clean(link), mark)
            # A denial follows within a sentence; work stays linear in the number of boxes.
            if denied_after(patterns.text_braces.sub("", latex[latex.index(mark) + 1 :][:120]), 0):
                return BoxContext(template, denied=True)
            where = r" \quad ".join("=".join(statement.links) for statement in statements[at + 1 :])
            name = unsolved(clean(chain.links[0])) if number else ""
            return BoxContext(
                template, following, tuple(filter(None, offered)), where, unsolved=name
            )
    return BoxContext(mark)


def _template(link: str, mark: str) -> str:
    """Find the expression around a box in ``link``. The character ``mark`` stands for the box.

    Labels, such as the number of an equation, are removed. So is text that a wide space separates
    from the formula.
    """
    link = patterns.box_label.sub("", link, count=1) if ":" in link else link
    if "quad" not in link and "hspace" not in link:
        return link.strip()
    pieces = patterns.wide_space.split(link)
    for piece, next_piece in pairwise(pieces):
        if patterns.open_end.search(piece) or patterns.open_start.match(next_piece):
            return link.strip()
    return next(piece for piece in pieces if mark in piece).strip()


def _unknown(text: str, start: int, end: int) -> str:
    """A word of the sentence around a formula that may change the formula, or an empty text."""
    beside = text[max(0, start - _SENTENCE) : start], text[end : end + _SENTENCE]
    if not any(map(_WORD.search, beside)):
        return ""
    preceding = _FENCE.sub(" ", beside[0].rstrip("$([\\"))
    preceding = _FORMULA.sub(" ", preceding)
    preceding = _OPENING.sub("", patterns.sentence_end.split(preceding)[-1])
    # behind "a common mistake is .., but" only what follows speaks of the box
    clause = patterns.turns.split(preceding)[-1]
    preceding = clause if len(clause.split()) > 1 else preceding
    behind = _BOX_END.sub("", beside[1], count=1)
    behind = _FORMULA.sub(" ", behind.partition("\n")[0])
    following = _CLOSING.split(patterns.sentence_end.split(behind)[0])[0]
    return unknown_beside(f"{preceding} {following}")


def _denied(text: str, start: int, end: int) -> bool:
    """Whether the words before or after a formula reject the formula as the answer."""
    preceding = text[max(0, start - _SENTENCE) : start].rstrip(" \t\n*#_>-$([\\")
    if preceding:
        for delimiter in ("$", "\\)", "\\]"):
            preceding = preceding.rpartition(delimiter)[2]
        if denied_before(patterns.sentence_end.split(preceding)[-1]):
            return True
    return end < len(text) and denied_after(text, end)
