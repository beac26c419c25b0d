"""Worked examples: right, held out, nested, and never the asked problem."""

from __future__ import annotations

import pytest

from calculus_harness import prompts
from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.fingerprint import duplicates, overlap
from calculus_harness.benchmarks.problem import Parent
from calculus_harness.prompts import PromptError
from calculus_harness.prompts.fewshot import pool, select
from calculus_harness.rewards import verify_antiderivative

FEWSHOT = [name for name in prompts.names("integration") if prompts.load(name).shots is not None]


def problem(integrand: str = r"x\sin x", variable: str = "x", **fields: object) -> Problem:
    inputs = {"integrand": integrand, "variable": variable}
    return Problem("p", "integration", "toy", "s", inputs, inputs, **fields)  # type: ignore[arg-type]


def pool_problems() -> list[Problem]:
    return [
        Problem(
            e.id,
            "integration",
            "pool",
            "all",
            {"integrand": e.integrand, "variable": e.variable},
            {"integrand": e.integrand, "variable": e.variable},
        )
        for e in pool("integration")
    ]


@pytest.mark.parametrize("example", pool("integration"), ids=lambda example: example.id)
def test_every_example_is_right_as_it_is_shown(example: prompts.fewshot.WorkedExample) -> None:
    answer = rf"{example.solution} \boxed{{{example.antiderivative}+C}}"
    verdict = verify_antiderivative(answer, example.integrand, variable=example.variable)
    assert verdict.correct
    assert verdict.evidence.coverage == 1


def test_the_pool_is_held_out_of_the_bank() -> None:
    result = overlap([*load("bee/qualifier"), *load("bee/competition")], pool_problems())
    assert result.matches == []
    assert result.compared == len(pool("integration")) >= 12
    assert duplicates(pool_problems()).matches == []


def test_fewer_examples_are_the_first_of_more() -> None:
    eight = select(problem(), 8)
    assert select(problem(), 4) == eight[:4]
    assert select(problem(), 2) == eight[:2]
    assert len({example.id for example in eight}) == 8


def test_the_problem_asked_and_its_kin_are_passed_over() -> None:
    first, second, *_ = pool("integration")
    scaled = problem(r"-\frac{1+3t}{7}e^{2t}", "t")  # the first, scaled and renamed
    assert first not in select(scaled, 8)
    derived = problem(parents=(Parent(second.id, "f"),))
    assert second not in select(derived, 8)


@pytest.mark.parametrize("name", FEWSHOT)
@pytest.mark.parametrize("shots", [0, 2, 4, 8])
def test_shots(name: str, shots: int) -> None:
    template = prompts.load(name).with_shots(shots)
    text = str(template.render(problem()))
    assert text.count(r"+C}") == shots
    assert r"x\sin x" in text
    # What the manifest stores is the source: it must say how many.
    assert prompts.parse(name, template.source).shots == shots
    assert len({prompts.load(name).with_shots(n).hash for n in (0, 2, 4, 8)}) == 4


def test_a_completion_ends_where_the_next_problem_would_begin() -> None:
    template = prompts.load("completion")
    text = str(template.render(problem()))
    assert text.endswith("\nSolution:")
    assert all(stop in text for stop in template.stop)


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(PromptError, match="shows no examples"):
        prompts.load("direct").with_shots(2)
    with pytest.raises(PromptError, match="are asked for, but the task 'integration' has 1"):
        prompts.load("few-shot").with_shots(99).render(problem())
    with pytest.raises(PromptError, match="cannot be -1"):
        prompts.load("few-shot").with_shots(-1)
