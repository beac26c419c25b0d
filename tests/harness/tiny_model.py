"""A tiny Llama with random weights and a tokenizer of characters, written on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Anything that prompts and answers are written in; what is not here is the unknown token.
CHARACTERS = "".join(map(chr, range(32, 127))) + "\n∫π²√"
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>", "<think>", "</think>", "<user>", "<assistant>")
TEMPLATE = (
    "<s>{% for message in messages %}"
    "{{ '<assistant>' if message.role == 'assistant' else '<user>' }}{{ message.content }}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
    "{% endif %}"
)


def make(directory: Path, seed: int = 0, spread: float = 0.02, length: int = 512) -> Path:
    """Write a model of 2 layers and width 64; the larger ``spread``, the lower the entropy.

    ``spread`` is the standard deviation of the weights, ``length`` the number of positions.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    write_tokenizer(directory)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(SPECIAL) + len(CHARACTERS),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=length,
        initializer_range=spread,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config).to(torch.float32)
    _never_say_special(model)
    model.save_pretrained(directory)
    return directory


def _never_say_special(model: Any) -> None:
    """Give the model a constant feature against special tokens.

    The text of an answer lacks special tokens. The end of a text becomes likelier.
    """
    import torch

    silent = [SPECIAL.index(token) for token in SPECIAL if token not in ("<think>", "</think>")]
    with torch.no_grad():
        model.model.embed_tokens.weight[:, 0] = 3.0
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight[0] = 0.0
            layer.mlp.down_proj.weight[0] = 0.0
        model.lm_head.weight[:, 0] = 0.0
        model.lm_head.weight[silent, 0] = -400.0
        model.lm_head.weight[SPECIAL.index("</s>"), 0] = 5.0


def write_tokenizer(directory: Path) -> None:
    """Every character a token; ``<s>`` before a text, but not before a rendered chat."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *CHARACTERS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    # Reasoning is marked by tokens that are part of the text, as of most models that reason.
    tokenizer.add_tokens([AddedToken(mark, special=False) for mark in ("<think>", "</think>")])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=["<user>", "<assistant>"],
        clean_up_tokenization_spaces=False,
        chat_template=TEMPLATE,
    )
    fast.save_pretrained(directory)


def make_adapter(directory: Path, model: Path, seed: int = 1) -> Path:
    """Write a LoRA adapter of rank 8 that changes the model's answers."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaForCausalLM

    torch.manual_seed(seed)
    settings = LoraConfig(
        r=8, lora_alpha=64, target_modules=["q_proj", "v_proj"], init_lora_weights=False
    )
    get_peft_model(LlamaForCausalLM.from_pretrained(model), settings).save_pretrained(directory)
    assert json.loads((directory / "adapter_config.json").read_bytes())["r"] == 8
    return directory
