"""Sums and questions about power series in people's notation."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.errors import ProblemError
from calculus_harness.rewards.reading.expression.traversal import symbols_of
from calculus_harness.rewards.reading.latex import to_latex
from calculus_harness.rewards.reading.problem.derivatives import Jet, Jets, read_tree
from calculus_harness.rewards.reading.problem.power_series import read_series
from calculus_harness.rewards.reading.problem.sums import read_sum


@pytest.mark.parametrize(
    ("text", "lower", "upper", "term"),
    [
        (r"\sum_{n=1}^{\infty}\frac{1}{n^2}", "1", 1, r"\frac{1}{n^{2}}"),
        (r"$$\sum\limits_{k=0}^n k^2$$", "0", "n", "k^{2}"),
        (r"Evaluate \displaystyle\sum_{i=1}^{n} i^3.", "1", "n", "i^{3}"),
        (r"\sum^{\infty}_{n=0}\frac{1}{2^{n}}", "0", 1, r"\frac{1}{2^{n}}"),
        (r"\sum_{n\ge 1} 2^{-n}", "1", 1, "2^{-n}"),
        (r"\sum_{n\in\mathbb{Z}} \frac{1}{n^2+1}", -1, 1, r"\frac{1}{n^{2} + 1}"),
        (r"\sum_{n\in\mathbb{N}} 2^{-n}", "1", 1, "2^{-n}"),
        (r"\sum_{1\le k\le n} k", "1", "n", "k"),
        (r"∑_{n=1}^{∞} n", "1", 1, "n"),
        (r"What is $\sum_{n=1}^{\infty} n$?", "1", 1, "n"),
        (r"\sum_{k=1}^{n} k 2^k", "1", "n", r"k \cdot 2^{k}"),
        (r"\sum_{k=-2}^{2n+1} k", "-2", "2 n + 1", "k"),
    ],
)
def test_sums(text: str, lower: str | int, upper: str | int, term: str) -> None:
    problem = read_sum(text)[0]
    ends = [e if isinstance(e, int) else to_latex(e) for e in (problem.lower, problem.upper)]
    assert (*ends, to_latex(problem.term)) == (lower, upper, term)


def test_conditions_and_factors() -> None:
    problem = read_sum(r"Find $2\sum_{n=0}^\infty x^n$ for $|x|<1$.")[0]
    assert to_latex(problem.factor) == "2"
    assert dict(problem.conditions.assumptions) == {"x": "real"}
    assert read_sum(r"S_n = -\sum_{k=1}^n k")[0].factor.numerator == -1


def test_words_of_conditions_may_follow_one_another() -> None:
    text = r"Evaluate the series $\sum_{n=0}^\infty A B^n$. Assume A,B are real and positive."
    problem = read_sum(text)[0]
    assert dict(problem.conditions.assumptions) == {"A": "positive", "B": "positive"}
    with pytest.raises(ProblemError, match="does not define"):
        read_sum(r"\sum_{m=0}^\infty a_{mn}")


def test_a_number_of_terms_stands_for_a_degree() -> None:
    series = read_series(
        r"Compute the first 4 nonzero terms of the Maclaurin series of $e^x\cos x$"
    )
    assert series.terms == 4
    text = r"Compute up to degree 5 ($x^5$) the terms of the Maclaurin series of $f(x) = A\sin x$"
    assert to_latex(read_series(text).degree) == "5"


def test_an_addend_may_stand_outside() -> None:
    both, apart = read_sum(r"\sum_{k=1}^n k + 1")
    assert to_latex(both.term) == "k + 1"
    assert (to_latex(apart.term), to_latex(apart.outside)) == ("k", "1")
    assert len(read_sum(r"\sum_{k=1}^n (k + 1)")) == 1


@pytest.mark.parametrize(
    ("text", "form", "function", "centre", "degree"),
    [
        (r"Taylor polynomial of degree 4 about $x=0$ of $\sin x$", "polynomial", r"\sin", "0", "4"),
        (r"the third-degree Taylor polynomial of $\ln x$ centered at $a=1$", "polynomial", r"\ln",
         "1", "3"),
        (r"Taylor polynomial $T_3(x)$ for $f(x)=\ln x$ at $x=4$", "polynomial", r"\ln", "4", "3"),
        (r"Expand $\sin x$ in powers of $x$ up to and including the term in $x^4$.", "polynomial",
         r"\sin", "0", "4"),
        (r"Taylor series of $\sin x$ at $0$ up to $O(x^5)$", "polynomial", r"\sin", "0", "4"),
        (r"4th degree Taylor polynomial of $\sin x$ around $x=\frac{\pi}{3}$", "polynomial",
         r"\sin", r"\frac{\pi}{3}", "4"),
        (r"Find the quadratic approximation of $\sin x$ near $x=-2$", "polynomial", r"\sin", "-2",
         "2"),
        (r"coefficient of $(x-1)^3$ in the Taylor series of $\ln x$ about $x=1$", "coefficient",
         r"\ln", "1", "3"),
        (r"What is the coefficient of $x^{10}$ in the expansion of $\sin x$?", "coefficient",
         r"\sin", "0", "10"),
        (r"Lagrange form of the remainder of degree 3 for $\sin x$ about $x=0$", "remainder",
         r"\sin", "0", "3"),
    ],
)  # fmt: skip
def test_series(text: str, form: str, function: str, centre: str, degree: str) -> None:
    series = read_series(text)
    assert series.wanted == form
    assert to_latex(series.function) == rf"{function}\left(x\right)"
    assert (to_latex(series.centre), to_latex(series.degree)) == (centre, degree)


def test_a_word_that_is_not_known_makes_a_question_unreadable() -> None:
    with pytest.raises(ProblemError, match=r"understood|unreadable|may change"):
        read_series(r"Taylor polynomial of degree 4 about $x=0$ of the inverse of $\sin x$")


def test_the_name_before_an_expanded_function_is_a_letter() -> None:
    question = r"Find the Maclaurin polynomial of degree 3 of ${}(x) = e^x$"
    for name in ("f", r"\phi", "g_1"):
        assert to_latex(read_series(question.format(name)).function) == "e^{x}"
    with pytest.raises(ProblemError, match="unreadable"):
        read_series(question.format(r"\sin"))


def test_orders_in_roman_numerals_begin_at_one() -> None:
    jets = Jets({"y": ("x",)})
    for order, numeral in enumerate(("i", "ii", "iii", "iv"), 1):
        tree = read_tree(f"y^{{({numeral})}}", jets, ["x"])
        assert jets.names[min(symbols_of(tree))] == Jet("y", ("x",) * order)


@pytest.mark.parametrize("text", ["\\sum_{" * 500, "Taylor " * 900, "\\sum_{n=1}^n" + "(" * 900])
def test_hostile_texts_are_refused(text: str) -> None:
    with pytest.raises(ProblemError):
        read_sum(text) if "sum" in text else read_series(text)
