"""Training configurations: read whole, and every mistake named."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.benchmarks.registry import load as load_problems
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.training.config import Config, load
from calculus_harness.harness.training.rows import grpo_rows, sft_rows
from calculus_harness.harness.training.trainers import (
    last_checkpoint,
    refuse_missing,
    reported,
)
from calculus_harness.prompts import load as load_prompt

pytest.importorskip("yaml", reason="needs the extra 'train'")

EXAMPLES = Path(__file__).parents[3] / "examples"
GOOD = """
model: { path: some/model }
data: { benchmarks: [drills/monomials_train] }
grpo: { max_steps: 3 }
evaluation: { benchmarks: drills, temperature: 1 }
"""


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    return load(path)


def test_a_configuration_is_read_whole(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert config.model.path == "some/model"
    assert config.grpo == {"max_steps": 3}
    assert config.sft is None
    assert config.evaluation.benchmarks == ("drills",)
    assert config.evaluation.temperature == 1.0
    assert config.reward.strict


CONFIGURATIONS = sorted(
    path
    for path in EXAMPLES.glob("*_[cg]pu*.yaml")
    if not path.name.startswith(("encoders", "hint", "integrator"))
)


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.name)
def test_the_examples_are_configurations(path: Path) -> None:
    config = load(path)
    prompt = load_prompt(config.data.prompt)
    for spec in config.data.benchmarks:
        if "data/" in spec:  # made by a command that the file's head tells
            assert "generate" in path.read_text()
            continue
        problems = load_problems(spec, limit=3)
        assert all(row["prompt"] and row["integrand"] for row in grpo_rows(problems, prompt))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "model: { path: some/model }",
            "model: { scratch: { depth: 3 } }",
            "model.scratch: .*unknown field `depth`",
        ),
        ("model: { path: some/model }", "model: {}", "either a path or scratch"),
        (
            "model: { path: some/model }",
            "model: { path: 3 }",
            "model.path: Expected `str`, got `int`",
        ),
        ("grpo: { max_steps: 3 }", "", "neither sft nor grpo"),
        ("grpo: { max_steps: 3 }", "gpro: { max_steps: 3 }", "did you mean 'grpo'"),
        ("temperature: 1", "samples: true", "evaluation.samples: Expected `int`"),
        ("data: { benchmarks: [drills/monomials_train] }", "", "missing required field `data`"),
        ("data: {", "data: [", "config.yaml"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(UserError, match=message):
        read(tmp_path, GOOD.replace(old, new))


def test_rows_hold_what_the_reward_reads() -> None:
    problems = load_problems("drills/renamed", limit=2)
    (columns, _) = grpo_rows(problems, load_prompt("bare"))
    assert set(columns) == {"prompt", "id", "integrand", "variable", "assumptions"}
    assert columns["variable"] == "t"
    assert columns["prompt"] == f"int {columns['integrand']} dt ="
    (row, _) = sft_rows(problems, load_prompt("direct"), r"\boxed{{antiderivative}+C}")
    assert row["prompt"][-1]["role"] == "user"
    reference = problems[0].target.antiderivative
    assert row["completion"] == [{"role": "assistant", "content": rf"\boxed{{{reference}+C}}"}]


def test_a_checkpoint_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path / "none") is None
    for step, state in ((2, '{"global_step": 2}'), (10, '{"global_step": 10}'), (12, '{"glob')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}/trainer_state.json").write_text(state)
    (tmp_path / "checkpoint-14").mkdir()
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-10")


def test_trackers_are_named_in_the_file_and_checked_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(tmp_path, GOOD).report_to == ()
    assert read(tmp_path, f"report_to: tensorboard\n{GOOD}").report_to == ("tensorboard",)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match="trackio is not installed: pip install trackio"):
        refuse_missing(["trackio"])
    with pytest.raises(UserError, match="did you mean 'wandb'"):
        refuse_missing(["wandbb"])


def test_options_of_the_trainer_win_over_report_to(tmp_path: Path) -> None:
    options = reported({"run_name": "mine"}, ["wandb"], tmp_path / "grpo")
    assert options == {"report_to": ["wandb"], "run_name": "mine"}
    assert reported({"max_steps": 1}, [], tmp_path) == {"max_steps": 1}
