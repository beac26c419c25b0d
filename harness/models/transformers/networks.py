"""A common interface to decoder-only models and encoder-decoders of `transformers`.

The prompt of a decoder precedes the generated tokens; the prompt of an encoder-decoder is the
encoder's input, and generation begins with a start token.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

#: The smallest number of shared tokens that are computed separately: the additional call of the
#: model costs about as much as a step of generation.
SHARED = 16


class Network(ABC):
    """A model in memory. Token ids are lists; texts after prompts are generated or scored.

    Args:
        torch: the module.
        model: the model.
        pad: the id of the padding token.

    """

    def __init__(self, torch: Any, model: Any, pad: int) -> None:
        self.torch, self.model, self.pad = torch, model, pad
        #: The largest number of positions of a sequence.
        config = getattr(model.config, "text_config", model.config)  # of models that see
        self.context: int = getattr(config, "max_position_embeddings", None) or 1 << 30

    @staticmethod
    def of(torch: Any, model: Any, pad: int) -> Network:
        """The network of a model, by the model's architecture."""
        network_class = EncoderDecoder if model.config.is_encoder_decoder else Decoder
        return network_class(torch, model, pad)

    @abstractmethod
    def longest_prompt(self) -> int:
        """The most tokens of a prompt."""

    @abstractmethod
    def room(self, prompt: int) -> int:
        """The largest number of tokens after a prompt of ``prompt`` tokens."""

    @abstractmethod
    def begin(self, prompts: Sequence[list[int]], **seen: Any) -> TokenGeneration:
        """Begin to generate after prompts; ``seen`` holds the inputs from the pictures of a single
        prompt.
        """

    @abstractmethod
    def logprobs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[list[float]]:
        """The log-probability of every token of the texts, each after a prompt."""

    def search(
        self, prompts: Sequence[list[int]], **options: Any
    ) -> tuple[list[list[int]], list[float]]:
        """The hypotheses of a beam search and the scores, prompt by prompt.

        The prompts have the same length: there is no padding.
        """
        ids, mask = self.padded(prompts)
        output = self.model.generate(
            input_ids=ids,
            attention_mask=mask,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            early_stopping=True,
            return_dict_in_generate=True,
            output_scores=True,
            pad_token_id=self.pad,
            **options,
        )
        return output.sequences[
            :, self._tokens_before_output(prompts[0]) :
        ].tolist(), output.sequences_scores.tolist()

    @abstractmethod
    def _tokens_before_output(self, prompt: list[int]) -> int:
        """The number of tokens before the output of `generate`."""

    def padded(self, rows: Sequence[list[int]], *, left: bool = True) -> tuple[Any, Any]:
        """Token ids and attention mask, both (rows, longest)."""
        longest = max(map(len, rows))
        ids, mask = [], []
        for row in rows:
            fill = longest - len(row)
            ids.append([self.pad] * fill + row if left else row + [self.pad] * fill)
            mask.append([0] * fill + [1] * len(row) if left else [1] * len(row) + [0] * fill)
        tensor = self.torch.tensor
        device = self.model.device
        return tensor(ids, device=device), tensor(mask, device=device)

    def _gathered(self, logits: Any, text: list[int]) -> list[float]:
        # Double precision for one text at a time: a whole batch would fill a GPU.
        log_probabilities = self.torch.log_softmax(logits.double(), dim=-1)
        ids = self.torch.tensor(text, device=logits.device, dtype=self.torch.long)
        values: list[float] = log_probabilities.gather(1, ids[:, None])[:, 0].tolist()
        return values


class TokenGeneration(ABC):
    """Tokens generated one by one for each row of a batch."""

    @abstractmethod
    def next_logits(self) -> Any:
        """The logits of the next token, (rows, vocabulary)."""

    @abstractmethod
    def append(self, tokens: Any) -> None:
        """Append a token to each row."""


def common_start(rows: Sequence[list[int]]) -> int:
    """The length of the common prefix of all rows, less than the length of the shortest row.

    >>> common_start([[1, 2, 3, 4], [1, 2, 3]])
    2

    """
    least, greatest = min(rows), max(rows)
    limit = min(map(len, rows)) - 1
    return next((i for i in range(limit) if least[i] != greatest[i]), limit)


