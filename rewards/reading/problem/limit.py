r"""Reads limits in textbook notation: ``\lim\limits_{x \to 0^+} x^x``, "the limit of .. as ..".

A limit in signs has a limit sign with a subscript. Words may precede the sign. A limit in words
names a formula, a variable and a point (`question.limit`). The marks of a one-sided limit are
``0^+``, ``0^{-}``, ``x \downarrow 0``, a comparison after the arrow (``x \to 0, x > 0``), and words
such as "from the right".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from ...errors import ProblemError
from ..expression.build import mul
from ..expression.traversal import symbols_of
from ..expression.tree import Expression, Number, Symbol
from ..latex import ReadError, Reading, read
from .conditions import INDEX_LETTERS, Conditions, behind
from .integral import (
    INTEGRAL,
    IntegralProblem,
    Limit,
    definite_integral,
    limit_of,
    with_real_parameters,
)
from .layout import (
    coordinates,
    cut_at,
    cut_tail,
    marked_tables,
    only_reading,
    pieces_of,
    quotient_of,
    readings_of,
    restored_tables,
    unbraced,
)
from .marks import DELIMITER, LONGEST, SPACING, refuse_long
from .question.limit import BARE, SEQUENCE, SIGN, limit_question
from .sums import SumProblem, has_dots, has_product, has_sum, read_product, read_sum, sum_with_dots

_ARROW: Final = re.compile(
    r"\\(?:to|(?:long)?rightarrow|(?:long)?mapsto|(?P<down>downarrow|searrow)|(?P<up>uparrow|nearrow))"
    r"(?![A-Za-z])|→|⟶|-+>|(?P<from_above>↓)|(?P<from_below>↑)"
)
#: A side at the end of a point: ``0^+``, ``0^{-}``, ``0+``.
_SIDE: Final = re.compile(r"\s*(?:\^\s*\{?\s*|(?<=[0-9A-Za-z}]))(?P<sign>[+-])\s*\}?\s*\Z")
#: What may stand before the sign without changing the problem, besides words: ``L =``.
_LEAD: Final = re.compile(r"(?:[\s.,:;&?!}]|\\text\s*\{|[A-Za-z]\s*:?=)*")


class LimitProblem(NamedTuple):
    r"""A limit of a function or a sequence.

    Attributes:
        variable: the variable.
        at: the point as a tree. The integers 1 and -1 mean plus and minus infinity.
        side: 1 for a limit from the right, -1 from the left, 0 for a two-sided limit.
        readings: the function in every reading of the notation, the likeliest first.
        conditions: the conditions on the parameters.
        whole: whether the variable takes whole values only, as in a sequence.
        beside: the second variable and the point, for a limit in two variables.

    >>> problem = read_limit(r"\lim_{x\to0^+} x^x")
    >>> problem.variable, problem.side, problem.at
    ('x', 1, Number(numerator=0, denominator=1))

    """

    variable: str
    at: Limit
    side: int
    readings: tuple[Reading, ...]
    conditions: Conditions = Conditions()
    whole: bool = False
    beside: tuple[str, Expression] | None = None


def read_limit(text: str, parameters: Collection[str] = ()) -> LimitProblem:
    r"""Read a limit.

    Args:
        text: LaTeX with a limit sign, or a sentence.
        parameters: names of parameters.

    Returns:
        The limit as trees, with all readings of the notation.

    Raises:
        ProblemError: the text is unreadable, contains several limits, or has a letter that is
            neither the variable nor a parameter.

    Example:
        >>> read_limit("the limit of $1/n$ as $n$ approaches $\\infty$").whole
        True

    """
    refuse_long(text)
    formula, conditions = limit_question(text) or (text, Conditions())
    problem = _read_formula(formula, {*parameters, *dict(conditions.assumptions)})
    if problem.beside is not None and conditions != Conditions():
        raise ProblemError(f"{text!r}: a condition on a limit in two variables is not read")
    is_integer = dict(conditions.assumptions).get(problem.variable) == "integer"
    return problem._replace(
        conditions=problem.conditions.also(conditions),
        whole=problem.whole or (problem.at == 1 and is_integer),
    )


def _read_formula(text: str, parameters: Collection[str]) -> LimitProblem:
    formula, tables = marked_tables(BARE.sub(r"\\lim_{\g<approach>} ", text))
    written = _written(formula)
    if written is None:
        raise ProblemError(f"{text!r} has no limit sign")
    factor, subscript, body = written
    plane = _plane(subscript)
    second_limit = None
    if plane is not None:
        (x, y), (a, b) = plane
        second = limit_of(b, text, y)
        if isinstance(second, int):
            raise ProblemError(f"{text!r}: a limit at infinity in two variables is not read")
        second_limit, subscript, parameters = (y, second), rf"{x} \to {a}", (*parameters, y)
    name, at, side = _approach(subscript, text)
    variable = _variable(name, text)
    if SIGN.search(body):
        raise ProblemError(f"{text!r} has more than one limit")
    point = limit_of(at, text, variable)
    body = cut_tail(body).strip()
    body, conditions = restored_tables(body, tables), Conditions()
    try:
        readings = _readings(body, variable, text, {*parameters, *dict(conditions.assumptions)})
    except ProblemError:
        for inner_body, stated in behind(body):
            with suppress(ProblemError):
                names = {*parameters, *dict(stated.assumptions)}
                readings, conditions = _readings(inner_body, variable, text, names), stated
                break
        else:
            raise
    if factor:
        readings = _times(text, factor, body, readings)
    if plane is not None and (isinstance(point, int) or conditions != Conditions()):
        raise ProblemError(f"{text!r}: a condition on a limit in two variables is not read")
    is_sequence = point == 1 and (
        variable in {*INDEX_LETTERS} or dict(conditions.assumptions).get(variable) == "integer"
    )
    return LimitProblem(variable, point, side, readings, conditions, is_sequence, second_limit)


def read_limit_of_sum(text: str) -> tuple[str, SumProblem] | None:
    """Read a question for the limit of a sum as a variable grows. Return the variable and the sum.

    The result is None if the question has no sum after a limit sign, or the sum has several
    readings.

    Raises:
        ProblemError: the question is unreadable.

    """
    if len(text) > LONGEST or not (has_sum(text) or has_product(text) or has_dots(text)):
        return None
    question = limit_question(text)
    written = _written(question[0] if question else text)
    if written is None or written[0]:
        return None
    _, subscript, body = written
    body = cut_tail(body)
    if not (has_sum(body) or has_product(body) or has_dots(body)):
        return None
    name, at, _ = _approach(subscript, text)
    variable = _variable(name, text)
    if has_product(body):
        sums = read_product(body)
    else:
        sums = read_sum(body) if has_sum(body) else (sum_with_dots(body),)
    return (variable, sums[0]) if len(sums) == 1 and limit_of(at, text, variable) == 1 else None


class LimitOfIntegral(NamedTuple):
    """A limit of a factor times a definite integral.

    Attributes:
        variable: the variable.
        at: the point.
        side: 1 for a limit from the right, -1 from the left, 0 for a two-sided limit.
        factor: the factor.
        integral: the integral, whose limits may depend on the variable.

    """

    variable: str
    at: Limit
    side: int
    factor: Expression
    integral: IntegralProblem


def read_limit_of_integral(text: str) -> LimitOfIntegral | None:
    r"""Read a limit such as ``\lim_{x\to0} \frac{1}{x^3} \int_0^x f(t)\,dt``. The integral may also
    stand in a numerator.

    The result is None for any other question.

    Raises:
        ProblemError: the question is unreadable.

    """
    if len(text) > LONGEST or INTEGRAL.search(text) is None:
        return None
    question = limit_question(text)
    written = _written(question[0] if question else text)
    if written is None or written[0] or (sign := INTEGRAL.search(written[2])) is None:
        return None
    _, subscript, body = written
    name, at, side = _approach(subscript, text)
    variable = _variable(name, text)
    body = cut_tail(body)
    factor, integral = body[: sign.start()].strip() or "1", body[sign.start() :]
    quotient = quotient_of(body)
    if quotient is not None and INTEGRAL.search(quotient[0]):
        if quotient[2]:
            raise ProblemError(f"{text!r} has more than a quotient")
        factor, integral = rf"\frac{{1}}{quotient[1]}", quotient[0]
    if len(list(pieces_of(factor[1:], "+-"))) > 1:
        raise ProblemError(f"{text!r} has more than a multiple of an integral")
    tree = only_reading(factor, text, variable)
    point = limit_of(at, text, variable)
    return LimitOfIntegral(variable, point, side, tree, definite_integral(integral))


def _written(text: str) -> tuple[str, str, str] | None:
    """Find the limit sign of a formula. Return the factor, the subscript and the function.

    The factor stands before the sign, and is usually empty.

    If the formula has no limit sign, the result is None.
    """
    cut = cut_at(SIGN, DELIMITER.sub(" ", text))
    if cut is None:
        return None
    preceding, _, scripts, following = cut
    subscript = scripts.get("_", "")
    if not subscript and (sequence := SEQUENCE.fullmatch(cut_tail(following))):
        subscript = rf"{{{sequence['name']}\to\infty}}"  # \lim a_n
    if not subscript:
        raise ProblemError(f"{text!r}: the limit sign has no subscript")
    return _LEAD.sub("", SPACING.sub(" ", preceding), count=1).strip(), subscript, following


def _times(text: str, factor: str, body: str, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    r"""Multiply the function by the number before the limit sign, as in ``2\lim_{x\to0} \cos x``.

    Raises:
        ProblemError: the factor is no number, or the function is a sum, of which the factor may
            multiply the first term only.

    """
    multiplier = None
    with suppress(ReadError):
        multiplier = Number(-1) if factor == "-" else read(factor, symbols=())[0].expression
    is_sum = len(list(pieces_of(body.lstrip("-"), "+-"))) > 1
    if multiplier is None or symbols_of(multiplier) or is_sum:
        raise ProblemError(f"{text!r}: the limit sign has {factor!r} before it")
    return tuple(
        replace(reading, expression=mul(multiplier, reading.expression)) for reading in readings
    )


def _approach(subscript: str, text: str) -> tuple[str, str, int]:
    r"""Read a subscript such as ``{x \to 0^+}``. Return the variable, the point and the side."""
    inner = SPACING.sub(" ", unbraced(subscript).replace(r"\limits", " "))
    stacked = re.fullmatch(r"\s*\\(?:substack|scriptstyle)\s*\{?(.*?)\}?\s*", inner, re.DOTALL)
    inner = stacked[1] if stacked else inner
    approach, *conditions = re.split(r"\\\\|\\atop(?![A-Za-z])|,", inner)
    arrow = _ARROW.search(approach)
    if arrow is None:
        raise ProblemError(f"{text!r}: {subscript!r} has no arrow")
    name, point = approach[: arrow.start()].strip(" {}()"), approach[arrow.end() :].strip()
    side = bool(arrow["down"] or arrow["from_above"]) - bool(arrow["up"] or arrow["from_below"])
    point = unbraced(point)
    mark = _SIDE.search(point)
    if mark is not None and not point[: mark.start()].endswith(("(", "=")):
        side, point = 1 if mark["sign"] == "+" else -1, point[: mark.start()].strip()
    for condition in conditions:
        relation = re.fullmatch(
            rf"\s*{re.escape(name)}\s*(?:(?P<above>>|\\gt)|<|\\lt)\s*(?P<bound>.+?)\s*", condition
        )
        if relation is None or relation["bound"].strip("{} ") != point.strip("{} "):
            raise ProblemError(f"{text!r}: {condition!r} names no side")
        side = 1 if relation["above"] else -1
    return name, point, side


def _plane(subscript: str) -> list[list[str]] | None:
    r"""The two names and the two values of a point of the plane, as in ``(x,y) \to (0,0)``.

    The result is None for any other subscript.
    """
    inner = re.sub(r"\\(?:left|right)(?![A-Za-z])", " ", SPACING.sub(" ", subscript))
    arrow = _ARROW.search(inner)
    if arrow is None or arrow.lastgroup:  # from one side
        return None
    sides = inner[: arrow.start()].strip(" {"), inner[arrow.end() :].strip(" }")
    if not all(side.startswith("(") and side.endswith(")") for side in sides):
        return None
    names, values = map(coordinates, sides)
    is_plane = len(names) == len(values) == 2 and all(re.fullmatch("[a-z]", name) for name in names)
    return [names, values] if is_plane else None


def _variable(name: str, text: str) -> str:
    with suppress(ReadError):
        symbol = read(name, symbols=())[0].expression if len(name) > 1 else Symbol(name)
        if isinstance(symbol, Symbol) and symbol.name.strip():
            return symbol.name
    raise ProblemError(f"{text!r}: {name!r} is no variable")


def _readings(
    body: str, variable: str, text: str, declared: Collection[str]
) -> tuple[Reading, ...]:
    """Read the function. Readings with an impossible parameter are left out."""
    readings = readings_of(body, text, variable)
    return with_real_parameters(readings, text, body, variable, declared, has_sign=True)
