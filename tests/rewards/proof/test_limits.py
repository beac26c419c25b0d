"""Limits by expansions: known values, laws of all functions, and refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.calculus_course.limits import generated
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.rewards.numeric.expansions.series import NotExpandedError, UndefinedError
from calculus_harness.rewards.proof.limit_questions import LimitQuestion, limit_readings
from calculus_harness.rewards.proof.limits import Limit, are_equal
from calculus_harness.rewards.proof.power_series import coefficients_of
from calculus_harness.rewards.reading.expression.build import ONE, add, div, mul, neg, number
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.expression.tree import Number, Symbol
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.reading.problem.power_series import read_series
from tests.examples import examples

#: Limits whose values are in textbooks, by what an expansion needs for them.
VALUES = [
    # cancellation to a high order
    (r"\lim_{x\to0}\frac{\sin(\tan x)-\tan(\sin x)}{x^7}", r"-\frac{1}{30}"),
    (r"\lim_{x\to0}\frac{\tan x-\sin x}{x^3}", r"\frac12"),
    # an identity, which no number of terms shows
    (r"\lim_{x\to0}\frac{\sin^2 x+\cos^2 x-1}{x}", "0"),
    # several scales
    (r"\lim_{x\to\infty}\left(e^{x+e^{-x}}-e^x\right)", "1"),
    (r"\lim_{x\to\infty}\frac{e^{e^x}}{e^{e^{x+1}}}", "0"),
    (r"\lim_{x\to\infty}\frac{\ln\ln x}{\ln x}", "0"),
    (r"\lim_{x\to\infty}\frac{x^{100}}{e^{\sqrt x}}", "0"),
    (r"\lim_{x\to\infty}\frac{x^{\ln x}}{(\ln x)^x}", "0"),
    (r"\lim_{x\to\infty}\left(3^x+5^x\right)^{1/x}", "5"),
    # series without end that cancel
    (r"\lim_{x\to\infty}e^x\left(\sin(e^{-x}+\frac1x)-\sin(e^{-x^2}+\frac1x)\right)", "1"),
    (r"\lim_{x\to\infty}e^x\left(e^{1/x+e^{-x}}-e^{1/x}\right)", "1"),
    (r"\lim_{x\to\infty}\left(e^{x+1/(1-1/x)}-e^{x+x/(x-1)}\right)", "0"),
    # zero times a series without end
    (r"\lim_{x\to\infty}\frac{e^{x+e^{-x}}-e^x}{xe^{1/x}-x}", "1"),
    # fractional powers, and both ends of an inverse function
    (r"\lim_{x\to1^-}\frac{\arccos x}{\sqrt{1-x}}", r"\sqrt2"),
    (r"\lim_{x\to-1^+}\frac{\pi-\arccos x}{\sqrt{1+x}}", r"\sqrt2"),
    (r"\lim_{x\to-\infty}\left(\operatorname{arsinh}x+\ln(-2x)\right)", "0"),
    # irrational exponents
    (r"\lim_{x\to\infty}\frac{x^{\sqrt2}}{x^{7/5}}", None),
    (r"\lim_{x\to0^+}x^{\sqrt3-\sqrt2}\ln x", "0"),
    # special functions at infinity and at poles
    (r"\lim_{n\to\infty}\frac{n!e^n}{n^n\sqrt n}", r"\sqrt{2\pi}"),
    (r"\lim_{n\to\infty}\frac{\sqrt n}{4^n}\binom{2n}{n}", r"\frac{1}{\sqrt\pi}"),
    (r"\lim_{x\to-2}(x+2)\Gamma(x)", r"\frac12"),
    (r"\lim_{x\to\infty}xe^{x^2}\operatorname{erfc}(x)", r"\frac{1}{\sqrt\pi}"),
    (r"\lim_{x\to-\infty}\operatorname{erf}(x)", "-1"),
    (r"\lim_{x\to\infty}x\left(\frac\pi2-\operatorname{Si}(x)\right)\cdot\frac1{x^2}", "0"),
    (r"\lim_{x\to0^+}\left(\operatorname{Ci}(x)-\ln x\right)", r"\gamma_E"),
    (r"\lim_{x\to\infty}xe^{-x}\operatorname{Ei}(x)", "1"),
    (r"\lim_{x\to0}\frac{W(x)}{\sin x}", "1"),
    (r"\lim_{x\to0}\frac{1-J_0(x)}{x^2}", r"\frac14"),
    (r"\lim_{x\to0}\frac{I_2(x)}{x^2}", r"\frac18"),
    (r"\lim_{x\to\infty}xe^{-x}\operatorname{Shi}(x)", r"\frac12"),
    (r"\lim_{x\to0^+}\left(\operatorname{Chi}(x)-\operatorname{Ci}(x)\right)", "0"),
    # bounded functions, floors and signs
    (r"\lim_{x\to0}x\sin\frac1x", "0"),
    (r"\lim_{x\to\infty}\frac{x+\sin x}{x-\cos x}", "1"),
    (r"\lim_{x\to\infty}\left(\sin(x+\tfrac1x)-\sin x\right)", "0"),
    (r"\lim_{x\to\infty}\frac{\lfloor3x\rfloor}{x}", "3"),
    (r"\lim_{x\to2^-}\lfloor x\rfloor", "1"),
    (r"\lim_{x\to\frac12}(-1)^{\lfloor x\rfloor}", "1"),
    (r"\lim_{x\to\infty}\left(\lceil x\rceil+\lfloor-x\rfloor\right)", "0"),
    (r"\lim_{x\to2^-}\frac{|x-2|}{x-2}", "-1"),
    # sequences, whose variable is whole
    (r"\lim_{n\to\infty}\frac{(-1)^n}{n}", "0"),
    (r"\lim_{n\to\infty}\sin(\pi n)", "0"),
    (r"\lim_{n\to\infty}\frac{3^n+(-2)^n}{3^{n+1}+(-2)^{n+1}}", r"\frac13"),
    # parameters
    (r"\lim_{x\to0}\frac{\sin ax}{\sin bx}", r"\frac ab"),
    (r"\lim_{x\to\infty}\left(1+\frac ax\right)^{bx}", "e^{ab}"),
    (r"\lim_{x\to a}\frac{x^3-a^3}{x-a}", "3a^2"),
    (r"\lim_{h\to0}\frac{\sin(x+h)-\sin x}{h}", r"\cos x"),
    (r"\lim_{x\to0^+}x^a\ln x", "0"),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_values(text: str, value: str | None) -> None:
    question = limit_readings(text)[0]
    limit = question.limit()
    if value is None:
        assert limit == Limit(sign=1)
        return
    assert limit.value is not None
    named = value.replace(r"\gamma_E", "")
    if named != value:
        assert limit.value.function == "euler_gamma"
        return
    expected = read(value, symbols=question.parameters)[0].expression
    assumptions = dict.fromkeys(question.parameters, "positive")
    assert are_equal(expected, limit.value, assumptions)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        (r"\lim_{x\to0}\frac{1}{x^2}", 1),
        (r"\lim_{x\to0^-}\frac1x", -1),
        (r"\lim_{x\to\infty}\left(x^2+x\sin x\right)", 1),
        (r"\lim_{x\to0^+}\ln x", -1),
        (r"\lim_{n\to\infty}\frac{n^n}{n!}", 1),
    ],
)
def test_infinities(text: str, sign: int) -> None:
    assert limit_readings(text)[0].limit() == Limit(sign)


@pytest.mark.parametrize(
    "text",
    [
        r"\lim_{x\to0}\frac1x",
        r"\lim_{x\to0}e^{1/x}",
        r"\lim_{x\to\frac\pi2}\tan x",
        r"\lim_{x\to\infty}\sin x",
        r"\lim_{x\to\infty}x\sin x",
        r"\lim_{x\to\infty}\tan x",
        r"\lim_{x\to0}\frac1x\cos\frac1x",
        r"\lim_{x\to\infty}\left(x-\lfloor x\rfloor\right)",
        r"\lim_{n\to\infty}(-1)^n",
        r"\lim_{n\to\infty}\frac{n\sin 2n}{n+1}",
        r"\lim_{x\to1}\lfloor x\rfloor",
        r"\lim_{x\to0}\Gamma(x)",
    ],
)
def test_no_limit(text: str) -> None:
    assert not limit_readings(text)[0].limit().exists


@pytest.mark.parametrize(
    "text",
    [
        r"\lim_{x\to\infty}x^{a-b}",  # depends on the order of a and b
        r"\lim_{n\to\infty}n\sin n",  # whole numbers only come near to a multiple of pi
        r"\lim_{n\to\infty}\sin n^2",
        r"\lim_{x\to\infty}\left(\sin x+\sin x^2\right)",  # two angles cannot be fixed together
        r"\lim_{x\to\infty}\left(\lceil x\rceil-\lfloor x\rfloor\right)",  # 0 at whole numbers
        r"\lim_{x\to1}(x-1)\zeta(x)",
        r"\lim_{x\to\infty}" + "e^{" * 40 + "x" + "}" * 40,  # more scales than are counted
    ],
)
def test_nothing_is_said_without_a_proof(text: str) -> None:
    with pytest.raises(NotExpandedError):
        limit_readings(text)[0].limit()


@pytest.mark.parametrize("text", [r"\lim_{x\to0}\sqrt{-1-x^2}", r"\lim_{x\to0^-}\ln x"])
def test_no_real_values(text: str) -> None:
    with pytest.raises(UndefinedError):
        limit_readings(text)[0].limit()


def test_the_side_on_which_a_function_is_real_is_told() -> None:
    assert limit_readings(r"\lim_{x\to0}\sqrt x")[0].limit().flags == ("limit:one-sided domain",)


def _same(first: Limit, second: Limit) -> bool:
    if first.value is None or second.value is None:
        return (first.sign, first.exists) == (second.sign, second.exists)
    return are_equal(first.value, second.value, {})


def _drawn(seed: int) -> LimitQuestion:
    target = generated(seed, 0).target_as(QuestionTarget)
    return limit_readings(target.question)[0]


@examples(60)
@given(st.integers(0, 10**6), st.integers(-4, 4), st.fractions(-3, 3, max_denominator=4))
def test_a_substitution_of_the_variable_changes_nothing(
    seed: int, shift: int, factor: Fraction
) -> None:
    question = _drawn(seed)
    x = Symbol("x")
    if isinstance(question.at, int):
        # x = t + c, x = c t and, from the other side, x = 1/t
        size = number(abs(factor) or 1)
        moved = substitute(question.expression, "x", add(mul(size, x), number(shift)))
        assert _same(question.limit(), LimitQuestion(moved, "x", question.at).limit())
        moved = substitute(question.expression, "x", div(ONE, x))
        inverted = LimitQuestion(moved, "x", Number(0), question.at)
        assert _same(question.limit(), inverted.limit())
        return
    # x = a + (t - c) s, where s turns the side over if it is negative
    size = factor or Fraction(1)
    inner = add(question.at, mul(number(size), add(x, number(-shift))))
    moved = substitute(question.expression, "x", inner)
    side = question.side if size > 0 else -question.side
    assert _same(question.limit(), LimitQuestion(moved, "x", number(shift), side).limit())


@examples(40)
@given(st.integers(0, 10**6))
def test_the_answer_of_the_generator_is_found(seed: int) -> None:
    target = generated(seed, 1).target_as(QuestionTarget)
    limit = limit_readings(target.question)[0].limit()
    assert target.answer is not None
    if "infty" in target.answer or "text" in target.answer:
        assert limit.value is None
        assert limit.exists == ("infty" in target.answer)
    else:
        assert limit.value is not None
        assert are_equal(read(target.answer)[0].expression, limit.value, {})


@examples(40)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_sums_and_products(first_seed: int, second_seed: int) -> None:
    """The limit of a sum or product of functions with finite limits at the same point."""
    first, second = _drawn(first_seed), _drawn(second_seed)
    if first.at != second.at or first.side != second.side:
        second = first
    limits = first.limit(), second.limit()
    if limits[0].value is None or limits[1].value is None:
        return
    for combined in (add, mul):
        both = LimitQuestion(
            combined(first.expression, second.expression), "x", first.at, first.side
        )
        limit = both.limit().value
        assert limit is not None
        assert are_equal(limit, combined(limits[0].value, limits[1].value), {})
    opposite = LimitQuestion(neg(first.expression), "x", first.at, first.side).limit().value
    assert opposite is not None
    assert are_equal(neg(opposite), limits[0].value, {})


def test_numbers_with_too_many_terms_are_no_crash() -> None:
    """Sums and products of the coefficients at pi/2 fail in the prover's arithmetic."""
    (question,) = limit_readings(
        r"\lim_{x\to\pi/2} (\operatorname{arsinh} x - \ln(x + \sqrt{x^2+1}))"
    )
    with pytest.raises(NotExpandedError, match="too many terms"):
        question.limit()
    polynomial = read_series(
        r"Taylor polynomial of degree 6 about $x=\pi/2$ of "
        r"$\operatorname{arsinh} x - \ln(x + \sqrt{x^2+1})$"
    )
    with pytest.raises(NotExpandedError, match="too many terms"):
        coefficients_of(polynomial.function, polynomial, 6)
