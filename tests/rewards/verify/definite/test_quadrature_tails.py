"""Bounds of tails: never below the integral of |f|, and small where f decays."""

import mpmath
import pytest
from flint import arb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.quadrature.enclosed.tails import tail_bound
from calculus_harness.rewards.reading.latex import read

DECAYING = {
    r"e^{-x}": lambda x: mpmath.exp(-x),
    r"x^3 e^{-2x}\cos 5x": lambda x: x**3 * mpmath.exp(-2 * x) * mpmath.cos(5 * x),
    r"\frac{x}{e^x-1}": lambda x: x / mpmath.expm1(x),
    r"\frac{\ln x}{e^x+1}": lambda x: mpmath.log(x) / (mpmath.exp(x) + 1),
    r"\frac{x^2}{\sinh x}": lambda x: x**2 / mpmath.sinh(x),
    r"\frac{1}{\cosh^2 x}": lambda x: 1 / mpmath.cosh(x) ** 2,
    r"\frac{e^{-x}}{1-\frac{1}{x}}": lambda x: mpmath.exp(-x) / (1 - 1 / x),
    r"\sqrt{x}\,e^{-x^2+3x}": lambda x: mpmath.sqrt(x) * mpmath.exp(-x * x + 3 * x),
    r"\operatorname{erf}(e^{-x})": lambda x: mpmath.erf(mpmath.exp(-x)),
    r"2^{-x}\arctan x": lambda x: mpmath.mpf(2) ** -x * mpmath.atan(x),
    r"\frac{(1-e^{-x})^2}{e^{x}(x-1)}": lambda x: (
        (1 - mpmath.exp(-x)) ** 2 / (mpmath.exp(x) * (x - 1))
    ),
}
UNKNOWN = [
    r"\frac{1}{x^2}",
    r"e^{x}",
    r"e^{-x}\tan x",
    r"\frac{e^{-x}}{\sin x}",
    r"e^{-\sqrt{x}}",
    r"\frac{1}{e^{x}-e^{x}}",
    r"\frac{1}{1-e^{-x}}",
]


def bound_of(text, start, side=1):
    with precision(128):
        return tail_bound(read(text)[0].expression, "x", {}, arb(side * start), side)


@pytest.mark.parametrize("text", DECAYING)
@pytest.mark.parametrize("start", [4, 16])
def test_a_bound_is_above_the_integral_of_the_absolute_value(text, start):
    bound = float(bound_of(text, start))
    panels = mpmath.linspace(start, start + 40, 161)
    with mpmath.workdps(15):
        integral = float(mpmath.quad(lambda x: abs(DECAYING[text](x)), panels))
    assert integral * 0.999 <= bound
    assert bound < 100 * integral


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_does_not_decay_exponentially_has_no_bound(text):
    assert not bound_of(text, 16).is_finite()


def test_the_other_side_is_its_mirror_image():
    text = r"x^2 e^{x}"
    assert bool(bound_of(text, 16, side=-1) < 1e-3)
    assert not bound_of(text, 16).is_finite()
    assert bool(bound_of("e^{-x^2}", 16, side=-1) < 1e-100)
