"""Judges an extracted answer to a question about a power series."""

from __future__ import annotations

from functools import partial
from typing import Final

from ...numeric.outcome import Outcome
from ...reading.expression.traversal import needs_worker
from ...reading.extraction.judge import Asks
from ...reading.latex import Reading
from ...reading.latex.tokens.roles import IS_VALUE
from ...reading.problem.power_series import SeriesQuestion, read_interval, without_remainder
from ...verdict import Status
from ..answers import ExtractedAnswer, judged, read_answer, require_worker
from .expansions import judge_expansion
from .quantities import judge_quantity

#: What answers look like that are neither a number nor a formula without the variable.
_SHAPES: Final[dict[str, Asks]] = {
    "interval": "interval",
    "polynomial": "antiderivative",
    "series": "antiderivative",
}


def shape_of_answer(question: SeriesQuestion) -> Asks:
    """What the answer to a question looks like, for its extraction."""
    return _SHAPES.get(question.wanted, "value")


def judge_answer(
    answer: ExtractedAnswer, infinity: int | None, question: SeriesQuestion
) -> tuple[Outcome, Reading | None]:
    """Judge an extracted answer, or an infinity that the answer states.

    Args:
        answer: the answer.
        infinity: 1 or -1 for an infinity, 0 for "diverges", or None.
        question: the question.

    Raises:
        ProblemError: the function has no Taylor series at the point.
        NeedsWorkerError: the function is evaluated in a worker only.

    """
    if question.wanted == "interval":
        interval = read_interval(answer.text or "", question.variable)
        if interval is None or answer.alternatives or answer.steps or answer.definitions:
            status = answer.status or Status.UNPARSEABLE
            return Outcome(status, detail="the answer is no interval"), None
        return judge_quantity(interval, question), None
    if question.wanted == "series":
        return judge_expansion(answer.text or "", question), None
    text, through = without_remainder(answer.text or "", question)
    answer.text = text or answer.text
    if infinity is not None:
        return judge_quantity(infinity, question), None
    shape = () if question.wanted == "polynomial" else (IS_VALUE,)
    read_answer(answer, (*question.parameters, *shape))
    if answer.status is not None:
        return Outcome(answer.status, detail=answer.detail), None
    require_worker(needs_worker(question.function))
    judge = partial(judge_quantity, question=question, through=through)
    return judged(answer, judge, question.parameters)
