"""The bank of limits: every answer is proved, perturbations keep their promises."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.rewards import verify_limit
from calculus_harness.rewards.reading.expression.traversal import symbols_of
from calculus_harness.rewards.reading.latex import read

BANK = {problem.id: problem for problem in load("course/limits")}
PERTURBED = ("course/limits_shifted", "course/limits_scaled", "course/limits_inverted")


def _target(problem: Problem) -> QuestionTarget:
    return problem.target_as(QuestionTarget)


def _is_proved(problem: Problem) -> bool:
    target = _target(problem)
    verdict = verify_limit(rf"\boxed{{{target.answer}}}", target.question)
    return verdict.correct and verdict.evidence.proof == "expansion"


def test_the_bank_is_of_all_kinds_and_levels() -> None:
    assert len(BANK) >= 60
    tags = {tag for problem in BANK.values() for tag in problem.metadata["tags"]}
    topics = {"one-sided", "infinity", "parameter", "no limit", "infinite", "sequence", "squeeze"}
    assert topics <= tags
    assert {problem.metadata["difficulty"] for problem in BANK.values()} == {1, 2, 3}
    assert len({_target(problem).question for problem in BANK.values()}) == len(BANK)


def test_every_answer_of_the_bank_is_proved() -> None:
    assert [name for name, problem in BANK.items() if not _is_proved(problem)] == []


@pytest.mark.parametrize("subset", PERTURBED)
def test_perturbed_limits_are_proved_and_have_their_parent(subset: str) -> None:
    problems = list(load(subset))
    assert len(problems) >= 40
    assert [problem.id for problem in problems if not _is_proved(problem)] == []
    for problem in problems:
        parent = BANK[str(problem.pair_parent)]
        assert _target(problem).question != _target(parent).question
        if subset != "course/limits_scaled":
            assert _target(problem).answer == _target(parent).answer


def test_a_scaled_limit_has_another_answer_unless_it_is_none_zero_or_infinite() -> None:
    for problem in load("course/limits_scaled"):
        answer = str(_target(BANK[str(problem.pair_parent)]).answer)
        if answer == "0" or "infty" in answer or "text" in answer:
            continue
        scaled = str(_target(problem).answer)
        assert verify_limit(rf"\boxed{{{answer}}}", _target(problem).question).correct is False
        assert symbols_of(read(scaled)[0].expression) == symbols_of(read(answer)[0].expression)


def test_the_generator_is_addressed_and_its_answers_are_proved() -> None:
    problems = list(load("course/limits_generated", limit=60))
    assert problems == list(load("course/limits_generated", limit=60))
    assert [problem.id for problem in problems if not _is_proved(problem)] == []
    assert len({_target(problem).question for problem in problems}) > 55
