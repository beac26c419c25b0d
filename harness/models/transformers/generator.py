"""Causal language models of `transformers`, in this process, for small models."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, Sampling
from ..base import Capability, Continuation, Model, Scored, operational
from ..checkpoints import directory_hash, hub_commit
from .shared import batches, device_of, import_module, load_error


@dataclass(frozen=True, kw_only=True)
class TransformersModel(Model):
    """A causal language model of the library `transformers`, in this process.

    Generates in plain batches of ``batch_size`` requests, far slower than vLLM for large models.
    Each sample has its own random numbers from its seed, whatever else is in its batch. A directory
    is identified by the hash of its files, a name on a hub by its commit.
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

    @property
    def name(self) -> str:
        """The directory, or the name on a hub."""
        return self.spec.partition("/")[2]

    @cached_property
    def commit(self) -> str:
        """The commit of a model on a hub; empty for a directory."""
        return "" if Path(self.name).is_dir() else hub_commit(self.name, self.revision)

    def fingerprint(self) -> dict[str, Any]:
        if self.commit:
            return {"commit": self.commit}
        folder = Path(self.name)  # its path is not part of the identity
        return {"spec": f"transformers/{folder.name}", "files": directory_hash(folder)}

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | {
            Capability.TOP_K,
            Capability.MIN_P,
            Capability.SEED,
            Capability.GROUPED,
            Capability.BEAMS,
            Capability.LOGPROBS,
            Capability.SCORING,
        }

    @cached_property
    def _loaded(self) -> _LoadedModel:
        return _LoadedModel.of(self)

    def count_tokens(self, prompt: Rendered) -> int | None:
        return len(self._loaded.encode(prompt))

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
    """Group requests that can share a batch: of the same sampling. A beam search is alone."""
    groups: dict[object, list[Request]] = {}
    for position, request in enumerate(requests):
        alone = position if request.sampling.beams else None
        groups.setdefault((request.sampling, alone), []).append(request)
    return list(groups.values())


