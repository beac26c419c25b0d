"""Infinitely many pieces with a power-law sum: values, refusals, the bound."""

import mpmath
import pytest
from flint import acb, arb

from calculus_harness.rewards import verify_definite_integral
from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.expansions import models
from calculus_harness.rewards.numeric.quadrature import (
    QuadratureError,
    evaluate,
    pieces,
    prepare_definite,
)
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.expression.tree import Symbol
from calculus_harness.rewards.reading.latex import read

VALUES = [
    (r"\int_1^\infty\frac{\lfloor x\rfloor}{x^3}\,dx", lambda: mpmath.zeta(2) / 2),
    (
        r"\int_1^\infty\frac{\lceil x\rceil}{x^3}\,dx",
        lambda: mpmath.zeta(2) / 2 + 1 / mpmath.mpf(2),
    ),
    (r"\int_1^\infty\frac{\{x\}}{x^2}\,dx", lambda: 1 - mpmath.euler),
    (r"\int_0^1\left\{\frac1x\right\}dx", lambda: 1 - mpmath.euler),
    (r"\int_0^1\left\{\frac1x\right\}^2dx", lambda: mpmath.log(2 * mpmath.pi) - mpmath.euler - 1),
    (r"\int_0^1x\left\lfloor\frac1x\right\rfloor dx", lambda: mpmath.zeta(2) / 2),
    (r"\int_0^1\left\lfloor\frac{1}{\sqrt x}\right\rfloor dx", lambda: mpmath.zeta(2)),
    (r"\int_0^1 x^3\left\lfloor\frac{1}{x^2}\right\rfloor dx", lambda: mpmath.zeta(2) / 4),
    (r"\int_1^\infty\frac{dx}{\lfloor x\rfloor^{5/2}}", lambda: mpmath.zeta(2.5)),
    (r"\int_1^\infty\left(\frac{1}{\lfloor x\rfloor}-\frac1x\right)dx", lambda: +mpmath.euler),
    (r"\int_1^\infty\frac{(-1)^{\lfloor x\rfloor}}{x}\,dx", lambda: mpmath.log(2 / mpmath.pi)),
    (r"\int_0^1(-1)^{\lfloor 1/x\rfloor+1}\,dx", lambda: 2 * mpmath.log(2) - 1),
    (
        r"\int_0^1\left(\left\lfloor\frac2x\right\rfloor-2\left\lfloor\frac1x\right\rfloor\right)dx",
        lambda: 2 * mpmath.log(2) - 1,
    ),
    (r"\int_3^4\left\lfloor\frac{1}{4-x}\right\rfloor(4-x)\,dx", lambda: mpmath.zeta(2) / 2),
    (r"\int_{-\infty}^{-1}\frac{\lfloor -x\rfloor}{x^4}\,dx", lambda: mpmath.zeta(3) / 3),
    # floor(pi x) = n on [n/pi, (n + 1)/pi): the sum of pi^2 n (n^{-2} - (n + 1)^{-2}) / 2
    (
        r"\int_{1/\pi}^\infty\frac{\lfloor\pi x\rfloor}{x^3}\,dx",
        lambda: mpmath.pi**2 / 2 * mpmath.zeta(2),
    ),
    (r"\int_0^\infty\left\lfloor 3e^{-x}\right\rfloor dx", lambda: mpmath.log(4.5)),
    (r"\int_0^\infty\frac{(-1)^{\lfloor x\rfloor}}{\lfloor x\rfloor!}\,dx", lambda: mpmath.exp(-1)),
    (r"\int_0^\infty\{3e^{-x}\}\,dx", lambda: 3 - mpmath.log(4.5)),
    # the leading terms of the pieces cancel
    (r"\int_1^\infty\frac{\{x\}-\frac12}{x}\,dx", lambda: mpmath.log(2 * mpmath.pi) / 2 - 1),
    (
        r"\int_0^1\left(\left\{\frac1x\right\}-\frac12\right)\frac{dx}{x}",
        lambda: mpmath.log(2 * mpmath.pi) / 2 - 1,
    ),
    # with t = 2x, what is left is the integral of (t - 3/2)/t over [1, 2]
    (
        r"\int_1^\infty\frac{\{x\}-\{2x\}}{x}\,dx",
        lambda: 1 - mpmath.log(2) * 3 / 2,
    ),
    (
        r"\int_1^\infty\frac{\{x\}^2-\{x\}+\frac16}{x}\,dx",
        lambda: mpmath.nsum(
            lambda n: (n**2 + n + mpmath.mpf(1) / 6) * mpmath.log1p(1 / n) - n - 0.5,
            [1, mpmath.inf],
        ),
    ),
]
DIVERGING = [
    (r"\int_1^\infty\frac{\lfloor x\rfloor}{x^2}\,dx", 1),
    (r"\int_1^\infty\frac{dx}{\lfloor x\rfloor}", 1),
    (r"\int_0^1\left\lfloor\frac1x\right\rfloor dx", 1),
    (r"\int_1^\infty\frac{\{x\}}{x}\,dx", 1),
    (r"\int_1^\infty\frac{\lfloor x\rfloor}{x}\,dx", 1),
    (r"\int_1^\infty\frac{\{x\}-\frac23}{x}\,dx", -1),
    (r"\int_{\infty}^1\frac{\{x\}-\frac23}{x}\,dx", 1),
    (r"\int_1^\infty\frac{\{x\}-\frac12-10^{-30}}{x}\,dx", -1),
    (r"\int_1^\infty\frac{\{x\}-\frac13}{\sqrt x}\,dx", 1),
    # both infinities: to different ones, and to the same
    (r"\int_{-\infty}^\infty\frac{\lfloor x\rfloor}{x^2+1}\,dx", 0),
    (r"\int_{-\infty}^\infty\frac{\{x\}x^2}{x^2+1}\,dx", 1),
    # and another one at the other end
    (r"\int_0^\infty\left(\frac{\lfloor x\rfloor}{x^2}-\frac{1}{x^3}\right)dx", 0),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[row[0] for row in VALUES])
