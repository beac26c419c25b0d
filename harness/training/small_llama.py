"""A small Llama with random weights and a tokenizer of characters, for demonstrations and tests."""

from __future__ import annotations

import string
from pathlib import Path

from .config import SmallLlamaSize

PAD, START, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"
#: The characters of LaTeX; all other characters are the unknown token.
ALPHABET = string.ascii_letters + string.digits + string.punctuation + " \n"
#: The tokens of `SmallLlamaSize.commands`; everything else is tokenized by character.
COMMANDS = (
    r"\left(",
    r"\right)",
    r"\frac{",
    r"\sqrt{",
    r"\sqrt[{3}]{",
    "}{",
    "^{",
    r"\cdot ",
    r"\pi",
    r"\operatorname{",
    *(
        "\\" + name
        for name in "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log exp".split()
    ),
    *(f"\\operatorname{{{name}}}" for name in ("arsinh", "arcosh", "artanh", "sech", "csch")),
)
CHAT = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def make_llama(folder: Path, size: SmallLlamaSize, seed: int) -> None:
    """Write a model with random weights, and its tokenizer, to a directory."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    # A token per character needs no merges.
    vocabulary = {token: n for n, token in enumerate((PAD, START, END, UNKNOWN, *ALPHABET))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        clean_up_tokenization_spaces=False,
        model_max_length=size.context,
    )
    fast.chat_template = CHAT
    if size.commands:
        fast.add_tokens(list(COMMANDS))
    # The weights depend on the seed alone.
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(fast),
            hidden_size=size.hidden_size,
            intermediate_size=4 * size.hidden_size,
            num_hidden_layers=size.layers,
            num_attention_heads=size.heads,
            num_key_value_heads=size.heads,
            max_position_embeddings=size.context,
            pad_token_id=vocabulary[PAD],
            bos_token_id=vocabulary[START],
            eos_token_id=vocabulary[END],
            tie_word_embeddings=True,
        )
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
