"""Runs the published scorers in workers, because the scorers' time is unbounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...numeric.sampling.integrand import Integrand
from ...reading.latex import to_latex
from ...verdict import Status, Verdict
from ...workers.errors import TaskError, WorkerCutOff, WorkerError, WorkerTimeout
from ...workers.pool import DEFAULT_DEADLINE
from ...workers.verdicts import WorkItem, call_task, unpack, verdict_of
from ..answers import AnswerOptions, ExtractedAnswer, find_answer

#: Seconds for a candidate under the method ``welleck``. Its validation experiments have 10 s for a
#: problem instead (`harness.studies.brittleness.validation`).
WELLECK_DEADLINE = 1.0
#: Seconds of processor time for an answer under the method ``published``, which has no limit of
#: its own: more seconds accept no further reference of ``bee`` (docs/bee.md).
PUBLISHED_DEADLINE = 30.0
#: Seconds added for the task around the evaluator, which stops at the deadline and reports the
#: step.
PUBLISHED_MARGIN = 5.0


def deadline_for(method: str, deadline: float | None = None) -> float:
    """The time limit for one answer, in seconds of processor time. Each method has a default.

    >>> deadline_for("published"), deadline_for("published", 5)
    (30.0, 5)

    """
    if deadline is not None:
        return deadline
    deadlines = {"published": PUBLISHED_DEADLINE, "welleck": WELLECK_DEADLINE}
    return deadlines.get(method, DEFAULT_DEADLINE)


def worker_deadline(method: str, deadline: float) -> float:
    """The seconds of processor time after which the worker process is stopped."""
    return deadline + PUBLISHED_MARGIN if method == "published" else deadline


def verify_published(answer: ExtractedAnswer, problem: Integrand, deadline: float) -> Verdict:
    """Judge an answer as `rewards.verify.baselines.antiderivbench` does, in a worker."""
    text, integrand = answer.text or "", to_latex(problem.expression)
    try:
        arguments = (text, integrand, problem.variable, deadline)
        result = call_task("published", *arguments, deadline=worker_deadline("published", deadline))
    except WorkerError as error:
        return verdict_of(error, text, answer.evidence)
    name, step, detail, flags, points = result
    evidence = replace(
        answer.evidence,
        detail=f"step {step}: {detail}",
        flags=(*answer.evidence.flags, *flags),
        points=points,
    )
    return Verdict(Status(name), float(name == Status.CORRECT), text, evidence)


def verify_welleck(
    completion: str, integrand: str, options: dict[str, Any], deadline: float
) -> Verdict:
    """Judge a completion with the scorer `rewards.verify.baselines.welleck`, in a worker."""
    item = (completion, integrand, options)
    try:
        return unpack(call_task("welleck", *item, deadline=deadline))
    except WorkerError as error:
        return welleck_verdict(item, error)


def welleck_verdicts(items: Sequence[WorkItem], results: Sequence[Any]) -> list[Verdict]:
    """Convert the workers' results for `rewards.verify.baselines.welleck` to verdicts."""
    return [welleck_verdict(item, result) for item, result in zip(items, results, strict=True)]


def welleck_verdict(item: WorkItem, result: Any) -> Verdict:
    """The verdict for a worker's result.

    If the scorer exceeds its time or raises an exception, the answer counts as correct, as in the
    paper. All other results are passed to `verdict_of`. Such a result may be the error of an
    unusable problem.
    """
    bad_problem = isinstance(result, TaskError) and result.kind == "ProblemError"
    if not isinstance(result, WorkerError) or bad_problem or isinstance(result, WorkerCutOff):
        return verdict_of(result)
    completion, _, options = item
    answer = find_answer(completion, AnswerOptions.of(options), method="welleck")
    flag = "timeout_is_correct" if isinstance(result, WorkerTimeout) else "exception_is_correct"
    evidence = replace(
        answer.evidence,
        detail=str(result),
        flags=(*answer.notes, flag),
        seconds=answer.evidence.seconds + result.seconds,
    )
    return Verdict(Status.CORRECT, 1.0, answer.text, evidence)
