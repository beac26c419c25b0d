"""Questions that define a value and ask for another value: the first is not accepted."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import (
    ProblemError,
    Status,
    verify_definite_integral,
    verify_limit,
    verify_sum,
)

RECURSION = r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. "
SEQUENCE = r"The sequence $a_n=\frac{n}{n+1}$ is given. "
PRODUCT = r"Let $P=\prod_{k=2}^{\infty}(1-\frac1{k^2})$. "
SERIES = r"Let $S=\sum_{n=1}^\infty 2^{-n-1}$. "
FRACTION = r"$\frac{1}{1-x}$"


@pytest.mark.parametrize(
    "ask",
    [
        "Find $a_5$ and its limit.",
        "Find the limit of $a_{n+1}/a_n$.",
        "Find the limit of $a_n^2$.",
        "What is twice its limit?",
        "By how much does the limit exceed $a_1$?",
        "Find the smallest $n$ with $a_n>1.9$.",
        r"Find the limit of $\frac{1}{a_n}$.",
        r"Find $\lim_{n\to\infty} a_n^2$.",
        r"Find $\lim_{n\to\infty} (a_n+1)$.",
        "Find the limit of $b_n=3a_n$.",
        "What is the limit of the sequence of its squares?",
        "Compute the limit and add one.",
        "Find the limit of $4^n(2-a_n)$.",
        "Which value of $a_1$ gives the limit $2$?",
        "What does $a_n$ tend to? Give half of it.",
        "What is the integer part of the limit?",
        "Find the derivative of the limit.",
        "Suppose instead $a_1=3$. Find the limit.",
        "Let $L$ be the limit. Find $L^2$.",
        "Find the limit for odd $n$.",
        "Find the limit as $n\\to0$.",
    ],
)
def test_another_limit_of_a_recursion(ask: str) -> None:
    with pytest.raises(ProblemError):
        verify_limit(r"\boxed{2}", RECURSION + ask)


@pytest.mark.parametrize(
    "ask",
    [
        "Find the limit of $a_n^n$.",
        "Find the limit of $n(1-a_n)+1$.",
        "What is twice its limit?",
        "Find the limit of the sequence $b_n=2a_n$.",
        "Find the limit of its reciprocal.",
        "Find the sum of its limit and 3.",
        "Find the first term that differs from its limit by less than $0.01$.",
        "Find the product of the first $n$ terms and its limit.",
    ],
)
def test_another_limit_of_a_sequence(ask: str) -> None:
    with pytest.raises(ProblemError):
        verify_limit(r"\boxed{1}", SEQUENCE + ask)


@pytest.mark.parametrize("definition", [PRODUCT, SERIES])
@pytest.mark.parametrize(
    "ask",
    [
        "Find $N^2$.",
        "Find $1/N$.",
        "Find $2N$.",
        "Find the logarithm of $N$.",
        "Find $N$ and $N+1$.",
        "What is the reciprocal of $N$?",
        "Find the difference of $N$ and $3$.",
        "Give $1-N$.",
        "Square $N$.",
        "Double the result.",
        "Compute the ratio of $N$ and $3$.",
    ],
)
def test_another_quantity_than_a_named_value(definition: str, ask: str) -> None:
    name = definition[5]
    with pytest.raises(ProblemError):
        verify_sum(r"\boxed{\frac12}", definition + ask.replace("N", name))
    assert verify_sum(r"\boxed{\frac12}", f"{definition}Find ${name}$.").correct


@pytest.mark.parametrize(
    "ask",
    [
        "the derivative of F",
        "the square of F",
        "F and differentiate it",
        "F with $x$ replaced by $x^2$",
        "the integral of F",
        "the even part of F",
        "F about $x=2$",
        "F multiplied by $x$",
        "the inverse function of F",
    ],
)
def test_the_series_of_another_function(ask: str) -> None:
    question = f"Find the Maclaurin series of {ask}.".replace("F", FRACTION)
    try:
        verdict = verify_sum(r"\boxed{\sum_{n=0}^\infty x^n}", question)
    except ProblemError:
        return
    assert verdict.status is Status.INCORRECT


@pytest.mark.parametrize("ask", ["the logarithm of $L$", "the product of $L$ and $3$", "$L+1$"])
def test_another_quantity_than_a_named_limit_or_integral(ask: str) -> None:
    limit = r"Let $L=\lim_{x\to0}\frac{1-\cos x}{x^2}$. "
    integral = r"Let $L=\int_0^1 x\,dx$. "
    for verify, definition in (verify_limit, limit), (verify_definite_integral, integral):
        assert verify(r"\boxed{\frac12}", definition + "Find $L$.").correct
        with pytest.raises(ProblemError):
            verify(r"\boxed{\frac12}", f"{definition}Find {ask}.")
