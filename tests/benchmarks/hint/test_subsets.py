from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.files.table import BrokenRowsWarning, ProblemFileError
from calculus_harness.benchmarks.hint.problems import contradiction
from calculus_harness.benchmarks.hint.records import from_row
from calculus_harness.benchmarks.hint.semantics import CONCEPTS, parse
from calculus_harness.benchmarks.hint.splits import SPLITS, expressions, part
from calculus_harness.benchmarks.hint.subsets import problem, released_problem
from calculus_harness.benchmarks.payloads import ArithmeticInputs, ArithmeticTarget
from calculus_harness.benchmarks.problem import Problem
from tests.benchmarks.hint.test_release import ROW


def test_a_problem() -> None:
    (row,) = (r for r in [from_row(ROW)])
    drawn = released_problem(row, "expr_test")
    assert (drawn.id, drawn.name, drawn.task) == ("test_00000000", "expr_test/SS", "arithmetic")
    assert drawn.inputs == ArithmeticInputs("6*(5-2)")
    assert drawn.target == ArithmeticTarget(18, 18)
    assert drawn.metadata == {
        "operators": 2,
        "length": 7,
        "depth": 3,
        "dependency": 3,
        "largest": 18,
        "result": 18,
        "tags": ["minus", "times"],
        "difficulty": 2,
        "img_paths": ROW["img_paths"],
    }
    train = from_row(
        {name: value for name, value in ROW.items() if name != "eval"} | {"id": "train_1"}
    )
    assert released_problem(train).name == "hint/train"


def test_a_released_file_is_a_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "expr_test.json"
    wrong = [ROW | {"id": "b", "res": 19}, ROW | {"id": "c", "expr": "6%(5-2)"}, ROW, "row"]
    path.write_text(json.dumps([ROW, *wrong]))
    with pytest.raises(ProblemFileError, match=r"row 2: res is 19, not 18; 3 more rows .* row 3"):
        load(str(path))
    with pytest.warns(BrokenRowsWarning, match=r"row 2: res is 19, not 18; 3 more"):
        (drawn,) = load(f"{path}?skip-broken=yes")
    assert drawn == released_problem(from_row(ROW), "expr_test")


def test_the_released_few_shot_data_sets_are_a_benchmark(tmp_path: Path) -> None:
    row = {
        "id": "val_00000000",
        "img_paths": ["x/1.jpg"],
        "expr": "x",
        "head": [-1],
        "res": 11,
        "res_all": [11],
        "eval": "I",
    }
    test = row | {"id": "test_00000000"}
    test_of_y = test | {"img_paths": ["y/1.jpg"], "expr": "y", "res": 12, "res_all": [12]}
    path = tmp_path / "fewshot_dataset.json"
    path.write_text(json.dumps({"x": {"val": [row], "test": [test]}, "y": {"test": [test_of_y]}}))
    assert [(loaded.name, loaded.id) for loaded in load(str(path))] == [
        ("fewshot_dataset/x_val_I", "x_val_00000000"),
        ("fewshot_dataset/x_I", "x_test_00000000"),
        ("fewshot_dataset/y_I", "y_test_00000000"),
    ]
    path.write_text(json.dumps({"x": {"test": [test | {"res": 12}]}, "y": 1}))
    with pytest.raises(ProblemFileError, match="must hold a list"):
        load(str(path))
    path.write_text(json.dumps({"x": {"test": [test | {"res": 12}]}}))
    with pytest.raises(ProblemFileError, match="x, test, row 1: res is 12, not 11"):
        load(str(path))


def test_problems_are_the_expressions_of_their_split_in_order() -> None:
    texts = expressions(part(0, 11).test["LS"])
    problems = [problem("LS", 0, index) for index in range(1000)]
    assert [drawn.inputs.expression for drawn in problems] == texts
    assert len({drawn.id for drawn in problems}) == 1000
    next_problem = problem("LS", 0, 1000)
    assert next_problem.inputs.expression == expressions(part(0, 12).test["LS"][:1])[0]
    assert problem("LS", 1, 0).inputs != problems[0].inputs


def test_distinct_problems_of_the_training_set() -> None:
    few = [str(problem("I_distinct", 0, index).inputs.expression) for index in range(400)]
    again = [str(problem("I", 0, index).inputs.expression) for index in range(980)]
    assert len(set(few)) == 400
    assert set(few) == set(again)


@pytest.mark.parametrize(
    ("inputs", "target", "message"),
    [
        ("7/2", {"value": 4, "ordinary": 3}, None),
        ("7/2", {"value": 4}, None),
        ("7/2", {"value": 3}, "value is 3, not 4"),
        ("7/2", {"value": 4, "ordinary": 4}, "ordinary is 4, not 3"),
        ("7/", {"value": 4}, "expression: position 2"),
        ("7x", {"value": 4}, "position 1: 'x'"),
        ("7cx", {"value": 9}, None),
        ("1/0", {"value": 1}, "value is 1, not None"),
    ],
)
def test_a_problem_that_contradicts_the_semantics(
    inputs: str, target: dict[str, int], message: str | None
) -> None:
    contradictory = Problem("p", "arithmetic", "mine", "s", {"expression": inputs}, target)
    reason = contradiction(contradictory)
    assert reason is None if message is None else message in str(reason)


def test_generated_problems_do_not() -> None:
    for split in SPLITS:
        assert contradiction(problem(split, 0, 0)) is None


@pytest.mark.slow
def test_problems_with_a_concept() -> None:
    for concept in CONCEPTS:
        for split in ("train", *SPLITS):
            drawn = problem(split, 0, 0, concept)
            assert drawn.name == f"hint/{concept}_{split}"
            assert drawn.inputs.concept == concept
            assert concept in drawn.inputs.expression
            assert drawn.target == ArithmeticTarget(parse(drawn.inputs.expression).value)
