from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from calculus_harness.benchmarks.hint.pools import drawn_pools, read_pools
from calculus_harness.benchmarks.hint.records import HintRecord, RecordError, from_row
from calculus_harness.benchmarks.hint.release import records, write_release
from calculus_harness.benchmarks.hint.semantics import infix, parse
from tests.benchmarks.hint.test_semantics import flat, trees

pytestmark = pytest.mark.slow

#: A row as the release has it, from the values that its notebooks print.
ROW: dict[str, Any] = {
    "id": "test_00000000",
    "img_paths": ["6/a.jpg", "times/b.jpg", "(/c.jpg", "5/d.jpg", "-/e.jpg", "2/f.jpg", ")/g.jpg"],
    "expr": "6*(5-2)",
    "head": [1, -1, 4, 4, 1, 4, 4],
    "res": 18,
    "res_all": [6, 18, -1, 5, 3, 2, -1],
    "eval": "SS",
}


def test_a_released_row_loads_as_it_stands() -> None:
    record = from_row({**ROW, "expr_image": "test_00000000.jpg"})
    assert (record.id, record.split, record.expression) == ("test_00000000", "SS", parse("6*(5-2)"))
    assert json.loads(json.dumps(record.to_row())) == ROW
    assert from_row({**ROW, "expr": list(ROW["expr"])}) == record
    del (train := dict(ROW))["eval"]
    assert "eval" not in from_row(train).to_row()


def test_released_pictures_of_concepts() -> None:
    row = from_row(
        {
            "id": "a",
            "img_paths": ["x/1.jpg", "alpha/2.jpg", "3/4.jpg"],
            "expr": "xa3",
            "head": [1, -1, 1],
            "res": 11,
            "res_all": [11, 11, 3],
            "eval": "I",
        }
    )
    assert row.expression.value == 11


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"expr": "6*(5-2"}, "expr: position 2: '(' is never closed"),
        ({"expr": "6×(5-2)"}, "unknown symbol '×'"),
        ({"expr": "16*5-22"}, "position 1: '6' where an operator"),
        ({"expr": 7}, "expr is neither"),
        ({"expr": ""}, "expr is neither"),
        ({"expr": [6, "*", 5]}, "unknown symbol"),
        ({"expr": [["6"]]}, "expr: "),
        ({"res": 19}, "res is 19, not 18"),
        ({"res": "18"}, "res is 18, not 18"),
        ({"res": 18.0}, "res is 18.0"),
        ({"res": None}, "res is None"),
        ({"head": [1, -1, 4, 4, 1, 4, 1]}, "head is"),
        ({"head": "none"}, "head is"),
        ({"res_all": [6, 18, None, 5, 3, 2, -1]}, "res_all is"),
        ({"res_all": 3}, "res_all is 3"),
        ({"img_paths": ROW["img_paths"][1:]}, "6 pictures for 7 tokens"),
        ({"img_paths": ["7/a.jpg", *ROW["img_paths"][1:]]}, "picture 0, '7/a.jpg', is not of '6'"),
        ({"img_paths": None}, "img_paths is no list"),
        ({"img_paths": [1]}, "img_paths is no list"),
        ({"eval": "LL"}, "eval is LL, but there are 2 operators and values up to 18"),
        ({"eval": "XX"}, "eval is 'XX', none of I, SS"),
        ({"eval": ["SS"]}, "none of I, SS"),
    ],
)
def test_rows_that_contradict_the_semantics(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_row({**ROW, **changed})
    assert message in str(caught.value)


def test_all_that_is_wrong_is_listed() -> None:
    with pytest.raises(RecordError, match=r"res is 1, .*; head is \[\], .*; eval is SL"):
        from_row({**ROW, "res": 1, "head": [], "eval": "SL"})
    with pytest.raises(RecordError, match="no img_paths, expr, head, res, res_all"):
        from_row({"id": "a"})
    with pytest.raises(RecordError, match="undefined"):
        from_row(
            {
                "id": "a",
                "img_paths": ["1/a", "div/b", "0/c"],
                "expr": "1/0",
                "head": [1, -1, 1],
                "res": None,
                "res_all": [1, None, 0],
            }
        )


@given(trees)
def test_rows_survive_json(tree: object) -> None:
    expression = parse(infix(flat(tree)))
    paths = drawn_pools().taker("val")(expression.text)
    record = HintRecord("val_00000001", expression, paths)
    row = json.loads(json.dumps(record.to_row()))
    if expression.value is None:
        with pytest.raises(RecordError, match="undefined"):
            from_row(row)
    else:
        assert from_row(row) == record


def read(path: Path) -> list[HintRecord]:
    """The records of a list, checked."""
    return list(map(from_row, json.loads(path.read_bytes())))


def test_records_of_a_few_shot_data_set() -> None:
    concept = "d"
    sets = {name: list(records(name, 3, concept)) for name in ("train", "val", "test")}
    assert [row.id for row in sets["val"]] == [f"val_{i:08}" for i in range(len(sets["val"]))]
    assert {row.split for row in sets["train"]} == {None}
    for rows in sets.values():
        assert list(map(from_row, json.loads(json.dumps([row.to_row() for row in rows])))) == rows
    assert list(records("val", 3, concept)) == sets["val"]


@pytest.mark.slow
def test_the_whole_release(tmp_path: Path) -> None:
    counts = write_release(tmp_path, seed=0, workers=2)
    assert counts == {"train": 998_000, "val": 4_698, "test": 46_620}
    test = read(tmp_path / "expr_test.json")
    assert len(test) == len({row.id for row in test}) == 46_620
    assert Counter(row.split for row in test) == {
        "I": 9_980,
        "SS": 8_000,
        "LS": 10_000,
        "SL": 8_640,
        "LL": 10_000,
    }
    # One process, without chunks, makes the same.
    assert list(records("test")) == test
    assert list(records("val")) == read(tmp_path / "expr_val.json")
    few_shot = json.loads((tmp_path / "fewshot_dataset.json").read_bytes())
    rows = [row for sets in few_shot.values() for part in sets.values() for row in part]
    assert len(list(map(from_row, rows))) == 37_664
    pools = read_pools(tmp_path)
    assert {**pools.names} == {split: dict(names) for split, names in drawn_pools(0).names.items()}
    used = {path for row in test for path in row.img_paths}
    with (tmp_path / "expr_train.json").open() as file:
        start = file.read(5_000_000)
    assert not [path for path in used if f'"{path}"' in start]
