"""Encoder-decoders of torch's parts. Importing this module loads torch.

GRU and LSTM read in one direction; the decoder begins with the final states of the encoder's last
layers, and attention (Bahdanau et al. 2015) is to the states of the last encoder layer.
Transformers follow Vaswani et al. (normalised after each sublayer); relative positions follow Dai
et al. 2019, and a universal encoder repeats one layer. Li et al. 2023, appendix B; what the paper
leaves open (the width of the states, initial weights, where dropout is) follows the authors' code.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .sizes import END, MOST_DIGITS, PAD, SOURCE, SPECIAL, START, Sizes

_SYMBOLS, _DIGITS = SPECIAL + len(SOURCE), SPECIAL + 10
#: The side of a window on a picture, in pixels; two of the three channels are empty.
WINDOW = 32
#: A Transformer's feed-forward layers are so many times as wide as its states.
FEED_FORWARD = 4


class Seq2SeqNetwork(nn.Module):
    """An encoder-decoder: `encode` a source, `decode` answers token by token."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.symbols = nn.Embedding(_SYMBOLS, sizes.embedding, padding_idx=PAD)
        seen = sizes.inputs == "pictures"
        self.pictures = _resnet(sizes.embedding, sizes.resnet) if seen else None
        self.digits = nn.Embedding(_DIGITS, sizes.embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(sizes.dropout)

    def embed(self, source: Tensor, windows: Tensor | None) -> Tensor:
        """Embeddings of tokens; with pictures, symbols have the embeddings of their pictures.

        Args:
            source: tokens, (rows, longest).
            windows: pictures of all symbols, row after row, (symbols, 3, 32, 32).

        """
        embedded = self.symbols(source)
        if self.pictures is not None:
            embedded = embedded.clone()
            embedded[source >= SPECIAL] = self.pictures(windows)
        return embedded

    @abstractmethod
    def encode(self, source: Tensor, windows: Tensor | None = None) -> Any:
        """The encoding of a source, for `decode`."""

    @abstractmethod
    def decode(self, memory: Any, tensor: Tensor) -> Tensor:
        """The logits of the token after each token of ``tensor``."""

    def loss(self, source: Tensor, target: Tensor, windows: Tensor | None = None) -> Tensor:
        """Cross entropy of the target's tokens, each given the preceding tokens."""
        start = torch.full_like(target[:, :1], START)
        logits = self.decode(self.encode(source, windows), torch.cat([start, target[:, :-1]], 1))
        return functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)

    def answers(self, source: Tensor, windows: Tensor | None = None) -> list[list[int]]:
        """The tokens of greedy decoding, at most as many as in the longest answer."""
        with torch.inference_mode():
            memory = self.encode(source, windows)
            written = torch.full_like(source[:, :1], START)
            while written.shape[1] <= MOST_DIGITS + 1 and not (written == END).any(1).all():
                best = self.decode(memory, written)[:, -1].argmax(-1, keepdim=True)
                written = torch.cat([written, best], 1)
        rows: list[list[int]] = written[:, 1:].tolist()
        return rows


def make(sizes: Sizes) -> Seq2SeqNetwork:
    """A baseline with random weights."""
    return Transformer(sizes) if sizes.kind == "transformer" else Recurrent(sizes)


def _resnet(width: int, channels: Sequence[int]) -> nn.Module:
    """ResNet-18 from scratch, or a block of each of ``channels``; features are projected."""
    from transformers import ResNetConfig, ResNetModel

    sizes = list(channels) or [64, 128, 256, 512]
    depths = [1 if channels else 2] * len(sizes)
    resnet = ResNetModel(
        ResNetConfig(depths=depths, layer_type="basic", hidden_sizes=sizes, embedding_size=sizes[0])
    )
    return _Pooled(resnet, nn.Linear(sizes[-1], width))


class _Pooled(nn.Module):
    def __init__(self, resnet: nn.Module, project: nn.Module) -> None:
        super().__init__()
        self.resnet, self.project = resnet, project

    def forward(self, windows: Tensor) -> Tensor:
        return self.project(self.resnet(windows).pooler_output.flatten(1))


