"""The state of a reward server, and the reply to a request.

No request ends the server or uses more memory than the limits allow. Errors:

======  =================================================================================
400     the body has none of the formats of `shapes`, or is an incomplete gzip
401     the server has a token, and the request has another token or none
408     the body did not arrive in time
413     the body costs too much (`bodies`), or has too many completions
429     too many completions or bytes are waiting; ``Retry-After`` says when to come again
503     the server is stopping, or its workers cannot be started (also with ``Retry-After``)
======  =================================================================================
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import UserError
from ...verdict import VERSION
from ..for_openrlhf import RewardFunction
from ..scoring import FAULT, NoOpinionError, Rollout, Score, ascore
from .bodies import (
    CONTAINER,
    NODE,
    BadRequestError,
    BodyTooLargeError,
    BusyError,
    read_json,
)
from .metrics import Metrics
from .shadow import Shadow
from .shapes import ParsedRequest, understood, understood_verify

#: Seconds after which a client should repeat a refused request.
RETRY_AFTER = 1


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of a server.

    Attributes:
        batch: the largest number of completions in a request.
        queue: the largest number of completions that wait or are being scored.
        body: the largest cost of a request's body. The cost is the number of bytes, plus 200 for
            each value and 2,000 for each list or object.
        in_flight: the largest cost of the bodies of all requests in progress.
        body_seconds: seconds in which a request has to arrive.
        header_seconds: seconds in which the head of a request has to arrive. A connection without a
            request is closed after the same time.
        connections: the largest number of open connections. A further connection replaces the
            connection that has been idle longest.
        shutdown_seconds: seconds in which requests may finish when the server stops.

    """

    batch: int = 4096
    queue: int = 16_384
    body: int = 64 << 20
    in_flight: int = 96 << 20
    body_seconds: float = 60.0
    header_seconds: float = 15.0
    connections: int = 1000
    shutdown_seconds: float = 30.0

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= self.queue:
            raise UserError("a batch must have at least one completion and fit into the queue")
        if not 1 <= self.body <= self.in_flight:
            raise UserError("a body must have at least one byte and fit into what may be in flight")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply over HTTP: JSON, and whether the client should repeat the request later."""

    status: int
    body: Any
    later: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(RETRY_AFTER)} if self.later else {}


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request whose body is not read yet."""

    path: str
    chunks: AsyncIterator[bytes]
    encoding: str = ""
    detail: bool = False


class NoWorkersError(RuntimeError):
    """The workers cannot be started."""


