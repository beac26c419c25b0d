"""A value for each of several conditions, in one formula, as one table of cases."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORD_OF_CONDITION = r"(?:if|for|when|on|whenever|provided(?:\s+that)?|in\s+case)"
_TEXT_COMMAND = r"\\(?:text(?:rm|normal|it|bf|up)?|[mh]box|mathrm)\s?\{"
_PIECE = re.compile(
    rf"(?P<when>{_TEXT_COMMAND}[\s,;(]*{_WORD_OF_CONDITION}\b(?P<rest>[^{{}}]*)\}}"
    rf"|(?<![\\A-Za-z]){_WORD_OF_CONDITION}(?![A-Za-z]))"
    rf"|(?P<else>{_TEXT_COMMAND}[\s,;(]*(?:otherwise|else|elsewhere)[^{{}}]*\}}|otherwise)"
    rf"|(?P<stop>{_TEXT_COMMAND}[^{{}}]*\b(?:where|with|since|because)\b[^{{}}]*\}})"
    rf"|(?P<pause>{_TEXT_COMMAND}[\s,;]*(?:and|while|but|or)?[\s,;]*\}}|(?<![\\A-Za-z])and(?![A-Za-z])"
    r"|(?<!\\),(?!\d)|(?<!\\);|\\\\|\\q?quad(?![A-Za-z]))"
    r"|(?P<open>\\(?:left|[bB]igg?l?)\s?(?:[(\[|.]|\\\{|\\l[a-z]+)|\\begin\s?\{[A-Za-z]+\*?\}|\\\{|[({\[])"
    r"|(?P<close>\\(?:right|[bB]igg?r?)\s?(?:[)\]|.]|\\\}|\\r[a-z]+)|\\end\s?\{[A-Za-z]+\*?\}|\\\}|[)}\]])"
    r"|(?P<bound>\\(?:[lg]eq?(?:slant)?|lt|gt|neq?|in)(?![A-Za-z])|[<>≤≥∈])|(?P<colon>:(?!=))|(?P<equal>=)"
)
_LONGEST_CASES = 4000


def as_cases(latex: str) -> str:
    r"""``A \text{ for } x > 0, B \text{ for } x < 0`` as a table; other formulas as they are.

    Only where every value has a condition, and there are two or more.
    """
    if len(latex) > _LONGEST_CASES:
        return latex
    table = _TABLE.search(latex) if latex.count("\\begin") == 1 else None
    if table and not latex[: table.start()].rstrip().endswith(("\\{", "\\lbrace")):
        pairs = [row.rpartition("&") for row in table["rows"].split("\\\\") if row.strip()]
        if len(pairs) > 1 and all(
            value.strip(" &,") and _BOUNDS.search(condition) and not _BOUNDS.search(value)
            for value, _, condition in pairs
        ):
            body = rf"\begin{{cases}}{table['rows']}\end{{cases}}"
            return latex[: table.start()] + body + latex[table.end() :]
        if "&" not in table["rows"]:  # rows of "value, condition"
            opened = latex[: table.start()] + table["rows"] + latex[table.end() :]
            if (cases := as_cases(opened)) != opened:
                return cases
    if len(_WORDS.findall(latex)) < 2 and len(_BOUNDS.findall(latex)) < 2:
        return latex
    rows = _rows(latex)
    if len(rows) < 2:
        return latex
    head, equals, _ = rows[0][0].rpartition("=")
    joined = r" \\ ".join(
        rf"{value.rpartition('=')[2].strip(' ,;:.')} & {condition.strip(' ,;:.')}"
        for value, condition in rows
    )
    return rf"{head}{equals}\begin{{cases}} {joined} \end{{cases}}"


_WORDS = re.compile(
    r"(?<![\\A-Za-z])(?:if|for|when|on|whenever|provided|case|otherwise|else)(?![A-Za-z])"
)
_BOUNDS = re.compile(r"\\(?:[lg]eq?(?:slant)?|[lg]t|neq?|in)(?![A-Za-z])|[<>≤≥∈]")


_TABLE = re.compile(
    r"\\begin\s?\{(?:(?:aligned|gathered|split|matrix)\}|array\}\s?\{[^{}]*\})"
    r"(?P<rows>(?:(?!\\end).)*)\\end\s?\{(?:aligned|gathered|split|matrix|array)\}",
    re.DOTALL,
)


@dataclass(slots=True)
class _Rows:
    """Values and conditions in the order of the text, paired as they come."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    value: str | None = None  # without its condition so far
    condition: str = ""  # that stands before its value
    failed: bool = False

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
        """Add to the condition of the last row: "x > 0, x < 1". Whether there is such a row."""
        if not self.pairs or self.value is not None or self.condition:
            return False
        self.pairs[-1] = (self.pairs[-1][0], f"{self.pairs[-1][1]}, {condition}")
        return True


