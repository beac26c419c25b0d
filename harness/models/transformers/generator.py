"""`transformers` in process: for small models, and machines on which vLLM does not run."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, Sampling
from ..base import Capability, Continuation, Model, Scored, operational
from ..checkpoints import directory_hash, hub_commit

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TransformersModel(Model):
    """A causal language model of the library `transformers`, in this process.

    Plain batches of ``batch_size`` requests: simple and exact, and far slower than vLLM for large
    models. Every sample has its own random numbers, from its seed, so that its draws do not depend
    on what else is in its batch. A directory is identified by the hash of its files, so that a
    model that was trained on is another one, and a name on a hub by its commit.
    """

    dtype: str = "float32"
    revision: str = ""
    enable_thinking: bool | None = None  # by default the chat template decides
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
        """The directory or the id on a hub."""
        return self.spec.partition("/")[2]

    @cached_property
    def commit(self) -> str:
        """The commit of a model on a hub; empty for a directory."""
        return "" if Path(self.name).is_dir() else hub_commit(self.name, self.revision)

    def fingerprint(self) -> dict[str, Any]:
        if self.commit:
            return {"commit": self.commit}
        folder = Path(self.name)  # its place is not what the model is
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
    def _loaded(self) -> _Loaded:
        return _Loaded.of(self)

    def count_tokens(self, prompt: Rendered) -> int | None:
        return len(self._loaded.encode(prompt))

    async def close(self) -> None:
        self.__dict__.pop("_loaded", None)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for batch in _batches(requests, self.batch_size):
            for group in _alike(batch):
                for completion in await asyncio.to_thread(self._loaded.answer, group):
                    yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        async for batch in _batches(texts, self.batch_size):
            for scored in await asyncio.to_thread(self._loaded.score, batch):
                yield scored


async def _batches(items: AsyncIterator[T], size: int) -> AsyncGenerator[list[T], None]:
    batch: list[T] = []
    async for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _alike(requests: Sequence[Request]) -> list[list[Request]]:
    """Requests that can share a batch: those of one sampling. A search goes alone."""
    groups: dict[object, list[Request]] = {}
    for place, request in enumerate(requests):
        alone = place if request.sampling.beams else None
        groups.setdefault((request.sampling, alone), []).append(request)
    return list(groups.values())


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelError(
            "models of the kind transformers need the extra 'train': "
            "pip install 'calculus-harness[train]'"
        ) from None


class _Loaded:
    """The model in memory."""

    def __init__(self, model: Any, tokenizer: Any, *, thinking: bool | None, device: str) -> None:
        self.torch = _import("torch")
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.thinking = thinking
        ends = model.generation_config.eos_token_id
        ends = ends if ends is not None else tokenizer.eos_token_id
        self.ends = set(ends if isinstance(ends, list) else [ends]) - {None}
        self.context: int = getattr(model.config, "max_position_embeddings", 1 << 30)
        self.chooses_logits = "logits_to_keep" in inspect.signature(model.forward).parameters

    @classmethod
    def of(cls, options: TransformersModel) -> _Loaded:
        torch, transformers = _import("torch"), _import("transformers")
        where = {"revision": options.commit} if options.commit else {}
        device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(options.name, **where)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                options.name, dtype=getattr(torch, options.dtype), **where
            ).to(device)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(f"model {options.spec} cannot be loaded: {reason}") from None
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
        """Answer requests of one sampling."""
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
        import numpy as np

        torch, start = self.torch, time.perf_counter()
        ids, mask = self._padded([prompt for _, prompt, _ in rows])
        # A stream of uniform numbers for each sample: its own seed's, and its place in a group's.
        streams = [
            np.random.Generator(np.random.Philox(key=[request.seed, sample - request.sample]))
            for request, _, sample in rows
        ]
        room = min(sampling.max_tokens, self.context - ids.shape[1])
        said: list[list[int]] = [[] for _ in rows]
        logprobs: list[list[float]] = [[] for _ in rows]
        ended = [FinishReason.LENGTH] * len(rows)
        alive = list(range(len(rows)))
        cache = None
        for _ in range(room):
            output = self._output(ids, mask, last=1, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            raw = torch.log_softmax(output.logits[:, -1].double(), dim=-1)
            draws = [streams[row].random() if row in alive else 0.0 for row in range(len(rows))]
            chosen = self._choose(raw, sampling, torch.tensor(draws, device=self.device))
            picked = raw.gather(1, chosen[:, None])[:, 0].tolist()
            for row in list(alive):
                token = int(chosen[row])
                said[row].append(token)
                logprobs[row].append(picked[row])
                if token in self.ends or self._stopped(said[row], sampling.stop):
                    ended[row] = FinishReason.STOP
                    alive.remove(row)
            if not alive:
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
                **_probabilities(values, sampling.logprobs),
            )
            for (request, prompt, sample), tokens, values, reason in zip(
                rows, said, logprobs, ended, strict=True
            )
        ]

    def _choose(self, raw: Any, sampling: Sampling, draws: Any) -> Any:
        """A token for each row, by the inverse of the cumulative distribution."""
        torch = self.torch
        if sampling.temperature == 0:
            return raw.argmax(dim=-1)
        chances, order = torch.softmax(raw / sampling.temperature, dim=-1).sort(
            dim=-1, descending=True, stable=True
        )
        if sampling.top_k:
            chances[:, sampling.top_k :] = 0
        if sampling.min_p:
            chances = chances.where(chances >= sampling.min_p * chances[:, :1], 0)
        if sampling.top_p < 1:
            before = chances.cumsum(-1) - chances
            chances = chances.where(before < sampling.top_p, 0)
        steps = chances.cumsum(-1)
        places = torch.searchsorted(steps, draws[:, None] * steps[:, -1:], right=True)
        return order.gather(1, places.clamp(max=raw.shape[1] - 1))[:, 0]

    def _search(self, request: Request, prompt: list[int]) -> list[Completion]:
        """Beam search: hypotheses ranked by their mean log-probability, as `transformers` does."""
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
        found = []
        for row in output.sequences[:, len(prompt) :].tolist():
            end = next((i + 1 for i, token in enumerate(row) if token in self.ends), len(row))
            found.append(row[:end])
        values = self._logprobs([(prompt, tokens) for tokens in found])
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                self._text(tokens, sampling),
                sample=sample,
                rank=sample,
                score=scores[place],
                finish_reason=FinishReason.STOP
                if tokens and tokens[-1] in self.ends
                else FinishReason.LENGTH,
                prompt_tokens=len(prompt),
                completion_tokens=len(tokens),
                latency=latency,
                **_probabilities(values[place], sampling.logprobs),
            )
            for place, (sample, tokens) in enumerate(zip(request.samples, found, strict=True))
        ]

    # --- given texts ---

    def score(self, texts: Sequence[Continuation]) -> list[Scored]:
        """The end of the text is scored too, where the model has a token for it."""
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
        """The log-probability of every token of a text after its prompt."""
        torch = self.torch
        ids, mask = self._padded([prompt + text for prompt, text in pairs])
        longest = max(len(text) for _, text in pairs)
        logits = self._output(ids, mask, last=longest + 1).logits
        found = []
        for row, (_, text) in enumerate(pairs):
            # Double precision only where the text is: for a whole batch it would fill a GPU.
            raw = torch.log_softmax(logits[row, -1 - len(text) : -1].double(), dim=-1)
            said = ids[row, ids.shape[1] - len(text) :, None]
            found.append(raw.gather(1, said)[:, 0].tolist())
        return found

    def _output(self, ids: Any, mask: Any, *, last: int, **more: Any) -> Any:
        """What the model makes of tokens padded on the left; logits of the ``last``, or of all.

        All logits of long prompts would fill a GPU, but not every architecture can leave some out.
        """
        if self.chooses_logits:
            more["logits_to_keep"] = last
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        return self.model(input_ids=ids, attention_mask=mask, position_ids=positions, **more)

    # --- tokens ---

    @property
    def _pad(self) -> int:
        pad = self.tokenizer.pad_token_id
        return int(pad if pad is not None else next(iter(self.ends), 0))

    def _padded(self, rows: Sequence[list[int]]) -> tuple[Any, Any]:
        """Token ids and attention mask, both (rows, longest), padded on the left."""
        longest = max(map(len, rows))
        ids = [[self._pad] * (longest - len(row)) + row for row in rows]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        tensor = self.torch.tensor
        return tensor(ids, device=self.device), tensor(mask, device=self.device)

    def _stopped(self, tokens: list[int], stop: tuple[str, ...]) -> bool:
        if not stop:
            return False
        # The end of the text is enough: a stop string ends in the newest token.
        tail = self.tokenizer.decode(tokens[-(8 + max(map(len, stop))) :])
        return any(text in tail for text in stop)

    def _text(self, tokens: list[int], sampling: Sampling) -> str:
        return sampling.cut(self.tokenizer.decode(tokens, skip_special_tokens=True))


def _probabilities(values: list[float], wanted: bool) -> dict[str, Any]:
    extra = {"token_logprobs": [round(value, 6) for value in values]} if wanted else {}
    return {"logprob": sum(values), "extra": extra}
