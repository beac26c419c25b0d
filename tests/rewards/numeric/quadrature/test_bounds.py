"""Each bound on omitted terms, against the largest function with the bound's premises.

Of a series with |m| <= B on the disc of radius r the k-th coefficient is at most B r^{-k}. The
worst series has the largest coefficients everywhere, and the remainder, summed term by term in the
tests, is the bound: a smaller bound is wrong, a larger bound was weakened.
"""

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from flint import acb, acb_series, arb, fmpq_poly

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.expansions import models
from calculus_harness.rewards.numeric.expansions.forms import FormExpander, Term
from calculus_harness.rewards.numeric.expansions.models import TaylorModel
from calculus_harness.rewards.numeric.quadrature import analytic, kinks, pieces
from calculus_harness.rewards.numeric.quadrature.enclosed import rotation
from calculus_harness.rewards.numeric.quadrature.enclosed.approach import Edge, Tail, level_of
from calculus_harness.rewards.reading.expression.build import ONE, mul, neg, power
from calculus_harness.rewards.reading.expression.tree import Number, Symbol
from calculus_harness.rewards.reading.latex import read

TERMS = 300
BOUND, RADIUS = arb(3), arb(1) / 2


@pytest.fixture(autouse=True)
def _precise():
    with models.series_length(), precision(200):
        yield


def model(*coefficients, valuation=0, bound=BOUND, radius=RADIUS, **fields):
    series = acb_series([acb(c) for c in coefficients], prec=len(coefficients))
    ball = acb(arb(0, bound), arb(0, bound)) if bound is not None else acb(coefficients[0])
    return TaylorModel(Fraction(valuation), series, ball, radius, **fields)


#: |B| of a square box of half width 3.
SIZE = BOUND * arb(2).sqrt()


def worst(start, u, lowered=0):
    """The largest sum of B r^{-k} u^{k - lowered} from a term on."""
    return sum((SIZE * RADIUS**-k * u ** (k - lowered) for k in range(start, TERMS)), arb(0))


def near(got, expected, slack=1e-6):
    return abs(got / expected - 1) < slack


@pytest.mark.parametrize("terms", [3, 5])
def test_what_a_series_leaves_out(terms):
    """For u <= r/2 the remainder is at most the scaled remainder at r/2: exact at r/2."""
    series = model(*[1] * terms)
    assert near(series._omitted(RADIUS / 2), worst(terms, RADIUS / 2))
    for u in (RADIUS / 4, RADIUS / 100):
        assert worst(terms, u) < series._omitted(u)
        assert near(series._omitted(u), 2 * SIZE * (u / RADIUS) ** terms)
    value = series.at(acb(RADIUS / 4))
    assert near(value.real.rad(), series._omitted(RADIUS / 4))
    assert near(value.imag.rad(), series._omitted(RADIUS / 4))


def test_a_smaller_disc_has_the_bound_of_known_and_unknown_terms():
    series = model(5, 2, -4, 7)
    for divisor in (4, 8):
        u = RADIUS / divisor
        inner = series.within(u)
        assert inner.radius == u
        assert bool(inner.bound.real.mid() == 5)
        terms = 2 * u + 4 * u**2 + 7 * u**3
        assert near(inner.bound.real.rad(), terms + 2 * SIZE * (u / RADIUS) ** 4)
    assert series.within(RADIUS * 0.51) is series


def test_zeros_in_front_are_taken_out_with_what_follows():
    """(m - known terms)/u^2 on half of the disc."""
    half = RADIUS / 2
    inner = models._normal(model(0, 0, 5, 2, -4))
    assert (inner.valuation, inner.series.prec, inner.radius) == (2, 3, half)
    assert bool(inner.bound.real.mid() == 5)
    terms = 2 * half + 4 * half**2
    assert near(inner.bound.real.rad(), terms + worst(5, half, 2))
    assert near(inner.bound.imag.rad(), terms + worst(5, half, 2))


def test_of_zeros_only_what_a_series_leaves_out_is_left():
    inner = models._normal(model(0, 0, 0))
    assert (inner.valuation, inner.series.prec, inner.radius) == (3, 1, RADIUS / 2)
    assert near(inner.bound.real.rad(), worst(3, RADIUS / 2, 3))
    assert near(inner.series[0].real.rad(), worst(3, RADIUS / 2, 3))


def test_a_lower_power_in_front_has_the_bound_of_the_product():
    lowered = models._lowered(model(1, 2, valuation=3), Fraction(1))
    assert [lowered.series[k] for k in range(4)] == [0, 0, 1, 2]
    assert 3 * RADIUS**2 <= lowered.bound.real.rad() <= 3 * RADIUS**2 * 4.001


