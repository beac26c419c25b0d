"""vLLM in process: `vllm/DIRECTORY` or `vllm/NAME-ON-A-HUB`, through its asynchronous engine."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from ..base import Continuation, Scored, ask_each, operational
from .beams import Hypothesis, beam_search
from .options import VllmModel, parse, prepare_environment
from .process_guard import Guard
from .text import Text

_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


@dataclass(frozen=True, kw_only=True)
class VllmEngine(VllmModel):
    """A model that vLLM runs in this process: a directory, or a name on a hub.

    ``concurrency`` requests are handed to the engine at once; it batches them, ``max-num-seqs`` at
    a time, and keeps the prefixes that prompts share. The engine starts when it is first asked, and
    runs until the model is closed. A beam search is scored by log-probability over length to the
    power of ``length_penalty``, and stops as soon as there are enough hypotheses
    (``beam_early_stopping``) or else when no beam is better than they are.
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

    def parser(self) -> Any:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        return AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        engine = await self._engine.started()

        async def ask(request: Request) -> list[Completion]:
            return await engine.answer(request)

        async with aclosing(ask_each(requests, ask, self.concurrency)) as answered:
            async for completions in answered:
                for completion in completions:
                    yield completion

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        """The end of the text is scored too, as a last token, where the tokenizer has one."""
        engine = await self._engine.started()
        at_once = 1 if self.scores_singly else self.concurrency
        async with aclosing(ask_each(texts, engine.score, at_once)) as scores:
            async for scored in scores:
                yield scored

    async def close(self) -> None:
        await self._engine.stop()

    def count_tokens(self, prompt: Rendered) -> int | None:
        return len(self._text.encode(prompt))

    @cached_property
    def _engine(self) -> _Lifecycle:
        return _Lifecycle(self)

    @cached_property
    def _text(self) -> Text:
        return Text(self, self.engine_arguments)

    @cached_property
    def engine_arguments(self) -> Any:
        """The options as vLLM's `AsyncEngineArgs`."""
        prepare_environment()
        from vllm.engine.arg_utils import AsyncEngineArgs

        found = AsyncEngineArgs.from_cli_args(parse(self.parser(), self.arguments, self.spec))
        found.disable_log_stats = True
        found.use_tqdm_on_load = False
        return found


