"""Banks of the course: every answer is proved, every perturbed problem has a parent, slips fail."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks.calculus_course.differential_equations import with_trees
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.benchmarks.registry import load, resolve
from calculus_harness.harness.studies.redteam.case import case_at
from calculus_harness.rewards.questions import COURSE
from calculus_harness.rewards.reading.problem.clauses import clauses

BANKS = ["derivatives", "differential_equations"]


@pytest.mark.parametrize("name", BANKS)
def test_every_answer_of_a_bank_is_proved(name: str) -> None:
    problems = load(f"course/{name}")
    assert len(problems) >= 60
    assert {problem.metadata["difficulty"] for problem in problems} == {1, 2, 3}
    for problem in problems:
        target = problem.target_as(QuestionTarget)
        verify = COURSE[problem.task].verify
        verdict = verify(rf"\boxed{{{target.answer}}}", target.question, accept="proof")
        assert verdict.correct, (problem.id, verdict)


@pytest.mark.parametrize("name", BANKS)
def test_perturbed_problems_have_parents_in_the_bank(name: str) -> None:
    parents = {problem.id for problem in load(f"course/{name}")}
    perturbed = [
        subset
        for subset in resolve("course/all")
        if subset.name.startswith(f"course/{name}_") and not subset.endless
    ]
    assert len(perturbed) >= 3
    for subset in perturbed:
        for problem in subset.problems(6, 0):
            target = problem.target_as(QuestionTarget)
            assert problem.pair_parent in parents
            verify = COURSE[problem.task].verify
            assert verify(rf"\boxed{{{target.answer}}}", target.question).correct, problem.id


@pytest.mark.parametrize("name", ["derivative", "differential_equation"])
def test_near_misses_are_not_accepted(name: str) -> None:
    for index in range(60):
        case = case_at(name, seed=11, index=index)
        verdict = COURSE[name].verify(case.completion, case.integrand)
        assert verdict.correct == case.wanted, (case.note, case.integrand, case.completion)


def test_a_word_that_is_not_in_the_list_stays_in_the_formula() -> None:
    assert [clause.formula for clause in clauses("y' if y = x.")] == ["y'", "y = x"]
    assert "banana" in clauses("banana y")[0].formula


def test_initial_values_are_perturbed_with_their_equation() -> None:
    conditions = [solved.conditions for _, solved in with_trees()]
    assert any(conditions)
    assert not all(conditions)
