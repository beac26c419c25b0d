"""Enclosures of infinite sums against closed forms, and proofs of divergence."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import acb, arb, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.quadrature.work import QuadratureError, WorkError, work_limit
from calculus_harness.rewards.numeric.summation.finite import at, exact, finite_sum
from calculus_harness.rewards.numeric.summation.hypergeometric import Hypergeometric
from calculus_harness.rewards.numeric.summation.terms import summands_of
from calculus_harness.rewards.numeric.summation.value import infinite_sum
from calculus_harness.rewards.reading.expression.build import add, number
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.expression.tree import Expression, Symbol
from calculus_harness.rewards.reading.latex import read

from ....examples import examples


def tree(text: str) -> Expression:
    return read(text, symbols=("n", "k"))[0].expression


#: Terms, first indices and sums; sources are DLMF 4.2, 25.2, 25.6, 25.16 and tables of series.
SUMS = [
    (r"\frac{1}{n^2}", 1, r"\frac{\pi^2}{6}"),
    (r"\frac{1}{n^3}", 1, r"\zeta(3)"),
    (r"\frac{(-1)^n}{2n+1}", 0, r"\frac{\pi}{4}"),
    (r"\frac{n^2}{2^n}", 0, "6"),
    (r"\frac{1}{n!}", 0, "e"),
    (r"\frac{\binom{2n}{n}}{4^n(2n+1)}", 0, r"\frac{\pi}{2}"),
    (r"\frac{1}{n^2\binom{2n}{n}}", 1, r"\frac{\pi^2}{18}"),
    (r"\binom{1/2}{n}", 0, r"\sqrt2"),
    (r"\frac{\binom{2n}{n}}{5^n}", 0, r"\sqrt5"),
    (r"\frac{(2n-1)!!}{(2n)!!(2n+1)}", 1, r"\frac{\pi}{2}-1"),
    (r"\left(\frac{9}{10}\right)^n\frac1n", 1, r"\ln 10"),
    (r"\frac{1}{(n+100)^2}", 1, r"\frac{\pi^2}{6}-\sum_{k=1}^{100}\frac{1}{k^2}"),
    (r"\frac{1}{n^2-\frac{201}{2}}", 1, None),
    (r"\frac{1}{n^{3/2}}", 1, r"\zeta(3/2)"),
    (r"\ln\left(1-\frac{1}{n^2}\right)", 2, r"-\ln 2"),
    (r"\arctan\frac{2}{n^2}", 1, r"\frac{3\pi}{4}"),
    (r"\frac1n-\ln\left(1+\frac1n\right)", 1, r"\gamma"),
    (r"-\frac23\left(\frac1n-\ln\frac{n+1}{n}\right)", 1, r"-\frac23\gamma"),
    (r"\frac{1}{n^2+\pi^2}", 1, r"\frac{\coth(\pi^2)}{2}-\frac{1}{2\pi^2}"),
    (r"\frac{\cos\frac{n\pi}{3}}{n^2}", 1, r"\frac{\pi^2}{36}"),
    (r"\frac{\cos\frac{n\pi}{2}}{n}", 1, r"-\frac{\ln 2}{2}"),
    (r"\frac{\sin n}{n}", 1, r"\frac{\pi-1}{2}"),
    (r"\frac{\sin^2 n}{n^2}", 1, r"\frac{\pi-1}{2}"),
    (r"\frac{\cos(2n)}{n^2}", 1, r"\frac{\pi^2}{6}-\pi+1"),
    (r"\frac{\sin n}{2^n}", 0, r"\frac{2\sin 1}{5-4\cos 1}"),
    (r"\frac{H_n}{2^n}", 1, r"2\ln 2"),
    (r"\frac{H_n}{n^2}", 1, r"2\zeta(3)"),
    (r"\frac{H_n^2}{n^2}", 1, r"\frac{17\pi^4}{360}"),
    (r"\frac{(-1)^n\ln n}{n}", 1, r"\gamma\ln 2-\frac{\ln^2 2}{2}"),
    (r"\frac{2^n+3^n}{6^n}", 0, r"\frac72"),
    (r"\frac{\cosh n}{3^n}", 0, r"\frac{1}{2(1-e/3)}+\frac{1}{2(1-\frac{1}{3e})}"),
]


@pytest.mark.parametrize(("term", "start", "value"), SUMS)
@pytest.mark.parametrize("digits", [30, 60])
def test_enclosures_hold_the_sum(term: str, start: int, value: str | None, digits: int) -> None:
    enclosure = infinite_sum(tree(term), "n", start, digits)
    assert enclosure.digits > digits
    if value is not None:
        with precision(1024):
            assert enclosure.ball.overlaps(at(tree(value), {}).real)


def test_products_of_logarithms_are_multiplied_out() -> None:
    product = infinite_sum(tree(r"\frac{\ln(2n)\ln(3n)}{n^2}"), "n", 1, 30)
    # \ln 2 \ln 3 \zeta(2) - \ln 6 \zeta'(2) + \zeta''(2) (DLMF 25.6.15 for the derivative)
    parts = [
        infinite_sum(tree(term), "n", 1, 30).ball
        for term in (r"\frac{\ln 2\ln 3}{n^2}", r"\frac{\ln n}{n^2}", r"\frac{\ln n\ln n}{n^2}")
    ]
    with precision(256):
        assert product.ball.overlaps(parts[0] + arb(6).log() * parts[1] + parts[2])
    several = "".join(rf"\ln({p}n)" for p in (2, 3, 5, 7, 11))
    with pytest.raises(QuadratureError, match="too many terms"):
        infinite_sum(tree(rf"\frac{{{several}}}{{n^2}}"), "n", 1, 30)


@pytest.mark.parametrize(("term", "start", "value"), SUMS[:14])
def test_more_digits_lie_within_fewer(term: str, start: int, value: str | None) -> None:
    coarse, fine = (infinite_sum(tree(term), "n", start, digits) for digits in (20, 90))
    with precision(1024):
        assert coarse.ball.contains(fine.ball.mid())


@pytest.mark.parametrize(
    ("term", "sign"),
    [
        (r"\frac1n", 1),
        (r"-\frac{1}{\sqrt n}", -1),
        (r"\frac{n}{n+1}", 1),
        (r"\frac{n^2}{n^3+1}", 1),
        (r"\frac{\binom{2n}{n}}{4^n}", 1),
        (r"\sin\frac1n", 1),
        (r"2^{1/n}-1", 1),
        (r"\frac{n!}{10^n}", 1),
        ("-2^n", -1),
        ("(-1)^n", 0),
        ("(-1)^n n", 0),
        (r"\cos n", 0),
        (r"\frac{1+(-1)^n}{n}", 1),
        (r"\frac{\sin^2 n}{n}", 1),
    ],
)
def test_divergence_is_proved(term: str, sign: int) -> None:
    value = infinite_sum(tree(term), "n", 1, 30)
    assert value.diverges
    assert value.sign == sign


@pytest.mark.parametrize(
    "term", [r"\frac{1}{n\ln n}", r"e^{-\sqrt n}", r"\frac{\sin n\cos n}{n}", r"\frac{1}{2^n+1}"]
)
def test_what_is_not_known_is_said(term: str) -> None:
    with pytest.raises(QuadratureError):
        infinite_sum(tree(term), "n", 2, 30)


def test_a_term_that_is_not_defined_is_an_error() -> None:
    with pytest.raises(QuadratureError, match="not defined at 3"):
        infinite_sum(tree(r"\frac{1}{(n-3)^2}"), "n", 1, 30)


def test_work_is_counted() -> None:
    with work_limit(200), pytest.raises(WorkError):
        infinite_sum(tree(r"\frac{1}{n^2+n+7}"), "n", 1, 200)


@given(
    st.fractions(-4, 4, max_denominator=12),
    st.fractions(-4, 4, max_denominator=12),
    st.integers(1, 4),
)
@examples(100)
def test_rational_terms_agree_with_the_digamma_function(
    a: Fraction, b: Fraction, start: int
) -> None:
    """The sum of 1/((n+a)(n+b)) is (psi(start+a) - psi(start+b))/(a - b) (DLMF 5.7.6)."""
    assume(a != b and not any(x.denominator == 1 and x <= -start for x in (a, b)))
    factors = [rf"(n+\frac{{{x.numerator}}}{{{x.denominator}}})" for x in (a, b)]
    term = tree(rf"\frac{{1}}{{{''.join(factors)}}}")
    value = infinite_sum(term, "n", start, 30)
    with precision(300):
        psi = [acb(fmpq(x.numerator, x.denominator) + start).digamma() for x in (a, b)]
        difference = a - b
        expected = (psi[0] - psi[1]) / acb(fmpq(difference.numerator, difference.denominator))
        assert value.ball.overlaps(expected.real)


@given(st.integers(-6, 6), st.sampled_from([row for row in SUMS if row[1] == 1 and row[2]]))
@examples(100)
def test_a_shift_of_the_index_changes_nothing(shift: int, row: tuple[str, int, str]) -> None:
    moved = add(Symbol("n"), number(-shift))
    shifted = substitute(tree(row[0]), "n", moved)
    original = infinite_sum(tree(row[0]), "n", 1, 25)
    after_shift = infinite_sum(shifted, "n", 1 + shift, 25)
    assert original.ball.overlaps(after_shift.ball)


def test_quotients_are_bounded_for_all_larger_indices() -> None:
    (summand,) = summands_of(tree(r"\frac{\binom{2n}{n}}{5^n (n+3)}"), "n")
    term = Hypergeometric(summand)
    with precision(64):
        bound = term.quotient_bound(10)
        for n in range(10, 200):
            assert abs(term.at(n + 1) / term.at(n)).upper() <= bound + arb(2) ** -40


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\binom{k}{3}", Fraction(35)),
        ("k!", Fraction(5040)),
        (r"\sqrt{k+2}", Fraction(3)),
        ("(-1)^k", Fraction(-1)),
        (r"\frac{1}{k-7}", None),
        ("e^k", None),
        (r"\left\lfloor\frac{k}{2}\right\rfloor", Fraction(3)),
    ],
)
def test_exact_values(text: str, value: Fraction | None) -> None:
    assert exact(tree(text), {"k": Fraction(7)}) == value


def test_finite_sums_are_exact_where_all_terms_are_rational() -> None:
    assert finite_sum(tree(r"\frac{1}{k(k+1)}"), "k", 1, 99, {}) == Fraction(99, 100)
    with precision(128):
        value = finite_sum(tree(r"\frac{\pi}{k}"), "k", 1, 2, {})
    assert not isinstance(value, Fraction)
