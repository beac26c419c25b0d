"""Any server that speaks the OpenAI protocol: `openai/NAME`, asked as the openai client asks."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, TypeVar

from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from ..base import Capability, Continuation, Scored, ask_each, operational
from .http import CONNECTING, Connection, understood
from .protocol import (
    Answer,
    OpenAIProtocol,
    RefusedError,
    UnavailableError,
    completions,
    read,
    rest,
)
from .rate_limits import Pace
from .scoring import Scorer

_log = logging.getLogger(__name__)

Parsed = TypeVar("Parsed")

#: So many requests may fail before the first succeeds; then it is not the requests.
HOPELESS = 16
#: Seconds: the longest pause between two attempts.
LONGEST_PAUSE = 60.0
#: Seconds without an answer after which, and between which, a waiting sweep says why it waits.
QUIET = 30.0


@dataclass(frozen=True, kw_only=True)
class OpenAIModel(OpenAIProtocol):
    """A model behind any server that speaks the OpenAI protocol, chat or completions.

    At most ``concurrency`` requests are under way, fewer while the server complains, and no more
    a minute than ``requests-per-minute`` and ``tokens-per-minute`` allow (0: no limit). An attempt
    may take ``request-timeout`` seconds. Faults of the network or the server are tried again up to
    ``retries`` times, after pauses that double from ``pause`` seconds on; "too many requests" does
    not count as a fault; after ``time-limit`` seconds a request is given up for this time.
    ``echo`` says of a server that it can give the log-probabilities of a prompt, which vLLM's can
    in any case.
    """

    concurrency: int = operational(64)
    requests_per_minute: float = operational(0.0)
    tokens_per_minute: float = operational(0.0)
    request_timeout: float = operational(1200.0)
    time_limit: float = operational(7200.0)
    retries: int = operational(8)
    pause: float = operational(0.5)
    echo: bool = operational(False)  # whether the server echoes log-probabilities
    end_token: int = operational(-1)  # the id of the token that ends a text, to score it too
    transport: str = operational("")  # by default aiohttp, where it is installed

    example: ClassVar[str] = (
        "run.py sweep --model openai/Qwen3-8B -M base-url=http://127.0.0.1:8000/v1 "
        "-M server=vllm --benchmark bee"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.concurrency < 1 or self.retries < 0:
            raise ValueError("concurrency must be positive, retries not negative")
        if min(self.request_timeout, self.time_limit, self.pause) <= 0:
            raise ValueError("request-timeout, time-limit and pause must be positive")
        if min(self.requests_per_minute, self.tokens_per_minute) < 0:
            raise ValueError("requests-per-minute and tokens-per-minute cannot be negative")
        if self.transport not in ("", "aiohttp", "httpx"):
            raise ValueError(f"transport is aiohttp or httpx, not {self.transport!r}")

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async with (
            connected(self) as server,
            aclosing(ask_each(requests, server.answer, self.concurrency)) as answers,
        ):
            async for found in answers:
                for completion in found:
                    yield completion

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | ({Capability.SCORING} if self.echo else set())

    def hint(self, lacking: Collection[Capability]) -> str:
        said = super().hint(lacking)
        if said and Capability.SCORING in lacking:
            said += ", and others that echo log-probabilities: -M echo=true"
        return said

    async def score(self, texts: AsyncIterator[Continuation]) -> AsyncGenerator[Scored, None]:
        if Capability.SCORING not in self.capabilities:
            lacking = f"model {self.spec} has no {Capability.SCORING}"
            raise ModelError(lacking + self.hint({Capability.SCORING}))
        async with (
            connected(self) as server,
            aclosing(ask_each(texts, Scorer(server).score, self.concurrency)) as scores,
        ):
            async for scored in scores:
                yield scored


@asynccontextmanager
async def connected(model: OpenAIModel) -> AsyncGenerator[Server, None]:
    """A model's server, for as long as the context lasts."""
    connection = Connection(model, model.transport, model.concurrency)
    try:
        yield Server(model, connection)
    finally:
        await connection.close()


def waiting(model: OpenAIProtocol, fault: UnavailableError, pause: float) -> str:
    """Why a model is not asked for a while, and for how long."""
    why = f"model {model.spec}: waiting for the server: {fault}"
    if fault.wait is not None and fault.wait >= pause:
        return f"{why}; it asks to wait for {pause:.0f} s"
    return f"{why}; it is asked again in {pause:.0f} s"


