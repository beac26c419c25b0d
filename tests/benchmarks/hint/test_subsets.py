from __future__ import annotations

import pytest

from calculus_harness.benchmarks.hint.records import from_row
from calculus_harness.benchmarks.hint.semantics import CONCEPTS, parse
from calculus_harness.benchmarks.hint.splits import SPLITS, expressions, part
from calculus_harness.benchmarks.hint.subsets import contradiction, problem, released_problem
from calculus_harness.benchmarks.problem import Problem
from tests.benchmarks.hint.test_release import ROW


def test_a_problem() -> None:
    (row,) = (r for r in [from_row(ROW)])
    made = released_problem(row, "expr_test")
    assert (made.id, made.name, made.task) == ("test_00000000", "expr_test/SS", "arithmetic")
    assert made.inputs == {"expression": "6*(5-2)"}
    assert made.target == {"value": 18, "ordinary": 18}
    assert made.metadata == {
        "operators": 2, "length": 7, "depth": 3, "dependency": 3, "largest": 18, "result": 18,
        "tags": ["minus", "times"], "difficulty": 2,
    }  # fmt: skip
    train = from_row(
        {name: value for name, value in ROW.items() if name != "eval"} | {"id": "train_1"}
    )
    assert released_problem(train).name == "hint/train"


def test_problems_are_the_expressions_of_their_split_in_order() -> None:
    texts = expressions(part(0, 11).test["LS"])
    found = [problem("LS", 0, index) for index in range(1000)]
    assert [one.inputs["expression"] for one in found] == texts
    assert len({one.id for one in found}) == 1000
    first = problem("LS", 0, 1000)
    assert first.inputs["expression"] == expressions(part(0, 12).test["LS"][:1])[0]
    assert problem("LS", 1, 0).inputs != found[0].inputs


def test_distinct_problems_of_the_training_set() -> None:
    few = [str(problem("I_distinct", 0, index).inputs["expression"]) for index in range(400)]
    again = [str(problem("I", 0, index).inputs["expression"]) for index in range(980)]
    assert len(set(few)) == 400
    assert set(few) == set(again)


@pytest.mark.parametrize(
    ("inputs", "target", "said"),
    [
        ("7/2", {"value": 4, "ordinary": 3}, None), ("7/2", {"value": 4}, None),
        ("7/2", {"value": 3}, "value is 3, not 4"), ("7/2", {}, "value is None, not 4"),
        ("7/2", {"value": 4, "ordinary": 4}, "ordinary is 4, not 3"),
        ("7/", {"value": 4}, "expression: position 2"), ("7x", {"value": 4}, "position 1: 'x'"),
        ("7cx", {"value": 9}, None), ("1/0", {"value": 1}, "value is 1, not None"),
    ],
)  # fmt: skip
def test_a_problem_that_contradicts_the_semantics(
    inputs: str, target: dict[str, int], said: str | None
) -> None:
    one = Problem("p", "arithmetic", "mine", "s", {"expression": inputs}, target)
    found = contradiction(one)
    assert found is None if said is None else said in str(found)


def test_generated_problems_do_not() -> None:
    for split in SPLITS:
        assert contradiction(problem(split, 0, 0)) is None


def test_problems_with_a_concept() -> None:
    for concept in CONCEPTS:
        for split in ("train", *SPLITS):
            one = problem(split, 0, 0, concept)
            assert one.name == f"hint/{concept}_{split}"
            assert one.inputs["concept"] == concept
            assert concept in str(one.inputs["expression"])
            assert one.target == {"value": parse(str(one.inputs["expression"])).value}
