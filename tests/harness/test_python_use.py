"""The functions of the package, called from Python with right and wrong arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import calculus_harness as ch
from calculus_harness import harness
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.rewards.errors import ArgumentTypeError

ROOT = Path(__file__).parents[2]
#: Functions that call themselves, hold sets, or are made of others.
OWN = """
from functools import partial
from calculus_harness.harness.models.python_function import LocalFunction

def outer(depth):
    def inner(messages, seed):
        return inner if messages in {"a", "b", "c"} else depth
    return inner

def said(text, messages, seed):
    return text

functions = [outer(1), outer(2), partial(said, "x"), partial(said, "y")]
print(*(LocalFunction.of(one).hash for one in functions))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ch.Run:
    out = tmp_path_factory.mktemp("runs") / "one"
    return ch.sweep([right, wrong], ["drills"], limit=4, samples=2, out=out)


def right(messages: list[dict[str, str]], seed: int) -> str:
    return r"\boxed{\frac{x^2}{2}}"


def wrong(messages: list[dict[str, str]], seed: int) -> str:
    return "I do not know."


@pytest.mark.parametrize("name", ["model", "benchmark"])
def test_a_name_alone_is_a_list_of_it_in_settings_only(name: str) -> None:
    settings = {"model": ["solver/sympy"], "benchmark": ["drills"], name: "drills"}
    with pytest.raises(ch.UserError, match=rf"{name} must be a list, as in \['drills'\]"):
        ch.SweepSpec(**settings)  # type: ignore[arg-type]
    assert getattr(ch.SweepSpec.of(**settings), name) == ("drills",)


def test_words_that_are_no_choice_are_refused(run: ch.Run) -> None:
    with pytest.raises(ch.UserError, match="by: no choice 'foo'; known: model, perturbation"):
        ch.compare(run, by="foo")  # type: ignore[arg-type]
    with pytest.raises(ch.UserError, match="breakdown: no choice 'tags'; did you mean 'tag'"):
        ch.compare(run, breakdown="tags")  # type: ignore[arg-type]
    with pytest.raises(ch.UserError, match="method: no choice 'foo'; known: balls"):
        ch.Policy(method="foo")  # type: ignore[arg-type]
    with pytest.raises(ch.UserError, match="strict must be True or False"):
        ch.Policy(strict="foo")  # type: ignore[arg-type]
    with pytest.raises(ch.UserError, match=r"policy must be a Policy, as Policy\(strict=True\)"):
        ch.score(run.path, policy="strict")  # type: ignore[arg-type]


def test_values_have_their_types() -> None:
    with pytest.raises(ArgumentTypeError, match="temperature must be a number, not 'a'"):
        ch.Sampling(temperature="a")  # type: ignore[arg-type]
    with pytest.raises(ch.UserError, match="max_tokens >= 1"):
        ch.Sampling(max_tokens=0)
    for ks in (0, [0], 3):
        with pytest.raises(ArgumentTypeError, match="ks must be whole numbers from 1 on"):
            ch.compare("somewhere", ks=ks)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="a run must be a Run or the path of one"):
        ch.compare(["one", "two"])  # type: ignore[arg-type]


def test_a_directory_is_as_good_as_a_run(run: ch.Run) -> None:
    assert ch.summarise(run.path) == ch.summarise(run)
    assert ch.summarise(str(run.path)).rows
    with pytest.raises(ch.UserError, match="no manifest"):
        ch.print_summary("nowhere")


def test_a_function_is_a_model(run: ch.Run) -> None:
    labels = [entry["label"] for entry in run.models.values()]
    assert labels == ["python/right", "python/wrong"]
    count = len(list(run.completions.rows()))
    again = ch.sweep([right, wrong], ["drills"], limit=4, samples=2, out=run.path)
    assert len(list(again.completions.rows())) == count == 16  # nothing is asked again


def test_functions_are_told_apart_by_what_they_do() -> None:
    f, g = (lambda m, s: "x"), (lambda m, s: "y")

    def constant_model(text: str) -> LocalFunction:
        return LocalFunction.of(lambda m, s: text)

    hashes = {LocalFunction.of(f).hash, LocalFunction.of(g).hash, constant_model("a").hash}
    assert len(hashes | {constant_model("b").hash}) == 4
    assert constant_model("a").hash in hashes
    assert LocalFunction.of(f).label == "python/lambda"


def test_what_calls_change_in_a_closure_makes_no_other_model(tmp_path: Path) -> None:
    seen: list[int] = []

    def noting(messages: list[dict[str, str]], seed: int) -> str:
        seen.append(seed)
        return right(messages, seed)

    # The prompt has two stages: the second is asked when the first has changed the closure.
    def swept() -> ch.Run:
        return ch.sweep([noting], ["drills"], limit=2, out=tmp_path, prompt="two-stage")

    run = swept()
    assert len(run.models) == 1
    calls = len(seen)
    again = swept()
    assert len(again.models) == 1
    assert len(seen) == calls
    seen.append(0)  # what others than its calls change makes another model
    assert len(swept().models) == 2


def test_a_function_is_the_same_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    runs = [
        subprocess.run(
            [sys.executable, "own.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert len(set(runs[0].split())) == 4


def test_objects_are_shown_in_a_line(run: ch.Run) -> None:
    content, *sentences = repr(run).splitlines()
    assert content == (
        f"<Run {run.path}: 4 problems, models: python/right, python/wrong, 16 answers, "
        f"verdicts: {run.policy}>"
    )
    assert sentences[0].startswith("No difference between right and wrong was found")
    assert "failures" in sentences[-1]
    lines = repr(ch.compare(run)).splitlines()
    assert lines[0] == "<Comparison by model:"
    assert lines[1].startswith("  No difference between right and wrong was found")
    assert len(lines) == 8
    assert "all, python/wrong - python/right, pass@1: " in lines[-1]
    assert "4 pairs" in lines[-1]


def test_findings_of_many_answers_are_not_shown(
    run: ch.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[type(run).__module__]
    monkeypatch.setattr(module, "_MOST_DESCRIBED", 16)
    assert len(repr(run).splitlines()) > 1
    monkeypatch.setattr(module, "_MOST_DESCRIBED", 15)
    assert len(repr(run).splitlines()) == 1


def test_names_are_listed() -> None:
    assert set(harness.__all__) == set(dir(harness))
    assert {"sweep", "compare", "Run"} <= set(dir(harness)) & set(dir(ch))


def test_samples_that_a_k_needs_are_named(run: ch.Run) -> None:
    compared = ch.compare(run, ks=[2, 16])
    assert {row.k for row in compared.contrasts[-1].differences} == {1, 2}
    (note,) = [note for note in compared.notes if "pass@16" in note]
    assert note.startswith("pass@16 needs 16 samples of each problem; there are fewer of")
    alone = ch.compare(run, ks=[16])
    assert {row.k for row in alone.contrasts[-1].differences} == {1, 2}  # as without -k
