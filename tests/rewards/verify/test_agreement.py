"""Acceptance without a proof: each search finds a fault beyond all other searches."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from flint import acb

from calculus_harness.rewards import Status, verify_antiderivative
from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.reading.expression.tree import Call, Number, Symbol
from calculus_harness.rewards.verify.agreement.visibility import effects


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"\operatorname{sgn}(x-77)\operatorname{sgn}(x-77.01)", "x"),
        (r"\operatorname{sgn}(x-77)\operatorname{sgn}(x-77.0001)", "x"),
        (r"\operatorname{sgn}(x-77)\operatorname{sgn}(x-77.0000001)", "x"),
        (r"\max(x-50,0)\max(50.01-x,0)", "7"),
        (r"1+\max(x-500,0)\max(500.1-x,0)", "x"),
    ],
)
def test_a_narrow_interval_between_breakpoints_has_a_point(integrand: str, answer: str) -> None:
    """F' = f except on an interval of f, hit by no other point of the line."""
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand)
    assert verdict.status is Status.INCORRECT
    assert verdict.evidence.witness is not None


def test_another_branch_between_breakpoints_is_flagged() -> None:
    """F' = -f on an interval between two zeros of the radicand: half of a branch, and a flag."""
    verdict = verify_antiderivative(
        r"\boxed{\frac{x^3}{3}-\frac{101x^2}{2}+2550x}", r"\sqrt{(x-50)^2(x-51)^2}"
    )
    assert verdict.status is Status.CORRECT
    assert verdict.evidence.flags == ("branch",)
    assert verdict.evidence.digits == round(verdict.evidence.digits, 1) > 25


def test_a_constant_near_a_whole_number_is_undecided() -> None:
    """Without the term multiplied by e^{-900}, F' = f: the term is below all bits."""
    verdict = verify_antiderivative(
        r"\boxed{F(x\mid\frac14)+e^{-900}x|x|}", r"\frac{1}{\sqrt{1-\frac14\sin^2x}}"
    )
    assert verdict.status is Status.UNDECIDED
    assert "whole number" in verdict.evidence.detail


def test_a_refutation_is_at_the_first_draw_of_the_parameters() -> None:
    """A refuted answer is not judged again at other values of the parameters."""
    verdicts = [
        verify_antiderivative(rf"\boxed{{{answer}}}", r"a\sqrt[3]{x}")
        for answer in (r"a\sqrt[3]{x}", r"ax^2\sqrt[3]{x}")
    ]
    values = set()
    for verdict in verdicts:
        assert verdict.evidence.witness is not None
        values.add(verdict.evidence.witness.point.partition("a=")[2])
    assert len(values) == 1


@pytest.mark.parametrize("size", [30, 400])
def test_where_f_is_not_analytic_great_numbers_are_looked_beyond(size: int) -> None:
    """F' = f up to x = 10^size, where no usual point lies; 10^400 is no float."""
    wrong = verify_antiderivative(r"\boxed{x}", rf"\frac{{|x-10^{{{size}}}|}}{{10^{{{size}}}-x}}")
    assert wrong.status is Status.INCORRECT


def test_constants_are_compared_below_zero() -> None:
    """F' = -1 for K between -1.95 and -0.05 only."""
    wrong = verify_antiderivative(r"\boxed{x\operatorname{sgn}((K+1)^2-0.9)+K}", "1")
    assert wrong.status is Status.INCORRECT


@pytest.mark.parametrize(
    ("function", "x", "change"),  # of the value if the argument grows to (1 + h) times itself, by h
    [
        ("exp", 3, lambda u: u * math.exp(u)),
        ("sin", 3, lambda u: u * math.cos(u)),
        ("ln", 3, lambda u: 1.0),
        ("sqrt", 3, lambda u: math.sqrt(u) / 2),
        ("atan", 0.25, lambda u: u / (1 + u * u)),
    ],
)
def test_the_effect_of_a_part_is_that_of_a_small_change(
    function: str, x: float, change: Callable[[float], float]
) -> None:
    tape = compile_tape(Call(function, (Symbol("x"),)), "x")
    with precision(128):
        (((_, effect),),) = (
            by_order.items() for by_order in effects(tape, tape.run(acb(x), {}), 0).values()
        )
    assert effect == pytest.approx(math.log2(abs(change(x))), abs=1)


def test_the_effect_of_a_term_on_a_slope_is_its_own_slope() -> None:
    cube = Call("pow", (Symbol("x"), Number(3)))
    tape = compile_tape(Call("add", (cube, Symbol("x"))), "x")
    with precision(128):
        effect = effects(tape, tape.run(acb(3), {}), 1)[tape.root, 0]
    assert effect == pytest.approx({0: math.log2(27), 1: 0}, abs=2)


@pytest.mark.parametrize("answer", [r"\frac{1}{x-x}", r"\ln(x-x)", r"\Gamma(\lfloor-x^2\rfloor)"])
def test_an_answer_without_values_has_no_usable_points(answer: str) -> None:
    undecided = verify_antiderivative(rf"\boxed{{x^2+{answer}}}", "2x")
    assert undecided.status is Status.UNDECIDED
    assert "only 0 usable points" in undecided.evidence.detail


@pytest.mark.parametrize("size", [13, 20, 23, 30])
def test_an_inverse_function_that_turns_back_far_away_is_not_accepted(size: int) -> None:
    """F' = 1 up to 10^size, and -1 on half of the line beyond."""
    answer = rf"10^{{{size}}}\arcsin\sin\frac{{x}}{{10^{{{size}}}}}"
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", "1")
    assert verdict.status in (Status.INCORRECT, Status.UNDECIDED)
