"""Encoders: their texts and settings; and, with the extra 'train', small trained encoders."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.payloads import DerivationInputs
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.cli.train import encoder
from calculus_harness.harness.core.errors import ModelError, UserError
from calculus_harness.harness.models import create
from calculus_harness.harness.models.transformers.classifier import quoted_text, sequence_text
from calculus_harness.harness.training.encoder import (
    TOKENS,
    EncoderSettings,
    load_splits,
    random_split,
    train,
)

SETTINGS = EncoderSettings(task="derivation_step", model="scratch", data="data")


# --- without the extra -------------------------------------------------------------------------


def test_the_defaults_are_the_papers() -> None:
    assert (SETTINGS.epochs, SETTINGS.batch_size, SETTINGS.learning_rate) == (12, 8, 5e-7)
    assert (SETTINGS.max_tokens, SETTINGS.seed, SETTINGS.every) == (256, 42, 1000)
    assert (SETTINGS.warmup, SETTINGS.straddle) == (0, False)
    checked = 0
    for option in encoder.params:
        needed = option.name in ("out", "task", "steps", "model", "data")
        if not needed and not option.is_flag:
            assert option.default == getattr(SETTINGS, option.name), option.name
            checked += 1
    assert checked == 12


@pytest.mark.parametrize(
    "wrong", [{"task": "arithmetic"}, {"epochs": 0.0}, {"hidden": 30}, {"warmup": -1}]
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        replace(SETTINGS, **wrong)


def test_a_random_split_has_all_rows_and_parts_pairs() -> None:
    rows = [{"text": str(n), "label": n % 2, "group": n // 2} for n in range(100)]
    split = random_split(rows, 42)
    assert [len(split[name]) for name in ("train", "validation")] == [80, 20]
    assert sorted(int(row["text"]) for data in split.values() for row in data) == list(range(100))
    groups = [{row["group"] for row in data} for data in split.values()]
    assert groups[0] & groups[1]
    assert random_split(rows, 42) == split != random_split(rows, 43)


def test_tokens_lose_nothing_but_spaces() -> None:
    text = r"[premise, o{(B,H )} = \frac{\log{(H )}}{B}] [SEP] [divide, 1, B] [SEP] \int x d\sigma"
    tokens = re.findall(TOKENS, text)
    assert "".join(tokens) == text.replace(" ", "")
    assert {"premise", "{(", ")}", r"\frac", "[SEP]", "divide", r"\sigma", "d"} <= set(tokens)


def test_the_quoted_text_is_a_printed_list() -> None:
    inputs = DerivationInputs(
        "",
        "",
        (("premise", r"f{\left(x \right)} = \int x\, dx"), ("[cos, 1]", "a = b")),
        "[substitute_LHS_for_RHS, 2, 1]",
        r"\left(c\right) = d",
    )
    assert quoted_text(inputs) == (
        r"['premise', 'f{(x )} = \int x\, dx'], ['cos', 1], 'a = b'] [SEP] "
        r"['substitute_LHS_for_RHS', 2, 1] [SEP] (c) = d"
    )
    inputs = replace(inputs, annotation="[minus, 1, x - 2, y]")
    assert "['minus', 1, 'x - 2, y'] [SEP]" in quoted_text(inputs)


def test_texts_of_a_problem() -> None:
    (problem, *_) = load("derivations/step2", limit=1)
    assert sequence_text(problem, "published") == problem.inputs.sequence
    assert sequence_text(problem, "clean") == problem.inputs.clean_sequence
    bare = problem.inputs.sequence.replace(r"\,", "")
    assert sequence_text(problem, "quoted").replace("'", "").replace(r"\,", "") == bare
    (calculus, *_) = load("calculus/diff", limit=1)
    with pytest.raises(ModelError, match="no evaluation script"):
        sequence_text(calculus, "quoted")


def test_an_encoder_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model"):
        create(f"encoder/{tmp_path}")


# --- with it -----------------------------------------------------------------------------------


def toy(folder: Path, size: int = 64) -> Path:
    """A saved data set with the label "has a sine", easy for a classifier of words."""
    datasets = pytest.importorskip("datasets", reason="needs the extra 'train'")

    def rows(start: int, count: int) -> list[dict[str, Any]]:
        return [
            {
                "text": rf"[premise, f{{(x )}} = {n}] [SEP] \{('sin', 'cos')[n % 2]}{{(x )}}",
                "label": 1 - n % 2,
                "group": f"step2-s0-{n // 2}",
            }
            for n in range(start, start + count)
        ]

    splits = {"train": rows(0, size), "validation": rows(size, 16), "VR": rows(size + 16, 4)}
    datasets.DatasetDict(
        {name: datasets.Dataset.from_list(subset) for name, subset in splits.items()}
    ).save_to_disk(folder)
    return folder


@pytest.mark.data
def test_data_of_something_else_is_refused(tmp_path: Path) -> None:
    folder = toy(tmp_path / "data")
    assert set(load_splits(folder, SETTINGS)) == {"train", "validation", "VR"}
    with pytest.raises(UserError, match="no derivations of 3 steps"):
        load_splits(folder, replace(SETTINGS, steps=3))
    with pytest.raises(UserError, match="not of the task calculus_step"):
        load_splits(folder, replace(SETTINGS, task="calculus_step"))
    with pytest.raises(UserError, match="not a saved data set"):
        load_splits(tmp_path / "nothing", SETTINGS)


def evaluated(out: Path) -> Sequence[dict[str, Any]]:
    lines = (out / "log.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if "eval_f1" in row]


@pytest.mark.train
@pytest.mark.slow
def test_a_small_encoder_learns_goes_on_and_answers(tmp_path: Path) -> None:
    """Trained by the command, equal after an interruption, and asked through the harness."""
    transformers = pytest.importorskip("transformers", reason="needs the extra 'train'")
    from calculus_harness.harness import summarise, sweep

    data, out = toy(tmp_path / "data"), tmp_path / "out"
    command = (
        f"train encoder --task derivation_step --steps 2 --model scratch --data {data} --epochs 10 "
        "--batch-size 8 --learning-rate 3e-3 --every 20 --hidden 32 --layers 1 --heads 2"
    ).split()
    done = CliRunner().invoke(cli, [*command, "--out", str(out)])
    assert done.exit_code == 0, done.output
    measured = evaluated(out)
    assert [row["step"] for row in measured] == [20, 40, 60, 80]
    assert max(row["eval_f1"] for row in measured) > 0.95
    # What is finished is passed over.
    modified = (out / "model" / "model.safetensors").stat().st_mtime_ns
    assert CliRunner().invoke(cli, [*command, "--out", str(out)]).exit_code == 0
    assert (out / "model" / "model.safetensors").stat().st_mtime_ns == modified

    class StoppedError(Exception):
        pass

    class Stop(transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == 40:
                raise StoppedError

    settings = EncoderSettings(**json.loads((out / "settings.json").read_text()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            transformers.trainer,
            "DEFAULT_CALLBACKS",
            [*transformers.trainer.DEFAULT_CALLBACKS, Stop],
        )
        with pytest.raises(StoppedError):
            train(settings, tmp_path / "again")
    assert not (tmp_path / "again" / "model").exists()
    train(settings, tmp_path / "again")
    again = evaluated(tmp_path / "again")
    assert [row["step"] for row in again] == [20, 40, 60, 80]
    assert [row["eval_loss"] for row in again] == pytest.approx(
        [row["eval_loss"] for row in measured], rel=1e-4
    )

    model = create(f"encoder/{out / 'model'}")
    run = sweep(
        [model],
        ["derivations/step2", "derivations/step2_vr"],
        limit=8,
        prompt="derivation-step-zero-shot",
        out=tmp_path / "run",
    )
    rows = list(run.completions.rows())
    assert len(rows) == 8
    assert {row["text"] for row in rows} <= {r"\boxed{0}", r"\boxed{1}"}
    assert all(row["logprob"] <= 0 and row["prompt_tokens"] > 10 for row in rows)
    assert "pass" in str(summarise(run).rows[0])


@pytest.mark.train
@pytest.mark.slow
def test_names_that_were_never_trained_on_are_words_of_their_own(tmp_path: Path) -> None:
    """A Greek letter of a perturbed test set must be known, or all letters would be equal."""
    transformers = pytest.importorskip("transformers", reason="needs the extra 'train'")
    from calculus_harness.harness.training.encoder import make_bert

    make_bert(tmp_path / "model", [r"f{(x )} [SEP] \cos", r"\alpha{(\beta )}"], SETTINGS)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = tokenizer(r"\alpha{(\beta )} [SEP] y")["input_ids"]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokens == ["[CLS]", r"\alpha", "{(", r"\beta", ")}", "[SEP]", "[UNK]", "[SEP]"]
