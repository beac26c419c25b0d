r"""The statements of a solution: chains of links joined by ``=``, each link with offsets.

Formulas are found as for the final answer (`rewards.reading.extraction`). This module drops no
formula. A character outside the links is replaced by a blank, to keep the offsets of the
links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ....reading.extraction.boxes import closing_brace
from ....reading.extraction.spans import Span, bare_spans, spans
from ....reading.extraction.visible import visible
from ....reading.extraction.words.tables import patterns
from ....reading.extraction.words.vocabulary import is_name
from ....reading.problem.differential import differentials_in_order
from . import prose

#: Characters of a solution that are read; statements, and about as many claims.
LONGEST, MAX_STATEMENTS = 100_000, 400
#: Characters of prose before a formula that say what it is, and of what may take back a try.
LEAD, PROSE = 80, 600

_BOX = re.compile(r"\\(?:boxed|fbox)\s?(?=\{)")
#: Equations in brackets behind a formula ("... \quad (u = x + 3)"), or above a sign of equality.
_REMARK = re.compile(
    r"(?:\\q?quad(?![A-Za-z])|\\[,;]|(?<!\s)\s)\s*+"
    r"[(\[]\s*+(?P<beside>[^()\[\]=]*+=(?:[^()\[\]]++|\([^()\[\]]*+\))*+)[)\]]\s*(?=\\\\|\Z)"
    r"|\\(?:stackrel|overset)\s*\{(?P<above>[^{}=]*=[^{}=]*)\}"
)
#: ``\underbrace{..}_{..}``: what stands under the brace is no part of the formula.
_BRACE = re.compile(r"\\(?:under|over)brace\s*(?=\{)")
_NOTE = re.compile(r"\s*[_^]\s*(?:\{|\\[A-Za-z]+|\w)")
_INDENTATION = re.compile(r"(?:\\(?:q?quad(?![A-Za-z])|[,;:! ])|[&\s]|\{\s*\})*")
_FORMULA_IN_TEXT = re.compile(r"\$([^$]+)\$")
_SPACING_AFTER = re.compile(r"(?:\\(?:q?quad|[,;:! ])|\s)+\Z")
_RELATION = re.compile(r"=|\\(?:equiv|stackrel|overset|xlongequal|xrightarrow)(?![A-Za-z])")
_FORMULA_SIGN = re.compile(r"=|∫|\\int(?![A-Za-z])")
_CONTENTS = re.compile(r"[^\s&.,;:]")
#: A row that begins with a sign, and is an equation of its own: "-32t &= -20".
_OWN_ROW = re.compile(r"\s*-[^&=\\]*(?:\\(?!\\)[^&=\\]*){0,20}&\s*=")
#: What may stand before a system of equations, and a row of it: "u & = & x", not "1 & x = 0".
_BEFORE_SYSTEM = re.compile(
    r"(?:\\(?:left|[bB]igg?l?)(?![A-Za-z])|\\[,;: {]|\\lbrace(?![A-Za-z])|[\s.&])*"
)
_NO_BRACKET = re.compile(r"\s*\\right\s*\.")
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?|\\hline(?![A-Za-z])")
_EQUATION_ROW = re.compile(r"[^&=]*(?:&\s*)?=(?!\s*\\begin)")
#: The name of what is computed: "\text{Upper} = 5".
_NAME = re.compile(r"\s*[^\W\d_]+(?:[\s-]+[^\W\d_]+){0,4}\s*")
#: A name before a formula: "R_1: 2 \\cdot 3 = 6".
_LABEL = re.compile(r"[\s&]*[A-Za-z](?:_\{?\w+\}?)?\s*:")
_ORDER = re.compile(r"[<>]|\\[lg](?:eq?|t|eqslant)(?![A-Za-z])")
_PLAIN = re.compile(r"[-+\d\s./]+|-?\\?pi|-?\\infty")
#: A number that may be written with functions: "from 0 to ln 9 = ...".
_CLOSED = re.compile(r"(?:[-+*/\d\s.(){}^√π∞]|\\?(?:pi|infty|ln|log|sqrt|[dt]?frac|e)(?![a-z]))+")
#: A row of a table: "| u = x | dv = dx |".
_ROW, _CELL = re.compile(r"\s*\|\s.*\s\|\s*"), re.compile(r"[^|]+")
_ONLY_MARKUP = re.compile(r"[\s>*_#.,;:\-•]*(?:\(?\d{1,2}[.)])?[\s>*_.,;:]*")


@dataclass(frozen=True, slots=True)
class Link:
    """A side of an equation in the text's LaTeX, with offsets in the completion."""

    latex: str
    start: int
    end: int


