"""Lample and Charton's networks as folders for the kind ``transformers``, new or released.

Their checkpoints (``fwd_bwd_ibp.pth``) hold the weights of an encoder and a decoder. The
architecture is BART's: learnt positions, normalisation after every sublayer, ReLU, and an output
that shares the decoder's embeddings but has a bias. There are two differences:

- BART counts positions from 2.
- BART's normalisations add 1e-5 to the variance, theirs add 1e-12. All values between
  normalisations are scaled by 2^10, which is exact in binary and reduces the effect of the added
  constant by 2^20.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....benchmarks.lample_charton.codec.tokenizer import write_tokenizer
from ....benchmarks.lample_charton.codec.vocabulary import END, PADDING, TOKENS
from ...core.errors import UserError, reason_of
from .shared import import_module

#: The scale of the sums between normalisations.
SCALE = 2.0**10
#: Attention heads of the released networks, if the checkpoint does not say.
HEADS = 8

#: Their name -> BART's name, for weights outside of layers, and for the weights of a layer.
_STACK_NAMES = {"embeddings": "embed_tokens", "layer_norm_emb": "layernorm_embedding"}
_LAYERS = {
    "attentions": "self_attn",
    "layer_norm1": "self_attn_layer_norm",
    "encoder_attn": "encoder_attn",
    "layer_norm15": "encoder_attn_layer_norm",
    "ffns": "",
    "layer_norm2": "final_layer_norm",
}
_LINEAR = {
    "q_lin": "q_proj",
    "k_lin": "k_proj",
    "v_lin": "v_proj",
    "out_lin": "out_proj",
    "lin1": "fc1",
    "lin2": "fc2",
}
#: The linear maps with scaled inputs (`SCALE`); all other maps have scaled outputs.
_READERS = frozenset({"q_lin", "k_lin", "v_lin", "lin1"})


#: Settings of BART's configuration for the codec's tokens and for their network.
_CONFIGURATION: dict[str, Any] = {
    "vocab_size": len(TOKENS),
    "activation_function": "relu",
    "bos_token_id": END,
    "eos_token_id": END,
    "decoder_start_token_id": END,
    "pad_token_id": PADDING,
    "forced_eos_token_id": None,
}


@dataclass(frozen=True, kw_only=True)
class NetworkSizes:
    """The sizes of a network, of encoder and decoder alike; feed-forward parts have 4 ``width``."""

    layers: int
    width: int
    heads: int
    positions: int
    dropout: float = 0.0


def make(network: NetworkSizes, seed: int, folder: Path) -> None:
    """Write the folder of a network with random weights, with the tokenizer.

    Args:
        network: the sizes of the network.
        seed: the seed of the weights.
        folder: the folder to write.

    Raises:
        ModelError: the extra ``train`` is not installed.

    """
    torch = import_module("torch", "transformers")
    transformers = import_module("transformers", "transformers")
    stack_settings = {
        f"{stack}_{name}": value
        for stack in ("encoder", "decoder")
        for name, value in (
            ("layers", network.layers),
            ("attention_heads", network.heads),
            ("ffn_dim", 4 * network.width),
        )
    }
    settings = transformers.BartConfig(
        d_model=network.width,
        max_position_embeddings=network.positions,
        dropout=network.dropout,
        init_std=(3 * network.width) ** -0.5,  # the initialisation of torch's linear maps
        **stack_settings,
        **_CONFIGURATION,
    )
    torch.manual_seed(seed)
    _save(transformers.BartForConditionalGeneration(settings), folder)


def _save(network: Any, folder: Path) -> None:
    network.generation_config.forced_eos_token_id = None
    network.save_pretrained(folder)
    write_tokenizer(folder)


def convert(checkpoint: Path, folder: Path) -> None:
    """Write the folder of a checkpoint's network, with the tokenizer.

    Args:
        checkpoint: a file as Lample and Charton released it. Only weights are read; no code in the
            file is executed.
        folder: the folder to write.

    Raises:
        UserError: the file is no such checkpoint, or has another vocabulary.
        ModelError: the extra ``train`` is not installed.

    """
    torch = import_module("torch", "transformers")
    transformers = import_module("transformers", "transformers")
    try:
        data = torch.load(checkpoint, map_location="cpu", weights_only=True)
        weights_of = {stack: _without_prefix(data[stack]) for stack in ("encoder", "decoder")}
        settings = _settings(weights_of, data.get("params") or {})
        weights = {
            name: value.contiguous()
            for stack, own in weights_of.items()
            for name, value in _renamed(torch, stack, own)
        }
        network = transformers.BartForConditionalGeneration(transformers.BartConfig(**settings))
        if missing := network.state_dict().keys() - weights.keys() - {"model.shared.weight"}:
            raise UserError(f"{checkpoint} has no weights for {min(missing)}")
    except UserError:
        raise
    except Exception as error:  # torch and pickle raise many kinds
        raise UserError(
            f"{checkpoint} is no checkpoint of Lample and Charton: {reason_of(error)}"
        ) from None
    own, decoder_embeddings = (
        getattr(network.model, stack).embed_tokens.weight for stack in weights_of
    )
    if own is decoder_embeddings:
        raise UserError("embeddings of encoder and decoder differ: this needs transformers 5")
    network.load_state_dict({**weights, "model.shared.weight": own})
    _save(network, folder)


def _without_prefix(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The weights by name; training on several GPUs put ``module.`` before all names."""
    return {name.removeprefix("module."): value.float() for name, value in weights.items()}


