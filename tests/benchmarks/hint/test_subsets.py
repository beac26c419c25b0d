from __future__ import annotations

from benchmarks.hint.records import from_row
from benchmarks.hint.semantics import CONCEPTS, parse
from benchmarks.hint.splits import SPLITS, expressions, part
from benchmarks.hint.subsets import problem, released_problem
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


def test_problems_with_a_concept() -> None:
    for concept in CONCEPTS:
        for split in ("train", *SPLITS):
            one = problem(split, 0, 0, concept)
            assert one.name == f"hint/{concept}_{split}"
            assert one.inputs["concept"] == concept
            assert concept in str(one.inputs["expression"])
            assert one.target == {"value": parse(str(one.inputs["expression"])).value}
