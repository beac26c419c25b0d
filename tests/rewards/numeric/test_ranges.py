"""Bounds over the whole line: floats that enclose the values of balls, and what they exclude."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import acb
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards.numeric.ball_arithmetic.balls import Branch, precision
from calculus_harness.rewards.numeric.ball_arithmetic.evaluation import evaluate
from calculus_harness.rewards.numeric.ball_arithmetic.point_count import has_fixed_branch
from calculus_harness.rewards.numeric.ball_arithmetic.ranges import (
    bounds,
    may_have_pole,
    never_vanishes,
)
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol
from calculus_harness.rewards.reading.latex import read

#: The numbers are floats, and their sum is not: from the left, floats add up to 2.
SUM = "-9007199254740992-1-1+9007199254740994+x^2"

_NUMBERS = st.builds(
    lambda sign, digits, shift, den: Number(*_lowest(sign * (10**shift + digits), den)),
    st.sampled_from((1, -1)),
    st.integers(0, 9),
    st.integers(0, 40),
    st.integers(1, 99),
)
_TREES = st.recursive(
    _NUMBERS,
    lambda tree: st.one_of(
        st.builds(lambda *args: Call("add", args), tree, tree, tree),
        st.builds(lambda *args: Call("mul", args), tree, tree),
        st.builds(lambda *args: Call("div", args), tree, tree),
        st.builds(lambda u: Call("neg", (u,)), tree),
        st.builds(lambda u, n: Call("pow", (u, n)), tree, st.integers(2, 4).map(Number)),
        st.builds(lambda u: Call("sqrt", (Call("pow", (u, Number(2))),)), tree),
    ),
    max_leaves=8,
)


def _lowest(numerator: int, denominator: int) -> tuple[int, int]:
    return Fraction(numerator, denominator).as_integer_ratio()


def expression(text: str) -> Expression:
    return read(text)[0].expression


@given(_TREES)
def test_bounds_of_a_number_enclose_the_number(tree: Expression) -> None:
    with precision(4000):
        value = evaluate(tree)
    low, high = bounds(tree)
    assert low <= high
    if value.is_finite():
        assert not acb(low).real > value.real
        assert not acb(high).real < value.real


@pytest.mark.parametrize(
    "text",
    ["10^{17}+9-10^{17}-9+x^2", "(10^{9}+x)^2+9-(10^9+x)^2-9+x^2", r"\tfrac13+x^2-\tfrac13", SUM],
)
def test_rounded_sums_do_not_exclude_a_zero(text: str) -> None:
    assert not never_vanishes(expression(text))
    assert not has_fixed_branch(Branch(expression(text), -1, True), "x")


@pytest.mark.parametrize("text", ["x^4+9", r"2+\sin x", r"\frac{1}{3}+x^2", r"e^{-2}+\sqrt{x}"])
def test_bounds_exclude_a_zero(text: str) -> None:
    assert never_vanishes(expression(text))


def test_poles() -> None:
    assert not may_have_pole(expression(r"\frac{x}{x^2+3}"), "x")
    assert not may_have_pole(expression("(x^2+3)^{-2}"), "x")
    assert may_have_pole(expression(r"\frac{x}{x^2-3}"), "x")
    assert may_have_pole(expression("10^{17}+9-10^{17}-9+x^{-2}"), "x")


@given(st.integers(-9, 9), st.integers(0, 30))
def test_a_double_zero_does_not_fix_a_branch(root: int, shift: int) -> None:
    # (x - r)^2, with a number beside it that floats lose
    x, far = Symbol("x"), Number(10**shift)
    square = Call("pow", (Call("add", (x, Number(-root))), Number(2)))
    radicand = Call("add", (far, square, Call("neg", (far,))))
    assert not has_fixed_branch(Branch(radicand, -1, True), "x")
