"""The words of a question's request for a formula have to be known."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import ProblemError, verify_antiderivative
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.problem.question.requests import OWN, check_requests
from calculus_harness.rewards.verdict import Status

INTEGRAL = r"$\int_0^1 3x^2\,dx$"
LIMIT = r"$\lim_{x\to0}\frac{\sin 2x}{x}$"
SERIES = r"$\sum_{n=0}^\infty 2^{-n}$"

#: The answer that overlooks the words, by the kind of question.
BARE = {
    "definite": "1",
    "limit": "2",
    "sum": "2",
    "derivative": "3x^2",
    "differential_equation": "y=Ce^{2x}",
    "antiderivative": "x^2+C",
}
CHANGED = {
    "definite": rf"""
Evaluate {INTEGRAL}, which has to be squared.
Evaluate {INTEGRAL}, adding one at the end.
Evaluate {INTEGRAL}, giving its negative.
Evaluate {INTEGRAL}; the answer is twice this.
Evaluate {INTEGRAL}, the upper limit being two.
What is the area between the curves, given {INTEGRAL}?
Hence find the area, using {INTEGRAL}.
How much bigger is {INTEGRAL} than $\frac12$?
Square {INTEGRAL} and state the result.
Find {INTEGRAL}. Square it.
After squaring this number, what is {INTEGRAL}?
Evaluate {INTEGRAL}. (Give twice the value, 4 marks)
{INTEGRAL}, but with a cube where the square stands. What is it?
Find minus {INTEGRAL}.
""",
    "limit": rf"""
Find {LIMIT}, that is, its square.
Find {LIMIT}. The answer we want is one more.
Find {LIMIT}, the sine being a cosine.
If the limit {LIMIT} is $L$, find $3L$.
By what factor does {LIMIT} exceed $1$?
The limit {LIMIT} is found easily. What is the limit from the other side?
""",
    "sum": rf"""
Find {SERIES}, the first term left out.
Find {SERIES}, leaving out the first term.
Find {SERIES} without its first term.
Find {SERIES}, omitting the first term.
What fraction of {SERIES} is its first term?
In {SERIES} multiply the terms instead of adding.
Find the sum $S_5$ of the series {SERIES}.
""",
    "derivative": r"""
Let $f(x)=x^3$. Find the derivative, evaluated at two.
Let $f(x)=x^3$. Differentiate its square.
Let $f(x)=x^3$. Find the derivative of its inverse.
Let $f(x)=x^3$. Differentiate twice.
Let $f(x)=x^3$. Find the derivative; differentiate once more.
Let $f(x)=x^3$. Find the derivative of the derivative.
The square of $\frac{d}{dx}x^3$
Zeros of $\frac{d}{dx}x^3$
""",
    "differential_equation": r"""
Solve $y'=2y$. At the origin it is one.
Solve $y'=2y$. At zero $y$ is one.
Solve $y'=2y$, the value at zero being five.
Solve $y'=2y$; what is the value of y at one?
Solve $y'=2y$, taking the constant to be three.
\text{the inverse of the solution of } y'=2y
""",
    "antiderivative": r"""
Find $\int 2x\,dx$ so that it is zero at one.
Find $\int 2x\,dx$, vanishing at one.
Find $\int 2x\,dx$; its graph meets the axis at three.
Find $\int 2x\,dx$. What value does it have at two?
""",
}
#: Words that change nothing.
PLAIN = {
    "definite": rf"""
Evaluate {INTEGRAL}, simplifying your answer.
Use the power rule to find {INTEGRAL}.
Take the antiderivative and hence find {INTEGRAL}.
Evaluate the Gaussian moment {INTEGRAL} (exactly, please).
The area under the curve, that is, {INTEGRAL}, is wanted.
Give {INTEGRAL} in simplest form, without using a calculator.
Could someone please help me evaluate {INTEGRAL}? I tried $u=x^3$ but I got stuck.
""",
    "limit": rf"""
Divide numerator and denominator by $x$ to find {LIMIT}.
What does {LIMIT} tend to, if the limit exists?
""",
    "derivative": r"""
Let $f(x)=x^3$. Find the derivative of $f$ with respect to $x$, giving your answer in full.
Determine the derivative of the function $x\mapsto x^3$.
Derivative of $x^3$
""",
    "differential_equation": r"""
