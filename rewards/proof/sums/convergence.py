"""Whether a sum converges: by enclosed values of the sum, else by comparison."""

from __future__ import annotations

from typing import Final

from flint import arb

from ...numeric.expansions.series import NotExpandedError
from ...numeric.outcome import Outcome
from ...numeric.quadrature.value import IntegralValue
from ...numeric.quadrature.work import QuadratureError
from ...numeric.summation.choices import ParameterPoint, points
from ...numeric.summation.finite import exact
from ...numeric.summation.value import check_first_terms
from ...reading.expression.build import ONE, ZERO, mul, neg, power
from ...reading.expression.derivative import differentiate
from ...reading.expression.traversal import fold, substitute, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.problem.sums import SumProblem
from ...verdict import Status
from ..constants import ExactNumbers
from ..limits import limit
from .telescoping import identical

#: Digits to which sums are computed at first.
DIGITS: Final = 60


#: An exponent of comparison: the nearer to 1, the more series it decides.
_ABOVE_ONE: Final = Number(1001, 1000)


def _slow(counter: str, exponent: Expression) -> Expression:
    """The expression n ln(n) ln(ln(n))^p in a counter n, for an exponent p."""
    n = Symbol(counter)
    logarithm = Call("ln", (n,))
    return mul(n, logarithm, power(Call("ln", (logarithm,)), exponent))


def diverges_by_comparison(problem: SumProblem) -> int | None:
    r"""Prove that an infinite sum without parameters diverges.

    Let a(n) be the term. The sum diverges if n ln(n) ln(ln(n)) a(n) tends to an infinity or to a
    number other than 0. The reason is that the sum of 1/(n ln(n) ln(ln(n))) diverges. The sum also
    diverges if a(n) does not tend to 0.

    Args:
        problem: the sum.

    Returns:
        1 if the partial sums tend to infinity, and -1 if they tend to minus infinity. 0 if the
        sum diverges in another way. None if divergence was not proved.

    """
    if problem.parameters or not problem.is_series:
        return None
    for factor in (_slow(problem.counter, ONE), ONE):
        try:
            growth = limit(mul(problem.term, factor), problem.counter, 1, 0, (), True)
        except NotExpandedError:
            continue
        if growth.exists and (growth.sign or fold(growth.value or ZERO) != 0):
            return growth.sign or ExactNumbers().sign(ExactNumbers().value(growth.value or ZERO))
        if not growth.exists and factor == ONE:
            return 0
    return None


def _with_sign(term: Expression, index: str, sign: int) -> Expression:
    """Replace (-1)^n in a term by a sign, also as (-1)^(m n + k) with whole m and k."""
    if not isinstance(term, Call):
        return term
    if term.function == "pow" and fold(term.args[0]) == -1:
        exponent = term.args[1]
        shift, slope = fold(substitute(exponent, index, ZERO)), fold(differentiate(exponent, index))
        if shift is not None and slope is not None and shift.denominator == slope.denominator == 1:
            return Number((sign if slope % 2 else 1) * (-1) ** int(shift % 2))
    return Call(term.function, tuple(_with_sign(arg, index, sign) for arg in term.args))


def _alternates_to_zero(problem: SumProblem) -> bool:
    """Whether the term is (-1)^n b(n), where b(n) is monotone from some n on and tends to 0.

    The sum then converges by Leibniz's criterion.
    """
    # With (-1)^n replaced by 1 and by -1, the term is b(n) and has to become -b(n).
    n = problem.counter
    size, negated = (_with_sign(problem.term, n, sign) for sign in (1, -1))
    if n not in symbols_of(size) or identical(negated, neg(size), {}) is None:
        return False
    # b is monotone near infinity if the sign of its derivative has a limit.
    slope_sign = Call("sgn", (differentiate(size, n),))
    is_monotone = limit(slope_sign, n, 1).value in (Number(1), Number(-1))
    return is_monotone and limit(size, n, 1).value == ZERO


