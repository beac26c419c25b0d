"""The formulas of a text: between delimiters, in code, or without delimiters."""

from __future__ import annotations

import re
import sys
from typing import Final, NamedTuple

from ..latex.tokens.code import CALLED
from ..latex.tokens.names import NAMES
from .cases import as_cases
from .words.calls import FUNCTIONS, is_calls
from .words.leads import explains, led_by_verb
from .words.tables import patterns, words

_CLOSERS = {"[": "\\]", "(": "\\)"}

_OPENERS = frozenset(("\\[", "\\("))
#: Characters behind an opening bracket that say what the bracket is for: a long sentence.
_BRACKET = 240
#: `joint` takes fewer characters.
_JOINED = 10

#: Characters before and behind a formula that are searched for mathematics without delimiters.
_NEIGHBOUR = 60
#: A longer line is no lone formula. 200 characters change no answer (tests/mutation/constants.py).
LONGEST_LINE = 1000
#: Delimiters that open and close a formula or a group.
_PAIRS: Final = (("\\[", "\\]"), ("\\(", "\\)"), ("{", "}"))


class Span(NamedTuple):
    """A formula in a text, with offsets that include the delimiters."""

    kind: str  # display, inline, code, bare
    latex: str
    start: int
    end: int


def restored(text: str) -> str:
    """Repair the delimiters and tables of a text.

    Bold type is removed from formulas. If the brackets of displays lack the backslashes, the
    backslashes are restored. The lines of each table are joined.
    """
    if "**" in text or "__" in text:
        text = patterns.bold_formula.sub(
            lambda m: m[0] if has_prose(m["formula"]) else m["formula"], text
        )
    if "\\begin" in text:
        text = patterns.value_table.sub(lambda m: m[0].replace("\n", " "), text)
    if ("[ " not in text and "[\n" not in text) or "\\[" in text:
        return text
    return patterns.lost_display.sub(
        lambda m: f"\\[{m[1]}\\]" if patterns.formula_inside.search(m[1]) else m[0], text
    )


def spans(text: str) -> list[Span]:
    """Find the formulas between delimiters, in the order of the text.

    If a formula is written in several neighbouring pieces, the pieces are joined.
    """
    formulas: list[Span] = []
    position = 0
    marks = _Marks(text)
    while token := patterns.delimiter.search(text, position):
        position = token.end()
        group_name = token.lastgroup
        if group_name == "command":
            position = _add_command(formulas, marks, token)
        elif group_name == "dollar":
            position = _add_dollars(formulas, marks, token)
        elif group_name == "env":
            closer = f"\\end{{{token['env']}}}"
            position = _add_until(formulas, "display", marks, token, closer)
        elif group_name is not None:
            position = _add_code(formulas, marks, token)
    return _with_neighbours(text, formulas)


def _with_neighbours(text: str, formulas: list[Span]) -> list[Span]:
    """Join formulas within a line to the mathematics without delimiters that touches them.

    ``-$x$/2`` is -x/2, and ``$2$ ln 3`` is 2 ln 3.
    """
    joined: list[Span] = []
    for span, following in zip(formulas, [*formulas, None][1:], strict=True):
        _, latex, start, end = span
        if span.kind == "inline":
            low = max(joined[-1].end if joined else 0, start - _NEIGHBOUR)
            if patterns.touches_before.search(text, low, start):
                start = _neighbour_before(text, low, start, latex)
                latex = f"{text[start : span.start]} {latex}"
            if joined and joined[-1].end == start and joined[-1].kind == "inline":
                _, before, start, _ = joined.pop()
                latex = f"{before} {latex}"
            high = min(following.start if following else len(text), end + _NEIGHBOUR)
            if not patterns.order.search(span.latex) and patterns.touches_behind.match(
                text, end, high
            ):
                end = _neighbour_behind(text, end, high)
                latex = f"{latex} {text[span.end : end]}"
        joined.append(Span(span.kind, latex, start, end))
    return joined


