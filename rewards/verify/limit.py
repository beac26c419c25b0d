"""Verify limits against the function itself; no reference answer is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Unpack

from ..errors import ProblemError
from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..numeric.outcome import Outcome
from ..numeric.sampling.cases import Draw, unseen_cases
from ..numeric.sampling.parameters import admits, regimes
from ..proof.continuity import judge_parameters
from ..proof.limit_questions import LimitQuestion, limit_readings, with_values
from ..proof.limits import Limit, are_equal
from ..proof.ranks import ball_of
from ..proof.recursions import judge_limit
from ..proof.riemann_sums import integral_of_riemann_sum, series_of_partial_sums
from ..reading.expression.build import ZERO
from ..reading.expression.traversal import substitute
from ..reading.expression.tree import Expression
from ..reading.extraction.words.convergence import divergence_of
from ..reading.latex import to_latex
from ..reading.latex.tokens.roles import IS_VALUE
from ..reading.problem.conditions import may_be_zero
from ..reading.problem.question.continuity import (
    ContinuityQuestion,
    read_continuity,
    read_values,
)
from ..reading.problem.sequences.recursion import read_recursion
from ..verdict import Status, Verdict
from .agreement.proposed_limits import proposed
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    ExtractedAnswer,
    NeedsWorkerError,
    best,
    find_answer,
    judged,
    read_answer,
    require_worker,
    stated_divergence,
    stated_text,
    verify_in_worker,
    with_strangers,
)
from .definite import verify_definite_integral
from .options import with_option
from .sum import verify_sum
from .values import compare_values, judged_by, read_stated, with_constants

if TYPE_CHECKING:
    import sympy

#: Choices of the parameters at which an answer is compared that is not proved for all of them.
DRAWS: Final = 4


def verify_limit(
    completion: str,
    problem: str | sympy.Limit,
    *,
    reference: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion is a limit.

    An expansion of the function (`rewards.proof.limits`) computes and proves the limit. If the
    expansion fails and the problem has parameters, expansions for several values of the parameters
    are tried. If the expansion fails and there are no parameters, a computer algebra system
    proposes a limit. An answer that agrees with the proposal and with values of the function is
    accepted without a proof. An answer that differs from the proposal is undecided. The limit of a
    Riemann sum is judged as the integral that it equals. The answer may be "does not exist", or an
    infinity if the limit is infinite.

    Args:
        completion: the model's output.
        problem: LaTeX with a limit sign (``\lim_{x\to0^+} x^x``), a sentence, or a SymPy ``Limit``.
        reference: LaTeX of a known limit, ``\infty``, or ``does not exist``. The limit must not
            refute the reference.
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.method`` says how the limit was computed: ``expansion`` (rigorous),
        ``expansions at parameters`` or ``gruntz``. ``evidence.proof`` is ``expansion`` if the
        answer is proved to be the limit.

    Raises:
        ProblemError: the problem is unreadable, the function is not real near the point, or the
            limit refutes the reference.

    Example:
        >>> verdict = verify_limit(r"so $\boxed{\frac12}$", r"\lim_{x\to0} \frac{1-\cos x}{x^2}")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'expansion')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    completion = with_option(completion, problem, chosen)
    if isinstance(problem, str):
        verdict = _in_another_form(completion, problem, chosen, reference)
        if verdict is not None:
            return verdict
    questions = limit_readings(problem, assumptions)
    answer = find_answer(completion, chosen, symbols=questions[0].parameters, asks="value")
    infinity = stated_divergence(answer)
    read_answer(answer, (*questions[0].parameters, questions[0].variable, IS_VALUE))
    if answer.status is not None and infinity is None:
        return answer.verdict(answer.status)
    make_judge = partial(_KnownLimit, reference=reference, text=answer.text or "")
    try:
        outcome, reading, target = best(judged_by(answer, infinity, questions, make_judge))
    except NeedsWorkerError:
        text = problem if isinstance(problem, str) else questions[0].latex
        return verify_in_worker("limit", text, answer, reference=reference)
    answer.method = target.method
    flags = (*target.question.flags, *(target.limit.flags if target.limit else ()))
    return answer.verdict(outcome.status, outcome, reading, flags=flags)


def _in_another_form(
    completion: str, problem: str, options: AnswerOptions, reference: str | None
) -> Verdict | None:
    """The verdict for a limit of sums, of a recursion, or that has to equal a function's value.

    The result is None for any other question.
    """
    further = options.keywords() | {"deadline": options.deadline}
    integral = integral_of_riemann_sum(problem)
    if integral is not None:
        return verify_definite_integral(completion, integral, reference=reference, **further)
    series = series_of_partial_sums(problem)
    recursion = None if series else read_recursion(problem)
    continuity = None if series or recursion else read_continuity(problem)
    if not (series or recursion or continuity):
        return None
    if reference is not None:
        raise ProblemError("a reference for such a limit is not checked")
    if series is not None:
        return verify_sum(completion, series, **further)
    answer = find_answer(completion, options, asks="value")
    if recursion is not None:
        answer.method = "contraction"
        if stated_divergence(answer) is None:
            return _of_value(answer, partial(judge_limit, recursion))
        outcome = judge_limit(recursion, None)
        return answer.verdict(outcome.status, outcome)
    assert continuity is not None
    answer.method = "expansion"
    return _of_continuity(continuity, answer)


def _of_continuity(question: ContinuityQuestion, answer: ExtractedAnswer) -> Verdict:
    """Judge values of parameters that have to make a function continuous."""
    if len(question.unknowns) == 1:
        (name,) = question.unknowns
        read_answer(answer, (IS_VALUE,))
        if answer.status is Status.INCORRECT:  # several values, which may all fit
            return answer.verdict(Status.UNDECIDED)
        return _of_value(answer, lambda value: judge_parameters(question, {name: value}))
    if answer.text is None:
        return answer.verdict(answer.status or Status.NO_ANSWER)
    values = read_values(stated_text(answer), question.unknowns)
    if values is None:
        return answer.verdict(Status.UNPARSEABLE, detail="a value for each parameter is expected")
    outcome = judge_parameters(question, values)
    return answer.verdict(outcome.status, outcome)


def _of_value(answer: ExtractedAnswer, decide: Callable[[Expression], Outcome]) -> Verdict:
    """Judge an answer that is a number without symbols."""
    read_answer(answer, (IS_VALUE,))
    if answer.status is not None:
        return answer.verdict(answer.status)
    outcome, reading = judged(answer, decide, ())
    return answer.verdict(outcome.status, outcome, reading)


class _KnownLimit:
    """The limit with which answers are compared.

    If the expansion of the function succeeds, the limit is proved. If the expansion fails and there
    are parameters, limits are computed for chosen values of the parameters. If it fails and there
    are no parameters, a computer algebra system proposes the limit.

    Raises:
        ProblemError: the function has no real values near the point, or the limit refutes the
            reference.
        NeedsWorkerError: only a worker may compute the limit.

    """

    def __init__(
        self, question: LimitQuestion, reference: str | None = None, text: str = ""
    ) -> None:
        self.question, self.parameters, self.text = question, question.parameters, text
        self.limit: Limit | None = None
        self.method, self.failure = "expansion", ""
        try:
            self.limit = question.limit()
        except UndefinedError as error:
            raise ProblemError(
                f"{question.latex}: no real values near the point: {error}"
            ) from None
        except NotExpandedError as error:
            self.failure = str(error)
        if self.limit is None and question.parameters:
            self.method = "expansions at parameters"
        elif self.limit is None and question.second_variable is None:
            require_worker(True)
            self.method, self.limit = "gruntz", proposed(question)
        if reference is not None:
            self._check(reference)

    @property
    def is_proved(self) -> bool:
        return self.method == "expansion"

    def _check(self, reference: str) -> None:
        divergence = divergence_of(reference)
        if divergence is not None:
            outcome = self.judge_divergence(divergence)
        else:
            outcome = self._judge(read_stated(reference, self.parameters, "reference"))
        if outcome.status is Status.INCORRECT:
            raise ProblemError(f"the limit refutes the reference {reference!r}: {outcome.detail}")

    def judge_divergence(self, infinity: int) -> Outcome:
        """Judge the answer "does not exist" (``infinity`` is 0), or an infinity (1 or -1)."""
        if self.limit is None:
            return self._at_draws(None, infinity) if infinity else self._undecided()
        limit = self.limit
        if not limit.exists:
            if infinity:
                return self._refuted(f"the limit does not exist: {limit.reason}")
            return self._accepted(limit.reason)
        if limit.value is None:
            if infinity == limit.sign:
                return self._accepted("")
            if infinity:
                return self._refuted("the limit is the other infinity")
            if "diverg" in self.text.lower():
                return self._accepted("the limit is infinite")
            detail = "the limit is infinite, of which the answer says only that it is no number"
            return Outcome(Status.UNDECIDED, detail=detail)
        if limit.flags and not infinity:
            detail = "there is a limit from one side, where the function is real"
            return Outcome(Status.UNDECIDED, detail=detail)
        return self._refuted(f"the limit is {to_latex(limit.value)}")

    def questions(self, text: str) -> Iterator[Callable[[Expression], Outcome]]:
        """Yield the judges for the readings of a text as a limit that is proved."""
        asked = self.question
        with suppress(ProblemError, NotExpandedError):
            for question in limit_readings(text, dict(asked.all_assumptions)):
                if {*question.parameters} <= {*self.parameters} and question.limit():
                    yield _KnownLimit(replace(question, conditions=asked.conditions)).judge

    def judge(self, expression: Expression) -> Outcome:
        """Judge a closed form, also for the value 0 of a parameter that may be 0."""
        outcome, question = self._judge(expression), self.question
        for name in may_be_zero(question.conditions) if outcome.status is Status.CORRECT else ():
            with suppress(ProblemError):
                at_zero = _KnownLimit(question.at_draw(((name, 0.0),)))
                outcome_at_zero = at_zero._judge(substitute(expression, name, ZERO))
                if outcome_at_zero.status is Status.INCORRECT:
                    return Outcome(Status.UNDECIDED, detail=f"right for {name} other than 0 only")
        return outcome

    def _judge(self, expression: Expression) -> Outcome:
        answer = with_constants(expression, self.parameters)
        if (strange := with_strangers(answer, self.parameters)) is not None:
            return strange
        if self.limit is None:
            return self._at_draws(answer) if self.parameters else self._undecided()
        if self.limit.value is None:
            return self._refuted(
                "the limit is infinite" if self.limit.exists else "the limit does not exist"
            )
        with suppress(NotExpandedError):
            assumptions = dict(self.question.all_assumptions)
            is_equal = self.is_proved and are_equal(answer, self.limit.value, assumptions)
            if is_equal and ball_of(answer) is not None:  # 0 \ln 0 has no value
                return self._accepted("")
        if self.parameters:
            return self._at_draws(answer)
        outcome = compare_values(answer, self.limit.value)
        if outcome.status is Status.INCORRECT and not self.is_proved:
            return self._undecided()
        return outcome

    def _at_draws(self, answer: Expression | None, infinity: int = 0) -> Outcome:
        """Compare the answer with the proved limits at several choices of the parameters.

        Args:
            answer: a closed form, or None if the answer is an infinity.
            infinity: the sign of the infinity, if the answer is an infinity.

        """
        # A single wrong value refutes. A right answer has to fit nearly all choices, because the
        # expansion may fail for some of them.
        trees = [self.question.expression, *([] if answer is None else [answer])]
        assumed, conditions = dict(self.question.all_assumptions), self.question.conditions
        draws, _ = regimes(self.parameters, assumed, trees, conditions)
        compared = 0
        for draw in draws:
            outcome = self._at_draw(draw, answer, infinity)
            if outcome is None:
                continue
            compared += 1
            if outcome.status is not Status.CORRECT:
                return replace(outcome, points=compared)
        if compared < DRAWS - 1:
            return self._undecided()
        if answer is not None:
            # It has to fit all cases of its own functions.
            try:
                unseen = [*unseen_cases(self.parameters, assumed, [answer], draws)]
            except UnusableError as error:
                return Outcome(Status.UNDECIDED, detail=str(error))
            for draw in (draw for draw in unseen if admits(conditions, dict(draw))):
                outcome = self._at_draw(draw, answer) or self._undecided()
                if outcome.status is not Status.CORRECT:
                    return replace(outcome, points=compared + 1)
        flags = ("limit:parameters drawn",)
        return Outcome(Status.CORRECT, points=compared, flags=flags)

    def _at_draw(self, draw: Draw, answer: Expression | None, infinity: int = 0) -> Outcome | None:
        """Compare the answer with the limit for one choice of the parameters.

        The result is None if the limit cannot be computed.
        """
        try:
            limit = self.question.at_draw(draw).limit()
        except NotExpandedError:
            return None
        if answer is None or limit.value is None:
            agrees = infinity != 0 and limit.sign == infinity
            status = Status.CORRECT if agrees else Status.INCORRECT
            outcome = Outcome(status, detail="" if agrees else "another limit")
        else:
            outcome = compare_values(with_values(answer, draw), limit.value)
        point = ", ".join(f"{name} = {size:g}" for name, size in draw)
        return replace(outcome, witness=outcome.witness and replace(outcome.witness, point=point))

    def _accepted(self, detail: str) -> Outcome:
        proof = "expansion" if self.is_proved else ""
        return Outcome(Status.CORRECT, points=1, detail=detail, proof=proof)

    def _refuted(self, detail: str) -> Outcome:
        if not self.is_proved:
            return self._undecided()
        return Outcome(Status.INCORRECT, points=1, detail=detail, witness=None)

    def _undecided(self) -> Outcome:
        return Outcome(Status.UNDECIDED, detail=self.failure)
