"""HINT's models beyond the baselines: selection, few-shot concepts, scaling, embeddings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'train'")
pytest.importorskip("transformers", reason="needs the extra 'train'")

import torch
from click.testing import CliRunner
from safetensors.torch import load_file

from calculus_harness.benchmarks.hint.semantics import parse
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.training.config import read
from calculus_harness.harness.training.hint import baselines, concepts, examples, fitting, scaling
from calculus_harness.harness.training.hint.examples import Examples
from calculus_harness.harness.training.hint.settings import (
    HintConfig,
    HintEvaluation,
    TrainingSection,
    sizes_of,
)
from calculus_harness.harness.training.training_run import TrainingRun

pytestmark = [pytest.mark.train]

SMALL = {"layers": 1, "embedding": 16, "hidden": 16, "heads": 2}
EXAMPLES = Path(__file__).parents[3] / "examples"


def examples_of(*texts: str) -> Examples:
    return Examples(texts, tuple(parse(text).value or 0 for text in texts))


MAIN, TAUGHT = examples_of("3", "4+5", "6*(5-2)", "9/(2+1)"), examples_of("x", "x+1", "2*x", "x-3")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training set of four expressions, four of each concept, and two to validate on."""

    def training_set(seed: int, per_length: Any, operators: int = 10, concept: Any = None) -> Any:
        return (TAUGHT if operators > 1 else examples_of("x", "x+1")) if concept else MAIN

    for module in (baselines, concepts, scaling):
        monkeypatch.setattr(module, "training_set", training_set)
        monkeypatch.setattr(
            module, "validation_set", lambda seed, size, *_, **__: {"I": examples_of("3", "4+5")}
        )


def fit(**changes: Any) -> fitting.Fit:
    settings: dict[str, Any] = {"steps": 6, "batch_size": 2, "rate": 1e-2, "save_steps": 2}
    return fitting.Fit(sizes_of("gru", SMALL), MAIN, 0, **(settings | changes))


