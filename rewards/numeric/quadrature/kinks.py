"""Cuts a range of integration into pieces, for an f with |u|, max, floor, cases or real odd roots.

The range is cut where an argument of such a function changes sign or passes a whole number. On each
piece, each of these functions is one analytic expression: |u| is u or -u.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce

from flint import acb, arb

from ...reading.expression.traversal import all_nodes, fold, symbols_of
from ...reading.expression.tree import Call, Expression, Number
from ...reading.functions import PIECEWISE
from ..ball_arithmetic.balls import Break, Tape, UnusableError, precision
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.domain import isolate
from ..ball_arithmetic.jets import Ball
from .line import END_BITS
from .singularities import ISOLATED, named_numbers
from .work import QuadratureError

#: Intervals in the search for one argument's zeros, and how narrow they become: what happens in a
#: narrower one is bounded and added to the error, which is less than the 2^-216 of 60 digits.
#: The bits are more than twice as many, for a double zero.
SEARCH, WIDTH, SEARCH_BITS = 4_000, arb(2) ** -260, 640
#: The same for zeros of radicands, where a range is cut for speed only.
COARSE = arb(2) ** -30
#: Pieces that a range is cut into: one takes 0.125 ms, so that these take 0.3 s, and a contest's
#: year number of periods fits in.
MAX_PIECES = 2_500
#: Powers of two at which the search begins anew, so that kinks of any scale are met in few
#: halvings; beyond the last no kink is looked for, nor beyond `_FARTHEST` the zero of a linear
#: argument.
_MARKS, _FARTHEST = (-2, 0, 2, 4, 6, 9, 12, 40, 100, 400), arb(2) ** 2048
BREAKING = frozenset(function.name for function in PIECEWISE)
_RESOLVED = BREAKING | {"pow", "root"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the range on which the integrand is one analytic expression."""

    lower: arb
    upper: arb
    expression: Expression


def has_breaks(expression: Expression, variable: str) -> bool:
    """Whether a function of the variable has kinks or jumps."""
    return any(
        node.function in BREAKING and variable in symbols_of(node) for node in all_nodes(expression)
    )


def segments(
    expression: Expression, variable: str, values: Mapping[str, Ball], lower: arb, upper: arb
) -> tuple[list[Segment], arb]:
    """Cut a range at all points where a function in the integrand has a kink or a jump.

    Returns:
        The pieces and an error bound. The error is due to kinks that are not located exactly.

    Raises:
        QuadratureError: there are too many kinks or jumps, or they cannot be located.

    """
    try:
        expression = _without_squares(expression)
        tape = compile_tape(expression, variable)
        breaks = [*tape.breaks, *_odd_radicands(tape)]
        touched: list[tuple[arb, arb]] = []
        marks = [lower, *_places(tape, breaks, values, lower, upper, touched), upper]
        error = _uncertain(tape, values, touched)
        if not breaks and len(marks) == 2:
            marks = [lower, *_zeros_of_radicands(tape, values, lower, upper), upper]
        return [
            Segment(low, high, _resolved(expression, variable, values, _inside(low, high)))
            for low, high in itertools.pairwise(marks)
        ], error
    except UnusableError as error_:
        raise QuadratureError(str(error_)) from None


def _without_squares(node: Expression) -> Expression:
    """Replace |u^k| by u^k for even k in an expression, because u^k has no kink."""
    if not isinstance(node, Call) or not node.args:
        return node
    args = tuple(_without_squares(arg) for arg in node.args)
    inner = args[0]
    if node.function == "abs" and inner.function == "pow":
        exponent = fold(inner.args[1])
        if exponent is not None and exponent.denominator == 1 and exponent % 2 == 0:
            return inner
    return Call(node.function, args)


def _uncertain(tape: Tape, values: Mapping[str, Ball], touched: list[tuple[arb, arb]]) -> arb:
    """A bound of the error that is due to kinks whose exact location is unknown.

    Each kink lies in an interval of ``touched``. The bound is at least twice the integral of the
    integrand's absolute value over these intervals.
    """
    error = arb(0)
    with precision(SEARCH_BITS):
        for low, high in touched:
            value = tape.run(acb(low.union(high)), values, derivative=False)[tape.root][0]
            if not value.is_finite():
                raise QuadratureError("a kink beside a singularity")
            error += 2 * abs(value).upper() * (high - low)
        return arb(error.upper())


def _zeros_of_radicands(
    tape: Tape, values: Mapping[str, Ball], lower: arb, upper: arb
) -> list[arb]:
    """The zeros of the radicands of even roots, such as 1 + cos(2x) under a square root.

    The list is empty if there are too many zeros.
    """
    breaks = [Break(radicand, "zero") for _, order, radicand in tape.radicals if order % 2 == 0]
    with suppress(QuadratureError):
        return _places(tape, breaks, values, lower, upper, None)
    return []