def _neighbour_before(text: str, low: int, start: int, latex: str) -> int:
    """The offset of the mathematics directly before a formula, or ``start``."""
    low = max(low, text.rfind("\n", low, start) + 1)
    bare = bare_spans(text, low, start)[-1:]
    if bare and patterns.neighbour.fullmatch(bare[0].latex):
        is_cut = bare[0].start == low and text[low - 1 : low].isalnum()
        is_symbol = bare[0].latex.isalpha() and latex.lstrip()[:1] not in ("^", "_")
        if not (is_cut or is_symbol) and not text[bare[0].end : start].strip(" -*/√"):
            start = bare[0].start
    signed = text[max(start - 1, 0) : start] in ("-", "√")
    touches_word = text[max(start - 2, 0) : start - 1].isalnum()
    return start - 1 if signed and not touches_word and low < start else start


def _neighbour_behind(text: str, end: int, high: int) -> int:
    """The end of the mathematics directly behind a formula, or ``end``."""
    line = text.find("\n", end, high)
    bare = bare_spans(text, end, line if line >= 0 else high)[:1]
    if not bare or text[end : bare[0].start].strip(" ") or bare[0].latex.isalpha():
        return end
    return bare[0].end if patterns.neighbour.fullmatch(bare[0].latex.rstrip(" .,;")) else end


