r"""Limits of sums with more and more terms, which are integrals or infinite sums.

The limit of Riemann sums ``\frac1n \sum_{k=1}^n f(k/n)`` is an integral, and the limit of partial
sums ``\sum_{k=1}^n a_k`` is the sum of the series. The same holds for products.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from flint import acb, arb

from ..numeric.ball_arithmetic.balls import precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.expansions.series import NotExpandedError
from ..reading.expression.build import ONE, ZERO, mul, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import fold, needs_worker, substitute, symbols_of
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import to_latex
from ..reading.problem.limit import read_limit_of_sum
from ..reading.problem.sums import has_product
from .equality import equality
from .limits import limit

#: Pieces of the interval on which the function has to be enclosed: two suffice for all functions of
#: the tests, one for most. Bits of the enclosures, whose rounding is far below a piece's width.
_PIECES, _BITS = 16, 128
#: Halvings of the piece at the lower end: 2^-100 is below all numbers that questions have.
_HALVINGS: Final = 100
#: The variable of the integral.
_X: Final = "x"
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
    limit_of_sum = read_limit_of_sum(problem)
    if limit_of_sum is None or limit_of_sum[1].is_infinite:
        return None
    n, total = limit_of_sum
    if total.outside != ZERO or set(total.parameters) != {n} or _X in (n, total.counter):
        return None
    # The limits of summation, divided by n, tend to the limits of integration: their slopes in n.
    ends = []
    for end, direction in zip(total.limits, (1, -1), strict=True):
        slope, offset = fold(differentiate(end, n)), fold(substitute(end, n, ZERO))
        if slope is None or offset is None or slope < 0 or offset * direction < 0:
            return None
        ends.append(slope)
    # With k = n x, n has to cancel in n times the term, so that n = 1 gives f(x).
    index = mul(Symbol(n), Symbol(_X))
    scaled = mul(Symbol(n), total.factor, substitute(total.term, total.counter, index))
    function = substitute(scaled, n, ONE)
    assumptions = {n: _POSITIVE, _X: _POSITIVE}
    if ends[0] >= ends[1] or needs_worker(scaled):
        return None
    if equality(scaled, function, assumptions) is None:
        return None
    if not _is_bounded(function, ends[0], ends[1]):
        return None
    ends_text = [to_latex(number(end)) for end in ends]
    return rf"\int_{{{ends_text[0]}}}^{{{ends_text[1]}}} {to_latex(function)} \,d{_X}"


@lru_cache(maxsize=1024)
def series_of_partial_sums(problem: str) -> str | None:
    r"""Rewrite a limit of partial sums or products as a series or an infinite product.

    The result is None for any other question. The terms must not depend on the variable.

    Args:
        problem: the question, with a limit sign.

    Raises:
        ProblemError: the question is unreadable.

    >>> series_of_partial_sums(r"\lim_{N\to\infty}\sum_{n=1}^N\frac{1}{n^2}")
    '\\sum_{n=1}^{\\infty} \\left(\\frac{1}{n^{2}}\\right)'

    """
    limit_of_sum = read_limit_of_sum(problem)
    if limit_of_sum is None or limit_of_sum[1].is_infinite:
        return None
    n, total = limit_of_sum
    # A series is the limit of its partial sums: only the upper limit may depend on n, and has to
    # run through integers to infinity.
    lower, upper = total.limits
    slope = fold(differentiate(upper, n))
    if any(n in symbols_of(tree) for tree in (total.term, total.factor, total.outside, lower)):
        return None
    if slope is None or slope <= 0 or slope.denominator != 1:
        return None
    sign = r"\prod" if has_product(problem) else r"\sum"
    factor = "" if total.factor == ONE else rf"\left({to_latex(total.factor)}\right)"
    addend = "" if total.outside == ZERO else f" + {to_latex(total.outside)}"
    index = to_latex(Symbol(total.counter))
    return (
        rf"{factor}{sign}_{{{index}={to_latex(lower)}}}^{{\infty}} "
        rf"\left({to_latex(total.term)}\right){addend}"
    )


def _is_bounded(function: Expression, lower: Fraction, upper: Fraction) -> bool:
    """Whether a function is bounded and real on an interval.

    Enclosures prove the bound on all pieces of the interval but the first. If the first enclosure
    fails, as for the square root, ever smaller pieces are enclosed, and the limit at the lower end
    has to be finite.
    """
    if symbols_of(function) - {_X}:
        return False
    tape = compile_tape(function, _X)
    start, width = arb(str(lower)), arb(str(upper - lower)) / _PIECES

    def is_enclosed(begin: arb, end: arb) -> bool:
        value = tape.value(acb(begin.union(end)), {})
        return bool(value.is_finite() and value.imag.is_zero())

    with precision(_BITS):
        if not all(
            is_enclosed(start + at * width, start + (at + 1) * width) for at in range(1, _PIECES)
        ):
            return False
        # A root at the lower end has no enclosure on intervals with this end: halves, then a limit.
        if is_enclosed(start, start + width):
            return True
        if not all(
            is_enclosed(start + width / 2 ** (at + 1), start + width / 2**at)
            for at in range(_HALVINGS)
        ):
            return False
    try:
        return limit(function, _X, number(lower), 1).value is not None
    except NotExpandedError:
        return False