class Decoder(Network):
    """A causal language model."""

    def __init__(self, torch: Any, model: Any, pad: int) -> None:
        super().__init__(torch, model, pad)
        self._limits_logits = "logits_to_keep" in inspect.signature(model.forward).parameters

    def longest_prompt(self) -> int:
        return self.context - 1

    def room(self, prompt: int) -> int:
        return self.context - prompt

    def begin(self, prompts: Sequence[list[int]], **seen: Any) -> TokenGeneration:
        return _AfterPrompts(self, prompts, seen)

    def logprobs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[list[float]]:
        ids, mask = self.padded([prompt + text for prompt, text in pairs])
        longest = max(len(text) for _, text in pairs)
        logits = self.output(ids, mask, last=longest + 1).logits
        return [
            self._gathered(logits[row, -1 - len(text) : -1], text)
            for row, (_, text) in enumerate(pairs)
        ]

    def output(self, ids: Any, mask: Any, *, last: int, **options: Any) -> Any:
        """Run the model on left-padded tokens; returns the ``last`` logits, or all.

        All logits of long prompts would fill a GPU, but not every architecture can limit the
        output.
        """
        if self._limits_logits:
            options["logits_to_keep"] = last
        if options.pop("places", True):
            options["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        return self.model(input_ids=ids, attention_mask=mask, **options)

    def _tokens_before_output(self, prompt: list[int]) -> int:
        return len(prompt)


class _AfterPrompts(TokenGeneration):
    def __init__(
        self, network: Decoder, prompts: Sequence[list[int]], seen: dict[str, Any]
    ) -> None:
        self._network, self._seen = network, seen
        self._places = not seen  # a vision model computes its own position ids
        self._cache: Any = None
        shared = 0 if seen or len(prompts) == 1 else common_start(prompts)
        if shared < SHARED:
            self._ids, self._mask = network.padded(prompts)
            return
        # Compute the common prefix (instructions and worked examples) once, and copy its keys and
        # values to all rows; the distinct suffixes follow, padded on the left.
        ids, mask = network.padded([prompts[0][:shared]])
        self._cache = network.output(ids, mask, last=1, use_cache=True).past_key_values
        self._cache.batch_repeat_interleave(len(prompts))
        self._ids, suffix_mask = network.padded([prompt[shared:] for prompt in prompts])
        self._mask = network.torch.cat([mask.expand(len(prompts), -1), suffix_mask], dim=1)

    def next_logits(self) -> Any:
        cache_options = {"past_key_values": self._cache, "use_cache": True, "places": self._places}
        output = self._network.output(self._ids, self._mask, last=1, **cache_options, **self._seen)
        self._seen = {}
        self._cache = output.past_key_values
        return output.logits[:, -1]

    def append(self, tokens: Any) -> None:
        self._ids = tokens[:, None]
        new_mask = self._network.torch.ones_like(self._ids)
        self._mask = self._network.torch.cat([self._mask, new_mask], dim=1)


class EncoderDecoder(Network):
    """A sequence-to-sequence model."""

    def longest_prompt(self) -> int:
        return self.context

    def room(self, prompt: int) -> int:
        return self.context - 1

    def begin(self, prompts: Sequence[list[int]], **seen: Any) -> TokenGeneration:
        return _AfterStart(self, *self.padded(prompts, left=False))

    def logprobs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[list[float]]:
        ids, mask = self.padded([prompt for prompt, _ in pairs], left=False)
        decoded, _ = self.padded([[self.start, *text[:-1]] for _, text in pairs], left=False)
        logits = self.model(input_ids=ids, attention_mask=mask, decoder_input_ids=decoded).logits
        return [
            self._gathered(logits[row, : len(text)], text) for row, (_, text) in enumerate(pairs)
        ]

    @property
    def start(self) -> int:
        """The id of the start token."""
        for config in (self.model.generation_config, self.model.config):
            for name in ("decoder_start_token_id", "bos_token_id"):
                if (token := getattr(config, name, None)) is not None:
                    return int(token)
        raise ValueError("its configuration has no decoder_start_token_id")

    def _tokens_before_output(self, prompt: list[int]) -> int:
        return 1


class _AfterStart(TokenGeneration):
    def __init__(self, network: EncoderDecoder, ids: Any, mask: Any) -> None:
        self._model, self._mask = network.model, mask
        self._encoded = self._model.get_encoder()(input_ids=ids, attention_mask=mask)
        self._ids = network.torch.full_like(ids[:, :1], network.start)
        self._cache: Any = None

    def next_logits(self) -> Any:
        output = self._model(
            encoder_outputs=self._encoded,
            attention_mask=self._mask,
            decoder_input_ids=self._ids,
            past_key_values=self._cache,
            use_cache=True,
        )
        self._cache = output.past_key_values
        return output.logits[:, -1]

    def append(self, tokens: Any) -> None:
        self._ids = tokens[:, None]
