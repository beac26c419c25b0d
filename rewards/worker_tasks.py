"""The functions for workers. Arguments and results are plain JSON data.

`rewards.workers.pool.TASKS` names the functions as strings; nothing imports the module.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from .errors import ProblemError
from .questions import QUESTIONS, Question
from .verify.arithmetic import verify_integer
from .verify.baselines.antiderivbench import evaluate
from .verify.certificates.make import certify as make_certificate
from .verify.labels import read_label, verify_label
from .verify.solution_steps import verify_solution
from .workers.child import resolve
from .workers.dispatcher import PACKAGE
from .workers.pool import TASKS
from .workers.verdicts import pack


def timed(task: str, *arguments: Any) -> list[Any]:
    """Run a task. Return the task's result, and the task's processor time in seconds."""
    function = resolve(TASKS[task], PACKAGE)
    started = time.process_time()
    result = function(*arguments)
    return [result, time.process_time() - started]


def __getattr__(name: str) -> Callable[..., list[Any]]:
    """The task ``name``: a function that judges an answer, and returns the verdict as a list."""
    for question in QUESTIONS.values():
        if question.worker_task == name:
            return partial(_judged, question)
    raise AttributeError(name)


def _judged(question: Question, completion: str, target: str, options: dict[str, Any]) -> list[Any]:
    return pack(question.verify(completion, target, **options))


def certify(completion: str, integrand: str, options: dict[str, Any]) -> dict[str, Any]:
    return make_certificate(completion, integrand, **options)


def solution(completion: str, problem: str, options: dict[str, Any]) -> dict[str, Any]:
    return verify_solution(completion, problem, **options).to_dict()


def label(completion: str, target: Any, options: dict[str, Any]) -> list[Any]:
    if read_label(f"\\boxed{{{target}}}", strict=True)[0] is None:
        raise ProblemError(f"{target!r} is not a label")
    return pack(verify_label(completion, target, **options))


def integer(completion: str, target: Any, options: dict[str, Any]) -> list[Any]:
    try:
        number = int(target)
    except (TypeError, ValueError):
        raise ProblemError(f"{str(target)[:80]!r} is not a whole number") from None
    return pack(verify_integer(completion, number, **options))


def published(answer: str, integrand: str, variable: str, seconds: float) -> list[Any]:
    finding = evaluate(answer, integrand, variable, seconds)
    return [finding.status, finding.step, finding.detail, finding.flags, finding.points]
