"""Reading problems: any spelling of an integral is the same problem; nothing is read silently."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import (
    ProblemError,
    verify_antiderivative,
    verify_definite_integral,
)
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.reading.problem import IntegralProblem, read_integral
from tests.examples import examples
from tests.rewards.reading.latex.support import spelled


def integrand_of(problem: IntegralProblem) -> list[str]:
    return [spelled(reading.expression) for reading in problem.readings]


def expected(latex: str, *symbols: str) -> list[str]:
    return [spelled(reading.expression) for reading in read(latex, symbols=symbols)]


#: Spellings of the differential of a variable V, with or without space before them.
DIFFERENTIALS = (
    *(r"\,dV", "dV", r"\;d\!V", "{dV}", " dV", "d V", r"\, d\, V", r"~d{V}", r"d\mathit{V}"),
    *(r"\mathrm{d}V", r"\,\mathrm dV", r"\mathrm{~d}V", r"\mathrm{d} V", r"\mathrm{dV}"),
    *(r"\quad\mathrm{d}\mathrm{V}", r"\mathop{}\!\mathrm{d}V", r"{\rm d}V", r"{\rm dV}"),
    *(r"\text{d}V", r"\text{ dV}", r"\text{d} V", r"\textrm{d}V", r"\textit{d}V"),
    *(r"\operatorname{d}\!V", r"\operatorname{d}V", r"\mathop{dV}", r"\mathsf dV", r"\mathsf{d}V"),
    *(r"\boldsymbol{d}V", r"\mathbf{d}V", r"\bm{d}V", r"\mathit{dV}", r"\mathit{d}V"),
    *(r"\dd V", r"\dd{V}", r"\differentialD V", r"\diff V", "ⅆV", "𝑑V", r"\mathnormal{d}V"),
)
SIGNS = (r"\int", r"\displaystyle\int", r"\large\int", r"\intop", r"\int\limits", "∫", r"{\int}")
WRAPPINGS = (
    "{}",
    "${}$",
    r"\[{}\]",
    "$$ {} $$",
    r"\begin{{aligned}}{}\end{{aligned}}",
    r"\begin{{equation*}} {} . \end{{equation*}}",
    "I = {}",
    r"I(a) := {} = ?",
    "Evaluate ${}$.",
    r"\text{{Compute the integral }} {}",
    r"{{\displaystyle {}}}",
    r"Find the indefinite integral: \({}\)",
    r"J_{{1}} &= {}",
)
#: Integrands in a variable V that end in a letter, a number, a bracket, a command.
INTEGRANDS = (
    r"V",
    r"2V",
    r"V^2",
    r"\cos V",
    r"\ln V",
    r"V e^V",
    r"\sin 2V",
    r"\frac{1}{1+V^2}",
    r"(V+1)^3",
    r"\sqrt V",
    r"V^2+1",
    r"\arctan V",
    r"a V+b",
    r"\sec^2 V",
)


@given(
    st.sampled_from(INTEGRANDS),
    st.sampled_from(DIFFERENTIALS),
    st.sampled_from(SIGNS),
    st.sampled_from(WRAPPINGS),
    st.sampled_from("xtuzs"),
    st.sampled_from(("", "_0^1", r"_{0}^{\pi/2}", r"^{\infty}_0")),
)
@examples(600)
def test_every_spelling_is_the_same_problem(
    integrand, differential, sign, wrapping, letter, limits
):
    if sign == r"{\int}" and limits:
        limits = ""  # limits belong inside the braces
    text = wrapping.format(f"{sign}{limits} {integrand}{differential}".replace("V", letter))
    problem = read_integral(text)
    assert problem.variable == letter, text
    assert integrand_of(problem) == expected(integrand.replace("V", letter), letter), text
    assert (problem.lower is None) == (not limits)


@given(st.sampled_from(DIFFERENTIALS), st.sampled_from("xt"))
@examples(100)
def test_a_differential_in_a_numerator_or_in_front(differential, letter):
    integral = rf"\int \frac{{V{differential}}}{{1+V^2}}".replace("V", letter)
    assert integrand_of(read_integral(integral)) == expected(
        rf"\frac{{{letter}}}{{1+{letter}^2}}", letter
    )
    front = rf"\int_0^1 {differential} \, V^2 + V".replace("V", letter)
    assert integrand_of(read_integral(front)) == expected(f"{letter}^2+{letter}", letter)


@pytest.mark.parametrize(
    ("text", "variable", "integrand"),
    [
        (r"\int xdx", "x", "x"),
        (r"\int\cos xdx", "x", r"\cos x"),
        (r"\int 2tdt", "t", "2t"),
        (r"\int xe^xdx", "x", "xe^x"),
        (r"\int\sin\theta d\theta", "theta", r"\sin\theta"),
        (r"\int \frac{dx}{x}+\frac{dx}{x^2}", "x", r"\frac1x+\frac1{x^2}"),
        (r"\int\frac{\ln 2\, dx}{x}", "x", r"\frac{\ln 2}{x}"),
        (r"\int dt\frac{\sin t}{t}", "t", r"\frac{\sin t}{t}"),
        (r"\int (ax+b)(cx+d)dx", "x", "(ax+b)(cx+d)"),
        (r"\int \frac{dx}{c + d x}", "x", r"\frac{1}{c+d x}"),
        (r"\int x_1^2\,dx_1", "x_1", "x_1^2"),
        (r"\int x^2+1{dx}", "x", "x^2+1"),
        (r"\underset{0}{\overset{1}{\int}} x dx", "x", "x"),
        (r"2x\cos(x^2)\,dx", "x", r"2x\cos(x^2)"),
        (r"c\sin x\,dx", "x", r"c\sin x"),
        (r"\frac{1}{c}dx", "x", r"\frac{1}{c}"),
        ("∫ x sin x dx", "x", "x sin x"),
        (r"\frac{1}{2\pi}\int_0^1\cos^2 tdt", "t", r"\frac{1}{2\pi}\cdot\cos^2 t"),
        (r"-\int x\,dx", "x", r"(-1)\cdot x"),
        (r"ab\int\frac{1}{\sqrt x} \cdot dx", "x", r"(ab)\cdot\frac{1}{\sqrt x}"),
        (r"\int_0^\infty {J_1}(x)\frac{dx}{x}", "x", r"J_1(x)\frac1x"),
        (r"\int \left( x \right. \\ \left. + x^2\right) dx", "x", "(x+x^2)"),
        (r"Evaluate $\int \frac{1}{u}\text{ du}$.", "u", r"\frac{1}{u}"),
        (r"\text{Compute the integral } \int x\textrm{ dx}", "x", "x"),
        (r"Find $\int (x+a)(x+b)(x+c)\,dx$.", "x", "(x+a)(x+b)(x+c)"),
    ],
)
def test_a_problem_is_read_as_written(text, variable, integrand):
    problem = read_integral(text)
    assert problem.variable == variable
    assert integrand_of(problem) == expected(integrand, variable)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"\int f(x)\,dx", r"f\(x\) is a function that the problem does not define"),
        (r"\int_0^1 g(2x+1)\,dx", r"g\(2x\+1\) is a function"),
        (r"\int \phi(x) x\,dx", r"phi\(x\) is a function"),
        (r"\int x\,dx\,dy", "looks like a differential"),
        (r"\int x\,d(x^2 + a)", "looks like a differential"),
        (r"\int x^2\,\delta(x-3)\,dx", r"delta\(x-3\) is a function"),
        (r"x^2, x^3", "one answer, not a list"),
        (r"\int_{[0,1]^2} x\,dx", "no upper limit"),
        (r"x\int x\,dx", "'x' before it"),
        (r"1 + \int x\,dx", r"'1 \+' before it"),
        (r"\int {J_n}(x) g(x)\,dx", r"g\(x\) is a function"),
        (r"\int_0^1\int_0^1 xy\,dx\,dy", "more than one integral"),
        (r"Is $\int x dx$ more than $\int x^2 dx$?", "more than one integral"),
        (r"\int_0 x\,dx", "no upper limit"),
        (r"\int\{x+[x+(x+1)]\}\,dx", "fractional part"),
        (r"\int\sum_{n=1}^{\infty}\frac1n x\,dx", r"the infinite sum \\sum_{n=1}"),
        (r"\int\sum_{n=0}^\infty x^n\,dx", "the infinite sum"),
        (r"\int\sum_{n=0}^\infty 2^n x\,dx", "the infinite sum"),
        (r"\int\sum_{n=0}^\infty (-1)^n x\,dx", "the infinite sum"),
        (r"\int\sum_{n=0}^\infty \left(\frac32\right)^n\,dx", "the infinite sum"),
        (r"\int\sum_{n=0}^\infty e^{n}\,dx", "the infinite sum"),
        (r"\int\sum_{n=1}^\infty \frac{1}{\sqrt n}\,dx", "the infinite sum"),
        (r"\int x + \frac{dx}{x}", "looks like a differential|unreadable"),
        (r"\int \frac{x\,dx}{2} + x", "looks like a differential|unreadable"),
    ],
)
def test_what_is_no_problem_is_an_error_that_says_why(text, message):
    with pytest.raises(ProblemError, match=message):
        read_integral(text)


def test_parameters_before_parentheses_stay_parameters():
    assert integrand_of(read_integral(r"\int a(x+1)\,dx")) == expected("a(x+1)", "x")
    # Named by the caller, or with an explicit sign, any letter is a parameter.
    read_integral(r"\int f(x)\,dx", parameters=["f"])
    read_integral(r"\int f \cdot (x)\,dx")


@pytest.mark.parametrize(
    ("total", "value"),
    [
        (r"\sum_{N=1}^{\infty}2^{-N}", "1"),
        (r"\sum_{n=1}^\infty \frac{3}{10^n}", r"\frac13"),
        (r"\sum_{k=2}^{\infty}\left(-\frac12\right)^k", r"\frac16"),
        (r"\sum_{n=0}^{\infty}e^{-n}", r"\frac{1}{1-e^{-1}}"),
        (r"\sum_{n=1}^{\infty}\frac{1}{n^2}", r"\frac{\pi^2}{6}"),
        (r"\sum_{n=2}^{\infty}\frac{1}{n^4}", r"\frac{\pi^4}{90}-1"),
        (r"\sum_{n=1}^{\infty}\frac{(-1)^{n+1}}{n}", r"\ln 2"),
        (r"\sum_{n=1}^{\infty}\frac{(-1)^n}{n^2}", r"-\frac{\pi^2}{12}"),
        (r"\sum_{n=0}^{\infty}\frac{1}{n!}", "e"),
        (r"\sum_{n=1}^{\infty}\frac{2^n}{n!}", "e^2-1"),
        (r"\sum_{n=0}^{\infty}\frac{(-1)^n}{(2n)!}", r"\cos 1"),
    ],
)
def test_sums_that_converge_for_certain_have_their_value(total, value):
    assert verify_antiderivative(rf"\boxed{{({value})x}}", rf"\int {total}\,dx").correct
    assert verify_antiderivative(rf"\boxed{{{total} x}}", value, variable="x").correct
    assert not verify_antiderivative(
        rf"\boxed{{({value})x + x/10^9}}", rf"\int {total}\,dx"
    ).correct


def test_entire_sums_hold_for_every_x():
    sine = r"\sum_{n=0}^{\infty}\frac{(-1)^n x^{2n+1}}{(2n+1)!}"
    assert verify_antiderivative(r"\boxed{-\cos x}", rf"\int {sine}\,dx").correct
    assert verify_antiderivative(
        r"\boxed{e^x}", r"\int\sum_{n=0}^{\infty}\frac{x^n}{n!}\,dx"
    ).correct
    assert not verify_antiderivative(r"\boxed{\cos x}", rf"\int {sine}\,dx").correct


@pytest.mark.parametrize(
    ("problem", "right", "wrong", "flag"),
    [
        ("1/2x", [r"\frac{x^2}{4}", r"\frac12\ln x"], r"\frac{x^2}{2}", "slash_product"),
        ("e^2x", [r"\frac{e^2x^2}{2}", r"\frac{e^{2x}}{2}"], "e^{2x}", "exponent_product"),
    ],
)
def test_each_reading_of_an_ambiguous_problem_may_fit(problem, right, wrong, flag):
    first, second = (verify_antiderivative(rf"\boxed{{{answer}}}", problem) for answer in right)
    assert first.correct
    assert second.correct
    assert f"problem_{flag}:second" in {*first.evidence.flags, *second.evidence.flags}
    assert verify_antiderivative(rf"\boxed{{{wrong}}}", problem).status.value == "incorrect"


def test_braces_in_a_problem_are_the_fractional_part():
    assert not verify_antiderivative(r"\boxed{x^2/2}", r"\{x\}").correct
    right = r"\boxed{\frac{\lfloor x\rfloor+\{x\}^2}{2}}"
    assert verify_antiderivative(right, r"\int\{x\}\,dx").correct
    assert verify_definite_integral(r"\boxed{1}", r"\int_0^2\{x\}\,dx").correct


@pytest.mark.parametrize(
    "text",
    [
        r"\int x" + " " * 20_000 + "dx",
        r"\int " + "{" * 9_000 + "x" + "}" * 9_000 + "dx",
        r"\int " + "x d" * 8_000,
        r"\int " + r"\mathrm{" * 4_000,
        r"\underset{a}" * 2_000 + r"\int x dx",
        "$" * 30_000,
        r"\int " + "{J_1}(x)" * 2_000 + "dx",
    ],
    ids=lambda text: text[:20],
)
def test_long_and_nested_problems_end_in_an_answer_or_an_error(text):
    with suppress(ProblemError):
        assert read_integral(text).readings


def test_each_reading_of_a_definite_integral_may_fit():
    """K(x) of the modulus and of the parameter (DLMF 19.2) have other integrals."""
    problem = r"\int_0^1 K(x)\,dx"
    assert verify_definite_integral(r"\boxed{2}", problem).correct
    second = verify_definite_integral(r"\boxed{2G}", problem)
    assert second.correct
    assert "problem_elliptic_modulus:second" in second.evidence.flags
    assert verify_definite_integral(r"\boxed{3G}", problem).status.value == "incorrect"
    # A reference says which reading is meant.
    verdict = verify_definite_integral(r"\boxed{2G}", problem, reference="2")
    assert verdict.status.value == "incorrect"


@pytest.mark.parametrize(
    "number", [r"\quad (2)", r"\qquad[2.1]", r"\eqno(3)", r"\quad(*)", "②", r"\hfill\text{(2)}"]
)
def test_the_number_of_an_equation_is_no_factor(number: str) -> None:
    assert read_integral(rf"\int_0^1 x^2\,dx{number}") == read_integral(r"\int_0^1 x^2\,dx")
    assert integrand_of(read_integral(rf"x^2{number}")) == expected("x^2")


@pytest.mark.parametrize("text", ["②x", "x^②x", r"\frac②3"])
def test_a_circled_number_within_a_formula_is_no_digit(text: str) -> None:
    with pytest.raises(ProblemError):
        read_integral(text)
