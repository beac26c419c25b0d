r"""Values of variables at points (``when x = 1, u = \pi/4``), and ranges (``0 < x < 1``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf, isinf

from ...numeric.ball_arithmetic.balls import UnusableError
from ...numeric.ball_arithmetic.evaluation import evaluate
from ...reading.expression.traversal import needs_worker, symbols_of
from ...reading.expression.tree import Expression
from ...reading.problem import Limit
from ...reading.problem.conditions import comparisons_of, interval_of
from .extents import NotReadError
from .operations import Integral, Side
from .result import Judgement
from .scope import Range, Scope
from .substitution import substituted
from .text import prose
from .text.letters import membership
from .text.statements import Statement

#: Points that are remembered, and where a half-line under a condition may begin: x^2 then hides 1
#: by two digits only. In 799 solutions half-lines begin at 2 or below, and no claim changes with 5.
MAX_POINTS, FAR = 24, 10.0

#: ``p \\ne 1`` leaves out a point, at which nothing is compared.
_LEFT_OUT = re.compile(r"\s*\\?[A-Za-z]+\s*(?:\\neq?(?![A-Za-z])|≠)\s*[^<>=≤≥]{1,40}")


def leaves_out_a_point(latex: str) -> bool:
    """Whether a condition only excludes a number."""
    return _LEFT_OUT.fullmatch(latex.strip(" .,;()")) is not None


def range_of(latex: str) -> tuple[str, Range] | None:
    """Read a condition such as ``0 < x < 1``: the variable and its range, or None."""
    comparisons = comparisons_of(latex.strip(" .,;"))
    names: set[str] = set().union(*map(symbols_of, comparisons))
    if len(names) != 1:
        return None
    (name,) = names
    interval = interval_of(comparisons, name)
    if interval is None:
        return None
    lower, upper = (
        number(infinite if end is None else end)
        for end, infinite in zip(interval.ends, (-1, 1), strict=True)
    )
    if lower is None or upper is None or lower >= upper:
        return None
    return name, (lower, upper)


def conditions_of(
    statements: Iterable[Statement], names: Collection[str]
) -> tuple[dict[int, dict[str, Range] | None], dict[str, Range]]:
    """The conditions of each sentence, and the ranges of new letters, as in "let b < 1".

    Args:
        statements: the statements of a text.
        names: the symbols in use.

    Returns:
        Two tables. The first table has the stated ranges by the number of the
        sentence. An entry is None if a condition of the sentence is not read. The second table has
        the ranges of new letters.

    """
    of_sentence: dict[int, dict[str, Range] | None] = {}
    of_letters: dict[str, Range] = {}
    for statement in statements:
        latex = statement.links[0].latex
        if not statement.condition or leaves_out_a_point(latex) or membership(statement):
            continue
        bounds = of_sentence.setdefault(statement.sentence, {})
        bound = None
        with suppress(ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            bound = range_of(latex) if len(statement.links) == 1 else None
        if bound and bound[0] not in names and prose.chooses(statement.lead):
            of_letters[bound[0]] = bound[1]
        if bounds is not None and bound is not None and bound[0] not in bounds:
            bounds[bound[0]] = bound[1]
        else:
            of_sentence[statement.sentence] = None
    return of_sentence, of_letters


def is_narrow(run: Range) -> bool:
    """Whether a range is small or far from 0. Different functions may look equal in such a range.

    The result is False only for a half-line that begins near 0.
    """
    ends = [abs(end) for end in run if not isinf(end)]
    return len(ends) != 1 or ends[0] > FAR


def number(limit: Limit) -> float | None:
    """A limit as a number. The result is None if the limit has symbols or no real value."""
    if isinstance(limit, int):
        return limit * inf
    if symbols_of(limit) or needs_worker(limit):
        return None
    try:
        value = evaluate(limit)
        real = value.is_finite() and value.imag.contains(0)
        return float(value.real.mid()) if real else None
    except (ArithmeticError, UnusableError):
        return None


@dataclass
class Points:
    """The named points of a text, each with the number of the sentence."""

    seen: list[tuple[int, str, Expression]] = field(default_factory=list)

    def add(self, sentence: int, name: str, value: Expression) -> None:
        """Record that a sentence names a point."""
        self.seen = [*self.seen[-MAX_POINTS:], (sentence, name, value)]

    def of(self, sentence: int, name: str | None = None) -> list[Expression]:
        """The values of ``name`` in a sentence. None stands for all variables."""
        return [
            point[2] for point in self.seen if point[0] == sentence and name in (None, point[1])
        ]

    def hold(
        self,
        pair: tuple[Side, Side],
        sentence: int,
        compare: Callable[[Side, Side], Judgement],
    ) -> bool:
        """Whether two sides are equal at a point of a sentence ("at x = 2, x^2 = 4")."""
        for of, name, value in self.seen:
            if of == sentence:
                at = {name: Side(value, {})}
                with suppress(NotReadError):
                    lhs, rhs = (substituted(side, at) for side in pair)
                    if compare(lhs, rhs) is Judgement.CORRECT:
                        return True
        return False

    def judge(
        self,
        sentence: int,
        bound: bool,
        name: str,
        value: Side,
        scope: Scope,
        compare: Callable[[Side, Side], Judgement],
    ) -> Judgement:
        """Judge a statement that a variable has a value at a point, such as u = 1 at x = 0.

        The text and the problem name points. The statement is right if the value fits a named
        point. The statement is wrong if the value fits no point, and the statement is a consequence
        of a point in the sentence. In all other cases, the statement is unchecked.

        Args:
            sentence: the number of the statement's sentence.
            bound: whether the statement is a consequence of a point: "if x = 0, then u = 1".
            name: the variable.
            value: the value of the variable.
            scope: the definitions in force.
            compare: judges whether two numbers are equal.

        """
        base, pairs = _related(name, value, scope)
        points_of_sentence = self.of(sentence, base)
        candidates = [
            *points_of_sentence,
            *(point[2] for point in self.seen if point[1] == base),
            *scope.ends(base),
        ]
        try:
            judgements = [compare(*pairs(at)) for at in candidates]
        except NotReadError:  # it grows too large
            return Judgement.UNCHECKED
        if Judgement.CORRECT in judgements:
            return Judgement.CORRECT
        wrong = (
            bound
            and points_of_sentence
            and all(judgement is Judgement.INCORRECT for judgement in judgements)
        )
        return Judgement.INCORRECT if wrong else Judgement.UNCHECKED


def _related(
    name: str, value: Side, scope: Scope
) -> tuple[str, Callable[[Expression], tuple[Side, Side]]]:
    """Find the independent variable of ``name``, and build equations at points.

    The returned function maps a point (a number for the independent variable) to two sides. The
    sides are equal if ``name`` has the value ``value`` at the point.
    """
    if name in scope.values:
        of = scope.values[name]
        moving = sorted(symbols_of(of.expression) & scope.variables)
        base = moving[0] if moving else scope.variable
        return base, lambda at: (substituted(of, {base: Side(at, {})}), value)
    changed = scope.changed[scope.variable]
    return scope.variable, lambda at: (substituted(changed, {name: value}), Side(at, {}))


def bound_variable(scope: Scope, integral: Integral) -> None:
    """Restrict the variable of a definite integral to the range between the limits."""
    if integral.limits is None:
        return
    scope.limits = integral.limits
    ends = sorted(end for limit in integral.limits if (end := number(limit)) is not None)
    if len(ends) == len(integral.limits) and ends[0] < ends[-1]:
        scope.ranges[scope.variable] = ends[0], ends[-1]
