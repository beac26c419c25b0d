"""A reward server: completions in, rewards out, over HTTP (`run.py serve-reward`, extra `serve`).

``POST /score`` takes one of two shapes and answers in kind:

- plain: ``{"items": [{"completion": text, "target": integrand, ...}]}``, where an item may also
  have ``variable``, ``assumptions``, ``task``, ``truncated``, ``tokens`` and ``thinking`` (see
  `rewards.adapters.scoring.Rollout`; a target may be an object, as for verl). The answer is
  ``{"scores": [{"reward", "status", "answer", "components", "detail"}]}``; a reward may be null.
- OpenRLHF's: ``{"query": [...], "prompts": [...], "labels": [...]}``; the answer is
  ``{"rewards", "scores", "extra_logs"}``. ``/get_reward`` is another name for the same.

``GET /health`` says whether the server takes work, and how much it has done.

No request ends the server or makes it use more memory than its limits allow. Errors:

======  =================================================================================
400     the body is not what is described above
408     the body did not arrive in time
413     too large a body, or too many completions in one request
429     the queue is full; ``Retry-After`` says when to come again
503     the server is stopping, or its workers cannot be started (``Retry-After`` again)
======  =================================================================================
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import UserError, install
from ..verdict import VERSION
from .for_openrlhf import RewardFunction, results
from .rows import target_of
from .scoring import FAULT, NoOpinionError, Rollout, Score, ascore

if TYPE_CHECKING:
    from aiohttp import web

#: Seconds after which a client that was sent away should come again.
RETRY_AFTER = 1


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of a server.

    Attributes:
        batch: most completions in a request.
        queue: most completions that wait or are scored at a time.
        body: most bytes of a request.
        body_seconds: seconds in which a request has to arrive.
        shutdown_seconds: seconds in which requests may finish when the server stops.

    """

    batch: int = 4096
    queue: int = 16_384
    body: int = 64 << 20
    body_seconds: float = 60.0
    shutdown_seconds: float = 30.0

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= self.queue:
            raise UserError("a batch must have at least one completion and fit into the queue")


class BadRequestError(ValueError):
    """The body of a request has the wrong form; the message says how."""


class BodyTooLargeError(ValueError):
    """The body of a request has more bytes than are allowed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply over HTTP: JSON, and perhaps that the client should come again later."""

    status: int
    body: dict[str, Any]
    later: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(RETRY_AFTER)} if self.later else {}


class NoWorkersError(RuntimeError):
    """The workers cannot be started."""


@dataclass(slots=True)
class RewardServer:
    """The state of one server: its reward function, its limits and its counts."""

    function: RewardFunction
    limits: ServerLimits = field(default_factory=ServerLimits)
    waiting: int = 0
    scored: int = 0
    refused: int = 0
    stopping: bool = False
    statuses: Counter[str] = field(default_factory=Counter)

    def health(self) -> dict[str, Any]:
        return {
            "status": "stopping" if self.stopping else "ok",
            "verifier": VERSION,
            "process": os.getpid(),
            "task": self.function.rubric.task,
            "waiting": self.waiting,
            "queue": self.limits.queue,
            "scored": self.scored,
            "refused": self.refused,
            "statuses": dict(self.statuses),
        }

    async def score(self, rollouts: Sequence[Rollout]) -> list[Score]:
        """The scores of some rollouts. Raises `NoWorkersError`."""
        self.waiting += len(rollouts)
        try:
            scores = await ascore(rollouts, self.function.rubric)
        finally:
            self.waiting -= len(rollouts)
        if any(each.status == FAULT for each in scores):
            raise NoWorkersError("the workers cannot be started; the server's log says why")
        self.scored += len(scores)
        self.statuses.update(each.status for each in scores)
        return scores

    async def reply(self, read: Callable[[], Awaitable[bytes]]) -> Reply:
        """The reply to a request, whose body is read when it may be; `read` may raise."""
        if self.stopping:
            return self._refuse(503, "the server is stopping", later=True)
        if self.waiting >= self.limits.queue:  # before a large body is read
            return self._refuse(429, "the queue is full", later=True)
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body = await read()
        except TimeoutError:
            return self._refuse(408, "the body did not arrive in time")
        except BodyTooLargeError:
            return self._refuse(413, f"a body may have {self.limits.body} bytes")
        try:
            rollouts, shape = self.parse(body)
        except BadRequestError as error:
            return self._refuse(400, str(error))
        if len(rollouts) > self.limits.batch:
            return self._refuse(413, f"a request may have {self.limits.batch} completions")
        if self.waiting + len(rollouts) > self.limits.queue:
            return self._refuse(429, "the queue is full", later=True)
        try:
            return Reply(200, shape(await self.score(rollouts)))
        except (NoWorkersError, NoOpinionError) as error:
            return self._refuse(503, str(error), later=True)

    def _refuse(self, status: int, message: str, *, later: bool = False) -> Reply:
        self.refused += 1
        return Reply(status, {"error": message}, later)

    def parse(
        self, body: bytes
    ) -> tuple[list[Rollout], Callable[[Sequence[Score]], dict[str, Any]]]:
        """The rollouts of a request, and the function that makes the reply from their scores."""
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadRequestError(f"the body is not JSON: {error}") from None
        if not isinstance(request, dict):
            raise BadRequestError("the body must be a JSON object")
        if "items" in request:
            return [_rollout(row) for row in _list(request, "items", dict)], _plain
        if "query" in request:
            queries = _list(request, "query", str)
            labels = _list(request, "labels", object)
            prompts = _list(request, "prompts", str)  # needed: queries contain them
            try:
                rollouts = self.function.rollouts(queries, prompts, labels)
            except ValueError as error:
                raise BadRequestError(str(error)) from None
            return rollouts, lambda scores: results(scores, labels)
        raise BadRequestError('the body needs "items", or "query", "prompts" and "labels"')


