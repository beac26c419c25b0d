"""Our expressions beside SymPy's: the same evaluation, the same LaTeX."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.derivations.expressions import rewriting, terms
from calculus_harness.benchmarks.derivations.expressions.printing import latex, longest, plain
from calculus_harness.benchmarks.derivations.expressions.terms import (
    MINUS_ONE,
    add,
    apply,
    cos,
    derivative,
    divide,
    exp,
    integral,
    log,
    mul,
    negative,
    number,
    power,
    sin,
    symbol,
)
from calculus_harness.rewards.reading.expression.traversal import nodes_of
from calculus_harness.rewards.reading.expression.tree import Expression
from tests.benchmarks.derivations.as_sympy import as_sympy, walks

x, y, z = symbol("x"), symbol("y"), symbol("z")
f = apply("f", x, y)


@pytest.mark.parametrize("seed", range(0, 240, 20))
def test_the_same_as_sympy_to_the_letter(seed: int) -> None:
    seen = different = 0
    for offset in range(20):
        for ours, theirs in walks(seed + offset):
            seen += 1
            different += latex(ours) != sympy.latex(theirs) or plain(ours) != str(theirs)
    assert seen > 80
    assert different <= 1


def test_terms_are_evaluated_as_far_as_sympys() -> None:
    """SymPy evaluates an expression again before printing, so the text alone is no evidence."""
    pairs = [pair for seed in range(60) for pair in walks(1000 + seed)]
    pairs = [(ours, theirs) for ours, theirs in pairs if not theirs.has(sympy.Derivative)]
    leaves = [
        (
            sum(node.function == "symbol" for node in nodes_of(ours)),
            sum(node.is_Symbol for node in sympy.preorder_traversal(theirs)),
        )
        for ours, theirs in pairs
    ]
    assert sum(ours == theirs for ours, theirs in leaves) > 0.97 * len(leaves) > 100


def test_no_latex_is_longer_than_its_bound() -> None:
    terms_ = [ours for seed in range(60) for ours, _ in walks(4000 + seed, 12)]
    terms_ += [derivative(f, *[x] * n, *[y] * m) for n in range(1, 9) for m in range(4)]
    terms_ += [integral(add(f, x), *[x] * n) for n in range(1, 9)]
    assert all(len(latex(term)) <= longest(term) for term in terms_)


def test_rebuilding_changes_nothing() -> None:
    for seed in range(40):
        for ours, _ in walks(2000 + seed):
            rebuilt = rewriting.rename(ours, {})
            assert rebuilt == ours
            assert hash(rebuilt) == hash(ours)
            assert pickle.loads(pickle.dumps(ours)) == ours


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (add(x, x, number(2), MINUS_ONE), "2 x + 1"),
        (mul(x, y, x), "x^{2} y"),
        (mul(number(2), add(x, y)), "2 x + 2 y"),
        (power(mul(x, y), number(2)), "x^{2} y^{2}"),
        (power(power(x, y), z), r"\left(x^{y}\right)^{z}"),
        (power(power(x, y), number(2)), "x^{2 y}"),
        (mul(power(x, y), x), "x x^{y}"),
        (exp(log(x)), "x"),
        (log(exp(x)), r"\log{\left(e^{x} \right)}"),
        (exp(add(log(x), y)), "x e^{y}"),
        (cos(add(y, negative(x))), r"\cos{\left(x - y \right)}"),
        (sin(negative(x)), r"- \sin{\left(x \right)}"),
        (exp(number(1)), "e"),
        (log(exp(number(2))), "2"),
        (power(f, number(2)), r"f^{2}{\left(x,y \right)}"),
        (
            derivative(derivative(f, x), y),
            r"\frac{\partial^{2}}{\partial y\partial x} f{\left(x,y \right)}",
        ),
        (derivative(derivative(sin(x), x), x), r"\frac{d^{2}}{d x^{2}} \sin{\left(x \right)}"),
        (integral(add(x, y), x), r"\int \left(x + y\right)\, dx"),
        (integral(integral(f, y), x), r"\iint f{\left(x,y \right)}\, dy\, dx"),
        (divide(x, mul(number(2), y)), r"\frac{x}{2 y}"),
        (power(divide(number(1), number(2)), x), "2^{- x}"),
        (add(number(1), negative(x)), "1 - x"),
    ],
)
def test_evaluation_and_latex(term: Expression, text: str) -> None:
    assert latex(term) == text
    assert sympy.latex(as_sympy(term)) == text


@pytest.mark.parametrize(
    "make",
    [
        lambda: log(number(0)),
        lambda: power(number(0), MINUS_ONE),
        lambda: log(MINUS_ONE),
        lambda: power(number(0), x),
        lambda: power(number(7), number(99)),
    ],
)
def test_what_has_no_value_is_refused(make: Any) -> None:
    with pytest.raises(UnusableFormulaError):
        make()


LEAVES = st.sampled_from([x, y, z, f, number(1), number(2), MINUS_ONE, terms.number(3)])


@given(st.lists(LEAVES, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_sums_and_products_do_not_depend_on_order(operands: list[Expression], random: Any) -> None:
    shuffled = random.sample(operands, len(operands))
    assert add(*operands) == add(*shuffled)
    assert mul(*operands) == mul(*shuffled)


@given(LEAVES, LEAVES, LEAVES)
def test_negation_is_an_involution(a: Expression, b: Expression, c: Expression) -> None:
    expression = add(mul(a, b), sin(c))
    assert negative(negative(expression)) == expression
    assert add(expression, negative(expression)) == number(0)
