"""A local OpenAI-compatible server with every fault of a network."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import socket
import struct
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]

#: What the answers are chosen from, by prompt, seed and index.
TEXTS = (
    r"So it is $\boxed{(x-1)e^x + C}$.",
    r"\boxed{x^2}",
    r"\boxed{\frac{}",
    "I do not know.",
    "é ∫ \u2028 \\boxed{\\sin x}",
)


def text_for(body: Body, index: int = 0) -> str:
    """The server's text: determined by the prompt, the seed and the index of the choice."""
    prompt = json.dumps(
        [body.get("messages"), body.get("prompt"), body.get("seed"), index], sort_keys=True
    )
    return TEXTS[hashlib.sha256(prompt.encode()).digest()[0] % len(TEXTS)]


def payload_for(body: Body) -> Body:
    """A right answer."""
    count = body.get("n", 1)
    choices: list[Body] = []
    for index in range(count):
        choice: Body = {"index": index, "finish_reason": "stop", "logprobs": None}
        if "messages" in body:
            choice["message"] = {"role": "assistant", "content": text_for(body, index)}
            if body.get("logprobs"):
                choice["logprobs"] = {
                    "content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -0.25}]
                }
        else:
            choice["text"] = text_for(body, index)
            if body.get("logprobs"):
                choice["logprobs"] = {"tokens": ["a", "b"], "token_logprobs": [-0.5, -0.25]}
        choices.append(choice)
    usage = {"prompt_tokens": 10, "completion_tokens": 2 * count, "total_tokens": 10 + 2 * count}
    return {
        "id": "a",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": choices,
        "usage": usage,
    }


class FaultyServer:
    """The server runs in a thread during its context.

    ``faults`` maps the name of a fault (a method below) to its probability; the faults named in
    ``script`` come first, a fault per request. Tests can replace ``respond`` for other answers.
    ``asked`` has every request body, and ``counts`` every committed fault.
    """

    def __init__(
        self,
        faults: Mapping[str, float] | None = None,
        *,
        script: tuple[str, ...] = (),
        seed: int = 0,
        delay: float = 0.0,
        key: str | None = None,
    ) -> None:
        self.faults, self.script, self.delay, self.key = (
            dict(faults or {}),
            deque(script),
            delay,
            key,
        )
        self.chance = random.Random(seed)
        self.respond: Callable[[Body], Any] = payload_for
        self.asked: list[Body] = []
        self.counts: Counter[str] = Counter()
        self.active = self.most = 0
        self.until = 1  # the seconds after which `too_many_until` is over
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
        self._thread.join(20)

    def stop(self) -> None:
        """End the server now, from any thread. A second call does nothing."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end.set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=1 << 28)
        self.add_routes(application)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        site = web.SockSite(runner, listening)
        await site.start()
        self._ready.set()
        await self._end.wait()
        await site.stop()
        assert runner.server is not None
        for connection in runner.server.connections:  # as if the machine had gone
            if connection.transport is not None:
                connection.transport.abort()
        await runner.cleanup()

    def add_routes(self, application: web.Application) -> None:
        application.router.add_post("/v1/chat/completions", self.complete)
        application.router.add_post("/v1/completions", self.complete)
        application.router.add_get("/v1/models", self.models)

    async def models(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": []})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.asked.append(body)
        authorization = request.headers.get("Authorization", "")
        if self.key is not None and authorization != f"Bearer {self.key}":
            message = f"Incorrect API key provided: {authorization.removeprefix('Bearer ')}."
            return web.json_response(
                {"error": {"message": message, "code": "invalid_api_key"}}, status=401
            )
        # The most requests at a time, for tests of concurrency.
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            # A fault is a method that answers in its own way.
            fault = self._next_fault()
            if fault:
                self.counts[fault] += 1
                commit: Callable[..., Awaitable[web.StreamResponse]] = getattr(self, fault)
                return await commit(request, body)
            answer = self.respond(body)
            return answer if isinstance(answer, web.Response) else web.json_response(answer)
        finally:
            self.active -= 1

    def _next_fault(self) -> str:
        if self.script:
            return self.script.popleft()
        point = self.chance.random()
        for name, probability in self.faults.items():
            point -= probability
            if point < 0:
                return name
        return ""

    # --- the faults ----------------------------------------------------------------------------

    async def none(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response(payload_for(body))

    async def too_many(self, request: web.Request, body: Body) -> web.StreamResponse:
        message = {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}
        return web.json_response(message, status=429, headers={"Retry-After": "0.05"})

    async def too_many_until(self, request: web.Request, body: Body) -> web.StreamResponse:
        until = datetime.now(UTC) + timedelta(seconds=self.until)
        date = format_datetime(until, usegmt=True)  # to the second, so up to one less
        return web.json_response({"error": {}}, status=429, headers={"Retry-After": date})

    async def broken(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(text="<html>Internal Server Error</html>", status=500)

    async def unavailable(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response({"error": "overloaded"}, status=503)

    async def reset(self, request: web.Request, body: Body) -> web.StreamResponse:
        assert request.transport is not None
        connection = request.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
        return web.Response()

    async def half(self, request: web.Request, body: Body) -> web.StreamResponse:
        data = json.dumps(payload_for(body)).encode()
        response = web.StreamResponse(headers={"Content-Length": str(len(data))})
        await response.prepare(request)
        await response.write(data[: len(data) // 2])
        assert request.transport is not None
        request.transport.close()
        return response

    async def slow(self, request: web.Request, body: Body) -> web.StreamResponse:
        """Send a byte now and then, too fast for a read timeout."""
        response = web.StreamResponse()
        await response.prepare(request)
        for byte in json.dumps(payload_for(body)):
            await response.write(byte.encode())
            await asyncio.sleep(0.1)
        return response

    async def no_json(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(text='{"choices": [', content_type="application/json")

    async def other_json(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response({"choices": [{"message": {"content": {"oh": "no"}}}]})

    async def no_choices(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response(payload_for(body) | {"choices": []})

    async def failed_inside(self, request: web.Request, body: Body) -> web.StreamResponse:
        payload = payload_for(body)
        payload["choices"][0]["finish_reason"] = "error"
        return web.json_response(payload)

    async def duplicated(self, request: web.Request, body: Body) -> web.StreamResponse:
        payload = payload_for(body)
        payload["choices"] = payload["choices"][:1] * (len(payload["choices"]) + 1)
        return web.json_response(payload)

    async def too_few(self, request: web.Request, body: Body) -> web.StreamResponse:
        payload = payload_for(body)
        del payload["choices"][(len(payload["choices"]) + 1) // 2 :]
        return web.json_response(payload)


#: Each of them now and then.
ALL = {
    name: 0.01 if name in ("slow", "too_many_until") else 0.03
    for name in (
        "too_many",
        "too_many_until",
        "broken",
        "unavailable",
        "reset",
        "half",
        "slow",
        "no_json",
        "other_json",
        "no_choices",
        "failed_inside",
        "duplicated",
        "too_few",
    )
}