class _Lifecycle:
    """Starts a model's engine once, and stops it on every way out."""

    def __init__(self, model: VllmEngine) -> None:
        self._model = model
        self._starting: asyncio.Task[_Engine] | None = None
        self._guard: Guard | None = None

    async def started(self) -> _Engine:
        """The engine, which is started when it is first asked for."""
        if self._starting is not None and self._starting.get_loop() != asyncio.get_running_loop():
            raise ModelError(f"model {self._model.spec} was not closed where it was asked before")
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> _Engine:
        text = await asyncio.to_thread(lambda: self._model._text)
        before = {child.pid for child in multiprocessing.active_children()}
        self._guard = Guard()
        # In a thread, for loading may take minutes and the run goes on scoring meanwhile.
        loading = asyncio.ensure_future(asyncio.to_thread(self._load))
        while not loading.done():
            await asyncio.wait({loading}, timeout=0.5)
            children = {child.pid for child in multiprocessing.active_children()}
            self._guard.watch(pid for pid in children - before if pid is not None)
        return _Engine(self._model, text, loading.result())

    def _load(self) -> Any:
        from vllm.v1.engine.async_llm import AsyncLLM

        try:
            return AsyncLLM.from_engine_args(self._model.engine_arguments)
        except Exception as error:
            reason = str(error).strip().replace("\n", " ")
            raise ModelError(f"model {self._model.spec}: vLLM did not start: {reason}") from error

    async def stop(self) -> None:
        if self._starting is None:
            return
        if not self._starting.done():  # loading ends when what it waits for does
            await self._release()
        with suppress(Exception):
            engine = await asyncio.shield(self._starting)
            # Else it reports the end of the engine as a failure, with a traceback.
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

    def __init__(self, model: VllmEngine, text: Text, llm: Any) -> None:
        self.model, self.text, self.llm = model, text, llm
        self._numbers = itertools.count()
        self._adapter: Any = None
        if model.lora:
            from vllm.lora.request import LoRARequest

            self._adapter = LoRARequest("adapter", 1, str(Path(model.lora).resolve()))

    async def answer(self, request: Request) -> list[Completion]:
        start = time.perf_counter()
        tokens = self.text.encode(request.prompt)
        room = self.text.length - len(tokens)
        if room < 1 or not tokens:
            detail = f"a prompt of {len(tokens)} tokens cannot be asked; max-model-len is "
            return Completion.failures(request, detail + str(self.text.length))
        limit = min(request.sampling.max_tokens, room)
        if request.sampling.beams:
            found = await self._search(request, tokens, limit)
        else:
            found = await self._sample(request, tokens, limit)
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                sample=sample,
                # They were read once, for the first sample.
                prompt_tokens=len(tokens) if sample == request.sample else 0,
                latency=latency,
                **values,
            )
            for sample, values in zip(request.samples, found, strict=False)
        ]

    async def _sample(
        self, request: Request, tokens: list[int], limit: int
    ) -> list[dict[str, Any]]:
        asked = request.sampling
        result = await self._generate(
            tokens,
            n=request.count,
            seed=request.seed,
            temperature=asked.temperature,
            top_p=asked.top_p,
            top_k=asked.top_k,
            min_p=asked.min_p,
            max_tokens=limit,
            stop=list(asked.stop),
            logprobs=0 if asked.logprobs else None,
            skip_special_tokens=self.text.skips_special(request.prompt),
        )
        return [
            self.text.split(request.prompt, output.text, output.token_ids)
            | {
                "finish_reason": _REASONS.get(output.finish_reason, FinishReason.ERROR),
                "detail": "" if output.finish_reason in _REASONS else str(output.finish_reason),
                "completion_tokens": len(output.token_ids),
            }
            | (_logprobs(_picked(output.token_ids, output.logprobs)) if asked.logprobs else {})
            for output in sorted(result.outputs, key=lambda output: int(output.index))
        ]

    async def _search(
        self, request: Request, tokens: list[int], limit: int
    ) -> list[dict[str, Any]]:
        width, stops = request.sampling.beams, request.sampling.stop

        async def extend(after: Sequence[int]) -> Mapping[int, float]:
            result = await self._generate(
                [*tokens, *after], max_tokens=1, temperature=0, logprobs=2 * width, detokenize=False
            )
            (following,) = result.outputs[0].logprobs
            return {token: found.logprob for token, found in following.items()}

        def stopped(after: Sequence[int]) -> bool:
            # A stop string may begin in an earlier token: look at the end, with room for it.
            late = after[-max(map(len, stops)) - 8 :] if stops else ()
            text = self.text.decode(request.prompt, late)
            return any(stop in text for stop in stops)

        hypotheses = await beam_search(
            extend,
            width=width,
            max_tokens=limit,
            ends=self.text.ends(),
            penalty=self.model.length_penalty,
            early=self.model.beam_early_stopping,
            stopped=stopped,
        )
        return [self._hypothesis(found, rank, request) for rank, found in enumerate(hypotheses)] + [
            {
                "text": "",
                "rank": rank,
                "finish_reason": FinishReason.ERROR,
                "detail": f"the search has only {len(hypotheses)} hypotheses",
            }
            for rank in range(len(hypotheses), request.count)
        ]

    def _hypothesis(self, found: Hypothesis, rank: int, request: Request) -> dict[str, Any]:
        ends = found.ended and found.tokens[-1] in self.text.ends()
        text = self.text.decode(request.prompt, found.tokens[:-1] if ends else found.tokens)
        logprobs = _logprobs(found.logprobs)
        if not request.sampling.logprobs:
            logprobs.pop("extra")
        return (
            self.text.split(request.prompt, request.sampling.cut(text), found.tokens)
            | logprobs
            | {
                "rank": rank,
                "score": round(found.score(self.model.length_penalty), 6),
                "finish_reason": FinishReason.STOP if found.ended else FinishReason.LENGTH,
                "completion_tokens": len(found.tokens),
            }
        )

    async def score(self, item: Continuation) -> Scored:
        before, after = self.text.continuation(item.prompt, item.text)
        end = [] if self.text.end is None else [self.text.end]
        tokens = [*before, *after, *end]
        if not before:
            raise ModelError(f"{item.key}: a text can only be scored after a prompt")
        if len(tokens) >= self.text.length:
            detail = f"{len(tokens)} tokens; max-model-len is {self.text.length}"
            return Scored(item.key, (), detail=detail)
        result = await self._generate(tokens, max_tokens=1, temperature=0, prompt_logprobs=0)
        found = _picked(tokens[len(before) :], result.prompt_logprobs[len(before) :])
        return Scored(item.key, found, ended=bool(end))

    async def _generate(self, tokens: list[int], **settings: Any) -> Any:
        from vllm import SamplingParams
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind
        from vllm.v1.engine.exceptions import EngineDeadError

        asked = SamplingParams(output_kind=RequestOutputKind.FINAL_ONLY, **settings)
        stream = self.llm.generate(
            tokens_input(tokens),
            asked,
            request_id=str(next(self._numbers)),
            lora_request=self._adapter,
        )
        try:
            async with aclosing(stream) as results:
                return [result async for result in results][-1]
        except EngineDeadError as error:
            raise ModelError(
                f"model {self.model.spec}: vLLM's engine died; what was answered is stored, and "
                "the same command goes on from there"
            ) from error


def _picked(tokens: Iterable[int], found: Iterable[Mapping[int, Any]]) -> tuple[float, ...]:
    """The log-probabilities of the tokens that there are, among those of likely ones."""
    return tuple(float(row[token].logprob) for token, row in zip(tokens, found, strict=True))


def _logprobs(found: Sequence[float]) -> dict[str, Any]:
    rounded = [round(logprob, 6) for logprob in found]
    return {"logprob": round(sum(found), 6), "extra": {"token_logprobs": rounded}}
