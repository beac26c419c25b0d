from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.benchmarks.lample_charton.codec.tokenizer import write_tokenizer
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import TOKENS, encode


@pytest.mark.train
def test_the_tokenizer_has_the_codecs_ids(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    write_tokenizer(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path))
    text = "sub Y' mul INT- 4 2 cos x"
    assert tokenizer(text).input_ids == encode(text.split())
    assert len(tokenizer) == len(TOKENS)
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (0, 0, 1)
    assert tokenizer.decode(encode(text.split()), skip_special_tokens=True) == text