General solution of $y'=2y$
Find the function $y$ with $y'=2y$.
""",
}
LINES = [(task, line) for task, text in CHANGED.items() for line in text.strip().splitlines()]
PLAIN_LINES = [(task, line) for task, text in PLAIN.items() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("task", "question"), LINES)
def test_the_answer_that_overlooks_words_is_not_accepted(task: str, question: str) -> None:
    with suppress(ProblemError):
        assert not QUESTIONS[task].verify(rf"\boxed{{{BARE[task]}}}", question).correct


@pytest.mark.parametrize(("task", "question"), PLAIN_LINES)
def test_words_that_change_nothing_are_known(task: str, question: str) -> None:
    assert QUESTIONS[task].verify(rf"\boxed{{{BARE[task]}}}", question).correct


@pytest.mark.parametrize("relation", ["d=3", "2d=6", "e=3", "ed=9"])
def test_a_relation_of_a_letter_is_not_taken_for_a_constant(relation: str) -> None:
    question = rf"Let ${relation}$. Find $\int_0^d e x\,dx$."
    with suppress(ProblemError):
        assert not QUESTIONS["definite"].verify(r"\boxed{\frac{ed^2}{2}}", question).correct


def test_an_error_names_the_word() -> None:
    with pytest.raises(ProblemError, match="'median' may change what is asked for"):
        QUESTIONS["definite"].verify(r"\boxed{1}", f"Find the median of {INTEGRAL}.")


@pytest.mark.hypothesis
@given(st.text(max_size=200), st.sampled_from(sorted(OWN)))
def test_any_text_is_read(text: str, task: str) -> None:
    with suppress(ProblemError):
        check_requests(text.replace("\ue012", ""), (), task)


LIMITS = r"$\lim_{x\to0}\frac{\sin 3x}{x}$"


@pytest.mark.parametrize(
    ("kind", "question", "right", "wrong"),
    [
        ("definite", r"The value of $\int_0^1 x\,dx$ is (A) $\frac12$ (B) 1 (C) 2 (D) 3", "A", "B"),
        ("definite", f"Evaluate {INTEGRAL}.\n\nA. 1\nB. 2\nC. 3\nD. 4", r"\text{(A)}", "D"),
        ("definite", f"Which of the following equals {INTEGRAL}? A. 1  B. 3  C. 1/3", "A.", "B."),
        ("limit", f"What is {LIMITS}?\nA) 0\nB) 1\nC) 3\nD) 1/3", "C", r"\frac13"),
        ("limit", f"Choose the value of {LIMITS}: (a) 0, (b) 1, (c) 3, (d) $\\infty$", "c", "d"),
        ("limit", r"$\lim_{x\to0}\frac1x$ is (A) 0 (B) 1 (C) does not exist", "C", "A"),
        ("derivative", "If $y=x^2$, then $y'=$\n(A) $2x$ (B) $x$ (C) $x^3$ (D) 2", "A", "C"),
        ("sum", f"Which is {SERIES}? a) 1 b) 2 c) 3 d) 4", "B", "A"),
        ("sum", f"{SERIES} is (A) 1 (B) 2 (C) 3", "2", "1"),
        ("definite", f"Find {INTEGRAL}. A) 1, B) 2, C) 3. Answer with the letter only.", "A", "B"),
        (
            "differential_equation",
            "The general solution of $y'=2y$ is (A) $Ce^{2x}$ (B) $x$ (C) $e^{2x}$",
            "A",
            "C",
        ),
        (
            "differential_equation",
            "Which of the following solves $y'=2y$? (A) $e^{2x}$ (B) $x$ (C) $e^x$",
            "A",
            "C",
        ),
        ("antiderivative", "$\\int 2x\\,dx$ is (A) $x+C$ (B) $x^2+C$ (C) $2+C$", "B", "A"),
    ],
)
def test_the_label_of_an_option_stands_for_the_option(kind, question, right, wrong):
    verify = verify_antiderivative if kind == "antiderivative" else QUESTIONS[kind].verify
    assert verify(rf"\boxed{{{right}}}", question).status is Status.CORRECT
    assert verify(rf"So the answer is {right}.", question).status is Status.CORRECT
    assert verify(rf"\boxed{{{wrong}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    "question",
    [
        f"Which of the following is NOT equal to {INTEGRAL}? (A) 1 (B) 2 (C) 3",
        f"All of these are equal to {INTEGRAL} except (A) 1 (B) 2 (C) 3",
        f"Which is closest to {INTEGRAL}? (A) 0.9 (B) 2 (C) 1",
        f"Which of the following is half of {INTEGRAL}? (A) 1/2 (B) 2 (C) 1",
        r"If $\int_0^1 2x\,dx=k$, then $2k$ is (A) 1 (B) 2 (C) 3",
        f"Consider {INTEGRAL}. (a) Estimate it. (b) Double the estimate. (c) Give the error.",
        f"Find {INTEGRAL}: (A) 1 (B) 2 (C) a bit more than 3",
        f"Of {INTEGRAL}, give (a) half, (b) twice and (c) the square.",
    ],
)
def test_an_option_of_another_question_is_refused(question):
    with pytest.raises(ProblemError):
        QUESTIONS["definite"].verify(r"\boxed{A}", question)
