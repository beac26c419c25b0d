"""Steps of solutions as problems: the verifier gives the labels."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import solution_steps
from calculus_harness.benchmarks.solution_steps import LABELS, TECHNIQUES, problems_of
from calculus_harness.rewards import verify_solution

MAKERS = {name: getattr(solution_steps, name) for name in TECHNIQUES}


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_label_is_what_the_verifier_says_of_the_equation(technique: str) -> None:
    operators = set()
    for index in range(24):
        problem = MAKERS[technique](7, index)
        (_, integral), *lines = problem.inputs.steps
        equations = [*(latex for _, latex in lines), problem.inputs.equation]
        text = " so ".join(f"${latex}$" for latex in equations)
        solution = verify_solution(text, integral)
        steps = [claim for claim in solution.claims if claim.kind != "final"]
        assert LABELS[steps[-1].judgement] == problem.target.label == 1 - index % 2
        assert all(LABELS.get(claim.judgement) == 1 for claim in steps[:-1])
        operators.add(problem.inputs.operator)
    assert len(operators) > 1


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_two_problems_differ_in_the_last_equation_only(technique: str) -> None:
    right, wrong = (MAKERS[technique](3, index) for index in (8, 9))
    assert right.inputs.steps == wrong.inputs.steps
    assert right.inputs.equation != wrong.inputs.equation
    assert right.metadata["group"] == wrong.metadata["group"]


def test_what_comes_after_a_wrong_step_is_no_problem() -> None:
    text = r"$\int 2x\,dx = x^3 + C$, and $x^3 = x \cdot x^2$, so $\boxed{x^3 + C}$"
    problems = list(problems_of("s", r"\int 2x \, dx", verify_solution(text, "2x")))
    assert [step.target.label for step in problems] == [0]
