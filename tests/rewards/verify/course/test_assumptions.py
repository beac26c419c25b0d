"""An assumption on the variable of a question is obeyed, or refused in a single line."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import ProblemError, Status
from calculus_harness.rewards.questions import QUESTIONS

CIRCLE = r"x^2+y^2=25, \frac{dy}{dx}"
SIGN = r"\lim_{x\to0}\frac{|x|}{x}"


@pytest.mark.parametrize(
    ("task", "question", "assumptions", "answer", "status"),
    [
        ("derivative", r"\frac{d}{dx}|x|", {"x": "positive"}, "1", Status.CORRECT),
        ("derivative", r"\frac{d}{dx}|x|", {"x": "positive"}, "-1", Status.INCORRECT),
        ("derivative", r"\frac{d}{dx}|x|", {"x": "negative"}, "-1", Status.CORRECT),
        ("derivative", r"\frac{d}{dx}|x|", {}, "1", Status.INCORRECT),
        ("derivative", CIRCLE, {"y": "positive"}, r"-\frac{x}{\sqrt{25-x^2}}", Status.CORRECT),
        ("derivative", CIRCLE, {"y": "positive"}, r"\frac{x}{\sqrt{25-x^2}}", Status.INCORRECT),
        ("derivative", CIRCLE, {}, r"-\frac{x}{\sqrt{25-x^2}}", Status.INCORRECT),
        ("differential_equation", "y'=|x|", {"x": "positive"}, r"\frac{x^2}{2}+C", Status.CORRECT),
        ("differential_equation", "y'=|x|", {"x": "positive"}, "x^2+C", Status.INCORRECT),
        ("differential_equation", "y'=|x|", {}, r"\frac{x^2}{2}+C", Status.INCORRECT),
        ("differential_equation", "y'=|y|", {"y": "positive"}, "y=Ce^x", Status.UNDECIDED),
        ("differential_equation", "y'=y", {"y": "positive"}, "y=Ce^{2x}", Status.INCORRECT),
        ("limit", SIGN, {"x": "positive"}, "1", Status.CORRECT),
        ("limit", SIGN, {"x": "negative"}, "-1", Status.CORRECT),
        ("limit", SIGN, {"x": "negative"}, "1", Status.INCORRECT),
        ("limit", r"\lim_{x\to\infty}\sin(\pi x)", {"x": "integer"}, "0", Status.CORRECT),
        ("limit", r"\lim_{x\to\infty}\sin(\pi x)", {}, "0", Status.INCORRECT),
    ],
)
def test_an_assumption_on_the_variable_is_obeyed(
    task: str, question: str, assumptions: dict[str, str], answer: str, status: Status
) -> None:
    verdict = QUESTIONS[task].verify(rf"\boxed{{{answer}}}", question, assumptions=assumptions)
    assert verdict.status is status, verdict


@pytest.mark.parametrize(
    ("task", "question", "assumptions", "message"),
    [
        ("derivative", r"\frac{d}{dx}x^2", {"x": "integer"}, "x is the variable"),
        ("differential_equation", "y'=x", {"x": "odd"}, "x is the variable"),
        ("limit", SIGN, {"x": "odd"}, "a variable that is odd"),
        ("limit", r"\lim_{x\to0^-}x", {"x": "positive"}, "a variable that is positive"),
        ("sum", r"\sum_{k=1}^n k", {"k": "odd"}, "the index k runs over a range"),
    ],
)
def test_any_other_assumption_on_the_variable_is_refused(
    task: str, question: str, assumptions: dict[str, str], message: str
) -> None:
    with pytest.raises(ProblemError, match=message) as caught:
        QUESTIONS[task].verify(r"\boxed{1}", question, assumptions=assumptions)
    assert "\n" not in str(caught.value)
