"""SymPy and back: the same function in both directions, bounded work, no parsing."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sympy
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards.numeric.ball_arithmetic.balls import Conventions, precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.reading.expression.sympy_bridge import from_sympy, to_sympy
from calculus_harness.rewards.reading.expression.tree import (
    FUNCTIONS,
    Call,
    Expression,
    Number,
    Symbol,
)
from calculus_harness.rewards.reading.latex import read, to_latex
from tests.examples import examples

X = Symbol("x")
x = sympy.Symbol("x")
THIRD = Number(1, 3)
#: Arguments for functions that a plain (x, 1/3, 1/4) does not suit.
ARGUMENTS: dict[str, tuple[Expression, ...]] = {
    "acosh": (Call("add", (X, Number(1))),),
    "acoth": (Call("add", (X, Number(1))),),
    "asec": (Call("add", (X, Number(1))),),
    "acsc": (Call("add", (X, Number(1))),),
    "elliptic_pi": (THIRD, X, Number(1, 4)),
    "root": (X, Number(5)),
    "hypgeom": (Number(2), Number(1), THIRD, Number(1, 4), Number(2), X),
    "zeta": (Number(3), X),
    "polylog": (Number(2), X),
    "polygamma": (Number(2), X),
    "expint": (Number(2), X),
    "beta_lower": (THIRD, Number(1, 4), X),
    "lerch_phi": (X, Number(2), THIRD),
    "lambertw": (X,),
    "double_factorial": (Number(7),),
    "piecewise": (X, Call("lt", (X, Number(1, 2))), Number(1)),
    **{
        name: (Number(2), X)
        for name in (
            "bessel_j bessel_y bessel_i bessel_k "
            "legendre_p chebyshev_t chebyshev_u hermite_h laguerre_l"
        ).split()
    },
}
CONDITIONS = {"lt", "le", "gt", "ge", "eq", "ne", "and", "or"}


def value(tree: Expression, at: str = "0.4375") -> acb:
    """Principal branches, as in SymPy."""
    tape = compile_tape(tree, "x", Conventions(real_roots=False))
    with precision(256):
        return tape.run(acb(arb(at)), {}, derivative=False)[tape.root][0]


def same(a: Expression, b: Expression) -> bool:
    first, second = value(a), value(b)
    if not (first.is_finite() and second.is_finite()):
        return True
    with precision(256):
        error = abs(first - second).upper()
        return bool((first - second).contains(0)) and error < 1e-20 * (1 + abs(first).upper())


def arguments(name: str) -> tuple[Expression, ...]:
    arity = FUNCTIONS[name][0]
    return ARGUMENTS.get(name, (X, THIRD, Number(1, 4))[:arity])


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - CONDITIONS))
def test_every_function_goes_there_and_back(name: str) -> None:
    tree = Call(name, arguments(name))
    theirs = to_sympy(tree)
    assert theirs.free_symbols <= {x}
    assert same(tree, from_sympy(theirs))
    number = theirs.subs(x, sympy.Rational(7, 16)).evalf(30)
    with precision(256):
        expected = value(tree)
        got = acb(str(sympy.re(number)), str(sympy.im(number)))
        assert abs(expected - got).upper() < arb(10) ** -25


@pytest.mark.parametrize("name", sorted(CONDITIONS - {"and", "or"}))
def test_conditions(name: str) -> None:
    tree = Call("piecewise", (X, Call(name, (X, Number(1, 2))), Number(1)))
    assert from_sympy(to_sympy(tree)) == tree or same(tree, from_sympy(to_sympy(tree)))


def test_joined_conditions() -> None:
    both = Call("and", (Call("gt", (X, Number(0))), Call("lt", (X, Number(1)))))
    tree = Call("piecewise", (X, both, Number(2)))
    assert same(tree, from_sympy(to_sympy(tree)))


leaves = st.one_of(
    st.just(X),
    st.builds(Number, st.integers(-9, 9), st.just(1)),
    st.sampled_from([Number(1, 2), Number(-2, 3), Call("pi"), Call("e")]),
)


def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    unary = st.sampled_from(
        """neg sqrt exp ln sin cos tan sec asin acos atan sinh cosh tanh asinh acosh atanh abs sgn
        erf""".split()
    )
    binary = st.sampled_from(["add", "mul", "div", "add", "mul"])
    powers = st.sampled_from([Number(2), Number(3), Number(-1), Number(1, 2), Number(-2, 3)])
    return st.one_of(
        st.builds(lambda f, a: Call(f, (a,)), unary, inner),
        st.builds(lambda f, a, b: Call(f, (a, b)), binary, inner, inner),
        st.builds(lambda a, p: Call("pow", (a, p)), inner, powers),
    )


@examples(150)
@given(st.recursive(leaves, grow, max_leaves=10))
def test_random_trees_keep_their_value(tree: Expression) -> None:
    try:
        theirs = to_sympy(tree)
    except ValueError:  # a pole, or a huge number
        return
    back = from_sympy(theirs)
    # SymPy evaluates (-1)**(1/3) and the like exactly; the value is what must stay.
    assert same(tree, back), (to_latex(tree), to_latex(back))
    assert same(back, from_sympy(to_sympy(back)))


@examples(60)
@given(st.recursive(leaves, grow, max_leaves=8))
def test_what_is_printed_reads_back(tree: Expression) -> None:
    try:
        back = from_sympy(to_sympy(tree))
    except ValueError:
        return
    assert same(back, read(to_latex(back), symbols=["x"])[0].expression)


def test_plain_latex_of_a_quotient() -> None:
    expr = -sympy.Rational(3, 2) * x**2 * sympy.exp(-x) / sympy.sqrt(1 - x**2)
    assert to_latex(from_sympy(expr)) == r"-\frac{3 x^{2} e^{-x}}{2 \sqrt{1 - x^{2}}}"
    assert to_latex(from_sympy(sympy.Float("0.1") * x)) == r"\frac{1}{10} x"


def test_assumptions_name_sympys_kinds() -> None:
    (symbol,) = to_sympy(Symbol("a"), {"a": "positive"}).free_symbols
    assert symbol.is_positive
    assert to_sympy(Symbol("a")) == sympy.Symbol("a")


@pytest.mark.parametrize(
    "text",
    [
        "9^{9^{9^9}}",
        "10^{100000000}",
        "100000000!",
        r"\left(\frac12\right)^{99999999}",
        r"\binom{10000000}{5000000}",
        r"\Gamma(99999999)",
        "P_{100000}(x)",
    ],
)
def test_giants_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="large"):
        to_sympy(read(text, symbols=["x"])[0].expression)


@pytest.mark.parametrize(
    "expr",
    [
        sympy.Integral(sympy.sin(x) / x, x),
        sympy.Function("f")(x),
        sympy.oo,
        sympy.nan,
        sympy.zoo,
        sympy.Derivative(sympy.Function("f")(x), x),
        sympy.conjugate(x),
        sympy.Matrix([1]),
        "x + 1",
        None,
        sympy.Symbol("x") + sympy.Symbol("x", positive=True),
    ],
)
def test_what_cannot_be_translated_is_named(expr: object) -> None:
    with pytest.raises(ValueError, match=r"translate|not a SymPy|two different"):
        from_sympy(expr)


def test_poles_and_depth_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        to_sympy(Call("div", (Number(1), Number(0))))
    deep: Expression = X
    for _ in range(5000):
        deep = Call("sin", (deep,))
    with pytest.raises(ValueError, match="deep"):
        to_sympy(deep)
    nested = x
    for _ in range(300):
        nested = sympy.sin(nested)
    with pytest.raises(ValueError, match="deep"):
        from_sympy(nested)


def test_rewards_does_not_import_sympy() -> None:
    code = "import sys, rewards.reading.expression.sympy_bridge; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
