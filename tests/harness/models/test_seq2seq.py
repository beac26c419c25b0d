"""HINT's baselines: tokens, networks, interruptible training, and answers in a run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.hint.semantics import parse
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.harness import summarise, sweep
from calculus_harness.harness.core.errors import ModelError, RunError, UserError
from calculus_harness.harness.models import create
from calculus_harness.harness.models.seq2seq.sizes import (
    END,
    TABLE_3,
    Sizes,
    answer,
    source_tokens,
    target_tokens,
)
from calculus_harness.harness.training.training_run import TrainingRun

TEXTS = ["3", "4+5", "6*(5-2)", "9/(2+1)", "(1+2)*(3-4)-5/6"]
SMALL = {"layers": 2, "embedding": 16, "hidden": 24, "heads": 2}


# --- without the extra -------------------------------------------------------------------------


def test_the_defaults_are_those_of_table_a3() -> None:
    for name, sizes in TABLE_3.items():
        assert sizes.depth == (6 if name.startswith("transformer") else 3)
        shared = (sizes.decoder_layers, sizes.embedding, sizes.hidden, sizes.heads, sizes.dropout)
        assert shared == (1, 128, 512, 8, 0.1)
        assert sizes.max_distance == (15 if name == "transformer-relative" else None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "gru", "relative": True}, "neither relative nor universal"),
        ({"kind": "transformer", "attention": True}, "no option attention"),
        ({"kind": "transformer", "hidden": 100, "heads": 8}, "multiple of twice the heads"),
        ({"kind": "transformer", "max_distance": 15}, "relative positions"),
        ({"kind": "transformer", "relative": True, "max_distance": 0}, "positive"),
        ({"kind": "lstm", "layers": 0}, "must be positive"),
        ({"kind": "lstm", "dropout": 1.0}, "between 0 and 1"),
    ],
)
def test_sizes_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sizes(**wrong)


@pytest.mark.parametrize("value", [0, 7, 10, 100, 9_990, 10_000])
def test_answers_are_written_from_their_end(value: int) -> None:
    tokens = target_tokens(value)
    assert [token - 3 for token in tokens[:-1]] == [int(digit) for digit in str(value)[::-1]]
    assert answer(tokens) == answer([*tokens, 5, 5]) == str(value)
    assert answer(tokens[:-1]) is None
    assert answer([END]) is None
    assert answer([1, *tokens]) is None
    assert answer([*tokens[:-1], 3, END]) == str(value)  # a zero in front


def test_unknown_symbols_have_no_token() -> None:
    assert len(source_tokens("6*(5-2)xyabcd")) == 15
    with pytest.raises(KeyError):
        source_tokens("2^3")


# --- with it -----------------------------------------------------------------------------------


def networks() -> Any:
    pytest.importorskip("torch", reason="needs the extra 'train'")
    from calculus_harness.harness.models.seq2seq import networks

    return networks


def small(name: str, **changes: Any) -> Sizes:
    table = TABLE_3[name]
    names = ("kind", "attention", "relative", "universal")
    return Sizes(**{field: getattr(table, field) for field in names}, **(SMALL | changes))


def network_of(name: str, **changes: Any) -> Any:
    import torch

    torch.manual_seed(0)
    return networks().make(small(name, **changes)).eval()


@pytest.mark.train
@pytest.mark.parametrize("name", TABLE_3)
def test_padding_and_later_tokens_change_nothing(name: str) -> None:
    import torch

    library, network = networks(), network_of(name)
    sources = [source_tokens(text) for text in TEXTS]
    prefix = torch.tensor([[1, 5, 6, 7]] * len(TEXTS))
    together = network.decode(network.encode(library.padded(sources, "cpu")), prefix)
    for row, source in enumerate(sources):
        alone = network.decode(network.encode(library.padded([source], "cpu")), prefix[:1])
        assert torch.allclose(alone[0], together[row], atol=1e-5)
    truncated = network.decode(network.encode(library.padded(sources, "cpu")), prefix[:, :2])
    assert torch.allclose(truncated, together[:, :2], atol=1e-5)
    shuffled = [[source[0], *reversed(source[1:-1]), source[-1]] for source in sources]
    reordered = network.decode(network.encode(library.padded(shuffled, "cpu")), prefix)
    assert not torch.allclose(reordered[2:], together[2:], atol=1e-4)  # the order is seen


@pytest.mark.train
@pytest.mark.parametrize("name", [name for name in TABLE_3 if name.startswith("transformer")])
def test_the_states_of_a_transformer_are_as_wide_as_hidden(name: str) -> None:
    """Attention is narrower than the embeddings; feed-forward layers have 4 times the width."""
    network = network_of(name, embedding=16, hidden=24)
    layer = network.encoder[0]
    assert layer.own.query.weight.shape == (24, 24)
    assert layer.forward_net[0].weight.shape == (96, 24)
    assert network.symbols.weight.shape[1] == network.digits.weight.shape[1] == 16


@pytest.mark.train
def test_a_universal_encoder_has_one_layer_and_relative_places_are_differences() -> None:
    import torch

    library = networks()
    single, six = (network_of("transformer-universal", layers=layers) for layers in (1, 6))
    assert sum(w.numel() for w in single.parameters()) == sum(w.numel() for w in six.parameters())
    assert len(network_of("transformer-relative", layers=3).encoder) == 3
    attention = library.Attention(
        small("transformer-relative", max_distance=2), relative=True
    ).eval()
    torch.nn.init.normal_(attention.by_content)
    torch.nn.init.normal_(attention.by_place)
    x, seen = torch.randn(2, 5, 24), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    seen[1, ..., 4] = False
    attended = attention(x, x, seen)
    # The sum of Dai et al. 2019, section 3.3, term by term.
    heads, width = 2, 12
    q, k, v = (linear(x) for linear in (attention.query, attention.key, attention.value))
    mixed = torch.zeros(2, 5, 24)
    for b in range(2):
        for h in range(heads):
            head = slice(h * width, (h + 1) * width)
            for i in range(5):
                scores = []
                for j in range(5 if b == 0 else 4):
                    offset = torch.tensor([max(-2, min(i - j, 2))])
                    offset_key = attention.place(library.waves(offset, 24))[0, head]
                    content = (q[b, i, head] + attention.by_content[h, 0]) @ k[b, j, head]
                    scores.append(
                        (content + (q[b, i, head] + attention.by_place[h, 0]) @ offset_key)
                        / math.sqrt(width)
                    )
                shares = torch.stack(scores).softmax(0)
                mixed[b, i, head] = sum(s * v[b, j, head] for j, s in enumerate(shares))
    assert torch.allclose(attended, attention.out(mixed), atol=1e-5)


@pytest.mark.train
@pytest.mark.parametrize("name", ["gru", "lstm-attention", "transformer", "transformer-universal"])
def test_a_few_expressions_are_learnt_by_heart(name: str) -> None:
    import torch

    library, network = networks(), network_of(name, dropout=0.0).train()
    source = library.padded([source_tokens(text) for text in TEXTS], "cpu")
    values = [parse(text).value or 0 for text in TEXTS]
    target = library.padded([target_tokens(value) for value in values], "cpu")
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(60):
        loss = network.loss(source, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    written = network.eval().answers(source)
    assert [answer(row) for row in written] == list(map(str, values))


def config(**changes: Any) -> Any:
    networks()
    from calculus_harness.harness.training.hint import HintConfig, HintEvaluation, TrainingSection

    training = TrainingSection(steps=7, batch_size=2, save_steps=3, validation=0)
    evaluation = HintEvaluation(benchmarks=("hint/LS",), limit=3)
    defaults = {"models": ("lstm-attention",), "sizes": SMALL, "training": training}
    return HintConfig(**(defaults | {"evaluation": evaluation} | changes))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training set of five expressions."""
    networks()
    from calculus_harness.harness.training.hint.examples import Examples

    examples = Examples(tuple(TEXTS), tuple(parse(text).value or 0 for text in TEXTS))
    module = "calculus_harness.harness.training.hint.baselines.training_set"
    monkeypatch.setattr(module, lambda seed, per_length, operators: examples)


