"""Joins several formulas into a table of cases, if the formulas state values and conditions."""

from __future__ import annotations

from .cases import one_case, table_of
from .spans import Span
from .words.tables import patterns

#: Characters before a condition in which the words that open it are looked for: "Case 1: when", and
#: as many again. 10 change no answer of the corpora (tests/mutation/constants.py).
_LEAD_LENGTH = 20


def with_conditions(text: str, formulas: list[Span]) -> list[Span]:
    """Join neighbouring formulas into a table of cases if the formulas state values and
    conditions.

    Two forms are recognised: "$A$ for $x > 0$ and $B$ for $x < 0$", and "for $x > 0$, $A$; for $x <
    0$, $B$". All further formulas are unchanged.
    """
    joined: list[Span] = []
    rows: list[tuple[Span, Span]] = []  # values and conditions, in the order of the text
    at = 0
    while at < len(formulas):
        row = _row(text, formulas, at)
        if row is None:
            joined += _table(rows)
            rows = []
            joined.append(formulas[at])
            at += 1
            continue
        if rows:
            gap = text[max(span.end for span in rows[-1]) : min(span.start for span in row)]
            if not patterns.between_cases.fullmatch(gap):
                joined += _table(rows)
                rows = []
        rows.append(row)
        at += 1 if row[0].end == row[1].end else 2
    return joined + _table(rows)


def _row(text: str, formulas: list[Span], at: int) -> tuple[Span, Span] | None:
    """Read a value and a condition from a formula and the next formula.

    In the text, the condition may precede the value. A single display may contain the
    value and the condition. Without a value and a condition, the result is None.
    """
    formula = formulas[at]
    if formula.kind == "display" and (case := one_case(formula.latex)):
        value, condition = (formula._replace(latex=latex) for latex in case)
        return value, condition
    if at + 1 == len(formulas):
        return None
    second = formulas[at + 1]
    gap = formula.end, second.start
    if_next, then = (role.fullmatch(text, *gap) for role in (patterns.case, patterns.then))
    if not (if_next or then):
        return None
    bounds = [patterns.condition_sign.search(span.latex) is not None for span in (formula, second)]
    if if_next and bounds == [False, True]:
        return formula, second
    lead_range = max(0, formula.start - _LEAD_LENGTH), formula.start
    if then and bounds == [True, False] and patterns.before_case.search(text, *lead_range):
        return second, formula
    return None


def _table(rows: list[tuple[Span, Span]]) -> list[Span]:
    """Join rows of values and conditions to a table of cases. A single row is not changed."""
    if len(rows) < 2:
        lone_rows = (row[:1] if row[0].end == row[1].end else row for row in rows)
        return sorted((span for row in lone_rows for span in row), key=lambda span: span.start)
    value, condition = rows[0]
    latex = table_of([(value.latex, condition.latex) for value, condition in rows])
    end = max(span.end for span in rows[-1])
    return [Span(value.kind, latex, min(value.start, condition.start), end)]
