r"""Judges intervals of convergence: ``[2, 4)``, ``2 \le x < 4``, ``|x - 3| < 1``.

The ends of the interval are the centre plus and minus the radius. An end belongs to the interval if
the series converges there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ...errors import ProblemError
from ...numeric.outcome import Outcome
from ...proof.limits import are_equal
from ...proof.power_series import centre, radius
from ...reading.expression.build import ZERO, add, neg, number
from ...reading.expression.traversal import fold, substitute, symbols_of
from ...reading.expression.tree import Expression
from ...reading.latex import ReadError, read, signed_infinity
from ...reading.latex.tokens.roles import IS_VALUE
from ...reading.problem.layout import pieces_of
from ...reading.problem.power_series import SeriesQuestion
from ...reading.problem.sums import SumProblem
from ...verdict import Status

_SIZES: Final = re.compile(r"\\(?:(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])|[,;:! ])")
#: What may stand before an interval: ``x \in``, ``I =``.
_NAME: Final = re.compile(r"\A\s*[A-Za-z]\s*(?:\\in(?![A-Za-z])|∈|=)\s*")
#: All real numbers.
_REALS: Final = re.compile(r"\\(?:mathbb|mathbf)\s*\{?\s*R\s*\}?|ℝ")

_LESS: Final = re.compile(r"\\(?:leq?(?:slant)?|lt)(?![A-Za-z])|[<≤]")
_STRICT: Final = ("<", r"\lt")
_ABSOLUTE: Final = re.compile(
    r"(?:\||\\[lr]?vert)\s*(?P<name>[A-Za-z])(?P<shift>\s*(?:[+-][^|<>]*?)?)(?:\||\\[lr]?vert)"
)


class Interval(NamedTuple):
    """An interval of real numbers.

    Attributes:
        ends: the lower and the upper end. None means an infinite end.
        closed: whether the lower and the upper end belong to the interval.

    """

    ends: tuple[Expression | None, Expression | None]
    closed: tuple[bool, bool]


def read_interval(text: str, variable: str) -> Interval | None:
    r"""Read an interval in brackets or as an inequality. The result is None for any other text.

    >>> read_interval(r"-1 \le x < 1", "x").closed
    (True, False)
    >>> read_interval(r"(-\infty, 2]", "x").closed
    (False, True)
    """
    plain = _NAME.sub("", _SIZES.sub(" ", text).strip(" .$"))
    if _REALS.fullmatch(plain):
        return Interval((None, None), (False, False))
    if plain[:1] not in ("(", "[") or plain[-1:] not in (")", "]"):
        return _of_inequality(plain, variable)
    texts = list(pieces_of(plain[1:-1], ","))
    if len(texts) != 2:
        return None
    ends: list[Expression | None] = []
    closed = (plain[0] == "[", plain[-1] == "]")
    for end, is_closed, direction in zip(texts, closed, (-1, 1), strict=True):
        infinity = signed_infinity(end)
        value = _value(end) if infinity is None else None
        if (value is None and infinity != direction) or (infinity and is_closed):
            return None
        ends.append(value)
    return Interval((ends[0], ends[1]), closed)


def _value(text: str) -> Expression | None:
    """Read the number that a text states. The result is None for any other text."""
    try:
        tree = read(text, symbols=(IS_VALUE,))[0].expression
    except ReadError:
        return None
    return None if symbols_of(tree) else tree


def _of_inequality(text: str, variable: str) -> Interval | None:
    """Read an inequality such as a < x <= b or |x - c| < r as an interval."""
    pieces, relations = _LESS.split(text), _LESS.findall(text)
    absolute = _ABSOLUTE.fullmatch(pieces[0].strip())
    if len(pieces) == 2 and absolute and absolute["name"] == variable:
        shift = _value(f"0 {absolute['shift']}") if absolute["shift"].strip() else ZERO
        size = _value(pieces[1])
        if shift is None or size is None:
            return None
        closed = relations[0] not in _STRICT
        return Interval((neg(add(size, shift)), add(size, neg(shift))), (closed, closed))
    if len(pieces) != 3 or pieces[1].strip() != variable:
        return None
    brackets = ["[("[sign in _STRICT] for sign in relations]
    ends = f"{pieces[0]}, {pieces[2]}"
    return read_interval(f"{brackets[0]}{ends}{')' if brackets[1] == '(' else ']'}", variable)


def judge_interval(
    answer: Interval,
    question: SeriesQuestion,
    assumptions: Mapping[str, str],
    converges: Callable[[SumProblem], Outcome],
) -> Outcome:
    """Judge whether an interval is the interval of convergence of a power series.

    Args:
        answer: the interval.
        question: the question.
        assumptions: the assumption about each parameter, by the parameter's name.
        converges: a function from a sum to an outcome. The outcome is correct if the sum converges.

    Raises:
        ProblemError: the series is not a power series, or has parameters.
        QuadratureError: the radius of convergence was not found.
        NotExpandedError: the radius of convergence was not found.

    """
    if question.parameters or question.conditions.comparisons or len(question.series) != 1:
        raise ProblemError("an interval is judged only if the series has one reading, no parameter")
    size, middle, series = radius(question, assumptions), centre(question), question.series[0]
    if size is None:
        everywhere = answer.ends == (None, None)
        status = Status.CORRECT if everywhere else Status.INCORRECT
        return Outcome(status, points=1, proof="expansion", detail="" if everywhere else "all x")
    if fold(size) == 0:
        return Outcome(Status.UNDECIDED, detail="the series converges only at its centre")
    right_ends = (add(middle, neg(size)), add(middle, size))
    for end, right in zip(answer.ends, right_ends, strict=True):
        if end is None or not are_equal(end, right, {}):
            return Outcome(Status.INCORRECT, detail="another end of the interval")
    undecided = ""
    for end, closed in zip(answer.ends, answer.closed, strict=True):
        assert end is not None
        exact = fold(end)  # written shorter than the sum of centre and radius
        point = end if exact is None else number(exact)
        outcome = converges(
            series._replace(
                term=substitute(series.term, question.variable, point), asks_convergence=True
            )
        )
        if outcome.status not in (Status.CORRECT, Status.INCORRECT):
            undecided = outcome.detail or "the convergence at an end is not decided"
        elif closed != (outcome.status is Status.CORRECT):
            return Outcome(Status.INCORRECT, detail=f"at an end, {outcome.detail}")
    if undecided:
        return Outcome(Status.UNDECIDED, detail=undecided)
    return Outcome(Status.CORRECT, points=2, proof="expansion")
