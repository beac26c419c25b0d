"""Drills: perturbations match their names, and solutions in two steps are right."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.payloads import IntegrationTarget
from calculus_harness.rewards import verify_solution


@pytest.mark.parametrize(
    ("subset", "integrands"),
    [
        ("monomials", ["x^{3}", "x^{7}"]),
        ("renamed", ["t^{3}", "t^{7}"]),
        ("negated", ["-x^{3}", "-x^{7}"]),
        ("larger_coefficients", ["31 x^{3}", "31 x^{7}"]),
        ("larger_exponents", ["x^{15}", "x^{19}"]),
    ],
)
def test_a_perturbation_is_what_its_name_says(subset: str, integrands: list[str]) -> None:
    targets = [problem.target_as(IntegrationTarget) for problem in load(f"drills/{subset}")[:2]]
    assert [target.integrand for target in targets] == integrands


def test_both_steps_of_a_solution_are_right() -> None:
    for problem in load("drills/two_steps", limit=5):
        target = problem.target_as(IntegrationTarget)
        text = rf"\[\int ({target.integrand})\,dx={target.steps}+C\]"
        claims = verify_solution(text, target.integrand).claims
        assert [claim.judgement for claim in claims if claim.kind != "final"] == ["correct"] * 2
