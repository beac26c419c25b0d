"""Enclosures at ends, of oscillations and kinks: each added bound holds and is needed."""

from contextlib import suppress
from fractions import Fraction

import mpmath
import pytest
from flint import acb, arb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.expansions import models
from calculus_harness.rewards.numeric.expansions.forms import FormExpander, Term
from calculus_harness.rewards.numeric.quadrature import (
    QuadratureError,
    analytic,
    evaluate,
    prepare_definite,
    work,
)
from calculus_harness.rewards.numeric.quadrature.analytic import box_function, integrate_where_large
from calculus_harness.rewards.numeric.quadrature.enclosed import rotation
from calculus_harness.rewards.numeric.quadrature.enclosed.approach import (
    Edge,
    Tail,
    _moment,
    level_of,
)
from calculus_harness.rewards.numeric.quadrature.enclosed.tails import (
    sign_of_divergence,
    tail_bound,
)
from calculus_harness.rewards.numeric.quadrature.kinks import segments
from calculus_harness.rewards.numeric.quadrature.ranges import period, simplified, whole_periods
from calculus_harness.rewards.reading.expression.build import ONE
from calculus_harness.rewards.reading.latex import read


def value(problem, **values):
    return evaluate(prepare_definite(problem), {k: acb(v) for k, v in values.items()}, 40)


ENCLOSED = [
    (r"\int_0^1 x^{-0.999}\,dx", 1000),
    (r"\int_1^\infty x^{-1-10^{-9}}\,dx", 10**9),
    (r"\int_e^\infty \frac{dx}{x\ln^2x}", 1),
    (r"\int_0^{1/2}\frac{dx}{x\ln^2x}", 1 / mpmath.log(2)),
    (r"\int_{-\infty}^\infty e^{-(x-10^6)^2}\,dx", mpmath.sqrt(mpmath.pi)),
    (r"\int_{-\infty}^\infty \frac{dx}{\cosh^2(x-5000)}", 2),
    (r"\int_{-\infty}^\infty \frac{dx}{\cosh^2(3x+10^5)}", mpmath.mpf(2) / 3),
    (r"\int_0^{10^7}\frac{dx}{\cosh^2(x-10^6)}", 2),
    (r"\int_0^\infty \frac{e^{-(\ln x+60)^2/2}}{x}\,dx", mpmath.sqrt(2 * mpmath.pi)),
    (r"\int_0^\infty \frac{\sin 3x\sin 5x}{x^2}\,dx", 3 * mpmath.pi / 2),
    (r"\int_0^\infty \frac{\sin x}{x}\frac{\sin(x/3)}{x/3}\,dx", mpmath.pi / 2),
    (r"\int_0^\infty \frac{\cos x-\cos 7x}{x}\,dx", mpmath.log(7)),
    (
        r"\int_0^\infty \frac{\sin(x+1)}{\sqrt x}\,dx",
        mpmath.sqrt(mpmath.pi / 2) * (mpmath.sin(1) + mpmath.cos(1)),
    ),
    (
        r"\int_{-\infty}^\infty \frac{\cos(2x-1)}{1+x^2}\,dx",
        mpmath.pi * mpmath.cos(1) * mpmath.exp(-2),
    ),
    # two kinds of phases, and a power beside what decays at once
    (r"\int_0^\infty \frac{\cos x^2-\cos x}{x}\,dx", mpmath.euler / 2),
    (
        r"\int_0^\infty\left(\frac{\tanh x}{x^3}-\frac{\operatorname{sech}^2x}{x^2}\right)dx",
        7 * mpmath.zeta(3) / mpmath.pi**2,
    ),
    (r"\int_0^\infty \cos(x^3)\,dx", mpmath.gamma(mpmath.mpf(4) / 3) * mpmath.sqrt(3) / 2),
    (r"\int_0^\infty \frac{\sin x\ln x}{x}\,dx", -mpmath.euler * mpmath.pi / 2),
    (r"\int_0^1 \frac1x\sin\frac1x\,dx", mpmath.pi / 2 - mpmath.si(1)),
    (r"\int_0^1\lfloor\log_2x\rfloor\,dx", -2),
    (r"\int_0^1|\sin\ln x|\,dx", 1 / mpmath.tanh(mpmath.pi / 2) / 2),
    (r"\int_0^\infty\lfloor x\rfloor e^{-x}\,dx", 1 / (mpmath.e - 1)),
    (r"\int_0^{2024\pi}|\sin x|\,dx", 4048),
    (r"\int_0^{1000}\lfloor x\rfloor\,dx", 499500),
    (
        r"\int_2^{1/2}\frac{dx}{\sqrt[3]{x-1}}",
        mpmath.mpf("1.5") * (mpmath.mpf(".5") ** (2 / mpmath.mpf(3)) - 1),
    ),
    (r"\int_1^{1/3}x\,dx", -mpmath.mpf(4) / 9),
    (r"\int_0^4\sqrt[4]{(x-1)^2}\,dx", 2 * (1 + 3 * mpmath.sqrt(3)) / 3),  # a radicand's zero
    (r"\int_0^3\min(x,2-x,1)\,dx", 0.5),
    (r"\int_0^2\begin{cases}x&x<1\\2&x\ge1\end{cases}\,dx", 2.5),
    (r"\int_0^3\max(-x,x-2,-1)\,dx", -0.5),
    (r"\int_{-\infty}^\infty\frac{e^{2x}}{\sinh(e^x)}\,dx", mpmath.pi**2 / 4),
    (r"\int_{-\infty}^\infty\frac{e^{3x}}{e^{e^x}-1}\,dx", 2 * mpmath.zeta(3)),
    (r"\mathrm{PV}\int_{-\infty}^\infty\frac{\sin x}{x-1}\,dx", mpmath.pi * mpmath.cos(1)),
]


