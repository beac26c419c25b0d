"""A Python model that fails: the position of the fault, reported early."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness import Run
from tests.harness.conftest import Command

BROKEN = """
def helper(messages):
    return messages[0]["text"]

def answer(messages, seed):
    return helper(messages)
"""
SOMETIMES = """
def answer(messages, seed):
    if seed % 3:
        raise ValueError("not today")
    return "x"
"""


def words(name: str, out: str = "run", limit: int = 30) -> list[str]:
    model = ["--model", f"python/{name}.py:answer", "-M", "concurrency=1"]
    return ["sweep", *model, "--benchmark", "drills", "--limit", str(limit), "--out", out]


def test_a_function_that_always_fails_stops_the_sweep_with_its_line(
    cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    done = cli(*words("broken"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "error: model python/broken.py:answer: all of the first 10 calls failed, 10 of them by "
        "KeyError: 'text' (broken.py, line 3); none of this is stored"
    )
    assert not (tmp_path / "run").exists()


def test_what_other_models_answered_stays_and_the_broken_one_is_forgotten(
    cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "right.py").write_text("def answer(messages, seed):\n    return 'x'\n")
    (tmp_path / "broken.py").write_text(BROKEN)
    done = cli(*words("right"), "--model", "python/broken.py:answer")
    assert done.returncode == 2
    run = Run(tmp_path / "run")
    assert [entry["label"] for entry in run.models.values()] == ["python/right.py:answer"]
    assert len(list(run.completions.rows())) == 30
    report = cli("report", "run").stdout
    assert "Not finished" not in report
    assert "broken" not in report


def test_a_function_that_fails_now_and_then_does_not(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "sometimes.py").write_text(SOMETIMES)
    done = cli(*words("sometimes"))
    assert done.returncode == 0
    rows = list(Run(tmp_path / "run").completions.rows())
    assert len(rows) == 30
    details = {row["detail"] for row in rows if row["finish_reason"] == "error"}
    assert details == {"ValueError: not today (sometimes.py, line 4)"}


def test_a_function_that_raises_stop_iteration_does_not_wait_for_ever(
    cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "stops.py").write_text("def answer(messages, seed):\n    return next(iter(()))\n")
    done = cli(*words("stops"))
    assert done.returncode == 2
    assert "10 of them by StopIteration" in done.stderr


def test_a_few_calls_that_all_fail_are_no_success(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    done = cli(*words("broken", limit=3))
    assert done.returncode == 1
    assert (
        "3 of 3 answers are errors, the first: KeyError: 'text' (broken.py, line 3)" in done.stderr
    )


@pytest.mark.parametrize("name", ["answer", "lambda"])
def test_a_local_function_names_its_line_too(tmp_path: Path, name: str) -> None:
    from calculus_harness import UserError, sweep

    def answer(messages: object, seed: int) -> str:
        raise ValueError("never")

    function = answer if name == "answer" else lambda messages, seed: 1 / 0
    with pytest.raises(UserError, match=r"\(test_broken_function.py, line \d+\); none of this"):
        sweep([function], ["drills"], limit=12, out=tmp_path / "run")
