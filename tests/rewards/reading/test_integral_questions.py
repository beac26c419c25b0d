"""Questions for an integral in other people's words.

`integral_questions.json` has 485 questions of seventeen writers that knew nothing of the project,
such as textbooks, examination boards, forums, worksheets, and prompts for language models. Of the
first set, 62 of 150 were read before the reader was developed on them; of the set l, of
which the second half was not looked at before, 39 of 100 were read before and 52 at its first run.

The set f is what was not read of 382 integrals as books, forums and programs of many countries
write them (292 were), by a writer who had read no code; 354 are read now. Of the last 55 of them,
38 were read at their first run.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.rewards import (
    ProblemError,
    Status,
    verify_antiderivative,
    verify_definite_integral,
)

RIGHT = [
    (r"Integrate $xe^x$.", "(x-1)e^x"),
    (r"Find an antiderivative of $f(t) = \cos 2t$.", r"\frac12\sin 2t"),
    (r"What is the integral of $x^2+1$ with respect to $x$?", r"\frac{x^3}{3}+x"),
    (r"Find the integral of $ax$ with respect to $a$.", r"\frac{a^2x}{2}"),
    (r"Integrate $\frac{1}{\sqrt{a^2-x^2}}$, where $a>0$.", r"\arcsin\frac xa"),
    (r"Integrate $\frac{1}{x\ln x}$ using the substitution $u=\ln x$.", r"\ln|\ln x|"),
    (r"Find the integral of $x^2\,dx$.", r"\frac{x^3}{3}"),
    (r"x\,dθ", r"x\theta"),  # d was a parameter
    (r"Donner une primitive de la fonction $f$ avec $f(x)=x$.", r"\frac{x^2}{2}"),  # not of de
]
DEFINITE = [
    (r"Find the definite integral of $x^2$ from $0$ to $1$.", r"\frac13"),
    (r"Integrate $f(x)=x^a$ from $x=0$ to $x=1$, where $a>0$.", r"\frac{1}{a+1}"),
    (r"Evaluate the integral of $\frac{1}{t^2}$ from $1$ to $\infty$.", "1"),
]
#: Right answers that are accepted, of each set; the other questions are refused.
ACCEPTED = {"f": 59, "i": 141, "j": 92, "k": 58, "l": 58, "m": 12}
QUESTIONS = json.loads((Path(__file__).parents[1] / "cases/integral_questions.json").read_text())
#: Sentences around an integral that ask for something else than the integral.
DIFFERENT_REQUESTS = r"""
Find $G$ and multiply the result by 2.
Evaluate $G$, then differentiate the result.
Find the derivative of $G$.
Find the square of $G$.
Find minus $G$.
Find half of $G$.
Find $G$. I then multiply it by 2. What do I get?
Find $G$. My answer must be doubled.
Find $G$ plus 3.
Find $G$. Then double it.
Find $G$ and then integrate again.
Evaluate $G$ where $x=t^2$ in terms of $t$.
Find $G$ by setting $u=x$. Leave the answer in terms of $u$.
Estimate $G$ using the trapezoidal rule with $n=4$.
Use Simpson's rule with 4 strips to approximate $G$.
Find $G$ correct to 3 significant figures.
Find $G$ to the nearest integer.
Evaluate $G$ as a percentage.
Let $I=G$. Find $2I$.
Let $I=G$. Find $I^2$.
Given that $G$ is $a$, find $3a$.
How many terms are needed to approximate $G$?
Find an upper bound for $G$.
Evaluate the right Riemann sum of $G$ with 3 rectangles.
Find the error of Simpson's rule for $G$
Compute $G$ and take its square root.
Express $G$ in the form $p/q$ and state $p+q$.
Find $G$ with the constant chosen so that it vanishes at $x=1$.
Find the value of $G$ at $x=2$.
Find $G$ subject to $F(0)=1$.
""".strip().splitlines()
REFUSED = [
    r"Find the antiderivative of $x^2$ such that $F=1$ when $x=0$.",
    r"Find the integral of $x^2$ from $0$.",
    r"Find the definite integral of $x^2$.",
    r"Integrate $x^2$ from $0$ to $1$ and from $1$ to $2$.",
    r"Integrate $x^2$ and $y$.",
    r"Integrate $x^2$ over $y$.",
    r"Find the area of $x^2$.",
    r"Find the integral of the square of $x$.",
    r"Integrate twice: $x^2$",
]


@pytest.mark.parametrize("name", ACCEPTED)
def test_other_peoples_questions(name: str) -> None:
    accepted = 0
    for row in QUESTIONS:
        if not row["id"].startswith(name):
            continue
        verify = verify_definite_integral if row["kind"] == "definite" else verify_antiderivative
        try:
            right = verify(rf"\boxed{{{row['right']}}}", row["question"]).status
            wrong = verify(rf"\boxed{{{row['wrong']}}}", row["question"]).status
        except ProblemError:
            continue
        assert right is not Status.INCORRECT, row
        assert wrong is not Status.CORRECT, row
        accepted += right is Status.CORRECT
    assert accepted >= ACCEPTED[name]


@pytest.mark.parametrize("question", DIFFERENT_REQUESTS)
@pytest.mark.parametrize(
    ("integral", "value"), [(r"\int_0^1 x^2\,dx", r"\frac13"), (r"\int x\,dx", "x^2/2")]
)
def test_something_else_than_the_integral_is_refused(
    question: str, integral: str, value: str
) -> None:
    says_nothing = "$x=" in question or "F(0)" in question  # of a definite integral
    if "_" in integral and says_nothing:
        return
    verify = verify_definite_integral if "_" in integral else verify_antiderivative
    with pytest.raises(ProblemError) as raised:
        verify(rf"\boxed{{{value}}}", question.replace("G", integral))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("question", "answer"), RIGHT)
def test_an_antiderivative_in_words(question: str, answer: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{answer}}}", question).correct
    assert not verify_antiderivative(rf"\boxed{{2({answer})}}", question).correct


@pytest.mark.parametrize(("question", "answer"), DEFINITE)
def test_a_definite_integral_in_words(question: str, answer: str) -> None:
    assert verify_definite_integral(rf"\boxed{{{answer}}}", question).correct
    assert not verify_definite_integral(rf"\boxed{{2({answer})}}", question).correct
    with pytest.raises(ProblemError, match="definite integral"):
        verify_antiderivative(r"\boxed{x}", question)


@pytest.mark.parametrize(
    "question",
    [
        r"Find $\int a|x|\,dx$ unless $x<0$.",
        r"Find $\int a|x|\,dx$ without assuming $x<0$.",
    ],
)
def test_what_is_not_stated_is_no_condition(question: str) -> None:
    with pytest.raises(ProblemError):
        verify_antiderivative(r"\boxed{-\frac{ax^2}{2}}", question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"Find $\int a|x|\,dx$ with $a=2b$.", "bx|x|", "ax|x|/4"),
        (r"Let $y=x^2$. Find the integral of $y$ with respect to $x$.", "x^3/3", "xy"),
        (r"I am stuck. Find $\int (x+c)\,dx$. Use $+C$, please.", "x^2/2+cx", "x^2/2"),
        (r"Let $f(t)=t^2$. Find $\int f(2x)\,dx$.", r"\frac43x^3", r"\frac13x^3"),
    ],
)
def test_what_a_question_defines_is_put_in(question: str, right: str, wrong: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{right}}}", question).correct
    assert verify_antiderivative(rf"\boxed{{{wrong}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize("question", REFUSED)
def test_words_that_may_change_the_question_are_refused(question: str) -> None:
    for verify in (verify_antiderivative, verify_definite_integral):
        with pytest.raises(ProblemError) as raised:
            verify(r"\boxed{x^3/3}", question)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"F'(x)=3x^2, find F", "x^3+C", "6x"),
        (r"Find a function F such that F'(x) = \cos(2x).", r"\frac12\sin 2x+C", r"-2\sin 2x"),
        (r"Find f if f'(x) = 2x + 1 and f(1) = 2.", "f(x)=x^2+x", "x^2+x+C"),
        (r"If $\frac{dy}{dx} = 3x^2$, find $y$.", "y=x^3+C", "6x"),
        (r"Given that $f''(x)=6x$, $f'(0)=1$, $f(0)=2$, find $f(x)$.", "x^3+x+2", "x^3+x"),
        (r"The derivative of a function $f$ is $4x^3$. Find the function.", "x^4+C", "12x^2"),
        (r"Find the antiderivative of $2x$ with $F(0)=3$.", "x^2+3", "x^2+C"),
        (r"Find the antiderivative F of f(x)=e^{2x} with F(0)=1.", r"\frac{e^{2x}+1}{2}", "e^{2x}"),
        (r"Find the antiderivative of $6x^2$ that passes through $(1,5)$.", "2x^3+3", "2x^3+C"),
        (r"Find $F(x)=\int 2x\,dx$ given that $F(0)=1$.", "x^2+1", "x^2+C"),
        (
            r"Let $f(t)=\cos t$ and let $F$ be an antiderivative of $f$ with $F(0)=2$. "
            r"Find $F(t)$.",
            r"\sin t+2",
            r"\sin t",
        ),
        (
            r"Find the function $f$ whose derivative is $2x$ and whose graph passes through "
            r"$(0,1)$.",
            "x^2+1",
            "x^2+C",
        ),
        (r"Déterminer la primitive $F$ de $f(x)=2x$ telle que $F(1)=0$.", "x^2-1", "x^2"),
        (r"Bestimme die Stammfunktion $F$ von $f(x)=2x$ mit $F(0)=3$.", "x^2+3", "x^2"),
        (r"Halla la primitiva $F$ de $f(x)=2x$ tal que $F(0)=3$.", "x^2+3", "x^2"),
    ],
)
def test_an_antiderivative_by_its_derivative_and_a_value(
    question: str, right: str, wrong: str
) -> None:
    assert verify_antiderivative(rf"\boxed{{{right}}}", question).correct
    assert verify_antiderivative(rf"\boxed{{{wrong}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    "question",
    [
        r"Find the antiderivative $F$ of $6x^2$ with $F(1)=5$, and then find $F(2)$.",
        r"Find the antiderivative $F$ of $6x^2$ with $F(1)=5$. What is $F(2)$?",
        r"Find the antiderivative $F$ of $f(x)=6x^2$ with $f(1)=5$.",
        r"Find the antiderivative $F$ of $f(x)=6x^2$ with $F(1)=F(2)$.",
        r"Find twice the antiderivative $F$ of $6x^2$ with $F(0)=1$.",
        r"Let $F$ be the antiderivative of $2x$ with $F(0)=0$. Compute $F(x)^2$.",
        r"If $f'(x)=2x$, find $\int f(x)\,dx$.",
        r"If $f'(x)=2x$, find $f(3)-f(1)$.",
        r"If $f'(x)=2x$, find $f(x^2)$.",
        r"The derivative of the square of a function is $2x$. Find the function.",
    ],
)
def test_another_question_about_an_antiderivative_is_refused(question: str) -> None:
    with pytest.raises(ProblemError):
        verify_antiderivative(r"\boxed{x^2+C}", question)
