"""No proof is refuted at points: random antiderivatives, corpora and every rewriting rule."""

from __future__ import annotations

import random

import pytest
from flint import acb
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.harness.studies.redteam import case_at
from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.sampling.integrand import prepare
from calculus_harness.rewards.proof.prover import prove
from calculus_harness.rewards.proof.prover.tower import Tower, attempted
from calculus_harness.rewards.reading.expression.traversal import needs_worker
from calculus_harness.rewards.reading.expression.tree import Expression, Symbol
from calculus_harness.rewards.reading.latex import read
from tests.examples import examples
from tests.rewards.proof.random_expressions import (
    X,
    call,
    compare,
    constants,
    corpus,
    diff,
    mutate,
    proof_of,
    refuted,
    trees,
)


@examples(150)
@given(trees, st.integers(0, 2**32))
def test_what_is_proved_is_not_refuted(tree: Expression, seed: int) -> None:
    source = random.Random(seed)
    for answer, integrand in [
        (tree, diff(tree)),
        (mutate(tree, source), diff(tree)),
        (tree, mutate(diff(tree), source)),
    ]:
        if prove(answer, integrand, "x", {"a": "positive"}):
            assert not refuted(answer, integrand, seed)


@pytest.mark.slow
def test_no_proof_is_refuted_at_a_hundred_thousand_points() -> None:
    source, compared = random.Random(16), 0
    for row in corpus("antiderivatives", "special_integrals"):
        if row["label"] != "right":
            continue
        problem = prepare(row["integrand"], None, None)
        f, assumptions = problem.expression, dict.fromkeys(problem.parameters, "positive")
        for reading in read(row["answer"], symbols=problem.symbols)[:1]:
            answer = reading.expression
            slow = needs_worker(f) or needs_worker(answer)
            if prove(answer, f, problem.variable, assumptions) and problem.variable == "x":
                compared += compare(answer, f, 30 if slow else 160, source)
    assert compared >= 100_000


@pytest.mark.slow
def test_no_wrong_answer_is_proved() -> None:
    judged = 0
    for row in corpus("antiderivatives", "special_integrals"):
        if row["label"] != "right":
            assert proof_of(row["answer"], row["integrand"]) is None, row["id"]
            judged += 1
    for index in range(300):
        for name in ("mutation", "mutation_at_scale", "near_miss_term", "neglected_term"):
            formulas = case_at(name, seed=16, index=index).formulas
            assert formulas is not None
            assert prove(formulas.answer, formulas.integrand, "x", {"a": "positive"}) is None
            judged += 1
    assert judged >= 2500


smooth = st.recursive(
    st.one_of(st.just(X), constants, st.just(Symbol("a"))),
    lambda inner: st.one_of(
        st.builds(call, st.sampled_from(["add", "mul"]), inner, inner),
        st.builds(call, st.sampled_from(["sin", "cos", "exp", "atan", "erf", "tanh"]), inner),
    ),
    max_leaves=4,
)


@examples(150)
@given(smooth)
def test_derivatives_are_proved(tree: Expression) -> None:
    assert prove(tree, diff(tree), "x", {"a": "positive"}) is not None


def differs(f: Expression, g: Expression, source: random.Random, *, order: int) -> bool:
    """Whether two expressions (order 1: the slope of one expression, and the other) differ."""
    values = {"a": acb(1.3125), "b": acb(-0.7)}
    with precision(256):
        f_tape, g_tape = compile_tape(f, "x"), compile_tape(g, "x")
        for _ in range(12):
            x = acb(source.uniform(-3, 3))
            a = f_tape.run(x, values)[f_tape.root][order] or acb(0)
            difference = a - g_tape.run(x, values)[g_tape.root][0]
            if difference.is_finite() and not difference.contains(0):
                return True
    return False


def elements(tree: Expression) -> tuple[Expression, Expression] | None:
    """An expression and its derivative, rewritten; None if a rule gives up."""

    def use(tower: Tower) -> tuple[Expression, Expression]:
        value = tower.value(tree)
        return tower.field.tree(value), tower.field.tree(tower.field.derivative(value))

    return attempted(use, variable="x", assumptions={"a": "positive"})[1]


@pytest.mark.parametrize(
    "text",
    r"""\sin(3\arcsin{x}) \cos(2\arctan{x}) e^{2\operatorname{arsinh}x} e^{-\operatorname{arsinh}x}
    e^{\operatorname{arcosh}x} e^{-3\operatorname{arcosh}x} e^{2\operatorname{artanh}x} e^{W(x)}
    \operatorname{arccot}x \operatorname{arcsec}x \operatorname{arsech}x \operatorname{arcsch}x
    x^{2/3}+x^{1/9} x^{3/4}\sqrt{x} \sqrt{\frac{x-1}{x+2}} \sqrt[3]{\frac{x}{x-1}} (x^2)^{x} x^{x}
    \ln\frac{x}{x^2+1} \ln|2x^2-2| x\ln|\arcsin{x}| \sin{ix} e^{i\pi/8+ix} \cosh{ix} |x|^4 a^{x/2}
    \operatorname{erf}(ix) \operatorname{erfc}x \operatorname{Ei}(x) \operatorname{Si}(x)
    \operatorname{Ci}(x) \operatorname{Shi}(x) \operatorname{Chi}(x) \operatorname{li}(x)
    \Gamma(3,x) \Gamma(-2,x) \Gamma(\tfrac12,x) \Gamma(-\tfrac32,x) \Gamma(\tfrac73,x)
    \Gamma(x+3) \Gamma(x-2) \Gamma(\tfrac72)x \psi(x+2) \psi^{(1)}(x-1) \operatorname{Li}_2(x)
    \operatorname{Li}_{-2}(x) \operatorname{Li}_{-4}(x) W(x) J_0(x) J_3(x) J_{-2}(x)
    J_{5/2}(x) Y_1(x) I_2(x) K_3(x) K_{-1/3}(x) F(x\mid\tfrac13) E(x\mid\tfrac13)
    \Pi(\tfrac12;x\mid\tfrac13) F(\arcsin{x}\mid\tfrac12) K(x) E(x)
    {}_2F_1(\tfrac13,\tfrac12;\tfrac32;x)
    {}_2F_1(\tfrac13,\tfrac12;\tfrac52;x) {}_1F_1(\tfrac13;\tfrac43;x)
    \operatorname{Ai}(x)""".split(),
)
def test_rules_keep_values_and_derivatives(text: str) -> None:
    source = random.Random(text)
    for reading in read(text, symbols=["x"]):
        values = elements(reading.expression)
        if values is not None:
            assert not differs(reading.expression, values[0], source, order=0)
            assert not differs(reading.expression, values[1], source, order=1)


@examples(200)
@given(trees, st.integers(0, 2**32))
def test_random_expressions_keep_values_and_derivatives(tree: Expression, seed: int) -> None:
    values = elements(tree)
    if values is not None:
        assert not differs(tree, values[0], random.Random(seed), order=0)
        assert not differs(tree, values[1], random.Random(seed), order=1)
