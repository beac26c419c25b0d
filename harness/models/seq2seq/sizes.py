"""The architecture and the sizes of a baseline, and the input and output tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ....benchmarks.hint.pools import VOCABULARY

#: Input tokens: padding, start, end, and HINT's symbols. Output tokens: padding, start, end, and
#: digits, the least significant digit first (Li et al. 2023, figure A3).
PAD, START, END = 0, 1, 2
SPECIAL = 3
SOURCE = {symbol: SPECIAL + index for index, symbol in enumerate(VOCABULARY)}
#: The largest number of digits of an answer: values are at most 10,000.
MOST_DIGITS = 5


class Sizes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A baseline; the defaults are underlined in table A3 of Li et al. 2023.

    ``layers`` is the number of encoder layers (None: 6 for Transformers, else 3), ``hidden`` the
    width of the states, and ``embedding`` the width of the embeddings. Relative positions beyond
    ``max_distance`` count as ``max_distance``. ``inputs`` are symbols, or pictures of symbols for a
    residual network: ResNet-18, or a network with a block of each of the channels in ``resnet``.
    """

    kind: Literal["gru", "lstm", "transformer"]
    attention: bool = False
    relative: bool = False
    universal: bool = False
    inputs: Literal["symbols", "pictures"] = "symbols"
    layers: int | None = None
    decoder_layers: int = 1
    embedding: int = 128
    hidden: int = 512
    heads: int = 8
    dropout: float = 0.1
    max_distance: int | None = None
    resnet: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        transformer = self.kind == "transformer"
        if self.attention if transformer else self.relative or self.universal:
            options = "no option attention" if transformer else "neither relative nor universal"
            raise ValueError(f"a {self.kind} has {options}")
        if min(self.depth, self.decoder_layers, self.embedding, self.hidden, self.heads) < 1:
            raise ValueError("layers, embedding, hidden and heads must be positive")
        if transformer and self.hidden % (2 * self.heads):
            raise ValueError("hidden must be a multiple of twice the heads")
        if self.max_distance is not None and (not self.relative or self.max_distance < 1):
            raise ValueError("max_distance is of relative positions, and positive")
        if self.resnet and (self.inputs != "pictures" or min(self.resnet) < 1):
            raise ValueError("resnet are channels of blocks, for inputs that are pictures")
        if not 0 <= self.dropout < 1:
            raise ValueError("dropout must be between 0 and 1")

    @property
    def depth(self) -> int:
        return (6 if self.kind == "transformer" else 3) if self.layers is None else self.layers


#: The rows of table 3 that are trained. The authors' code limits the distance for the relative
#: Transformer (``max_rel_pos``), and does not hand the limit on to the universal one.
TABLE_3: dict[str, Sizes] = {
    "gru": Sizes(kind="gru"),
    "gru-attention": Sizes(kind="gru", attention=True),
    "lstm": Sizes(kind="lstm"),
    "lstm-attention": Sizes(kind="lstm", attention=True),
    "transformer": Sizes(kind="transformer"),
    "transformer-relative": Sizes(kind="transformer", relative=True, max_distance=15),
    "transformer-universal": Sizes(kind="transformer", relative=True, universal=True),
}


def source_tokens(text: str) -> list[int]:
    """The tokens of an expression between start and end; raises ``KeyError`` for unknown symbols.

    >>> source_tokens("6*(5-2)")
    [1, 9, 15, 17, 8, 14, 5, 18, 2]
    """
    return [START, *(SOURCE[symbol] for symbol in text), END]


def target_tokens(value: int) -> list[int]:
    """The digits of an answer, the least significant first, and the end.

    >>> target_tokens(18)
    [11, 4, 2]
    """
    return [*(SPECIAL + int(digit) for digit in reversed(str(value))), END]


def answer(tokens: Sequence[int]) -> str | None:
    """The number from output tokens up to the end; None without an end token or without digits."""
    if END not in tokens:
        return None
    digits = tokens[: tokens.index(END)]
    if not digits or min(digits) < SPECIAL:
        return None
    return "".join(str(token - SPECIAL) for token in reversed(digits)).lstrip("0") or "0"
