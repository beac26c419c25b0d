"""Proofs of closed forms of finite sums."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.proof.sums.convergence import (
    converges_by_comparison,
    diverges_by_comparison,
)
from calculus_harness.rewards.proof.sums.telescoping import identical, prove_sum
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.reading.problem.sums import read_sum

SYMBOLS = ("n", "m", "k", "x", "r", "a")


def tree(text: str) -> Expression:
    return read(text, symbols=SYMBOLS)[0].expression


PROVED = [
    (r"\sum_{k=1}^{n} k^3", r"\left(\frac{n(n+1)}{2}\right)^2"),
    (r"\sum_{k=0}^{n} r^k", r"\frac{r^{n+1}-1}{r-1}"),
    (r"\sum_{k=1}^{n} k\cdot k!", "(n+1)!-1"),
    (r"\sum_{k=1}^{n} (-1)^k k^2", r"(-1)^n\frac{n(n+1)}{2}"),
    (r"\sum_{k=1}^{2n} (-1)^k k", "n"),
    (r"\sum_{k=1}^{n} \frac1k", "H_n"),
    (r"\sum_{k=1}^{n} H_k", "(n+1)H_n-n"),
    (r"\sum_{k=1}^{n} \ln k", r"\ln(n!)"),
    (r"\sum_{k=1}^{n} \ln\left(1+\frac1k\right)", r"\ln(n+1)"),
    (r"\sum_{k=1}^{n} \sin(kx)", r"\frac{\sin\frac{nx}{2}\sin\frac{(n+1)x}{2}}{\sin\frac{x}{2}}"),
    (r"\sum_{k=0}^{n} \frac{\binom{2k}{k}}{4^k}", r"\frac{(2n+1)\binom{2n}{n}}{4^n}"),
    (r"\sum_{k=1}^{n} \frac{(2k-1)!!}{(2k)!!}", r"\frac{(2n+1)!!}{(2n)!!}-1"),
    (r"\sum_{k=m}^{n} 6^k", r"\frac{6^{n+1}-6^m}{5}"),
    (r"\frac{1}{n}\sum_{k=1}^{n} k", r"\frac{n+1}{2}"),
    (r"\sum_{k=1}^{n-1} k", r"\frac{n(n-1)}{2}"),
]


@pytest.mark.parametrize(("question", "answer"), PROVED)
def test_closed_forms_are_proved(question: str, answer: str) -> None:
    assert prove_sum(read_sum(question)[0], tree(answer)) is not None


@pytest.mark.parametrize(("question", "answer"), PROVED)
@pytest.mark.parametrize("wrong", ["{}+1", "2({})", "-({})", r"{}+(-1)^n", r"{}+\frac{{1}}{{n!}}"])
def test_near_misses_are_not(question: str, answer: str, wrong: str) -> None:
    assert prove_sum(read_sum(question)[0], tree(wrong.format(answer))) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (r"\sum_{k=0}^{n} \binom{n}{k}", "2^n"),  # the term has the symbol of the limit
        (r"\sum_{k=1}^{n} \left\lfloor k\right\rfloor", r"\frac{n(n+1)}{2}"),  # not analytic
        (r"\sum_{k=1}^{10} k", "55"),
        # at n = 0 only for whole numbers m
        (r"\sum_{k=0}^{n} \binom{k}{m}", r"\binom{n+1}{m+1}"),
    ],
)
def test_what_telescoping_does_not_prove(question: str, answer: str) -> None:
    assert prove_sum(read_sum(question)[0], tree(answer)) is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12^n", "2^{2n}3^n"),
        ("(-1)^{2n}", "1"),
        ("(1+(-1)^n)(1-(-1)^n)", "0"),
        (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"),
        (r"\Gamma(7/2)", r"\frac{15\sqrt\pi}{8}"),
        ("H_5", r"\frac{137}{60}"),
        (r"\left(\frac12\right)^{n+1}", r"\frac{1}{2\cdot 2^n}"),
    ],
)
def test_identities_in_whole_numbers(left: str, right: str) -> None:
    assert identical(tree(left), tree(right), {}) is not None


@pytest.mark.parametrize(
    ("left", "right"), [("(-1)^n", "1"), ("2^n", "n^2"), ("n!", r"\frac{(n+1)!}{n}")]
)
def test_what_is_no_identity(left: str, right: str) -> None:
    assert identical(tree(left), tree(right), {}) is None


@pytest.mark.parametrize(
    ("term", "sign"),
    [
        (r"\frac{1}{n\ln n}", 1),
        (r"-\frac{1}{\ln n}", -1),
        (r"\frac{1}{n^{1+1/n}}", 1),
        (r"\left(\frac{n}{n+1}\right)^n", 1),
        (r"(-1)^n\frac{n}{n+1}", 0),
        (r"\frac{1}{n\ln^2 n}", None),
        (r"\frac{(-1)^n}{\ln n}", None),
    ],
)
def test_divergence_by_comparison(term: str, sign: int | None) -> None:
    problem = read_sum(rf"\sum_{{n=2}}^{{\infty}} {term}")[0]
    assert diverges_by_comparison(problem) == sign
    assert converges_by_comparison(problem) == (sign is None)
