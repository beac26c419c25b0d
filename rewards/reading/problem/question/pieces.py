r"""The formulas of a question, cut into equations, points and names, and the verbs of requests."""

from __future__ import annotations

import re
from typing import Final

from ...latex.tokens.pattern import plain_script
from .. import prose
from ..derivatives import DOTTED, normal, operators
from ..layout import marked_tables, pieces_of, restored_tables

#: A linear system with a matrix, and an initial value of its vector.
MATRIX: Final = r"\\begin\s*\{[pb]?matrix\}(?P<rows>(?:(?!\\begin|\\end).)*)\\end\s*\{[pb]?matrix\}"
_BOLD: Final = r"\\(?:mathbf|boldsymbol|vec|bm)\s*\{?\s*(?P<name>[a-zA-Z])\s*\}?"
#: No further term follows.
_ALONE: Final = r"(?=\s*(?:[,;.]|\\q?quad|\\text|\Z))"
_SYSTEM: Final = re.compile(
    rf"(?:{_BOLD}\s*'|\\dot\s*\{{?{_BOLD.replace('name', 'dotted')}\}}?)\s*=\s*{MATRIX}\s*"
    + _BOLD.replace("name", "again")
    + _ALONE
)
_START: Final = re.compile(rf"{_BOLD}\s*\((?P<at>[^()]*)\)\s*=\s*{MATRIX}{_ALONE}")
_RAISED: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_ENVIRONMENT: Final = re.compile(
    r"\\(?:begin|end)\s*\{[a-z]+\*?\}(?:\{[^{}]*\})?|\\(?:left|right)\s*(?:\.|\\[{}])|\\[{}]|&"
)
_ROW: Final = re.compile(r"\\\\(?:\[[^\]]*\])?|\\q?quad(?![A-Za-z])|\\[,;:! ]{2,}|,\s*\\ ")
#: A differential; a value of a function; a number; and what is asked for, up to a formula.
DIFFERENTIALS: Final = re.compile(r"(?<!\\)d\s*\{?\s*([a-z])\s*\}?(?![A-Za-z])")
VALUE: Final = re.compile(r"(?P<name>[A-Za-z](?:_\w)?|\\[a-z]+)\s*'*\s*\(\s*(?P<at>[^()]*)\s*\)")
NUMBER: Final = re.compile(r"(?:\\(?:pi|[dt]?frac|sqrt)|[-+./{}\d\se])*")
_VERBS: Final = (
    prose.TABLE["value"] | prose.TABLE["form"] | {"describe", "integrate", "solve", "take"}
)
ASKS: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(_VERBS))})\b"
    r"(?P<words>[^.?!;:\ue012]*)(?:\ue012(?P<place>\d+)\ue012)?",
    re.IGNORECASE,
)


def pieces(formula: str) -> list[str]:
    r"""Cut a formula into equations and further parts, such as the rows of a system.

    >>> pieces(r"x' = y, \quad y' = -x")
    ["x' = y", "y' = -x"]

    """
    formula = _RAISED.sub(_exponent, formula)
    formula, tables = marked_tables(formula)
    formula = _START.sub(_components, _SYSTEM.sub(_components, formula))
    if "matrix" in formula:  # a determinant, or a system with a forcing term
        return [formula]
    rows = _ROW.split(_ENVIRONMENT.sub(" ", formula) if "=" in formula else formula)
    segments = [piece for row in rows for piece in pieces_of(normal(row), ",;")]
    joined = formula.strip()
    if joined.startswith("(") and joined.endswith(")") and "=" not in joined:
        return [normal(joined)]
    return [restored_tables(piece.strip(" .;"), tables) for piece in segments if piece.strip(" .;")]


def _exponent(raised: re.Match[str]) -> str:
    digits = plain_script(raised[0])
    return f"^{digits}" if len(digits) == 1 else f"^{{{digits}}}"


def _components(match: re.Match[str]) -> str:
    """Write an equation between vectors as equations of the components x_1, x_2, ..."""
    groups = match.groupdict()
    name = groups["name"] or groups["dotted"]
    rows = [row.split("&") for row in re.split(r"\\\\", groups["rows"]) if row.strip()]
    if "at" in groups:
        return r" \quad ".join(
            f"{name}_{at}({groups['at']}) = {row[0]}" for at, row in enumerate(rows, 1)
        )
    derivative = r"\frac{{dx_{at}}}{{dt}}" if name == "x" else f"{name}_{{at}}'"
    return r" \quad ".join(
        f"{derivative.format(at=at)} = "
        + " + ".join(f"({a}) {name}_{to}" for to, a in enumerate(row, 1))
        for at, row in enumerate(rows, 1)
    )


def has_derivative(piece: str) -> bool:
    """Whether a part of a formula has a derivative, or differentials of two variables."""
    return bool(
        operators(piece)
        or re.search(r"(?<![\\])[A-Za-z](?:_\w)?\s*'|\^\s*\{\s*\(\s*[\div]+\s*\)", piece)
        or DOTTED.search(piece)
        or len({*DIFFERENTIALS.findall(piece)}) > 1
    )
