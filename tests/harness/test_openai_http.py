"""Requests over the openai client's connections, beside those that the client makes itself."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from harness.errors import ModelError
from harness.models import create
from harness.models.openai_wire import RefusedError, UnavailableError

pytest.importorskip("openai", reason="needs the extra 'openai'")
from aiohttp import web

from harness.models.openai_http import Connection, make_client, understood
from tests.harness.faulty_server import FaultyServer

pytestmark = pytest.mark.openai
BODY = {"model": "m", "messages": [{"role": "user", "content": "∫ 2x – \ud83d"}], "seed": 7}
#: What differs between two requests: the bodies' lengths, and that the client counts attempts.
OWN = {"content-length", "x-stainless-retry-count"}


class Listening(FaultyServer):
    """Keeps the headers, moves one path to another, and is slow to answer a third."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: list[dict[str, str]] = []

    def add_routes(self, application: web.Application) -> None:
        super().add_routes(application)
        application.router.add_post("/v1/moved", self.moved)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        return await super().complete(request)

    async def moved(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=308, headers={"Location": "/v1/chat/completions"})


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_request_is_the_one_that_the_client_would_make(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("OPENAI_ORG_ID", "the-org")
    with Listening() as server:
        model: Any = create("openai/m", {"base-url": server.url})

        async def ask() -> None:
            connection = Connection(model, transport)
            try:
                for path in ("/chat/completions", "/moved", f"{server.url}/chat/completions"):
                    answer = json.loads(await connection.post(path, BODY))
                    assert answer["choices"]
                assert json.loads(await connection.get("/models"))["object"] == "list"
            finally:
                await connection.close()
            async with make_client(model) as client:
                body: dict[str, Any] = {**BODY, "messages": [{"role": "user", "content": "2x"}]}
                await client.chat.completions.create(**body)

        asyncio.run(ask())
    *ours, theirs = server.headers
    assert len(ours) == 3
    assert server.asked[:3] == [BODY] * 3
    for headers in ours:
        assert {item[0] for item in headers.items() ^ theirs.items()} == OWN
        assert headers["authorization"] == "Bearer sk-one"
        assert headers["openai-organization"] == "the-org"


def test_what_is_no_answer_is_one_of_the_protocols_errors() -> None:
    with FaultyServer() as server:
        model: Any = create("openai/m", {"base-url": server.url})

        async def fail(status: int, path: str = "/chat/completions") -> Exception:
            server.respond = lambda body: web.Response(status=status, text='{"error": "no"}')
            connection = Connection(model)
            try:
                await connection.post(path, BODY)
            except Exception as error:
                return understood(model, error)
            finally:
                await connection.close()
            raise AssertionError("it was answered")

        kinds = {400: RefusedError, 401: ModelError, 404: ModelError, 429: UnavailableError,
                 503: UnavailableError, 304: ModelError}  # fmt: skip
        for status, kind in kinds.items():
            assert type(asyncio.run(fail(status))) is kind
        nobody = asyncio.run(fail(200, "http://127.0.0.1:9/v1/chat/completions"))
        assert isinstance(nobody, UnavailableError)
        assert "no connection" in str(nobody)
