r"""Verify sums against the sum itself; no reference answer is needed.

If a finite sum has a symbolic limit, the answer is compared with the sum at many whole numbers.
Telescoping can then prove the answer. An infinite sum is enclosed (`rewards.numeric.summation`).
The answer has to be a closed form. The answer must agree with the sum to more digits than the text
of the answer could encode. `rewards.verify.power_series` judges questions about power series.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, Unpack

from ...numeric.outcome import Outcome
from ...numeric.quadrature.work import work_limit
from ...numeric.sampling.integrand import assumption_items
from ...proof.sums.convergence import judge_convergence
from ...reading.expression.traversal import needs_worker
from ...reading.extraction.judge import Asks
from ...reading.latex import Reading
from ...reading.latex.tokens.roles import IS_VALUE
from ...reading.problem.conditions import Conditions
from ...reading.problem.power_series import (
    SeriesQuestion,
    asks_of_series,
    read_series,
)
from ...reading.problem.sums import (
    SumProblem,
    has_product,
    is_unevaluated,
    read_product,
    read_sum,
    without_open_case,
)
from ...verdict import Status, Verdict
from ..answers import (
    AnswerKeywords,
    AnswerOptions,
    ExtractedAnswer,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
    stated_convergence,
    stated_divergence,
    verify_in_worker,
)
from ..options import with_option
from ..power_series import judge_answer, shape_of_answer
from ..values import judged_by
from .closed_forms import ProductJudge, SumJudge

#: Operations of one call (`numeric.quadrature.work`): the most that a sum of the bank takes is
#: 60,000, in 0.1 s.
ONE_CALL: Final = 2_000_000


def verify_sum(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify the final answer to a question about a sum or a power series.

    Unevaluated sums, lists of terms and decimals are not accepted. The right answer to a
    divergent sum is "diverges", or the infinity to which the partial sums tend.

    Args:
        completion: the model's output.
        problem: LaTeX with one sum sign (``\sum_{n=1}^{\infty} \frac{1}{n^2}``), or a question
            about a power series in words (`rewards.reading.problem.power_series`).
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters in the limits of the sum are whole numbers, and other parameters are
            positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``telescoping``, ``enclosure``, ``divergence``,
        ``expansion`` or ``agreement``. ``evidence.digits`` is the number of digits that agree.
        ``evidence.points`` is the number of choices of the parameters for which the answer was
        compared.

    Raises:
        ProblemError: the question is unreadable.

    Example:
        >>> verdict = verify_sum(r"$\boxed{\frac{\pi^2}{6}}$", r"\sum_{n=1}^\infty \frac{1}{n^2}")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'enclosure')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    completion = with_option(completion, problem, chosen)
    question = _read(problem, assumption_items(assumptions))
    asks: Asks = "value"
    if isinstance(question, SeriesQuestion):
        symbols, asks = question.parameters, shape_of_answer(question)
    else:
        symbols = question[0].parameters
    answer = find_answer(completion, chosen, symbols=symbols, asks=asks)
    infinity = stated_divergence(answer)
    try:
        with work_limit(ONE_CALL):
            if isinstance(question, SeriesQuestion):
                outcome, reading = judge_answer(answer, infinity, question)
            else:
                judge_type = ProductJudge if has_product(problem) else SumJudge
                outcome, reading = _of_sum(answer, infinity, [*map(judge_type, question)])
    except NeedsWorkerError:
        return verify_in_worker("sum", problem, answer)
    return answer.verdict(outcome.status, outcome, reading)


@lru_cache(maxsize=4096)
def _read(
    problem: str, assumed: tuple[tuple[str, str], ...]
) -> SeriesQuestion | tuple[SumProblem, ...]:
    further = Conditions(assumed)
    is_product = has_product(problem)
    if asks_of_series(problem) and not is_product:
        question = read_series(problem)
        return replace(question, conditions=question.conditions.also(further))
    readings = read_product(problem) if is_product else read_sum(problem)
    return tuple(
        reading._replace(conditions=reading.conditions.also(further)) for reading in readings
    )


def _of_sum(
    answer: ExtractedAnswer, infinity: int | None, judges: Sequence[SumJudge]
) -> tuple[Outcome, Reading | None]:
    """Judge an answer to a question that asks for the value or the convergence of a sum."""
    question = judges[0].problem
    text = without_open_case(answer.text or "")
    answer.text = text or answer.text
    # A statement of convergence is no value, and is judged by words.
    convergence = stated_convergence(answer)
    is_value = convergence is None and infinity is None
    if (is_value and question.asks_kind) or (
        convergence is not None and (question.asks_kind or question.asks_convergence)
    ):
        if question.asks_kind and not convergence:
            return Outcome(Status.UNPARSEABLE, detail="the kind of convergence is missing"), None
        convergence_type = str(convergence) if question.asks_kind else ""
        return _of_words(
            (judge_convergence(judge.problem, convergence_type), None) for judge in judges
        )
    if infinity is None and is_unevaluated(text):
        return Outcome(Status.NOT_CLOSED_FORM, detail="a sum that is not evaluated"), None
    names = sorted({name for judge in judges for name in judge.parameters})
    read_answer(answer, (*names, IS_VALUE))
    if answer.status is not None and infinity is None:
        return Outcome(answer.status, detail=answer.detail), None
    require_worker(any(needs_worker(judge.problem.term) for judge in judges))
    # Each convention for the range of the sum is a reading of the problem.
    of_conventions = [
        judge_of_convention for judge in judges for judge_of_convention in judge.by_conventions()
    ]
    with_text = partial(replace, text=str(answer.text))
    outcomes = (
        (replace(outcome, flags=(*outcome.flags, *judge.problem.flags)), reading)
        for outcome, reading, judge in judged_by(answer, infinity, of_conventions, with_text)
    )
    return (best if infinity is None else _of_words)(outcomes)


def _of_words(
    outcomes: Iterator[tuple[Outcome, Reading | None]],
) -> tuple[Outcome, Reading | None]:
    """The best outcome of an answer such as "converges" for the readings of a problem.

    Almost every such answer is right for one of two readings. An answer is therefore not accepted
    if wrong for the first, usual reading.
    """
    of_readings = [*outcomes]
    outcome, reading = best(iter(of_readings))
    if outcome.status is Status.CORRECT and of_readings[0][0].status is Status.INCORRECT:
        return Outcome(Status.UNDECIDED, detail="right for an unusual reading only"), None
    return outcome, reading
