"""Integrals that are asked for in words, without a sign."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import ProblemError, verify_antiderivative, verify_definite_integral

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


@pytest.mark.parametrize("question", REFUSED)
def test_words_that_may_change_the_question_are_refused(question: str) -> None:
    for verify in (verify_antiderivative, verify_definite_integral):
        with pytest.raises(ProblemError) as raised:
            verify(r"\boxed{x^3/3}", question)
        assert "\n" not in str(raised.value)
