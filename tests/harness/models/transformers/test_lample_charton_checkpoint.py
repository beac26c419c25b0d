"""Checkpoints of Lample and Charton: written here in the published layout, and converted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")
pytest.importorskip("transformers", reason="needs the extra 'train'")
pytestmark = [pytest.mark.train, pytest.mark.slow]

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from calculus_harness.benchmarks.lample_charton.codec.vocabulary import (  # noqa: E402
    PADDING,
    TOKENS,
    encode,
)
from calculus_harness.harness.core.errors import UserError  # noqa: E402
from calculus_harness.harness.models import Continuation, create  # noqa: E402
from calculus_harness.harness.models.transformers.lample_charton import convert  # noqa: E402
from calculus_harness.prompts import Rendered  # noqa: E402

WIDTH, HEADS, LAYERS, POSITIONS = 32, 4, 2, 64
EPSILON = 1e-12


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for name in ("q_lin", "k_lin", "v_lin", "out_lin"):
            setattr(self, name, nn.Linear(WIDTH, WIDTH))

    def forward(self, x: Any, source: Any, mask: Any = None) -> Any:
        def heads(y: Any) -> Any:
            return y.view(len(y), HEADS, -1).transpose(0, 1)

        q, k, v = heads(self.q_lin(x)), heads(self.k_lin(source)), heads(self.v_lin(source))
        scores = q @ k.transpose(1, 2) / (WIDTH // HEADS) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        return self.out_lin((scores.softmax(-1) @ v).transpose(0, 1).reshape(len(x), WIDTH))


class Feedforward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin1, self.lin2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Any) -> Any:
        return self.lin2(F.relu(self.lin1(x)))


def norms(count: int) -> nn.ModuleList:
    return nn.ModuleList(nn.LayerNorm(WIDTH, eps=EPSILON) for _ in range(count))


class Network(nn.Module):
    """The published encoder or decoder, by the paper's description, with the published names."""

    def __init__(self, *, decoder: bool) -> None:
        super().__init__()
        self.position_embeddings = nn.Embedding(POSITIONS, WIDTH)
        self.embeddings = nn.Embedding(len(TOKENS), WIDTH, padding_idx=PADDING)
        self.layer_norm_emb = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.attentions = nn.ModuleList(Attention() for _ in range(LAYERS))
        self.layer_norm1, self.layer_norm2 = norms(LAYERS), norms(LAYERS)
        self.ffns = nn.ModuleList(Feedforward() for _ in range(LAYERS))
        if decoder:
            self.layer_norm15 = norms(LAYERS)
            self.encoder_attn = nn.ModuleList(Attention() for _ in range(LAYERS))
            self.proj = nn.Linear(WIDTH, len(TOKENS))
            self.proj.weight = self.embeddings.weight

    def forward(self, ids: list[int], encoded: Any = None) -> Any:
        positions = torch.arange(len(ids))
        x = self.layer_norm_emb(
            self.embeddings(torch.tensor(ids)) + self.position_embeddings(positions)
        )
        mask = None if encoded is None else positions[None, :] > positions[:, None]
        for i in range(LAYERS):
            x = self.layer_norm1[i](x + self.attentions[i](x, x, mask))
            if encoded is not None:
                x = self.layer_norm15[i](x + self.encoder_attn[i](x, encoded))
            x = self.layer_norm2[i](x + self.ffns[i](x))
        return x


@pytest.fixture(scope="module")
def networks() -> dict[str, Network]:
    torch.manual_seed(3)
    torch.set_num_threads(1)
    modules = {"encoder": Network(decoder=False), "decoder": Network(decoder=True)}
    for module in modules.values():
        for weight in module.parameters():
            nn.init.normal_(weight, std=0.5)
    # So small that 1e-5 would be a part of the variance.
    for embedding in (modules["encoder"].embeddings, modules["encoder"].position_embeddings):
        nn.init.normal_(embedding.weight, std=0.003)
    return modules


def checkpoint(networks: dict[str, Network], path: Path, **entries: Any) -> Path:
    data = {name: network.state_dict() for name, network in networks.items()}
    torch.save({"epoch": 1, "params": {"n_heads": HEADS}} | data | entries, path)
    return path


def test_the_folder_gives_the_same_probabilities(
    networks: dict[str, Network], tmp_path: Path
) -> None:
    convert(checkpoint(networks, tmp_path / "fwd.pth"), tmp_path / "folder")
    pairs = [("sub Y' cos x", "sin x"), ("sub Y' mul INT+ 2 x", "pow x INT+ 2")]

    async def scored() -> dict[str, tuple[float, ...]]:
        async def texts() -> AsyncIterator[Continuation]:
            for f, big_f in pairs:
                yield Continuation(f, Rendered(text=f), big_f)

        model = create(f"transformers/{tmp_path / 'folder'}")
        return {text.key: text.token_logprobs async for text in model.score(texts())}

    scores = asyncio.run(scored())
    for f, big_f in pairs:
        written = encode(big_f.split())
        with torch.inference_mode():
            encoded = networks["encoder"](encode(f.split()))
            states = networks["decoder"](written[:-1], encoded)
            logprobs = networks["decoder"].proj(states).log_softmax(-1)
        expected = [float(logprobs[i, token]) for i, token in enumerate(written[1:])]
        assert scores[f] == pytest.approx(expected, abs=1e-4)


def test_names_of_several_gpus_and_half_precision(
    networks: dict[str, Network], tmp_path: Path
) -> None:
    from transformers import AutoModelForSeq2SeqLM

    several = {
        module: {f"module.{name}": value.half() for name, value in network.state_dict().items()}
        for module, network in networks.items()
    }
    convert(checkpoint(networks, tmp_path / "half.pth", **several), tmp_path / "half")
    network = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "half")
    assert network.dtype == torch.float32
    own = network.model.encoder.embed_tokens.weight / 2**10
    assert torch.equal(own, networks["encoder"].embeddings.weight.half().float())
    assert not torch.equal(own, network.model.decoder.embed_tokens.weight / 2**10)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"params": Path("x")}, "no checkpoint"),  # a class: reading it could execute code
        ({"encoder": None}, "no checkpoint"),
        ({"encoder": {}}, "no checkpoint"),
        ({"decoder": {"embeddings.weight": torch.zeros(91, WIDTH)}}, "no checkpoint|no weights"),
        ({"encoder": {"embeddings.weight": torch.zeros(9, WIDTH)}}, "9 tokens"),
    ],
)
def test_what_is_no_checkpoint_is_refused(
    networks: dict[str, Network], tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    if why == "9 tokens":
        weights = networks["encoder"].state_dict()
        change = {"encoder": {**weights, **change["encoder"]}}
    with pytest.raises(UserError, match=why):
        convert(checkpoint(networks, tmp_path / "x.pth", **change), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    (tmp_path / "text.pth").write_text("not a checkpoint")
    with pytest.raises(UserError, match=r"text\.pth is no checkpoint"):
        convert(tmp_path / "text.pth", tmp_path / "folder")


def test_the_command_line(networks: dict[str, Network], tmp_path: Path, cli: Any) -> None:
    path = checkpoint(networks, tmp_path / "fwd.pth")
    assert cli("convert", path, "--out", tmp_path / "folder").returncode == 0
    again = cli("convert", path, "--out", tmp_path / "folder")
    assert (again.returncode, "--force" in again.stderr) == (2, True)
