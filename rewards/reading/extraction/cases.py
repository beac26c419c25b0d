"""Rewrites a formula with several values and conditions as a table of cases."""

from __future__ import annotations

import re

from .words.tables import patterns

#: Longer formulas are no tables in words: no answer of `responses.json` has over 188 characters.
_LONGEST_CASES = 4000
#: Every pause or colon of `patterns.case_token`, without which there are no two rows.
_PAUSE = re.compile(r",|;|:|\\\\|quad|and|text|box|mathrm")


def as_cases(latex: str) -> str:
    r"""Rewrite a formula such as ``A \text{ for } x > 0, B \text{ for } x < 0`` as a table of
    cases.

    The formula must have two values or more, and each value must have a condition. Any other
    formula is unchanged.
    """
    if len(latex) > _LONGEST_CASES:
        return latex
    table = patterns.rows_environment.search(latex) if latex.count("\\begin") == 1 else None
    if table and not latex[: table.start()].rstrip().endswith(("\\{", "\\lbrace")):
        pairs = [row.rpartition("&") for row in table["rows"].split("\\\\") if row.strip()]
        if len(pairs) > 1 and all(
            value.strip(" &,")
            and patterns.condition_sign.search(condition)
            and not patterns.condition_sign.search(value)
            for value, _, condition in pairs
        ):
            body = rf"\begin{{cases}}{table['rows']}\end{{cases}}"
            return latex[: table.start()] + body + latex[table.end() :]
        if "&" not in table["rows"]:  # rows of "value, condition"
            opened = latex[: table.start()] + table["rows"] + latex[table.end() :]
            if (cases := as_cases(opened)) != opened:
                return cases
    if not _PAUSE.search(latex):
        return latex
    signs, words = patterns.condition_sign.findall(latex), patterns.word_of_case.findall(latex)
    if len(signs) + len(words) < 2 or len(rows := _rows(latex)) < 2:
        return latex
    return table_of(rows)


def table_of(rows: list[tuple[str, str]]) -> str:
    """Write values and conditions as a table. The first value may begin with ``F =``."""
    head, equals, _ = rows[0][0].rpartition("=")
    cells = r" \\ ".join(
        rf"{value.rpartition('=')[2].strip(' ,;:.')} & {condition.strip(' ,;:.')}"
        for value, condition in rows
    )
    return rf"{head}{equals}\begin{{cases}} {cells} \end{{cases}}"


def one_case(latex: str) -> tuple[str, str] | None:
    """The value and the condition in a formula such as ``F (x > 0)``.

    For another formula, the result is None.
    """
    if len(latex) > _LONGEST_CASES or not patterns.condition_sign.search(latex):
        return None
    rows = _rows(latex)
    return rows[0] if len(rows) == 1 else None


def _rows(latex: str) -> list[tuple[str, str]]:
    """Pair each value at the top level of a formula with its condition.

    The list is empty if a value has no condition, or a condition has no value.
    """
    rows = _Rows(latex)
    for token in patterns.case_token.finditer(latex):
        if rows.take(token):
            break
    return rows.finished()


class _Rows:
    """Reads the values and conditions of a formula in order, and pairs them as rows.

    A piece is the text between two separators, such as a comma or "if".
    """

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.pairs: list[tuple[str, str]] = []
        self.value: str | None = None  # without its condition so far
        self.condition = ""  # that stands before its value
        self.failed = False
        self.conditions_first = False  # each stands before its value
        self.depth = 0
        self.end = len(latex)
        self.begin_piece(0)
        self.in_parentheses = False  # the group at the top level

    def begin_piece(self, start: int, *, after_word: bool = False, prefix: str = "") -> None:
        self.start = start
        self.after_word = after_word  # "if", "for" stand before the piece
        self.prefix = prefix  # of a condition, from the text command that holds its first word
        self.bounded = False  # a relation was met in the piece
        # Its last group in brackets, and whether a relation is in it.
        self.group, self.group_bounded = (0, 0), False

    def take(self, token: re.Match[str]) -> bool:
        """Handle the next token. Return whether the values and conditions end at the token."""
        group_name = token.lastgroup
        if group_name == "open":
            if not self.depth:
                self.in_parentheses = token[0].endswith(("(", "["))
                self.group, self.group_bounded = (token.start(), self.end), False
            self.depth += 1
        elif group_name == "close":
            self.depth = max(self.depth - 1, 0)
            if not self.depth and self.group_bounded:
                self.group = self.group[0], token.end()
        elif group_name == "bound":
            self.bounded = self.bounded or not self.depth
            self.group_bounded |= self.depth == 1 and self.in_parentheses
        elif not self.depth and group_name != "equal":
            return self.separate(token, group_name)
        return False

    def separate(self, token: re.Match[str], group_name: str | None) -> bool:
        """Handle a possible end of a value or a condition. Return whether the table ends."""
        if group_name == "stop":
            self.end = token.start()
            return True
        if group_name == "colon":
            if not self.bounded:
                return False
            self.conditions_first = True
        self.finish_piece(token.start())
        if group_name == "else":
            if self.value is None or not self.pairs:
                self.failed = True
                return True
            self.add_condition(r"\text{otherwise}")
        if group_name in ("when", "rest"):
            self.begin_piece(token.end(), after_word=True, prefix=token["rest"] or "")
        else:
            self.begin_piece(token.end())
        return False

    def finish_piece(self, end: int) -> None:
        """Store the piece up to ``end``.

        The piece is a condition, a value, or a value followed by a condition in brackets.
        """
        piece = self.latex[self.start : end]
        if not patterns.spacing.sub("", self.prefix + piece).strip("."):
            return
        opened, closed = self.group
        if self.after_word or self.bounded:
            condition = self.prefix + piece
            if self.after_word or self.conditions_first or not self.extend(condition):
                self.add_condition(condition)
        elif self.group_bounded and not self.latex[closed:end].strip(" .\n"):
            if self.latex[self.start : opened].strip():
                self.add_value(self.latex[self.start : opened])
            self.add_condition(self.latex[opened:closed])
        else:
            self.add_value(piece)

    def add_value(self, value: str) -> None:
        if self.condition:
            self.pairs.append((value, self.condition))
            self.condition = ""
        elif self.value is None:
            self.value = value
        else:
            self.failed = True

    def add_condition(self, condition: str) -> None:
        if self.value is not None:
            self.pairs.append((self.value, condition))
            self.value = None
        elif self.condition:
            self.condition += f", {condition}"
        else:
            self.condition = condition

    def extend(self, condition: str) -> bool:
        """Add a condition to the condition of the last row, as in "x > 0, x < 1".

        Return whether the condition was added.
        """
        if not self.pairs or self.value is not None or self.condition:
            return False
        self.pairs[-1] = (self.pairs[-1][0], f"{self.pairs[-1][1]}, {condition}")
        return True

    def finished(self) -> list[tuple[str, str]]:
        """The finished rows. If a value has no condition, the list is empty."""
        if not self.failed:
            self.finish_piece(self.end)
        complete = not self.failed and self.value is None and not self.condition
        return self.pairs if complete and all(value.strip() for value, _ in self.pairs) else []
