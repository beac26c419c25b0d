"""The values of definite integrals, nested integrals included, and of limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, pairwise

from flint import acb, arb

from ....numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ....numeric.ball_arithmetic.compare import differ
from ....numeric.ball_arithmetic.compiler import compile_tape
from ....numeric.ball_arithmetic.domain import real_everywhere
from ....numeric.ball_arithmetic.jets import ZERO, Ball
from ....numeric.ball_arithmetic.magnitude import DIGITS_PER_BIT, log2
from ....numeric.quadrature import DefiniteIntegral, QuadratureError, evaluate
from ....numeric.quadrature.analytic import box_function, integrate
from ....numeric.quadrature.line import limit_value
from ....numeric.quadrature.work import work_limit
from ....numeric.sampling.integrand import Integrand
from ....numeric.summation.value import infinite_sum
from ....reading.expression.build import number
from ....reading.expression.traversal import fold, substitute, symbols_of
from ....reading.expression.tree import Expression
from ..extents import NotReadError
from ..operations import Integral, LimitAt, Operation, Series
from .confirmation import length_of_numbers

#: Bits to which values are computed if the numbers of a claim are short, bits that are lost on the
#: way to the value of a proper integral, and evaluations for a proper integral.
ACCURACY, LOST, EVALUATIONS = 96, 96, 2_000
#: What a limit and an improper integral cost, in evaluations, and one that is not found (0.6 s).
LIMIT_COST, IMPROPER, FAILED = 100, 1_500, 10_000
#: What an infinite sum costs, in evaluations, and the operations that it may take: as an evaluation
#: takes up to 50 us (`work.EVALUATED`), and an operation 1 us. The longest of 116 sums of the
#: banks and examinations takes 9636.
SERIES_COST = 300
ONE_SERIES = 50 * SERIES_COST
#: Nodes of two quadratures of the outer one of nested integrals, and the length of the numbers of
#: an integrand without a peak between all nodes: ``e^{-10^6 x^2}`` is narrower than their distance.
NODES, LONGEST_NESTED = (32, 40), 16
#: A limit is taken where the variable is so near, or so far, in bits, to so many bits. Of 799
#: solutions two have five claims that are unchecked with half of the bits; none changes with twice.
NEAR, LIMIT_BITS, SETTLED = (400, 450, 500), 4096, 64
#: The longest numbers, all together, of a function whose limit is seen at these places:
#: x/(x + 10^{-200}) tends to 0, and is 1 to 100 bits where x is 2^{-400}.
LONGEST = 100
#: A value grows without end if it grows by the same amount from place to place, as a logarithm
#: does to so many bits, or at least so much faster each time and to so many bits, as x^{1/20} does
#: (2^{2.5} from place to place, 2^{25} at the last).
EVEN, FASTER, LARGE = 32, 4.0, 20


class DivergentStepError(NotReadError):
    """The integral or sum certainly diverges, and has no value.

    ``sign`` is 1 or -1 if a sum tends to plus or minus infinity. Otherwise ``sign`` is 0.
    """

    def __init__(self, what: str, sign: int = 0) -> None:
        super().__init__(what)
        self.sign = sign


def value_of(
    name: str,
    operations: Mapping[str, Operation],
    values: Mapping[str, Ball],
    pay: Callable[[int], None],
    improper: set[Operation],
    accuracy: int,
) -> Ball:
    """The value of a definite integral or a limit, for given values of the free symbols.

    Args:
        name: the symbol of the integral or limit.
        operations: the operations of the side, by symbols.
        values: the values of the free symbols.
        pay: called with the number of evaluations. An error is raised if the budget is
            spent.
        improper: the improper integrals of earlier calls. An improper integral of the call is
            added.
        accuracy: the number of bits to which the value is wanted.

    Raises:
        NotReadError: the value does not exist or cannot be computed.

    """
    definite = operations[name]
    try:
        if isinstance(definite, LimitAt):
            pay(LIMIT_COST)
            return _limit(definite, values)
        if isinstance(definite, Series):
            pay(SERIES_COST)
            return _series(definite, values, accuracy)
        assert isinstance(definite, Integral)
        if inner_operations(definite.integrand, operations):
            return _nested(definite, operations, values, pay, accuracy)
        proper = None if definite in improper else _proper(definite, values, pay, accuracy)
        if proper is not None:
            return proper
        improper.add(definite)
        pay(IMPROPER)
        return _improper(definite, values, accuracy)
    except (QuadratureError, UnusableError) as error:
        pay(FAILED)
        raise NotReadError(str(error)) from None


def operand_of(definite: Operation) -> Expression:
    """The integrand of an integral, the operand of a limit, or the term of a sum."""
    assert isinstance(definite, Integral | LimitAt | Series)
    if isinstance(definite, Series):
        return definite.term
    return definite.integrand if isinstance(definite, Integral) else definite.of


def inner_operations(tree: Expression, operations: Mapping[str, Operation]) -> list[str]:
    """The sorted symbols of the operations (integrals, ..) in an expression."""
    return sorted(symbols_of(tree) & operations.keys())


def _proper(
    integral: Integral, values: Mapping[str, Ball], pay: Callable[[int], None], accuracy: int
) -> Ball | None:
    """Enclose a proper integral. The result is None if the integral is improper or too costly."""
    lower, upper = integral.limits or (0, 0)
    ends = [symbols_of(limit) for limit in (lower, upper) if not isinstance(limit, int)]
    if not (symbols_of(integral.integrand) - {integral.variable}).union(*ends) <= values.keys():
        raise NotReadError("a definite integral with unknown ends")
    if isinstance(lower, int) or isinstance(upper, int):
        return None
    function = box_function(integral.integrand, integral.variable, values)
    if function is None:
        return None
    with precision(accuracy + LOST):
        low, high = limit_value(lower, values), limit_value(upper, values)
        used = count()

        def counted(at: Ball, analytic: bool) -> Ball:
            next(used)
            return function(at, analytic)

        pay(1)
        value = integrate(counted, low, high, accuracy + LOST // 3, EVALUATIONS)
        pay(next(used))
    if value is None or not value.imag.contains(0) or not value.is_finite():
        return None
    if log2(acb(0, value.real.rad()).abs_upper()) > max(log2(value.abs_upper()), 0) - accuracy:
        return None  # as of a root at an end
    return acb(value.real)


def _improper(integral: Integral, values: Mapping[str, Ball], accuracy: int) -> Ball:
    lower, upper = integral.limits or (0, 0)
    integrand = Integrand(integral.integrand, integral.variable, {}, "")
    value = evaluate(
        DefiniteIntegral(integrand, lower, upper, False, ""), values, _digits(accuracy)
    )
    if value.diverges:
        raise DivergentStepError("an integral that diverges")
    return acb(value.ball)


def _digits(accuracy: int) -> int:
    return math.ceil(accuracy * DIGITS_PER_BIT)


def _inner(
    definite: Operation, values: Mapping[str, Ball], pay: Callable[[int], None], accuracy: int
) -> Ball:
    value = (
        _proper(definite, values, pay, accuracy)
        if isinstance(definite, Integral) and definite.limits
        else None
    )
    if value is None:
        raise NotReadError("an inner integral that is improper")
    return value


def _nested(
    integral: Integral,
    operations: Mapping[str, Operation],
    values: Mapping[str, Ball],
    pay: Callable[[int], None],
    accuracy: int,
) -> Ball:
    """The value of a nested integral, computed by two quadratures.

    The difference between the two results is an estimate of the error.
    """
    assert integral.limits is not None
    inner = inner_operations(integral.integrand, operations)
    if any(isinstance(limit, int) for limit in integral.limits):
        raise NotReadError("a nested integral over an infinite range")
    results: list[Ball] = []
    with precision(accuracy + LOST):
        tape = compile_tape(integral.integrand, integral.variable)
        inner_trees = [operand_of(operations[name]) for name in inner]
        inner_tapes = [compile_tape(tree, integral.variable) for tree in inner_trees]
        if length_of_numbers([tape, *inner_tapes]) > LONGEST_NESTED:
            raise NotReadError("a nested integral with long numbers")
        low, high = (limit_value(limit, values) for limit in integral.limits)
        for nodes in NODES:
            total = ZERO
            for at in range(nodes):
                node, weight = arb.legendre_p_root(nodes, at, weight=True)
                x = acb(low + (high - low) * (1 + node) / 2)
                point = {**values, integral.variable: x}
                point |= {name: _inner(operations[name], point, pay, accuracy) for name in inner}
                total += weight * tape.run(x, point, derivative=False)[tape.root][0]
            results.append(total * (high - low) / 2)
        error = (results[1] - results[0]).abs_upper()
        return acb(results[1].real + arb(0, 2 * error))


def _series(series: Series, values: Mapping[str, Ball], accuracy: int) -> Ball:
    """An enclosure of an infinite sum, computed as in `verify_sum`."""
    names = symbols_of(series.term) - {series.index}
    if not names <= values.keys():
        raise NotReadError("a sum with unknown letters")
    term, start = series.term, fold(series.lower)
    for name in names:
        exact = values[name].real
        if exact.rad() != 0:
            raise NotReadError("a sum with a parameter that is not exact")
        mantissa, exponent = exact.man_exp()
        term = substitute(
            term, name, number(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
        )
    if start is None or start.denominator != 1:
        raise NotReadError("a sum that begins at no whole number")
    with work_limit(ONE_SERIES):
        value = infinite_sum(term, series.index, int(start), _digits(accuracy))
    if value.diverges:
        raise DivergentStepError("a sum that diverges", value.sign)
    return acb(value.ball)


def _limit(limit_at: LimitAt, values: Mapping[str, Ball]) -> Ball:
    if symbols_of(limit_at.of) - {limit_at.variable} - values.keys():
        raise NotReadError("a limit of what has other variables")
    with precision(LIMIT_BITS):
        tape = compile_tape(limit_at.of, limit_at.variable)
        if length_of_numbers([tape]) > LONGEST:
            raise NotReadError("a limit of what has long numbers")
        sides = [limit_at.side] if limit_at.side else [1, -1]
        limits = [
            value
            for side in sides
            if (value := _from_one_side(limit_at, tape, values, side)) is not None
        ]
        if not limits or differ(limits[0], limits[-1]):
            raise NotReadError("a limit that is not seen")
        return limits[0]


def _from_one_side(
    limit_at: LimitAt, tape: Tape, values: Mapping[str, Ball], side: int
) -> Ball | None:
    """The one-sided limit, estimated from values very near to the point.

    The result is None if the values do not converge.
    """
    limits = []
    for x in _approach(limit_at, values, side):
        jets = tape.run(x, values, derivative=False)
        value = jets[tape.root][0]
        if not value.is_finite() or not real_everywhere(tape, jets):
            return None
        limits.append(value)
    steps = [finer - coarser for coarser, finer in pairwise(limits)]
    error = max((step.abs_upper() for step in steps), key=log2)
    finest: Ball = limits[-1]
    if log2(error) > max(log2(finest.abs_upper()), 0) - SETTLED:
        if _grows(steps, finest):
            raise DivergentStepError("a limit that is infinite")
        return None
    return acb(finest.real + arb(0, 4 * error))


def _grows(steps: Sequence[Ball], finest: Ball) -> bool:
    """Whether values grow without bound, by the differences and the last value ``finest``."""
    earlier_step, later_step = (step.real for step in steps)
    even = (
        log2((acb(later_step - earlier_step)).abs_upper())
        < log2(acb(earlier_step).abs_upper()) - EVEN
    )
    return even or bool(later_step / earlier_step > FASTER and finest.abs_lower() > 2**LARGE)


def _approach(limit_at: LimitAt, values: Mapping[str, Ball], side: int) -> Iterator[Ball]:
    for bits in NEAR:
        if isinstance(limit_at.point, int):
            yield acb(limit_at.point * arb("1.37") * arb(2) ** bits)
        else:
            yield acb(limit_value(limit_at.point, values) + side * arb("1.37") * arb(2) ** -bits)
