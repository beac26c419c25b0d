"""One problem or sample of a run, whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report.view import find, view
from calculus_harness.harness.store.run import Run
from tests.harness.conftest import Command


@pytest.fixture
def run(model: str, bench: str, tmp_path: Path) -> Run:
    return harness.sweep([model], [bench], samples=2, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("wanted", "key", "sample"),
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
    run: Run, wanted: str, key: str, sample: int | None
) -> None:
    assert find(run, wanted) == (key, sample)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("easy", "means 12 problems: bench/easy/easy1, "),
        ("esay3", "did you mean 'easy3'"),
        ("bench/easy/esay3", "did you mean 'bench/easy/easy3'"),
        ("easy3#first", "a sample is a number"),
        ("", "no problem"),
    ],
)
def test_a_mistake_is_met_with_a_hint(run: Run, wanted: str, words: str) -> None:
    with pytest.raises(UserError, match=r".") as error:
        find(run, wanted)
    assert words in str(error.value)


def test_a_sample_that_is_not_there(run: Run) -> None:
    with pytest.raises(UserError, match="it has the samples 0 to 1"):
        view(run, "easy3#7")
    with pytest.raises(UserError, match="no model 'gpt'"):
        view(run, "easy3", model="gpt")


def test_everything_is_shown_whole(run: Run, cli: Command) -> None:
    stored = {row["key"]: row for row in run.completions.rows()}
    found = json.loads(cli("view", run.path, "easy3", "--json").stdout)
    assert found["key"] == "bench/easy/easy3"
    assert len(found["samples"]) == 2
    for number, sample in enumerate(found["samples"]):
        row = sample["completion"]
        assert row["sample"] == number
        assert row == stored[row["key"]]
        assert sample["verdict"]["key"] == row["key"]
        assert "3 x e^x" in sample["prompt"]
    shown = cli("view", run.path, "easy3#1")
    assert shown.returncode == 0
    text = found["samples"][1]["completion"]["text"]
    assert (text.strip() or "(nothing)") in shown.stdout
    assert "3 x e^x" in shown.stdout
    assert found["samples"][1]["verdict"]["status"].replace("_", " ") in shown.stdout


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
    shown = cli("view", run.path, key).stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold red]x[/]" + "y" * 9000 in shown  # nothing is cut, nothing is taken for markup


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
    found = view(run, key)
    (first, judged, asked), (second, verdict, again) = found.samples
    assert (first["stage"], second["stage"]) == ("reasoning", "answer")
    assert judged is None
    assert verdict is not None
    assert asked is not None
    assert again is not None
    assert "Think about" in asked
    assert f"You said: {first['text']}. So?" in again