def one_case(latex: str) -> tuple[str, str] | None:
    """The value and the condition that a formula is: ``F (x > 0)``; else None."""
    if len(latex) > _LONGEST_CASES or not _BOUNDS.search(latex):
        return None
    rows = _rows(latex)
    return rows[0] if len(rows) == 1 else None


def _rows(latex: str) -> list[tuple[str, str]]:
    """The values and their conditions at the top level; none if the formula has another form."""
    rows = _Rows()
    first = False  # conditions stand before their values
    after_word = False  # "if", "for" stand before the piece
    prefix = ""  # of a condition, from the text command that holds its first word
    bounded = False  # a relation was met in the piece
    bracketed = False  # the group at the top level is in parentheses
    start = depth = 0
    group: tuple[int, int, bool] = (0, 0, False)  # the piece's last one, and whether it is bounded
    end = len(latex)

    def flush(until: int) -> bool:
        """Take the piece that ends here. Whether it was a condition."""
        nonlocal bounded, after_word, prefix, group
        piece = latex[start:until]
        plain = _SPACES.sub("", prefix + piece).strip(".")
        opened, closed, grouped = group
        is_condition = after_word or bounded
        if not plain:
            pass
        elif is_condition:
            condition = prefix + piece
            if after_word or first or not rows.extend(condition):
                rows.add_condition(condition)
        elif grouped and not latex[closed:until].strip(" .\n"):
            if latex[start:opened].strip():
                rows.add_value(latex[start:opened])
            rows.add_condition(latex[opened:closed])
        else:
            rows.add_value(piece)
        bounded, after_word, prefix, group = False, False, "", (0, 0, False)
        return bool(plain) and is_condition

    for token in _PIECE.finditer(latex):
        kind = token.lastgroup if token.lastgroup != "rest" else "when"
        if kind == "open":
            if not depth:
                bracketed = token[0].endswith(("(", "["))
                group = (token.start(), len(latex), False)
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
            if not depth and group[2]:
                group = (group[0], token.end(), True)
        elif kind == "bound":
            bounded = bounded or not depth
            if depth == 1 and bracketed:
                group = (group[0], group[1], True)
        elif depth or kind == "equal":
            continue
        elif kind == "stop":
            end = token.start()
            break
        elif kind == "when":
            flush(token.start())
            after_word, prefix, start = True, token["rest"] or "", token.end()
        elif kind == "else":
            flush(token.start())
            if rows.value is None or not rows.pairs:
                return []
            rows.add_condition(r"\text{otherwise}")
            start = token.end()
        elif kind == "colon":
            if bounded:
                first = True
                flush(token.start())
                start = token.end()
        else:
            flush(token.start())
            start = token.end()
    flush(end)
    complete = not rows.failed and rows.value is None and not rows.condition
    return rows.pairs if complete and all(value.strip() for value, _ in rows.pairs) else []


#: Spacing, which makes no value.
_SPACES = re.compile(r"\s|~|\\[,;:! ]|\\q?quad(?![A-Za-z])")
