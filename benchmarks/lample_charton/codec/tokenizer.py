"""The vocabulary as a tokenizer file for `transformers` and vLLM."""

from __future__ import annotations

from pathlib import Path

from ....rewards.errors import install
from .vocabulary import END, IDS, PADDING, TOKENS


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer of whole words between spaces: a text of prefix tokens, with the codec's
    ids. Texts are ended by ``<s>`` on both sides, as in the released code.

    Needs `transformers`; an ``ImportError`` names the extra.
    """
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, processors
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        raise ImportError(f"a tokenizer file needs the extra 'train': {install('train')}") from None
    end, padding = TOKENS[END], TOKENS[PADDING]
    tokenizer = Tokenizer(models.WordLevel(dict(IDS), unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{end} $A {end}",
        pair=f"{end} $A {end} $B:1 {end}:1",
        special_tokens=[(end, END)],
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=end,
        eos_token=end,
        pad_token=padding,
        unk_token="<pad>",
        clean_up_tokenization_spaces=False,
    )
    fast.save_pretrained(str(folder))
