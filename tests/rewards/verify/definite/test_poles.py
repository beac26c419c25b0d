"""Poles without an exact name: divergence is proved by a sign and a slope of 1/f, or not said."""

import pytest
from flint import arb

from calculus_harness.rewards import verify_definite_integral
from calculus_harness.rewards.numeric.quadrature.enclosed.poles import signs_at_pole
from calculus_harness.rewards.reading.latex import read


@pytest.mark.parametrize(
    ("integral", "diverges"),
    [
        (r"\int_0^{\sqrt\pi} 2x\tan(x^2)\,dx", True),
        (r"\int_0^2 \frac{dx}{x^3-2}", True),
        (r"\int_0^2 \sec(x^2)\,dx", True),
        # 1/f changes its sign, but its slope has no bound: the singularity can be integrated.
        (r"\int_0^2 \frac{dx}{\sqrt[3]{x^3-2}}", False),
        # 1/f = x + sqrt 2 has no zero where the denominator has one.
        (r"\int_0^2 \frac{x-\sqrt2}{x^2-2}\,dx", False),
        # 1/f touches zero without a change of sign, but its base changes sign.
        (r"\int_0^2 \frac{dx}{(x^3-2)^2}", True),
        (r"\int_0^2 \frac{x^2-2}{(x^2-2)^2}\,dx", False),
        (r"\int_0^1 \sec(x^2)\,dx", False),
    ],
)
def test_divergence_at_poles_without_a_name(integral, diverges):
    verdict = verify_definite_integral(r"\boxed{\text{diverges}}", integral)
    assert verdict.correct == diverges, verdict
    assert not diverges or verdict.evidence.method == "divergence"


def test_a_jump_of_the_reciprocal_through_zero_is_no_pole():
    """1/f = sgn(x^3 - 2) changes sign, with bounded values and no slope; f is 1 or -1."""
    f = read(r"\frac{1}{\operatorname{sgn}(x^3-2)}")[0].expression
    assert signs_at_pole(f, "x", {}, arb(2).root(3)) is None
    f = read(r"\frac{1}{x^3-2}")[0].expression
    assert signs_at_pole(f, "x", {}, arb(2).root(3)) == (-1, 1)
    # beside the zero, further than the interval is wide
    assert signs_at_pole(f, "x", {}, arb(2).root(3) + arb(2) ** -18) is None


@pytest.mark.parametrize(
    ("integral", "sign"),
    [
        (r"\int_0^2 \frac{dx}{(x^3-2)^2}", 1),
        (r"\int_0^2 \frac{-x}{(x^3-2)^2}\,dx", -1),
        (r"\int_{-2}^2 \frac{dx}{(x^2-2)^2}", 1),
        (r"\int_{-2}^2 \frac{x\,dx}{(x^2-2)^2}", 0),
        (r"\int_0^2 \frac{dx}{(x^4-2)^3}", 0),
        (r"\int_0^2 \frac{dx}{(e^x-2)^2}", 1),
    ],
)
def test_the_infinity_at_poles_of_a_higher_order(integral, sign):
    for infinity, text in ((1, r"\infty"), (-1, r"-\infty")):
        verdict = verify_definite_integral(rf"\boxed{{{text}}}", integral)
        assert verdict.correct == (infinity == sign), (text, verdict)
