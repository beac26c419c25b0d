"""`ls`: short lists, and single entries in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.prompts.templates import LIBRARY
from tests.harness.conftest import Command


def test_models_are_a_line_each_and_one_is_described_with_its_options(cli: Command) -> None:
    lines = cli("ls", "models").stdout.splitlines()
    assert len(lines) < 20
    assert not any("concurrency" in line for line in lines)
    assert "run.py ls models KIND" in lines[-2]
    description = cli("ls", "models", "openai").stdout
    assert "-M requests-per-minute=0.0" in description
    assert "``retries`` times" in description
    assert "``token-field`` names the limit" in description  # what it shares with other kinds
    assert "vllm" not in description.splitlines()[1]
    done = cli("ls", "models", "opnai")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'openai/NAME'" in done.stderr
    assert cli("ls", "models", "solver/sympy").stdout.count("time-limit=10.0") == 1


def test_a_prompt_is_printed(cli: Command) -> None:
    printed = cli("ls", "prompts", "--show", "direct").stdout
    assert printed == (LIBRARY / "direct.jinja").read_text(encoding="utf-8")
    assert "did you mean" in cli("ls", "prompts", "--show", "dirct").stderr
    assert cli("ls", "models", "--show", "direct").returncode == 2


def test_a_template_needs_no_head_but_a_problem(cli: Command, tmp_path: Path) -> None:
    words = ["sweep", "--model", "solver/sympy", "--benchmark", "drills", "--limit", "1"]
    (tmp_path / "own.jinja").write_text("Integrate {{ integrand }}, please.\n")
    done = cli(*words, "--prompt", "own.jinja", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "please." in done.stdout
    (tmp_path / "none.jinja").write_text("Integrate, please.\n")
    done = cli(*words, "--prompt", "none.jinja", "--dry-run")
    assert done.returncode == 2
    assert "does not show the problem: it has no placeholder, as {{ integrand }}" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", pytest.param("folder", marks=pytest.mark.slow)])
def test_a_set_to_train_on_is_a_benchmark(cli: Command, tmp_path: Path, form: str) -> None:
    if form == "folder":
        pytest.importorskip("datasets", reason="needs the extra 'data'")
    out = "set.jsonl" if form == "jsonl" else "set"
    result = cli("generate", "train", "--recipe", "drills", "--count", "12", "--out", out)
    assert result.returncode == 0, result.stderr
    done = cli("ls", "--validate", "--benchmark", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "12 proved\n"
    words = ["--model", "solver/sympy", "--benchmark", out, "--limit", "2", "--out", "run"]
    assert cli("sweep", *words).returncode == 0


def test_definite_integrals_to_train_on_are_a_benchmark(cli: Command) -> None:
    options = ("--recipe", "definite/families", "--count", "3", "--out", "set.jsonl")
    assert cli("generate", "train", *options).returncode == 0
    done = cli("ls", "--validate", "--benchmark", "set.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3 proved\n"


def test_an_assumption_on_a_symbol_that_is_not_there_is_refused(cli: Command) -> None:
    words = ["verify", "--integrand", "a x", "--answer", "a x^2/2"]
    assert cli(*words, "--assume", "a=negative", "--variable", "x").returncode == 0
    done = cli(*words, "--assume", "b=negative", "--variable", "x")
    assert done.returncode == 2
    assert done.stderr == "error: --assume b: the integrand has no such symbol; it has a, x\n"