class _Marks:
    """Finds marks, such as closing delimiters, in a text that is read from left to right.

    The text is searched once for each kind of mark. A new search for each opening delimiter would
    take quadratic time in a text in which delimiters are never closed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._next: dict[str, int] = {}

    def find(self, mark: str, start: int) -> int:
        """Like `str.find`, but for calls with ascending ``start`` only."""
        at = self._next.get(mark, 0)
        if 0 <= at < start or mark not in self._next:
            at = self.text.find(mark, start)
            while mark in _OPENERS and at > 0 and self.text[at - 1] == "\\":
                at = self.text.find(mark, at + 2)  # the length of a row break, "\\[4pt]"
            self._next[mark] = at
        return at


def _add_command(formulas: list[Span], marks: _Marks, token: re.Match[str]) -> int:
    bracket = token["command"]
    close = marks.find(_CLOSERS[bracket], token.end())
    again = marks.find("\\" + bracket, token.end())
    closed = close >= 0 and not 0 <= again < close
    if not closed:  # up to the end of its paragraph
        close = _paragraph_end(marks, token.end(), again)
    span_kind = "display" if bracket == "[" else "inline"
    return _add(formulas, span_kind, marks.text, token, close, 2 if closed else 0)


def _add_dollars(formulas: list[Span], marks: _Marks, token: re.Match[str]) -> int:
    start, text = token.end(), marks.text
    if token[0] == "$$":
        close = marks.find("$$", start)
        if close < 0:
            return _add(formulas, "display", text, token, _paragraph_end(marks, start, -1), 0)
        return _add(formulas, "display", text, token, close, 2)
    close = text.find("$", start)
    while close > 0 and text[close - 1] == "\\":
        close = text.find("$", close + 1)
    content = text[start : max(close, start)]
    if close < 0 or "\n\n" in content or _has_prose_inside(content):
        return start  # a price, or a stray sign
    return _add(formulas, "inline", text, token, close, 1)


def _has_prose_inside(formula: str) -> bool:
    """Whether a formula contains three words in a row outside of text commands."""
    return patterns.words_in_formula.search(formula) is not None and any(
        not segment["closing"] and patterns.words_in_formula.search(formula, *segment.span())
        for segment in patterns.up_to_brace.finditer(formula)
    )


def _add_code(formulas: list[Span], marks: _Marks, token: re.Match[str]) -> int:
    fence, start, text = token[0], token.end(), marks.text
    close = marks.find(fence, start)
    if len(fence) < 3:  # one or two marks: code within a line
        content = text[start:close] if close > 0 else "\n"
        if "\n" in content or "$" in content or "\\(" in content or "\\[" in content:
            return start  # the formulas inside have delimiters of their own
        return _add(formulas, "code", text, token, close, len(fence))
    language = patterns.fence_language.match(text, start)
    tag = language[1].lower() if language else ""
    end = close if close >= 0 else len(text)
    if tag and tag not in words("mathematical_language"):
        return min(end + len(fence), len(text))
    if language:
        start = language.end()
    if patterns.delimiter.search(text, start, end):
        return start
    _add_lines(formulas, text, start, end)
    return min(end + len(fence), len(text))


def _add_until(
    formulas: list[Span], span_kind: str, marks: _Marks, token: re.Match[str], closer: str
) -> int:
    text, close = marks.text, marks.find(closer, token.end())
    if close < 0:
        return _add(formulas, span_kind, text, token, len(text), 0)
    return _add(formulas, span_kind, text, token, close, len(closer))


def _paragraph_end(marks: _Marks, start: int, limit: int) -> int:
    end = marks.find("\n\n", start)
    ends = [at for at in (end, limit) if at >= 0]
    return min(ends) if ends else len(marks.text)


def _add(
    formulas: list[Span], span_kind: str, text: str, token: re.Match[str], close: int, width: int
) -> int:
    """Add the formula between two delimiters, and return the offset after the formula.

    ``token`` is the opening delimiter, ``close`` the offset of the closing delimiter, and ``width``
    the length of the closing delimiter.
    """
    latex = text[token.end() : close]
    start, end = token.start(), close + width
    # A constant of integration behind the formula: a bracket or spaces before its sign.
    if "+" in text[end : end + 5] and (loose := patterns.loose_constant.match(text, end)):
        latex, end = latex + loose[0], loose.end()
    if not latex or latex.isspace():
        return end
    if (
        span_kind == "inline"
        and formulas
        and formulas[-1].kind == span_kind
        and start - formulas[-1].end < _JOINED
    ):
        preceding = formulas[-1]
        joint = patterns.joint.fullmatch(text, preceding.end, start)
        if joint and (
            joint[1] or preceding.latex.rstrip()[-1:] in "+-=" or latex.lstrip()[0] in "+="
        ):
            formulas[-1] = Span(
                span_kind, f"{preceding.latex} {joint[1]} {latex}", preceding.start, end
            )
            return end
    formulas.append(Span(span_kind, latex, start, end))
    return end


def _add_lines(formulas: list[Span], text: str, start: int, end: int) -> None:
    """Add each line of a code fence as a separate formula."""
    for line in text[start:end].split("\n"):
        if line and not line.isspace():
            formulas.append(Span("display", line, start, start + len(line)))
        start += len(line) + 1


# --- Formulas without delimiters -----------------------------------------------------------------
_CLOSES = {"(": ")", "[": "]"}
_AROUND = " \t\n*_#>:,;.\"'`|"


def bare_spans(text: str, start: int, end: int) -> list[Span]:
    """The parts of a text between words. Each part may be a formula without delimiters."""
    formulas: list[Span] = []
    while start < end:
        line = text.find("\n", start, end) + 1 or end
        if not has_prose(text, start, line):
            _add_bare(formulas, text, start, line)
            start = line
            continue
        if (cases := as_cases(text[start:line])) != text[start:line]:
            cases = patterns.leads_to_table.sub("", cases[cases.find("\\begin{cases}") :])
            formulas.append(Span("bare", cases, start, len(text[:line].rstrip())))
            start = line
            continue
        start_of_formula, is_whole = start, True
        for lexeme in patterns.lexeme.finditer(text, start, line):
            group_name = lexeme.lastgroup
            if group_name is None or (group_name == "word" and _is_mathematical(text, lexeme)):
                continue
            if group_name == "stop" and _inside_call(text, lexeme):
                continue
            continued = patterns.continues.match(text, lexeme.start(), line) is not None or (
                group_name == "word"
                and lexeme[0].isascii()
                and text[lexeme.end() : lexeme.end() + 1] in _CLOSES
            )  # an unknown function has the bracket for its argument
            if is_whole and not continued:  # pi over four
                _add_bare(formulas, text, start_of_formula, lexeme.start())
            is_blank = not text[start_of_formula : lexeme.start()].strip()  # divided by
            start_of_formula = lexeme.end()
            is_whole = not continued and (is_whole or not is_blank)
        if is_whole:
            _add_bare(formulas, text, start_of_formula, line)
        start = line
    return [formula for formula in formulas if not _ends_remark(formula.latex)] or formulas


def _ends_remark(latex: str) -> bool:
    """Whether a formula closes a bracket that words opened: (numerically 1.57)."""
    plain = latex.rstrip(" .,;")
    return plain.endswith(")") and plain.count(")") > plain.count("(")


def has_prose(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether a line contains words or ends of sentences, and therefore is not only a formula."""
    for lexeme in patterns.lone_letters.finditer(text, start, end):
        word = lexeme[0]
        if not word.isalpha() or patterns.mathematical_word.fullmatch(word) or is_calls(word):
            continue
        if _is_code(text, lexeme.start()):
            continue
        if len(word) > 2 or not word.isascii() or word.lower() in words("short"):
            return True
    return any(
        not _inside_call(text, stop) for stop in patterns.sentence_stop.finditer(text, start, end)
    )


