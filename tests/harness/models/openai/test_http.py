"""Requests over the openai client's connections, compared with the client's own requests."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create
from calculus_harness.harness.models.openai.errors import (
    RefusedError,
    UnavailableError,
    UnknownPathError,
)

pytest.importorskip("openai", reason="needs the extra 'openai'")
from aiohttp import web

from calculus_harness.harness.models.openai.http import Connection, classify_error, make_client
from tests.harness.faulty_server import FaultyServer

pytestmark = pytest.mark.openai
BODY = {"model": "m", "messages": [{"role": "user", "content": "∫ 2x – \ud83d"}], "seed": 7}
#: What differs between two requests: the bodies' lengths, and that the client counts attempts.
OWN = {"content-length", "x-stainless-retry-count"}
#: What may: the encodings that a sender can unpack, and whether it says what HTTP/1.1 implies.
SENDERS = {"accept-encoding", "connection"}


class Listening(FaultyServer):
    """Keeps the headers, redirects a path, and answers a third path slowly."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: list[dict[str, str]] = []

    def add_routes(self, application: web.Application) -> None:
        super().add_routes(application)
        application.router.add_post("/v1/moved", self.moved)
        application.router.add_post("/v1/packed", self.packed)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        return await super().complete(request)

    async def moved(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=308, headers={"Location": "/v1/chat/completions"})

    async def packed(self, request: web.Request) -> web.StreamResponse:
        assert "gzip" in request.headers["Accept-Encoding"]
        response = web.json_response({"host": request.host, "said": "x" * 5000})
        response.enable_compression(web.ContentCoding.gzip)
        return response


def posted(model: Any, path: str, transport: str = "") -> Any:
    """A server's answer to a request."""

    async def ask() -> Any:
        connection = Connection(model, transport)
        try:
            return json.loads(await connection.post(path, BODY))
        finally:
            await connection.close()

    return asyncio.run(ask())


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
        assert {item[0] for item in headers.items() ^ theirs.items()} - SENDERS == OWN
        assert headers["authorization"] == "Bearer sk-one"
        assert headers["openai-organization"] == "the-org"


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_an_answer_may_come_compressed(transport: str) -> None:
    with Listening() as server:
        model = create("openai/m", {"base-url": server.url})
        assert posted(model, "/packed", transport)["said"] == "x" * 5000


def test_a_proxy_is_asked_where_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    model = create("openai/m", {"base-url": "http://nowhere.invalid/v1"})
    with Listening() as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        assert posted(model, "/packed")["host"] == "nowhere.invalid"
        elsewhere = create("openai/m", {"base-url": server.url})
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert posted(elsewhere, "/packed")["said"] == "x" * 5000


def test_what_is_no_answer_is_one_of_the_protocols_errors() -> None:
    with FaultyServer() as server:
        model: Any = create("openai/m", {"base-url": server.url})

        async def fail(status: int, path: str = "/chat/completions") -> Exception:
            server.respond = lambda body: web.Response(status=status, text='{"error": "no"}')
            connection = Connection(model)
            try:
                await connection.post(path, BODY)
            except Exception as error:
                return classify_error(model, error)
            finally:
                await connection.close()
            raise AssertionError("it was answered")

        exceptions = {
            400: RefusedError,
            401: ModelError,
            404: UnknownPathError,
            429: UnavailableError,
            503: UnavailableError,
            304: ModelError,
        }
        for status, exception in exceptions.items():
            assert type(asyncio.run(fail(status))) is exception
        nobody = asyncio.run(fail(200, "http://127.0.0.1:9/v1/chat/completions"))
        assert isinstance(nobody, UnavailableError)
        assert "no connection" in str(nobody)
