"""A sweep's requests to a server: rate limits, retries, and the conditions to give up."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from ..base import Model, operational
from .errors import RefusedError, UnavailableError
from .http import CONNECT_TIMEOUT, Connection
from .protocol import OpenAIProtocol
from .rate_limits import AdaptiveLimiter
from .responses import Response, completions, parse_response, remaining

_log = logging.getLogger(__name__)
#: Logs the reason of every repeated request, for counters.
_repeated = logging.getLogger("calculus_harness.harness.models.repeated")

T = TypeVar("T")

#: The number of failed requests before the first success that stops a sweep.
MAX_FIRST_FAILURES = 16
#: The number of repetitions after a 500 before the server's first answer: with pauses of 0.5, 1 and
#: 2 s a dead engine is detected after 4 s instead of 2 minutes, and an engine that fails every
#: second request is given up with probability 1/16.
FIRST_RETRIES = 3
#: Seconds: the longest pause between two attempts.
MAX_PAUSE = 60.0
#: Seconds between messages to the user while no response comes.
LOG_INTERVAL = 30.0


@dataclass(frozen=True, kw_only=True)
class Paced(Model):
    """The options for the rate and the repetition of requests; see `client.OpenAIModel`."""

    concurrency: int = operational(64)
    requests_per_minute: float = operational(0.0)
    tokens_per_minute: float = operational(0.0)
    request_timeout: float = operational(1200.0)
    time_limit: float = operational(7200.0)
    retries: int = operational(8)
    pause: float = operational(0.5)

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0:
            raise ValueError("concurrency must be positive, retries not negative")
        if min(self.request_timeout, self.time_limit, self.pause) <= 0:
            raise ValueError("request-timeout, time-limit and pause must be positive")
        if min(self.requests_per_minute, self.tokens_per_minute) < 0:
            raise ValueError("requests-per-minute and tokens-per-minute cannot be negative")

    @property
    def name(self) -> str:
        """The model's name at the server."""
        return self.name_in_spec

    @abstractmethod
    def path(self, prompt: Rendered) -> str:
        """Return where a prompt is posted to."""

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a request."""


@dataclass(frozen=True, kw_only=True)
class OnlineModel(OpenAIProtocol, Paced):
    """A model behind a server of our client."""

    probe: float = operational(30.0)
    transport: str = operational("")  # default: aiohttp if it is installed

    def __post_init__(self) -> None:
        super().__post_init__()
        Paced.__post_init__(self)
        if self.probe < 0:
            raise ValueError("probe cannot be negative")
        if self.transport not in ("", "aiohttp", "httpx"):
            raise ValueError(f"transport is aiohttp or httpx, not {self.transport!r}")


ModelT = TypeVar("ModelT", bound=Paced)


class Server(Protocol):
    """A server as used by `ServerSession`."""

    async def get(self, path: str) -> bytes:
        """Return a response's body."""

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """Return the body of the response to a JSON body."""

    def classify(self, error: Exception) -> Exception:
        """Return the member of `errors` for an exception, or the exception itself."""


