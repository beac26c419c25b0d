"""vLLM's asynchronous engine in the process: `vllm/DIRECTORY` or `vllm/NAME-ON-A-HUB`."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ....prompts.rendering import Rendered
from ...core.errors import EngineDiedError, ModelError, reason_of
from ...core.requests import Completion, FinishReason, Request
from ...core.wording import counted
from ..base import Capability, Continuation, Model, Scored, ask_each, operational
from ..placement import Placement
from .beams import Hypothesis, beam_search
from .options import VllmModel, engine_placement, parse, prepare_environment
from .process_guard import ProcessGuard
from .tokenizer import VllmTokenizer

_FINISH_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


@dataclass(frozen=True, kw_only=True)
class VllmEngine(VllmModel):
    """A model in vLLM's engine in this process: a directory, or a name on a hub.

    The engine gets ``concurrency`` requests at once, batches ``max-num-seqs`` of them, and caches
    the prefixes that prompts share. The engine starts at the first request and runs until the model
    is closed. On a cluster, ``data-parallel-size`` engines (by default as many as the GPUs allow)
    have ``tensor-parallel-size`` x ``pipeline-parallel-size`` GPUs each. Beams are scored by
    log-probability over length to the power of ``length_penalty``; the search stops at enough
    hypotheses (``beam_early_stopping``), or else when no beam is better than the hypotheses.
    """

    concurrency: int = operational(512)
    length_penalty: float = 1.0
    beam_early_stopping: bool = True

    example: ClassVar[str] = (
        "run.py sweep --model vllm/Qwen/Qwen3-8B -M tensor-parallel-size=2 "
        "-M max-model-len=16384 -M enable-thinking=true --benchmark bee -n 4"
    )

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError("concurrency must be positive")
        super().__post_init__()

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities - {Capability.PICTURES}

    def hint(self, lacking: Collection[Capability]) -> str:
        only_pictures = set(lacking) == {Capability.PICTURES}
        return f"; vllm-server/{self.name} has them" if only_pictures else ""

    def parser(self) -> Any:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        return AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        engine = await self._engine.started()

        async def ask(request: Request) -> list[Completion]:
            return await engine.answer(request)

        async with aclosing(ask_each(requests, ask, self.concurrency)) as results:
            async for completions in results:
                for completion in completions:
                    yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        """Score texts, each with the end-of-text token, if the tokenizer has the token."""
        engine = await self._engine.started()
        concurrency = 1 if self.scores_singly else self.concurrency
        async with aclosing(ask_each(texts, engine.score, concurrency)) as scores:
            async for scored in scores:
                yield scored

    async def close(self) -> None:
        await self._engine.stop()

    @property
    def placement(self) -> Placement:
        return engine_placement(self.spec, dict(self.engine), self.concurrency)

    def one_engine(self, *, spread: bool) -> Model:
        options = dict(self.engine)
        options.pop("data-parallel-size", None)
        if spread:
            options["distributed-executor-backend"] = "ray"
        return replace(self, engine=tuple(sorted(options.items())))

    def count_tokens(self, prompt: Rendered) -> int | None:
        return len(self._tokenizer.encode(prompt))

    @cached_property
    def _engine(self) -> _EngineLifecycle:
        return _EngineLifecycle(self)

    @cached_property
    def _tokenizer(self) -> VllmTokenizer:
        return VllmTokenizer(self, self.engine_arguments)

    @cached_property
    def engine_arguments(self) -> Any:
        """The options as vLLM's `AsyncEngineArgs`."""
        prepare_environment()
        from vllm.engine.arg_utils import AsyncEngineArgs

        arguments = AsyncEngineArgs.from_cli_args(parse(self.parser(), self.arguments, self.spec))
        arguments.disable_log_stats = True
        arguments.use_tqdm_on_load = False
        return arguments