class Server:
    """A server while it is being asked: how it fares, and what that means for a request."""

    def __init__(self, model: OpenAIModel, connection: Connection) -> None:
        self.model, self.connection = model, connection
        self.pace = Pace(model.concurrency, model.requests_per_minute, model.tokens_per_minute)
        self._stopped = False
        self._failures = 0
        self._told = time.monotonic()  # when the user last heard why nothing comes
        self._until = float("-inf")  # the end of the wait that the user heard of
        self._used = 0.0  # tokens of a typical request, once some have been seen

    async def answer(self, request: Request) -> list[Completion]:
        """All samples of a request: what was said, or why nothing was."""
        found: list[Completion] = []
        while len(found) < request.count:  # a server may give fewer choices than it is asked for
            wanted = rest(request, len(found))
            try:
                answer, latency, attempts = await self._ask(wanted)
            except RefusedError as refusal:
                if refusal.reason is FinishReason.ERROR:
                    self._count_failure(refusal)
                return found + Completion.failures(wanted, str(refusal), refusal.reason)
            except UnavailableError as fault:
                return found + Completion.failures(wanted, str(fault), FinishReason.UNREACHABLE)
            found += completions(
                wanted, answer, self.model.name, latency=latency, attempts=attempts
            )
            if request.sampling.beams and len(found) < request.count:
                detail = f"the beam search found {len(found)} of {request.count} texts"
                return found + Completion.failures(rest(request, len(found)), detail)
        return found

    async def _ask(self, request: Request) -> tuple[Answer, float, int]:
        model = self.model
        body = model.body(request)
        shown = sum(len(turn.content) for turn in request.prompt.messages) + len(
            request.prompt.text
        )
        most = shown / 4 + request.sampling.max_tokens * body.get("n", 1)
        booked = min(most, self._used) if self._used else most
        answer, latency, attempts = await self.post(model.path(request.prompt), body, booked, read)
        used = (answer.prompt_tokens or 0) + (answer.completion_tokens or 0)
        self._used += (used - self._used) / 32 if self._used else used
        self.pace.answered(used - booked if used else 0)
        return answer, latency, attempts

    async def post(
        self, path: str, body: dict[str, Any], tokens: float, parse: Callable[[bytes], Parsed]
    ) -> tuple[Parsed, float, int]:
        """What ``parse`` makes of the server's answer, the seconds it took, and the attempts.

        Raises `UnavailableError` after all attempts, `RefusedError`, or `ModelError`.
        """
        model, pace = self.model, self.pace
        begun = time.monotonic()
        attempts = faults = 0
        while True:
            started = await pace.enter(tokens)
            try:
                if self._stopped:
                    raise UnavailableError("the sweep was stopped")
                attempts += 1
                async with asyncio.timeout(model.request_timeout):
                    content = await self.connection.post(path, body)
                return parse(content), time.monotonic() - started, attempts
            except Exception as error:
                fault = understood(self.model, error)
            finally:
                pace.leave()
            if isinstance(fault, ModelError):
                self._stopped = True
            if self._stopped or not isinstance(fault, UnavailableError):
                raise fault
            if not fault.garbled:
                pace.complained(started, fault.wait)
            faults += not fault.throttled
            # Random, so that what failed together does not come back together.
            pause = min(LONGEST_PAUSE, model.pause * 2 ** min(attempts - 1, 20))
            pause = max(fault.wait or 0, pause * random.uniform(0.5, 1))
            if faults > model.retries or time.monotonic() + pause - begun > model.time_limit:
                await self._give_up(fault, begun, pause)
                raise UnavailableError(f"{fault} (after {attempts} attempts)")
            self._tell(fault, pause)
            await asyncio.sleep(pause)

    def _tell(self, fault: UnavailableError, pause: float) -> None:
        """Say why nothing comes, where nothing came for a while, or nothing will."""
        now = time.monotonic()
        silent = now - max(self._told, self.pace.latest) >= QUIET
        if silent or (pause >= QUIET and now + pause >= self._until + QUIET):
            self._told, self._until = now, now + pause
            _log.warning("%s", waiting(self.model, fault, pause))

    async def _give_up(self, fault: UnavailableError, begun: float, pause: float) -> None:
        """A request's attempts are used up: return if it alone fares so, raise if all do."""
        if self.pace.latest >= begun:
            return  # others were answered meanwhile
        what = f"model {self.model.spec}: {fault}"
        if fault.throttled:
            self._stop(f"{what}; it asks to wait for {pause:.0f} s" if fault.wait else what)
        try:
            async with asyncio.timeout(CONNECTING):
                await self.connection.get("/models")
        except Exception as error:
            found = understood(self.model, error)
            if isinstance(found, UnavailableError):
                self._stop(what)
        self._count_failure(fault)

    def _count_failure(self, fault: Exception) -> None:
        """Stop where nothing but failures came, before a whole sweep is made of them."""
        self._failures += 1
        if self.pace.answers == 0 and self._failures >= HOPELESS:
            self._stop(
                f"model {self.model.spec}: the first {HOPELESS} requests all failed: {fault}"
            )

    def _stop(self, why: str) -> NoReturn:
        self._stopped = True
        raise ModelError(f"{why}; what came before is stored, and the same command goes on")