def resolved(constant: Expression, values: Mapping[str, Ball]) -> Expression:
    """Replace piecewise functions, such as floor, in a constant by analytic expressions.

    The result holds for the given values of the parameters.

    Raises:
        UnusableError: a condition is not a comparison.

    """
    return _resolved(constant, "", values, arb(0))


def _odd_radicands(tape: Tape) -> list[Break]:
    return [Break(radicand, "zero") for _, order, radicand in tape.radicals if order % 2]


def _places(
    tape: Tape,
    breaks: list[Break],
    values: Mapping[str, Ball],
    lower: arb,
    upper: arb,
    touched: list[tuple[arb, arb]] | None,
) -> list[arb]:
    """The breakpoints inside the range, in ascending order and without repetition.

    Some breakpoints are only known to lie in an interval. If ``touched`` is a list, such intervals
    are added to the list.
    """
    breakpoints: list[arb] = []
    for break_ in dict.fromkeys(breaks):
        crossings = _linear(tape, break_, values, lower, upper)
        if crossings is None:
            crossings = list(_crossings(tape, break_, values, lower, upper, touched))
        breakpoints += [point for point in crossings if bool(point > lower) and bool(point < upper)]
        if len(breakpoints) > MAX_PIECES:
            raise QuadratureError("the integrand has too many kinks or jumps")
    with precision(END_BITS):
        breakpoints.sort(key=lambda point: point.mid())
        return [
            point
            for at, point in enumerate(breakpoints)
            if at == 0 or bool(point > breakpoints[at - 1])
        ]


def _linear(
    tape: Tape, break_: Break, values: Mapping[str, Ball], lower: arb, upper: arb
) -> list[arb] | None:
    """The points where the argument of a function passes zero or a whole number.

    The result is None if the slope of the argument is not constant.
    """
    if break_.at == "integer" and not (lower.is_finite() and upper.is_finite()):
        return None
    with precision(END_BITS):
        low, high = lower.max(-_FARTHEST), upper.min(_FARTHEST)
        start = arb(((low + high) / 2).mid()) if lower.is_finite() and upper.is_finite() else arb(0)
        interval = arb(low.lower()).union(arb(high.upper()))
        slope = tape.run(acb(interval), values, until=break_.slot)[break_.slot][1]
        if slope is None or not slope.is_finite() or slope.real.contains(0):
            return None
        # A slope that varies by more than rounding: a tape's rounding takes far fewer than 64 bits.
        if not slope.real.rad() < abs(slope.real) * arb(2) ** (64 - END_BITS):
            return None
        value = tape.run(acb(start), values, until=break_.slot)[break_.slot][0].real
        if break_.at == "zero":
            return [_named(start - value / slope.real)]
        ends = [value + (end - start) * slope.real for end in (lower, upper)]
        least = min(end.lower() for end in ends).floor()
        greatest = max(end.upper() for end in ends).ceil()
        if greatest - least > MAX_PIECES:
            raise QuadratureError("the integrand has too many kinks or jumps")
        whole_numbers = range(_whole(least), _whole(greatest) + 1)
        return [_named(start + (k - value) / slope.real) for k in whole_numbers]


def _named(point: arb) -> arb:
    """Return a number with a short name, such as pi/4, if the ball ``point`` contains one.

    Otherwise, return the ball.
    """
    for named in named_numbers(float(point), float(point)):
        if named.overlaps(point):
            return named
    return point


def _crossings(
    tape: Tape,
    break_: Break,
    values: Mapping[str, Ball],
    lower: arb,
    upper: arb,
    touched: list[tuple[arb, arb]] | None,
) -> Iterator[arb]:
    """Yield the points where the argument of a function passes zero or a whole number."""
    marks = [0.0, *(sign * 2.0**k for k in _MARKS for sign in (1, -1))]
    farthest = 2.0 ** _MARKS[-1]
    with precision(END_BITS):
        low, high = lower.max(-farthest).lower(), upper.min(farthest).upper()
        inner = sorted(mark for mark in marks if bool(low < mark) and bool(mark < high))
        queue = list(itertools.pairwise([low, *map(arb, inner), high]))
        for _ in range(SEARCH):
            if not queue:
                return
            a, b = queue.pop()
            # The bounds of wide intervals need no more bits than their width shows.
            with precision(128 if b - a > arb(2) ** -60 else SEARCH_BITS):
                value, slope = tape.run(acb(a.union(b)), values, until=break_.slot)[break_.slot]
            if value.is_finite() and not _passes(value.real, break_):
                continue
            middle = arb(((a + b) / 2).mid())
            if b - a < (COARSE if touched is None else WIDTH) * (1 + abs(middle)):
                # touched, not crossed: it may be passed anywhere in between
                if touched is None:
                    yield next(named_numbers(float(2 * a - b), float(2 * b - a)), middle)
                else:
                    touched.append((a, b))
                    yield middle
                continue
            if slope is not None and slope.is_finite() and not slope.real.contains(0):
                target = 0 if break_.at == "zero" else value.real.unique_fmpz()
                if target is not None:
                    crossing = _isolated(tape, break_.slot, arb(target), values, a, b)
                    if crossing is not None:
                        yield crossing
                    continue
            queue += [(a, middle), (middle, b)]
    raise QuadratureError("the integrand has too many kinks or jumps")