class _LoadedModel:
    """A model and its tokenizer in memory."""

    def __init__(self, model: Any, tokenizer: Any, *, thinking: bool | None, device: str) -> None:
        self.torch = import_module("torch", "transformers")
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.thinking = thinking
        ends = model.generation_config.eos_token_id
        ends = ends if ends is not None else tokenizer.eos_token_id
        self.end_tokens = set(ends if isinstance(ends, list) else [ends]) - {None}
        self.context: int = getattr(model.config, "max_position_embeddings", 1 << 30)
        self.limits_logits = "logits_to_keep" in inspect.signature(model.forward).parameters

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
            model = transformers.AutoModelForCausalLM.from_pretrained(
                options.name, dtype=getattr(torch, options.dtype), **where
            ).to(device)
        except (OSError, ValueError) as error:
            raise load_error(options.spec, error) from None
        return cls(model.eval(), tokenizer, thinking=options.enable_thinking, device=device)

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
        prompts = [self.encode(request.prompt) for request in requests]
        fitting, completions = [], []
        for request, prompt in zip(requests, prompts, strict=True):
            if prompt and len(prompt) < self.context:
                fitting.append((request, prompt))
                continue
            detail = f"a prompt of {len(prompt)} tokens; the model takes 1 to {self.context - 1}"
            completions += Completion.failures(request, detail)
        if not fitting:
            return completions
        with self.torch.inference_mode():
            if requests[0].sampling.beams:
                return completions + self._search(*fitting[0])
            rows = [
                (request, prompt, sample)
                for request, prompt in fitting
                for sample in request.samples
            ]
            return completions + self._sample(rows, requests[0].sampling)

    def _sample(
        self, rows: Sequence[tuple[Request, list[int], int]], sampling: Sampling
    ) -> list[Completion]:
        torch, start = self.torch, time.perf_counter()
        ids, mask = self._padded([prompt for _, prompt, _ in rows])
        # Uniform random numbers for each sample, from its seed and its position in a group.
        generators = [
            np.random.Generator(np.random.Philox(key=[request.seed, sample - request.sample]))
            for request, _, sample in rows
        ]
        limit = min(sampling.max_tokens, self.context - ids.shape[1])
        generated: list[list[int]] = [[] for _ in rows]
        logprobs: list[list[float]] = [[] for _ in rows]
        reasons = [FinishReason.LENGTH] * len(rows)
        unfinished = list(range(len(rows)))
        cache = None
        for _ in range(limit):
            output = self._output(ids, mask, last=1, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            log_probabilities = torch.log_softmax(output.logits[:, -1].double(), dim=-1)
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
            ids = chosen[:, None]
            mask = torch.cat([mask, torch.ones_like(ids)], dim=1)
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
        probabilities, order = torch.softmax(log_probabilities / sampling.temperature, dim=-1).sort(
            dim=-1, descending=True, stable=True
        )
        if sampling.top_k:
            probabilities[:, sampling.top_k :] = 0
        if sampling.min_p:
            probabilities = probabilities.where(
                probabilities >= sampling.min_p * probabilities[:, :1], 0
            )
        if sampling.top_p < 1:
            before = probabilities.cumsum(-1) - probabilities
            probabilities = probabilities.where(before < sampling.top_p, 0)
        cumulative = probabilities.cumsum(-1)
        thresholds = uniforms[:, None] * cumulative[:, -1:]
        ranks = torch.searchsorted(cumulative, thresholds, right=True)
        return order.gather(1, ranks.clamp(max=order.shape[1] - 1))[:, 0]

    def _search(self, request: Request, prompt: list[int]) -> list[Completion]:
        """Beam search of `transformers`, which ranks hypotheses by mean log-probability."""
        sampling, start = request.sampling, time.perf_counter()
        ids, mask = self._padded([prompt])
        output = self.model.generate(
            input_ids=ids,
            attention_mask=mask,
            num_beams=sampling.beams,
            num_return_sequences=request.count,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            max_new_tokens=min(sampling.max_tokens, self.context - len(prompt)),
            early_stopping=True,
            return_dict_in_generate=True,
            output_scores=True,
            pad_token_id=self._pad,
        )
        scores = output.sequences_scores.tolist()
        hypotheses = []
        for row in output.sequences[:, len(prompt) :].tolist():
            end = next((i + 1 for i, token in enumerate(row) if token in self.end_tokens), len(row))
            hypotheses.append(row[:end])
        values = self._logprobs([(prompt, tokens) for tokens in hypotheses])
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                self._text(tokens, sampling),
                sample=sample,
                rank=sample,
                score=scores[rank],
                finish_reason=FinishReason.STOP
                if tokens and tokens[-1] in self.end_tokens
                else FinishReason.LENGTH,
                prompt_tokens=len(prompt),
                completion_tokens=len(tokens),
                latency=latency,
                **_logprob_fields(values[rank], sampling.logprobs),
            )
            for rank, (sample, tokens) in enumerate(zip(request.samples, hypotheses, strict=True))
        ]

    # --- given texts ---

    def score(self, texts: Sequence[Continuation]) -> list[Scored]:
        """Score texts, each with the end-of-text token if the model has one."""
        end = [self.tokenizer.eos_token_id] if self.tokenizer.eos_token_id is not None else []
        pairs = []
        for text in texts:
            prompt = self.encode(text.prompt)
            if not prompt:
                raise ModelError(f"{text.key}: a text can only be scored after a prompt")
            tokens = self.tokenizer(text.text, add_special_tokens=False)["input_ids"]
            pairs.append((prompt, [*tokens, *end]))
        with self.torch.inference_mode():
            values = self._logprobs(pairs)
        return [
            Scored(text.key, tuple(row), ended=bool(end))
            for text, row in zip(texts, values, strict=True)
        ]

    def _logprobs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[list[float]]:
        """Return the log-probability of every token of the texts, each after its prompt."""
        torch = self.torch
        ids, mask = self._padded([prompt + text for prompt, text in pairs])
        longest = max(len(text) for _, text in pairs)
        logits = self._output(ids, mask, last=longest + 1).logits
        results = []
        for row, (_, text) in enumerate(pairs):
            # Double precision for one text at a time: for a whole batch it would fill a GPU.
            log_probabilities = torch.log_softmax(logits[row, -1 - len(text) : -1].double(), dim=-1)
            tokens = ids[row, ids.shape[1] - len(text) :, None]
            results.append(log_probabilities.gather(1, tokens)[:, 0].tolist())
        return results

    def _output(self, ids: Any, mask: Any, *, last: int, **more: Any) -> Any:
        """Run the model on left-padded tokens; returns the ``last`` logits, or all.

        All logits of long prompts would fill a GPU, but not every architecture can limit them.
        """
        if self.limits_logits:
            more["logits_to_keep"] = last
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        return self.model(input_ids=ids, attention_mask=mask, position_ids=positions, **more)

    # --- tokens ---

    @property
    def _pad(self) -> int:
        pad = self.tokenizer.pad_token_id
        return int(pad if pad is not None else next(iter(self.end_tokens), 0))

    def _padded(self, rows: Sequence[list[int]]) -> tuple[Any, Any]:
        """Return token ids and attention mask, both (rows, longest), padded on the left."""
        longest = max(map(len, rows))
        ids = [[self._pad] * (longest - len(row)) + row for row in rows]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        tensor = self.torch.tensor
        return tensor(ids, device=self.device), tensor(mask, device=self.device)

    def _stopped(self, tokens: list[int], stop: tuple[str, ...]) -> bool:
        if not stop:
            return False
        # The last tokens are enough: a stop string ends in the newest.
        tail = self.tokenizer.decode(tokens[-(8 + max(map(len, stop))) :])
        return any(text in tail for text in stop)

    def _text(self, tokens: list[int], sampling: Sampling) -> str:
        return sampling.cut(self.tokenizer.decode(tokens, skip_special_tokens=True))


def _logprob_fields(values: list[float], wanted: bool) -> dict[str, Any]:
    extra = {"token_logprobs": [round(value, 6) for value in values]} if wanted else {}
    return {"logprob": sum(values), "extra": extra}
