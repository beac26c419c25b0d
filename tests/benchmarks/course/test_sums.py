"""The bank of sums with its perturbations, and the generator."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.calculus_course.bank import entries
from calculus_harness.benchmarks.calculus_course.sums import FAMILIES, drawn, latex_of
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.rewards import verify_sum
from calculus_harness.rewards.reading.problem.power_series import asks_of_series
from calculus_harness.rewards.reading.problem.sums import read_sum

PERTURBED = ("shifted", "scaled", "later", "multiple")


def test_the_bank_has_levels_and_tags() -> None:
    rows = entries("sums")
    assert len(rows) >= 60
    assert len({row.id for row in rows}) == len({row.question for row in rows}) == len(rows)
    assert {row.difficulty for row in rows} == {1, 2, 3}
    assert all(row.tags for row in rows)


@pytest.mark.parametrize("name", PERTURBED)
def test_perturbed_problems_are_right_and_have_parents(name: str) -> None:
    ids = {problem.id for problem in load("course/sums")}
    problems = load(f"course/sums_{name}")
    assert problems
    for problem in problems:
        target = problem.target_as(QuestionTarget)
        assert problem.pair_parent in ids
        assert verify_sum(rf"\boxed{{{target.answer}}}", target.question).correct, target


def test_the_generator_has_one_question_for_an_address() -> None:
    assert drawn(3, 5) == drawn(3, 5)
    assert {drawn(3, index).family for index in range(len(FAMILIES))} == {
        drawn(4, index).family for index in range(len(FAMILIES))
    }
    assert drawn(3, 5) != drawn(4, 5)


def test_answers_by_construction_are_right() -> None:
    for problem in (drawn(5, index) for index in range(3 * len(FAMILIES))):
        assert verify_sum(rf"\boxed{{{problem.answer}}}", problem.text).correct, problem


def test_a_sum_is_printed_as_it_is_read() -> None:
    for row in entries("sums"):
        if not asks_of_series(row.question):
            problem = read_sum(row.question)[0]
            again = read_sum(latex_of(problem))[0]
            assert (again.counter, again.lower, again.upper) == (
                problem.counter,
                problem.lower,
                problem.upper,
            )
