"""Arithmetic: the answer is a whole number.

HINT's problems are judged twice. The verdict is about HINT's answer; the evidence's flag
`ORDINARY_RIGHT` or `ORDINARY_WRONG` is the score of the released notebooks, which compare with
ordinary arithmetic (`benchmarks.hint.scoring`). Both judge the same number: with the method
``published`` the one that the notebooks read, otherwise the one that `verify_integer` does.
"""

from __future__ import annotations

import re
from dataclasses import replace

from msgspec import UNSET

from ...benchmarks.hint.problems import contradiction, is_hint
from ...benchmarks.hint.scoring import counted_right, read_prediction
from ...benchmarks.payloads import ArithmeticTarget
from ...benchmarks.problem import Problem
from ...rewards.reading.extraction.announced import final_text
from ...rewards.verdict import Evidence, Status, Verdict
from ...rewards.verify.arithmetic import verify_integer
from ..core.policy import Policy
from .base import AnswerArguments, Graded, Task, in_thread

ORDINARY_RIGHT, ORDINARY_WRONG = "ordinary_right", "ordinary_wrong"


def _verdict(graded: Graded, policy: Policy, stop: tuple[str, ...]) -> Verdict:
    problem, completion = graded
    target = problem.target_as(ArithmeticTarget)
    if policy.method == "published":
        text = completion.text
        if policy.strict:
            text = final_text(text, strict=True, stop=stop, truncated=False).answer or ""
        prediction = read_prediction(text)
        verdict = _by_notebook(prediction, target.value)
    else:
        verdict = verify_integer(
            completion.text,
            target.value,
            **AnswerArguments.of(completion, policy, stop).keywords(),
        )
        prediction = read_prediction(re.sub(r"[^\d.+-]", "", verdict.answer or ""))
    if target.ordinary is UNSET:
        return verdict
    right = counted_right(prediction, target.ordinary)
    flag = ORDINARY_RIGHT if right else ORDINARY_WRONG
    return replace(verdict, evidence=replace(verdict.evidence, flags=(flag,)))


def _by_notebook(prediction: float | None, value: int) -> Verdict:
    """HINT's answer compared with what the notebooks read, though the token limit cut it off."""
    evidence = Evidence(method="published", extracted_by="last_number")
    if prediction is None:
        return Verdict(Status.NO_ANSWER, 0.0, None, evidence)
    right = prediction == value
    status = Status.CORRECT if right else Status.INCORRECT
    return Verdict(status, float(right), f"{prediction:.17g}", evidence)


def _check(problem: Problem) -> str | None:
    return contradiction(problem) or "" if is_hint(problem) else None


TASK = Task(
    name="arithmetic",
    summary="Compute a whole number.",
    verifier="integer",
    grade=in_thread(_verdict),
    prompt="hint-zero-shot",
    check=_check,
)
