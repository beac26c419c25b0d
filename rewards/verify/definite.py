"""Verification of definite integrals by computing the integral; no reference answer is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from flint import acb, arb

from ..errors import ProblemError
from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.ball_arithmetic.jets import Ball
from ..numeric.outcome import Outcome, show
from ..numeric.quadrature import (
    DefiniteIntegral,
    IntegralValue,
    OutsideDomainError,
    QuadratureError,
    definite_readings,
    prepare_definite,
)
from ..numeric.quadrature.closed_form import (
    SURPLUS,
    agreement,
    encoded_digits,
    hides_a_limit,
    objection,
    value_of,
)
from ..numeric.quadrature.draws import (
    balls,
    draws_of,
    has_reversed_limits,
    value_at,
    values_of,
    with_whole_parameters,
)
from ..numeric.quadrature.work import ONE_CALL, work_limit, working_bits
from ..numeric.sampling.cases import Draw, distinguishes_cases, unseen_cases
from ..numeric.sampling.parameters import admits
from ..reading.expression.tree import Expression
from ..reading.extraction.words.convergence import divergence_of
from ..reading.latex.tokens.roles import IS_VALUE
from ..verdict import Status, Verdict, Witness
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
    stated_divergence,
    verify_in_worker,
    with_strangers,
)
from .fundamental_theorem import with_theorem
from .options import with_option
from .values import compare_values, judged_by, read_stated, with_constants

if TYPE_CHECKING:
    import sympy

#: Digits to which integrals are computed at first, and for answers that need more.
DIGITS, MORE_DIGITS = 60, (120, 240, 500)
#: An answer that differs by less from a value that is not enclosed is compared once more.
CLOSE = 22

#: Methods of `IntegralValue` whose value is proved to lie in its ball.
_RIGOROUS = ("enclosure", "divergence")


def verify_definite_integral(
    completion: str,
    problem: str | sympy.Integral,
    *,
    reference: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion is the value of a definite integral.

    The integral is computed to 60 digits or more (`rewards.numeric.quadrature`). The answer has to
    be a closed form. Decimals, integrals and sums are not accepted. A long expression can match
    many digits of any number by chance (`rewards.numeric.quadrature.closed_form`). The answer must
    therefore match 15 digits more than any expression of the same length can match by chance. The
    right answer to a divergent integral is "diverges", or the infinity to which the integral tends.

    Args:
        completion: the model's output.
        problem: LaTeX with an integral sign, limits and a differential (``\int_0^\infty \frac{\ln
            x}{1+x^2}\,dx``), or a SymPy ``Integral``.
        reference: LaTeX of a known value, or ``diverges``. The reference is checked against the
            integral. If the integral cannot be computed, answers are compared with the reference.
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.method`` says how the value was computed: ``enclosure`` (rigorous),
        ``two quadratures``, ``extrapolation``, ``divergence`` or ``reference``. ``evidence.digits``
        is the number of digits that agree. ``evidence.points`` is the number of choices of the
        parameters for which the answer was compared. With ``accept="proof"``, the value has to be
        enclosed, or the divergence proved.

    Raises:
        ProblemError: the problem is unreadable, or the integral refutes the reference. Without a
            reference, the error is also raised if the integrand or a limit is not real.

    Example:
        >>> verdict = verify_definite_integral(
        ...     r"so $\boxed{\frac{\pi}{4}}$", r"\int_0^1 \frac{dx}{1+x^2}"
        ... )
        >>> verdict.correct, verdict.evidence.method
        (True, 'enclosure')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    completion = with_option(completion, problem, chosen)
    integrals = definite_readings(problem, assumptions)
    answer = find_answer(completion, chosen, symbols=integrals[0].parameters, asks="value")
    infinity = stated_divergence(answer)
    read_answer(answer, (*integrals[0].parameters, IS_VALUE))
    if answer.status is not None and infinity is None:
        return answer.verdict(answer.status)
    make_judge = partial(_KnownValue, reference=reference)
    try:
        with work_limit(ONE_CALL):
            outcome, reading, target = best(judged_by(answer, infinity, integrals, make_judge))
    except NeedsWorkerError:
        text = problem if isinstance(problem, str) else integrals[0].text
        return verify_in_worker("definite", text, answer, reference=reference)
    answer.method = target.method
    if outcome.status is Status.CORRECT and target.method in _RIGOROUS:
        # agreement with an enclosed value is a proof
        answer.options = replace(chosen, accept="agreement")
    return answer.verdict(
        outcome.status,
        outcome,
        reading,
        flags=target.integral.integrand.flags,
    )


def decimal_contradiction(problem: str, decimal: str) -> str:
    r"""Check a decimal approximation of an integral. State the right value if the decimal is wrong.

    Args:
        problem: the integral.
        decimal: the approximation. It is right if six digits agree with the value.

    Returns:
        A sentence with the value of the integral. The text is empty if the decimal is right, or if
        the value cannot be computed.

    Raises:
        ProblemError: the problem is unreadable, or has parameters.

    Example:
        >>> decimal_contradiction(r"\int_0^1 x\,dx", "0.51")
        'the integral is 0.500000000000, not 0.51'

    """
    integral = prepare_definite(problem)
    if integral.parameters:
        raise ProblemError(f"{problem!r} has parameters, so it has no decimal value")
    try:
        value = values_of(integral, DIGITS)[0][1]
    except QuadratureError:
        return ""
    if value.diverges:
        return f"the integral diverges; it is not {decimal}"
    try:
        stated = arb(decimal)
    except ValueError:
        return f"{decimal!r} is no number"
    if abs(value.ball - stated) < 1e-6 * max(abs(stated), arb(1e-6)):
        return ""
    return f"the integral is {value.ball.str(12, radius=False)}, not {decimal}"


class _KnownValue:
    """Compares answers with computed values of an integral.

    If no value can be computed, answers are compared with the reference.
    """

    def __init__(self, integral: DefiniteIntegral, reference: str | None) -> None:
        require_worker(integral.integrand.needs_worker)
        self.integral, self.reference = integral, reference
        self.parameters = integral.parameters
        self.method = "reference"
        self.failure = ""
        try:
            values = self._at_first()
            self.method = values[0][1].method
            self.diverges = values[0][1].diverges
            self.sign = values[0][1].sign
        except QuadratureError as error:
            if reference is None and isinstance(error, OutsideDomainError):
                raise ProblemError(f"{error}: {integral.text}") from None
            self.failure = str(error)
            self.diverges, self.sign = False, 0
        if reference is not None and not self.failure:
            self._check_reference(reference)

    def _at_first(self) -> tuple[tuple[Draw, IntegralValue], ...]:
        """The values of the integral at several choices of the parameters.

        The choices do not depend on the answer. If the integrand is real only for whole-number
        values of parameters, these parameters get whole numbers.
        """
        try:
            return values_of(self.integral, DIGITS)
        except OutsideDomainError:
            for integral in with_whole_parameters(self.integral):
                with suppress(OutsideDomainError):
                    values = values_of(integral, DIGITS)
                    self.integral = integral
                    return values
            raise

    def _beyond(self, answer: Expression, digits: int) -> list[tuple[Draw, IntegralValue]]:
        """Values of the integral at further choices of the parameters.

        There are further choices only if the answer has a function such as abs or max. The choices
        cover several cases of this function. Some of the chosen values exceed the numbers in the
        answer.

        Raises:
            QuadratureError: a value cannot be computed.

        """
        if not self.parameters or not distinguishes_cases(answer):
            return []
        compared = {draw for group in draws_of(self.integral) for draw in group}
        draws = [draw for group in draws_of(self.integral, answer) for draw in group]
        return self._at(draws, compared, digits)

    def _unseen(
        self, answer: Expression, drawn: Collection[Draw], digits: int
    ) -> list[tuple[Draw, IntegralValue]]:
        """Values of the integral in cases of the answer that no choice in ``drawn`` shows.

        Raises:
            QuadratureError: a value cannot be computed.
            UnusableError: the answer has too many cases.

        """
        assumptions = dict(self.integral.integrand.assumptions)
        draws = unseen_cases(self.parameters, assumptions, [answer], [*drawn])
        admitted = (draw for draw in draws if admits(self.integral.conditions, dict(draw)))
        return self._at(admitted, drawn, digits)

    def _at(
        self, draws: Iterable[Draw], without: Collection[Draw], digits: int
    ) -> list[tuple[Draw, IntegralValue]]:
        """The finite values of the integral at choices of the parameters, except ``without``."""
        pairs: list[tuple[Draw, IntegralValue]] = []
        for draw in draws:
            if draw in without:
                continue
            with suppress(OutsideDomainError):
                value = value_at(self.integral, draw, digits)
                if not value.diverges:
                    pairs.append((draw, value))
        return pairs

    def _check_reference(self, reference: str) -> None:
        stated = divergence_of(reference)
        if (stated is not None) != self.diverges or (stated and stated != self.sign):
            behaviour = "diverges" if self.diverges else "converges"
            raise ProblemError(f"the integral {behaviour}; the reference is {reference!r}")
        if self.diverges:
            return
        outcome = self.judge(read_stated(reference, self.parameters, "reference"))
        if outcome.status is Status.INCORRECT:
            raise ProblemError(f"the integral refutes the reference {reference!r}")

    def judge_divergence(self, infinity: int) -> Outcome:
        """Judge the answer "diverges" (``infinity`` is 0), or an infinity (1 or -1)."""
        if self.failure:
            if self.reference is not None:
                stated = divergence_of(self.reference)
                right = stated is not None and 0 in (infinity, stated, infinity - stated)
                return Outcome(Status.CORRECT if right else Status.INCORRECT)
            return Outcome(Status.UNDECIDED, detail=self.failure)
        if not self.diverges:
            return Outcome(Status.INCORRECT, detail="the integral converges")
        if infinity and infinity != self.sign:
            return Outcome(Status.INCORRECT, detail="the integral does not tend to that infinity")
        return Outcome(Status.CORRECT, points=1)

    def questions(self, text: str) -> Iterator[Callable[[Expression], Outcome]]:
        """Yield the judges for the readings of a text as an integral over the same parameters."""
        asked = self.integral
        with suppress(ProblemError):
            readings = definite_readings(text, asked.integrand.assumptions)
            if any(
                (stated.integrand.expression, stated.lower, stated.upper)
                == (asked.integrand.expression, asked.lower, asked.upper)
                for stated in readings
            ):
                return  # the question itself
            for integral in readings:
                if {*integral.parameters} <= {*self.parameters}:
                    principal = integral.principal_value or asked.principal_value
                    conditions = asked.conditions
                    stated = replace(integral, principal_value=principal, conditions=conditions)
                    yield _KnownValue(stated, None).judge

    def judge(self, expression: Expression) -> Outcome:
        """Judge whether a closed form is the value of the integral."""
        answer = with_constants(expression, self.parameters)
        if (strange := with_strangers(answer, self.parameters)) is not None:
            return strange
        if self.failure:
            return self._judge_by_reference(answer)
        if self.diverges:
            return Outcome(Status.INCORRECT, detail="the integral diverges")
        # An answer with as many free digits as the comparison has could be fitted to any value.
        needed = encoded_digits(answer) + SURPLUS
        if needed > MORE_DIGITS[-1]:
            detail = "too long to tell from a number that was fitted to the integral's digits"
            return Outcome(Status.UNDECIDED, detail=detail)
        try:
            outcome, closest = self._compare(answer, DIGITS, needed)
        except (QuadratureError, UnusableError) as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        # More digits decide about an undecided answer, and about a difference near the error.
        if outcome.status is Status.UNDECIDED or closest > CLOSE:
            finer = next((n for n in MORE_DIGITS if needed + 10 < n), MORE_DIGITS[-1])
            try:
                further, _ = self._compare(answer, finer, needed)
            except QuadratureError:
                return (
                    outcome
                    if outcome.status is Status.CORRECT
                    else replace(outcome, status=Status.UNDECIDED)
                )
            if outcome.status is Status.CORRECT or further.status is not Status.UNDECIDED:
                return further
        return outcome

    def _compare(self, answer: Expression, digits: int, needed: float) -> tuple[Outcome, float]:
        """Compare an answer with values of the integral that are known to ``digits`` digits.

        Return the outcome and a number. If the answer is wrong, the number says how many digits of
        the answer are right. The number is 0 if the answer is not wrong, or if a rigorous enclosure
        refutes the answer.
        """
        least_agreement, bits = float(digits), working_bits(digits)
        pairs = [*values_of(self.integral, digits), *self._beyond(answer, digits)]
        unseen = self._unseen(answer, [draw for draw, _ in pairs], digits)
        pairs += unseen
        if self.integral.parameters:
            # the regime that textbooks mean by limits a and b is the first
            pairs.sort(key=lambda pair: has_reversed_limits(self.integral, pair[0]))
        got: list[Ball] = []
        for draw, value in pairs:
            values = balls(draw)
            number = value_of(answer, values, bits)
            if number is None:
                detail = "the answer has no finite value that can be computed"
                return Outcome(Status.UNDECIDED, detail=detail), 0.0
            same, agreed = agreement(number, value, bits)
            if same is False and got and has_reversed_limits(self.integral, draw):
                detail = "right only where the lower limit is below the upper one"
                return Outcome(Status.UNDECIDED, points=len(got), detail=detail), 0.0
            if same is False:
                return Outcome(
                    Status.INCORRECT,
                    points=len(pairs),
                    witness=_witness(values, value, number),
                ), 0.0 if value.method == "enclosure" else agreed
            least_agreement = min(least_agreement, agreed)
            got.append(number)
        if differ := self._differs_where_equal(answer, digits):
            detail = f"right only where {' and '.join(differ)} differ"
            return Outcome(Status.UNDECIDED, points=len(got), detail=detail), 0.0
        by_digits = Outcome(Status.CORRECT, points=len(pairs), digits=round(least_agreement, 1))
        outcome = with_theorem(by_digits, self.integral, answer)
        if outcome.proof:  # digits that do not show a part of the answer are of no account then
            return outcome, 0.0
        detail = ""
        for (draw, value), number in zip(pairs, got, strict=True):
            if draw == pairs[0][0] or (draw, value) in unseen:
                detail = detail or objection(
                    answer,
                    number,
                    balls(draw),
                    bits,
                    least_agreement,
                    needed=needed,
                    beside_zero=bool(value.ball.contains(0)),
                )
        values = balls(pairs[0][0])
        if not detail and hides_a_limit(self.integral, got[0], values, bits, least_agreement):
            detail = f"a limit has no effect on the {least_agreement:.0f} digits that were compared"
        if detail:
            return Outcome(Status.UNDECIDED, points=len(pairs), detail=detail), 0.0
        return by_digits, 0.0

    def _differs_where_equal(self, answer: Expression, digits: int) -> tuple[str, ...]:
        """The whole parameters for which an answer is wrong if all of them are equal.

        Values that differ from each other do not show that: the integral of cos(mx) cos(nx) over a
        period is 0 for them. Where the answer has no value, it is meant for the others.
        """
        assumptions = self.integral.integrand.assumptions
        whole = ("integer", "signed integer")
        names = tuple(name for name in self.parameters if assumptions.get(name) in whole)
        draw, *_ = draws_of(self.integral)[0]
        equal = dict(draw) | dict.fromkeys(names, dict(draw).get(names[0], 0.0) if names else 0.0)
        if len(names) < 2 or not admits(self.integral.conditions, equal):
            return ()
        values, bits = balls(tuple(equal.items())), working_bits(digits)
        number = value_of(answer, values, bits)
        with suppress(QuadratureError):
            value = value_at(self.integral, tuple(equal.items()), digits)
            if number is not None and not value.diverges:
                return names if agreement(number, value, bits)[0] is False else ()
        return ()

    def _judge_by_reference(self, answer: Expression) -> Outcome:
        reference = self.reference
        if reference is None or self.integral.parameters or divergence_of(reference) is not None:
            return Outcome(Status.UNDECIDED, detail=self.failure)
        return compare_values(answer, read_stated(reference, self.parameters, "reference"))


def _witness(values: Mapping[str, Ball], value: IntegralValue, got: Ball) -> Witness:
    point = ", ".join(f"{name} = {show(ball)}" for name, ball in values.items())
    return Witness(point, expected=show(acb(value.ball)), got=show(got))
