r"""Integrals over infinitely many pieces, such as the integral of \lfloor x\rfloor/x^3.

The jumps of f accumulate at an end of the range. Let z be the distance from this end, or from 0 if
the end is infinite. Suppose that the arguments of all floors and fractional parts are c_k z^q +
d_k, and that the ratios of the c_k are rational. Then the jumps recur in t = |c_1| z^q with a whole
period L. Put t = L n + s, with n + 1/2 whole. The jumps divide -L/2 < s < L/2 into pieces. On each
piece, f dz/dt is an analytic function of n, which is written as n^{-v} m_s(1/n). For fixed s, the
sum over all n from M on is

    sum_{k < K} m_s^(k)(0)/k! zeta(v + k, M) + R,    |R| <= 2 B r^{-K} zeta(v + K, M),

where |m_s| <= B on the disc of radius r >= 2/M (Cauchy's estimate). On each piece, the sum is
analytic in s, and is integrated rigorously.

If v <= 1, the mean c of m_s(0) over s decides whether the integral converges. If c is not 0, the
integral over the first N periods grows as c N^{1-v} or c ln N, so the integral diverges. Exact
polynomials in n and s can show that c is exactly 0. If c is 0 and v > 0, the terms k = 0 cancel.
The value is then the sum above without these terms.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from flint import Ordering, acb, arb, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from ...reading.expression.build import ONE, ZERO, add, div, mul, neg, number, power
from ...reading.expression.traversal import all_nodes, fold, is_constant, nodes_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import names
from ...reading.functions.record import AT_INTEGERS
from ..ball_arithmetic.balls import precision
from ..ball_arithmetic.jets import NAN, Ball
from ..expansions import models
from ..expansions.forms import FormExpander, linear_in_pi
from ..expansions.models import NoModelError, TaylorModel
from . import analytic
from .kinks import BREAKING
from .work import spend, target_bits

#: The radius of the disc of u = 1/n: 1/(1 + u s)^3 has a bound there for |s| <= 1/2.
RADIUS = arb(1) / 6
#: Periods before the sum is one of zeta functions: each coefficient is good for four binary places,
#: 6/96 = 1/16; more for discs that are smaller.
PERIODS, BITS_PER_TERM = (96, 512), 4
#: Coefficients beyond those of the accuracy, for powers of the scale in front of the series; and
#: bits for the cancellation of the zeta functions of neighbouring periods.
MORE_TERMS, SUM_BITS = 16, 128
#: Pieces of a period, and evaluations of the sum: 57 and 83 for two typical ones, 1 to 4 ms each.
MAX_PIECES, EVALUATIONS = 48, 1_000
#: An s at which the coefficient of n^{-v} is likely to be its own: it is zero at few.
GENERIC = fmpq(1234, 4321)
#: What an operation on series counts for: they have about as many coefficients at 60 digits.
SERIES = 20
_JUMPING = names(lambda function: function.breaks == AT_INTEGERS)
#: Names of n and s.
_N, _S = "@n", "@s"


@dataclass(frozen=True, slots=True)
class Pieces:
    """An integral over infinitely many pieces, cut at the jumps of floors. From ``cut`` on, the
    integral is a sum over the pieces.

    Attributes:
        expression: the integrand in a new variable t.
        lower: the t of the start.
        cut: the t at which the sum over the pieces begins.
        tail: the integral from ``cut`` on.
        sign: 1 or -1 if the integral tends to plus or minus infinity, else 0.

    """

    expression: Expression
    lower: arb
    cut: arb
    tail: arb
    sign: int = 0


@dataclass(frozen=True, slots=True)
class _Argument:
    """The linear argument k t + d of a floor function or fractional part."""

    slope: Fraction
    shift: Fraction

    def floor(self, t: Fraction) -> int:
        return math.floor(self.slope * t + self.shift)

    def jumps(self, length: int) -> Iterator[Fraction]:
        """Yield the points t between 0 and ``length`` at which the argument k t + d is whole."""
        ends = sorted((self.shift, self.shift + self.slope * length))
        for integer in range(math.ceil(ends[0]), math.floor(ends[1]) + 1):
            yield (integer - self.shift) / self.slope


def pieces_towards(
    expression: Expression,
    variable: str,
    values: Mapping[str, Ball],
    infinite: bool,
    start: arb,
    digits: int,
) -> Pieces | None:
    """The integral of f(z) from a start to the end, which is z = 0 or infinity.

    Args:
        expression: f, whose jumps accumulate at the end.
        variable: the name of z, which is positive.
        values: the values of the parameters.
        infinite: whether the end is infinity.
        start: the z at which the integral begins.
        digits: decimal digits that are wanted.

    Returns:
        The integrand in a new variable on a finite range, and an enclosure of the integral beyond
        this range. The result is None if f does not have the form that is needed, or no enclosure
        is found.

    """
    monomial_form = _coordinate(expression, variable, values)
    if monomial_form is None or (monomial_form[1] > 0) != infinite:
        return None
    scale, q, arguments = monomial_form
    # The jumps recur after the least common period of all arguments, or twice that with (-1)^floor.
    t = Symbol(variable)
    length = math.lcm(*(argument.slope.denominator for argument in arguments.values()))
    length *= 2 if any(_is_sign(node) for node in nodes_of(expression)) else 1
    if sum(abs(argument.slope) * length for argument in arguments.values()) > MAX_PIECES:
        return None
    steps = sorted(
        {Fraction(0), Fraction(length), *(x for a in arguments.values() for x in a.jumps(length))}
    )

    def moved(t_value: Expression, jump: Callable[[Call, _Argument], Expression]) -> Expression:
        """The integrand f(z) dz/dt at a point t. ``jump`` replaces a floor by its value."""
        inner = power(div(t_value, scale), number(1 / q))
        replaced = _mapped(expression, arguments, jump, variable, inner)
        return mul(
            replaced, div(ONE, scale) if q == 1 else div(inner, mul(number(abs(q)), t_value))
        )

    def as_it_is(node: Call, argument: _Argument) -> Expression:
        return Call(node.function, (add(mul(number(argument.slope), t), number(argument.shift)),))

    # The integrand on each piece between two jumps, as a function of n and of s from 0 to 1.
    summands: list[Expression] = []
    half = Fraction(length, 2)
    for low, high in itertools.pairwise(steps):
        within_period = add(number(low - half), mul(number(high - low), Symbol(_S)))
        point = add(mul(Number(length), Symbol(_N)), within_period)
        piece = _OnAPiece(length, (low + high) / 2, within_period)
        summands.append(mul(number(high - low), moved(point, piece)))
    bits = target_bits(digits)
    with precision(bits + SUM_BITS), models.series_length(bits // BITS_PER_TERM + MORE_TERMS):
        start_t = _value(scale, values) * start ** arb(fmpq(q.numerator, q.denominator))
        counts = [count for count in PERIODS if count * length > start_t + 1]
        # A mean that is not zero proves divergence; an unknown mean has to cancel exactly.
        mean = _mean(summands, values, bits)
        if mean is not None and counts and not mean[1].contains(0):
            sum_start, sign = arb(counts[0] * length), 1 if mean[1] > 0 else -1
            return Pieces(moved(t, as_it_is), start_t, sum_start, arb(0), sign)
        if mean is not None and not _cancel(summands):
            return None
        for count in counts:
            remainder = _sum(summands, values, count, bits, mean and mean[0])
            if remainder is not None:
                return Pieces(moved(t, as_it_is), start_t, arb(count * length), remainder)
    return None


@dataclass(frozen=True, slots=True)
class _OnAPiece:
    """The values of floors and fractional parts on a piece of one period.

    The module's docstring explains the pieces.
    """

    length: int
    middle: Fraction
    inside: Expression

    def __call__(self, node: Call, argument: _Argument) -> Expression:
        floor_value = argument.floor(self.middle) - argument.slope * self.length / 2
        if node.function == "frac":
            return add(
                mul(number(argument.slope), self.inside), number(argument.shift - floor_value)
            )
        floor_value += node.function == "ceil"
        return add(mul(number(argument.slope * self.length), Symbol(_N)), number(floor_value))

    def parity(self, node: Call, argument: _Argument) -> Expression:
        """A whole number that is even if and only if the value of ``node`` is even."""
        return Number(argument.floor(self.middle) + (node.function == "ceil"))


def _mapped(
    node: Expression,
    arguments: Mapping[Expression, _Argument],
    jump: Callable[[Call, _Argument], Expression],
    variable: str,
    inner: Expression,
) -> Expression:
    """Replace a variable by ``inner``, and each floor by the result of ``jump``."""
    if node == Symbol(variable):
        return inner
    if not isinstance(node, Call) or not node.args:
        return node
    if node in arguments:
        return jump(node, arguments[node])
    if isinstance(jump, _OnAPiece) and _is_sign(node):
        count = fold(_mapped(node.args[1], arguments, jump.parity, variable, inner))
        if count is not None and count.denominator == 1:
            return Number(-1 if count % 2 else 1)
    args = (_mapped(arg, arguments, jump, variable, inner) for arg in node.args)
    return Call(node.function, tuple(args))


def _is_sign(node: Expression) -> bool:
    """Whether a node is a power of -1, such as (-1)^u."""
    return node.function == "pow" and fold(node.args[0]) == -1


def _coordinate(
    expression: Expression, variable: str, values: Mapping[str, Ball]
) -> tuple[Expression, Fraction, dict[Expression, _Argument]] | None:
    """Find c > 0 and q such that each floor or fractional part has an argument k t + d in t = c
    z^q.

    The result is None if the arguments have another form.
    """
    scale: Expression | None = None
    exponent = Fraction(0)
    arguments: dict[Expression, _Argument] = {}
    for node in nodes_of(expression):
        if node.function not in BREAKING or is_constant(node, variable):
            continue
        monomial_form = monomial(node.args[0], variable) if node.function in _JUMPING else None
        shift = fold(monomial_form[2]) if monomial_form is not None else None
        if monomial_form is None or shift is None:
            return None
        slope, q, _ = monomial_form
        if scale is None:
            scale, exponent = slope if _value(slope, values) > 0 else neg(slope), q
        ratio = linear_in_pi(div(slope, scale))
        if slope in (scale, neg(scale)):
            ratio = Fraction(1 if slope == scale else -1), Fraction(0)
        if ratio is None or ratio[1] or q != exponent:
            return None
        arguments[node] = _Argument(ratio[0], shift)
    return None if scale is None else (scale, exponent, arguments)


def monomial(node: Expression, variable: str) -> tuple[Expression, Fraction, Expression] | None:
    r"""Split an expression c z^q + d into c, q and d. For any other expression, the result is None.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> monomial(read(r"2-\frac{3}{\sqrt z}")[0].expression, "z")[1]
    Fraction(-1, 2)
    """
    if node == Symbol(variable):
        return ONE, Fraction(1), ZERO
    name, args = node.function, node.args
    varying = [arg for arg in args if not is_constant(arg, variable)]
    inner = monomial(varying[0], variable) if len(varying) == 1 else None
    if inner is None:
        return None
    slope, q, shift = inner
    constants = [arg for arg in args if is_constant(arg, variable)]
    if name == "neg":
        return neg(slope), q, neg(shift)
    if name == "add":
        return slope, q, add(shift, *constants)
    if name == "mul":
        return mul(slope, *constants), q, mul(shift, *constants)
    if name == "div" and varying[0] is args[0]:
        return div(slope, constants[0]), q, div(shift, constants[0])
    if shift != ZERO:
        return None
    if name == "div":
        return div(constants[0], slope), -q, shift
    if name in ("pow", "root", "sqrt") and varying[0] is args[0]:
        ratio = Fraction(1, 2) if name == "sqrt" else fold(constants[0])
        if ratio:
            ratio = 1 / ratio if name == "root" else ratio
            return power(slope, number(ratio)), q * ratio, shift
    return None


def _value(constant: Expression, values: Mapping[str, Ball]) -> arb:
    function = analytic.box_function(constant, "", values)
    return arb("nan") if function is None else function(acb(0), False).real


def _mean(
    summands: list[Expression], values: Mapping[str, Ball], bits: int
) -> tuple[Fraction, arb] | None:
    """Find the leading term c n^{-v} of the integral over the n-th period. Return v and c.

    The result is None if v > 1, or if a piece decays more slowly than the sum.
    """
    slowest = Fraction(2)

    def leading(s: Ball, _: bool) -> Ball:
        expander = _expander(summands, values, s)
        try:
            total = _total(summands, expander, lambda valuation: valuation >= slowest)
        except NoModelError:
            return NAN
        return total.series[0] if total and total.valuation == slowest else acb(0)

    expander = _expander(summands, values, acb(GENERIC))
    with suppress(NoModelError):
        total = _total(summands, expander)
        slowest = slowest if total is None else total.valuation
    if slowest > 1:
        return None
    value = analytic.integrate(leading, arb(0), arb(1), bits, EVALUATIONS)
    return None if value is None or not value.imag.contains(0) else (slowest, arb(value.real))


def _cancel(summands: list[Expression]) -> bool:
    """Whether the integral over a period provably has no leading term, and each piece decays."""
    ring = fmpq_mpoly_ctx.get(("n", "s"), Ordering.lex)
    numerator, denominator = ring.from_dict({}), ring.from_dict({(0, 0): 1})
    for summand in summands:
        ratio = _ratio(summand, ring)
        if ratio is None or not ratio[0].degrees()[0] < ratio[1].degrees()[0]:
            return False
        numerator, denominator = (
            numerator * ratio[1] + ratio[0] * denominator,
            denominator * ratio[1],
        )
    top, bottom = (poly.to_dict() for poly in (numerator, denominator))
    bottom_degree = max((n for n, _ in bottom), default=0)
    if [key for key in bottom if key[0] == bottom_degree] != [(bottom_degree, 0)]:
        return False  # the leading coefficient is no polynomial in s
    top_degree = max((n for n, _ in top), default=0)
    mean = sum((c / (s + 1) for (n, s), c in top.items() if n == top_degree), fmpq(0))
    return bool(mean == 0)


def _ratio(node: Expression, ring: fmpq_mpoly_ctx) -> tuple[fmpq_mpoly, fmpq_mpoly] | None:
    """Write an expression as a quotient of two polynomials in n and s with rational coefficients.

    The result is None if the expression is not such a quotient.
    """
    unit = ring.from_dict({(0, 0): 1})
    if isinstance(node, Number):
        return unit * node.numerator, unit * node.denominator
    if isinstance(node, Symbol):
        at = {_N: 0, _S: 1}.get(node.name)
        return None if at is None else (ring.gens()[at], unit)
    exponent = fold(node.args[1]) if node.function == "pow" else None
    if exponent is not None and exponent.denominator == 1 and abs(exponent) <= MAX_PIECES:
        inner = _ratio(node.args[0], ring)
        if inner is None:
            return None
        numerator, denominator = inner if exponent >= 0 else inner[::-1]
        return numerator ** abs(int(exponent)), denominator ** abs(int(exponent))
    args = [_ratio(arg, ring) for arg in node.args]
    ratios = [arg for arg in args if arg is not None]
    if len(ratios) < len(args) or node.function not in ("add", "neg", "mul", "div"):
        return None
    numerator, denominator = ratios[0]
    if node.function == "neg":
        return -numerator, denominator
    for top, bottom in ratios[1:]:
        if node.function == "add":
            numerator, denominator = numerator * bottom + top * denominator, denominator * bottom
        elif node.function == "mul":
            numerator, denominator = numerator * top, denominator * bottom
        else:
            numerator, denominator = numerator * bottom, denominator * top
    return numerator, denominator


def _sum(
    summands: list[Expression],
    values: Mapping[str, Ball],
    start_count: int,
    bits: int,
    without: Fraction | None,
) -> arb | None:
    """The sum of the integrals over all pieces of the periods n >= ``start_count`` + 1/2.

    The variable s runs from 0 to 1 on each piece. If ``without`` is an exponent v, the terms with
    n^{-v} are left out, because the integrals of these terms cancel.
    """
    summed = _summed(summands, values, start_count, bits, without)
    # The middle, and points near both ends.
    if not all(summed(acb(fmpq(k, 64)), True).is_finite() for k in (32, 1, 63)):
        return None  # nor is it on a box
    value = analytic.integrate(summed, arb(0), arb(1), bits, EVALUATIONS)
    return None if value is None or not value.imag.contains(0) else arb(value.real)


def _total(
    summands: list[Expression],
    expander: FormExpander,
    decays: Callable[[Fraction], bool] = lambda _: True,
) -> TaylorModel | None:
    """Add expressions, expanded in powers of 1/n. If the sum is zero, the result is None.

    Raises:
        NoModelError: an expression has no expansion, or ``decays`` is false for the exponent v of
            its leading term c n^{-v}.

    """
    total: TaylorModel | None = None
    for summand in summands:
        form = expander.expand(summand)
        if isinstance(form, TaylorModel):
            if not decays(form.valuation):
                raise NoModelError("a piece that decays too slowly")
            total = form if total is None else models.add(total, form)
        elif any(term.factor != Number(0) for term in form):
            raise NoModelError("pieces with an exponential factor")
    return total


def _expander(summands: list[Expression], values: Mapping[str, Ball], s: Ball) -> FormExpander:
    """Make an expander that writes functions of n and ``s`` in powers of 1/n. Count the work."""
    # each operation on series takes as long as so many on balls
    spend(sum(len(all_nodes(summand)) for summand in summands) * SERIES)
    compiled: dict[Expression, analytic.BoxFunction | None] = {}

    def constant(node: Expression) -> Ball:
        if node not in compiled:
            compiled[node] = analytic.box_function(node, _S, values)
        function = compiled[node]
        return NAN if function is None else function(s, True)

    index_model = (_N, models.monomial(1, -1, RADIUS))
    return FormExpander("y1", index_model, values, holomorphic=constant)


def _summed(
    summands: list[Expression],
    values: Mapping[str, Ball],
    start_count: int,
    bits: int,
    without: Fraction | None = None,
) -> analytic.BoxFunction:
    """Make the function of s that adds up the integrand at the place s of all periods."""
    start = acb(fmpq(2 * start_count + 1, 2))
    zetas: dict[Fraction, Ball] = {}

    def zeta(exponent: Fraction) -> Ball:
        if exponent not in zetas:
            power_ = acb(fmpq(exponent.numerator, exponent.denominator))
            zetas[exponent] = power_.zeta(start)
        return zetas[exponent]

    def summed(s: Ball, _: bool) -> Ball:
        expander = _expander(summands, values, s)
        try:
            # without this, the integral over a part of a period does not tend to 0
            total = _total(summands, expander, lambda valuation: valuation > 0)
        except NoModelError:
            return NAN
        if total is None:
            return acb(0)
        order = 1 if total.is_power else total.series.prec
        if not (total.valuation > 1 or total.valuation == without) or not (
            total.is_power or start_count * total.radius >= 2
        ):
            return NAN
        value = acb(0)
        for k in range(total.valuation == without, order):
            value += total.series[k] * zeta(total.valuation + k)
        if total.is_power:
            return value
        remainder = total.remainder * abs(zeta(total.valuation + order))
        if not remainder < arb(2) ** -bits:
            return NAN  # on a smaller box of s the disc is larger
        return value + acb(arb(0, remainder.upper()), arb(0, remainder.upper()))

    return summed
