"""Integrands with |u|, max, floor, cases or real odd roots, cut into analytic ones.

Between two neighbouring places where an argument changes sign (or passes a whole number), each of
these functions is one analytic expression: |u| is u or -u.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from flint import acb, arb

from ..decision.balls import Break, Tape, UnusableError, precision
from ..decision.compiler import compile_tape
from ..decision.domain import isolate
from ..decision.jets import Ball
from ..expression.traversal import fold, symbols_of
from ..expression.tree import Call, Expression, Number
from .ends import END_BITS
from .line import QuadratureError
from .singularities import named_numbers

#: Intervals in the search for one argument's zeros, and how narrow (relative to 1 + |x|) they are.
SEARCH, WIDTH = 2_000, 2.0**-30
_RESOLVED = frozenset("abs sgn heaviside floor ceil frac max min piecewise pow root".split())


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the range on which the integrand is one analytic expression."""

    lower: arb
    upper: arb
    expression: Expression


def segments(
    expression: Expression, variable: str, values: Mapping[str, Ball], lower: arb, upper: arb
) -> list[Segment]:
    """The range cut where a function of the integrand has a kink or a jump.

    Raises:
        QuadratureError: there are too many such places, or they cannot be found.

    """
    try:
        tape = compile_tape(expression, variable)
        parts = [*tape.breaks, *_odd_radicands(tape)]
        marks = [lower, *_places(tape, parts, values, lower, upper), upper]
        if not parts and len(marks) == 2:
            marks = [lower, *_zeros_of_radicands(tape, values, lower, upper), upper]
        return [
            Segment(low, high, _resolved(expression, variable, values, _inside(low, high)))
            for low, high in itertools.pairwise(marks)
        ]
    except UnusableError as error:
        raise QuadratureError(str(error)) from None


def _zeros_of_radicands(
    tape: Tape, values: Mapping[str, Ball], lower: arb, upper: arb
) -> list[arb]:
    """Where square roots touch zero, as that of 1 + cos(2x) does; none if there are too many."""
    parts = [Break(radicand, "zero") for _, order, radicand in tape.radicals if order % 2 == 0]
    with suppress(QuadratureError):
        return _places(tape, parts, values, lower, upper)
    return []


def resolved(constant: Expression, values: Mapping[str, Ball]) -> Expression:
    """An expression without a variable, with its cases, floors and so on as the values choose.

    Raises:
        UnusableError: a condition is no comparison.

    """
    return _resolved(constant, "", values, arb(0))


def _odd_radicands(tape: Tape) -> list[Break]:
    return [Break(radicand, "zero") for _, order, radicand in tape.radicals if order % 2]


def _places(
    tape: Tape, parts: list[Break], values: Mapping[str, Ball], lower: arb, upper: arb
) -> list[arb]:
    """The breakpoints of all parts inside the range, in order."""
    places = [
        place
        for part in dict.fromkeys(parts)
        for place in _crossings(tape, part, values, lower, upper)
        if bool(place > lower) and bool(place < upper)
    ]
    places.sort(key=float)
    return [
        place
        for at, place in enumerate(places)
        if at == 0 or bool(place - places[at - 1] > WIDTH * 16)
    ]


def _crossings(
    tape: Tape, part: Break, values: Mapping[str, Ball], lower: arb, upper: arb
) -> Iterator[arb]:
    """Where the argument of one part passes zero, or a whole number."""
    marks = [0.0, *(sign * 2.0**k for k in (-2, 0, 2, 4, 6, 9, 12, 40) for sign in (1, -1))]
    low, high = max(float(lower), -(2.0**40)), min(float(upper), 2.0**40)
    inside = [low, *sorted(mark for mark in marks if low < mark < high), high]
    queue = [(arb(a), arb(b)) for a, b in itertools.pairwise(inside)]
    with precision(END_BITS):
        for _ in range(SEARCH):
            if not queue:
                return
            a, b = queue.pop()
            with precision(128):
                value, slope = tape.run(acb(a.union(b)), values, until=part.slot)[part.slot]
            if value.is_finite() and not _passes(value.real, part):
                continue
            middle = arb(((a + b) / 2).mid())
            if b - a < WIDTH * (1 + abs(middle)):
                # Touched, not crossed, or at a singularity.
                yield next(named_numbers(float(2 * a - b), float(2 * b - a)), middle)
                continue
            if slope is not None and slope.is_finite() and not slope.real.contains(0):
                target = 0 if part.at == "zero" else value.real.unique_fmpz()
                if target is not None:
                    place = _isolated(tape, part.slot, arb(target), values, a, b)
                    if place is not None:
                        yield place
                    continue
            queue += [(a, middle), (middle, b)]
    raise QuadratureError("the integrand has too many kinks or jumps")