@dataclass(slots=True)
class Statement:
    """A statement in a solution: a chain of links.

    A chain with an empty first link continues an earlier chain.

    Attributes:
        links: the sides.
        lead: the words before the statement.
        displayed: the statement stands in a display or on a separate line.
        boxed: the statement is in a box.
        condition: the statement is an inequality, or a membership.
        approximate: the statement follows an approximation sign.
        supposed: the words before the statement mark a condition, or an equation to be solved.
        aside: the statement stands in the text of a formula.
        named: words take the place of the first link: "Area = 5".
        sentence: the number of the sentence.
        alone: the display has no other statement.
        follows: an arrow stands before the statement.
        gives_up: what the words before the statement retract: a statement, an attempt, all
            attempts, or nothing.
        begins_try: the words before the statement begin another attempt.
        is_questioned: a sign of equality has a question mark above.

    """

    links: list[Link] = field(default_factory=list)
    lead: str = ""
    displayed: bool = False
    boxed: bool = False
    condition: bool = False
    approximate: bool = False
    supposed: bool = False
    aside: bool = False
    named: bool = False
    sentence: int = 0
    alone: bool = False
    follows: bool = False
    gives_up: prose.Tries = ""
    begins_try: bool = False
    is_questioned: bool = False


def shown(completion: str, stop: Sequence[str], thoughts: bool) -> tuple[int, int]:
    """The start and the end of the text to read. ``thoughts`` includes the model's thoughts."""
    if thoughts:
        marks = [index for mark in stop if (index := completion.find(mark)) >= 0]
        return 0, min([*marks, len(completion), LONGEST])
    text = visible(completion, stop).text
    at = completion.rfind(text) if text.strip() else -1
    if at >= 0:
        return at, min(at + len(text), at + LONGEST)
    start = max((tag.end() for tag in patterns.thought.finditer(completion)), default=0)
    if not text.strip():
        return len(completion), len(completion)
    ends = [index for mark in stop if (index := completion.find(mark, start)) >= 0]
    turn = patterns.ends_turn.search(completion, start)
    ends += [turn.start()] if turn else []
    return start, min([*ends, len(completion), start + LONGEST])


def statements(
    completion: str, stop: Sequence[str] = (), *, thoughts: bool = False
) -> Iterator[Statement]:
    """Yield the statements of a completion in order, at most `MAX_STATEMENTS`.

    If ``thoughts`` is True, the statements in the model's thoughts are included. The last statement
    is empty and marks the end.
    """
    start, end = shown(completion, stop, thoughts)
    text = completion[start:end]
    count = sentence = previous_end = 0
    supposed = quoted = False
    for span in _formulas(text):
        # The words since the last formula decide the role of the statement.
        lead = text[max(previous_end, span.start - LEAD) : span.start]
        words = text[max(previous_end, span.start - PROSE) : span.start]
        gives_up, begins = prose.given_up(words), prose.begins_try(words)
        if prose.ends_sentence(words):
            sentence, supposed, quoted = sentence + 1, False, False
        quoted |= prose.quotes(words)
        previous_end = max(previous_end, span.end)
        for statement in _of_span(text, span, start):
            statement.lead = f"{lead} {statement.lead}"
            statement.gives_up, statement.begins_try = gives_up, begins
            supposed = prose.is_condition(statement.lead, supposed)
            statement.supposed = supposed or quoted or statement.is_questioned
            statement.sentence = sentence
            bare = not statement.links[0].latex and not statement.displayed
            bare |= statement.approximate
            words = statement.lead.rstrip(" \n:*") if statement.approximate else statement.lead
            statement.named |= bare and not prose.goes_on(words)
            first_latex = statement.links[0].latex
            if (prose.names_an_end(statement.lead) and _PLAIN.fullmatch(first_latex)) or (
                prose.names_both_ends(statement.lead) and _CLOSED.fullmatch(first_latex)
            ):
                statement.links[0] = replace(statement.links[0], latex="")
                statement.named = True
            count += 1
            if count > MAX_STATEMENTS:
                return
            yield statement
            lead, gives_up, begins = "", "", False
        if prose.ends_sentence(span.latex[-2:]):
            sentence, quoted = sentence + 1, False
    gives_up_at_end = prose.given_up(text[max(previous_end, len(text) - PROSE) :])
    closing_words = text[previous_end : previous_end + LEAD]
    yield Statement(
        [Link("", end, end)], closing_words, sentence=sentence + 1, gives_up=gives_up_at_end
    )


