"""Easier relatives: always of the same variable, always smaller, always well posed."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.benchmarks.easier_variants import difficulty, easier_variants
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.rewards.numeric.sampling.integrand import prepare

HARD = load("bee/competition", limit=25, seed=3)


def problem_of(integrand: str, variable: str = "x") -> Problem:
    inputs = {"integrand": integrand, "variable": variable}
    return Problem("p", "integration", "own", "s", inputs=dict(inputs), target=dict(inputs))


@pytest.mark.parametrize("problem", HARD, ids=lambda problem: problem.id)
def test_relatives_are_easier_and_well_posed(problem: Problem) -> None:
    variable = problem.target.variable
    hardest = difficulty(parse(problem.target.integrand, variable))
    variants = easier_variants(problem)
    assert variants == easier_variants(problem)
    assert len({variant.target.integrand for variant in variants}) == len(variants)
    assert len({variant.id for variant in variants}) == len(variants)
    for variant in variants[:20]:
        tree = prepare(variant.target.integrand, variable, None)
        assert tree.variable == variable
        assert variant.pair_parent == problem.id
        assert variant.target.reference is None
        assert isinstance(variant.metadata["difficulty"], int)
        assert variant.metadata["difficulty"] <= hardest


def test_what_the_steps_are() -> None:
    def easier(integrand: str, variable: str = "x") -> set[str]:
        return {
            variant.target.integrand
            for variant in easier_variants(problem_of(integrand, variable), 1)
        }

    assert easier(r"x e^{3x}") >= {"x", r"e^{3 x}"}
    assert easier(r"\sin(t^2)", "t") >= {r"\sin\left(t\right)"}
    assert easier(r"7 x^5") >= {"x^{5}", "7 x^{2}"}
    assert easier(r"\frac{\ln x}{x}") == {r"\ln\left(x\right)", r"\frac{1}{x}"}
    assert easier("x") == set()
    assert easier_variants(problem_of(r"\frac{")) == []