def _passes(value: arb, break_: Break) -> bool:
    return bool(value.contains(0) if break_.at == "zero" else value.contains_integer())


def _isolated(
    tape: Tape, slot: int, target: arb, values: Mapping[str, Ball], low: arb, high: arb
) -> arb | None:
    """Find the point of [low, high] where a monotone sub-expression has the value ``target``.

    If a number with a short name, such as pi/4, lies in the computed ball, the result is this
    number. If there is no such point, the result is None.
    """
    jet_at = partial(tape.at, slot, values=values)
    isolated = isolate(jet_at, target, low, high, arb(2) ** (ISOLATED - END_BITS))
    if isolated is None:
        return None
    return _named(arb(isolated[0].union(isolated[1])))


def _inside(low: arb, high: arb) -> arb:
    if low.is_finite() and high.is_finite():
        with precision(END_BITS):
            middle = arb(((low + high) / 2).mid())
        if not (bool(low < middle) and bool(middle < high)):
            raise QuadratureError("kinks or jumps that are too close to each other")
        return middle
    if low.is_finite():
        return arb((low + 1).mid())
    return arb((high - 1).mid()) if high.is_finite() else arb(0)


def _resolved(node: Expression, variable: str, values: Mapping[str, Ball], at: arb) -> Expression:
    """Replace functions such as abs and floor by their analytic form at a point."""
    if not isinstance(node, Call) or not node.args:
        return node
    if node.function in _RESOLVED and (not variable or variable in symbols_of(node)):
        with precision(END_BITS):
            chosen = _choose(node, variable, values, at)
        if chosen is not None:
            return _resolved(chosen, variable, values, at)
    return Call(node.function, tuple(_resolved(arg, variable, values, at) for arg in node.args))


def _choose(node: Call, variable: str, values: Mapping[str, Ball], at: arb) -> Expression | None:
    def value(argument: Expression) -> arb:
        tape = compile_tape(argument, variable)
        return arb(tape.run(acb(at), values, derivative=False)[tape.root][0].real)

    name, args = node.function, node.args
    if name == "abs":
        return Call("neg", args) if bool(value(args[0]) < 0) else args[0]
    if name in ("sgn", "heaviside"):
        argument = value(args[0])
        if argument.contains(0) and not argument.is_zero():
            raise UnusableError("a sign that is not known")
        low = Number(-1) if name == "sgn" else Number(0)
        return low if bool(argument < 0) else Number(1)
    if name in ("floor", "frac"):
        integer = Number(_whole(value(args[0]).floor()))
        return integer if name == "floor" else Call("add", (args[0], Call("neg", (integer,))))
    if name == "ceil":
        return Number(_whole(value(args[0]).ceil()))
    if name in ("max", "min"):
        sign = 1 if name == "max" else -1
        return reduce(lambda a, b: b if bool(sign * (value(b) - value(a)) > 0) else a, args)
    if name == "piecewise":
        for result, condition in zip(args[::2], args[1::2], strict=False):
            if _holds(condition, value):
                return result
        return args[-1] if len(args) % 2 else None
    return _root(node, value)


def _whole(value: arb) -> int:
    """The whole number in a ball.

    Raises:
        UnusableError: the ball contains several whole numbers.

    """
    integer = value.unique_fmpz()
    if integer is None:
        raise UnusableError("a whole part that is not known")
    return int(integer)


def _holds(condition: Expression, value: Callable[[Expression], arb]) -> bool:
    """Whether a condition holds at a point. ``value`` evaluates expressions at this point."""
    if not isinstance(condition, Call):
        raise UnusableError("a condition must be a comparison")
    if condition.function in ("and", "or"):
        results = [_holds(arg, value) for arg in condition.args]
        return all(results) if condition.function == "and" else any(results)
    left_value, right_value = (value(arg) for arg in condition.args)
    is_less, is_greater = bool(left_value < right_value), bool(left_value > right_value)
    return {
        "lt": is_less,
        "le": is_less,
        "gt": is_greater,
        "ge": is_greater,
        "ne": is_less or is_greater,
    }.get(condition.function, False)


def _root(node: Call, value: Callable[[Expression], arb]) -> Expression | None:
    """Rewrite the real power u^{p/q} of a negative u, for an odd q, as an analytic expression.

    The expression is -(-u)^{p/q} if p is odd, and (-u)^{p/q} if p is even. The result is None for
    any other power or root.
    """
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