class _EngineLifecycle:
    """Starts a model's engine once, and stops the engine."""

    def __init__(self, model: VllmEngine) -> None:
        self._model = model
        self._starting: asyncio.Task[_Engine] | None = None
        self._guard: ProcessGuard | None = None

    async def started(self) -> _Engine:
        """Return the engine, started at the first call."""
        if self._starting is not None and self._starting.get_loop() != asyncio.get_running_loop():
            raise ModelError(
                f"model {self._model.spec} runs in another event loop; close it there first"
            )
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> _Engine:
        tokenizer = await asyncio.to_thread(lambda: self._model._tokenizer)
        earlier_children = {child.pid for child in multiprocessing.active_children()}
        self._guard = ProcessGuard()
        # In a thread: loading may take minutes, and the run goes on scoring.
        loading = asyncio.ensure_future(asyncio.to_thread(self._load))
        while not loading.done():
            await asyncio.wait({loading}, timeout=0.5)
            children = {child.pid for child in multiprocessing.active_children()}
            self._guard.watch(pid for pid in children - earlier_children if pid is not None)
        return _Engine(self._model, tokenizer, loading.result())

    def _load(self) -> Any:
        from vllm.v1.engine.async_llm import AsyncLLM

        try:
            return AsyncLLM.from_engine_args(self._model.engine_arguments)
        except Exception as error:
            reason = reason_of(error)
            raise ModelError(f"model {self._model.spec}: vLLM did not start: {reason}") from error

    async def stop(self) -> None:
        if self._starting is None:
            return
        if not self._starting.done():  # loading ends when its processes end
            await self._release()
        with suppress(Exception):
            engine = await asyncio.shield(self._starting)
            # A running handler would log the shutdown as a failure.
            if (handler := getattr(engine.llm, "output_handler", None)) is not None:
                handler.cancel()
            await asyncio.to_thread(engine.llm.shutdown)
        await self._release()
        self._starting = self._guard = None

    async def _release(self) -> None:
        if self._guard is not None:
            await asyncio.to_thread(self._guard.release)


