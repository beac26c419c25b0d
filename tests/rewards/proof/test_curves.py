"""Functions that vanish on a curve, and functions that do not vanish."""

from __future__ import annotations

import time

import pytest

from calculus_harness.rewards.proof.curves import vanishes_on
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.reading.latex import read

CIRCLE = "x^2+y^2-25"


def tree(text: str) -> Expression:
    return read(text, symbols="abxy")[0].expression


@pytest.mark.parametrize(
    ("function", "curve", "vanishes"),
    [
        (r"\frac{25-x^2}{y}-y", CIRCLE, True),
        (r"\frac{x^2+y^2-25}{x}", CIRCLE, True),
        ("e^{2y}-x^2", "e^y-x", True),
        (r"y\ln x-x\ln y", r"\ln x-\frac{x\ln y}{y}", True),
        (r"\sin^2y+x^2-1", r"\cos y-x", True),
        (r"x+y", CIRCLE, False),
        (r"\frac{x^2+y^2-25}{x^2+y^2-25}", CIRCLE, False),
        (r"\frac{1}{x^2+y^2-25}", CIRCLE, False),
        ("e^{y}+x", "e^{2y}-x^2", False),
        (r"\sqrt{x^2}-x", "y-x", False),
        ("x", "2", False),
        (r"y\ln x-x+y", "x^y-e^{x-y}", True),
        (r"e^y-xe^{-y\ln x}+y-x+y\ln x-e^y+x^{1-y}", "x^y-e^{x-y}", True),
        (r"y\ln x-x-y", "x^y-e^{x-y}", False),
    ],
)
def test_what_vanishes_on_a_curve(function: str, curve: str, vanishes: bool) -> None:
    assert vanishes_on(tree(function), tree(curve)) is vanishes


@pytest.mark.parametrize(
    ("function", "curve"),
    [("x^{30001}+y^{30000}", CIRCLE), ("b^{96}", "(x+y+a+b+ab)^3-1"), ("(x+y)^{999}", "x-y^2")],
)
def test_a_high_power_takes_no_time(function: str, curve: str) -> None:
    start = time.process_time()
    assert not vanishes_on(tree(function), tree(curve))
    assert time.process_time() - start < 2
