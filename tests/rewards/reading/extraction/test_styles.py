r"""Styles of answers from text to verdict: single answers, and refusals.

The names of the tests state the policies.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import Status, verify_antiderivative
from calculus_harness.rewards.reading.extraction import extract
from tests.examples import examples

ENVIRONMENTS = [
    r"\begin{cases}%s\end{cases}",
    r"\left\{\begin{array}{ll}%s\end{array}\right.",
    r"\left\{\begin{array}{@{}l@{\quad}l@{}}%s\end{array}\right.",
    r"\left\lbrace\begin{matrix}%s\end{matrix}\right.",
    r"\left\{\begin{aligned}%s\end{aligned}\right.",
    r"\left\{\begin{gathered}%s\end{gathered}\right\}",
    r"\begin{array}{ll}%s\end{array}",
    r"\begin{matrix}%s\end{matrix}",
    r"\begin{aligned}%s\end{aligned}",
]
CONDITIONS = [
    (r"x\ge 0", "x<0"),
    (r"(x\ge 0)", "(x<0)"),
    (r"x\in[0,\infty)", r"x\in(-\infty,0)"),
    (r"\text{if $x\ge 0$}", r"\text{if $x<0$}"),
    (r"\text{provided } x>0", r"\text{provided that } x\leq 0"),
    (r"\mbox{for all } x\ge 0", r"\mbox{when } x<0"),
    (r"\text{for } 0\le x<\infty", r"\text{for } -\infty<x<0"),
    (r"\forall x\ge 0", r"\forall x<0"),
]
TABLE_ONLY = [
    (r"\text{on } [0,\infty)", r"\text{on } (-\infty,0)"),
    (r"\text{if }x\text{ is nonnegative}", r"\text{if }x\text{ is negative}"),
    (r"\text{if $x$ is positive}", r"\text{otherwise}"),
]


def status(completion: str, integrand: str) -> Status:
    return verify_antiderivative(completion, integrand).status


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("conditions", CONDITIONS, ids=lambda pair: pair[0])
@pytest.mark.parametrize(
    "layout", [r"\boxed{%s}", r"$$F(x)=%s$$", r"$$\int |x|\,dx=\boxed{%s}+C$$"]
)
def test_a_table_of_values_and_conditions(environment: str, conditions, layout: str) -> None:
    first, second = conditions
    rows = rf"\frac{{x^2}}{{2}}, & {first}\\ -\frac{{x^2}}{{2}}, & {second}"
    assert status(layout % (environment % rows), "|x|") is Status.CORRECT
    wrong = rf"\frac{{x^2}}{{2}}, & {first}\\ \frac{{x^2}}{{2}}, & {second}"
    assert status(layout % (environment % wrong), "|x|") is Status.INCORRECT


@pytest.mark.parametrize("conditions", TABLE_ONLY, ids=lambda pair: pair[0])
def test_conditions_in_words(conditions) -> None:
    first, second = conditions
    rows = rf"\frac{{x^2}}{{2}} & {first}\\ -\frac{{x^2}}{{2}} & {second}"
    assert status(rf"\boxed{{\begin{{cases}}{rows}\end{{cases}}}}", "|x|") is Status.CORRECT


@pytest.mark.parametrize(
    "form",
    [
        r"\boxed{A+C \text{ for } x\ge 0,\quad B+C\text{ for } x<0}",
        r"\boxed{A \text{ if } x\ge 0;\; B \text{ otherwise}}",
        r"\boxed{A+C \;(x\ge 0),\; B+C\;(x<0)}",
        r"\boxed{A + C for x ≥ 0, B + C for x < 0}",
        r"\boxed{\begin{cases} x\ge 0: & A\\ x<0: & B\end{cases}}",
        r"F(x)=A+C\ (x\ge0),\quad F(x)=B+C\ (x<0)",
        r"The answer is $A+C$ for $x\ge 0$ and $B+C$ for $x<0$.",
        r"Hence $F(x)=A+C$ if $x\ge 0$, and $F(x)=B+C$ if $x<0$.",
        r"For $x\ge 0$, $F(x)=A+C$; for $x<0$, $F(x)=B+C$.",
        "So F(x) = A + C for x ≥ 0, and F(x) = B + C for x < 0.",
        "A for x ≥ 0, B for x < 0",
        "Piecewise((A, x >= 0), (B, True))",
        "F(x) = Piecewise((A, x > 0), (B, x <= 0))",
        r"\boxed{\operatorname{Piecewise}((A, x\ge 0),(B, True))}",
        r"$\boxed{\text{Piecewise}\left(\left(A, x\ge 0\right),\left(B,\text{True}\right)\right)}$",
    ],
)
def test_values_for_conditions_outside_of_tables_must_all_be_right(form: str) -> None:
    right = form.replace("A", "x^2/2").replace("B", "-x^2/2")
    assert status(right, "|x|") is Status.CORRECT
    for wrong in (("x^2/2", "x^2/2"), ("-x^2/2", "-x^2/2"), ("x^2/2", "x^3")):
        text = form.replace("A", wrong[0]).replace("B", wrong[1])
        assert status(text, "|x|") is not Status.CORRECT, text


@pytest.mark.parametrize(
    ("completion", "integrand"),
    [
        # sets and the domain of the constant
        (r"\boxed{\{x^2+C : C\in\mathbb R\}}", "2x"),
        (r"$\left\{\,x^2 + C \mid C\in\mathbb R\right\}$", "2x"),
        (r"\boxed{\left\{ x^2 + c \,\middle|\, c\in\mathbb{R}\right\}}", "2x"),
        (r"$$\int 2x\,dx = x^2+C\in\mathbb{R}$$", "2x"),
        (r"\boxed{x^2 + C \quad (C \in \mathbb{R})}", "2x"),
        # labels and constants
        (r"\boxed{\underbrace{x^2}_{F(x)} + C}", "2x"),
        (r"\boxed{\overbrace{x^2}^{F}+\underbrace{C}_{\text{constant}}}", "2x"),
        (r"\boxed{x^2\ (+\,C)}", "2x"),
        (r"\boxed{x^2 \left[+C\right]}", "2x"),
        (r"\boxed{x^2 \text{ plus a constant}}", "2x"),
        (r"\boxed{x^2 \text{ plus } C}", "2x"),
        # definitions are substituted back
        (r"\boxed{\ln|u|+C\ \text{where }u=\ln x}", r"\frac{1}{x\ln x}"),
        (r"\boxed{\ln|u|+C,\quad u=\ln x}", r"\frac{1}{x\ln x}"),
        (r"$\ln|u|+C$, where $u=\ln x$.", r"\frac{1}{x\ln x}"),
        (r"\boxed{\sin(\theta) + C,\text{ with }\theta=x^2}", r"2x\cos(x^2)"),
        # special functions as SymPy and handbooks write them
        (r"\boxed{\arg(1+ix)+C}", r"\frac{1}{1+x^2}"),
        (r"\boxed{\Re\frac{e^{(a+bi)x}}{a+bi}+C}", r"e^{ax}\cos(bx)"),
        (r"\boxed{\operatorname{Im}\left[\frac{e^{(1+i)x}}{1+i}\right]}", r"e^x\sin x"),
        (r"\boxed{\operatorname{Cl}_2(x)+C}", r"-\ln\left(2\sin\frac x2\right)"),
        (r"e^{x^2}D(x)+C", r"e^{x^2}"),
        (r"e^{x^2}D_+(x)+C", r"e^{x^2}"),
        (r"\boxed{e^{x^2}F(x)\text{ where }F\text{ is Dawson's function}}", r"e^{x^2}"),
        (r"\frac{x\left(W^{2}\left(x\right)-W\left(x\right)+1\right)}{W\left(x\right)}", "W(x)"),
        (r"x C\left(5x\right)-\frac{\sin(\frac{25\pi x^2}{2})}{5\pi}", r"C\left(5x\right)"),
        (
            r"\sqrt{\frac{\pi}{2}}\,\mathcal{C}\!\left(\sqrt{\frac{2}{\pi}}\,x\right)+C",
            r"\cos(x^2)",
        ),
        (r"F(x\backslash\frac{\pi}{6})", r"\frac{1}{\sqrt{1-\frac14\sin^2 x}}"),
        (r"F\left(x,\tfrac12\right)+C", r"\frac{1}{\sqrt{1-\frac14\sin^2 x}}"),
        (r"F\left(x\middle|\frac14\right)+C", r"\frac{1}{\sqrt{1-\frac14\sin^2 x}}"),
        (
            r"\Pi\left(\frac12; x\middle| \frac14\right)",
            r"\frac{1}{(1-\frac12\sin^2 x)\sqrt{1-\frac14\sin^2 x}}",
        ),
        (r"\chi_2(x)+C", r"\frac{\operatorname{artanh} x}{x}"),
        (r"P(2,x)", "xe^{-x}"),
        (r"\operatorname{si}(x)+C", r"\frac{\sin x}{x}"),
        (r"\boxed{\mathrm{C}_5^2\frac{x^2}{2}}", r"\binom{5}{2}x"),
        (r"\boxed{\frac23 x^{^{3/2}}+C}", r"\sqrt{x}"),
    ],
)
def test_a_right_answer_in_a_style_that_occurs(completion: str, integrand: str) -> None:
    assert status(completion, integrand) is Status.CORRECT


LN = "(x^2/2) ln(x) - x^2/4"


@pytest.mark.parametrize(
    "ending",
    [
        f"Therefore the antiderivative is\n{LN}",
        f"Answer:\n{LN}",
        f"So the integral is:\n\n    {LN}",
        f"## Answer\n{LN}",
        "## Answer\n\\frac{x^2}{2}\\ln x-\\frac{x^2}{4}\n",
        f"F(x) = {LN}",
        f"\n*{LN} + C*",
        f"<math>{LN}</math>",
    ],
)
def test_a_last_line_that_is_a_formula_is_the_answer(ending: str) -> None:
    text = "To integrate $x\\ln x$ we use parts with $\\ln x$ as the first factor.\n\n"
    assert status(text + ending, r"x\ln x") is Status.CORRECT


def test_a_hyphen_before_a_last_line_may_be_a_bullet_but_before_the_whole_text_is_a_minus() -> None:
    verdict = verify_antiderivative(f"Parts with $u=\\ln x$ do it.\n\n- {LN}", r"x\ln x")
    assert verdict.correct
    assert "bullet:second" in verdict.evidence.flags
    assert status(f"- {LN}", r"x\ln x") is Status.INCORRECT
    assert status("- x^2", "-2x") is Status.CORRECT
    assert status("Some words.\n\n- x^3", "2x") is Status.INCORRECT


@pytest.mark.parametrize(
    "completion",
    [
        # arithmetic in words
        r"\boxed{x^2 \text{ plus } x^3}",
        r"\boxed{x^2 \text{ minus } x}",
        r"\boxed{x^2\text{ over }3}",
        r"\boxed{x^2\text{ divided by }3}",
        r"\boxed{x^2\text{ multiplied by } 7}",
        r"\boxed{x^2\text{ times }2}",
        r"\boxed{x^2\text{ squared}}",
        r"\boxed{x^2\text{ (times 2)}}",
        r"\boxed{\text{half of }x^2}",
        r"\boxed{\text{not } x^2}",
        # guesses for parts of the line
        r"\boxed{x^2+C\text{ for }x>0,\ x^3+C\text{ for }x<0}",
        r"\boxed{x^3+C\text{ if }x>1,\ x^2+C\text{ if }x<1}",
        r"\boxed{x^2+C\ (x>0),\ x^3+C\ (x<0)}",
        r"\boxed{x^2 for x>0, x^3 for x<0}",
        r"\boxed{x^2 \text{ for } x>0, x^3 \text{ otherwise}}",
        r"The answer is $x^3+C$ for $x<0$ and $x^2+C$ for $x>0$.",
        # several answers
        r"\boxed{x^2 \text{ and also } x^3}",
        r"\boxed{x^2 \text{ versus } x^3}",
        r"\boxed{u\text{ where }u=x^3}",
    ],
)
def test_words_that_change_the_formula_or_offer_others_are_not_dropped(completion: str) -> None:
    assert status(completion, "2x") is not Status.CORRECT


@pytest.mark.parametrize(
    "chain",
    [
        "x^3=x^4=x^5=x^2",
        r"x^3+C \iff x^2+C",
        r"x^3+C \Leftrightarrow x^2+C",
        r"x^3 \to x^2",
        r"x^3 \equiv x^2",
        "F(x)=x^3=x^2",
        r"\int 2x\,dx=x^3+C=x^2+C",
    ],
)
def test_a_chain_of_unequal_answers_is_several_answers(chain: str) -> None:
    assert status(rf"\boxed{{{chain}}}", "2x") is Status.INCORRECT


def test_a_chain_of_guesses_without_a_box_is_refused() -> None:
    assert status("x^3 = x^4 = x^2", "2x") is Status.INCORRECT
    assert status("The answer is $x^3 = x^2$.", "2x") is Status.INCORRECT


@pytest.mark.parametrize(
    ("chain", "integrand"),
    [
        (r"\int 2x\,dx = 2\cdot\frac{x^2}{2}+C = x^2+C", "2x"),
        (r"x^2+C = x\cdot x+C", "2x"),
        (r"2x \implies x^2+C", "2x"),
        (r"\int u\,du=\frac{u^2}{2}+C=\frac{\sin^2x}{2}+C", r"\sin x\cos x"),
        (r"\int\ln x\,dx = x\ln x-\int 1\,dx = x\ln x-x+C", r"\ln x"),
        (r"F(x) = \frac{2x^3}{6} = \frac{x^3}{3}", "x^2"),
    ],
)
def test_steps_with_integrals_substitutions_or_f_itself_do_not_count(chain, integrand) -> None:
    assert status(rf"\boxed{{{chain}}}", integrand) is Status.CORRECT


@pytest.mark.parametrize(
    "piece",
    [
        r"\text{ for } x>0,",
        r"x \text{ if } (",
        r"\left\{\begin{array}{ll}",
        r"\end{array}\right.",
        r"\underbrace{",
        r"\underbrace{x}_{",
        r"\{x+C:C\in",
        r"\text{$",
        r"\text{if $x",
        r"Piecewise((x, x>0),",
        r"Piecewise((",
        r"(x\ge0) ",
        "n; x) ",
        "*x*",
        r"$x$ for $x>0$ and ",
        r"\text{ plus } x = ",
        r"x = ",
        r"W^{",
        "C_5^2",
    ],
)
def test_time_is_linear_in_hostile_repetitions(piece: str) -> None:
    for text in (piece * (19_000 // len(piece)), rf"\boxed{{{piece * (19_000 // len(piece))}}}"):
        started = time.perf_counter()
        extract(text)
        verify_antiderivative(text, "2x")
        assert time.perf_counter() - started < 4


@examples(150)
@given(
    st.lists(
        st.sampled_from(
            [
                *("x", ">", "0", ",", "(", ")", "=", "&", "C", "[", "]", "}", "_", "W", "^", "2"),
                *("D", "$", "\n", "-", r"\\", r"\text{ for }", r"\left\{", r"\right.", r"\in"),
                *(r"\begin{array}{ll}", r"\end{array}", r"\underbrace{", "Piecewise("),
                *(r"\text{ plus }", r"\infty", r"\Re"),
            ]
        ),
        max_size=24,
    )
)
def test_no_mixture_of_these_raises(pieces: list[str]) -> None:
    for text in ("".join(pieces), rf"\boxed{{{''.join(pieces)}}}"):
        assert status(text, "2x") is not Status.ERROR