class _Engine:
    """A running engine."""

    def __init__(self, model: VllmEngine, tokenizer: VllmTokenizer, llm: Any) -> None:
        self.model, self.tokenizer, self.llm = model, tokenizer, llm
        self._request_ids = itertools.count()
        self._adapter: Any = None
        if model.lora:
            from vllm.lora.request import LoRARequest

            self._adapter = LoRARequest("adapter", 1, str(Path(model.lora).resolve()))

    async def answer(self, request: Request) -> list[Completion]:
        start = time.perf_counter()
        tokens = self.tokenizer.encode(request.prompt)
        room = self.tokenizer.length - len(tokens)
        if room < 1 or not tokens:
            detail = f"a prompt of {len(tokens)} tokens cannot be asked; max-model-len is "
            return Completion.failures(request, detail + str(self.tokenizer.length))
        limit = min(request.sampling.max_tokens, room)
        if request.sampling.beams:
            results = await self._search(request, tokens, limit)
        else:
            results = await self._sample(request, tokens, limit)
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                sample=sample,
                # Counted once, at the first sample.
                prompt_tokens=len(tokens) if sample == request.sample else 0,
                latency=latency,
                **values,
            )
            for sample, values in zip(request.samples, results, strict=False)
        ]

    async def _sample(
        self, request: Request, tokens: list[int], limit: int
    ) -> list[dict[str, Any]]:
        sampling = request.sampling
        result = await self._generate(
            tokens,
            n=request.count,
            seed=request.seed,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            min_p=sampling.min_p,
            max_tokens=limit,
            stop=list(sampling.stop),
            logprobs=0 if sampling.logprobs else None,
            skip_special_tokens=self.tokenizer.skips_special(request.prompt),
        )
        return [
            self.tokenizer.split(request.prompt, output.text, output.token_ids)
            | {
                "finish_reason": _FINISH_REASONS.get(output.finish_reason, FinishReason.ERROR),
                "detail": ""
                if output.finish_reason in _FINISH_REASONS
                else str(output.finish_reason),
                "completion_tokens": len(output.token_ids),
            }
            | (
                _logprob_fields(_token_logprobs(output.token_ids, output.logprobs))
                if sampling.logprobs
                else {}
            )
            for output in sorted(result.outputs, key=lambda output: int(output.index))
        ]

    async def _search(
        self, request: Request, tokens: list[int], limit: int
    ) -> list[dict[str, Any]]:
        width, stops = request.sampling.beams, request.sampling.stop

        async def extend(new_tokens: Sequence[int]) -> Mapping[int, float]:
            result = await self._generate(
                [*tokens, *new_tokens],
                max_tokens=1,
                temperature=0,
                logprobs=2 * width,
                detokenize=False,
            )
            (following,) = result.outputs[0].logprobs
            return {token: entry.logprob for token, entry in following.items()}

        def stopped(new_tokens: Sequence[int]) -> bool:
            # A stop string may begin in an earlier token.
            tail = new_tokens[-max(map(len, stops)) - 8 :] if stops else ()
            text = self.tokenizer.decode(request.prompt, tail)
            return any(stop in text for stop in stops)

        hypotheses = await beam_search(
            extend,
            width=width,
            max_tokens=limit,
            ends=self.tokenizer.ends(),
            penalty=self.model.length_penalty,
            early=self.model.beam_early_stopping,
            stopped=stopped,
        )
        return [
            self._fields(hypothesis, rank, request) for rank, hypothesis in enumerate(hypotheses)
        ] + [
            {
                "text": "",
                "rank": rank,
                "finish_reason": FinishReason.ERROR,
                "detail": f"the search has only {len(hypotheses)} hypotheses",
            }
            for rank in range(len(hypotheses), request.count)
        ]

    def _fields(self, hypothesis: Hypothesis, rank: int, request: Request) -> dict[str, Any]:
        """A hypothesis as the fields of a completion."""
        ends = hypothesis.ended and hypothesis.tokens[-1] in self.tokenizer.ends()
        text = self.tokenizer.decode(
            request.prompt, hypothesis.tokens[:-1] if ends else hypothesis.tokens
        )
        logprobs = _logprob_fields(hypothesis.logprobs)
        if not request.sampling.logprobs:
            logprobs.pop("extra")
        return (
            self.tokenizer.split(request.prompt, request.sampling.cut(text), hypothesis.tokens)
            | logprobs
            | {
                "rank": rank,
                "score": round(hypothesis.score(self.model.length_penalty), 6),
                "finish_reason": FinishReason.STOP if hypothesis.ended else FinishReason.LENGTH,
                "completion_tokens": len(hypothesis.tokens),
            }
        )

    async def score(self, item: Continuation) -> Scored:
        prefix, suffix = self.tokenizer.continuation(item.prompt, item.text)
        end = [] if self.tokenizer.end is None else [self.tokenizer.end]
        tokens = [*prefix, *suffix, *end]
        if not prefix:
            raise ModelError(f"{item.key}: a text can only be scored after a prompt")
        if len(tokens) >= self.tokenizer.length:
            detail = f"{counted(len(tokens), 'token')}; max-model-len is {self.tokenizer.length}"
            return Scored(item.key, (), detail=detail)
        result = await self._generate(tokens, max_tokens=1, temperature=0, prompt_logprobs=0)
        logprobs = _token_logprobs(tokens[len(prefix) :], result.prompt_logprobs[len(prefix) :])
        return Scored(item.key, logprobs, ended=bool(end))

    async def _generate(self, tokens: list[int], **settings: Any) -> Any:
        from vllm import SamplingParams
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind
        from vllm.v1.engine.exceptions import EngineDeadError

        parameters = SamplingParams(output_kind=RequestOutputKind.FINAL_ONLY, **settings)
        stream = self.llm.generate(
            tokens_input(tokens),
            parameters,
            request_id=str(next(self._request_ids)),
            lora_request=self._adapter,
        )
        try:
            async with aclosing(stream) as results:
                return [result async for result in results][-1]
        except EngineDeadError as error:
            raise EngineDiedError(
                f"model {self.model.spec}: vLLM's engine died; what was answered is stored, and "
                "the same command goes on from there"
            ) from error


def _token_logprobs(tokens: Iterable[int], rows: Iterable[Mapping[int, Any]]) -> tuple[float, ...]:
    """Return the tokens' log-probabilities; each row has several candidates."""
    return tuple(float(row[token].logprob) for token, row in zip(tokens, rows, strict=True))


def _logprob_fields(logprobs: Sequence[float]) -> dict[str, Any]:
    rounded = [round(logprob, 6) for logprob in logprobs]
    return {"logprob": round(sum(logprobs), 6), "extra": {"token_logprobs": rounded}}