@dataclass
class RewardServer:
    """The state of a server: the reward function, the limits and the counts.

    Attributes:
        function: the reward function.
        limits: the limits.
        token: the token that clients must send. None admits all clients.
        shadow: repeats a sample of judgements. None means that no judgement is repeated.

    """

    function: RewardFunction
    limits: ServerLimits = field(default_factory=ServerLimits)
    token: str | None = None
    shadow: Shadow | None = None
    waiting: int = 0
    in_flight: int = 0
    scored: int = 0
    refused: int = 0
    stopping: bool = False
    working: bool = True
    statuses: Counter[str] = field(default_factory=Counter)
    connections: Callable[[], int] | None = field(default=None, repr=False)

    @cached_property
    def metrics(self) -> Metrics:
        limits = self.limits
        return Metrics(
            waiting=("Completions that wait or are judged", lambda: self.waiting),
            saturation=("Share of the queue that is taken", lambda: self.waiting / limits.queue),
            bytes_in_flight=("Cost of the bodies in progress", lambda: self.in_flight),
            connections=("Open connections", lambda: self.connections() if self.connections else 0),
            ready=("Whether work is taken", lambda: self.ready),
        )

    @property
    def ready(self) -> bool:
        """Whether the server accepts work at the moment.

        The server accepts work if its workers can be started, the queue has room, and the server is
        not stopping.
        """
        return self.working and not self.stopping and self.waiting < self.limits.queue

    def health(self) -> dict[str, Any]:
        return {
            "status": "stopping" if self.stopping else "ok",
            "ready": self.ready,
            "verifier": VERSION,
            "process": os.getpid(),
            "task": self.function.rubric.task,
            "waiting": self.waiting,
            "queue": self.limits.queue,
            "scored": self.scored,
            "refused": self.refused,
            "statuses": dict(self.statuses),
        }

    def admits(self, authorization: str) -> bool:
        """Whether the header Authorization contains the token.

        The client sends the token by the scheme Bearer, or as the password of the scheme Basic.
        Basic is for clients that cannot set a header, but can set an address:
        ``http://any:TOKEN@host:port``.
        """
        if self.token is None:
            return True
        scheme, _, credential = authorization.partition(" ")
        if scheme.lower() == "basic":
            try:
                credential = base64.b64decode(credential, validate=True).decode().partition(":")[2]
            except ValueError:
                return False
        elif scheme.lower() != "bearer":
            return False
        return hmac.compare_digest(credential.strip().encode(), self.token.encode())

    async def score(self, rollouts: Sequence[Rollout]) -> list[Score]:
        """Score rollouts. If no worker can be started, `NoWorkersError` is raised."""
        self.waiting += len(rollouts)
        try:
            scores = await ascore(rollouts, self.function.rubric)
        finally:
            self.waiting -= len(rollouts)
        self.working = not any(scored.status == FAULT for scored in scores)
        if not self.working:
            raise NoWorkersError("the workers cannot be started; the server's log says why")
        self.scored += len(scores)
        self.statuses.update(scored.status for scored in scores)
        self.metrics.judged(scores, sum(rollout.truncated for rollout in rollouts))
        if self.shadow is not None:
            self.shadow.offer(rollouts, scores)
        return scores

    async def reply(self, request: Incoming) -> Reply:
        """Make the reply to a request. The body of the request is read within the limits."""
        cost = 0

        def spend(amount: int) -> None:
            nonlocal cost
            cost += amount
            self.in_flight += amount
            if cost > self.limits.body:
                raise BodyTooLargeError
            if self.in_flight > self.limits.in_flight:
                raise BusyError

        try:
            reply = await self._replied(request, spend)
        finally:
            self.in_flight -= cost
        self.metrics.replied(reply.status)
        return reply

    async def _replied(self, request: Incoming, spend: Callable[[int], None]) -> Reply:
        if self.stopping:
            return self.refuse(503, "the server is stopping", later=True)
        if self.waiting >= self.limits.queue:  # before a large body is read
            return self.refuse(429, "the queue is full", later=True)
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body = await read_json(request.chunks, request.encoding, spend)
            parsed = self.understood(body, request)
        except TimeoutError:
            return self.refuse(408, "the body did not arrive in time")
        except BodyTooLargeError:
            return self.refuse(
                413,
                f"a body may have {self.limits.body} bytes; each value counts as {NODE} more, "
                f"each list or object as {CONTAINER}",
            )
        except BusyError:
            return self.refuse(429, "too many bytes are in flight", later=True)
        except BadRequestError as error:
            return self.refuse(400, str(error))
        count = len(parsed.rollouts)
        if count > self.limits.batch:
            return self.refuse(413, f"a request may have {self.limits.batch} completions")
        if self.waiting + count > self.limits.queue:
            return self.refuse(429, "the queue is full", later=True)
        try:
            return Reply(200, parsed.answer(await self.score(parsed.rollouts)))
        except (NoWorkersError, NoOpinionError) as error:
            return self.refuse(503, str(error), later=True)

    def understood(self, body: Any, request: Incoming) -> ParsedRequest:
        """Parse the body of a request. A body of the wrong form raises `BadRequestError`."""
        if request.path == "/verify":
            return understood_verify(body)
        return understood(body, self.function, detail=request.detail)

    def refuse(self, status: int, message: str, *, later: bool = False) -> Reply:
        self.refused += 1
        return Reply(status, {"error": message}, later)
