"""Language models of `transformers` in the harness's process, for small models."""

from __future__ import annotations

import asyncio
import json
import time
from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, Sampling
from ..base import Capability, Continuation, Model, Scored, operational
from ..checkpoints import hub_commit
from ..gguf_weights import is_local, weights_folder, weights_identity
from ..placement import Placement
from .networks import Network
from .shared import batch_placement, batches, device_of, import_module, load_error


@dataclass(frozen=True, kw_only=True)
class TransformersModel(Model):
    """A language model of the library `transformers`, in the harness's process.

    Supports causal models, encoder-decoders (the prompt is the encoder's input), and vision models
    for prompts with pictures (one request per batch). Generates in plain batches of ``batch_size``
    texts, far slower than vLLM for large models; beam searches with prompts of the same length
    share a batch. Each sample has random numbers from a separate seed, independent of the batch. A
    directory is identified by the hash of the files, a name on a hub by the commit.
    """

    dtype: str = "float32"
    revision: str = ""
    enable_thinking: bool | None = None  # default: the chat template decides
    device: str = operational("")  # "": a GPU if there is one
    batch_size: int = operational(64)

    example: ClassVar[str] = (
        "run.py sweep --model transformers/Qwen/Qwen3-0.6B -M dtype=bfloat16 --benchmark bee"
    )

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ValueError("batch-size must be positive")
        if self.dtype not in ("float32", "bfloat16", "float16"):
            raise ValueError("dtype must be float32, bfloat16 or float16")

    @cached_property
    def name(self) -> str:
        """The directory (for a GGUF file, of the conversion), or the name on a hub."""
        return weights_folder(self.name_in_spec)

    @cached_property
    def commit(self) -> str:
        """The commit of a model on a hub; empty for a directory."""
        return "" if is_local(self.name_in_spec) else hub_commit(self.name, self.revision)

    def fingerprint(self) -> dict[str, Any]:
        if self.commit:
            return {"commit": self.commit}
        return weights_identity("transformers", self.name_in_spec)

    @property
    def capabilities(self) -> frozenset[Capability]:
        sees = not Path(self.name).is_dir() or _sees(Path(self.name))  # a hub's model may
        return (
            super().capabilities
            | ({Capability.PICTURES} if sees else set())
            | {
                Capability.TOP_K,
                Capability.MIN_P,
                Capability.SEED,
                Capability.GROUPED,
                Capability.BEAMS,
                Capability.LOGPROBS,
                Capability.SCORING,
            }
        )

    @property
    def placement(self) -> Placement:
        return batch_placement(self.device, self.batch_size)

    @cached_property
    def _loaded(self) -> _LoadedModel:
        return _LoadedModel.of(self)

    def count_tokens(self, prompt: Rendered) -> int | None:
        return len(self._loaded.inputs(prompt)[0])

    async def close(self) -> None:
        self.__dict__.pop("_loaded", None)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for batch in batches(requests, self.batch_size):
            for group in _same_sampling(batch):
                for completion in await asyncio.to_thread(self._loaded.answer, group):
                    yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        async for batch in batches(texts, self.batch_size):
            for scored in await asyncio.to_thread(self._loaded.score, batch):
                yield scored


def _same_sampling(requests: Sequence[Request]) -> list[list[Request]]:
    """Group requests with the same sampling into batches; a request with pictures is alone."""
    groups: dict[object, list[Request]] = {}
    for position, request in enumerate(requests):
        alone = position if request.prompt.pictures else None
        groups.setdefault((request.sampling, alone), []).append(request)
    return list(groups.values())


def _sees(folder: Path) -> bool:
    """Whether a model's directory has the configuration of a vision model."""
    try:
        return "vision_config" in json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return False


