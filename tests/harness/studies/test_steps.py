"""Steps of a run's solutions: judged, stored, and shown in the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.harness.conftest import Command

#: A right solution, a lucky one, one with a wrong step, and only a wrong answer.
ANSWERS = {
    "2x": r"$\int 2x\,dx = x^2 + C$, so $\boxed{x^2 + C}$",
    "4x": r"$\int 4x\,dx = 4\int x\,dx = x^2 + C$, so $\boxed{2x^2 + C}$",
    "6x": r"$\int 6x\,dx = 6\int x\,dx = 6x^2 + C$, so $\boxed{6x^2 + C}$",
    "8x": r"$\int 8x\,dx = 4x^2 + C$, so $\boxed{4x^3 + C}$",
}


@pytest.fixture
def run(answered: Callable[[Mapping[str, str], str], Path]) -> Path:
    return answered(ANSWERS, "\nQuestion: $1 = 2$")


def test_where_solutions_of_a_run_fail(cli: Command, run: Path) -> None:
    done = cli("steps", "run")
    assert done.returncode == 0, done.stderr
    for text in ("right", "lucky", "First wrong step by kind", "integral", "final"):
        assert text in done.stdout
    rows = json.loads(cli("steps", "run", "--json").stdout)
    assert [row["outcome"] for row in rows] == ["right", "lucky", "wrong", "slip"]
    assert [row["wrong"] for row in rows] == ["", "integral", "integral", "final"]
    wrong = [
        text[start:end]
        for row, text in zip(rows, ANSWERS.values(), strict=True)
        for start, end, judgement, *_ in row["marks"][:2]
        if judgement == "incorrect"
    ]
    assert wrong == ["x^2 + C", "6x^2 + C", "4x^3 + C"]
    assert len(json.loads(cli("steps", "run", "--limit", "1", "--json").stdout)) == 1


def test_any_number_of_workers_finds_the_same(cli: Command, run: Path) -> None:
    contents = []
    for workers in ("1", "2"):
        assert cli("steps", "run", "--workers", workers).returncode == 0
        contents.append((run / "steps.jsonl").read_bytes())
    assert contents[0] == contents[1]


def test_judged_steps_are_problems(cli: Command, run: Path, tmp_path: Path) -> None:
    done = cli("steps", "run", "--problems", "steps.jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    # Not what comes after a wrong step, nor the answer.
    assert [row["target"]["label"] for row in rows] == [1, 1, 0, 1, 0, 1]
    assert rows[2]["inputs"]["equation"] == r"4\int x\,dx = x^2 + C"
    assert rows[2]["inputs"]["steps"] == [
        ["problem", r"\int 4x \, dx"],
        ["algebra", r"\int 4x\,dx = 4\int x\,dx"],
    ]
    assert cli("steps", "run", "--problems", "steps.jsonl").returncode == 2  # it is there
    words = ["--model", "python/asked.py:label", "--prompt", "solution-step", "--out", "labels"]
    (tmp_path / "asked.py").write_text("def label(messages, seed):\n    return r'\\boxed{1}'\n")
    assert cli("sweep", *words, "--benchmark", "./steps.jsonl").returncode == 0
    (all_rows, *_) = json.loads(cli("report", "labels", "--format", "json").stdout)["rows"]
    assert all_rows["labels"]["accuracy"] == pytest.approx(4 / 6)


def test_solutions_of_definite_integrals(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "asked.py").write_text(
        "def answer(messages, seed):\n"
        "    return r'$\\int_0^1 2x\\,dx = [x^2]_0^1 = 2$, so $\\boxed{1}$'\n"
    )
    inputs = {"integral": r"\int_0^1 2x \, dx"}
    row = {"id": "1", "task": "definite_integral", "benchmark": "own", "subset": "all"}
    row |= {"inputs": inputs, "target": inputs}
    (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n")
    words = ["--model", "python/asked.py:answer", "--benchmark", "./own.jsonl", "--out", "run"]
    done = cli("sweep", *words)
    assert done.returncode == 0, done.stderr
    (judged,) = json.loads(cli("steps", "run", "--json").stdout)
    assert (judged["outcome"], judged["wrong"]) == ("lucky", "definite integral")
    reason = judged["marks"][1][4]
    assert reason == "1.00000000000000 on the left, 2.00000000000000 on the right"


def test_the_report_shows_steps_where_they_were_judged(cli: Command, run: Path) -> None:
    assert cli("report", "run").returncode == 0
    assert "Steps of solutions" not in (run / "report.html").read_text("utf-8")
    assert cli("steps", "run").returncode == 0
    assert cli("report", "run").returncode == 0
    assert "Steps of solutions" in (run / "report.html").read_text("utf-8")


def test_a_damaged_file_is_said_to_be(cli: Command, run: Path) -> None:
    (run / "steps.jsonl").write_text('{"key":\n')
    done = cli("report", "run")
    assert done.returncode == 2
    assert "steps.jsonl is damaged" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("subset", ["limits", "differential_equations"])
def test_solutions_of_the_course(cli: Command, tmp_path: Path, subset: str) -> None:
    reply = r"$1 + 1 = 2$, $2 + 2 = 5$, so $\\boxed{0}$"
    (tmp_path / "asked.py").write_text(f"def answer(messages, seed):\n    return '{reply}'\n")
    words = ["--model", "python/asked.py:answer", "--benchmark", f"course/{subset}"]
    assert cli("sweep", *words, "--limit", "3", "--out", "other").returncode in (0, 1)
    done = cli("steps", "other", "--json", "--problems", "steps.jsonl")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["progress"] for row in rows] == [0, 0, 0]
    assert all([mark[2] for mark in row["marks"][:2]] == ["correct", "incorrect"] for row in rows)
    problems = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    assert [problem["target"]["label"] for problem in problems] == [1, 0] * 3
    assert cli("report", "other").returncode == 0


def test_runs_of_other_tasks_are_refused(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "asked.py").write_text("def answer(messages, seed):\n    return '4'\n")
    words = ["--model", "python/asked.py:answer", "--benchmark", "hint/I", "--limit", "1"]
    assert cli("sweep", *words, "--out", "other").returncode in (0, 1)
    done = cli("steps", "other")
    assert done.returncode == 2
    assert "has no integrals" in done.stderr
