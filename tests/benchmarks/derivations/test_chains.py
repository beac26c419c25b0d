"""Extraction: the needs of the last step, renumbered only where numbers mean equations."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks.derivations.chains import (
    derivation,
    has_compound_arguments,
    self_contained,
)
from calculus_harness.benchmarks.derivations.expressions.terms import (
    add,
    apply,
    number,
    power,
    sin,
    symbol,
)
from calculus_harness.benchmarks.derivations.options import CODE, PAPER
from calculus_harness.benchmarks.derivations.steps import (
    PREMISE,
    PREMISES,
    Annotation,
    DerivationEquation,
    Step,
)
from calculus_harness.benchmarks.hashed_random import HashedRandom

x = symbol("x")
f, g = apply("f", x), apply("g", x)


def step(operator: str, *equations: int, operand: int | None = None) -> Step:
    note = Annotation(operator, equations, None if operand is None else number(operand))
    return Step(DerivationEquation(f, x), note)


def test_unused_steps_go_and_only_references_are_renumbered() -> None:
    steps = [
        step(PREMISE),
        step("cos", 1),
        step("sin", 1),
        step("power", 3, operand=3),
        step("exp", 2),
        step("substitute_LHS_for_RHS", 4, 1),
    ]
    pruned = self_contained(steps)
    assert [(s.annotation.operator, s.annotation.equations) for s in pruned] == [
        (PREMISE, ()),
        ("sin", (1,)),
        ("power", (2,)),
        ("substitute_LHS_for_RHS", (3, 1)),
    ]
    assert pruned[2].annotation.operand == number(3)  # an exponent, not an equation


def test_both_equations_of_a_substitution_are_needed() -> None:
    steps = [step(PREMISE), step(PREMISE), step("cos", 1), step("substitute_RHS_for_LHS", 3, 2)]
    assert self_contained(steps) == steps


@pytest.mark.parametrize("length", [2, 3, 4, 6])
def test_references_go_back_and_the_first_step_is_a_premise(length: int) -> None:
    chains = [d for n in range(100) if (d := derivation(length, HashedRandom("chain", n), CODE))]
    assert len(chains) > 5
    for steps in chains:
        assert len(steps) == length
        assert steps[0].annotation.operator == PREMISE
        for at, link in enumerate(steps, 1):
            assert all(1 <= index < at for index in link.annotation.equations)
            assert (link.annotation.operator in PREMISES) == (not link.annotation.equations)
            assert not has_compound_arguments(link)


def test_the_papers_derivations_hold_what_the_last_step_needs_and_no_more() -> None:
    chains = [d for n in range(200) if (d := derivation(3, HashedRandom("paper", n), PAPER))]
    assert len(chains) > 5
    for steps in chains:
        assert self_contained(steps) == steps
        assert steps[-1].annotation.operator not in PREMISES
        assert all(len(link.equation.latex) < 250 for link in steps)


def test_the_datasets_derivations_are_the_first_steps_of_longer_ones() -> None:
    chains = [d for n in range(150) if (d := derivation(3, HashedRandom("first", n), CODE))]
    # Some of the first steps are used only later on.
    assert any(
        steps[-1].annotation.operator not in PREMISES and self_contained(steps) != steps
        for steps in chains
    )


def test_functions_of_compound_arguments() -> None:
    plain = Step(DerivationEquation(f, sin(x)), Annotation(PREMISE))
    odd = Step(DerivationEquation(apply("f", add(x, number(1))), g), Annotation("cos", (1,)))
    assert not has_compound_arguments(plain)
    assert has_compound_arguments(odd)
    assert not has_compound_arguments(
        Step(DerivationEquation(power(f, x), g), Annotation("cos", (1,)))
    )