class _LoadedModel:
    """A model with the tokenizer in memory; a vision model has a processor of pictures."""

    processor: Any = None

    def __init__(self, model: Any, tokenizer: Any, options: TransformersModel) -> None:
        self.torch = import_module("torch", "transformers")
        self.model, self.tokenizer, self.device = model, tokenizer, str(model.device)
        self.thinking, self.batch_size = options.enable_thinking, options.batch_size
        ends = model.generation_config.eos_token_id
        ends = ends if ends is not None else tokenizer.eos_token_id
        self.end_tokens = set(ends if isinstance(ends, list) else [ends]) - {None}
        pad = tokenizer.pad_token_id
        pad = pad if pad is not None else next(iter(self.end_tokens), 0)
        self.network = Network.of(self.torch, model, int(pad))

    @classmethod
    def of(cls, options: TransformersModel) -> _LoadedModel:
        torch, transformers = (
            import_module("torch", "transformers"),
            import_module("transformers", "transformers"),
        )
        where = {"revision": options.commit} if options.commit else {}
        device = device_of(options.device, torch)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(options.name, **where)
            config = transformers.AutoConfig.from_pretrained(options.name, **where)
            sees = hasattr(config, "vision_config")
            processor = transformers.AutoProcessor if sees else None
            processor = processor and processor.from_pretrained(options.name, **where)
            head = "Seq2SeqLM" if config.is_encoder_decoder else "CausalLM"
            head = "ImageTextToText" if sees else head
            model = (
                getattr(transformers, f"AutoModelFor{head}")
                .from_pretrained(options.name, dtype=getattr(torch, options.dtype), **where)
                .to(device)
            )
        except (OSError, ValueError) as error:
            raise load_error(options.spec, error) from None
        loaded = cls(model.eval(), tokenizer, options)
        loaded.processor = processor
        return loaded

    def inputs(self, prompt: Rendered) -> tuple[list[int], dict[str, Any]]:
        """A prompt's tokens, with the inputs from pictures."""
        if not prompt.pictures:
            return self.encode(prompt), {}
        if self.processor is None:
            raise ModelError(f"{self.model.name_or_path} takes no pictures")
        pillow = import_module("PIL.Image", "transformers")
        pictures = [
            pillow.open(BytesIO(b64decode(picture))).convert("RGB") for picture in prompt.pictures
        ]
        # The chat template places a mark for each picture; the processor replaces the marks by the
        # picture's tokens.
        turns = [
            {
                "role": message.role,
                "content": [
                    *({"type": "image"} for _ in message.pictures),
                    {"type": "text", "text": message.content},
                ],
            }
            for message in prompt.messages
        ]
        options = {} if self.thinking is None else {"enable_thinking": self.thinking}
        text = self.processor.apply_chat_template(turns, add_generation_prompt=True, **options)
        # The batch adds the mask later, after padding.
        seen = dict(self.processor(text=text, images=pictures, return_tensors="pt"))
        (ids,) = seen.pop("input_ids").tolist()
        del seen["attention_mask"]
        return ids, {
            name: value.to(self.device, self.model.dtype if value.is_floating_point() else None)
            for name, value in seen.items()
        }

    def encode(self, prompt: Rendered) -> list[int]:
        if not prompt.messages:
            return list(self.tokenizer(prompt.text)["input_ids"])
        try:
            text = self.tokenizer.apply_chat_template(
                prompt.turns,
                add_generation_prompt=True,
                tokenize=False,
                **({} if self.thinking is None else {"enable_thinking": self.thinking}),
            )
        except ValueError as error:
            raise ModelError(f"the tokenizer has no chat template: {error}") from None
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    # --- answers ---

    def answer(self, requests: Sequence[Request]) -> list[Completion]:
        """Answer requests of the same sampling."""
        if requests[0].prompt.pictures and requests[0].sampling.beams:
            raise ModelError("the kind transformers has no beam search after pictures")
        # Prompts that do not fit are failures of their own, and do not end the batch.
        seen: dict[str, Any] = {}
        fitting, completions = [], []
        for request in requests:
            prompt, seen = self.inputs(request.prompt)
            if 0 < len(prompt) <= self.network.longest_prompt():
                fitting.append((request, prompt))
                continue
            longest = self.network.longest_prompt()
            detail = f"a prompt of {len(prompt)} tokens; the model takes 1 to {longest}"
            completions += Completion.failures(request, detail)
        if not fitting:
            return completions
        with self.torch.inference_mode():
            # Beam searches share a batch only if no prompt needs padding.
            if beams := requests[0].sampling.beams:
                for alike in _searches(fitting, self.batch_size // beams):
                    completions += self._search(alike)
                return completions
            rows = [
                (request, prompt, sample)
                for request, prompt in fitting
                for sample in request.samples
            ]
            return completions + self._sample(rows, requests[0].sampling, seen)

    def _sample(
        self,
        rows: Sequence[tuple[Request, list[int], int]],
        sampling: Sampling,
        seen: dict[str, Any],
    ) -> list[Completion]:
        torch, start = self.torch, time.perf_counter()
        if seen and len(rows) > 1:
            raise ModelError("the kind transformers has no --grouped after pictures")
        generation = self.network.begin([prompt for _, prompt, _ in rows], **seen)
        longest = max(len(prompt) for _, prompt, _ in rows)
        # Each sample has its own uniform random numbers, from the seed and the position in a group.
        generators = [
            np.random.Generator(np.random.Philox(key=[request.seed, sample - request.sample]))
            for request, _, sample in rows
        ]
        limit = min(sampling.max_tokens, self.network.room(longest))
        generated: list[list[int]] = [[] for _ in rows]
        logprobs: list[list[float]] = [[] for _ in rows]
        reasons = [FinishReason.LENGTH] * len(rows)
        unfinished = list(range(len(rows)))
        for _ in range(limit):
            log_probabilities = torch.log_softmax(generation.next_logits().double(), dim=-1)
            uniforms = [
                generators[row].random() if row in unfinished else 0.0 for row in range(len(rows))
            ]
            chosen = self._choose(
                log_probabilities, sampling, torch.tensor(uniforms, device=self.device)
            )
            chosen_logprobs = log_probabilities.gather(1, chosen[:, None])[:, 0].tolist()
            for row in list(unfinished):
                token = int(chosen[row])
                generated[row].append(token)
                logprobs[row].append(chosen_logprobs[row])
                if token in self.end_tokens or self._stopped(generated[row], sampling.stop):
                    reasons[row] = FinishReason.STOP
                    unfinished.remove(row)
            if not unfinished:
                break
            generation.append(chosen)
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                self._text(tokens, sampling),
                sample=sample,
                finish_reason=reason,
                prompt_tokens=len(prompt),
                completion_tokens=len(tokens),
                latency=latency,
                **_logprob_fields(values, sampling.logprobs),
            )
            for (request, prompt, sample), tokens, values, reason in zip(
                rows, generated, logprobs, reasons, strict=True
            )
        ]

    def _choose(self, log_probabilities: Any, sampling: Sampling, uniforms: Any) -> Any:
        """Return a token for each row, by the inverse of the cumulative distribution."""
        torch = self.torch
        if sampling.temperature == 0:
            return log_probabilities.argmax(dim=-1)
        # A stable order makes the token a function of the uniform number, whatever the batch.
        probabilities, order = torch.softmax(log_probabilities / sampling.temperature, dim=-1).sort(
            dim=-1, descending=True, stable=True
        )
        # Each filter clears a tail of the sorted probabilities; the threshold is scaled to the
        # remaining mass.
        if sampling.top_k:
            probabilities[:, sampling.top_k :] = 0
        if sampling.min_p:
            probabilities = probabilities.where(
                probabilities >= sampling.min_p * probabilities[:, :1], 0
            )
        if sampling.top_p < 1:
            mass_before = probabilities.cumsum(-1) - probabilities
            probabilities = probabilities.where(mass_before < sampling.top_p, 0)
        cumulative = probabilities.cumsum(-1)
        thresholds = uniforms[:, None] * cumulative[:, -1:]
        ranks = torch.searchsorted(cumulative, thresholds, right=True)
        return order.gather(1, ranks.clamp(max=order.shape[1] - 1))[:, 0]

    def _search(self, alike: Sequence[tuple[Request, list[int]]]) -> list[Completion]:
        """Beam search of `transformers`, with hypotheses ranked by mean log-probability."""
        first_request, prompt = alike[0]
        sampling, start = first_request.sampling, time.perf_counter()
        sequences, scores = self.network.search(
            [tokens for _, tokens in alike],
            num_beams=sampling.beams,
            num_return_sequences=first_request.count,
            max_new_tokens=min(sampling.max_tokens, self.network.room(len(prompt))),
        )
        rows = [(*member, sample) for member in alike for sample in member[0].samples]
        # `search` pads all hypotheses to the same length: the text ends at the first end token.
        hypotheses = []
        for row in sequences:
            end = next((i + 1 for i, token in enumerate(row) if token in self.end_tokens), len(row))
            hypotheses.append(row[:end])
        # The scores of a search are means; log-probabilities per token need a second pass.
        values = self.network.logprobs(
            [(tokens, text) for (_, tokens, _), text in zip(rows, hypotheses, strict=True)]
        )
        latency = round((time.perf_counter() - start) / len(alike), 3)
        return [
            Completion.to(
                request,
                self._text(tokens, sampling),
                sample=sample,
                rank=sample,
                score=score,
                finish_reason=FinishReason.STOP
                if tokens and tokens[-1] in self.end_tokens
                else FinishReason.LENGTH,
                prompt_tokens=len(prompt),
                completion_tokens=len(tokens),
                latency=latency,
                **_logprob_fields(row, sampling.logprobs),
            )
            for (request, _, sample), tokens, score, row in zip(
                rows, hypotheses, scores, values, strict=True
            )
        ]

    # --- given texts ---

    def score(self, texts: Sequence[Continuation]) -> list[Scored]:
        """Score texts, each with the end-of-text token at the end, if the model has the token."""
        end = [self.tokenizer.eos_token_id] if self.tokenizer.eos_token_id is not None else []
        pairs = []
        for text in texts:
            if text.prompt.pictures:
                raise ModelError("the kind transformers cannot score texts after pictures")
            prompt = self.encode(text.prompt)
            if not prompt:
                raise ModelError(f"{text.key}: a text can only be scored after a prompt")
            tokens = self.tokenizer(text.text, add_special_tokens=False)["input_ids"]
            pairs.append((prompt, [*tokens, *end]))
        with self.torch.inference_mode():
            values = self.network.logprobs(pairs)
        return [
            Scored(text.key, tuple(row), ended=bool(end))
            for text, row in zip(texts, values, strict=True)
        ]

    # --- tokens ---

    def _stopped(self, tokens: list[int], stop: tuple[str, ...]) -> bool:
        if not stop:
            return False
        # The last tokens are enough: a stop string ends in the newest token.
        tail = self.tokenizer.decode(tokens[-(8 + max(map(len, stop))) :])
        return any(text in tail for text in stop)

    def _text(self, tokens: list[int], sampling: Sampling) -> str:
        return sampling.cut(self.tokenizer.decode(tokens, skip_special_tokens=True))


def _searches(
    fitting: Sequence[tuple[Request, list[int]]], limit: int
) -> Iterator[list[tuple[Request, list[int]]]]:
    """Group searches for shared batches without padding, at most ``limit`` per batch."""
    groups: dict[object, list[tuple[Request, list[int]]]] = {}
    for request, prompt in fitting:
        groups.setdefault((len(prompt), request.count), []).append((request, prompt))
    size = max(limit, 1)
    for group in groups.values():
        yield from (group[at : at + size] for at in range(0, len(group), size))


def _logprob_fields(values: list[float], with_tokens: bool) -> dict[str, Any]:
    extra = {"token_logprobs": [round(value, 6) for value in values]} if with_tokens else {}
    return {"logprob": sum(values), "extra": extra}