def _formulas(text: str) -> list[Span]:
    """Find the formulas of a text.

    A formula without delimiters must be an equation, or an integral alone on a line.
    """
    delimited = spans(text)
    bare: list[Span] = []
    gap_start = 0
    for right, end in [*((span.start, span.end) for span in delimited), (len(text), len(text))]:
        while sign := _FORMULA_SIGN.search(text, gap_start, right):
            line_start = max(text.rfind("\n", gap_start, sign.start()) + 1, gap_start)
            line_end = text.find("\n", sign.start(), right)
            line_end = right if line_end < 0 else line_end
            for cell in _cells(text, line_start, line_end):
                bare += [
                    span
                    for span in bare_spans(text, *cell)
                    if "=" in span.latex
                    or (_FORMULA_SIGN.search(span.latex) and _is_alone(text, span, named=True))
                ]
            gap_start = line_end
        gap_start = max(end, gap_start)
    return sorted(delimited + bare, key=lambda span: span.start) if bare else delimited


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each cell of a table row. Any other line is a cell."""
    row = _ROW.fullmatch(text, start, end)
    for cell in _CELL.finditer(text, start, end) if row else ():
        yield cell.span()
    if row is None:
        yield start, end


def _of_span(text: str, span: Span, offset: int) -> Iterator[Statement]:
    begin = text.find(span.latex, span.start, span.end)
    latex = span.latex
    if begin < 0:  # neighbours that were joined into one formula
        begin, latex = span.start, text[span.start : span.end].replace("$", " ")
    cutter = _Cutter(latex, offset + begin, brackets=True)
    if cutter.unbalanced:
        cutter = _Cutter(latex, offset + begin, brackets=False)
    displayed = span.kind == "display" or _is_alone(text, span)
    for statement in cutter.done:
        statement.displayed = displayed
        statement.alone = displayed and len(cutter.done) == 1
        yield statement


def _is_alone(text: str, span: Span, *, named: bool = False) -> bool:
    """Whether a formula is alone on a line, except for markup, and a name if ``named`` is True.

    A colon ends the name, as in "Start: ∫ x dx".
    """
    line_start = text.rfind("\n", 0, span.start) + 1
    line_end = text.find("\n", span.end)
    head = text[line_start : span.start]
    tail = text[span.end : line_end if line_end >= 0 else len(text)]
    return (
        len(tail) < LEAD
        and len(head) < LEAD
        and (_ONLY_MARKUP.fullmatch(head) is not None or (named and head.rstrip()[-1:] == ":"))
        and _ONLY_MARKUP.fullmatch(tail) is not None
    )


class _Cutter:
    """Cuts a formula into statements in one pass over tokens. ``done`` has the statements."""

    def __init__(self, latex: str, offset: int, *, brackets: bool) -> None:
        self.offset = offset
        self.characters = list(latex)
        self.boxes = [
            (box.end(), close)
            for box in _BOX.finditer(latex)
            if (close := closing_brace(latex, box.end())) > 0
        ]
        for box, (opened, close) in zip(_BOX.finditer(latex), self.boxes, strict=False):
            self._blank(box.start(), opened + 1)
            self._blank(close, close + 1)
        self.done: list[Statement] = []
        for remark in _REMARK.finditer(latex) if brackets else ():
            group = "above" if remark["above"] else "beside"
            start = remark.start(group)
            self.done += _Cutter(remark[group], offset + start, brackets=False).done
            if group == "beside":
                self._blank(remark.start(), remark.end())
        for brace in _BRACE.finditer(latex):
            close = closing_brace(latex, brace.end())
            note = _NOTE.match(latex, close + 1) if close > 0 else None
            if note:
                self._blank(brace.start(), brace.end())
                if any(differentials_in_order(latex, brace.end(), close)):
                    self._blank(brace.end(), brace.end() + 1)
                    self._blank(close, close + 1)
                braced = latex[note.end() - 1] == "{"
                end = closing_brace(latex, note.end() - 1) + 1 if braced else note.end()
                self._blank(note.start(), end)
        self.latex = "".join(self.characters)
        self.statement = Statement()
        self.start, self.content = 0, -1
        self.system = False  # whether each row is an equation
        self.ordered = -1  # the end of the last sign of order
        self.tokens = list(patterns.solution_token.finditer(self.latex))
        self.unbalanced = self._run(brackets)

    def _blank(self, start: int, end: int) -> None:
        self.characters[start:end] = " " * (end - start)

    def _run(self, brackets: bool) -> bool:
        """Handle the tokens outside of brackets. Return whether brackets did not match."""
        braces = depth = tables = unmatched = until = 0
        for index, token in enumerate(self.tokens):
            token_type = token.lastgroup
            if token_type is None or token.start() < until:
                continue
            if token_type == "brace":
                braces = braces + 1 if token[0] == "{" else max(braces - 1, 0)
            elif braces:
                continue
            elif token_type in ("begin", "end"):
                system = token_type == "begin" and not tables and self._opens_system(token)
                tables = self._environment(token, token_type, tables, system=system)
                depth = 0 if system else depth
            elif tables:
                continue
            elif token_type in ("bracket", "sized", "escaped"):
                if brackets and token[token_type][-1] in "([{":
                    depth += 1
                elif brackets and depth:
                    depth -= 1
                elif brackets:
                    unmatched += 1
            elif token_type == "null":
                depth = max(depth - 1, 0)
            elif depth:
                if token_type in ("row", "column"):
                    self._blank(token.start(), token.end())
            elif token_type == "text":
                until = self._text(token)
            else:
                self._separator(index, token)
        self._close(len(self.latex))
        return depth > 0 or unmatched > 0

    def _opens_system(self, token: re.Match[str]) -> bool:
        """Whether an array or a brace has equations in all rows, and is no side of an equation."""
        text_before = self.latex[self.start : token.start()]
        if self.statement.links or not _BEFORE_SYSTEM.fullmatch(text_before):
            return False
        body = self.latex[token.end() : self.latex.find("\\end", token.end())]
        rows = [row for row in _ROW_END.split(body) if _CONTENTS.search(row)]
        if not rows or not all(map(_EQUATION_ROW.match, rows)):
            return False
        self._blank(self.start, token.start())
        self.start, self.system = token.start(), True
        return True

    def _environment(
        self, token: re.Match[str], token_type: str, tables: int, *, system: bool
    ) -> int:
        """Blank out the begin or the end mark of an environment with rows, such as ``align``.

        Any other environment counts as a table. The result is the number of open tables.
        """
        rows = (
            patterns.row_environment.fullmatch(token[token_type]) is not None or token_type == "end"
        )
        if tables or not (rows or system):
            return max(tables + (1 if token_type == "begin" else -1), 0)
        end, self.system = token.end(), system
        if token[token_type].startswith("alignat") and self.latex[end : end + 1] == "{":
            end = closing_brace(self.latex, end) + 1
        closing = _NO_BRACKET.match(self.latex, end) if token_type == "end" else None
        self._blank(token.start(), closing.end() if closing else end)
        return tables

    def _separator(self, index: int, token: re.Match[str]) -> None:
        token_type, at = token.lastgroup, token.start()
        if token_type == "equal":
            if self.statement.condition and not self.statement.links and self.ordered > self.start:
                self.start, self.statement.condition = self.ordered, False  # a < b = c
            self._link(at)
            self.start = token.end()
            self.statement.is_questioned |= "?" in token[0]
        elif token_type == "bound":
            if _ORDER.match(token[0]):
                if self.statement.links:  # a = b < c
                    self._close(at)
                    self.start = token.end()
                self.ordered = token.end()
            self.statement.condition = True
        elif token_type in ("so", "near"):
            self._close(at)
            self.start = token.end()
            self.statement.approximate = token_type == "near"
            self.statement.follows = token_type != "near"
        elif token_type == "row":
            following = _INDENTATION.match(self.latex, token.end())
            next_row = self.latex[following.end() : following.end() + 40] if following else ""
            row_so_far = self.latex[self.start : at].rstrip(" &\n")
            remark = bool(self.done and self.statement.lead)
            is_separate_row = self.system and not _RELATION.match(next_row)
            begin = following.end() if following else token.end()
            is_separate_row |= _OWN_ROW.match(self.latex, begin) is not None
            if (remark and _RELATION.match(next_row)) or (
                is_separate_row and patterns.row_starts_open.match(next_row)
            ):
                # The chain before goes on ("= a && where u = b"), or a row begins with a sign.
                self._close(at)
                self.start = token.end()
                self.statement.named = False
            elif (
                _RELATION.match(next_row)
                or patterns.row_starts_open.match(next_row)
                or patterns.row_ends_open.search(row_so_far[-40:])
                or (self.statement.links and not row_so_far.strip())  # a row ends in "="
            ):
                self._blank(at, token.end())
            else:
                self._close(at)
                self.start = token.end()
                self.statement.named = False
        else:  # a comma, a wide space or a column: another statement may begin
            begun = self._first_content() < at
            if token_type == "column":
                self._blank(at, token.end())
                begun = begun and bool(self.statement.links)
            following = self._next(index)
            joined = following is None or following.lastgroup not in ("equal", "bound")
            if begun and following is not None and not joined:
                if not _CONTENTS.search(self.latex, token.end(), following.start()):
                    return
                self._close(at)
                self.start = token.end()

    def _first_content(self) -> int:
        """The index of the first character of the current link."""
        if self.content < self.start:
            content = _CONTENTS.search(self.latex, self.start)
            self.content = content.start() if content else len(self.latex)
        return self.content

    def _text(self, token: re.Match[str]) -> int:
        r"""Handle ``\text{..}``. Return the index up to which the caller skips tokens.

        Mathematics remains a part of the link. Prose ends the statement.
        """
        close = closing_brace(self.latex, token.end())
        if close < 0:
            return 0
        words = self.latex[token.end() + 1 : close]
        mathematical = is_name(words) or patterns.constant_text.fullmatch(words)
        if token["text"] in ("mathrm", "operatorname") or mathematical:
            return close + 1
        starts_link = not self.statement.links and not _CONTENTS.search(
            self.latex, self.start, token.start()
        )
        self._close(token.start())
        for formula in _FORMULA_IN_TEXT.finditer(words) if "$" in words else ():
            begin = self.offset + token.end() + 1 + formula.start(1)
            asides = _Cutter(formula[1], begin, brackets=False).done
            for statement in asides:
                statement.aside = True
                statement.lead = words[max(0, formula.start() - LEAD) : formula.start()]
            self.done += asides
        self.statement.lead = words[:LEAD]
        named = starts_link and _NAME.fullmatch(words) is not None
        self.statement.named = named and prose.is_name(words)
        self.start = close + 1
        return close + 1

    def _next(self, index: int) -> re.Match[str] | None:
        """The next token outside brackets at which a link or a statement ends."""
        depth = 0
        for token in self.tokens[index + 1 : index + 60]:
            token_type = token.lastgroup
            if token_type in ("brace", "bracket", "sized", "escaped"):
                depth += 1 if token[token_type or 0][-1] in "{([" else -1
            elif (
                token_type is not None
                and depth <= 0
                and token_type not in ("column", "null", "text")
            ):
                return token
        return None

    def _link(self, end: int) -> None:
        label = None if self.statement.links else _LABEL.match(self.latex, self.start, end)
        self.start = label.end() if label else self.start
        latex = "".join(self.characters[self.start : end])
        start = self.start + len(latex) - len(latex.lstrip())
        body = _SPACING_AFTER.sub("", latex[-40:].rstrip())
        body = (latex[:-40] + body).strip()
        position = self.offset + start
        self.statement.links.append(Link(body, position, position + len(body)))
        self.statement.boxed |= any(
            opened <= start < close or start <= opened < self.start + len(latex)
            for opened, close in self.boxes
        )

    def _close(self, end: int) -> None:
        self._link(end)
        statement = self.statement
        if any(_CONTENTS.search(link.latex) for link in statement.links):
            self.done.append(statement)
            self.statement = Statement()
        else:
            self.statement = Statement(
                lead=statement.lead,
                approximate=statement.approximate,
                named=statement.named,
                follows=statement.follows,
            )
