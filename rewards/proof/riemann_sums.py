r"""Limits of Riemann sums: ``\lim_{n\to\infty} \frac1n \sum_{k=1}^n f(k/n)`` is an integral."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from flint import acb, arb

from ..numeric.ball_arithmetic.balls import precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..reading.expression.build import ONE, ZERO, mul, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import fold, needs_worker, substitute, symbols_of
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import to_latex
from ..reading.problem.limit import read_limit_of_sum
from .prover.prove import prove

#: Pieces of the interval on which the function has to be enclosed: two suffice for all functions of
#: the tests, one for most. Bits of the enclosures, whose rounding is far below a piece's width.
_PIECES, _BITS = 16, 128
#: The variable of the integral, and a variable that no function has.
_X, _FRESH = "x", "t"
_POSITIVE: Final = "positive"


@lru_cache(maxsize=1024)
def integral_of_riemann_sum(problem: str) -> str | None:
    r"""Rewrite a limit of sums as a definite integral. The result is None for any other question.

    The index k runs from a n + b to c n + d. Here a, b, c and d are numbers, with b >= 0 and d <=
    0. The substitution k = n x must turn n times the term into a function f(x) that does not
    contain n. The prover has to prove this identity. Enclosures must show that f is bounded and
    real on [a, c]. The sum is then a Riemann sum of f, up to finitely many terms that tend to 0.

    Args:
        problem: the question, with a limit sign.

    Raises:
        ProblemError: the question is unreadable.

    >>> integral_of_riemann_sum(r"\lim_{n\to\infty}\sum_{k=1}^n\frac{n}{n^2+k^2}")
    '\\int_{0}^{1} \\frac{1 \\cdot 1}{1^{2} + \\left(1 x\\right)^{2}} \\,dx'

    """
    read = read_limit_of_sum(problem)
    if read is None:
        return None
    n, asked = read
    if isinstance(asked.lower, int) or isinstance(asked.upper, int) or asked.outside != ZERO:
        return None
    if set(asked.parameters) != {n} or {n, asked.counter} & {_X, _FRESH}:
        return None
    ends = []
    for limit, direction in ((asked.lower, 1), (asked.upper, -1)):
        slope, offset = fold(differentiate(limit, n)), fold(substitute(limit, n, ZERO))
        if slope is None or offset is None or slope < 0 or offset * direction < 0:
            return None
        ends.append(slope)
    place = mul(Symbol(n), Symbol(_X))
    scaled = mul(Symbol(n), asked.factor, substitute(asked.term, asked.counter, place))
    function = substitute(scaled, n, ONE)
    kinds = {n: _POSITIVE, _X: _POSITIVE}
    if ends[0] >= ends[1] or needs_worker(scaled):
        return None
    if prove(mul(scaled, Symbol(_FRESH)), function, _FRESH, kinds) is None:
        return None
    if not _is_bounded(function, arb(str(ends[0])), arb(str(ends[1]))):
        return None
    lower, upper = (to_latex(number(end)) for end in ends)
    return rf"\int_{{{lower}}}^{{{upper}}} {to_latex(function)} \,d{_X}"


def _is_bounded(function: Expression, lower: arb, upper: arb) -> bool:
    """Whether enclosures prove that a function is bounded and real on an interval."""
    if symbols_of(function) - {_X}:
        return False
    tape = compile_tape(function, _X)
    width = (upper - lower) / _PIECES
    with precision(_BITS):
        for at in range(_PIECES):
            piece = (lower + at * width).union(lower + (at + 1) * width)
            value = tape.run(acb(piece), {}, derivative=False)[tape.root][0]
            if not value.is_finite() or not value.imag.is_zero():
                return False
    return True