def test_sums_products_and_even_parts_have_the_bounds_of_theirs():
    f, g = model(1, 2, 3), model(4, 5, 6, bound=arb(7))
    assert near(models.add(f, g).bound.real.rad(), arb(10))
    assert near(models.mul(f, g).bound.real.rad(), arb(2 * 3 * 7))
    assert [models.mul(f, g).series[k] for k in range(3)] == [4, 13, 28]
    assert near(models.even(f).bound.real.rad(), 2 * SIZE)
    assert [models.even(f).series[k] for k in range(3)] == [2, 0, 6]
    odd = models.even(replace(model(1, 2, 3), valuation=Fraction(1)))
    assert (odd.valuation, bool(odd.series[0] == 4)) == (2, True)
    exact = [replace(h, at_zero=fmpq_poly([1, k])) for k, h in ((2, f), (5, g))]
    assert models.add(*exact).at_zero == fmpq_poly([2, 7])


@pytest.mark.parametrize("exponent", [-1, -2, 3, Fraction(1, 2), Fraction(-3, 2)])
def test_a_power_has_the_bound_of_the_power(exponent):
    base = model(3, 1, bound=None)
    base = replace(base, bound=acb(arb(3, 0.5), arb(0, 0.5)))
    raised = models.power(base, Fraction(exponent))
    expected = arb(3) ** (arb(Fraction(exponent).numerator) / Fraction(exponent).denominator)
    for value in (raised.bound.real, raised.series[0].real):
        assert value.overlaps(expected)
    # boxes are multiplied, so that the bound is wider than the image
    assert raised.bound.real.rad() < expected * 2
    for corner in (arb("2.6"), arb("3.4")):
        at = corner ** (arb(Fraction(exponent).numerator) / Fraction(exponent).denominator)
        assert raised.bound.real.contains(at)


# --- integrals towards an end ------------------------------------------------------------------


def tail_of(series, factor=None, exponent=2, bits=20):
    """The tail of u^exponent m(u) y^d, with a given model m."""
    expander = FormExpander("y1", ("x", model(1)), {})
    expander.models["@y10"] = series
    term = Term(((ONE, Fraction(exponent)),), factor or Symbol("@y10"))
    return Tail(level_of("y1", ONE, [term], expander), bits), term


def moment(rate, degree, cut):
    """The integral of y^d e^{-rate y} from a point on."""
    value = mpmath.gammainc(degree + 1, rate * float(cut)) / mpmath.mpf(rate) ** (degree + 1)
    return arb(mpmath.nstr(value, 15))


@pytest.mark.parametrize("degree", [0, 2])
@pytest.mark.parametrize("v", [2, 1.5])
def test_the_rest_of_a_series_is_in_its_integral(degree, v):
    factor = mul(power(Symbol("y1"), Number(degree)), Symbol("@y10")) if degree else Symbol("@y10")
    tail, term = tail_of(model(1, -2, 3), mul(Number(7), factor), v)
    cut = arb(3)
    got = tail._closed(term, cut)
    terms = sum(7 * c * moment(v + k, degree, cut) for k, c in enumerate((1, -2, 3)))
    assert abs(got.mid() - terms) < 1e-12
    assert near(got.rad(), 7 * 2 * SIZE * RADIUS**-3 * moment(v + 3, degree, cut))
    power_ = tail_of(replace(model(5, bound=None), is_power=True), mul(Number(7), factor), v)
    assert near(power_[0]._closed(power_[1], cut), 35 * moment(v, degree, cut))


def test_the_values_of_a_model_have_what_the_series_leaves_out():
    tail, _ = tail_of(model(1, -2, 3))
    value = tail._values("@y10")
    for y in (2, 4):
        u = (-arb(y)).exp()
        got = value(acb(y))
        assert (got.real - (1 - 2 * u + 3 * u**2)).contains(0)
        assert got.imag.contains(0)
        for component in (got.real, got.imag):
            assert near(component.rad(), 2 * SIZE * (u / RADIUS) ** 3)
    # on a box the largest u counts
    box, u = value(acb(arb(3, 0.5))), (-arb("2.5")).exp()
    assert box.real.contains(1 - 2 * u + 3 * u**2)
    exact = tail_of(replace(model(1, -2, 3), bound=acb(0)))[0]._values("@y10")(acb(arb(3, 0.5)))
    assert near(box.real.rad() - exact.real.rad(), 2 * SIZE * (u / RADIUS) ** 3)
    # u = r/2 is the last
    assert value(acb(arb(4).log() + 0.01)).is_finite()
    assert not value(acb(arb(4).log() - 0.01)).is_finite()


def test_the_range_of_a_model_holds_from_a_point_on():
    tail, _ = tail_of(model(1, -2, 3))
    ball = tail._ranges(arb(3))["@y10"]
    u = (-arb(3)).exp()
    assert ball.real.contains(1 - 2 * u + 3 * u**2)
    assert ball.real.contains(1)
    assert 2 * SIZE * (u / RADIUS) ** 3 < ball.real.rad() < 2 * u + 1e-1