def _passes(value: arb, part: Break) -> bool:
    return bool(value.contains(0) if part.at == "zero" else value.contains_integer())


def _isolated(
    tape: Tape, slot: int, target: arb, values: Mapping[str, Ball], low: arb, high: arb
) -> arb | None:
    """The point of [low, high] where a monotone part has a value, exactly if it has a name."""
    part = partial(tape.at, slot, values=values)
    isolated = isolate(part, target, low, high, arb(2) ** (16 - END_BITS))
    if isolated is None:
        return None
    place = arb(isolated[0].union(isolated[1]))
    for named in named_numbers(float(place), float(place)):
        if named.overlaps(place):
            return named
    return place


def _inside(low: arb, high: arb) -> arb:
    if low.is_finite() and high.is_finite():
        return arb(((low + high) / 2).mid())
    if low.is_finite():
        return arb((low + 1).mid())
    return arb((high - 1).mid()) if high.is_finite() else arb(0)


def _resolved(node: Expression, variable: str, values: Mapping[str, Ball], at: arb) -> Expression:
    """The expression with its functions of `_RESOLVED` as they are at a point."""
    if not isinstance(node, Call) or not node.args:
        return node
    if node.function in _RESOLVED and (not variable or variable in symbols_of(node)):
        chosen = _choose(node, variable, values, at)
        if chosen is not None:
            return _resolved(chosen, variable, values, at)
    return Call(node.function, tuple(_resolved(arg, variable, values, at) for arg in node.args))


def _choose(node: Call, variable: str, values: Mapping[str, Ball], at: arb) -> Expression | None:
    def value(part: Expression) -> arb:
        tape = compile_tape(part, variable)
        with precision(256):
            return arb(tape.run(acb(at), values, derivative=False)[tape.root][0].real)

    name, args = node.function, node.args
    if name in ("abs", "sgn", "heaviside"):
        negative = bool(value(args[0]) < 0)
        if name == "abs":
            return Call("neg", args) if negative else args[0]
        low = Number(-1) if name == "sgn" else Number(0)
        return low if negative else Number(1)
    if name in ("floor", "ceil", "frac"):
        whole = Number(int(value(args[0]).floor().unique_fmpz() or 0))
        if name == "frac":
            return Call("add", (args[0], Call("neg", (whole,))))
        return Number(whole.numerator + 1) if name == "ceil" else whole
    if name in ("max", "min"):
        return (max if name == "max" else min)(args, key=lambda arg: float(value(arg)))
    if name == "piecewise":
        for result, condition in zip(args[::2], args[1::2], strict=False):
            if _holds(condition, value):
                return result
        return args[-1] if len(args) % 2 else None
    return _root(node, value)


def _holds(condition: Expression, value: Callable[[Expression], arb]) -> bool:
    """Whether a condition holds at a point that is no breakpoint."""
    if not isinstance(condition, Call):
        raise UnusableError("a condition must be a comparison")
    if condition.function in ("and", "or"):
        results = [_holds(arg, value) for arg in condition.args]
        return all(results) if condition.function == "and" else any(results)
    left, right = (value(arg) for arg in condition.args)
    below, above = bool(left < right), bool(left > right)
    return {"lt": below, "le": below, "gt": above, "ge": above, "ne": below or above}.get(
        condition.function, False
    )


def _root(node: Call, value: Callable[[Expression], arb]) -> Expression | None:
    """A real odd root of a negative radicand u: -(-u)^{p/q} or (-u)^{p/q}."""
    base, exponent = node.args
    if node.function == "root":
        exponent = Call("div", (Number(1), exponent))
    ratio = fold(exponent)
    if ratio is None or ratio.denominator % 2 == 0 or ratio.denominator == 1:
        return None
    if (isinstance(base, Call) and base.function == "neg") or not bool(value(base) < 0):
        return None
    positive = Call("pow", (Call("neg", (base,)), exponent))
    return Call("neg", (positive,)) if ratio.numerator % 2 else positive