@pytest.mark.train
@pytest.mark.usefixtures("few")
def test_an_interrupted_training_ends_in_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from calculus_harness.harness.training import hint
    from calculus_harness.harness.training.hint import examples

    uninterrupted, broken = tmp_path / "whole", tmp_path / "broken"
    hint.train(config(), TrainingRun(uninterrupted))
    steps = examples.batches

    def stopping(*arguments: Any) -> Any:
        for step, chosen in steps(*arguments):
            if step == 5:
                raise KeyboardInterrupt
            yield step, chosen

    monkeypatch.setattr(examples, "batches", stopping)
    with pytest.raises(KeyboardInterrupt):
        hint.train(config(), TrainingRun(broken))
    monkeypatch.setattr(examples, "batches", steps)
    hint.train(config(), TrainingRun(broken))
    name = "lstm-attention-s0/model/model.safetensors"
    assert (uninterrupted / name).read_bytes() == (broken / name).read_bytes()
    log = [json.loads(line) for line in (broken / name).parents[1].joinpath("log.jsonl").open()]
    assert [row["step"] for row in log] == [3, 6, 7]
    with pytest.raises(RunError, match="other settings"):
        hint.train(config(seeds=(1,)), TrainingRun(broken))


@pytest.mark.train
@pytest.mark.usefixtures("few")
def test_a_baseline_answers_in_a_run(tmp_path: Path) -> None:
    """Unreadable inputs are named, and all other inputs are answered."""
    from calculus_harness.harness.training import hint

    run = hint.train(config(seeds=(0, 1)), TrainingRun(tmp_path / "out"))
    table = hint.medians(run)
    assert [row[0] for row in table.rows] == ["lstm-attention"]
    assert table.headings == ("model", "LS")
    folder = tmp_path / "out/lstm-attention-s0"
    problems = [
        Problem(f"p{n}", "arithmetic", "own", "s", {"expression": text}, {"value": 3})
        for n, text in enumerate(["2^3", *TEXTS])
    ]
    spec = f"seq2seq/{folder}"
    run = sweep([spec], ["own"], problems=problems, out=tmp_path / "run")
    details = {row["problem"]: row.get("detail", "") for row in run.completions.rows()}
    assert len(details) == 6
    assert details.pop("own/s/p0") == "this model cannot read '^'"
    assert not any(details.values())
    assert summarise(run).rows[0].samples == 6
    with pytest.raises(ModelError, match="no baseline there"):
        create(f"seq2seq/{tmp_path}")
    with pytest.raises(ModelError, match="reads symbols"):
        create(spec, {"pictures": str(tmp_path)})
    (folder / "model/model.safetensors").write_bytes(b"torn")
    with pytest.raises(ModelError, match="cannot be loaded"):
        sweep([spec], ["own"], problems=problems, out=tmp_path / "torn")


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_baseline_that_sees_is_trained_and_answers(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra 'images'")
    from calculus_harness.harness.training import hint

    sizes = SMALL | {"inputs": "pictures"}
    seen = config(models=("transformer-relative",), sizes=sizes)
    seen = replace_training(seen, steps=2)
    run = hint.train(seen, TrainingRun(tmp_path / "out"))
    assert len(list(run.completions.rows())) == 3
    assert not any(row.get("detail") for row in run.completions.rows())


def replace_training(config: Any, **changes: Any) -> Any:
    from msgspec.structs import replace as changed

    return changed(config, training=changed(config.training, **changes))


@pytest.mark.train
def test_windows_are_small_inverted_pictures() -> None:
    import numpy as np

    library = networks()
    white = np.full((45, 45), 255, np.uint8)
    black = np.zeros((45, 45), np.uint8)
    windows = library.windows_of([white, black], "cpu")
    assert windows.shape == (2, 3, 32, 32)
    assert windows[0].abs().max() == 0
    assert (windows[1, 0] - 1).abs().max() < 1e-6
    assert windows[1, 1:].abs().max() == 0


@pytest.mark.train
def test_configurations_of_the_examples_are_read(tmp_path: Path) -> None:
    networks()
    from calculus_harness.harness.training.config import read
    from calculus_harness.harness.training.hint import HintConfig

    examples = Path(__file__).parents[3] / "examples"
    full = read(examples / "hint_table3.yaml", HintConfig)
    assert full.models == tuple(TABLE_3)
    assert [full.sizes_of(name) for name in TABLE_3] == list(TABLE_3.values())
    assert (full.training.steps, full.training.batch_size, full.seeds) == (
        100_000,
        128,
        (0, 1, 2, 3, 4),
    )
    assert len(read(examples / "hint_cpu.yaml", HintConfig).seeds) == 3
    path = tmp_path / "own.yaml"
    for text, message in (
        ("models: [grus]", "unknown model 'grus'"),
        ("models: [gru]\nsizes: { hiden: 3 }", "hiden"),
        ("models: [gru]\nsizes: { heads: 0 }", "must be positive"),
        ("models: [gru]\ntraining: { step: 3 }", "steps"),
        ("models: [gru]\ntraining: { steps: 0 }", "must be positive"),
        ("models: [gru]\ntraining: { learning_rate: { rnn: 1 } }", "not rnn"),
        ("models: [gru]\nsizes: { kind: lstm }", "say the kind"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            read(path, HintConfig)
