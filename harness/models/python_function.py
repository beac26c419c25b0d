"""A Python function as a model: `python/my_model.py:answer`."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import time
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ...rewards.arguments import load_function
from ..core.errors import ModelError, UserError
from ..core.requests import Completion, FinishReason, Request, digest
from .base import Capability, Model, ask_each, operational
from .placement import Placement

#: The number of calls that fail in the same way, before any success, that stops the sweep.
MOST_FAILURES = 10


@dataclass(frozen=True, kw_only=True)
class PythonFunction(Model):
    """A function `answer(messages, seed) -> str`, plain or async, in a Python file.

    With a third argument, `answer(messages, seed, count) -> list[str]`, the function returns
    several samples at once (``--grouped``) or the results of a beam search, best first
    (``--beams``).

    ``messages`` is a list of ``{"role", "content"}`` dictionaries; a text to complete is one
    message of the role ``user``, and with pictures ``content`` is a list of parts, as in the OpenAI
    protocol. Plain functions run in threads, ``concurrency`` at once. An
    exception becomes the sample's ``error``; if every call fails, the sweep stops after ten. The
    hash of the file is part of the model's identity.
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
        return super().capabilities | {Capability.SEED, Capability.PICTURES} | several

    @cached_property
    def _several(self) -> bool:
        return "count" in inspect.signature(self._function).parameters

    @property
    def _path(self) -> Path:
        return Path(self.name_in_spec.rpartition(":")[0])

    @cached_property
    def _function(self) -> Callable[..., Any]:
        name = self.spec.rpartition(":")[2]
        if self._path.suffix != ".py":
            raise ModelError(f"model {self.spec}: write it as python/FILE.py:FUNCTION")
        try:
            return load_function(self._path, name)
        except UserError as error:
            raise ModelError(f"model {self.spec}: {error}") from error.__cause__

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        threads = ThreadPoolExecutor(self.concurrency, thread_name_prefix="model")

        async def ask(request: Request) -> list[Completion]:
            return await self._ask(request, threads)

        try:
            async with (
                aclosing(ask_each(requests, ask, self.concurrency)) as answers,
                aclosing(self.screened(answers)) as completions,
            ):
                async for completion in completions:
                    yield completion
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def screened(
        self, answers: AsyncIterator[list[Completion]]
    ) -> AsyncGenerator[Completion, None]:
        held: list[Completion] | None = []  # failed ones, until a call succeeds
        async for completions in answers:
            if held is not None:
                held += completions
                if all(
                    completion.finish_reason is FinishReason.ERROR for completion in completions
                ):
                    self._refuse_broken(held)
                    continue
                completions, held = held, None
            for completion in completions:
                yield completion
        for completion in held or ():
            yield completion

    @property
    def placement(self) -> Placement:
        return Placement(at_once=self.concurrency)

    def _refuse_broken(self, failed: Sequence[Completion]) -> None:
        """Raise `ModelError` if all calls failed, `MOST_FAILURES` of the calls in the same way."""
        detail, count = Counter(completion.detail for completion in failed).most_common(1)[0]
        if count >= MOST_FAILURES:
            raise ModelError(
                f"model {self.spec}: all of the first {len(failed)} calls failed, {count} of them "
                f"by {detail}; none of this is stored"
            )

    async def _ask(self, request: Request, threads: Executor) -> list[Completion]:
        messages = request.prompt.turns or [{"role": "user", "content": request.prompt.text}]
        arguments = (messages, request.seed, *([request.count] if self._several else []))
        start = time.perf_counter()
        texts, reason, detail = [""] * request.count, FinishReason.STOP, ""
        try:
            # A plain function may block: it runs in a thread, and errors come back as values,
            # because a future cannot hold every error.
            if inspect.iscoroutinefunction(self._function):
                result = await self._function(*arguments)
            else:
                loop = asyncio.get_running_loop()
                calling = loop.run_in_executor(threads, _called, self._function, arguments)
                result, error = await calling
                if error is not None:
                    raise error
            texts = _strings(result if self._several else [result], request.count)
        except Exception as raised:
            reason, detail = FinishReason.ERROR, _described(raised)
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


def _called(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, Exception | None]:
    """A function's result or error; a future cannot hold every error, as StopIteration."""
    try:
        return function(*arguments), None
    except Exception as error:  # a future that gets StopIteration is never done
        return None, error


#: By function: the identity as a model, and the state's digest after the last calls.
_IDENTITIES: WeakKeyDictionary[Callable[..., Any], tuple[str, str]] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True)
class LocalFunction(PythonFunction):
    """A function of this process as a model: ``python/NAME``.

    The identity consists of the code, the defaults and the plain values of the closure: the same
    function continues a run, a different function of the same name is another model. Changes of the
    closure by the function's own calls, as of a counter, do not count.
    """

    function: Callable[..., Any] = field(metadata={"operational": True})
    #: The digest of the function at the creation of the model.
    identity: str = operational("")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.identity:
            state = digest(_identity(self.function))
            original, latest = state, state
            with suppress(TypeError):  # an object that has no hash
                original, latest = _IDENTITIES.get(self.function, (state, state))
            object.__setattr__(self, "identity", original if latest == state else state)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> LocalFunction:
        """The model of a function, with the function's name."""
        name = getattr(function, "__name__", type(function).__name__).strip("<>")
        return cls(spec=f"python/{name}", function=function)

    def fingerprint(self) -> dict[str, Any]:
        return {"function": self.identity}

    async def close(self) -> None:
        with suppress(TypeError):
            _IDENTITIES[self.function] = self.identity, digest(_identity(self.function))

    @cached_property
    def _function(self) -> Callable[..., Any]:
        return self.function


def _identity(function: Any) -> list[Any]:
    """The code, defaults and closure of a function as plain data, equal in all processes."""
    if isinstance(function, partial):
        return [_identity(function.func), _plain(function.args), _plain(function.keywords)]
    code = getattr(function, "__code__", None)
    if code is None:  # a callable object, or a part of C
        call = type(function).__call__
        own = _identity(call) if hasattr(call, "__code__") else []
        return [type(function).__qualname__, _plain(vars(function) if own else {}), own]
    names = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    values = [
        *(function.__defaults__ or ()),
        *(function.__kwdefaults__ or {}).items(),
        *names.items(),
    ]
    return [_code(code), _plain(values)]


def _code(code: CodeType) -> list[Any]:
    constants = [
        _code(constant)
        if isinstance(constant, CodeType)
        else sorted(map(repr, constant))  # its own order is another in every process
        if isinstance(constant, frozenset)
        else repr(constant)
        for constant in code.co_consts
    ]
    return [code.co_code.hex(), constants, code.co_names, code.co_varnames]


def _plain(value: Any) -> Any:
    """A value as JSON; for other values the type."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str | int | float | bool | None):
        return value
    # A function's closure is not followed: it may contain the function itself.
    return _code(value.__code__) if hasattr(value, "__code__") else type(value).__qualname__


def _described(error: Exception) -> str:
    """An exception of a user's function, with file and line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    location = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}"[:400] + location


def _strings(result: Any, count: int) -> list[str]:
    """Check that a function returned ``count`` strings."""
    if not isinstance(result, list | tuple) or len(result) != count:
        raise TypeError(f"it returned {result!r:.80}, not a list of {count} strings")
    for text in result:
        if not isinstance(text, str):
            raise TypeError(f"it returned {type(text).__name__}, not a string")
    return list(result)
