r"""Reads questions for the parameters of a continuous or differentiable function.

The function is defined by cases: "For which $k$ is $f(x)=\begin{cases}..\end{cases}$ continuous?"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ....errors import ProblemError
from ...expression.traversal import all_nodes, symbols_of
from ...expression.tree import Call, Expression, Symbol
from ...latex import ReadError, read
from ...latex.tokens.roles import IS_VALUE
from ..conditions import NAME
from ..derivatives import name_of, normal
from ..layout import coordinates, only_reading, pieces_of, relation
from .parts import NAMED, PLACEHOLDER, taken_apart
from .pieces import ASKS
from .requests import check_requests
from .surroundings import changes_numbers

_CONTINUOUS: Final = re.compile(
    r"\b(?:continuous(?:ly)?|continuity|differentiable)\b", re.IGNORECASE
)
#: Words with which something else is asked for than the parameters of a continuous function.
_ELSE: Final = re.compile(
    r"\b(?:dis-?continuous|discontinuity|fails?|jump|left|not|right|removable|twice|unless)\b",
    re.IGNORECASE,
)
#: What stands between two values in an answer.
_JOINS: Final = re.compile(
    r"\\text\s*\{\s*(?:and)?[\s,]*\}|\\(?:q?quad|[,;:!])(?![A-Za-z])|\band\b"
)
_COMPARISONS: Final = frozenset(("eq", "ge", "gt", "le", "lt", "ne"))


class ContinuityQuestion(NamedTuple):
    """A function with parameters. The parameters have to make the function continuous.

    Attributes:
        function: the piecewise function.
        variable: the variable.
        unknowns: the names of the parameters, in the order of the question.
        points: the points at which the function has to be continuous.
        differentiable: whether the function has to be differentiable at the points, too.

    """

    function: Expression
    variable: str
    unknowns: tuple[str, ...]
    points: tuple[Expression, ...]
    differentiable: bool


def read_continuity(text: str) -> ContinuityQuestion | None:
    r"""Read a question for the parameters of a continuous function.

    The result is None for another question.

    Raises:
        ProblemError: the function or the parameters are not clear.

    >>> read_continuity(
    ...     r"Find $k$ so that $f(x)=\begin{cases} kx & x<1\\ 2 & x\ge1\end{cases}$ is continuous."
    ... ).unknowns
    ('k',)

    """
    if "cases}" not in text or _CONTINUOUS.search(text) is None:
        return None
    question_parts = taken_apart(text)
    if question_parts is None:
        return None
    marked_prose, formulas = question_parts
    if (match := _ELSE.search(marked_prose)) is not None:
        raise ProblemError(f"{text!r}: {match[0]!r} may ask for something else")
    tables = [formula for formula in formulas if "cases}" in formula]
    named = NAMED.match(tables[0]) if len(tables) == 1 else None
    if named is None or changes_numbers(marked_prose):
        raise ProblemError(f"{text!r}: one function with cases is expected")
    variable = name_of(named["variable"] or "x")
    function = only_reading(tables[0][named.end() :], text, variable)
    letters = symbols_of(function) - {variable}
    unknowns = [
        name
        for formula in formulas
        if formula not in tables
        for name in map(name_of, _names(formula))
        if name in letters
    ]
    relations = filter(None, map(relation, formulas))
    stated = [sides[1] for sides in relations if name_of(sides[0]) == variable]
    breaks = _break_points(function, variable)
    at = tuple(only_reading(point, text) for point in stated) or breaks
    if not letters or {*unknowns} != letters or not at or not {*at} <= {*breaks}:
        raise ProblemError(f"{text!r}: the parameters or the points are not clear")
    _check_asked(marked_prose, formulas, letters)
    is_differentiable = re.search(r"\bdifferentiable\b", marked_prose) is not None
    return ContinuityQuestion(
        function, variable, tuple(dict.fromkeys(unknowns)), at, is_differentiable
    )


def read_values(text: str, unknowns: Sequence[str]) -> dict[str, Expression] | None:
    r"""Read the values of several parameters in an answer.

    The result is None if the answer does not have a number for each parameter.

    >>> sorted(read_values(r"a = 1 \text{ and } b = 2", ("a", "b")))
    ['a', 'b']

    """
    plain = normal(_JOINS.sub(" , ", text)).strip(" .$")
    lhs, equals, rhs = plain.partition("=")
    if plain.startswith("(") and not (equals and rhs.strip().startswith("(")):
        names, values = [*unknowns], coordinates(plain)
    elif plain.startswith("("):  # (a, b) = (1, 2)
        names, values = (
            [coordinate.strip() for coordinate in coordinates(side)] for side in (lhs, rhs)
        )
    else:
        sides = [relation(piece) for piece in pieces_of(plain, ",") if piece.strip()]
        names = [name_of(side[0]) for side in sides if side]
        values = [side[1] for side in sides if side]
    if sorted(names) != sorted(unknowns) or len(values) != len(names):
        return None
    try:
        trees = [read(value, symbols=(IS_VALUE,))[0].expression for value in values]
    except ReadError:
        return None
    return None if any(map(symbols_of, trees)) else dict(zip(names, trees, strict=True))


def _names(formula: str) -> list[str]:
    """The names in a list of names, such as ``(a, b)``. Empty for another formula."""
    inner = formula.strip()
    names = coordinates(inner) if inner.startswith("(") else [*pieces_of(inner, ",")]
    names = [name.strip() for name in names]
    return names if all(NAME.fullmatch(name) for name in names) else []


def _break_points(function: Expression, variable: str) -> tuple[Expression, ...]:
    """The numbers compared with the variable in the conditions of a piecewise function."""
    points: dict[Expression, None] = {}
    for node in all_nodes(function):
        if isinstance(node, Call) and node.function in _COMPARISONS:
            sides = [side for side in node.args if side != Symbol(variable)]
            if len(sides) != 1 or symbols_of(sides[0]):
                raise ProblemError("a condition of the function is no comparison with a number")
            points[sides[0]] = None
    return tuple(points)


def _check_asked(marked_prose: str, formulas: list[str], unknowns: set[str]) -> None:
    """Raise an error if something else than the parameters is asked for."""
    check_requests(marked_prose, formulas, "parameters")
    for asks in ASKS.finditer(marked_prose):
        formula = formulas[int(asks["place"])] if asks["place"] else ""
        names = {*map(name_of, _names(formula))} if formula else unknowns
        if not names <= unknowns:
            raise ProblemError(f"{PLACEHOLDER.sub('..', asks[0])!r} may ask for something else")
