"""The substitution of ix for x, proven by the verifier."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.bee.hyperbolic import hyperbolic_counterpart
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.latex import to_latex


@pytest.mark.parametrize(
    ("f", "big_f", "expected"),
    [
        (r"\cos x", r"\sin x", r"\cosh x"),
        (
            r"\frac{1}{1+\cos^2 x}",
            r"\frac{1}{\sqrt2}\arctan\frac{\tan x}{\sqrt2}",
            r"\frac{1}{1+\cosh^2 x}",
        ),
        (r"x\sinh x", r"x\cosh x-\sinh x", r"-x\sin x"),
        (r"\arctan x", r"x\arctan x-\frac12\ln(1+x^2)", r"\operatorname{artanh} x"),
    ],
)
def test_counterparts(f: str, big_f: str, expected: str) -> None:
    counterpart = hyperbolic_counterpart(parse(f), parse(big_f))
    assert counterpart is not None
    assert to_latex(counterpart[0]) == to_latex(parse(expected))
    assert verify_antiderivative(to_latex(counterpart[1]), to_latex(counterpart[0])).correct


@pytest.mark.parametrize(
    ("f", "big_f"),
    [("e^x", "e^x"), (r"\sqrt{\sin x}", "x"), ("x^2", r"\frac{x^3}{3}"), (r"\sin x + \cos x", "x")],
)
def test_no_counterpart(f: str, big_f: str) -> None:
    assert hyperbolic_counterpart(parse(f), parse(big_f)) is None
