"""A Python function as a model: `python/my_model.py:answer`."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..core.errors import ModelError
from ..core.requests import Completion, FinishReason, Request
from .base import Capability, Model, ask_each, operational


@dataclass(frozen=True, kw_only=True)
class PythonFunction(Model):
    """A function `answer(messages, seed) -> str`, plain or async, in a Python file.

    With a third argument, `answer(messages, seed, count) -> list[str]`, it returns several samples
    at once (``--grouped``) or the results of a beam search, best first (``--beams``).

    ``messages`` is a list of ``{"role", "content"}`` dictionaries; a text to complete is one
    message of the role ``user``. Plain functions run in threads, ``concurrency`` at once. An
    exception becomes the sample's ``error``. The hash of the file is part of the model's identity.
    """

    concurrency: int = operational(8)

    example: ClassVar[str] = "run.py sweep --model python/my_model.py:answer --benchmark bee"

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError("concurrency must be positive")
        _ = self._function

    def fingerprint(self) -> dict[str, Any]:
        return {"file": hashlib.sha256(self._path.read_bytes()).hexdigest()}

    @property
    def capabilities(self) -> frozenset[Capability]:
        several = {Capability.GROUPED, Capability.BEAMS} if self._several else set()
        return super().capabilities | {Capability.SEED} | several

    @cached_property
    def _several(self) -> bool:
        return "count" in inspect.signature(self._function).parameters

    @property
    def _path(self) -> Path:
        return Path(self.spec.partition("/")[2].rpartition(":")[0])

    @cached_property
    def _function(self) -> Callable[..., Any]:
        name = self.spec.rpartition(":")[2]
        if self._path.suffix != ".py":
            raise ModelError(f"model {self.spec}: write it as python/FILE.py:FUNCTION")
        if not self._path.is_file():
            raise ModelError(f"model {self.spec}: there is no file {self._path}")
        specification = importlib.util.spec_from_file_location(self._path.stem, self._path)
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        try:
            specification.loader.exec_module(module)
        except Exception as error:
            raise ModelError(f"model {self.spec}: {type(error).__name__}: {error}") from error
        function = getattr(module, name, None)
        if not callable(function):
            raise ModelError(f"model {self.spec}: {self._path} has no function {name!r}")
        result: Callable[..., Any] = function
        return result

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        threads = ThreadPoolExecutor(self.concurrency, thread_name_prefix="model")

        async def ask(request: Request) -> list[Completion]:
            return await self._ask(request, threads)

        try:
            async with aclosing(ask_each(requests, ask, self.concurrency)) as results:
                async for completions in results:
                    for completion in completions:
                        yield completion
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, request: Request, threads: Executor) -> list[Completion]:
        messages = request.prompt.turns or [{"role": "user", "content": request.prompt.text}]
        arguments = (messages, request.seed, *([request.count] if self._several else []))
        start = time.perf_counter()
        texts, reason, detail = [""] * request.count, FinishReason.STOP, ""
        try:
            if inspect.iscoroutinefunction(self._function):
                result = await self._function(*arguments)
            else:
                loop = asyncio.get_running_loop()
                result = await loop.run_in_executor(threads, self._function, *arguments)
            texts = _strings(result if self._several else [result], request.count)
        except Exception as error:
            reason, detail = FinishReason.ERROR, f"{type(error).__name__}: {error}"
        latency = round(time.perf_counter() - start, 3)
        return [
            Completion.to(
                request,
                text,
                sample=sample,
                rank=sample if request.sampling.beams else 0,
                finish_reason=reason,
                detail=detail[:500],
                latency=latency,
            )
            for sample, text in zip(request.samples, texts, strict=True)
        ]


def _strings(result: Any, count: int) -> list[str]:
    """Check that a function returned so many strings."""
    if not isinstance(result, list | tuple) or len(result) != count:
        raise TypeError(f"it returned {result!r:.80}, not a list of {count} strings")
    for text in result:
        if not isinstance(text, str):
            raise TypeError(f"it returned {type(text).__name__}, not a string")
    return list(result)