def test_sums_of_pieces_are_enclosed(text, expected):
    got = evaluate(prepare_definite(text), {}, 40)
    assert got.method == "enclosure"
    assert got.ball.rel_accuracy_bits() > 120
    with mpmath.workdps(50):
        printed = mpmath.mpf(got.ball.str(45, radius=False))
        assert abs(printed - expected()) < mpmath.mpf(10) ** -15
        assert got.ball.overlaps(arb(mpmath.nstr(expected(), 45)) + arb(0, 1e-14))


@pytest.mark.parametrize(("text", "sign"), DIVERGING, ids=[row[0] for row in DIVERGING])
def test_a_mean_that_is_not_zero_makes_the_sum_diverge(text, sign):
    got = evaluate(prepare_definite(text), {}, 40)
    assert (got.method, got.sign) == ("divergence", sign)


@pytest.mark.parametrize(
    "text",
    [
        # the mean of the leading terms is 0 to 40 digits, and is not
        r"\int_1^\infty\frac{\{x\}-\frac12-10^{-90}}{x}\,dx",
        # or it is 0, but this is not seen: the leading term is no quotient of polynomials
        r"\int_1^\infty\frac{\{x\}-\frac12}{\sqrt x}\,dx",
        r"\int_1^\infty\left(\{x\}-\frac12\right)dx",
        # the pieces cancel, but do not tend to 0
        r"\int_1^\infty(-1)^{\lfloor x\rfloor}\,dx",
        r"\int_1^\infty(-1)^{\lfloor x\rfloor}\{x\}\,dx",
        # jumps of two kinds that do not recur
        r"\int_1^\infty\frac{\lfloor x\rfloor+\lfloor\pi x\rfloor}{x^4}\,dx",
        r"\int_1^\infty\frac{\lfloor x\rfloor+\lfloor x^2\rfloor}{x^5}\,dx",
        r"\int_1^\infty\frac{\lfloor x\rfloor+\lfloor 1000000x\rfloor}{x^4}\,dx",
    ],
)
def test_other_sums_have_no_value(text):
    with pytest.raises(QuadratureError):
        evaluate(prepare_definite(text), {}, 40)


@pytest.mark.parametrize(("wrong", "digits"), [(r"\frac{\pi^2}{12}+10^{-45}", 45), ("0.822467", 6)])
def test_a_value_near_by_is_refuted(wrong, digits):
    verdict = verify_definite_integral(
        rf"\boxed{{{wrong}}}", r"\int_1^\infty\frac{\lfloor x\rfloor}{x^3}\,dx"
    )
    assert verdict.status.value == "incorrect", digits


def test_what_the_zeta_functions_leave_out_is_in_the_error():
    """The sum of (n + s)^{-2}, with few terms and thus a visible remainder."""
    addend = read(r"(n+s)^{-2}", symbols=("n", "s"))[0].expression
    for name in ("n", "s"):
        addend = substitute(addend, name, Symbol(f"@{name}"))
    radii = {}
    for terms in (3, 4):
        for start in (64, 128):
            with precision(200), models.series_length(terms):
                got = pieces._summed([addend], {}, start, 5)(acb(0.25), True)
                exact = acb(2).zeta(acb(start + 0.75))
                assert got.overlaps(exact)
                missing = abs(arb(got.real.mid()) - exact)
                # 2 B / r^K, where B < 1.2 and r = 1/6; the coefficients themselves are smaller
                bound = 2 * 6**terms * acb(2 + terms).zeta(acb(start + 0.5)).real
                assert missing < got.real.rad()
                assert bound < got.real.rad() < 1.2 * bound
                radii[terms, start] = got.real.rad()
    # R has the order n^{1 - v - K}
    for terms in (3, 4):
        assert abs(radii[terms, 64] / radii[terms, 128] / 2 ** (1 + terms) - 1) < 0.1


def test_a_disc_that_is_too_small_for_the_first_term_has_no_sum():
    addend = read(r"(n+40s)^{-2}", symbols=("n", "s"))[0].expression
    for name in ("n", "s"):
        addend = substitute(addend, name, Symbol(f"@{name}"))
    with precision(200), models.series_length(8):
        assert pieces._summed([addend], {}, 2**12, 5)(acb(1), True).is_finite()
        assert not pieces._summed([addend], {}, 64, -(10**6))(acb(1), True).is_finite()