def _inside_call(text: str, stop: re.Match[str]) -> bool:
    r"""Whether a semicolon separates arguments, as in ``\Pi\left(n; x\middle| m\right)``."""
    if stop[0] != ";":
        return False
    # 50 are too few for a call in `special_integrals.json` (tests/mutation/constants.py).
    preceding = text[max(text.rfind("\n", 0, stop.start()) + 1, stop.start() - 100) : stop.start()]
    return preceding.count("(") > preceding.count(")")


def _is_code(text: str, start: int) -> bool:
    """Whether a call of a known function begins at ``start``, as in program code."""
    word = patterns.code_word.match(text, start)
    name = word["name"] or "sin" if word else ""  # without a name, it is the prefix of a module
    return name in NAMES or name in CALLED or (len(name) > 2 and name.lower() in NAMES)


def _is_mathematical(text: str, lexeme: re.Match[str]) -> bool:
    """Whether a run of letters is part of a formula."""
    word = lexeme[0]
    if word.lower().startswith("const"):
        # A sign, with up to three spaces.
        return text[max(lexeme.start() - 4, 0) : lexeme.start()].rstrip().endswith(("+", "-"))
    if word.lower() not in words("word_of_factors") and (
        patterns.mathematical_word.fullmatch(word) or is_calls(word)
    ):
        return True
    start, end = lexeme.span()
    if _is_code(text, start):
        return True
    if word.lower() == "arc" and (name := patterns.lead_word.match(text, end + 1)):
        return is_calls(name[0])  # arc tg x
    previous, following = text[start - 1 : start], text[end : end + 1]
    if len(word) == 2 and word.lower() not in words("short"):  # a product: "{bp-aq}", "\sin bx"
        if (following and following in "^_}+-*/=)|(\\") or (
            previous and previous in "{+-*/=^_(|}0123456789"
        ):
            return True
        # The longest command before a letter is \operatorname*, and spaces follow.
        return bool(patterns.command_before.search(text, max(0, start - 20), start))
    # Names of functions and products of letters have exponents; words of a text are longer.
    return len(word) <= 4 and following in ("^", "_")


def _add_bare(formulas: list[Span], text: str, from_offset: int, to_offset: int) -> None:
    latex = text[from_offset:to_offset].strip().rstrip("([").rstrip()
    while latex[:1] in _CLOSES and latex.count(latex[0]) > latex.count(_CLOSES[latex[0]]):
        latex = latex[1:].lstrip()  # the bracket of a remark
    unclosed = latex.count("(") - latex.count(")")
    if unclosed > 0 and text[to_offset : to_offset + 1].strip():  # F (c is constant)
        latex = latex.rsplit("(", unclosed)[0].rstrip()
    if latex[:1] == "*" and (emphasised := patterns.emphasis.fullmatch(latex)):
        latex = emphasised[2]
    if not patterns.letter_or_digit.search(latex.strip(_AROUND)) or latex.lower() in FUNCTIONS:
        return  # a function alone is a word: "the log of 3"
    start = text.index(latex, from_offset)
    end = start + len(latex)
    if latex.startswith(("[ ", "( ")) and latex.rstrip(".,").endswith((" ]", " )")):
        latex = latex.rstrip(".,")[1:-1]  # delimiters that lost their backslashes
    formulas.append(Span("bare", latex, start, end))