@pytest.mark.parametrize(("problem", "expected"), ENCLOSED, ids=[row[0] for row in ENCLOSED])
def test_values_are_enclosed(problem, expected):
    got = value(problem)
    assert got.method == "enclosure"
    with mpmath.workdps(60):
        printed = mpmath.mpf(got.ball.str(50, radius=False))
        assert abs(printed - mpmath.mpf(expected)) < mpmath.mpf(10) ** -13 * (1 + abs(expected))
    assert got.ball.rel_accuracy_bits() > 120


def test_a_spike_is_in_the_value():
    with_spike = value(r"\int_0^\infty\left(\frac{1}{1+x^2}+e^{-(x-10^{30})^2}\right)dx").ball
    assert (with_spike - arb.pi() / 2 - arb.pi().sqrt()).contains(0)
    narrow = value(r"\int_0^\infty\left(\frac{1}{(1+x)^2}+e^{-10^{20}(x-50)^2}\right)dx").ball
    assert (narrow - 1 - arb.pi().sqrt() / 10**10).contains(0)
    assert not (narrow - 1).contains(0)


DIVERGING = [
    (r"\int_1^\infty\frac{dx}{x}", 1),
    (r"\int_0^1 x^{-1-10^{-9}}\,dx", 1),
    (r"\int_2^\infty\frac{dx}{x\ln x}", 1),
    (r"\int_3^\infty\frac{dx}{x\ln x\ln\ln x}", 1),
    (r"\int_0^\infty\frac{\sin^2x}{x}\,dx", 1),
    (r"\int_0^\infty\sin x\,dx", 0),
    (r"\int_0^\infty e^x\cos x\,dx", 0),
    (r"\int_{-1}^0\frac{dx}{x}", -1),
    (r"\int_{-1}^1\frac{dx}{x}", 0),
    (r"\int_1^0\frac{dx}{x}", -1),
]


@pytest.mark.parametrize(("problem", "sign"), DIVERGING, ids=[row[0] for row in DIVERGING])
def test_divergence_is_proved(problem, sign):
    got = value(problem)
    assert (got.method, got.sign) == ("divergence", sign)


@pytest.mark.parametrize(
    "problem",
    [
        r"\int_0^1\frac{dx}{x+10^{-600}}",
        r"\int_0^1\frac{dx}{x+e^{-5000}}",
        r"\int_1^\infty\frac{\{x\}-\frac12}{x}\,dx",
    ],
)
def test_what_is_not_proved_is_not_said(problem):
    with suppress(QuadratureError):
        assert not value(problem).diverges


# --- bounds ---------------------------------------------------------------------------------


def integral(f):
    return lambda start: mpmath.quad(f, [start, mpmath.inf])


