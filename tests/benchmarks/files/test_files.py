"""Problems in a user's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.files.table import ProblemFileError, read_problems
from calculus_harness.benchmarks.payloads import IntegrationInputs, IntegrationTarget


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_short_rows_and_whole_problems(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.jsonl",
        {"integrand": r"\sec^2 x", "antiderivative": r"\tan x"},
        "",
        {
            "integrand": "a t^2",
            "variable": "t",
            "id": "quad",
            "subset": "easy",
            "assumptions": {"a": "real"},
        },
    )
    first, second = read_problems(path)
    assert (first.id, first.name) == ("0001", "mine/problems")
    assert first.target == IntegrationTarget(r"\sec^2 x", "x", r"\tan x")
    assert first.inputs == IntegrationInputs(r"\sec^2 x", "x")
    assert (second.id, second.name) == ("quad", "mine/easy")
    assert second.assumptions == {"a": "real"}
    rewritten = write(tmp_path / "whole.jsonl", first.to_dict(), second.to_dict())
    assert read_problems(rewritten) == [first, second]
    assert load(str(path)) == [first, second]
    assert len(load(str(path), limit=1)) == 1
    numbered = write(tmp_path / "numbered.jsonl", {**first.to_dict(), "id": 0, "subset": 3})
    assert [(problem.id, problem.subset) for problem in read_problems(numbered)] == [("0", "3")]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{broken", "Expecting property name"),
        ("[1]", "not a JSON object"),
        ({"problem": "x"}, "no 'integrand'"),
        ({"integrand": "x", "antiderivatve": "x"}, "did you mean 'antiderivative'"),
        ({"integrand": r"\frac{"}, "unreadable integrand"),
        ({"integrand": "t^2", "variable": "x", "assumptions": {"t": "odd one"}}, "assumption"),
        ({"integrand": "x", "id": "0001"}, "twice"),
        ({"integrand": "x", "id": "\ud83d"}, "half of a surrogate pair"),
        ({"integrand": "x", "metadata": {"by": "\ud83d"}}, "half of a surrogate pair"),
        ({"task": "integration", "id": "a"}, "benchmark is missing"),
        ({"task": "integration", "answer": "a"}, "no field 'answer'"),
    ],
)
def test_a_broken_row_is_named_by_its_line(
    tmp_path: Path, row: dict[str, Any] | str, message: str
) -> None:
    path = write(tmp_path / "mine.jsonl", {"integrand": "x"}, row)
    with pytest.raises(ProblemFileError, match=r"mine\.jsonl, line 2: .*" + message):
        read_problems(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ProblemFileError, match="cannot read"):
        load(str(tmp_path / "none.jsonl"))
    with pytest.raises(ProblemFileError, match="holds no problems"):
        load(str(write(tmp_path / "empty.jsonl", "")))
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9")
    with pytest.raises(ProblemFileError, match="not UTF-8"):
        load(str(tmp_path / "latin.jsonl"))


def test_other_columns_become_metadata(tmp_path: Path) -> None:
    own = {"difficulty": 3, "tags": ["easy"], "prompt": [{"role": "user", "content": "?"}]}
    path = write(
        tmp_path / "mine.jsonl",
        {"integrand": "2x", **own},
        {"integrand": "3x", "source": "a book", "metadata": {"page": 7}},
    )
    first, second = read_problems(path)
    assert first.metadata == own
    assert second.metadata == {"source": "a book", "page": 7}
    plain = read_problems(write(tmp_path / "mine.json", '[{"integrand": "2x"}]'))[0]
    assert plain.content_hash == first.content_hash


def test_a_file_of_broken_rows_is_one_short_message(tmp_path: Path) -> None:
    rows = [{"problem": "2x " * 400, "number": number} for number in range(50)]
    with pytest.raises(ProblemFileError) as error:
        load(str(write(tmp_path / "mine.jsonl", *rows)))
    text = str(error.value).removeprefix(str(tmp_path))
    assert len(text) < 320
    assert "line 1: no 'integrand'; the columns are problem, number" in text
    assert "--columns integrand=problem" in text
    assert "; 49 more rows cannot be used: line 2, line 3, line 4, line 5, line 6, ..." in text
    assert text.endswith("(--skip-broken leaves them out)")
