"""`generate hint-release`: outputs and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.benchmarks import load
from tests.harness.cli.test_main import refused
from tests.harness.conftest import Command


def test_completions_of_a_concept(cli: Command, tmp_path: Path) -> None:
    command = ("generate", "hint-release", "--style", "completions", "--concept", "d")
    done = cli(*command, "--out", tmp_path / "d")
    assert "wrote train 1,000, val 470, test 4,700" in done.stderr, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "d" / "train.jsonl").read_text().splitlines()]
    problems = load("hint/d_train")
    expected = [(problem.inputs.expression, str(problem.target.value)) for problem in problems]
    assert [(row["prompt"], row["completion"]) for row in rows] == [
        (" ".join(text) + " =", " ".join(value) + " END") for text, value in expected
    ]
    refused(cli(*command, "--out", tmp_path / "d"), "--force")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--concept", "x"], "--style completions"),
        (["--style", "completions", "--workers", "2"], "--style records"),
        (["--concept", "z"], "z"),
    ],
)
def test_options_that_do_not_fit(
    cli: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    refused(cli("generate", "hint-release", "--out", tmp_path / "new", *arguments), message)
    refused(cli("generate", "hint-release", "--out", tmp_path / "new.jsonl"), "takes a folder")
    assert not (tmp_path / "new").exists()
