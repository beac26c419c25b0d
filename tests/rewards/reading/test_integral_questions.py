"""Questions for an integral in other people's words.

`integral_questions.json` has 370 questions of fifteen writers that knew nothing of the project,
such as textbooks, examination boards, forums, worksheets, and prompts for language models. The
reader was developed on the first two sets (i and j), not on the third (k).
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
]
DEFINITE = [
    (r"Find the definite integral of $x^2$ from $0$ to $1$.", r"\frac13"),
    (r"Integrate $f(x)=x^a$ from $x=0$ to $x=1$, where $a>0$.", r"\frac{1}{a+1}"),
    (r"Evaluate the integral of $\frac{1}{t^2}$ from $1$ to $\infty$.", "1"),
]
#: Questions that are refused.
UNREAD = frozenset(
    """i010 i034 i038 i063 i067 i072 i083 i086 i090 i138 j007 j016 j024 j025 j027 j030 j031
    j034 j039 j048 j054 j056 j060 j064 j065 j067 j081 j085 j091 j096 j102 j104 j108 j115
    j120 k001 k003 k004 k005 k006 k007 k009 k011 k012 k014 k015 k016 k017 k023 k030 k032
    k039 k041 k042 k043 k047 k051 k052 k054 k056 k057 k058 k059 k063 k065 k069 k073 k074
    k075 k076 k077 k078 k079 k080 k083 k087 k092 k095 k099""".split()
)
QUESTIONS = json.loads((Path(__file__).parents[1] / "cases/integral_questions.json").read_text())
#: Sentences around an integral that ask for something else than the integral.
OTHER = r"""
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
    r"Find the antiderivative of $2x$ with $F(0)=3$.",
    r"Find the antiderivative of $x^2$ such that $F=1$ when $x=0$.",
    r"Find the antiderivative of $x^2$ that passes through $(0,1)$.",
    r"Find the integral of $x^2$ from $0$.",
    r"Find the definite integral of $x^2$.",
    r"Integrate $x^2$ from $0$ to $1$ and from $1$ to $2$.",
    r"Integrate $x^2$ and $y$.",
    r"Integrate $x^2$ over $y$.",
    r"Let $y=x^2$. Find the integral of $y$ with respect to $x$.",
    r"Find the area of $x^2$.",
    r"Find the integral of the square of $x$.",
    r"Integrate twice: $x^2$",
]


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_other_peoples_questions(row: dict[str, str]) -> None:
    definite = row["kind"] == "definite"
    verify = verify_definite_integral if definite else verify_antiderivative
    if row["id"] in UNREAD:
        with pytest.raises(ProblemError):
            verify(rf"\boxed{{{row['right']}}}", row["question"])
        return
    right = verify(rf"\boxed{{{row['right']}}}", row["question"])
    if row["id"] == "k064":  # cos(tx) for any real t: the value is not computed
        assert right.status is Status.UNDECIDED
        return
    assert right.correct
    assert verify(rf"\boxed{{{row['wrong']}}}", row["question"]).status is Status.INCORRECT


@pytest.mark.parametrize("question", OTHER)
@pytest.mark.parametrize(
    ("integral", "value"), [(r"\int_0^1 x^2\,dx", r"\frac13"), (r"\int x\,dx", "x^2/2")]
)
def test_something_else_than_the_integral_is_refused(
    question: str, integral: str, value: str
) -> None:
    if "_" in integral and "$x=" in question:  # a place says nothing of a definite integral
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
        r"Find $\int a|x|\,dx$ with $a=2b$.",
        r"Find $\int a|x|\,dx$. I know that $a=2$.",
    ],
)
def test_what_is_not_stated_is_no_condition(question: str) -> None:
    with pytest.raises(ProblemError):
        verify_antiderivative(r"\boxed{-\frac{ax^2}{2}}", question)


@pytest.mark.parametrize("question", REFUSED)
def test_words_that_may_change_the_question_are_refused(question: str) -> None:
    for verify in (verify_antiderivative, verify_definite_integral):
        with pytest.raises(ProblemError) as raised:
            verify(r"\boxed{x^3/3}", question)
        assert "\n" not in str(raised.value)
