"""Values proved by the fundamental theorem, and values without a valid proof."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import Status, verify_definite_integral
from calculus_harness.rewards.numeric.outcome import Outcome
from calculus_harness.rewards.numeric.quadrature import prepare_definite
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.verify.fundamental_theorem import _has_slope, with_theorem


def proof(problem: str, answer: str) -> str:
    """The theorem's result on an answer taken as right."""
    outcome = Outcome(Status.CORRECT)
    tree = read(answer)[0].expression
    return with_theorem(outcome, prepare_definite(problem), tree).proof


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (r"\int_0^1 x^2\,dx", r"\frac13"),
        (r"\int_1^0 x\,dx", r"-\frac12"),
        (r"\int_0^1 \frac{dx}{1+x^2}", r"\frac\pi4"),
        (r"\int_0^\pi \sin x\,dx", "2"),
        (r"\int_1^2 \frac1x\,dx", r"\ln 2"),
        (r"\int_{-2}^{-1} \frac1x\,dx", r"-\ln 2"),
        (r"\int_0^1 \frac{3}{2x+1}\,dx", r"\frac32\ln 3"),
        (r"\int_0^4 \sqrt{2x+1}\,dx", r"\frac{26}{3}"),
        (r"\int_0^1 (3x^2 + 2e^{3x} - \cos 2x)\,dx", r"1 + \frac23(e^3-1) - \frac{\sin 2}{2}"),
        (r"\int_0^1 (2x+1)^5\,dx", r"\frac{182}{3}"),
        (r"\int_0^1 \frac{\cosh x}{2}\,dx", r"\frac{\sinh 1}{2}"),
        (r"\int_0^{\pi/4} \sec^2 x\,dx", "1"),
        # No digits show these parts; the identity does.
        (r"\int_0^{100} e^{-(x-50)^2}\,dx", r"\sqrt\pi\operatorname{erf}(50)"),
        (r"\int_0^{1000} e^{-x}\,dx", r"1 - e^{-1000}"),
    ],
)
def test_an_elementary_value_is_proved(problem: str, answer: str) -> None:
    verdict = verify_definite_integral(rf"\boxed{{{answer}}}", problem, accept="proof")
    assert verdict.correct
    assert verdict.evidence.proof == "fundamental theorem"


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (r"\int_{-1}^1 \frac{dx}{x^2}", "-2"),  # F(b) - F(a) over a pole
        (r"\int_{-1}^1 \frac1x\,dx", "0"),
        (r"\int_{-1}^2 \frac1x\,dx", r"\ln 2"),
        (r"\int_0^3 \frac{dx}{x-1}", r"\ln 2"),
        (r"\int_{-1}^3 \frac{dx}{(x-1)^2}", "-1"),
        (r"\int_0^1 x^2\,dx", r"\frac14"),
        (r"\int_0^1 x^2\,dx", r"0.3333333333333333333333333333"),
        (r"\int_0^\pi \sin x\,dx", "-2"),
        (r"\int_0^2 \lfloor x\rfloor\,dx", "1"),  # no term of the table
        (r"\int_0^1 x e^x\,dx", "1"),
        (r"\int_0^{100} e^{-(x-50)^2}\,dx", r"\sqrt\pi"),
        (r"\int_0^{1000} e^{-x}\,dx", "1"),
        (r"\int_0^1 x^2\,dx", r"\frac13 + e^{-e^{e^e}}"),
        (r"\int_0^a x\,dx", r"\frac{a^2}{2}"),  # parameters are compared in regimes
        (r"\int_0^\infty e^{-x}\,dx", "1"),
        (
            r"\int_0^1 \sqrt x\,dx",
            r"\frac23",
        ),  # the slope of F is finite, not that of its enclosure
    ],
)
def test_what_the_theorem_does_not_say(problem: str, answer: str) -> None:
    assert proof(problem, answer) == ""


def test_a_function_that_breaks_has_no_slope_to_rely_on() -> None:
    low, high = (read(text)[0].expression for text in "02")
    slopes = {
        text: _has_slope(read(text, symbols=("x",))[0].expression, "x", low, high)
        for text in (
            r"x^2",
            r"\lfloor x\rfloor",
            r"|x-1|",
            r"\frac{1}{x-1}",
            r"\arctan\frac{1}{x-1}",
        )
    }
    assert [text for text, has in slopes.items() if has] == ["x^2"]


@given(
    st.integers(-3, 3),
    st.integers(1, 4),
    st.integers(0, 5),
    st.fractions(-2, 2, max_denominator=6),
)
def test_a_power_is_proved_and_its_neighbours_are_not(
    low: int, width: int, exponent: int, off: Fraction
) -> None:
    high, degree = low + width, exponent + 1
    value = Fraction(high**degree - low**degree, degree)
    problem = rf"\int_{{{low}}}^{{{high}}} x^{{{exponent}}}\,dx"
    for stated in (value, value + off):
        answer = rf"\frac{{{stated.numerator}}}{{{stated.denominator}}}"
        assert bool(proof(problem, answer)) is (stated == value)
