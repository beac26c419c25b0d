"""Few-shot prompts of tasks with labels: the paper's layout, and the choice of examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from calculus_harness import prompts
from calculus_harness.benchmarks import Problem, load
from calculus_harness.benchmarks.derivations import training
from calculus_harness.prompts.labelled import OPERATOR, RANDOM, pool, select


def problem_of(spec: str = "derivations/step3", index: int = 0) -> Problem:
    return load(spec, limit=index + 1)[index]


def test_the_papers_layout() -> None:
    problem = problem_of()
    text = str(prompts.load("derivation-step").render(problem)).removeprefix("[user]\n")
    lines = text.split("\n")
    assert lines[0] == (
        "The following examples consist of a prompt (denoted by Prompt:) "
        "and a label (denoted by Label:)."
    )
    for line in range(1, 9, 2):
        assert lines[line].startswith("Prompt : [premise, ")
        assert lines[line + 1] in ("Label : 0", "Label : 1")
    assert lines[9] == "Now given the following prompt, predict the label."
    assert lines[10] == f"Prompt : {problem.inputs.sequence}"
    assert len(lines) == 11


@pytest.mark.parametrize("spec", ["derivations/step2", "derivations/step4", "calculus/diff"])
@pytest.mark.parametrize("shots", [2, 4, 6])
def test_half_are_right_and_all_share_the_operator(spec: str, shots: int) -> None:
    for problem in load(spec, limit=6):
        examples = select(problem, shots)
        assert Counter(example.label for example in examples) == {0: shots // 2, 1: shots // 2}
        assert len({example.id for example in examples}) == shots
        rows = {row["id"]: row for row in pool(problem.task)}
        assert {rows[e.id]["operator"] for e in examples} == {problem.inputs.operator}
        if problem.inputs.operator in ("differentiate", "integrate", "add", "renaming_premise"):
            assert {rows[e.id]["steps"] for e in examples} == {problem.inputs.shots_from}


def test_examples_stay_when_the_problem_is_perturbed() -> None:
    for index in range(6):
        examples = select(problem_of(index=index), 4)
        for name in ("vr", "ee", "ar"):
            assert select(problem_of(f"derivations/step3_{name}", index), 4) == examples
    assert select(problem_of("calculus/int_ec"), 4) == select(problem_of("calculus/int"), 4)


def test_random_examples_have_any_operator() -> None:
    rows = {row["id"]: row for row in pool("derivation_step")}
    drawn = [e for i in range(8) for e in select(problem_of(index=i), 4, RANDOM)]
    assert len({rows[e.id]["operator"] for e in drawn}) > 4
    assert all(rows[e.id]["natural"] for e in drawn)


def test_fewer_steps_have_examples_of_more() -> None:
    rows = {row["id"]: row for row in pool("derivation_step")}
    examples = select(problem_of("derivations/step4_minus2"), 4)
    assert {rows[e.id]["steps"] for e in examples} == {4}


def test_the_problem_itself_is_passed_over() -> None:
    row = next(r for r in pool("derivation_step") if r["steps"] == 3 and r["natural"])
    problem = problem_of()
    inputs = replace(problem.inputs, operator=row["operator"])
    twin = replace(problem, inputs=inputs, metadata={**problem.metadata, "example": row["id"]})
    everything = sum(
        r["steps"] == 3 and r["operator"] == row["operator"] for r in pool("derivation_step")
    )
    assert row["id"] not in {e.id for e in select(twin, everything, OPERATOR)}


def test_the_pool_has_enough_of_every_operator() -> None:
    rows = pool("derivation_step")
    counts = Counter(row["operator"] for row in rows)
    for operator in training.last_operators(3):
        assert counts[operator] >= training.PER_OPERATOR, operator
    in_pool = Counter((row["steps"], row["operator"]) for row in rows)
    short = [
        (s, op)
        for s in (2, 3, 4)
        for op in training.last_operators(s)
        if in_pool[s, op] < training.PER_OPERATOR
    ]
    assert len(short) <= 6, short
    assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.slow
def test_the_pool_is_what_the_generator_makes() -> None:
    drawn = next(training.step_rows(2))
    assert drawn == pool("derivation_step")[0]
    # The stored wrong results are of version 1 of the calculus examples; prompts do not change.
    stored = {row["positive"] for row in pool("calculus_step")}
    assert next(training.calculus_rows("integration"))["positive"] in stored


@pytest.mark.parametrize("task", ["derivation_step", "calculus_step"])
def test_every_prompt_shows_the_problem(task: str) -> None:
    spec = "derivations/step3_ar" if task == "derivation_step" else "calculus/int_ec"
    for name in prompts.names(task):
        text = str(prompts.load(name).render(problem_of(spec)))
        problem = problem_of(spec)
        values = [
            value
            for key, value in problem.inputs.to_dict().items()
            if key in ("sequence", "clean_sequence", "equation")
        ]
        assert any(str(value) in text for value in values), name


def test_an_unknown_pick_is_refused() -> None:
    source = prompts.load("derivation-step").source.replace("shots = 4", 'shots = 4\npick = "best"')
    with pytest.raises(prompts.PromptError, match="operator, random"):
        prompts.parse("mine", source)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("derivation-step-few-shot-cot", "derivations/step3"),
        ("calculus-step-few-shot-cot", "calculus/int"),
        ("calculus-step-few-shot-cot", "calculus/diff_ec"),
    ],
)
def test_examples_with_their_reasoning(name: str, spec: str) -> None:
    """Each answer compares the right result with the shown result, and boxes the label."""
    for index in range(8):
        problem = problem_of(spec, index)
        template = prompts.load(name)
        messages = template.render(problem).messages
        assert [message.role for message in messages] == ["user", "assistant"] * 4 + ["user"]
        rows = {row["id"]: row for row in pool(problem.task)}
        for example, question, answer in zip(
            select(problem, 4), messages[:-1:2], messages[1::2], strict=True
        ):
            right = rows[example.id]["positive"].rpartition(" [SEP] ")[2]
            step = example.sequence.rpartition(" [SEP] ")[2]
            assert example.sequence in question.content
            assert right in answer.content
            assert step in answer.content
            assert ("This is not" in answer.content) == (example.label == 0)
            assert answer.content.endswith(rf"\boxed{{{example.label}}}")
        assert problem.inputs.sequence in messages[-1].content
