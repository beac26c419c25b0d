"""Examination questions by a language model without knowledge of the verifier.

Two sets of 200. At the first run of the first set 223 of 383 right answers were accepted and 5
refuted; of the second, after the reader had been developed on the first, 288 of 381 were accepted
and 3 refuted. No wrong answer was accepted. A third set of 40 has mechanisms that were not read
before: none of its questions was read. Its questions for gradients and directional derivatives are
not read yet. Four sets of 100 (f) are by writers that imitated as many people as they could: 203 of
800 right answers were accepted before the reader was changed for them, and 442 then. Half of the
limits and sums were looked at only after their first run: 70 of 200, and 36 before. Of a last set
(g), 80 of 120 were accepted at the first run.

Since the words of a request have to be known (`test_requests.py`), 31 right answers fewer are
accepted.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.rewards import ProblemError
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.problem.power_series import read_interval
from calculus_harness.rewards.verdict import Status

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "course_questions.json").read_text(encoding="utf-8")
)
TASKS = ("derivative", "limit", "sum", "differential_equation")
#: Right answers that are accepted; the others belong to questions that are not read.
ACCEPTED = {"derivative": 329, "limit": 374, "sum": 348, "differential_equation": 388}


def status(task: str, question: str, answer: str) -> Status | None:
    """The status of a boxed answer; None for an unread question."""
    try:
        return QUESTIONS[task].verify(rf"\boxed{{{answer}}}", question).status
    except ProblemError:
        return None


@pytest.mark.parametrize("task", TASKS)
def test_no_right_answer_is_refuted_and_no_wrong_one_accepted(task: str) -> None:
    accepted = 0
    for case in CASES:
        if case["kind"] != task:
            continue
        assert status(task, case["question"], case["wrong"]) is not Status.CORRECT, case
        for answer in filter(None, (case["right"], case["right2"])):
            result = status(task, case["question"], answer)
            assert result is not Status.INCORRECT, case
            accepted += result is Status.CORRECT
    assert accepted >= ACCEPTED[task]


@pytest.mark.parametrize(
    ("task", "question"),
    [
        ("differential_equation", r"$N'=-\lambda N$. Find its half-life in terms of $\lambda$."),
        ("derivative", r"Find the volume of $y = x^2$."),
        ("derivative", r"For what value of $c$ is $y' = c$?"),
        ("derivative", r"Find the inverse of $y = x^3$."),
        ("derivative", r"Find the limit of the derivative of $x^2$."),
        ("differential_equation", r"Is the solution of $y' = -y$ bounded?"),
    ],
)
def test_a_name_that_is_not_understood_is_an_error(task: str, question: str) -> None:
    assert status(task, question, "2x") is None


@pytest.mark.parametrize(
    ("task", "question", "answer"),
    [
        ("sum", r"Let $n$ be an even integer. Find $\sum_{k=0}^n(-1)^k$", "1"),
        ("sum", r"Does $\sum_{n=2}^{\infty}\frac{1}{n\ln^2n}$ converge?", r"\text{converges}"),
        ("limit", r"Evaluate $\lim_{x\to0}\frac{\sin 5x}{3x}$.", r"1.\overline{6}"),
        (
            "differential_equation",
            r"Solve $y''+y=0$, given that $y=0$ and $\dfrac{dy}{dx}=3$ when $x=0$",
            r"3\sin x",
        ),
        (
            "differential_equation",
            r"Solve $\dfrac{dy}{dx}=k$ given that $y=\frac12$ when $x=1$.",
            r"k(x-1)+\frac12",
        ),
        ("derivative", r"Let $f(x)=|x-3|+|x+1|$. Find $f'(x)$ for $-1<x<3$.", "0"),
    ],
)
def test_questions_with_conditions(task: str, question: str, answer: str) -> None:
    assert status(task, question, answer) is Status.CORRECT
    assert status(task, question, f"{answer}+1") is not Status.CORRECT


def test_words_that_describe_a_formula_or_a_method_change_nothing() -> None:
    for question in (
        r"Differentiate the nested root $y=\sqrt{x^2}$ by the quotient rule.",
        r"Differentiate $y=\sqrt{x^2}$, leaving your answer as a quotient.",
        r"With the substitution $u=x^2$, find $\frac{dy}{dx}$ for $y=\sqrt{x^2}$, or write DNE.",
    ):
        assert status("derivative", question, r"\frac{x}{|x|}") is Status.CORRECT


def test_an_implicit_solution_is_judged_on_its_curve() -> None:
    question = r"Solve $\frac{dy}{dx}=(x+y)^2$."
    assert status("differential_equation", question, r"x+y=\tan(x+C)") is Status.CORRECT
    assert status("differential_equation", question, r"x+y=\tan(2x+C)") is Status.INCORRECT


def test_a_question_for_the_sum_is_not_answered_by_its_convergence() -> None:
    question = r"Show that $\sum_{n=1}^{\infty}\frac{1}{n^2}$ converges, and find its sum."
    assert status("sum", question, r"\text{converges}") is not Status.CORRECT


@pytest.mark.parametrize(
    ("series", "right", "wrong"),
    [
        (r"\sum_{n=1}^{\infty}\frac{(x-3)^n}{n}", r"[2,4) x\in[2,4)", "(2,4] [2,4] |x-3|<1 (2,5)"),
        (
            r"\sum_{n=1}^{\infty}\frac{(2x-1)^n}{n^2 3^n}",
            "[-1,2] |x-\\frac12|\\le\\frac32",
            "(-1,2) [-1,2) [-3,3]",
        ),
        (r"\sum_{n=1}^{\infty}\frac{x^n}{n}", r"1>x\ge-1 [-1,1)", r"1\ge{x}>-1 (-1,1)"),
        (r"\sum_{n=0}^{\infty}\frac{x^n}{n!}", r"(-\infty,\infty) \mathbb{R}", "(-1,1) [-1,1]"),
        (r"\sum_{n=0}^{\infty}\frac{(-1)^n x^{2n+1}}{2n+1}", "[-1,1] |x|\\le1", "(-1,1) (-1,1]"),
        (r"\sum_{n=1}^{\infty}n^2(x+1)^n", "(-2,0)", r"[-2,0) (-\infty,\infty)"),
        (r"\sum_{n=2}^{\infty}\frac{x^n}{\ln n}", "", "(-1,2) (-2,2)"),
    ],
)
def test_the_interval_of_convergence_of_a_power_series(series: str, right: str, wrong: str) -> None:
    question = f"Find the interval of convergence of the power series ${series}$."
    for answer in right.split():
        assert status("sum", question, answer) is Status.CORRECT
    for answer in wrong.split():
        assert status("sum", question, answer) is Status.INCORRECT


@pytest.mark.parametrize("text", [r"\mathbb{Q}", r"-1\le x<1, x\ne0", "x<1", "(-a,a)", "|2x|<2"])
def test_what_is_no_interval_of_x(text: str) -> None:
    assert read_interval(text, "x") is None


@pytest.mark.parametrize(
    "question",
    [
        "Find the open interval of convergence of SERIES.",
        "Find the interval of convergence of the derivative of SERIES.",
        "Find the radius and interval of convergence of SERIES.",
        "Find the interval of convergence of SERIES without the endpoints.",
        "SERIES is differentiated term by term. Find the interval of convergence of the result.",
        r"Find the interval of convergence of SERIES, $x>0$.",
    ],
)
def test_a_question_for_another_interval_is_not_read(question: str) -> None:
    text = question.replace("SERIES", r"$\sum_{n=1}^\infty\frac{x^n}{n}$")
    assert status("sum", text, "[-1,1)") is None


def test_an_end_whose_convergence_is_not_decided_is_left_open() -> None:
    question = (
        r"Find the interval of convergence of $\sum_{n=2}^{\infty}\frac{x^n}{\ln n + (-1)^n}$."
    )
    assert status("sum", question, "[-1,1)") is not Status.CORRECT
    question = r"Find the interval of convergence of $\sum_{n=2}^{\infty}\frac{x^n}{\ln n}$."
    assert status("sum", question, "[-1,1)") is Status.CORRECT  # by Leibniz's criterion
    assert status("sum", question, "(-1,1)") is Status.INCORRECT


@pytest.mark.parametrize(
    ("sum_", "right", "wrong"),
    [
        (r"\sum_{k=1}^n\frac{n}{n^2+k^2}", r"\frac{\pi}{4}", r"\frac{\pi}{2}"),
        (r"\frac1n\sum_{k=1}^n\sin\frac{k\pi}{n}", r"\frac{2}{\pi}", r"\frac{1}{\pi}"),
        (r"\sum_{k=n+1}^{2n}\frac{1}{k}", r"\ln2", r"\ln3"),
        (r"\sum_{i=1}^{n}\left(1+\frac{2i}{n}\right)^3\frac{2}{n}", "20", "40"),
        (r"\frac1n\sum_{k=0}^{n-1}e^{k/n}", "e-1", "e"),
    ],
)
def test_the_limit_of_a_riemann_sum_is_an_integral(sum_: str, right: str, wrong: str) -> None:
    question = rf"By recognising a Riemann sum, evaluate $\lim_{{n\to\infty}}{sum_}$."
    assert status("limit", question, right) is Status.CORRECT
    assert status("limit", question, wrong) is Status.INCORRECT


@pytest.mark.parametrize(
    "sum_",
    [
        r"\frac1n\sum_{k=1}^n\frac{n}{k}",  # the function is not bounded
        r"\sum_{k=1}^{n^2}\frac{n}{n^2+k^2}",  # the interval grows
        r"\frac1n\sum_{k=1}^n(-1)^k\sin\frac{k}{n}",  # no function of k/n
        r"\frac1n\sum_{k=-5}^n\frac{1}{(1+k/n)}",  # terms outside of the interval
        r"\frac1n\sum_{k=1}^n\frac{a}{1+k/n}",  # a parameter
    ],
)
def test_the_limit_of_another_sum_is_not_read(sum_: str) -> None:
    assert status("limit", rf"Evaluate $\lim_{{n\to\infty}}{sum_}$.", "1") is None


def test_the_value_of_another_sum_may_be_given() -> None:
    hint = r"Given that $\sum_{n=1}^{\infty}\frac1{n^2}=\frac{\pi^2}{6}$, find "
    question = hint + r"$\sum_{n=1}^{\infty}\frac{1}{(2n-1)^2}$."
    assert status("sum", question, r"\frac{\pi^2}{8}") is Status.CORRECT
    assert status("sum", question, r"\frac{\pi^2}{6}") is Status.INCORRECT
    # a value that determines a parameter
    question = r"Given $\sum_{n=0}^\infty a^n=3$, find $\sum_{n=0}^\infty a^{2n}$."
    assert status("sum", question, r"\frac{1}{1-a^2}") is None


def test_the_first_terms_may_stand_before_the_sum_sign() -> None:
    terms = r"1-\frac13+\frac15-\cdots=\sum_{n=0}^{\infty}\frac{(-1)^n}{2n+1}"
    assert status("sum", f"Find the value of ${terms}$.", r"\frac{\pi}{4}") is Status.CORRECT
    assert status("sum", f"Find the value of ${terms}$.", r"\frac{\pi}{2}") is Status.INCORRECT
    assert status("sum", f"Find $S$ if $2S={terms}$.", r"\frac{\pi}{4}") is None


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"The function $f(x)=x^3+2x+1$ is one-to-one. Find $(f^{-1})'(4)$.", r"\frac15", "5"),
        (
            r"Let $f(x)=x+e^x$ and let $g$ be the inverse function of $f$. Calculate $g'(1)$.",
            r"\frac12",
            "2",
        ),
        (r"Suppose $f(x)=2x+\sin x$. What is $\left(f^{-1}\right)'(2\pi)$?", "1", "1/3"),
        (r"If $f(x)=x^3+x$ and $g(x)=f^{-1}(x)$, find $g'(2)$.", r"\frac14", "-1"),
    ],
)
def test_the_derivative_of_an_inverse_function(question: str, right: str, wrong: str) -> None:
    assert status("derivative", question, right) is Status.CORRECT
    assert status("derivative", question, wrong) is Status.INCORRECT


@pytest.mark.parametrize(
    "question",
    [
        r"If $f(x)=x^2$, find $(f^{-1})'(4)$.",  # two points with this value
        r"If $f(x)=x^3-3x$, find $(f^{-1})'(2)$.",
        r"If $f(x)=x^2$ for $x>0$, find $(f^{-1})'(4)$.",  # a domain
        r"If $f(x)=\tan x$, find $(f^{-1})'(1)$.",  # no function on the real line
        r"If $f(x)=x^3$, find $(f^{-1})'(0)$.",  # no derivative
        r"If $f(x)=x^3+x$, find $2(f^{-1})'(2)$.",
        r"If $f(x)=x^3+x$, find $(f^{-1})''(2)$.",
        r"If $f(x)=x^3+x$, find the reciprocal of $(f^{-1})'(2)$.",
        r"If $f(x)=x^3+x$ and $h(x)=x f^{-1}(x)$, find $h'(2)$.",  # not 1/f
        r"If $f(x)=x^3$ and $g(x)=x+1$, find $(fg)'(1)$.",  # not (fg)' times 1
        r"If $f(x)=ax^3+x$, find $(f^{-1})'(0)$.",
    ],
)
def test_an_inverse_function_that_is_not_proved_to_exist_is_not_read(question: str) -> None:
    assert status("derivative", question, r"\frac14") is None


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"$f(x)=x^3+x$, $h(x)=xf(x)$. Find $h'(x)$.", "4x^3+2x", "2x(x^3+x)"),
        (r"$f(x)=x^3+x$, $g(x)=f(x^2)$. Find $g'(1)$.", "8", "4"),
        (r"$f(x)=x^3$, $g(x)=x+1$, $h(x)=f(g(x))$. Find $h'(x)$.", "3(x+1)^2", "3x^2"),
        (r"$f(x)=x^3$, $g(x)=x+1$. Find $\frac{d}{dx}f(g(x))$.", "3(x+1)^2", "3x^2"),
        (r"$f(x)=x^2$, $g(x)=\cos x$. Find $f'(g(0))$.", "2", "0"),
        (r"$f(x)=x^2$. Find $f'(x)+f'(2x)$.", "6x", "2x+4x^2"),
        (r"$f(x)=x^3$, $g(x)=f'(x^2)$. Find $g'(x)$.", "12x^3", "6x^2"),
        (r"$f(x,y)=x^2+3y$, $g(x,y)=f(y,x)$. Find $\frac{\partial g}{\partial x}$.", "3", "2x"),
    ],
)
def test_a_value_of_a_function_is_no_product(question: str, right: str, wrong: str) -> None:
    assert status("derivative", f"Let {question}", right) is Status.CORRECT
    assert status("derivative", f"Let {question}", wrong) is Status.INCORRECT


def test_a_slope_elsewhere_is_no_product() -> None:
    assert status("derivative", r"Let $f(x)=\sin x$. Find $f'(2x)$.", r"\cos 2x") is None


def test_an_inverse_function_without_marks_of_formulas() -> None:
    question = "f(x) = x^3+2x+1, (f^{-1})'(4)"
    assert status("derivative", question, r"\frac15") is Status.CORRECT
    assert status("derivative", question, r"\frac14") is Status.INCORRECT


def test_the_limit_of_a_finite_sum_is_not_its_value() -> None:
    for words in ("the limit of the sum", "the limit"):
        question = rf"Find {words} $\sum_{{k=1}}^{{n}} \frac{{1}}{{2^k}}$."
        assert status("sum", question, "1") is None


@pytest.mark.parametrize(
    ("limit", "right", "wrong"),
    [
        (r"\lim_{x\to0}\frac{1}{x^3}\int_0^x\sin(t^2)\,dt", r"\frac13", "1"),
        (r"\lim_{x\to0}\frac{\int_0^{x^2}\sin t\,dt}{x^4}", r"\frac12", "1"),
        (r"\lim_{h\to0}\frac1h\int_2^{2+h}\sqrt{1+t^3}\,dt", "3", "2"),
        (r"\lim_{x\to0}-\frac1x\int_x^{3x}\cos t\,dt", "-2", "2"),
        (r"\lim_{x\to0^+}\frac{1}{x^3}\int_0^xt\,dt", r"\infty", "0"),
    ],
)
def test_a_limit_of_an_integral_by_lhopital(limit: str, right: str, wrong: str) -> None:
    assert status("limit", f"Evaluate ${limit}$.", right) is Status.CORRECT
    assert status("limit", f"Evaluate ${limit}$.", wrong) is Status.INCORRECT


@pytest.mark.parametrize(
    "limit",
    [
        r"\lim_{x\to0}\frac1x\int_1^xt\,dt",  # the integral does not tend to 0
        r"\lim_{x\to0}\frac1x\int_0^x\sin(1/t)\,dt",  # 0, of which the rule says nothing
        r"\lim_{x\to\infty}\frac1x\int_0^x\sin^2t\,dt",
        r"\lim_{x\to0}\frac{1}{e^x}\int_0^x\cos t\,dt",  # the rule would give -1
        r"\lim_{x\to0}\frac1x+\frac1x\int_0^x\cos t\,dt",
        r"\lim_{x\to0}\frac{\int_0^x\cos t\,dt}{x}+1",
        r"\lim_{x\to0}1/2x\int_0^x\cos t\,dt",  # two readings
        r"\lim_{x\to0}\frac{1}{x^2}\int_0^x(x-t)\cos t\,dt",
        r"\lim_{x\to0}\frac1x\int_0^xf(t)\,dt",
    ],
)
def test_another_limit_of_an_integral_is_not_read(limit: str) -> None:
    assert status("limit", f"Evaluate ${limit}$.", "1") is None