def bare_answers(text: str, formulas: list[Span], start: int) -> list[Span]:
    """The formulas without delimiters after ``start`` that may be the answer of a text.

    Such a formula is a line of its own, or adds a constant, or follows a word such as "is".
    """
    later = [span for span in formulas if span.end > start]
    gaps = zip(
        [start, *(span.end for span in later)],
        [*(span.start for span in later), len(text)],
        strict=True,
    )
    bare = (span for gap in gaps for span in bare_spans(text, *gap))
    return [span for span in bare if _may_answer(text, span, later)]


def _may_answer(text: str, span: Span, formulas: list[Span]) -> bool:
    """Whether a formula without delimiters is more than a number in a sentence."""
    if patterns.plus_constant.search(span.latex) or led_by_verb(text, *span[1:]):
        return True
    line = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = end if end >= 0 else len(text)
    return (
        end - line <= LONGEST_LINE
        and not any(line <= formula.start < end for formula in formulas)
        and patterns.operation.search(text, line, end) is not None
        and not has_prose(text, line, end)
    )


# --- Remarks and repetitions ----------------------------------------------------------------------


def without_cut_repetition(text: str) -> str:
    """Remove the last sentence or line of a text, if it begins like an earlier one and is cut."""
    start = text.rstrip().rfind("\n") + 1
    for end in patterns.sentence_end.finditer(text, start, len(text) - 1):
        start = end.end()
    line = text[start:].strip()
    if not patterns.letter_or_digit.search(line) or line not in text[:start]:
        return text
    is_cut = (
        any(line.count(opener) > line.count(closer) for opener, closer in _PAIRS)
        or any(line.count(dollars) % 2 for dollars in ("$", "$$"))
        or patterns.row_ends_open.search(line)
    )
    return text[:start] if is_cut else text


def bracketed(text: str, formulas: list[Span]) -> set[int]:
    """The numbers of the formulas in brackets, unless the brackets offer an equal answer."""
    bracketed_indices: set[int] = set()
    opened: list[int] = []
    end = 0
    for index, span in enumerate(formulas):
        for mark in patterns.prose_bracket.finditer(text, end, span.start):
            if mark[0] == "(":
                opened.append(mark.end())
            elif mark[0] == ")":
                del opened[-1:]
            else:
                opened.clear()  # a paragraph ends
        if opened and explains(text[opened[0] : span.start][:_BRACKET]):
            bracketed_indices.add(index)
        if (unopened := span.latex.count(")") - span.latex.count("(")) > 0:
            del opened[-unopened:]
        end = max(end, span.end)
    return bracketed_indices


def listed(text: str, formulas: list[Span], index: int, values: bool) -> list[int]:
    """The numbers of the formulas that a list offers beside the formula ``index``.

    "A, B or C" offers three formulas; if ``values`` is true, "A and B" offers two values.
    """
    indices: list[int] = []
    gaps = ""
    for step in (-1, 1):
        at = index
        while 0 <= at + step < len(formulas):
            earlier, later = sorted((at, at + step))
            gap = text[formulas[earlier].end : formulas[later].start]
            if not patterns.joins_answers.fullmatch(gap) and not (
                values and patterns.joins_boxes.fullmatch(gap)
            ):
                break
            at += step
            gaps += gap
            indices.append(at)
    return indices if patterns.letter_or_digit.search(gaps) else []


def items_before(text: str, formulas: list[Span], index: int) -> range:
    """The numbers of the formulas before ``index`` in a list of formulas without further words."""
    first = index
    while first and patterns.between_items.fullmatch(
        text, formulas[first - 1].end, formulas[first].start
    ):
        first -= 1
    return range(first, index)


def where_behind(text: str, formulas: list[Span], index: int) -> str:
    """The formula behind "where", unless the text offers a second one: x = 2 or x = 3."""
    later = formulas[index + 1 : index + 3]
    if not later or not patterns.where.fullmatch(text, formulas[index].end, later[0].start):
        return ""
    offers = len(later) > 1 and patterns.joins_answers.fullmatch(text, later[0].end, later[1].start)
    return "" if offers else later[0].latex
