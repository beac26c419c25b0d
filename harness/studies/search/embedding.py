"""Formulas as vectors, for clusters and distances.

The paper used SciBERT. The default here needs no download: hashed n-grams of characters. Results
name the embedding.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...core.errors import UnknownNameError, UserError, install, reason_of, suggest
from .formulas import depth, size, terms, text

Floats = NDArray[np.float64]
Embed = Callable[[Sequence[Expression]], Floats]

#: The published model's name on the Hugging Face hub.
SCIBERT = "allenai/scibert_scivocab_cased"
DIMENSIONS, NGRAMS = 256, (1, 2, 3)
_BATCH = 64


def embedding(name: str) -> tuple[Embed, str]:
    """A function from formulas to vectors of length 1, and a description.

    Args:
        name: ``ngrams``, ``structure``, or ``scibert`` with the name or folder of a model of
            transformers after a colon.

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
    if family == "scibert":
        return _transformer(model or SCIBERT), f"pooled output of {model or SCIBERT}"
    if name not in _OWN:
        raise UnknownNameError(f"no embedding {name!r}; {suggest(name, (*_OWN, 'scibert:MODEL'))}")
    make, words = _OWN[name]
    return lambda trees: _unit([make(tree) for tree in trees]), words


def _unit(rows: Sequence[Floats]) -> Floats:
    """Vectors of length 1."""
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
    counts = Counter(map(_kind, nodes_of(tree)))
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


def _kind(node: Expression) -> str:
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


@cache
def _transformer(name: str) -> Embed:
    """The pooled output of an encoder of transformers, of padded batches of texts."""
    try:
        import torch
        import transformers
    except ImportError:
        raise UserError(f"this embedding needs the extra 'train': {install('train')}") from None
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name)
        model: Any = transformers.AutoModel.from_pretrained(name).eval()
    except Exception as error:  # networks, hubs and folders fail in many ways
        raise UserError(f"cannot load {name} for the embedding: {reason_of(error)}") from None

    def embed(trees: Sequence[Expression]) -> Floats:
        rows: list[Floats] = []
        for start in range(0, len(trees), _BATCH):
            words = [text(tree) for tree in trees[start : start + _BATCH]]
            with torch.no_grad():
                pooled = model(**tokenizer(words, return_tensors="pt", padding=True)).pooler_output
            rows += list(pooled.to(torch.float64).numpy())
        return _unit(rows)

    return embed
