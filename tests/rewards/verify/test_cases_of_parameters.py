"""Answers that are right for the usual choices of parameters and points, and wrong elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from calculus_harness.rewards import (
    Status,
    Verdict,
    verify_antiderivative,
    verify_definite_integral,
    verify_derivative,
    verify_equivalent,
    verify_limit,
    verify_sum,
)

Judge = Callable[..., Verdict]

#: A judge, a question with the parameter a, and its right answer.
QUESTIONS: list[tuple[Judge, str, str]] = [
    (verify_antiderivative, r"\int ax\,dx", r"\frac{ax^2}{2}+x\cdot"),
    (verify_equivalent, "ax", "ax+"),
    (verify_derivative, r"\frac{d}{dx}(ax^2)", "2ax+"),
    (verify_definite_integral, r"\int_0^1 ax\,dx", r"\frac{a}{2}+"),
    (verify_definite_integral, r"\int_0^\infty e^{-ax^2}dx", r"\frac12\sqrt{\frac{\pi}{a}}+"),
    (verify_limit, r"\lim_{x\to0}\frac{e^{ax}-1}{x}", "a+"),
    (verify_sum, r"\sum_{k=0}^{\infty}\frac{a^k}{k!}", "e^a+"),
]

#: Functions of a that are zero for all usual choices of a, and not for all positive a.
ZERO_AT_MOST_POINTS = [
    r"\lfloor\sin^2 a+10^{-12}\rfloor",
    r"\max(0,\sin a-0.999999999999)",
    r"(|(a-3)(a-3-10^{-15})|-(a-3)(a-3-10^{-15}))",
    r"(|a-3|+|a-3-10^{-12}|-2|a-3-\frac{10^{-12}}{2}|)",
    r"(10^{9}\arctan(\tan(a/10^{9}))-a)",
    r"(10^{9}\arcsin(\sin(a/10^{9}))-a)",
    r"(10^{9}\arg(e^{ia/10^{9}})-a)",
    r"(-10^{9}i\ln(e^{ia/10^{9}})-a)",
    r"\max(0,a-10^{9})",
    r"\max(0,a-10^{70})",
    r"a\lfloor\frac12+e^{-(a-10^{7})^2}\rfloor",
    r"\begin{cases}0&|a-3|>10^{-12}\\a&\text{otherwise}\end{cases}",
    r"\begin{cases}0&\sin a<1-10^{-14}\\a&\text{otherwise}\end{cases}",
    r"(\sqrt{(a-3)^2(a-3.000000001)^2}-(a-3)(a-3.000000001))",
    r"\max(0,0.001-|a-7.3|)",
    r"(\max(0,a-100)+|a-1|-|1-a|)",
    r"(\theta(a-7.3)-\theta(a-7.301))",
    # More functions than are searched.
    "(" + "+".join(rf"|a-{k}|-|{k}-a|" for k in range(1, 40)) + r"+\max(0,0.001-|a-7.3|))",
]


@pytest.mark.parametrize("hidden", ZERO_AT_MOST_POINTS)
@pytest.mark.parametrize(("judge", "question", "answer"), QUESTIONS)
def test_an_answer_that_is_wrong_in_a_case_without_a_usual_choice_is_not_accepted(
    judge: Judge, question: str, answer: str, hidden: str
) -> None:
    options = {"variable": "x"} if judge is verify_equivalent else {}
    assert judge(rf"\boxed{{{answer}0}}", question, **options).correct
    assert not judge(rf"\boxed{{{answer}{hidden}}}", question, **options).correct


#: The same with two parameters.
OF_TWO: list[tuple[Judge, str, str]] = [
    (verify_antiderivative, r"\int (a+b)x\,dx", r"\frac{(a+b)x^2}{2}+x\cdot"),
    (verify_definite_integral, r"\int_0^1(ax+b)\,dx", r"\frac a2+b+"),
    (verify_limit, r"\lim_{x\to0}\frac{e^{ax}-e^{bx}}{x}", "a-b+"),
    (verify_sum, r"\sum_{k=0}^{\infty}\frac{(a+b)^k}{k!}", "e^{a+b}+"),
]
HIDDEN_BY_TWO = [
    r"\max(0,0.001-|a-7.3|-|b-3.3|)",
    r"\max(0,0.001-(a-7.3)^2-(b-3.3)^2)",
    r"\theta(0.001-|a-7.3|)\theta(0.001-|b-3.3|)",
    r"\max(0,0.001-|a-b-25|)",
    r"\max(0,a-100b)",
]


@pytest.mark.parametrize("hidden", HIDDEN_BY_TWO)
@pytest.mark.parametrize(("judge", "question", "answer"), OF_TWO)
def test_a_case_may_need_two_parameters(
    judge: Judge, question: str, answer: str, hidden: str
) -> None:
    assert judge(rf"\boxed{{{answer}0}}", question).correct
    assert not judge(rf"\boxed{{{answer}{hidden}}}", question).correct


RIGHT: list[tuple[Judge, str, str, dict[str, str]]] = [
    (verify_definite_integral, r"\int_0^\infty \frac{\sin(ax)}{x}dx",
     r"\frac{\pi}{2}\operatorname{sgn}(a)", {"a": "real"}),
    (verify_definite_integral, r"\int_{-\infty}^\infty e^{-a^2x^2}dx", r"\frac{\sqrt\pi}{|a|}",
     {"a": "real"}),
    (verify_definite_integral, r"\int_0^1 |x-a|\,dx",
     r"\begin{cases}a^2-a+\frac12&a<1\\a-\frac12&a\ge1\end{cases}", {}),
    (verify_definite_integral, r"\int_0^1 \max(x,a)\,dx",
     r"\frac{1+\min(a,1)^2}{2}+\max(a-1,0)", {}),
    (verify_definite_integral, r"\int_0^1\frac{dx}{x^2+a^2+2a+2}",
     r"\frac{1}{\sqrt{(a+1)^2+1}}\arctan\frac{1}{\sqrt{(a+1)^2+1}}", {}),
    (verify_limit, r"\lim_{x\to\infty}(e^{ax}+e^{3x})^{1/x}", r"e^{\max(a,3)}", {}),
    (verify_limit, r"\lim_{x\to0}\frac{\sqrt{a^2+x}-\sqrt{a^2}}{x}", r"\frac{1}{2|a|}",
     {"a": "real"}),
    (verify_sum, r"\sum_{k=0}^\infty \frac{(-1)^ka^{2k+1}}{2k+1}", r"\arctan a", {}),
    (verify_equivalent, r"x\sqrt{a^2-2a+1}", r"x|a-1|", {}),
    (verify_limit, r"\lim_{x\to\infty}(a^x+b^x)^{1/x}", r"\max(a,b)", {}),
    (verify_definite_integral, r"\int_a^b |x|\,dx", r"\frac{b|b|-a|a|}{2}",
     {"a": "real", "b": "real"}),
    (verify_antiderivative, r"\int e^{ax}\sin bx\,dx",
     r"\frac{e^{ax}}{\sqrt{a^2+b^2}}\sin\left(bx-\arctan\frac ba\right)", {}),
]  # fmt: skip


@pytest.mark.parametrize(("judge", "question", "answer", "assumptions"), RIGHT)
def test_a_right_answer_with_cases_is_accepted(
    judge: Judge, question: str, answer: str, assumptions: dict[str, str]
) -> None:
    options = {"variable": "x"} if judge is verify_equivalent else {}
    verdict = judge(rf"\boxed{{{answer}}}", question, assumptions=assumptions, **options)
    assert verdict.status is Status.CORRECT, verdict


@pytest.mark.parametrize("scale", ["10", "10^{3}", "10^{9}"])
@pytest.mark.parametrize("there_and_back", [r"\arctan(\tan u)", r"\arcsin(\sin u)"])
def test_a_turn_beside_a_great_term_is_not_accepted(scale: str, there_and_back: str) -> None:
    hidden = there_and_back.replace("u)", f"(x/{scale}))")
    box = rf"\boxed{{2xe^{{x^2}}+{scale}{hidden}-x}}"
    assert not verify_derivative(box, r"\frac{d}{dx}e^{x^2}").correct
    assert not verify_equivalent(box, r"2xe^{x^2}").correct


#: A series in x, which is a parameter.
GEOMETRIC = r"\sum_{n=0}^\infty x^n"


@pytest.mark.parametrize("addend", [r"\max(0,x-\frac{999}{1000})", r"\lfloor|x|+10^{-9}\rfloor"])
def test_cases_between_the_points_of_a_sum_are_not_accepted(addend: str) -> None:
    wrong = rf"\frac{{1}}{{1-x}} + {addend}"
    assert verify_sum(rf"\boxed{{{wrong}}}", GEOMETRIC).status is not Status.CORRECT


def test_a_case_of_a_sum_is_no_step_between_its_points() -> None:
    answer = r"\begin{cases}\frac{1}{1-x}&x<\frac{999}{1000}\\5&\text{otherwise}\end{cases}"
    assert verify_sum(rf"\boxed{{{answer}}}", GEOMETRIC).status is Status.INCORRECT
