"""Reduces ranges with many or infinitely many kinks to finite ranges with few kinks.

The integral over n periods is n times the integral over one period. If kinks accumulate at an end
p, the substitution x = p +- e^{-y} is made. If the range is infinite, the substitution is x = +-y.
The kinks then do not accumulate at a finite y. The range of y is cut at a point beyond which a
proved bound of the integral is negligible. The bound is added to the error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from ...reading.expression.build import PI, add, div, mul, neg, number
from ...reading.expression.traversal import all_nodes, fold, is_constant, substitute
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import COMPARISONS, TRIGONOMETRIC
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import Ball
from ..expansions.forms import linear_in_pi
from .enclosed.tails import tail_bound
from .kinks import BREAKING
from .line import RealLine, is_regular
from .pieces import monomial, pieces_towards
from .work import LOST_DIGITS, QuadratureError

#: Periods from which on one is integrated instead of all: with the rest of the range, two integrals
#: stand for three.
LEAST_PERIODS = 3
#: Where a range is cut, as powers of two: as many kinks are computed, at most half of
#: `kinks.MAX_PIECES`.
CUTS = range(3, 11)
#: Bits with which the periods of a range are counted, exactly up to 2^256 of them.
PERIOD_BITS = 256
_TURNS = frozenset(function.name for function in TRIGONOMETRIC)


@dataclass(frozen=True, slots=True)
class Range:
    """A part of an integral: an integral over a finite range of a new variable, plus ``tail``.

    If the tail diverges, ``sign`` is 1 or -1, the sign of the infinity to which the tail tends.
    Otherwise ``sign`` is 0.
    """

    expression: Expression
    lower: arb
    upper: arb
    tail: arb
    sign: int = 0


def period(expression: Expression, variable: str) -> tuple[Fraction, Fraction] | None:
    r"""A period a + b pi of an expression, as (a, b). If no period is found, the result is None.

    All occurrences of the variable must be in periodic functions.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> period(read(r"\cos^2(2x)")[0].expression, "x") == (0, 1)
    True
    """
    periods: list[tuple[Fraction, Fraction]] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if node == Symbol(variable):
            return None
        if node.function not in _TURNS and node.function != "frac":
            stack += node.args
            continue
        if is_constant(node, variable):
            continue
        linear_form = monomial(node.args[0], variable)
        exact = (
            linear_in_pi(linear_form[0])
            if linear_form is not None and linear_form[1] == 1
            else None
        )
        if exact is None or (exact[0] and exact[1]):
            return None
        inverse = 1 / abs(exact[0] or exact[1])
        if node.function == "frac":
            if exact[1]:
                return None
            periods.append((inverse, Fraction(0)))
        else:
            # sin(a x): 2 pi / a; sin(b pi x): 2 / b
            twice = 2 * inverse
            periods.append((twice, Fraction(0)) if exact[1] else (Fraction(0), twice))
    if not periods or len({bool(rational) for rational, _ in periods}) > 1:
        return None
    sizes = [rational or angle for rational, angle in periods]
    common = Fraction(
        math.lcm(*(size.numerator for size in sizes)),
        math.gcd(*(size.denominator for size in sizes)),
    )
    return (common, Fraction(0)) if periods[0][0] else (Fraction(0), common)


def whole_periods(
    size: tuple[Fraction, Fraction], lower: Expression, upper: Expression
) -> tuple[int, Expression, Expression] | None:
    """The number of complete periods in a range, and the ends of the first and the last period.

    ``size`` is the period, as from `period`.

    The result is None if the number is unknown or less than `LEAST_PERIODS`.
    """
    ends = linear_in_pi(lower), linear_in_pi(upper)
    if ends[0] is None or ends[1] is None:
        return None
    length = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    at = 0 if size[0] else 1
    with precision(PERIOD_BITS):
        real = arb(length[0].numerator) / length[0].denominator
        real += arb.pi() * length[1].numerator / length[1].denominator
        unit = arb(size[at].numerator) / size[at].denominator * (1 if at == 0 else arb.pi())
        floor_count = (real / unit).floor().unique_fmpz()
    if not length[1 - at]:
        count = length[at] // size[at]
    elif floor_count is not None:
        count = int(floor_count)
    else:
        return None
    if count < LEAST_PERIODS:
        return None
    step = number(size[at]) if at == 0 else mul(number(size[at]), PI)
    return count, add(lower, step), add(lower, mul(Number(count), step))


def cut_ranges(
    expression: Expression,
    variable: str,
    values: Mapping[str, Ball],
    lower: arb,
    upper: arb,
    limits: tuple[Expression | int, Expression | int],
    digits: int,
    accumulating: tuple[bool, bool],
) -> list[Range]:
    """Write an integral as a sum of integrals over finite ranges.

    Args:
        expression: the integrand.
        variable: the name of the integrand's variable. All new variables get the same name.
        values: the values of the parameters.
        lower: the lower limit.
        upper: the upper limit.
        limits: the limits as expressions.
        digits: decimal digits that are wanted.
        accumulating: two flags: whether kinks accumulate at the lower end, and at the upper end.

    Raises:
        QuadratureError: no negligible bound beyond a cut is found.

    """
    ends = (lower, upper)
    far = [accumulating[k] or not end.is_finite() for k, end in enumerate(ends)]
    if not any(far):
        return [Range(expression, lower, upper, arb(0))]
    if all(far):
        if lower.is_finite() and upper.is_finite():
            middle = arb(((lower + upper) / 2).mid())
        else:
            middle = lower + 1 if lower.is_finite() else upper - 1 if upper.is_finite() else arb(0)
    else:
        middle = upper if far[0] else lower
    return [
        _cut(expression, variable, values, end, limits[k], middle, 1 - 2 * k, digits)
        for k, end in enumerate(ends)
        if far[k]
    ]


def _cut(
    expression: Expression,
    variable: str,
    values: Mapping[str, Ball],
    end: arb,
    limit: Expression | int,
    start: arb,
    side: int,
    digits: int,
) -> Range:
    """Write the integral from ``start`` to an end as an integral over a finite range plus a
    remainder.

    The integral over the finite range has a new variable with the same name.
    """
    y = Symbol(variable)
    infinite = isinstance(limit, int)
    outwards = y if (side < 0) == infinite else neg(y)
    at = outwards if isinstance(limit, int) else add(limit, outwards)
    moved = simplified(substitute(expression, variable, at))
    start_y = -side * start if infinite else abs(start - end)
    pieces = pieces_towards(moved, variable, values, infinite, start_y, digits)
    if pieces is not None:
        return Range(pieces.expression, pieces.lower, pieces.cut, pieces.tail, pieces.sign)
    if not infinite:
        away = Call("exp", (neg(y),))
        moved = simplified(mul(substitute(moved, variable, away), away))
        start_y = -start_y.log()
    goal = arb(10) ** -(digits + LOST_DIGITS)
    for k in CUTS:
        cut_y = arb(2) ** k
        if not cut_y > start_y:
            continue
        error = tail_bound(moved, variable, values, cut_y, 1)
        if error < goal:
            return Range(moved, start_y, cut_y, arb(0, error))
    raise QuadratureError("the integrand has infinitely many kinks or jumps")


def simplified(node: Expression) -> Expression:
    """Collect equal terms in sums, and replace ln(e^u) by u and v/e^u by v e^(-u).

    >>> from calculus_harness.rewards.reading.latex import read
    >>> simplified(read("1-(1-x)")[0].expression)
    Symbol(name='x')

    """
    if not isinstance(node, Call) or not node.args:
        return node
    args = tuple(simplified(arg) for arg in node.args)
    name = node.function
    inner = args[0]
    if name == "add":
        return _collected(args)
    if name == "neg":
        return neg(inner)
    if name == "ln" and inner.function == "exp":
        return inner.args[0]
    if name == "log":
        return simplified(div(Call("ln", (inner,)), Call("ln", (args[1],))))
    if name == "div" and args[1].function == "exp":
        return mul(inner, Call("exp", (neg(args[1].args[0]),)))
    return Call(name, args)


def _collected(terms: tuple[Expression, ...]) -> Expression:
    """Cancel equal terms of opposite signs in a sum, and add the rational numbers in the sum."""
    counts: dict[Expression, int] = {}
    total = Fraction(0)
    stack = [(term, 1) for term in reversed(terms)]
    while stack:
        term, sign = stack.pop()
        ratio = fold(term)
        if ratio is not None:
            total += sign * ratio
        elif term.function == "neg":
            stack.append((term.args[0], -sign))
        elif term.function == "add":
            stack += [(arg, sign) for arg in reversed(term.args)]
        else:
            counts[term] = counts.get(term, 0) + sign
    collected = [
        mul(Number(count), term) if abs(count) != 1 else (term if count > 0 else neg(term))
        for term, count in counts.items()
        if count
    ]
    return add(number(total), *collected)


#: Functions that may break where their arguments have some value; of cases, the conditions.
_BREAKING = BREAKING - {"piecewise"} | {function.name for function in COMPARISONS}


def accumulates(
    expression: Expression, variable: str, values: Mapping[str, Ball], end: arb, side: int
) -> bool:
    """Whether an argument of a floor, a sign or a comparison is unbounded near a finite end."""
    if not end.is_finite():
        return False
    for node in all_nodes(expression):
        if node.function in _BREAKING:
            for argument in node.args:
                line = RealLine.of(argument, variable, values)
                if not is_constant(argument, variable) and not is_regular(line, end, side):
                    return True
    return False
