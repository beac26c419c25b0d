"""Training sets: no repeats, no problems of the benchmarks, proven references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.fingerprint import overlap
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.training.training_set import training_set
from calculus_harness.prompts import load as load_prompt
from calculus_harness.rewards import verify_antiderivative
from calculus_harness.rewards.adapters.for_trl import make_reward


def test_a_set_has_no_repeats_and_nothing_of_the_benchmark() -> None:
    drawn = training_set(
        ["bee/qualifier", "drills/monomials"], count=60, screen=["bee/competition"], seed=4
    )
    # Monomials of one degree are the same up to a factor: for these, others are taken.
    assert drawn.repeats > 10
    assert len(drawn.problems) == drawn.taken == 60
    assert not overlap(drawn.problems, load("bee/competition")).matches
    rows = drawn.rows(load_prompt("direct"))
    marks = [row["fingerprint"] for row in rows if row["fingerprint"]]
    assert len(set(marks)) == len(marks)
    assert [row["difficulty"] for row in rows] == sorted(row["difficulty"] for row in rows)


def test_what_is_screened_is_gone() -> None:
    drawn = training_set(["bee/qualifier"], count=10, screen=["bee/qualifier"])
    assert (drawn.problems, drawn.taken) == ((), 0)
    assert drawn.screened > 10  # others were looked for, too


def test_a_mixed_set_is_screened_and_rewarded_row_by_row() -> None:
    recipes = ["bee/qualifier", "definite/families"]
    drawn = training_set(recipes, count=12, screen=["definite/bank"], seed=2)
    rows = drawn.rows()
    assert not overlap(drawn.problems, load("definite/bank")).matches
    assert {row["task"] for row in rows} == {"integration", "definite_integral"}
    names = {name for row in rows for name in row}
    columns: dict[str, Any] = {name: [row.get(name) for row in rows] for name in names}
    answers = [rf"\boxed{{{row.get('value') or row.get('antiderivative') or '0'}}}" for row in rows]
    columns["prompts"] = columns.pop("prompt")
    rewards = make_reward("mixed")(completions=answers, **columns)
    with_answer = ["value" in row or bool(row["antiderivative"]) for row in rows]
    assert rewards == [float(is_known) for is_known in with_answer]
    assert sum(with_answer) >= 6


def test_what_a_definite_set_leaves_out_and_refuses() -> None:
    drawn = training_set(["definite/number"], screen=["definite/number"])
    assert (drawn.problems, drawn.screened) == ((), 17)
    with pytest.raises(UserError, match="easier variants of indefinite integrals only"):
        training_set(["definite/bank"], count=3, easier=1)
    with pytest.raises(UserError, match="no problems of the task 'integration' for its prompt"):
        training_set(["definite/bank"], count=3).rows(load_prompt("direct"))
    with pytest.raises(UserError, match="has no integrals"):
        training_set(["calculus/diff"], count=3)


def test_the_command_says_what_was_left_out_and_what_is_missing(tmp_path: Path) -> None:
    def lines(*arguments: str) -> list[str]:
        out = str(tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl")
        command = ["generate", "train", *arguments, "--out", out]
        return CliRunner().invoke(cli, command).stderr.splitlines()

    (line,) = lines("--recipe", "bee/qualifier", "--count", "3")
    assert line.startswith("wrote 3 problems to ")
    assert line.endswith("; left out: 0 repeats")
    line, warning = lines("--recipe", "bee/qualifier", "--count", "3", "--screen", "bee/qualifier")
    assert line.endswith(" that are in bee/qualifier")
    assert warning.startswith("warning: the recipes gave 0 different problems, not 3")


@pytest.mark.slow
def test_the_command_writes_solved_relatives(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    command = [
        *(
            "generate train --recipe bee/competition --count 2 --easier 3 --solver "
            f"solver/sympy --seed 1 --out {out}"
        ).split()
    ]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) > 2
    for row in rows:
        answer = rf"\boxed{{{row['antiderivative']}}}"
        assert verify_antiderivative(answer, row["integrand"], variable=row["variable"]).correct
        assert row["integrand"] in row["prompt"][0]["content"]
    again = CliRunner().invoke(cli, command)
    assert "is there already" in again.output


def test_a_written_set_can_be_trained_on(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    result = CliRunner().invoke(
        cli, ["generate", "train", "--recipe", "bee/qualifier", "--count", "3", "--out", str(out)]
    )
    assert result.exit_code == 0, result.output
    columns = "integrand=integrand&variable=variable&antiderivative=antiderivative&id=id"
    problems = load(f"file:{out}?{columns}")
    assert len(problems) == 3
    assert all(problem.target.reference is not None for problem in problems)
