"""Parameters in regimes, hidden parts, and changes without an effect on a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import ProblemError, Status, verify_definite_integral
from calculus_harness.rewards.numeric.sampling.parameters import regimes
from calculus_harness.rewards.reading.latex import read
from tests.examples import examples


def verdict(problem, answer):
    return verify_definite_integral(rf"\boxed{{{answer}}}", problem)


ONE_REGIME = [
    (r"\int_0^1|x-A|\,dx", r"A-\frac12"),
    (r"\int_0^1|x-A|\,dx", r"A^2-A+\frac12"),
    (r"\int_0^1|x-1000A|\,dx", r"1000A-\frac12"),
    (r"\int_0^2\max(x,A)\,dx", r"2A"),
    (r"\int_0^1\sqrt{(x-A)^2}\,dx", r"A-\frac12"),
    (r"\int_0^\pi\frac{dx}{1-2A\cos x+A^2}", r"\frac{\pi}{A^2-1}"),
    (r"\int_0^\pi\frac{dx}{1-2A\cos x+A^2}", r"\frac{\pi}{1-A^2}"),
    (r"\int_0^\pi\ln(1-2A\cos x+A^2)\,dx", r"2\pi\ln A"),
    (r"\int_0^\infty\frac{\sin Ax\sin x}{x^2}\,dx", r"\frac{\pi A}{2}"),
    (r"\int_0^\infty e^{-Ax}\,dx", r"\frac1A+\lfloor\frac{A}{10^{14}}\rfloor"),
    (r"\int_0^\infty e^{-Ax}\,dx", r"\max\left(\frac1A,10^{-9}\right)"),
]


@pytest.mark.parametrize(("problem", "answer"), ONE_REGIME)
@pytest.mark.parametrize("letter", "Abkr")
def test_an_answer_for_one_regime_is_wrong_whatever_the_letter(problem, answer, letter):
    problem, answer = (text.replace("A", letter) for text in (problem, answer))
    assert not verdict(problem, answer).correct


EVERY_REGIME = [
    (r"\int_0^1|x-a|\,dx", r"\frac{a|a|+(1-a)|1-a|}{2}"),
    (r"\int_0^\pi\frac{dx}{1-2r\cos x+r^2}", r"\frac{\pi}{|1-r^2|}"),
    (r"\int_0^\pi\ln(1-2a\cos x+a^2)\,dx", r"2\pi\max(\ln a,0)"),
    (r"\int_0^\infty\frac{\sin ax\sin bx}{x^2}\,dx", r"\frac{\pi}{2}\min(a,b)"),
    (r"\int_0^\infty\frac{\sin x\cos ax}{x}\,dx", r"\frac{\pi}{4}(1+\operatorname{sgn}(1-a))"),
    (r"\int_0^\infty\frac{x^{a-1}}{1+x}\,dx", r"\frac{\pi}{\sin\pi a}"),
]


@pytest.mark.parametrize(("problem", "answer"), EVERY_REGIME)
def test_an_answer_for_every_regime_is_right(problem, answer):
    assert verdict(problem, answer).correct


def test_regimes_are_on_both_sides_of_thresholds():
    usual, special = regimes(("q",), {}, [read(r"|x-1000q|")[0].expression])
    sizes = [value for draw in (*usual, *special) for _, value in draw]
    assert min(sizes) < 1e-3
    assert max(sizes) > 1e3
    assert any(value < 1 for value in sizes)
    assert any(1 < value < 10 for value in sizes)


HIDDEN = [
    r"\frac{\pi}{4}+10^{-1000}",
    r"\frac{\pi}{4}\operatorname{erf}(\pi^e)",
    r"\frac{\pi}{4}\tanh(\pi^{\pi^\pi})",
    r"\frac{\pi}{4}+e^{-e^{e^e}}",
    r"\frac{\pi}{4}\left(1+e^{-\pi^{\pi^2}}\right)",
]


@pytest.mark.parametrize("answer", HIDDEN)
def test_a_part_that_no_digit_shows_is_not_accepted(answer):
    assert not verdict(r"\int_0^1\frac{dx}{1+x^2}", answer).correct


def test_a_part_that_is_exactly_zero_hides_nothing():
    assert verdict(r"\int_0^1\frac{4}{1+x^2}\,dx", r"4\arctan(1)-4\arctan(0)").correct
    assert verdict(r"\int_0^1\frac{4}{1+x^2}\,dx", r"\pi\cos 0+3\ln 1").correct


@examples(15)
@given(st.integers(-6, 6), st.integers(1, 9), st.sampled_from(["gauss", "cosh", "rational"]))
def test_a_shift_by_a_power_of_ten_changes_no_verdict(power, scale, case):
    shift = f"{scale}\\cdot10^{{{abs(power)}}}"
    u = f"(x{'-' if power < 0 else '+'}{shift})"
    f, value = {
        "gauss": (rf"e^{{-{u}^2}}", r"\sqrt\pi"),
        "cosh": (rf"\frac{{1}}{{\cosh^2{u}}}", "2"),
        "rational": (rf"\frac{{1}}{{1+{u}^2}}", r"\pi"),
    }[case]
    problem = rf"\int_{{-\infty}}^\infty {f}\,dx"
    assert verdict(problem, value).correct
    for wrong in ("0", rf"\frac{{{value}}}{{2}}"):
        assert verdict(problem, wrong).status is Status.INCORRECT


@examples(10)
@given(st.integers(1, 10**6))
def test_a_nearly_critical_power_is_neither_divergent_nor_wrong(n):
    problem = rf"\int_1^\infty x^{{-1-\frac{{1}}{{{n}}}}}\,dx"
    assert verdict(problem, str(n)).correct
    assert verdict(problem, r"\text{diverges}").status is Status.INCORRECT
    diverging = rf"\int_1^\infty x^{{-1+\frac{{1}}{{{n + 1}}}}}\,dx"
    assert verdict(diverging, r"\text{diverges}").correct


@pytest.mark.parametrize(
    ("problem", "answer", "status"),
    [
        (r"\int_0^{1000} e^{-x}\,dx", "1", "undecided"),
        # the peak is narrower than an eighth of the limit
        (r"\int_{800}^\infty e^{-(x-800)^2}\,dx", r"\frac{\sqrt\pi}{2}", "correct"),
        (r"\int_{10^9}^\infty e^{-(x-10^9)^2}\,dx", r"\frac{\sqrt\pi}{2}", "correct"),
        (r"\int_{-1000}^{1000} e^{-x^2}\,dx", r"\sqrt\pi", "undecided"),
        (r"\int_{-100}^{100} e^{-x^2}\,dx", r"\sqrt{\pi}", "undecided"),
        (r"\int_0^{60} e^{-x}\,dx", "1-e^{-60}", "correct"),
        (r"\int_0^{10} \max(0,1-x)\,dx", r"\frac12", "correct"),
        (r"\int_0^{800\pi} |\sin 4x|\,dx", "1600", "correct"),
    ],
)
def test_limits_have_to_show(problem, answer, status):
    assert verify_definite_integral(rf"\boxed{{{answer}}}", problem).status.value == status


@pytest.mark.parametrize(
    ("problem", "answer", "status"),
    [
        # a > b is not excluded, nor meant
        (r"\int_a^b\frac{dx}{\sqrt{(x-a)(b-x)}}", r"\pi", "undecided"),
        (r"\int_a^b\frac{dx}{\sqrt{(x-a)(b-x)}}", r"\pi\operatorname{sgn}(b-a)", "correct"),
        (r"\int_a^b\frac{dx}{\sqrt{(x-a)(b-x)}}", r"-\pi", "incorrect"),
        (r"\int_a^b dx", "|b-a|", "undecided"),
        (r"\int_a^b dx", "b-a", "correct"),
        (r"\int_a^b dx", "|b|+|a|", "incorrect"),
        (r"\int_b^a 2x\,dx", "a^2-b^2", "correct"),
        # real for whole n only
        (r"\int_0^1 x^m\ln^n x\,dx", r"\frac{(-1)^n n!}{(m+1)^{n+1}}", "correct"),
        (r"\int_0^1 x^m\ln^n x\,dx", r"\frac{n!}{(m+1)^{n+1}}", "incorrect"),
        (r"\int_{-1}^1 x^n\,dx", r"\frac{1+(-1)^n}{n+1}", "correct"),
        (r"\int_{-1}^1 x^n\,dx", r"\frac{2}{n+1}", "incorrect"),
    ],
)
def test_admissible_parameters(problem, answer, status):
    assert verify_definite_integral(rf"\boxed{{{answer}}}", problem).status.value == status


def test_an_integrand_that_is_real_for_no_parameter_is_an_error():
    with pytest.raises(ProblemError):
        verify_definite_integral(r"\boxed{1}", r"\int_{-1}^0 \ln(a x)\,dx")


VALUES = [
    (r"\frac{1}{1+@^2}", "0", "1", r"\frac{\pi}{4}", r"\frac{\pi}{4}+10^{-20}"),
    (r"@^2 e^{-@}", "0", r"\infty", "2", "1.9999999999"),
    (r"\frac{\ln @}{1+@}", "0", "1", r"-\frac{\pi^2}{12}", r"\frac{\pi^2}{12}"),
    (r"\frac{\sin @}{@}", "0", r"\infty", r"\frac{\pi}{2}", r"\pi"),
    (r"\lfloor 3@\rfloor", "0", "1", "1", r"\frac{10}{9}"),
    (r"|@-\frac13|", "0", "1", r"\frac{5}{18}", r"\frac16"),
    (r"\frac{1}{@}", "0", "1", r"\text{diverges}", "1"),
]


@examples(40)
@given(st.sampled_from(VALUES), st.integers(0, 4), st.integers(-3, 6), st.integers(2, 9))
def test_a_substitution_changes_no_verdict(row, case, power, n):
    """f(c x) c, f(x - m), f(x^n) n x^{n-1}, f(1/x)/x^2 and f(a x) a with a parameter."""
    f, low, high, right, wrong = row
    endless = high == r"\infty"
    if case == 0:
        c = rf"10^{{{power}}}"
        inner, factor, limits = rf"({c}x)", c, (low, high if endless else rf"10^{{{-power}}}")
    elif case == 1:
        m = n * 10 ** abs(power)
        inner, factor, limits = f"(x-{m})", "1", (str(m), high if endless else str(m + 1))
    elif case == 2:
        inner, factor, limits = f"(x^{{{n}}})", f"{n}x^{{{n - 1}}}", (low, high)
    elif case == 3:
        inner, factor, limits = r"(\frac1x)", r"\frac{1}{x^2}", ("0" if endless else "1", r"\infty")
    else:
        inner, factor, limits = "(ax)", "a", (low, high if endless else r"\frac1a")
    problem = rf"\int_{{{limits[0]}}}^{{{limits[1]}}}{factor}\cdot {f.replace('@', inner)}\,dx"
    assert verdict(problem, right).correct, problem
    assert not verdict(problem, wrong).correct, problem