def _settings(
    weights_of: Mapping[str, Mapping[str, Any]], params: Mapping[str, Any]
) -> dict[str, Any]:
    positions, width = weights_of["encoder"]["position_embeddings.weight"].shape
    tokens = weights_of["encoder"]["embeddings.weight"].shape[0]
    if tokens != len(TOKENS):
        raise UserError(f"the checkpoint has {tokens} tokens; those of the codec are {len(TOKENS)}")
    heads, hidden = (
        params.get("n_heads", HEADS),
        weights_of["encoder"]["ffns.0.lin1.weight"].shape[0],
    )
    settings: dict[str, Any] = {
        **_CONFIGURATION,
        "d_model": width,
        "max_position_embeddings": positions,
        "tie_word_embeddings": False,
        "dropout": 0.0,
    }
    for stack, weights in weights_of.items():
        settings[f"{stack}_layers"] = sum(name.endswith("lin1.weight") for name in weights)
        settings[f"{stack}_attention_heads"] = heads
        settings[f"{stack}_ffn_dim"] = hidden
    return settings


def _renamed(torch: Any, stack_name: str, weights: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in weights.items():
        *path, weight_or_bias = name.split(".")
        stack = f"model.{stack_name}"
        # The sums between normalisations are scaled: weights that write to the sums are multiplied
        # by `SCALE`, and weights that read from the sums are divided.
        if path == ["proj"]:
            yield (
                ("lm_head.weight", value / SCALE)
                if weight_or_bias == "weight"
                else (
                    "final_logits_bias",
                    value[None],
                )
            )
        elif path == ["position_embeddings"]:
            # BART's positions begin at 2.
            unused = torch.zeros(2, value.shape[1])
            yield f"{stack}.embed_positions.weight", torch.cat([unused, value * SCALE])
        elif len(path) == 1:
            yield f"{stack}.{_STACK_NAMES[path[0]]}.{weight_or_bias}", value * SCALE
        else:
            module, layer, *linear = path
            where = [
                f"{stack}.layers.{layer}",
                _LAYERS[module],
                *(_LINEAR[linear_name] for linear_name in linear),
            ]
            if _READERS.intersection(linear):
                scaled = value / SCALE if weight_or_bias == "weight" else value
            else:
                scaled = value * SCALE
            yield (
                ".".join([component for component in where if component] + [weight_or_bias]),
                scaled,
            )