def _list(request: dict[str, Any], name: str, kind: type) -> list[Any]:
    values = request.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        kinds: dict[type, str] = {str: " of strings", dict: " of objects"}
        what = kinds.get(kind, "")
        raise BadRequestError(f'"{name}" must be a list{what}')
    return values


_TARGETS = {"target", "integrand", "integral"}
_KEYS = _TARGETS | {"completion", "variable", "assumptions", "task", "truncated", "tokens"}


def _rollout(row: dict[str, Any]) -> Rollout:
    unknown = row.keys() - _KEYS - {"thinking"}
    if unknown:
        raise BadRequestError(f"an item has no field {sorted(unknown)[0]!r}")
    if not isinstance(row.get("completion"), str):
        raise BadRequestError('an item needs a "completion", which is a text')
    if len(_TARGETS & row.keys()) != 1:
        raise BadRequestError('an item needs a "target" (or "integrand", or "integral")')
    tokens = row.get("tokens")
    if tokens is not None and not isinstance(tokens, int):
        raise BadRequestError('"tokens" must be a whole number')
    return Rollout(
        row["completion"],
        **target_of(row.get("target", row), row)._asdict(),
        truncated=bool(row.get("truncated")),
        tokens=tokens,
        thinking=bool(row.get("thinking")),
    )


def _plain(scores: Sequence[Score]) -> dict[str, Any]:
    return {
        "scores": [
            {
                "reward": each.reward,
                "status": each.status,
                "answer": each.verdict.answer,
                "components": dict(each.components),
                "detail": each.verdict.evidence.detail,
            }
            for each in scores
        ]
    }


def application(server: RewardServer) -> web.Application:
    """The server as an aiohttp application."""
    from aiohttp import web

    async def score(request: web.Request) -> web.Response:
        async def read() -> bytes:
            try:
                return await request.read()
            except web.HTTPRequestEntityTooLarge:
                raise BodyTooLargeError from None

        reply = await server.reply(read)
        return web.json_response(reply.body, status=reply.status, headers=reply.headers)

    async def health(_: web.Request) -> web.Response:
        return web.json_response(server.health(), status=503 if server.stopping else 200)

    app = web.Application(client_max_size=server.limits.body)
    app.router.add_post("/score", score)
    app.router.add_post("/get_reward", score)
    app.router.add_get("/health", health)
    return app


@asynccontextmanager
async def serving(server: RewardServer, host: str, port: int) -> AsyncIterator[str]:
    """Serve until the context is left, then finish the requests in progress; yields the address."""
    from aiohttp import web

    runner = web.AppRunner(
        application(server),
        access_log=None,
        handler_cancellation=True,  # a client that hangs up takes its work along
        shutdown_timeout=server.limits.shutdown_seconds,
    )
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    try:
        bound = runner.addresses[0]
        yield f"http://{bound[0]}:{bound[1]}"
    finally:
        server.stopping = True
        await runner.cleanup()  # waits for requests in progress


async def run(server: RewardServer, host: str, port: int, say: Callable[[str], object]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        server: the server's state.
        host: address to listen on.
        port: port to listen on; 0 for any free one.
        say: receives lines about the server's progress.

    Raises:
        UserError: aiohttp is missing, the workers do not start, or the address cannot be used.

    """
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        raise UserError(f"serving needs aiohttp: {install('serve')}") from None
    await _ready(server)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with serving(server, host, port) as address:
        say(f"rewards at {address}/score, health at {address}/health")
        await stop.wait()
        say("stopping: requests in progress are finished, new ones are refused")
    say(f"{server.scored} completions were scored, {server.refused} requests refused")


async def _ready(server: RewardServer) -> None:
    try:
        await server.score([Rollout("", "1")])
    except NoWorkersError as error:
        raise UserError(str(error)) from None
    server.scored = 0
    server.statuses.clear()
