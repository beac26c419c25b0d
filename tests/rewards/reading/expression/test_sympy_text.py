"""SymPy's own notation: SymPy's output reads back, and nothing is executed."""

from __future__ import annotations

import pytest
import sympy

from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy
from calculus_harness.rewards.reading.expression.sympy_text import read_sympy
from calculus_harness.rewards.reading.expression.tree import Call, Number, Symbol
from tests.rewards.steps import steps

FORMULAS = [
    "x**2*sin(x)",
    "-x**2/3 + 2*x - 1",
    "exp(-x**2)*erf(x)",
    "log(x)/x",
    "2**(-x)",
    "x**(1/3)",
    "sqrt(1 - x**2)*asin(x)",
    "Abs(x)",
    "(x + 1)**(-2)",
    "pi*E*x",
    "a*x**b",
    "polylog(2, x)",
    "elliptic_e(x, 2)",
    "besselj(0, x)",
    "Piecewise((x, x > 0), (-x, True))",
    "uppergamma(1/3, x)",
    "Piecewise((x, (x > 0) & (x < 1)), (2*x, True))",
    "expint(1, x)",
    "LambertW(x)",
    "Max(1, x)",
    "hermite(n, x)",
    "fresnels(x)",
    "-cos(x)**3/3 + cos(x)",
    "log(x + sqrt(x**2 + 1))",
    "1/x",
    "7",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_sympy_prints_reads_back(text: str) -> None:
    expected = sympy.sympify(text)
    assert to_sympy(read_sympy(text)) == expected
    assert to_sympy(read_sympy(str(expected))) == expected


def test_the_tree_says_what_the_text_says() -> None:
    x = Symbol("x")
    assert read_sympy("x - 1 + 2") == Call("add", (x, Call("neg", (Number(1),)), Number(2)))
    assert read_sympy("-x**2") == Call("neg", (Call("pow", (x, Number(2))),))
    assert read_sympy("0.1") == Number(1, 10)
    assert read_sympy("log(x, 2)") == Call("log", (x, Number(2)))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "(lambda: x)()",
        "[x for x in y]",
        "x if y else z",
        "f(x)",
        "sin(x, y)",
        "x;y",
        "",
        "x +",
        "'x'",
        "True",
        "x[0]",
        "{x}",
        "sin(x=1)",
        "x := 1",
        "f'{x}'",
        "Integral(x, x)",
        "1" * 5000,
        "(" * 5000,
        "-" * 20000 + "x",
        "x" * 40000,
        "sin(" * 150 + "x" + ")" * 150,
        "Piecewise()",
        "x\x00",
        "1j*x",
        "1e99999*x",
    ],
)
def test_anything_else_is_refused_at_once(text: str) -> None:
    def refuse() -> None:
        with pytest.raises(ValueError, match=r"\w"):
            read_sympy(text)

    assert steps(refuse) < 5_000


def test_a_name_that_is_not_called_is_a_symbol() -> None:
    assert read_sympy("sin") == Symbol("sin")


def test_long_sums_are_not_deep() -> None:
    tree = read_sympy(" + ".join(f"x**{i}" for i in range(2000)))
    assert isinstance(tree, Call)
    assert len(tree.args) == 2000
