"""Series at an end: each bound contains the function, and a changed exponent or constant shows."""

from fractions import Fraction

import pytest
from flint import acb, arb, fmpq_poly

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.expansions import models
from calculus_harness.rewards.numeric.expansions.forms import FormExpander, rate
from calculus_harness.rewards.numeric.expansions.models import AT_ZERO, NoModelError
from calculus_harness.rewards.reading.expression.build import PI
from calculus_harness.rewards.reading.latex import read


def form(text, end="0"):
    """The form of f(x) near 0+, 1-, pi- or infinity, and an expander."""
    line = {
        "0": lambda: models.line(acb(0), AT_ZERO, 1, arb(1)),
        "1": lambda: models.line(acb(1), models.AT_ONE, -1, arb(1)),
        "pi": lambda: models.line(acb(arb.pi()), fmpq_poly([0, 1]), -1, arb(1)),
        "oo": lambda: models.monomial(1, -1, arb(1)),
    }[end]()
    expander = FormExpander("y", ("x", line), {})
    return expander.expand(read(text)[0].expression), expander


MODELS = [
    (r"\frac{1-\cos x}{x^2}", "0", 0, 0.5),
    (r"\sin x-x", "0", 3, -1 / 6),
    (r"\frac{x}{\tan x}", "0", 0, 1),
    (r"\coth x-\frac1x", "0", 1, 1 / 3),
    (r"1+\cos x", "pi", 2, 0.5),
    (r"\frac{x-1}{\ln x}", "1", 0, 1),
    (r"\sqrt{1-x^2}", "1", 0.5, 2**0.5),
    (r"\sqrt{x^2+1}-x", "oo", 1, 0.5),
    (r"\frac{x^2}{x^5+3}", "oo", 3, 1),
    (r"x^{-0.9999}", "0", -0.9999, 1),
    (r"e^x-1-x", "0", 2, 0.5),
    (r"\arctan x", "0", 1, 1),
    (r"\Gamma(x)", "0", -1, 1),
    (r"(1+x)^{\sqrt2}", "0", 0, 1),
    (r"\frac{1}{\frac{1}{100}+\frac{x}{100}}", "0", 0, 100),
]


@pytest.mark.parametrize(("text", "end", "valuation", "coefficient"), MODELS)
def test_the_leading_power_and_its_coefficient(text, end, valuation, coefficient):
    with models.series_length(), precision(300):
        model, _ = form(text, end)
        assert model.valuation == Fraction(str(valuation))
        assert abs(model.series[0].real - coefficient) < 1e-12


@pytest.mark.parametrize(("text", "end"), [row[:2] for row in MODELS])
def test_a_model_contains_the_function(text, end):
    x = {
        "0": lambda u: u,
        "1": lambda u: 1 - u,
        "pi": lambda u: arb.pi() - u,
        "oo": lambda u: 1 / u,
    }

    with models.series_length(), precision(600):
        model, _ = form(text, end)
        tape = compile_tape(read(text)[0].expression, "x")
        for divisor in (2, 3, 7, 50):
            u = arb(model.radius.mid()) / divisor if not model.is_power else arb(1) / divisor
            direct = tape.run(acb(x[end](u)), {}, derivative=False)[tape.root][0]
            v = arb(model.valuation.numerator) / model.valuation.denominator
            scaled = direct.real / u**v
            assert model.at(acb(u)).real.overlaps(scaled)
            assert model.bound.real.overlaps(scaled)


def test_what_a_series_leaves_out_is_not_more_than_its_bound_says():
    with models.series_length(8), precision(200):
        series = models.apply("exp", models.line(acb(0), AT_ZERO, 1, arb(1)))
        u = series.radius / 2
        terms = sum(c.real * u**k for k, c in enumerate(series.coefficients))
        missing = abs(u.exp() - terms)
        bound = series.at(acb(u)).real.rad()
        assert missing < bound
        # the bound has the order of the series in it, not one more
        assert bound > missing * arb(2) ** 3
        quarter = series.at(acb(u / 2)).real.rad()
        assert abs(bound / quarter - 256) < 1


def test_functions_that_are_not_analytic_at_the_end_are_refused():
    with models.series_length(), precision(300):
        u = models.line(acb(0), AT_ZERO, 1, arb(1))
        with pytest.raises(NoModelError):
            models.apply("ln", u)
        with pytest.raises(NoModelError):
            models.power(models.add(u, models.constant(acb(-1), None, PI)), Fraction(1, 2))


def test_exact_exponents_cancel():
    with models.series_length(), precision(300):
        terms, expander = form(r"\frac{1}{x\ln^2 x}", "oo")
        assert [rate(term.exponent) for term in expander.terms(terms)] == [read("1")[0].expression]
        model, _ = form(r"x^{-1-10^{-40}}x^{1+10^{-40}}", "oo")
        assert model.valuation == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_the_odd_part_of_a_pole_cancels(sign):
    with models.series_length(), precision(300):
        pole = models.power(models.line(acb(0), AT_ZERO, sign, arb(1)), Fraction(-1))
        assert models.even(pole) is None
        square = models.even(models.mul(pole, pole))
        assert square.valuation == -2
        assert bool(square.series[0] == 2)


def test_exact_values_at_the_end_multiply():
    with models.series_length(8), precision(200):
        u = models.line(acb(0), AT_ZERO, 1, arb(1))
        double = models.constant(acb(2), fmpq_poly([2]), PI)
        pi = models.constant(acb(arb.pi()), fmpq_poly([0, 1]), PI)
        shifted = models.add(u, double)
        assert models.mul(shifted, shifted).at_zero == 4
        twice = fmpq_poly([0, 2])
        assert models.mul(shifted, pi).at_zero == models.mul(pi, shifted).at_zero == twice
        assert models.mul(pi, pi).at_zero == fmpq_poly([0, 0, 1])


def test_values_are_those_of_the_known_terms():
    with models.series_length(8), precision(200):
        series = models.apply("exp", models.line(acb(0), AT_ZERO, 1, arb(1)))
        u = arb(1) / 100
        terms = sum(c.real * u**k for k, c in enumerate(series.coefficients))
        assert abs(series.at(acb(u)).real.mid() - terms) < arb(2) ** -150


@pytest.mark.parametrize("bits", [40, 100])
def test_within_reach_the_rest_is_as_small_as_asked(bits):
    """(reach / r)^K = 2^{-K - bits}, and reach is at most r / 2."""
    with models.series_length(8), precision(200):
        series = models.apply("exp", models.line(acb(0), AT_ZERO, 1, arb(1)))
        reach = series.reach(bits)
        assert 0 < reach < series.radius / 2
        omitted = series._omitted(reach) / (2 * abs(series.bound).upper())
        assert abs(omitted / arb(2) ** -(8 + bits) - 1) < 1e-9


@pytest.mark.parametrize("bits", [40, 100])
def test_where_nothing_but_a_bound_is_known_that_is_small_within_reach(bits):
    """Of sin u - u with three terms, |sin u - u| <= B u^3 is left, and B = |m(0)| is not 0."""
    with models.series_length(3), precision(200):
        model, _ = form(r"\sin x-x")
        assert (model.valuation, model.series.prec) == (3, 1)
        u = model.radius / 2
        assert abs(u.sin() - u) <= abs(model.bound).upper() * u**3
        reach = model.reach(bits)
        assert abs((reach / u) ** 3 / arb(2) ** -bits - 1) < 1e-9
