"""Limits in two variables and of recursions, derivatives of all orders, kinds of convergence."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import ProblemError
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.verdict import Status

NO = r"\text{does not exist}"


def status(task: str, question: str, answer: str) -> Status | None:
    """The status of a boxed answer; None for an unread question."""
    try:
        return QUESTIONS[task].verify(rf"\boxed{{{answer}}}", question).status
    except ProblemError:
        return None


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        (r"\frac{xy}{x^2+y^2}", NO, "0"),
        (r"\frac{x^2y}{x^2+y^2}", "0", NO),
        (r"\frac{x^2y}{x^4+y^2}", NO, "0"),
        (r"\frac{xy^2}{x^2+y^4}", NO, "0"),
        (r"\frac{x^3y}{x^6+y^2}", NO, "0"),
        (r"\frac{x^2y^2}{x^2+y^4}", "0", NO),
        (r"\frac{x^4y}{x^4+y^4}", "0", r"\frac12"),
        (r"\frac{xy}{\sqrt{x^2+y^2}}", "0", NO),
        (r"\frac{x|y|}{\sqrt{x^2+y^2}}", "0", NO),
        (r"\frac{x^2\sin^2y}{x^2+2y^2}", "0", NO),
        (r"\frac{xy\cos y}{3x^2+y^2}", NO, "0"),
        (r"\frac{\sin(x^2+y^2)}{x^2+y^2}", "1", "0"),
        (r"(x^2+y^2)\ln(x^2+y^2)", "0", NO),
        (r"e^{xy}\cos(x+y)", "1", "0"),
        (r"\frac{3x^2+3y^2}{x^2+y^2}", "3", NO),
        (r"\frac{xy}{x+y}", NO, "0"),
        (r"\frac{x^2-y^2}{x-y}", "0", NO),
    ],
)
def test_a_limit_in_two_variables(function: str, right: str, wrong: str) -> None:
    question = rf"Find $\lim_{{(x,y)\to(0,0)}}{function}$."
    assert status("limit", question, right) is Status.CORRECT
    assert status("limit", question, wrong) is Status.INCORRECT


@pytest.mark.parametrize(
    "function",
    [
        r"\frac{1}{x^2+y^2}",  # infinite along all curves
        r"x\sin\frac1y",
        r"\frac{x^2y^2}{x^2+y^2-x^2y}\lfloor x+2\rfloor",
        r"\frac{x^9y}{x^{18}+y^2}",  # two limits along curves that are not tried
    ],
)
def test_a_limit_in_two_variables_that_is_not_proved(function: str) -> None:
    question = rf"Find $\lim_{{(x,y)\to(0,0)}}{function}$."
    for answer in ("0", "1", NO, r"\infty"):
        assert status("limit", question, answer) in (Status.UNDECIDED, None)


@pytest.mark.parametrize(
    "question",
    [
        r"Find $\lim_{(x,y)\to(0,0)}\frac{xy}{x^2+y^2}$ for $x>0$.",
        r"Find $\lim_{(x,y)\to(\infty,\infty)}\frac{xy}{x^2+y^2}$.",
        r"Find $\lim_{(x,y,z)\to(0,0,0)}\frac{xy}{x^2+y^2}$.",
    ],
)
def test_another_limit_in_two_variables_is_not_read(question: str) -> None:
    assert status("limit", question, NO) is None


@pytest.mark.parametrize(
    ("recursion", "right", "wrong"),
    [
        (r"$a_1=\sqrt2$ and $a_{n+1}=\sqrt{2+a_n}$ for $n\ge1$", "2", rf"-1|4|{NO}"),
        (r"$a_1=1$, $a_{n+1}=\frac{9}{10}a_n+1$", "10", "9"),
        (
            r"$a_0=\frac12$ and $a_n=\frac{1}{1+a_{n-1}}$",
            r"\frac{\sqrt5-1}{2}",
            r"-\frac{\sqrt5+1}{2}",
        ),
        (
            r"$a_0=-1$ and $a_{n+1}=\frac12\left(a_n+\frac{2}{a_n}\right)$",
            r"-\sqrt2",
            r"\sqrt2|-1.414",
        ),
        (r"$a_1=3$ and $a_{n+1}=5-\frac{6}{a_n}$", "3", "2"),
        (r"$a_1=0$ and $a_{n+1}=\cos a_n$", "", "0.739|1"),
    ],
)
def test_the_limit_of_a_recursion(recursion: str, right: str, wrong: str) -> None:
    for request in (r"Find $\lim_{n\to\infty}a_n$.", "Find the limit of the sequence."):
        question = f"Let {recursion}. {request}"
        for answer in filter(None, right.split("|")):
            assert status("limit", question, answer) is Status.CORRECT
        for answer in wrong.split("|"):
            assert status("limit", question, answer) is Status.INCORRECT


@pytest.mark.parametrize(
    "recursion",
    [
        r"$a_1=1$ and $a_{n+1}=2a_n$",
        r"$a_1=1$ and $a_{n+1}=\sin a_n$",  # a slope of 1 at the limit
        r"$a_1=2$ and $a_{n+1}=5-\frac{6}{a_n}$",  # the sequence is constant, and would leave 2
        r"$a_1=1$ and $a_{n+1}=|a_n-1|$",
        r"$a_1=1$ and $a_{n+1}=a_n^2-1$",
    ],
)
def test_a_recursion_without_a_contraction_is_not_decided(recursion: str) -> None:
    for answer in ("0", "2", "3", NO):
        assert status("limit", f"Let {recursion}. Find the limit.", answer) is Status.UNDECIDED


@pytest.mark.parametrize(
    "question",
    [
        r"Let $a_1=1$, $a_{n+1}=\frac{n}{n+1}a_n$. Find the limit of the sequence.",
        r"Let $a_1=1$, $a_2=1$, $a_{n+1}=a_n+a_{n-1}$. Find the limit of the sequence.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Let $b_n=a_n^2$. Find $\lim b_n$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find $\lim a_n^2$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find $\lim_{n\to\infty}\frac{a_{n+1}}{a_n}$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find $a_3$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$ for odd $n$. Find the limit.",
        r"Let $a_1=c$ and $a_{n+1}=\sqrt{2+a_n}$. Find the limit.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$ for $n\le10$. Find the limit.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find the limit for $n=5$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find the limit as $n\to0$.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{b+a_n}$. Find the limit.",
        r"Let $a_1=1$ and $a_{n+1}=\sqrt{2+a_n}$. Find the limit of the sum of the sequence.",
    ],
)
def test_another_question_about_a_recursion_is_not_read(question: str) -> None:
    assert status("limit", question, "2") is None


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Find the $n$th derivative of $f(x)=e^{ax}$.", "a^ne^{ax}", "ae^{ax}"),
        (
            r"Find $f^{(n)}(x)$ for $f(x)=\cos 2x$.",
            r"2^n\cos(2x+\frac{n\pi}{2})",
            r"2^n\cos(2x+n\pi)|2^n\cos 2x",
        ),
        (
            "Let $y=xe^{-x}$. Find $y^{(n)}$.",
            "(-1)^n(x-n)e^{-x}|(-1)^{n}e^{-x}x-(-1)^nne^{-x}",
            "(-1)^n(x+n)e^{-x}",
        ),
        (
            r"Let $y=\sqrt{x}$. Find $\frac{d^n y}{dx^n}$ for $n\ge2$.",
            r"\frac{(-1)^{n-1}(2n-3)!!}{2^n}x^{\frac12-n}",
            r"\frac{(-1)^{n}(2n-3)!!}{2^n}x^{\frac12-n}",
        ),
        (
            r"What is the $n^{\text{th}}$ derivative of $x\ln x$ for $n\ge2$?",
            r"\frac{(-1)^n(n-2)!}{x^{n-1}}",
            r"\frac{(-1)^n(n-1)!}{x^{n-1}}",
        ),
        (
            r"Find the $n$-th derivative of $\sinh x$.",
            r"\frac{e^x-(-1)^ne^{-x}}{2}",
            r"\frac{e^x+(-1)^ne^{-x}}{2}",
        ),
        (
            "Find the $n$th derivative of $3^x$, where $n$ is a positive integer.",
            r"3^x(\ln3)^n",
            r"3^x\ln3",
        ),
        (
            r"Find $\frac{d^n}{dx^n}\frac{1-x}{1+x}$.",
            r"\frac{2(-1)^{n}n!}{(1+x)^{n+1}}",
            r"\frac{(-1)^{n}n!}{(1+x)^{n+1}}",
        ),
    ],
)
def test_a_derivative_of_a_general_order(question: str, right: str, wrong: str) -> None:
    for answer in right.split("|"):
        assert status("derivative", question, answer) is Status.CORRECT
    for answer in wrong.split("|"):
        assert status("derivative", question, answer) is Status.INCORRECT


@pytest.mark.parametrize(
    "question",
    [
        "Find $f^{(n)}(0)$ for $f(x)=e^{3x}$.",
        "Find $f^{(n)}(x)$ for $f(x)=x^n$.",
        r"Find $f^{(n)}(x)$ for even $n$ if $f(x)=\sin x$.",
        r"Find $f^{(n)}(x)$ for $n\ge0$ if $f(x)=\sin x$.",
        "Find $f^{(n)}(x)+f^{(m)}(x)$ if $f(x)=e^x$.",
    ],
)
def test_another_derivative_of_a_general_order_is_not_read(question: str) -> None:
    assert status("derivative", question, "3^n") is None


def test_a_formula_that_is_right_for_higher_orders_only_is_not_decided() -> None:
    question = r"Find the $n$-th derivative of $x\ln x$."
    assert status("derivative", question, r"\frac{(-1)^n(n-2)!}{x^{n-1}}") is Status.UNDECIDED


@pytest.mark.parametrize(
    "question",
    [
        "Let $f(x)=|x|$. Find $f'(0)$.",
        "Let $f(x)=x|x-a|$. Find $f'(a)$.",
        r"Find $\frac{d}{dx}|\sin x|$ at $x=\pi$.",
        "Let $f(x)=|x^2-1|$. Find $f'(1)$.",
    ],
)
def test_a_derivative_at_a_kink_is_not_judged(question: str) -> None:
    assert status("derivative", question, "0") is None


def test_a_derivative_beside_a_kink() -> None:
    assert status("derivative", "Let $f(x)=|x^2-4|$. Find $f'(1)$.", "-2") is Status.CORRECT
    assert status("derivative", r"Let $f(x)=|x-1|$. Find $f'(\pi)$.", "1") is Status.CORRECT


@pytest.mark.parametrize(
    ("term", "convergence"),
    [
        (r"\frac{(-1)^n}{n}", "conditionally"),
        (r"\frac{(-1)^n}{n^2}", "absolutely"),
        (r"(-1)^n\frac{n}{2n+1}", "diverges"),
        (r"\frac{(-3)^n}{n!}", "absolutely"),
        (r"\frac{\cos(n\pi)}{n}", "conditionally"),
        (r"(-1)^n(\sqrt{n+1}-\sqrt n)", "conditionally"),
        (r"\frac1n", "diverges"),
        (r"\frac{(-2)^n}{n}", "diverges"),
    ],
)
def test_the_kind_of_convergence(term: str, convergence: str) -> None:
    question = (
        rf"Is $\sum_{{n=2}}^\infty{term}$ absolutely convergent, conditionally convergent or"
        " divergent?"
    )
    answers = {
        "absolutely": r"\text{converges absolutely}",
        "conditionally": r"\text{conditionally convergent}",
        "diverges": r"\text{The series diverges.}",
    }
    for name, answer in answers.items():
        expected = Status.CORRECT if name == convergence else Status.INCORRECT
        assert status("sum", question, answer) is expected
    assert status("sum", question, r"\text{converges}") is Status.UNPARSEABLE


@pytest.mark.parametrize(
    "question",
    [
        r"Does $\sum_{n=1}^\infty\frac{(-1)^n}{n}$ converge absolutely?",
        r"Find the sum of $\sum_{n=1}^\infty\frac{(-1)^n}{n}$. Does it converge absolutely,"
        " conditionally or diverge?",
    ],
)
def test_another_question_for_the_kind_of_convergence_is_not_read(question: str) -> None:
    assert status("sum", question, r"\text{converges absolutely}") is None


@pytest.mark.parametrize(
    "question",
    [
        r"Find LIM if $2a=4$.",
        r"Find LIM where $a+1=4$.",
        r"Find LIM where $4=a$.",
        r"Find LIM + 1.",
        r"Find LIM $+1$.",
        r"Find $2$ LIM.",
        r"If $L=\lim_{x\to0}\frac{2\sin x}{x}$, find $L^2$.",
        r"If $L=\lim_{x\to0}\frac{2\sin x}{x}$, find $2L$.",
        r"Let $L=\lim_{x\to0}\frac{2\sin x}{x}$. Find $\ln L$.",
        r"Find LIM, where $x$ is measured in degrees.",
        r"Find $\delta$ for $\epsilon=0.1$ in LIM.",
        r"Let $\lfloor x\rfloor$ denote the greatest integer not exceeding $x$. Find twice LIM.",
        r"Find LIM and $f(x)$ if $f(x)=x$.",
        r"Let $f(x)=x^2$ for $x<1$ and $3x$ otherwise. Find $\lim_{x\to2}f(x)$.",
        r"Let $f(x)=x^2$ for rational $x$ and $3x$ otherwise. Find $\lim_{x\to2}f(x)$.",
        r"Let $f(x)=x^2$ for $x<1$ and zero otherwise. Find $\lim_{x\to2}f(x)$.",
        r"Find $2$ $\lim_{n\to\infty}\sum_{k=1}^n\frac{n}{n^2+k^2}$.",
        r"Find $2$ $\lim_{x\to0}\frac1x\int_0^x\cos t\,dt$.",
    ],
)
def test_a_formula_beside_a_limit_is_not_ignored(question: str) -> None:
    text = question.replace("LIM", r"$\lim_{x\to0}\frac{\sin ax}{x}$")
    assert status("limit", text, "a") is None


@pytest.mark.parametrize(
    ("question", "right"),
    [
        (r"Find $\lim_{n\to\infty}a^n$ where $a>1$ is known.", r"\infty"),
        (r"Let $f(x)=x^2$ if $x\neq2$ and $f(2)=7$. Find $\lim_{x\to2}f(x)$.", "4"),
        (r"$\underset{x\to0}{\lim}\frac{\sin x}{x}$", "1"),
        (r"Find the limit as $x$ approaches $0$ of $\frac{\sin x}{x}$.", "1"),
        (r"What is the limit, as $x\to 0$ from the right, of $\frac{|x|}{x}$?", "1"),
        (r"limit as x approaches 0 of sin(3x)/x", "3"),
        (r"Evaluate lim(x→0) sin(3x)/x", "3"),
        (r"lim x->2 (x^2-4)/(x-2)", "4"),
        (r"Of the form $\frac00$: find $\lim_{x\to0}\frac{\sin x}{x}$ as $x\to0$.", "1"),
    ],
)
def test_what_may_stand_beside_a_limit(question: str, right: str) -> None:
    assert status("limit", question, right) is Status.CORRECT


@pytest.mark.parametrize(
    ("task", "question", "answer"),
    [
        # sums: a part of the sum, something else of the sum, an addend
        ("sum", "Find SUM + 1.", "1"),
        ("sum", "Find SUM minus the first term.", "1"),
        ("sum", "Find SUM without the first term.", "1"),
        ("sum", "Find SUM, starting from the second term.", "1"),
        ("sum", "Find the remainder of SUM after 3 terms.", "1"),
        ("sum", "Find the sum of the squares of the terms of SUM.", "1"),
        ("sum", "Find the $n$th partial sum of SUM.", "1"),
        ("sum", "Find the $n$th term of SUM.", "1"),
        ("sum", "Find the limit of the terms of SUM.", "1"),
        ("sum", "Does SUM converge uniformly?", r"\text{converges}"),
        ("sum", r"Find $\sum_{n=1}^{10} n$ where $n$ is prime.", "55"),
        ("sum", r"Approximate SUM by 3 terms.", "1"),
        # limits
        ("limit", "Find twice the limit of sin(x)/x as x approaches 0", "1"),
        ("limit", r"Find $\lim_{x\to0}\frac{\sin x}{x}$. Halve the answer.", "1"),
        # derivatives: a point that is given by the value of the function, two points
        ("derivative", "Let $y=x^2$. Find $y'$ when $y=9$, $x>0$.", "2x"),
        ("derivative", "Let $f(x)=x^2$. Find $f'(x)$ for $f(x)=9$.", "2x"),
        (
            "derivative",
            r"Let $x=t^2$, $y=t^3$, $t>0$. Find $\frac{dy}{dx}$ at $x=4$.",
            r"\frac{3t}{2}",
        ),
        ("derivative", r"$x^2+y^2=25$, $y>0$. Find $\frac{dy}{dx}$ at $x=3$.", r"-\frac3y"),
        ("derivative", "Find the derivative of $x^2$ at $x=1$ and at $x=2$.", "4"),
        ("derivative", r"Differentiate $\sin x$, where $x$ is in degrees.", r"\cos x"),
        ("derivative", r"Apply the product rule to $y=x\sin x$ twice.", r"\sin x+x\cos x"),
        ("derivative", r"Find the slope of the tangent line to $r=\sin\theta$ at $r=1$.", "0"),
        ("derivative", r"Find the slope of the curve $r=\sin2\theta$ at the pole.", "0"),
        # differential equations
        ("differential_equation", "Find the order of $y''+y=0$.", r"C_1\cos x+C_2\sin x"),
        ("differential_equation", "Find the homogeneous solution of $y'+y=x$.", "Ce^{-x}+x-1"),
        ("differential_equation", "If $y'=2y$, find $xy$.", "Ce^{2x}"),
        ("differential_equation", "Solve $y'=2y$ for $xy$.", "Ce^{2x}"),
        ("differential_equation", "Solve $y'=ky$ where $k$ is $ab$.", "Ce^{kx}"),
        (
            "differential_equation",
            "The gradient of a curve is $xy$ and $y'=x$.",
            r"\frac{x^2}{2}+C",
        ),
    ],
)
def test_a_question_for_something_else_is_not_read(task: str, question: str, answer: str) -> None:
    text = question.replace("SUM", r"$\sum_{n=1}^\infty\frac{1}{2^n}$")
    assert status(task, text, answer) is None


@pytest.mark.parametrize(
    ("task", "formula", "answer", "cases"),
    [
        ("limit", r"\lim_{x\to0}x^a", "0", r"\begin{cases}1&a=0\\0&a>0\end{cases}"),
        (
            "limit",
            r"\lim_{n\to\infty}\frac{na}{1+na}",
            "1",
            r"\begin{cases}0&a=0\\1&a>0\end{cases}",
        ),
        (
            "sum",
            r"\sum_{n=0}^\infty\frac{a}{(1+a)^n}",
            "1+a",
            r"\begin{cases}0&a=0\\1+a&a>0\end{cases}",
        ),
    ],
)
def test_a_parameter_that_may_be_zero_is_not_only_positive(
    task: str, formula: str, answer: str, cases: str
) -> None:
    assert status(task, f"Find ${formula}$ for $a>0$.", answer) is Status.CORRECT
    assert status(task, rf"Find ${formula}$ for $a\ge0$.", answer) is Status.UNDECIDED
    assert status(task, rf"Find ${formula}$ for $a\ge0$.", cases) is Status.CORRECT
    assert (
        status("sum", r"Find $\sum_{n=0}^\infty\frac{x^n}{n!}$, $x\ge0$.", "e^x") is Status.CORRECT
    )


def test_a_letter_with_an_index_at_the_end_is_a_parameter() -> None:
    assert status("limit", r"\lim_{h\to0}(2+h)a_n", "2a_n") is Status.CORRECT
    assert status("limit", r"Find $\lim_{h\to0}\frac{(2+$h)^3-8}{h}a_n$", "1") is not Status.CORRECT


def test_the_point_of_the_plane_may_have_a_parameter() -> None:
    question = r"Find $\lim_{(x,y)\to(a,0)}\frac{xy}{x+1}$."
    assert status("limit", question, "0") is Status.CORRECT
    assert status("limit", question, "a") is Status.INCORRECT


def test_a_formula_that_is_right_for_the_compared_orders_only_is_not_proved() -> None:
    answer = r"\boxed{e^x + (n-1)(n-4)(n-5)(n-6)}"  # orders 1, 4, 5 and 6 are compared
    verify, question = QUESTIONS["derivative"].verify, "Find the $n$th derivative of $e^x$."
    assert verify(answer, question).status is Status.UNDECIDED
    assert verify(r"\boxed{e^x}", question).correct


@pytest.mark.parametrize(
    ("kind", "question", "right"),
    [
        # a definition is put in as a factor, and leaves the variable of integration alone
        ("antiderivative", r"Let $k=3$. Find $\int\cos kx\,dx$.", r"\frac{\sin 3x}{3}"),
        ("definite", r"Let $\omega=2$. Evaluate $\int_0^{\pi/2}\sin\omega t\,dt$.", "1"),
        ("definite", r"Use $\theta=\arctan x$. Evaluate $\int_0^1\theta\,d\theta$.", r"\frac12"),
        ("definite", r"Let $a=2$. Evaluate $\int_0^a x\,dx$.", "2"),
        ("limit", r"Let $a=2$. Find the limit of $\frac{\sin ax}{x}$ as $x\to0$.", "2"),
        ("limit", r"Let $f(x)=ax$. Find $\lim_{x\to1}f(2x)$.", "2a"),
        ("limit", r"Let $u(x)=cos x$. Find $\lim_{x\to0}u(2x)$.", "1"),
        ("limit", r"Let $u(t)=\sin 3t$. Find $\lim_{x\to0}\frac{u(2x)}{x}$.", "6"),
        ("definite", r"Let $n=2$. Find $\int_0^1 sin(nx)\,dx$.", r"\frac{1-\cos 2}{2}"),
        # the last term of a sum has an index of its own
        ("sum", r"If $a_k=k$, what is $S_n=a_1+\cdots+a_n$?", r"\frac{n(n+1)}{2}"),
        (
            "sum",
            r"Find the interval of convergence of $\sum_{n=0}^\infty\frac{x^n}{n!}$.",
            r"x\in\mathbb{R}",
        ),
        # a partial derivative does not go through the definition of another variable
        (
            "derivative",
            r"If $z=x^2y$ and $y=\sin x$, find $\frac{\partial z}{\partial x}$.",
            "2xy",
        ),
        ("derivative", r"$y=x^3$. Find $\dv[2]{y}{x}$.", "6x"),
        ("derivative", r"Find the derivative of $y=x^2$ at $x=t+1$.", "2t+2"),
        ("differential_equation", r"Solve $y'=y$ if $y=-b$ when $x=0$.", "y=-be^{x}"),
        ("differential_equation", r"Put $p=y'$ and solve $y''=y'$, $y(0)=1$, $y'(0)=1$.", "y=e^x"),
        ("differential_equation", r"Solve $y'=y$ and express in terms of $A$.", "y=Ae^x"),
        ("limit", r"To what does the sequence $\frac{n}{2n+1}$ tend?", r"\frac12"),
        (
            "limit",
            r"Use $\frac{\tan x}{x}$ to find the limit of $\frac{\sin 2x}{x}$ as $x\to0$.",
            "2",
        ),
        # what stands around a question
        ("differential_equation", r"\begin{question}Solve $y'=y$.\end{question}", "y=Ce^x"),
        ("derivative", r"**Exercise 2.1** \emph{Differentiate} $x^2$.", "2x"),
        ("derivative", r"In Exercises 1-10, differentiate $x^2$.", "2x"),
    ],
)
def test_definitions_points_and_frames_of_questions(kind: str, question: str, right: str) -> None:
    assert status(kind, question, right) is Status.CORRECT
    name, equals, value = right.rpartition("=")
    wrong = rf"{name}{equals}3({value})+1"
    assert status(kind, question, wrong) in (Status.INCORRECT, Status.UNPARSEABLE)
