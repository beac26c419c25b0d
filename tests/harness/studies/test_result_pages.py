"""Pages of results have the tables of the scripts and the result files."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def printed(script: str, capsys: pytest.CaptureFixture[str], *run: str) -> str:
    argv = sys.argv
    sys.argv = [script, "print", *run]
    try:
        runpy.run_path(str(RESULTS / script), run_name="__main__")
    finally:
        sys.argv = argv
    return capsys.readouterr().out


def test_the_bank_s_tables_are_those_of_its_result_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = printed("bank.py", capsys)
    stored = json.loads((RESULTS / "bank.json").read_text(encoding="utf-8"))
    assert f"seed {stored['seed']}, {stored['date']}." in tables
    assert tables in (RESULTS / "bank.md").read_text(encoding="utf-8")


def test_the_search_s_embeddings_are_those_of_its_result_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = printed("search.py", capsys)
    assert tables in (RESULTS / "search.md").read_text(encoding="utf-8")


def test_the_course_s_tables_are_those_of_its_result_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = printed("course.py", capsys)
    assert "differential_equations_shifted" in tables
    assert tables in (RESULTS / "course.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("run", "row"),
    [
        ("published", "| gru-attention | 18,000 | 72.1 |"),
        ("four_operators", "| transformer-universal | 75,000 | 93.1 |"),
    ],
)
def test_hint_s_tables_are_those_of_the_logs(
    run: str, row: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = printed("hint_curve.py", capsys, run)
    assert row in tables
    assert tables in (RESULTS / "hint_curve.md").read_text(encoding="utf-8")


def test_the_encoders_tables_are_those_of_their_result_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = printed("encoders.py", capsys).strip().split("\n\n|")
    page = (RESULTS / "encoders.md").read_text(encoding="utf-8")
    assert len(tables) == 5  # the date, then accuracies and categories of both tasks
    assert all(f"|{table}".strip() in page for table in tables[1:])
    assert tables[0] in page
