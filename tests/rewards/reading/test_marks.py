"""Formulas in prose are found without marks, and labels, words and units are not."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.reading.problem.marks import with_marks


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Find y′ if sin(x + y) = y² cos x.", "Find $y′$ if $sin(x + y) = y² cos x$."),
        ("what's lim x->0 of sin(3x)/x ?", "what's $lim x->0$ of $sin(3x)/x$ ?"),
        ("Solve x dy = y dx.", "Solve $x dy = y dx$."),
        ("with a > 0 a constant", "with $a > 0$ a constant"),
        ("I got 2 in nr 7 of week 3b", "I got 2 in nr 7 of week $3b$"),
        ("help me integrate x*e^x from 0 to 1", "help me integrate $x*e^x$ from $0$ to $1$"),
        ("(b) Find dy/dx, and/or stop (see below)", "(b) Find $dy/dx$, and/or stop (see below)"),
        (r"Evaluate \lim_{x\to 0}\frac{\sin x}{x}.", r"Evaluate $\lim_{x\to 0}\frac{\sin x}{x}$."),
        ("at the point (3,4) on x^2 + y^2 = 25", "at the point $(3,4)$ on $x^2 + y^2 = 25$"),
        ("as n tends to infinity", "as $n$ tends to $infinity$"),
        ("Great!! Thanks in advance", "Great!! Thanks in advance"),
        ("let f be $x^2$, and y = n!", "let $f$ be $x^2$, and $y = n!$"),
    ],
)
def test_formulas_are_marked(text: str, marked: str) -> None:
    assert with_marks(text) == marked


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{dN}{dt} = rN\left(1-\frac NK\right), N(0) = N_0",
        r"\sum_{k=1}^{n} \cos(kx)",
        r"y'' + \operatorname{sech}(kxy) = 0",
        "y = f(blah) and more",
        "((((((((",
        "",
    ],
)
def test_a_formula_alone_and_an_unclear_text_are_left_as_they_are(text: str) -> None:
    assert with_marks(text) == text


def test_marked_formulas_are_not_marked_again() -> None:
    text = r"Let $x=2$ and \(y=3\); find \[x+y\]"
    assert with_marks(text) == text
