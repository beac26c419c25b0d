r"""Cuts the text of an integral into the parts: ``I = \displaystyle\int\limits_0^1 x\,dx``.

A problem is one integral with a wrapping. The wrapping has no meaning and is left out. The
wrapping consists of delimiters, an environment, prose ("Evaluate .."), a name ("I ="), sizes and
styles. Further text before the integral sign is a factor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from ...errors import ProblemError
from ..expression.tree import Expression
from ..latex import ReadError, Reading, read
from ..latex.tokens.pattern import FONT, SUBSCRIPT, SUPERSCRIPT, plain_script
from ..latex.tokens.roles import IN_PROBLEM
from .conditions import RELATION
from .marks import DELIMITER, MARKED

#: Commands and characters that only leave space.
SPACE: Final = (
    r"(?:\\[,;:!> ]|\\(?:q?quad|(?:neg)?(?:thin|med|thick)space|hfill|displaystyle|textstyle|limits"
    r"|nolimits|allowbreak)(?![A-Za-z])|\\mathop\s*\{\s*\}|~|\{\}|\s)*+"
)
#: Space at the beginning or at the end.
ENDS: Final = re.compile(rf"\A{SPACE}|{SPACE}\Z")
_SIGN: Final = re.compile(
    r"(?P<barred>\\(?:fint|dashint)(?![A-Za-z])|⨍)|\\(?:int|intop|smallint)(?![A-Za-z])|∫"
)
#: Limits in small characters, both or the lower one: ``∫₀¹``, ``∫₀^π``, ``]₀¹``.
_SMALL_LIMITS: Final = re.compile(
    rf"(?<=[t\]|∫])\s*(?P<lower>[{SUBSCRIPT}]+)\s*(?:(?P<upper>[{SUPERSCRIPT}]+)|(?=\^))"
)
#: Commands that stack their first argument on or under the second one.
_STACKED: Final = re.compile(r"\\(?P<place>underset|overset|stackrel|mathop)\s*(?=\{)")
_SEVERAL: Final = re.compile(
    r"\\(?:int|intop|smallint|iint|iiint|oint|idotsint|fint)(?![A-Za-z])|[∫∬∭∮]"
)
_ENVIRONMENTS: Final = (
    r"(?:equation|align|aligned|gather|gathered|split|multline|displaymath|math)\*?"
)
#: What may stand before the sign without changing the problem, besides words.
_LEAD: Final = re.compile(
    rf"""(?: \s | \\[,;:!> ] | [&:.,] | \\\\
    | \\begin\s*\{{{_ENVIRONMENTS}\}}
    | \\(?:displaystyle|textstyle|ds|limits|q?quad|left\s*\.
        |(?:tiny|small|normalsize|large|Large|LARGE|huge|Huge)(?![A-Za-z]))
    | (?P<brace> \{{ )
    # a name of the integral: I =, J_n :=, I(a) =
    | (?:\\mathcal\s*|\\mathscr\s*)?\{{?[A-Za-z]\}}?'*(?:_(?:\w|\{{[^{{}}]*\}}))?
        (?:\s*(?:\\left)?\([^()=]*?(?:\\right)?\))?\s*&?\s*:?=
    | (?P<principal> (?:\\(?:{FONT}|rm)\s*\{{?\s*)?
        (?:[Pp]\s*\.?~?\s*[Vv]|V\s*\.?~?\s*P|v\.~?\s*p)\.?\s*\}}?(?![A-Za-z]) )
    )*+""",
    re.VERBOSE,
)
#: The number of an equation, in parentheses behind a wide space.
_NUMBER: Final = r"\d{1,3}(?:\.\d{1,3}){0,3}"
_TAIL: Final = re.compile(
    rf"(?:\s|\\[,;:!> ]|~|[.;,&?]|=|\\\\|\\q?quad(?:[\s~]*\({_NUMBER}\))?"
    rf"|\\end\s*\{{{_ENVIRONMENTS}\}})+\Z"
)
#: Last characters of bodies that have no tail, unless it is the end of an environment.
_LAST_OF_FORMULA: Final = frozenset("})]|0123456789xyztu")


#: A table, with its rows; a table of values with conditions is one formula.
_TABLE: Final = re.compile(
    r"\\begin\s*\{(?P<name>[dr]?cases|array)\}(?P<rows>(?:(?!\\begin|\\end).)*)\\end\s*\{(?P=name)\}",
    re.DOTALL,
)
#: Characters that stand for tables: so many tables are marked, and textbooks have one.
_TABLE_MARKS: Final = "\ue011\ue012\ue013\ue014"


def marked_tables(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Replace each table of values by a mark (one character). Return the text and the tables.

    A row of a table of values has a value, ``&`` and a condition. Tables of equations, such as
    systems, are not replaced, as each row is a separate statement.

    >>> marked_tables(r"2\begin{cases} 1 & x > 0 \\\\ 0 & x < 0 \end{cases}")[0] == "2\ue011"
    True

    """
    tables: list[str] = []

    def marked(match: re.Match[str]) -> str:
        rows = [row.partition("&") for row in match["rows"].split(r"\\") if row.strip()]
        are_values = any(sign for _, sign, _ in rows) and not any(
            RELATION.search(value) or RELATION.match(condition.strip())
            for value, _, condition in rows
        )
        if not are_values or len(tables) == len(_TABLE_MARKS):
            return match[0]
        tables.append(match[0])
        return _TABLE_MARKS[len(tables) - 1]

    if not set(_TABLE_MARKS).isdisjoint(text):  # a mark would stand for a table more than once
        return text, ()
    return _TABLE.sub(marked, text), tuple(tables)


def restored_tables(text: str, tables: tuple[str, ...]) -> str:
    """Replace each mark from `marked_tables` by the table of the mark, in braces."""
    for mark, table in zip(_TABLE_MARKS, tables, strict=False):
        text = text.replace(mark, f"{{{table}}}")
    return text


def with_large_limits(text: str) -> str:
    """Write limits in small characters as scripts of LaTeX.

    >>> with_large_limits("∫₀¹ x dx")
    '∫_{0}^{1} x dx'

    """
    return _SMALL_LIMITS.sub(
        lambda limits: (
            f"_{{{plain_script(limits['lower'])}}}"
            + (f"^{{{plain_script(limits['upper'])}}}" if limits["upper"] else "")
        ),
        text,
    )


class IntegralLayout(NamedTuple):
    r"""The parts of an integral as text.

    Attributes:
        has_sign: whether the formula has an integral sign.
        marks: the limits of integration; the key is ``_`` for the lower and ``^`` for the upper.
        body: the integrand with the differential.
        factor: the factor before the sign, such as the 2 of ``2\int``.
        principal_value: whether Cauchy's principal value is asked for.

    Example:
        >>> integral_layout("2x").has_sign
        False

    """

    has_sign: bool
    marks: dict[str, str]
    body: str
    factor: str = ""
    principal_value: bool = False


def integral_layout(text: str) -> IntegralLayout:
    r"""Cut the text of a problem with one integral into the parts of the integral.

    Args:
        text: the problem, with or without an integral sign.

    Returns:
        The parts. If the text has no integral sign, the whole formula is the body.

    Raises:
        ProblemError: the text has several integrals.

    Example:
        >>> integral_layout(r"I = \int\limits_0^1 xdx.").body
        'xdx'

    """
    formula = text if text.isascii() else _plain_letters(text)
    if DELIMITER.search(formula):
        formula = _formula(formula)
    if not ("int" in formula or "∫" in formula or "⨍" in formula):  # most integrands alone
        return IntegralLayout(False, {}, _without_tail(formula, 0))
    cut = cut_at(_SIGN, formula)
    if cut is None:
        return IntegralLayout(False, {}, _without_tail(formula, 0))
    preceding, sign, marks, integrand = cut
    lead = _LEAD.match(preceding)
    factor = preceding[lead.end() if lead else 0 :].strip()
    if _SEVERAL.search(integrand):
        raise ProblemError(f"{text!r} has more than one integral")
    opened = len(re.findall(r"\{(?![^{}]*\})", preceding))
    principal = bool(sign["barred"]) or (lead is not None and lead["principal"] is not None)
    body = _without_tail(integrand, opened)
    return IntegralLayout(True, marks, body, factor, principal)


def _plain_letters(text: str) -> str:
    """Replace letters of mathematical alphabets by plain letters."""
    if text.isascii() or max(text, default="") < "\U0001d400":
        return text
    return "".join(
        unicodedata.normalize("NFKC", char) if "\U0001d400" <= char <= "\U0001d7ff" else char
        for char in text
    )


def _formula(text: str) -> str:
    """Remove the marks of a formula. Raise `ProblemError` if a text has several formulas."""
    words, number = MARKED.subn(" ", text)
    if number > 1 or (number and words.strip(" \n\t.,") and not DELIMITER.search(words)):
        raise ProblemError(f"{text!r}: one formula is expected, the problem, and conditions")
    return DELIMITER.sub(" ", text)


#: Characters at the end of a problem in which a tail begins, so that the search is linear.
_LONGEST_TAIL: Final = 400


def cut_tail(body: str) -> str:
    """Remove the tail of a text: punctuation, "= ?" and the number of an equation."""
    tail = _TAIL.search(body, max(len(body) - _LONGEST_TAIL, 0))
    return body[: tail.start()] if tail else body


def _without_tail(body: str, opened: int) -> str:
    """Remove the text behind an integrand: punctuation, "= ?" and the ends of environments.

    If ``opened`` braces were opened before the body, the closing braces are removed, too.
    """
    end = body[-24:]
    if body[-1:] not in _LAST_OF_FORMULA or "\\end" in end or "quad" in end:
        body = cut_tail(body)
    for _ in range(opened):
        body = cut_tail(body.removesuffix("}"))
    return body.strip()


#: A sign is stacked at most under a limit, over a limit, and as an operator.
_MOST_STACKED: Final = 3


def cut_at(
    sign: re.Pattern[str], formula: str
) -> tuple[str, re.Match[str], dict[str, str], str] | None:
    r"""Cut a formula at the first sign of an integral, a sum or a limit.

    The limits of the sign may follow the sign, or may be placed above or below the sign by commands
    such as ``\underset``.

    Args:
        sign: matches the sign.
        formula: the formula.

    Returns:
        The text before the sign, the match of the sign, the limits as in `limits_of`, and the text
        after the limits. Without a sign, the result is None.

    """
    for command in re.finditer(f"(?:{sign.pattern})|{_STACKED.pattern}", formula):
        located = _sign_at(sign, formula, command.start())
        if located is None:  # a stack that holds no sign
            continue
        end, marks, match = located
        preceding, following = formula[: command.start()].rstrip(), formula[end:].lstrip()
        if preceding.endswith("{") and following.startswith("}"):  # {\int} x
            preceding, following = preceding[:-1], following[1:]
        further, following = limits_of(following)
        return preceding, match, marks | further, following
    return None


def _sign_at(
    sign: re.Pattern[str], text: str, start: int, level: int = 0
) -> tuple[int, dict[str, str], re.Match[str]] | None:
    """Read the sign at ``start``. Return the end, the limits and the match of the sign.

    If there is no sign at ``start``, the result is None.
    """
    match = sign.match(text, start)
    if match is not None:
        return match.end(), {}, match
    stack = _STACKED.match(text, start)
    if stack is None or level == _MOST_STACKED:
        return None
    marks: dict[str, str] = {}
    end = stack.end()
    if stack["place"] != "mathop":
        mark = "_" if stack["place"] == "underset" else "^"
        end += argument_end(text[end:])
        marks[mark] = text[stack.end() : end]
    operator = re.compile(r"\s*\{?\s*").match(text, end)
    inner = _sign_at(sign, text, operator.end(), level + 1) if operator else None
    if inner is None or operator is None:
        return None
    closing = re.compile(r"\s*\}" if "{" in operator[0] else "").match(text, inner[0])
    return (closing.end(), marks | inner[1], inner[2]) if closing else None


_QUOTIENT: Final = re.compile(r"\s*(?:\\displaystyle\s*)?\\[dt]?frac\s*(?=\{)")
_BESIDE_MARK: Final = re.compile(SPACE)


def limits_of(text: str) -> tuple[dict[str, str], str]:
    r"""Split off the limits after an integral sign. Return the limits and the rest of the text.

    Args:
        text: the text after the integral sign, or after a bar as in ``F(x)|_0^1``.

    Returns:
        A dictionary and the remaining text. The dictionary has the subscript under the key ``_``
        and the superscript under the key ``^``.

    Example:
        >>> limits_of("_0^1 x")
        ({'_': '0', '^': '1'}, 'x')

    """
    marks: dict[str, str] = {}
    remainder = text[_space_end(text) :]
    while remainder[:1] in ("_", "^") and remainder[0] not in marks:
        mark, remainder = remainder[0], remainder[1:].lstrip()
        end = argument_end(remainder)
        marks[mark], remainder = remainder[:end], remainder[end:]
        remainder = remainder[_space_end(remainder) :]
    return (marks, remainder) if marks else (marks, text.lstrip())


def _space_end(text: str) -> int:
    match = _BESIDE_MARK.match(text)
    return match.end() if match else 0


def argument_end(text: str) -> int:
    """The offset after the TeX argument at the start of ``text``."""
    if text[:1] == "{":
        level = 0
        for at, character in enumerate(text):
            level += (character == "{") - (character == "}")
            if level == 0:
                return at + 1
        return len(text)
    command = re.match(r"[+-]?(?:\\[A-Za-z]+|.)", text, re.DOTALL)
    end = command.end() if command else 0
    # \frac12 and \frac{1}{2} without braces around them
    if command and command[0].endswith(("\\frac", "\\dfrac", "\\tfrac")):
        for _ in range(2):
            end += argument_end(text[end:])
    elif command and command[0].endswith(("\\sqrt", "\\mathbb")):
        end += argument_end(text[end:])
    return end


def quotient_of(text: str) -> tuple[str, str, str] | None:
    r"""Split a text that begins with a quotient. Another text yields None.

    >>> quotient_of(r"\frac{a}{b} + c")
    ('a', '{b}', ' + c')
    """
    sign = _QUOTIENT.match(text)
    if sign is None:
        return None
    top = sign.end() + argument_end(text[sign.end() :])
    end = top + argument_end(text[top:])
    return text[sign.end() + 1 : top - 1], text[top:end], text[end:]


def pieces_of(text: str, separators: Collection[str]) -> Iterator[str]:
    """Yield the pieces of a text between separators. Separators inside brackets do not count."""
    level, begin = 0, 0
    for offset, character in enumerate(text):
        level += (character in "([{") - (character in ")]}")
        if level <= 0 and character in separators:
            yield text[begin:offset]
            begin = offset + 1
    yield text[begin:]


def relation(formula: str) -> tuple[str, str] | None:
    """The two sides of an equation.

    If the formula does not have exactly one equals sign outside of brackets, the result is None.
    """
    sides = list(pieces_of(formula.replace("&", " "), "="))
    return (sides[0].strip(), sides[1].strip()) if len(sides) == 2 else None


def coordinates(point: str) -> list[str]:
    """The coordinates of a point in parentheses."""
    return [coordinate.strip() for coordinate in pieces_of(point.strip()[1:-1], ",")]


def unbraced(text: str) -> str:
    """A text without surrounding space and braces."""
    inner = ENDS.sub("", text.strip())
    while inner.startswith("{") and argument_end(inner) == len(inner):
        inner = ENDS.sub("", inner[1:-1].strip())
    return inner


def opening(text: str, close: int) -> int:
    """The offset of the opening bracket that belongs to the closing bracket at ``close``, or -1."""
    level = 0
    for offset in range(close, -1, -1):
        level += (text[offset] in ")]}") - (text[offset] in "([{")
        if level == 0:
            return offset
    return -1


def readings_of(formula: str, text: str, *symbols: str) -> tuple[Reading, ...]:
    """Read a formula of a question in every way.

    Args:
        formula: the formula.
        text: the question, for the message of an error.
        symbols: names that are symbols in the formula.

    Raises:
        ProblemError: the formula is unreadable.

    """
    try:
        return read(formula, symbols=(*symbols, IN_PROBLEM))
    except ReadError as error:
        raise ProblemError(f"{text!r}: unreadable formula {formula[:60]!r}: {error}") from None


def only_reading(formula: str, text: str, *symbols: str) -> Expression:
    """Read a formula of a question. A formula with several readings is a `ProblemError`, too."""
    reading, *further_readings = readings_of(formula, text, *symbols)
    if further_readings:
        raise ProblemError(f"{text!r}: {formula!r} has several readings")
    return reading.expression


#: The real numbers, and those of one sign, as a region; an interval, with any brackets.
REALS: Final = re.compile(
    r"(?:\\(?:Bbb|mathbb|mathbf|mathds|bf)\s*\{?\s*R\s*\}?|\\R(?![A-Za-z])|ℝ)"
    r"\s*(?:[\^_]\s*\{?\s*(?P<sign>[+-]|(?:>|\\geq?|≥)\s*0)\s*\}?)?"
)
_INTERVAL: Final = re.compile(
    r"\s*(?:\\left\s*)?[\[(\]](?P<lower>[^,;]+)[,;](?P<upper>[^,;]+)(?:\\right\s*)?[\])\[]\s*"
)


def region(mark: str) -> dict[str, str] | None:
    r"""The limits of a region of integration: an interval, or the real numbers.

    The result is None if the subscript of the integral sign is no such region.

    >>> region(r"{(0,1]}"), region(r"{\mathbb{R}^+}"), region("{D}")
    ({'_': '{0}', '^': '{1}'}, {'_': '{0}', '^': '{\\infty}'}, None)

    """
    inner = unbraced(mark)
    if (reals := REALS.fullmatch(inner)) is not None:
        sign = reals["sign"] or ""
        lower, upper = (
            "0" if sign not in ("", "-") else r"-\infty",
            "0" if sign == "-" else r"\infty",
        )
    elif (interval := _INTERVAL.fullmatch(inner)) is not None:
        lower, upper = interval["lower"], interval["upper"]
    else:
        return None
    return {"_": f"{{{lower}}}", "^": f"{{{upper}}}"}
