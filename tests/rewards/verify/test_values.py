"""Values and equivalent expressions: equal as closed forms, never by the luck of floats."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import ProblemError, Status, verify_equivalent, verify_value


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        (r"\frac{\pi}{4}", r"\arctan 1"),
        (r"The integral equals $\boxed{\ln 2}$.", r"-\ln\frac12"),
        (r"\sqrt{3+2\sqrt2}", r"1+\sqrt2"),
        (r"\frac{\sqrt\pi}{2}", r"\Gamma(\tfrac32)"),
        (r"I = \frac{\pi^2}{6}", r"\operatorname{Li}_2(1)"),
        (r"\frac{1}{2004!}", r"\frac{2005}{2005!}"),
        ("0.5", r"\frac12"),
        (r"e^{i\pi}+2", "1"),
        (r"\frac{1}{\sqrt2}", r"\sin\frac{\pi}{4}"),
        (r"10^{-400}", r"\frac{1}{10^{400}}"),
    ],
)
def test_equal_values(answer: str, target: str) -> None:
    verdict = verify_value(answer, target)
    assert verdict.correct, verdict.evidence
    assert verdict.evidence.digits >= 300


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        (r"\frac{1}{2004!}", r"\frac{1}{2006!}"),
        ("3.14159265358979", r"\pi"),
        (r"\frac{22}{7}", r"\pi"),
        (r"e^{\pi\sqrt{163}}", "262537412640768744"),
        (r"\pi+10^{-300}", r"\pi"),
        ("x", r"\pi"),
        (r"\frac{\pi}{4}+C", r"\frac{\pi}{4}"),
        (r"10^{-400}", r"10^{-401}"),
    ],
)
def test_different_values(answer: str, target: str) -> None:
    assert verify_value(answer, target).status is Status.INCORRECT


def test_a_tolerance_accepts_decimal_approximations_and_no_others() -> None:
    assert verify_value("3.1416", r"\pi", relative_tolerance=1e-4).correct
    assert not verify_value("3.15", r"\pi", relative_tolerance=1e-4).correct
    assert not verify_value("3.1416", r"\pi").correct


@pytest.mark.parametrize("answer", [r"\frac10", r"\ln 0", r"9^{9^{9^{9^9}}}-9^{9^{9^{9^9}}}"])
def test_what_has_no_value_is_never_correct(answer: str) -> None:
    assert not verify_value(answer, "0").correct


def test_unevaluated_and_unreadable_values() -> None:
    assert verify_value(r"\boxed{\int_0^1 x\,dx}", r"\frac12").status is Status.NOT_CLOSED_FORM
    assert verify_value(r"\boxed{\frac{1}{}", r"\frac12").status is not Status.CORRECT
    assert verify_value(r"\boxed{1 \text{ or } 2}", "1").reward == 0.0
    assert verify_value("", "1").status is Status.NO_ANSWER


@pytest.mark.parametrize("target", ["x", r"\frac{1}{", r"\int_0^1 x\,dx"])
def test_a_bad_target_is_a_problem_error(target: str) -> None:
    with pytest.raises(ProblemError):
        verify_value("1", target)


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        (r"\sin^2x", r"1-\cos^2x"),
        (r"\sin 2x", r"2\sin x\cos x"),
        (r"\sqrt{x^2}", "|x|"),
        (r"a(x+b)", "ax+ab"),
        (r"\frac{1}{x}-\frac{1}{x+1}", r"\frac{1}{x(x+1)}"),
        (r"\operatorname{erf}(x)", r"1-\operatorname{erfc}(x)"),
    ],
)
def test_equivalent_expressions(answer: str, target: str) -> None:
    assert verify_equivalent(answer, target).correct


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        (r"\sin^2x", r"1+\cos^2x"),
        ("x", "|x|"),
        ("x+C", "x"),
        ("x+10^{-50}", "x"),
        (r"\frac{x^2-1}{x-1}", "x-1"),
    ],
)
def test_expressions_that_differ(answer: str, target: str) -> None:
    assert verify_equivalent(answer, target).status is Status.INCORRECT


def test_an_odd_root_of_a_number_that_is_perhaps_real_refutes_nothing() -> None:
    """No ball shows that the imaginary part is 0, and the principal root is not real."""
    perhaps_real = r"\sqrt[3]{(-4+i(\sqrt2\sqrt3-\sqrt6))^3}"
    assert verify_equivalent(rf"\boxed{{{perhaps_real}}}", "-4").status is Status.UNDECIDED
    assert verify_equivalent(r"\boxed{\sqrt[3]{-64}}", "-4").correct
    assert verify_equivalent(r"\boxed{\sqrt[3]{-64+i}}", "-4").status is Status.INCORRECT


def test_up_to_a_constant() -> None:
    pair = (r"\sin^2x", r"-\frac12\cos 2x")
    assert not verify_equivalent(*pair).correct
    assert verify_equivalent(*pair, up_to_constant=True).correct
    assert verify_equivalent(r"x^2+C", "x^2", up_to_constant=True).correct
    assert not verify_equivalent(r"\sin^2x", r"\cos^2x", up_to_constant=True).correct


def test_the_sole_symbol_of_the_target_is_the_variable() -> None:
    assert not verify_equivalent("t^2", "t^3", up_to_constant=True).correct
    assert verify_equivalent(r"\sin^2t", r"-\frac12\cos 2t", up_to_constant=True).correct
    assert not verify_equivalent("t", "|t|").correct
    assert verify_equivalent("b(a+1)", "ab+b").correct
    with pytest.raises(ProblemError, match="may be s, t"):
        verify_equivalent("st", "st+1", up_to_constant=True)
    assert verify_equivalent("st", "st+1", variable="s", up_to_constant=True).correct


@pytest.mark.parametrize(
    "answer",
    [
        r"\boxed{1=2=\pi}",
        r"\boxed{3=\pi}",
        r"\boxed{3\iff\pi}",
        r"\boxed{3.14=\pi}",
        r"\boxed{\operatorname{Li}_2(1)=\pi}",
    ],
)
def test_a_chain_of_unequal_values_is_wrong(answer: str) -> None:
    verdict = verify_value(answer, r"\pi")
    assert verdict.status is Status.INCORRECT
    assert "also states" in verdict.evidence.detail


@pytest.mark.parametrize(
    "answer",
    [
        r"\boxed{4\cdot\frac{\pi}{4}=\pi}",
        r"\boxed{\int_0^1\frac{4}{1+x^2}\,dx=\left[4\arctan x\right]_0^1=\pi}",
        r"\boxed{I=F(1)-F(0)=\pi}",
        r"\boxed{x=\pi}",
    ],
)
def test_steps_of_a_chain_of_values_do_not_count(answer: str) -> None:
    assert verify_value(answer, r"\pi").correct


def test_a_chain_of_different_functions_is_wrong() -> None:
    for answer in (r"\boxed{x^3=x^2}", r"\boxed{x=2x=x^2}"):
        assert verify_equivalent(answer, "x^2").status is Status.INCORRECT
        assert verify_equivalent(answer, "x^2", up_to_constant=True).status is Status.INCORRECT
    for answer in (r"\boxed{x\cdot x=x^2}", r"\boxed{y=x^2}", r"\boxed{u^2=x^2}"):
        assert verify_equivalent(answer, "x^2").correct


@pytest.mark.parametrize(
    ("answer", "target"),
    [("1", r"1+10^{-2000}"), ("1", r"\tanh 3000"), ("2", r"1+\operatorname{erf}(60)")],
)
def test_a_part_of_the_target_that_no_digit_shows_accepts_no_answer(
    answer: str, target: str
) -> None:
    assert verify_value(rf"\boxed{{{answer}}}", target).status is Status.UNDECIDED
