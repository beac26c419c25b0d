"""Operations on expression trees: building, and derivatives proven by the verifier."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.bee.bank import entries
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.reading.expression.build import add, div, mul, number, polynomial
from calculus_harness.rewards.reading.expression.derivative import differentiate
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.expression.tree import Call, Symbol
from calculus_harness.rewards.reading.latex import to_latex

FUNCTIONS = [
    r"x^2\sin^3(2x)e^{-x}",
    r"\sqrt{\tan x}",
    r"\frac{x^2-1}{x^3+1}",
    "x^{x^2}",
    r"\sqrt[3]{x^2+1}",
    r"\ln|\cos x|",
    r"\arctan\frac{1-x}{1+x}",
    r"2^x\log_2 x",
    r"\frac{\operatorname{arcsec} x}{x}",
    r"\operatorname{artanh}\frac x2\cosh^{-1}(x+2)",
    r"\sec x\csc x\cot x",
    r"\coth(x)\csch(x^2)",
    r"\operatorname{arsinh}(\operatorname{sech} x)",
    r"\arccos(x)\operatorname{arccot}(x)",
    r"\operatorname{arcoth}(x^2+2)",
    r"\operatorname{arccsc}(x+1)",
    r"\operatorname{erf}(x^2)",
    r"(\sin x)^{\cos x}",
    r"x^{-2/3}",
]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_a_derivative_has_the_function_as_antiderivative(text: str) -> None:
    slope = to_latex(differentiate(parse(text)))
    verdict = verify_antiderivative(text, slope)
    assert verdict.correct, (slope, verdict)


def test_an_unknown_derivative_is_refused() -> None:
    with pytest.raises(ValueError, match="floor"):
        differentiate(parse(r"\lfloor x\rfloor"))
    assert differentiate(parse(r"\lfloor 2\rfloor x")) == mul(parse(r"\lfloor 2\rfloor"))


def test_arithmetic_is_done() -> None:
    x = Symbol("x")
    assert polynomial([0, -1, 3, 0]) == parse("-x^2+3x")
    assert polynomial([0, 0, 0, 0]) == number(0)
    assert mul(number(2), Call("neg", (x,)), number(3)) == parse("-6x")
    assert mul(div(x, number(4)), number(2)) == div(x, number(2))
    assert add(number(0), x) == x
    assert substitute(parse("x^2+a"), "x", parse("2x")) == parse("(2x)^2+a")


def test_derivatives_of_the_whole_bank() -> None:
    """The references, differentiated by rewriting, are the integrands."""
    for entry in entries("qualifier"):
        slope = differentiate(parse(entry.antiderivative))
        assert verify_antiderivative(entry.antiderivative, to_latex(slope)).correct, entry.id