class Recurrent(Seq2SeqNetwork):
    """GRU or LSTM, with attention or without."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        cell = nn.LSTM if sizes.kind == "lstm" else nn.GRU
        wide, hidden = sizes.embedding, sizes.hidden
        layers = {"batch_first": True, "dropout": sizes.dropout if sizes.depth > 1 else 0}
        self.encoder = cell(wide, hidden, sizes.depth, **layers)
        layers["dropout"] = sizes.dropout if sizes.decoder_layers > 1 else 0
        seen = hidden if sizes.attention else 0
        self.decoder = cell(wide + seen, hidden, sizes.decoder_layers, **layers)
        self.output = nn.Linear(hidden + seen, _DIGITS)
        if sizes.attention:
            self.query, self.key = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden, bias=False)
            self.weight = nn.Linear(hidden, 1, bias=False)

    def encode(self, source: Tensor, windows: Tensor | None = None) -> Any:
        lengths = (source != PAD).sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embed(source, windows)),
            lengths,
            batch_first=True,
            enforce_sorted=False,
        )
        packed, state = self.encoder(packed)
        last_layers = -self.sizes.decoder_layers
        lstm = isinstance(state, tuple)
        state = tuple(tensor[last_layers:] for tensor in state) if lstm else state[last_layers:]
        if not self.sizes.attention:
            return state, None
        states, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        return state, (states, self.key(states), source == PAD)

    def decode(self, memory: Any, tensor: Tensor) -> Tensor:
        state, seen = memory
        embedded = self.dropout(self.digits(tensor))
        if seen is None:
            return self.output(self.decoder(embedded, state)[0])
        states, keys, padding = seen
        written = []
        for token in embedded.split(1, dim=1):
            top = (state[0] if isinstance(state, tuple) else state)[-1]
            scores = self.weight(torch.tanh(self.query(top)[:, None] + keys)).squeeze(-1)
            shares = scores.masked_fill(padding, -torch.inf).softmax(-1)
            context = shares[:, None] @ states
            output, state = self.decoder(torch.cat([token, context], -1), state)
            written.append(self.output(torch.cat([output, context], -1)))
        return torch.cat(written, 1)


class Transformer(Seq2SeqNetwork):
    """A Transformer with absolute or relative positions; a universal encoder has a single layer.

    Embeddings are projected to the width of the states, ``sizes.hidden``.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        count = 1 if sizes.universal else sizes.depth
        self.project_symbols = nn.Linear(sizes.embedding, sizes.hidden)
        self.project_digits = nn.Linear(sizes.embedding, sizes.hidden)
        self.encoder = nn.ModuleList(Layer(sizes) for _ in range(count))
        self.decoder = nn.ModuleList(Layer(sizes, cross=True) for _ in range(sizes.decoder_layers))
        self.output = nn.Linear(sizes.hidden, _DIGITS)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.xavier_uniform_(self.digits.weight)
        if not sizes.relative:
            nn.init.xavier_uniform_(self.symbols.weight)

    def _placed(self, states: Tensor) -> Tensor:
        if self.sizes.relative:
            return states
        positions = torch.arange(states.shape[1], device=states.device)
        scaled = states * math.sqrt(self.sizes.hidden)
        return self.dropout(scaled + waves(positions, self.sizes.hidden).to(states))

    def encode(self, source: Tensor, windows: Tensor | None = None) -> Any:
        seen = (source != PAD)[:, None, None]
        states = self._placed(self.project_symbols(self.embed(source, windows)))
        for layer in (
            self.encoder if not self.sizes.universal else [*self.encoder] * self.sizes.depth
        ):
            states = layer(states, seen)
        return states, seen

    def decode(self, memory: Any, tensor: Tensor) -> Tensor:
        states = self._placed(self.project_digits(self.digits(tensor)))
        length = tensor.shape[1]
        past = torch.ones(length, length, dtype=torch.bool, device=tensor.device).tril()[None, None]
        for layer in self.decoder:
            states = layer(states, past, *memory)
        return self.output(states)