TAILS = [
    (r"x^3e^{-x}", lambda t: mpmath.gammainc(4, t), 3),
    (r"e^{-x^2}", lambda t: mpmath.erfc(t) * mpmath.sqrt(mpmath.pi) / 2, 100),
    (r"\operatorname{erfc}(x)", integral(mpmath.erfc), 100),
    (r"\sin(e^{-x})", integral(lambda x: mpmath.sin(mpmath.exp(-x))), 2),
    (r"\ln(1+e^{-x})", integral(lambda x: mpmath.log1p(mpmath.exp(-x))), 3),
    (r"\lfloor x\rfloor e^{-x}", lambda t: t * mpmath.exp(-t) + mpmath.exp(-t) / (mpmath.e - 1), 3),
    (
        r"e^{e^{8-x}}e^{-x}",
        lambda t: mpmath.exp(-8) * mpmath.expm1(mpmath.exp(8 - t)),
        3,
    ),
    (r"e^{-x^3/100}", integral(lambda x: mpmath.exp(-(x**3) / 100)), 2),
    (r"\frac{1}{x!}", integral(lambda x: mpmath.rgamma(x + 1)), 100),
    (r"\frac{1}{\Gamma(x)}", integral(mpmath.rgamma), 100),
    (r"\frac{e^{-x}}{x+2}", integral(lambda x: mpmath.exp(-x) / (x + 2)), 2),
]


@pytest.mark.parametrize(("text", "true", "slack"), TAILS, ids=[row[0] for row in TAILS])
def test_a_tail_bound_holds_and_is_near(text, true, slack):
    """Another sign or constant of a line breaks at least one of the two inequalities."""
    expression = read(text)[0].expression
    for start in (8, 16):
        with precision(200):
            bound = mpmath.mpf(tail_bound(expression, "x", {}, arb(start), 1).str(20, radius=False))
        exact = true(start) * (1 - mpmath.mpf(10) ** -12)  # mpmath's quadrature rounds
        assert exact <= bound <= exact * slack**2 * 3


def test_a_lower_bound_needs_a_sign_and_no_decay():
    def sign(text, start=64):
        with precision(200):
            return sign_of_divergence(read(text)[0].expression, "x", {}, arb(start))

    assert sign(r"-2+\sin x") == -1
    assert sign(r"3+e^{-x}") == 1
    assert sign(r"-\sqrt x") == -1
    assert sign(r"\frac12\sin x") == 0
    assert sign(r"x-100") == 0
    assert sign(r"100-x") == 0
    assert sign(r"e^{-x/10^9}") == 0
    assert sign(r"\frac1x") == 0
    assert sign(r"x\sin x") == 0
    assert sign(r"\lfloor x\rfloor-x+\frac12") == 0
    assert sign(r"\lceil x\rceil-x-\frac12") == 0
    assert sign(r"e^x-x^2") == 1
    assert sign(r"x^2-e^x") == -1


def test_what_a_short_series_leaves_out_is_in_the_error():
    """With four coefficients of 1/(1 - x) the integral over [0, u] is short by u^5/5 and more."""
    with models.series_length(4), precision(200):
        line = models.line(acb(0), models.AT_ZERO, 1, arb(1))
        expander = FormExpander("y", ("x", line), {})
        slope = [Term(((ONE, Fraction(1)),), ONE)]
        f = expander.expand(read(r"\frac{1}{1-x}")[0].expression)
        form = expander.terms(expander.mul(f, slope))
        tail = Tail(level_of("y", ONE, form, expander), 20)
        u = min(model.radius for model in expander.models.values()) * 2 / 5
        got = tail.integral(-(u.log()))
        exact = -((1 - u).log())
        assert got is not None
        assert got.overlaps(exact)
        assert abs(arb(got.mid()) - exact) > u**5 / 10


def test_beyond_half_of_the_disc_there_is_no_closed_form():
    with models.series_length(), precision(200):
        line = models.line(acb(0), models.AT_ZERO, 1, arb(1))
        expander = FormExpander("y", ("x", line), {})
        slope = [Term(((ONE, Fraction(1)),), ONE)]
        f = expander.expand(read(r"\frac{1}{1-x}")[0].expression)
        form = expander.terms(expander.mul(f, slope))
        tail = Tail(level_of("y", ONE, form, expander), 20)
        radius = min(model.radius for model in expander.models.values())
        assert tail._closed(form[0], arb(0.01) - (radius / 2).log()) is not None
        assert tail._closed(form[0], -(radius / 2).log() - arb(0.01)) is None


@pytest.mark.parametrize(("rate", "degree", "cut"), [(2, 0, 1), (1, 3, 2), (0.5, 5, 7)])
def test_a_moment_is_the_incomplete_gamma_function(rate, degree, cut):
    exact = mpmath.gammainc(degree + 1, rate * cut) / mpmath.mpf(rate) ** (degree + 1)
    got = mpmath.mpf(_moment(arb(rate), degree, arb(cut)).str(15, radius=False))
    assert abs(got - exact) < 1e-12 * exact