def converges_by_comparison(problem: SumProblem) -> bool:
    r"""Whether an infinite sum without parameters provably converges.

    Let a(n) be the term. The sum converges if n ln(n) ln(ln(n))^p a(n) tends to a number for a
    p > 1, because the sum of 1/(n ln(n) ln(ln(n))^p) converges. The sum also converges by Leibniz's
    criterion for alternating terms.

    Args:
        problem: the sum.

    """
    if problem.parameters or not problem.is_series:
        return False
    scaled = mul(problem.term, _slow(problem.counter, _ABOVE_ONE))
    try:
        if limit(scaled, problem.counter, 1, 0, (), True).value is not None:
            return True
    except NotExpandedError:
        pass
    try:
        return _alternates_to_zero(problem)
    except (NotExpandedError, ValueError):
        return False


def values_or_divergence(
    problem: SumProblem, digits: int, largest: int = 0, salt: str = ""
) -> list[ParameterPoint]:
    """The values of a sum at chosen values of its parameters.

    If the sum is proved to diverge, the result is a single entry that states the divergence.

    Args:
        problem: the sum.
        digits: the number of decimal digits that the values need.
        largest: as for `rewards.numeric.summation.choices.choices`.
        salt: as for `rewards.numeric.summation.choices.choices`.

    Raises:
        QuadratureError: no value was found, and divergence was not proved.

    """
    try:
        return points(problem, digits, largest, salt)
    except QuadratureError:
        sign = diverges_by_comparison(problem)
        if sign is None:
            raise
        _check_first_terms(problem)
        return [ParameterPoint({}, IntegralValue(arb("nan"), "divergence", sign))]


def _check_first_terms(problem: SumProblem) -> None:
    lower = fold(problem.limits[0]) if problem.limits else None
    if lower is not None:
        check_first_terms(problem.term, problem.counter, int(lower))


def judge_divergence(problem: SumProblem, infinity: int) -> Outcome:
    """Judge the answer "diverges" (``infinity`` is 0), or an infinity (1 or -1)."""
    if not problem.is_infinite:
        return Outcome(Status.INCORRECT, detail="a finite sum does not diverge")
    try:
        chosen = values_or_divergence(problem, DIGITS)
    except QuadratureError as error:
        if not converges_by_comparison(problem):
            return Outcome(Status.UNDECIDED, detail=str(error))
        try:
            _check_first_terms(problem)
        except QuadratureError as undefined:
            return Outcome(Status.UNDECIDED, detail=str(undefined))
        return Outcome(Status.INCORRECT, detail="the sum converges")
    if not chosen[0].sum.diverges:  # `points` keeps those that converge, if there are any
        return Outcome(Status.INCORRECT, detail="the sum converges")
    factor = exact(problem.factor, {})
    if factor is None and infinity:
        return Outcome(Status.UNDECIDED, detail="the sign of the factor is not decided")
    sign = chosen[0].sum.sign * (-1 if factor is not None and factor < 0 else 1)
    if infinity and infinity != sign:
        return Outcome(Status.INCORRECT, detail="the sum does not tend to that infinity")
    proof = "" if problem.parameters else "divergence"
    return Outcome(Status.CORRECT, points=len(chosen), proof=proof)


def judge_convergence(problem: SumProblem, mode: str = "") -> Outcome:
    """Judge the answer "converges". ``mode`` may be "absolute" or "conditional"."""
    if mode:
        absolute = judge_convergence(problem._replace(term=Call("abs", (problem.term,))))
        if mode == "absolute" or absolute.status not in (Status.CORRECT, Status.INCORRECT):
            return absolute
        if absolute.status is Status.CORRECT:
            return Outcome(Status.INCORRECT, detail="the sum converges absolutely")
    opposite = judge_divergence(problem, 0)
    if opposite.status is Status.CORRECT:
        return Outcome(Status.INCORRECT, detail="the sum diverges")
    status = Status.CORRECT if opposite.status is Status.INCORRECT else opposite.status
    proof = "enclosure" if status is Status.CORRECT and not problem.parameters else ""
    return Outcome(status, proof=proof, detail=opposite.detail)
