"""A problem or sample of a run in full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report.view import find, view, views
from calculus_harness.harness.store.run import Run
from tests.harness.conftest import Command


@pytest.fixture
def run(model: str, bench: str, tmp_path: Path) -> Run:
    return harness.sweep([model], [bench], samples=2, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "key", "sample"),
    [
        ("bench/easy/easy3", "bench/easy/easy3", None),
        ("bench/easy/easy3#1", "bench/easy/easy3", 1),
        ("easy3", "bench/easy/easy3", None),
        ("hard12#0", "bench/hard/hard12", 0),
        ("easy1", "bench/easy/easy1", None),  # an id, though easy10 begins with it
        ("bench/hard/hard12", "bench/hard/hard12", None),
    ],
)
def test_a_problem_is_found_by_key_id_or_beginning(
    run: Run, name: str, key: str, sample: int | None
) -> None:
    assert find(run, name) == (key, sample)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("easy", "means 12 problems: bench/easy/easy1, "),
        ("esay3", "did you mean 'easy3'"),
        ("bench/easy/esay3", "did you mean 'bench/easy/easy3'"),
        ("easy3#first", "a sample is a number"),
        ("", "no problem"),
    ],
)
def test_a_mistake_is_met_with_a_hint(run: Run, name: str, words: str) -> None:
    with pytest.raises(UserError, match=r".") as error:
        find(run, name)
    assert words in str(error.value)


def test_a_sample_that_is_not_there(run: Run) -> None:
    with pytest.raises(UserError, match="it has the samples 0 to 1"):
        view(run, "easy3#7")
    with pytest.raises(UserError, match="no model 'gpt'"):
        view(run, "easy3", model="gpt")


def test_everything_is_shown_whole(run: Run, cli: Command) -> None:
    stored = {row["key"]: row for row in run.completions.rows()}
    viewed = json.loads(cli("view", run.path, "easy3", "--json").stdout)
    assert viewed["key"] == "bench/easy/easy3"
    assert len(viewed["samples"]) == 2
    for number, sample in enumerate(viewed["samples"]):
        row = sample["completion"]
        assert row["sample"] == number
        assert row == stored[row["key"]]
        assert sample["verdict"]["key"] == row["key"]
        assert "3 x e^x" in sample["prompt"]
    result = cli("view", run.path, "easy3#1")
    assert result.returncode == 0
    text = viewed["samples"][1]["completion"]["text"]
    assert (text.strip() or "(nothing)") in result.stdout
    assert "3 x e^x" in result.stdout
    assert viewed["samples"][1]["verdict"]["status"].replace("_", " ") in result.stdout


def test_a_completion_cannot_paint_on_the_terminal(
    bench: str, tmp_path: Path, cli: Command
) -> None:
    model = tmp_path / "model.py"
    model.write_text(
        "def answer(messages, seed):\n"
        "    return '\\x1b[2J\\x1b]0;t\\x07[bold red]x[/]' + 'y' * 9000\n"
    )
    run = harness.sweep([f"python/{model}:answer"], [bench], limit=1, out=tmp_path / "run")
    (key,) = run.problems
    text = cli("view", run.path, key).stdout
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold red]x[/]" + "y" * 9000 in text  # nothing is cut, nothing is taken for markup


def test_stages_are_shown_in_turn(bench: str, tmp_path: Path) -> None:
    prompt = tmp_path / "two.jinja"
    prompt.write_text(
        '+++\ntask = "integration"\ndescription = "Two stages."\nstages = ["reasoning", "answer"]\n'
        "+++\n{% call user() %}{% if stage == 'reasoning' %}Think about {{ integrand }}."
        "{% else %}You said: {{ reasoning }}. So?{% endif %}{% endcall %}\n"
    )
    model = tmp_path / "model.py"
    model.write_text(
        "def answer(messages, seed):\n    return f'heard {len(messages[-1][\"content\"])}'\n"
    )
    run = harness.sweep(
        [f"python/{model}:answer"], [bench], prompt=str(prompt), limit=1, out=tmp_path / "run"
    )
    (key,) = run.problems
    first, second = view(run, key).samples
    assert (first.completion["stage"], second.completion["stage"]) == ("reasoning", "answer")
    assert first.verdict is None
    assert second.verdict is not None
    assert first.prompt is not None
    assert second.prompt is not None
    assert "Think about" in first.prompt
    assert f"You said: {first.completion['text']}. So?" in second.prompt


def test_samples_are_chosen_by_verdict_subset_and_model(run: Run, cli: Command) -> None:
    verdicts = {row["key"]: row for row in run.verdicts().rows()}
    keys = {
        key
        for key, row in verdicts.items()
        if row["status"] == "incorrect" and row["problem"].startswith("bench/hard/")
    }
    assert keys
    words = ["view", run.path, "--status", "incorrect", "--subset", "bench/hard"]
    problems = [json.loads(line) for line in cli(*words, "--json").stdout.rstrip("\n").split("\n")]
    assert [problem["key"] for problem in problems] == [
        key for key in run.problems if key in {verdicts[chosen]["problem"] for chosen in keys}
    ]
    assert {s["completion"]["key"] for problem in problems for s in problem["samples"]} == keys
    text = cli(*words).stdout
    assert f"problem 1 of {len(problems)}: {problems[0]['key']}" in text
    assert text.count("\nincorrect\n") == len(keys)
    assert "\ncorrect\n" not in text


def test_everything_is_paged_without_a_filter(run: Run, cli: Command) -> None:
    text = cli("view", run.path).stdout
    assert text.count("problem ") == 24
    assert text.count(", sample ") == 48


def test_a_filter_that_nothing_passes(run: Run, cli: Command) -> None:
    none = cli("view", run.path, "--status", "timeout")
    assert (none.returncode, none.stdout) == (1, "")
    assert "no sample of" in none.stderr
    assert cli("view", run.path, "easy3", "--subset", "bench/hard").returncode == 1
    wrong = cli("view", run.path, "--subset", "bench/hrad")
    assert wrong.returncode == 2
    assert "did you mean 'bench/hard'" in wrong.stderr


def test_the_numbers_of_correct_samples_come_first(run: Run, model: str, cli: Command) -> None:
    rows = [row for row in run.verdicts().rows() if row["problem"] == "bench/easy/easy1"]
    correct = sum(row["status"] == "correct" for row in rows)
    viewed = json.loads(cli("view", run.path, "easy1", "--json").stdout)
    assert viewed["solved"] == [{"model": model, "correct": correct, "samples": 2}]
    text = cli("view", run.path, "easy1").stdout
    assert text.index(f"{correct}/2") < text.index("sample 0")


def test_a_filter_by_verdict_keeps_the_stages_before(bench: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def answer(messages, seed):\n    return r'\\boxed{x}'\n")
    run = harness.sweep(
        [f"python/{tmp_path}/model.py:answer"],
        [bench],
        prompt="two-stage",
        limit=2,
        out=tmp_path / "run",
    )
    count, problems = views(run, statuses=["incorrect"])
    assert count == 2
    for problem in problems:
        assert [sample.completion["stage"] for sample in problem.samples] == ["reasoning", "answer"]


def test_on_a_terminal_samples_are_paged(run: Run, tmp_path: Path) -> None:
    """The pager of the environment gets samples with the terminal's colours."""
    import os
    import pty
    import subprocess
    import sys

    from tests.harness.conftest import ROOT

    ours, theirs = pty.openpty()
    words = [sys.executable, str(ROOT / "run.py"), "view", str(run.path), "--status", "incorrect"]
    paged = tmp_path / "paged"
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {paged}\n")
    pager.chmod(0o755)
    done = subprocess.run(
        words,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        timeout=60,
        env=os.environ | {"PAGER": str(pager), "TERM": "xterm"},
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    text = paged.read_text()
    assert "problem 1 of" in text
    assert "\x1b[" in text