def test_dropped_parts_of_a_range_are_in_the_error(monkeypatch):
    function = box_function(read("e^{-x^2}")[0].expression, "x", {})
    with precision(128):
        got = integrate_where_large(function, arb(-1000), arb(1000), 20, 20_000)
        assert got is not None
        assert got.real.overlaps(arb.pi().sqrt())
        assert got.real.rad() < arb(2) ** -20
        # what is left if the parts that are computed are exactly 0
        monkeypatch.setattr(analytic, "integrate", lambda *_: acb(0))
        got = integrate_where_large(function, arb(-1000), arb(1000), 20, 20_000)
        assert got.real.rad() > 0


def test_the_end_of_a_turned_path_is_in_the_error(monkeypatch):
    edge = Edge(arb("inf"), -1)
    way = rotation.Rotation(read(r"\frac{\cos x}{x^2}")[0].expression, "x", {}, edge, 20)
    monkeypatch.setattr(analytic, "integrate", lambda *_: acb(0))
    value, start = way.integral(arb(3))
    assert start >= 3
    assert value.rad() > 0


def test_the_bound_of_an_amplitude_holds_where_the_path_is_turned():
    with models.series_length(), precision(200):
        expander = FormExpander("y1", ("x", models.monomial(1, -1, arb(1))), {})
        for text, slack in (
            (r"\frac{1}{x^2}", 1.01),
            (r"\frac{\ln x}{x}", 7),
            (r"\frac{\ln^2x}{x}", 20),
            (r"\frac{1}{\sqrt{x^2+1}}", 3),
        ):
            expression = read(text)[0].expression
            form = expander.terms(expander.expand(expression))
            tail = Tail(level_of("y1", expression, form, expander), 20)
            h = box_function(expression, "x", {})
            bound = sum(rotation._bound(tail, term, arb(8)) for term in form)
            for y in (0, 1, 10, 1000):
                assert abs(h(acb(8, y), False)) <= bound
            assert bound < slack * abs(h(acb(8), False))


def test_a_kink_that_is_not_located_is_bounded():
    pieces, error = segments(read(r"|x^2-x^3|")[0].expression, "x", {}, arb(-1), arb(2))
    assert len(pieces) >= 2
    assert arb(2) ** -1000 < error
    assert error < arb(2) ** -200
    with pytest.raises(QuadratureError):
        segments(read(r"\lfloor\ln x\rfloor")[0].expression, "x", {}, arb(0), arb(1))


def test_kinks_that_are_close_together_are_all_there():
    text = r"\int_0^1\operatorname{sgn}((x-\frac12)(x-\frac12-10^{-20}))\,dx"
    ball = value(text).ball
    assert (ball - (1 - 2 * arb(10) ** -20)).contains(0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"|\sin 3x|\cos 2x", (0, 2)),
        (r"\sin(\pi x)+\cos(3\pi x)", (2, 0)),
        (r"\sin x+\cos(\pi x)", None),
        (r"x\sin x", None),
        (r"\tan\frac{x}{3}", (0, 6)),
    ],
)
def test_periods(text, expected):
    assert period(read(text)[0].expression, "x") == expected


@pytest.mark.parametrize(
    ("size", "lower", "upper", "count"),
    [
        ((0, 2), "0", "1000", 159),
        ((0, 2), "-1", r"1000\pi", 500),
        ((0, 1), r"\frac{\pi}{2}", r"\frac{201\pi}{2}", 100),
        ((2, 0), "0", r"100\pi", 157),
        ((2, 0), "1", r"\frac{1001}{5}", 99),
        ((0, 2), "0", "e^9", None),
        ((0, 2), "0", "1", None),
    ],
)
def test_complete_periods_are_counted(size, lower, upper, count):
    ends = (read(text)[0].expression for text in (lower, upper))
    periods = whole_periods(tuple(map(Fraction, size)), *ends)
    assert (periods and periods[0]) == count


def test_sums_are_collected():
    assert simplified(read(r"1-(1-x)")[0].expression) == read("x")[0].expression
    assert simplified(read(r"\ln e^{-3x}")[0].expression) == read("-3x")[0].expression


def test_work_is_counted_for_a_whole_call():
    with work.work_limit(100), pytest.raises(work.WorkError):
        value(r"\int_0^\infty\frac{dx}{1+x^2}")
    with work.work_limit(10), work.work_limit(1000), pytest.raises(work.WorkError):
        work.spend(11)


def test_the_work_of_a_hard_integral_is_bounded():
    problem = r"\int_0^1\frac{\sin(1/x)\sin(e^{1/x})}{\sqrt{x}+\sin^2(1/x)}\,dx"
    with work.work_limit(work.ONE_CALL), pytest.raises(QuadratureError):
        value(problem)