class ServerSession(Generic[ModelT]):
    """Requests to a server, with shared state."""

    def __init__(self, model: ModelT, connection: Server) -> None:
        self.model, self.connection = model, connection
        self.limiter = AdaptiveLimiter(
            model.concurrency, model.requests_per_minute, model.tokens_per_minute
        )
        self._stopped = False
        self._failures = 0
        self._logged = time.monotonic()  # when the user was last told why nothing comes
        self._logged_until = float("-inf")  # the end of the pause that the user was told of
        self._mean_tokens = 0.0  # of the requests so far
        self._repeated: Counter[str] = Counter()  # attempts, by what was wrong with them

    def log_repeated(self) -> None:
        """Tell the user how many attempts were repeated, and why."""
        if self._repeated:
            reasons = ", ".join(f"{count} x {why}" for why, count in self._repeated.most_common(5))
            total = self._repeated.total()
            _log.info("model %s: %d requests were sent again (%s)", self.model.spec, total, reasons)

    async def answer(self, request: Request) -> list[Completion]:
        """Return all samples of a request; failed samples have the reason."""
        results: list[Completion] = []
        while len(results) < request.count:  # a server may return fewer choices than requested
            missing = remaining(request, len(results))
            try:
                response, latency, attempts = await self._ask(missing)
            except RefusedError as error:
                if error.reason is FinishReason.ERROR:
                    self._count_failure(error)
                return results + Completion.failures(missing, str(error), error.reason)
            except UnavailableError as error:
                return results + Completion.failures(missing, str(error), FinishReason.UNREACHABLE)
            results += completions(
                missing, response, self.model.name, latency=latency, attempts=attempts
            )
            if request.sampling.beams and len(results) < request.count:
                detail = f"the beam search found {len(results)} of {request.count} texts"
                return results + Completion.failures(remaining(request, len(results)), detail)
        return results

    async def _ask(self, request: Request) -> tuple[Response, float, int]:
        model, prompt = self.model, request.prompt
        body = model.body(request)
        characters = sum(len(turn.content) for turn in prompt.messages) + len(prompt.text)
        limit = characters / 4 + request.sampling.max_tokens * body.get("n", 1)
        estimate = min(limit, self._mean_tokens) if self._mean_tokens else limit
        response, latency, attempts = await self.post(
            model.path(prompt), body, estimate, parse_response
        )
        used = (response.prompt_tokens or 0) + (response.completion_tokens or 0)
        self._mean_tokens += (used - self._mean_tokens) / 32 if self._mean_tokens else used
        self.limiter.succeeded(used - estimate if used else 0)
        return response, latency, attempts

    async def post(
        self, path: str, body: dict[str, Any], tokens: float, parse: Callable[[bytes], T]
    ) -> tuple[T, float, int]:
        """Post a request until it is answered or given up.

        Args:
            path: The path below the base URL, or a URL.
            body: The request's JSON.
            tokens: The expected number of tokens.
            parse: Parses the response's body; may raise `UnavailableError`.

        Returns:
            The parsed response, the seconds of the last attempt, and the number of attempts.

        Raises:
            UnavailableError: All attempts failed.
            RefusedError: The server will never answer this request.
            ModelError: The server will answer no request, or was down for all attempts of a
                request.

        """
        model, limiter = self.model, self.limiter
        begun = time.monotonic()
        attempts = faults = doublings = 0
        while True:
            started = await limiter.acquire(tokens)
            try:
                if self._stopped:
                    raise UnavailableError("the sweep was stopped")
                attempts += 1
                async with asyncio.timeout(model.request_timeout):
                    content = await self.connection.post(path, body)
                return parse(content), time.monotonic() - started, attempts
            except Exception as exception:
                error = self.connection.classify(exception)
            finally:
                limiter.release()
            if isinstance(error, ModelError):
                self._stopped = True
            if self._stopped or not isinstance(error, UnavailableError):
                raise error
            if not (error.garbled or error.internal):  # of which fewer requests make no fewer
                limiter.overloaded(started, error.wait)
            faults += not error.throttled
            # Random, to spread the retries of requests that failed together. Pauses double only
            # while the server answers nothing.
            doublings = 0 if limiter.last_success > started else doublings + (attempts > 1)
            pause = min(MAX_PAUSE, model.pause * 2 ** min(doublings, 20))
            pause = max(error.wait or 0, pause * random.uniform(0.5, 1))
            retries = model.retries
            if error.internal and not limiter.successes:
                retries = min(retries, FIRST_RETRIES)
            if faults > retries or time.monotonic() + pause - begun > model.time_limit:
                await self._check_server(error, begun, pause)
                raise UnavailableError(f"{error} (after {attempts} attempts)")
            self._repeated[error.kind] += 1
            _repeated.debug("%s", error.kind)
            self._log_pause(error, pause)
            await asyncio.sleep(pause)

    def _log_pause(self, error: UnavailableError, pause: float) -> None:
        """Log the reason of missing responses, at most once in `LOG_INTERVAL`."""
        now = time.monotonic()
        silent = now - max(self._logged, self.limiter.last_success) >= LOG_INTERVAL
        if silent or (pause >= LOG_INTERVAL and now + pause >= self._logged_until + LOG_INTERVAL):
            self._logged, self._logged_until = now, now + pause
            _log.warning("%s", pause_message(self.model, error, pause))

    async def _check_server(self, error: UnavailableError, begun: float, pause: float) -> None:
        """Stop the sweep if the server is down, not if a single request has failed."""
        if self.limiter.last_success >= begun:
            return
        message = f"model {self.model.spec}: {error}"
        if error.throttled:
            self._stop(f"{message}; it asks to wait for {pause:.0f} s" if error.wait else message)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                await self.connection.get("/models")
        except Exception as exception:
            if isinstance(self.connection.classify(exception), UnavailableError):
                self._stop(message)
        self._count_failure(error)

    def _count_failure(self, error: Exception) -> None:
        self._failures += 1
        if self.limiter.successes == 0 and self._failures >= MAX_FIRST_FAILURES:
            self._stop(
                f"model {self.model.spec}: the first {MAX_FIRST_FAILURES} requests all failed: "
                f"{error}"
            )

    def _stop(self, reason: str) -> NoReturn:
        self._stopped = True
        raise ModelError(f"{reason}; what came before is stored, and the same command goes on")


def pause_message(model: Model, error: UnavailableError, pause: float) -> str:
    """Return the message to the user about a pause."""
    message = f"model {model.spec}: waiting for the server: {error}"
    if error.wait is not None and error.wait >= pause:
        return f"{message}; it asks to wait for {pause:.0f} s"
    return f"{message}; it is asked again in {pause:.0f} s"


@asynccontextmanager
async def open_session(model: OnlineModel) -> AsyncGenerator[ServerSession[OnlineModel], None]:
    """Connect to a model's server for as long as the context lasts."""
    connection = Connection(model, model.transport, model.concurrency)
    try:
        yield ServerSession(model, connection)
    finally:
        await connection.close()
