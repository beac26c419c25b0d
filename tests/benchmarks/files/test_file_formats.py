"""A user's tables in other formats: columns, notations, broken rows, saved data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.files.table import (
    BrokenRowsWarning,
    ProblemFileError,
    parse,
    read_problems,
    with_columns,
)
from calculus_harness.benchmarks.payloads import IntegrationInputs

ROWS = [
    {"problem": r"\int 2x\cos(x^2)\,dx", "answer": r"\sin(x^2)+C", "year": 2012},
    {"problem": "e^t", "answer": "e^t", "year": 2013},
]
COLUMNS = "integrand=problem&antiderivative=answer"


def csv_file(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_columns_are_mapped_and_integrals_stripped(tmp_path: Path) -> None:
    path = tmp_path / "mit.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    first, second = load(f"file:{path}?{COLUMNS}")
    assert first.inputs == IntegrationInputs(r"2 x \cos\left(x^{2}\right)", "x")
    assert first.target.antiderivative == r"\sin(x^2)+C"
    assert second.inputs == IntegrationInputs("e^t", "t")
    assert (first.benchmark, first.id) == ("mit", "0001")


def test_csv_in_sympys_notation(tmp_path: Path) -> None:
    path = csv_file(
        tmp_path / "set.csv",
        "id,f,F,assumptions",
        'one,"x**2*log(x, 2)",,',
        'two,"a*exp(a*x)",exp(a*x),"{""a"": ""real""}"',
    )
    first, second = load(f"{path}?integrand=f&antiderivative=F&syntax=sympy")
    assert first.inputs.integrand == r"x^{2} \log_{2}\left(x\right)"
    assert first.target.reference is None
    assert second.target.antiderivative == "e^{a x}"
    assert second.assumptions == {"a": "real"}
    assert second.id == "two"


def test_tab_separated(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "set.tsv", "integrand\tvariable", "\\sin t\tt")
    assert load(str(path))[0].inputs == IntegrationInputs(r"\sin t", "t")


def test_broken_rows_are_listed_or_left_out(tmp_path: Path) -> None:
    path = csv_file(
        tmp_path / "set.csv",
        "integrand,antiderivative",
        "x,x^2/2",
        r"\frac{,x",
        "x,x,x",
        "y,",
        r"x,\int",
        "a+b,",
    )
    with pytest.raises(ProblemFileError) as caught:
        load(str(path))
    message = str(caught.value)
    for phrase in (
        "line 3: unreadable integrand",
        "3 more rows cannot be used: line 4, line 6, line 7",
        "--skip-broken",
    ):
        assert phrase in message
    with pytest.warns(BrokenRowsWarning, match="left out 4 broken: line 3"):
        readable = load(f"{path}?skip-broken=yes")
    assert [problem.inputs.integrand for problem in readable] == ["x", "y"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("integrand=question", "no column 'question'; there are problem, answer, year"),
        ("integral=problem", "is none of integrand="),
        ("syntax=maple&integrand=problem", "unknown syntax 'maple'"),
        ("skip-broken=perhaps", "yes or no"),
        ("", "no 'integrand'"),
    ],
)
def test_a_layout_that_does_not_fit(tmp_path: Path, query: str, message: str) -> None:
    path = tmp_path / "mit.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    with pytest.raises(ProblemFileError, match=message):
        load(f"{path}?{query}")


@pytest.mark.parametrize("text", ["{}", "[", '{"a": 1}'])
def test_json_that_is_no_list(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mit.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProblemFileError):
        load(str(path))


def test_hostile_sympy_text_is_not_run(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "set.csv", "integrand", "__import__('os').getcwd()")
    with pytest.raises(ProblemFileError, match="SymPy's notation"):
        load(f"{path}?syntax=sympy")


def test_names_of_sources() -> None:
    source = parse("hub:someone/integrals?split=test&integrand=question&syntax=sympy")
    assert (source.place, source.hub, source.split) == ("someone/integrals", True, "test")
    assert source.row_format.columns == {"integrand": "question"}
    assert with_columns("mine.csv", ["integrand=q"], skip_broken="yes") == (
        "mine.csv?integrand=q&skip-broken=yes"
    )
    assert with_columns("bee", ["integrand=q"]) == "bee"


@pytest.fixture
def datasets() -> Any:
    return pytest.importorskip("datasets", reason="needs the extra 'data'")


@pytest.mark.data
def test_a_saved_data_set(tmp_path: Path, datasets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = datasets.DatasetDict(
        {"train": datasets.Dataset.from_list(ROWS[:1]), "test": datasets.Dataset.from_list(ROWS)}
    )
    saved.save_to_disk(tmp_path / "saved")
    with pytest.raises(ProblemFileError, match="add split= one of train, test"):
        load(f"file:{tmp_path / 'saved'}?{COLUMNS}")
    assert len(load(f"file:{tmp_path / 'saved'}?{COLUMNS}&split=test")) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProblemFileError, match="holds no saved data set"):
        load(f"file:{tmp_path / 'empty'}")


@pytest.mark.data
def test_parquet_and_the_hub(
    tmp_path: Path, datasets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "repo").mkdir()
    path = tmp_path / "repo" / "data.parquet"
    datasets.Dataset.from_list(ROWS).to_parquet(path)
    assert len(load(f"{path}?{COLUMNS}")) == 2
    # A folder stands in for the hub: `load_dataset` treats both alike.
    assert len(load(f"hub:{tmp_path / 'repo'}?{COLUMNS}")) == 2
    with pytest.raises(ProblemFileError, match="cannot read"):
        load(str(tmp_path / "none.parquet"))
    path.write_bytes(b"not parquet")
    with pytest.raises(ProblemFileError, match="cannot read"):
        read_problems(path)