class Layer(nn.Module):
    """Self-attention, attention to a memory in the decoder, feed-forward."""

    def __init__(self, sizes: Sizes, cross: bool = False) -> None:
        super().__init__()
        wide = sizes.hidden
        self.own = Attention(sizes, relative=sizes.relative)
        self.cross = Attention(sizes) if cross else None
        self.forward_net = nn.Sequential(
            nn.Linear(wide, FEED_FORWARD * wide),
            nn.ReLU(),
            nn.Dropout(sizes.dropout),
            nn.Linear(FEED_FORWARD * wide, wide),
        )
        nn.init.xavier_uniform_(self.forward_net[0].weight, nn.init.calculate_gain("relu"))
        nn.init.xavier_uniform_(self.forward_net[3].weight)
        self.norms = nn.ModuleList(nn.LayerNorm(wide) for _ in range(3 if cross else 2))
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(
        self,
        x: Tensor,
        seen: Tensor,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        x = self.norms[0](x + self.dropout(self.own(x, x, seen)))
        if self.cross is not None:
            x = self.norms[-1](x + self.dropout(self.cross(x, memory, memory_mask)))
        return self.norms[1](x + self.dropout(self.forward_net(x)))


class Attention(nn.Module):
    """Several heads; with relative positions as in Dai et al. 2019, section 3.3."""

    def __init__(self, sizes: Sizes, relative: bool = False) -> None:
        super().__init__()
        wide = sizes.hidden
        self.heads, self.rate, self.farthest = sizes.heads, sizes.dropout, sizes.max_distance
        self.query, self.key, self.value, self.out = (
            nn.Linear(wide, wide, bias=False) for _ in range(4)
        )
        self.place = nn.Linear(wide, wide, bias=False) if relative else None
        for weight in self.parameters():
            nn.init.xavier_uniform_(weight)
        if relative:
            self.by_content = nn.Parameter(torch.zeros(self.heads, 1, wide // self.heads))
            self.by_place = nn.Parameter(torch.zeros(self.heads, 1, wide // self.heads))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def forward(self, x: Tensor, memory: Tensor, seen: Tensor) -> Tensor:
        query, key, value = (
            self._split(self.query(x)),
            self._split(self.key(memory)),
            self._split(self.value(memory)),
        )
        mask = seen
        if self.place is not None:
            length = x.shape[1]  # self-attention: both sides are as long
            offsets = torch.arange(1 - length, length, device=x.device)
            if self.farthest is not None:
                offsets = offsets.clamp(-self.farthest, self.farthest)
            positions = self._split(self.place(waves(offsets, x.shape[-1]).to(x)))
            scores = (
                (query + self.by_place) @ positions.transpose(-2, -1) / math.sqrt(query.shape[-1])
            )
            at = torch.arange(length, device=x.device)
            chosen = (at[:, None] - at + length - 1).expand(*scores.shape[:2], -1, -1)
            mask = scores.gather(-1, chosen).masked_fill(~seen, -torch.inf)
            query = query + self.by_content
        dropout = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, mask, dropout)
        return self.out(mixed.transpose(1, 2).flatten(-2))


def waves(tensor: Tensor, width: int) -> Tensor:
    """Sines and cosines of places (Vaswani et al. 2017, section 3.5)."""
    pairs = torch.arange(0, width, 2, device=tensor.device)
    rates = torch.exp(pairs * (-math.log(10_000) / width))
    angles = tensor[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def padded(rows: Sequence[Sequence[int]], device: str) -> Tensor:
    """Tokens as a tensor, (rows, longest)."""
    longest = max(map(len, rows))
    filled = [[*row, *[PAD] * (longest - len(row))] for row in rows]
    return torch.tensor(filled, device=device)


def windows_of(pictures: Iterable[Any], device: str) -> Tensor:
    """Pictures of symbols as windows: inverted, 32 x 32, with two empty channels."""
    ink = 1 - torch.from_numpy(np.stack(list(pictures))).to(device)[:, None] / 255
    size = (WINDOW, WINDOW)
    small = functional.interpolate(ink, size, mode="bilinear", antialias=True, align_corners=False)
    return functional.pad(small, (0, 0, 0, 0, 0, 2))