def test_a_second_logarithm_moves_the_point_from_which_models_hold():
    """y1 = e^{y2}: where u = e^{-y1} has to be less than u0, y2 is at least ln ln (1/u0)."""
    expander = FormExpander("y2", ("y1", models.monomial(1, -1, arb(1))), {})
    expander.models["@y10"] = model(1, 2)
    tail = Tail(level_of("y2", ONE, [Term((), ONE)], expander), 40)
    expected = (-expander.models["@y10"].reach(40).log()).log()
    assert expected <= tail.begins(arb(1)) <= expected + 1.01
    u = tail._coordinate("@y10", acb(2))
    assert near(u.real, (-arb(2).exp()).exp())


# --- oscillations ------------------------------------------------------------------------------


def test_the_end_of_a_turned_path_is_bounded(monkeypatch):
    """|h| <= T^{-2}; beyond Y the remainder is therefore T^{-2} e^{-w Y}/w."""
    ends = []
    monkeypatch.setattr(
        analytic, "integrate", lambda _, low, high, *__: ends.append(high) or acb(0)
    )
    edge = Edge(arb("inf"), -1)
    way = rotation.Rotation(read(r"\frac{\cos 3x}{x^2}")[0].expression, "x", {}, edge, 20)
    value, start = way.integral(arb(5))
    assert near(value.rad(), start**-2 * (-3 * ends[0]).exp() / 3 * arb(2).sqrt(), 0.5)
    assert start**-2 * (-3 * ends[0]).exp() / 3 <= value.rad() * 1.0001
    # the path is so long that what is beyond shows in no bit that is asked for
    assert value.rad() < arb(2) ** -20


@pytest.mark.parametrize(
    ("text", "v", "degree", "scale"),
    [
        (r"\frac{3}{x^2}", 2, 0, 3),
        (r"\frac{\ln x}{x}", 1, 1, 1),
        (r"\frac{-2\ln^3x}{x^2}", 2, 3, 2),
        (r"\frac{\ln^2x}{\sqrt x}", 0.5, 2, 1),
        (r"\frac{1}{\sqrt x}", 0.5, 0, 1),
    ],
)
def test_the_bound_of_an_amplitude(text, v, degree, scale):
    r"""\|ln x\|^d <= d! c^{-d} e^{c (ln\|x\| + pi/2)} with c = v/2, in the right half plane."""
    expander = FormExpander("y1", ("x", models.monomial(1, -1, arb(1))), {})
    amplitude = read(text)[0].expression
    form = expander.terms(expander.expand(amplitude))
    tail = Tail(level_of("y1", amplitude, form, expander), 20)
    h = analytic.box_function(amplitude, "x", {})
    for begin in (8, 64):
        bound = sum(rotation._bound(tail, term, arb(begin)) for term in form)
        c = arb(v) / 2
        expected = scale * arb(begin) ** -arb(v)
        if degree:
            expected = scale * arb(degree).fac() / c**degree * (c * arb.pi() / 2).exp()
            expected *= arb(begin) ** -c
        assert near(bound, expected)
        for y in (0, 1, 10, 100, 10**4, 10**8):
            assert abs(h(acb(begin, y), False)) <= bound * (1 + arb(10) ** -9)


# --- ranges ------------------------------------------------------------------------------------


def test_where_a_kink_may_lie_anywhere_twice_the_integral_is_in_the_error():
    """At such points f may have been taken for -f."""
    tape = compile_tape(read("3|x|")[0].expression, "x")
    assert near(kinks._uncertain(tape, {}, [(arb(1), arb(2))]), arb(12))
    assert near(kinks._uncertain(tape, {}, [(arb(1), arb(2)), (arb(2), arb(4))]), arb(60))


def test_what_is_negligible_is_in_the_error(monkeypatch):
    monkeypatch.setattr(analytic, "integrate", lambda *_: acb(0))
    small = arb(2) ** -60
    for length in (2, 32):
        got = analytic.integrate_where_large(lambda z, a: acb(small), arb(0), arb(length), 20, 100)
        assert near(got.real.rad(), small * length)
    peak = analytic.integrate_where_large(
        analytic.box_function(read("e^{-x^2}")[0].expression, "x", {}), arb(-99), arb(99), 20, 100
    )
    # with nothing but the negligible parts, each of less than 2^{-32}
    assert arb(2) ** -60 < peak.real.rad() < arb(2) ** -24


def test_parts_that_cancel_have_the_sum_zero():
    addend = power(Symbol("@n"), Number(-2))
    got = pieces._summed([addend, Number(-1)], {}, 64, 20)(acb(0.5), True)
    assert not got.is_finite()  # a piece that does not tend to 0
    got = pieces._summed([addend, neg(addend)], {}, 64, 20)(acb(0.5), True)
    assert got.is_zero()
    assert pieces._summed([Number(0)], {}, 64, 20)(acb(0.5), True).is_zero()