def weights(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = load_file(folder / "model" / "model.safetensors")
    return loaded


def test_the_best_weights_on_the_validation_set_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of three measurements is best: the weights are from 4 steps of training."""
    accuracies = iter([0.2, 0.6, 0.4, 0.1, 0.3])
    monkeypatch.setattr(fitting, "validated", lambda *arguments: {"I": next(accuracies)})
    fitting.fit(fit(validation={"I": MAIN}), tmp_path / "selected")
    fitting.fit(fit(validation={"I": MAIN}, steps=4), tmp_path / "short")
    selected, short = weights(tmp_path / "selected"), weights(tmp_path / "short")
    assert all(torch.equal(selected[name], short[name]) for name in short)
    rows = fitting.logged(tmp_path / "selected")
    assert [row["validation"]["I"] for row in rows] == [0.2, 0.6, 0.4]


def test_bf16_computes_in_bfloat16_and_keeps_weights_in_float32(tmp_path: Path) -> None:
    fitting.fit(fit(), tmp_path / "float32")
    fitting.fit(fit(bf16=True), tmp_path / "bfloat16")
    precise, rounded = weights(tmp_path / "float32"), weights(tmp_path / "bfloat16")
    assert all(tensor.dtype == torch.float32 for tensor in rounded.values())
    assert all(torch.allclose(precise[name], rounded[name], atol=0.05) for name in precise)
    assert any(not torch.equal(precise[name], rounded[name]) for name in precise)


def test_accuracy_is_the_share_of_exact_answers() -> None:
    class Right:
        def answers(self, source: Any, windows: Any) -> list[list[int]]:
            return [[3 + 3, 2]] * len(source)  # the digit 3, and the end

    reader = examples.ExampleReader("symbols", "cpu")
    network: Any = Right()
    assert fitting.validated(network, {"I": MAIN}, reader) == {"I": 0.5}  # 3 and 9/(2+1)


def test_half_of_a_batch_is_from_the_main_set() -> None:
    steps = list(fit().steps_left(0))
    assert all(not rehearsed for _, _, rehearsed in steps)
    steps = list(fit(rehearsal=TAUGHT, batch_size=4).steps_left(0))
    assert [(step, len(own), len(rehearsed)) for step, own, rehearsed in steps[:2]] == [
        (1, 2, 2),
        (2, 2, 2),
    ]
    remaining = list(fit(rehearsal=TAUGHT, batch_size=4).steps_left(4))
    assert remaining == steps[4:]


def test_training_and_validation_sets_of_a_concept_contain_it() -> None:
    taught = examples.training_set(0, 3, 2, "x")
    assert all("x" in text for text in taught.texts)
    assert [parse(text).value for text in taught.texts] == list(taught.values)
    sets = examples.validation_set(0, 20, "x")
    assert set(sets) == {"I", "SS", "LS", "SL", "LL"}
    assert all("x" in text for data in sets.values() for text in data.texts)
    assert examples.validation_set(0, 0) == {}


def test_fewer_operators_are_a_smaller_task_with_the_same_five_splits() -> None:
    sets = examples.validation_set(0, 100, operators=3)
    assert set(sets) == {"I", "SS", "LS", "SL", "LL"}
    for split, data in sets.items():
        trees = [parse(text) for text in data.texts]
        counts = {len(tree.operators) for tree in trees}
        long = split in ("LS", "LL")
        assert min(counts) >= 4 if long else max(counts) <= 3, split
        assert max(counts) <= 6
        if split != "I":
            assert all((tree.largest > 100) == (split[1] == "L") for tree in trees), split


@pytest.mark.usefixtures("few")
def test_baselines_show_their_curve(tmp_path: Path) -> None:
    training = TrainingSection(steps=4, batch_size=2, save_steps=2)
    config = HintConfig(
        models=("gru", "transformer-universal"),
        sizes=SMALL,
        training=training,
        evaluation=HintEvaluation(benchmarks=("hint/LS",), limit=3),
    )
    baselines.train(config, TrainingRun(tmp_path))
    section = baselines.progress(baselines.folders(config, tmp_path))
    assert section is not None
    assert section.headings == ("step", "gru", "transformer-universal")
    assert [row[0] for row in section.rows] == ["2", "4"]
    assert section.figures


@pytest.mark.usefixtures("few")
def test_concepts_are_taught_to_a_trained_model(tmp_path: Path) -> None:
    training = TrainingSection(steps=2, batch_size=2, save_steps=2, validation=0)
    start = tmp_path / "start" / "lstm-attention-s1"
    fitting.fit(fitting.Fit(sizes_of("lstm-attention", SMALL), MAIN, 1, 2, 2, 1e-3, 2), start)
    config = concepts.ConceptsConfig(
        start=str(start.parent),
        models=(start.name,),
        concepts=("x", "a"),
        operators=(1, 10),
        training=training,
        limit=5,
    )
    runs = concepts.train(config, TrainingRun(tmp_path / "out"))
    table = concepts.table_4(runs)
    assert [row[:2] for row in table.rows] == [("lstm-attention", "x"), ("lstm-attention", "a")]
    assert table.rows[0][2].endswith("(87.8)")
    assert [row[0] for row in concepts.figure_4(runs).rows] == ["1", "10"]
    again = concepts.train(config, TrainingRun(tmp_path / "out"))
    assert again.keys() == runs.keys()
    original = weights(start)
    assert not all(
        torch.equal(tensor, original[name])
        for name, tensor in weights(tmp_path / "out/lstm-attention-s1-x-n10").items()
    )
    unstarted = concepts.ConceptsConfig(start=str(tmp_path / "none"), models=("gru-s0",))
    with pytest.raises(UserError, match="no finished model"):
        concepts.train(unstarted, TrainingRun(tmp_path / "other"))


def test_the_defaults_of_the_fine_tuning_are_the_papers() -> None:
    config = concepts.ConceptsConfig(start="s", models=("gru-s0",))
    assert (config.training.steps, config.training.batch_size) == (1_000, 128)
    assert concepts.RATES == {"gru": 1e-3, "lstm": 1e-3, "transformer": 1e-5}
    assert "".join(config.concepts) == "xyabcd"


@pytest.mark.usefixtures("few")
def test_accuracy_over_sizes_has_a_trend(tmp_path: Path) -> None:
    config = scaling.ScalingConfig(
        model="gru",
        sizes=(SMALL, SMALL | {"hidden": 32}),
        per_length=(4,),
        training=TrainingSection(steps=2, batch_size=2, save_steps=2, validation=0),
        evaluation=HintEvaluation(benchmarks=("hint/LL",), limit=3),
    )
    run = scaling.train(config, TrainingRun(tmp_path))
    over_parameters, over_examples = scaling.scaling_sections(run)
    assert len(over_parameters.rows) == 2
    assert [row[0] for row in over_examples.rows] == ["4"]
    points = [scaling.Trained(10**n, 4, 0.1 * n) for n in (1, 2, 3)]
    section = scaling._trend(points, "parameters", "examples", 1e33)
    assert "10.00 points for each factor of ten; 90 % would take 10^9" in section.remarks[0]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_embeddings_of_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra 'images'")
    folder = tmp_path / "gru-s0"
    sizes = sizes_of("gru", SMALL | {"inputs": "pictures"})
    fitting.fit(fitting.Fit(sizes, MAIN, 0, 1, 2, 1e-3, 1), folder)
    arguments = ["hint", "embeddings", f"seq2seq/{folder}", "--per-symbol", "3"]
    done = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "48 test pictures by t-SNE" in done.output  # ten digits, four operators, two brackets
    drawn = (tmp_path / "out/figure_a4.svg").read_text()
    assert drawn.count("<text") >= 48
    symbols = tmp_path / "symbols-s0"
    fitting.fit(fit(steps=1), symbols)
    done = CliRunner().invoke(cli, ["hint", "embeddings", f"seq2seq/{symbols}"])
    assert done.exit_code == 2


def test_the_configurations_of_the_examples_are_read() -> None:
    assert read(EXAMPLES / "hint_curve_cpu.yaml", HintConfig).training.validation == 250
    smaller = read(EXAMPLES / "hint_four_operators.yaml", HintConfig)
    assert (smaller.training.operators, smaller.training.bf16) == (4, True)
    assert read(EXAMPLES / "hint_concepts.yaml", concepts.ConceptsConfig).training.steps == 1_000
    assert read(EXAMPLES / "hint_concepts_cpu.yaml", concepts.ConceptsConfig).models
    assert read(EXAMPLES / "hint_scaling.yaml", scaling.ScalingConfig).per_length[-1] == 100_000
    assert read(EXAMPLES / "hint_scaling_cpu.yaml", scaling.ScalingConfig).sizes
    seen = read(EXAMPLES / "hint_pictures_cpu.yaml", HintConfig)
    assert seen.sizes_of(seen.models[0]).inputs == "pictures"


def test_a_log_is_read_back(tmp_path: Path) -> None:
    fitting.fit(fit(), tmp_path / "m")
    rows = fitting.logged(tmp_path / "m")
    assert [row["step"] for row in rows] == [2, 4, 6]
    assert json.dumps(rows)
