"""A wrong server is named in a single line before a sweep begins."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import Completion
from calculus_harness.harness.run.progress import Silent

pytest.importorskip("openai", reason="needs the extra 'openai'")
from aiohttp import web

from tests.harness.faulty_server import Body, FaultyServer, payload_for

pytestmark = pytest.mark.openai


def ask(url: str, out: Path, bench: str, progress: Any = None, **options: str) -> harness.Run:
    options = {"base-url": url, "pause": "0.02"} | {
        name.replace("_", "-"): value for name, value in options.items()
    }
    return harness.sweep(
        ["openai/m"], [bench], model_option=options, limit=4, out=out, progress=progress
    )


class Hanging(FaultyServer):
    async def complete(self, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(600)
        raise AssertionError


class WithoutV1(FaultyServer):
    """An unknown path of the server is a page of HTML."""

    async def missing(self, request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Not Found</html>", status=404)

    def add_routes(self, application: web.Application) -> None:
        super().add_routes(application)
        application.router.add_post("/chat/completions", self.missing)


def test_one_token_is_asked_for_first(tmp_path: Path, bench: str) -> None:
    with FaultyServer() as server:
        ask(server.url, tmp_path / "run", bench)
    first, *others = server.asked
    assert len(others) == 4
    assert first["max_tokens"] == 1
    assert first["messages"] == others[0]["messages"]
    assert {body["max_tokens"] for body in others} == {harness.Sampling().max_tokens}


def test_that_token_is_outside_the_limits(tmp_path: Path, bench: str) -> None:
    """An answer takes 12 tokens: two fit into 24. A sweep without requests has no probe."""
    with FaultyServer() as server:
        for _ in range(2):
            run = harness.sweep(
                ["openai/m"],
                [bench],
                model_option={"base-url": server.url, "concurrency": "1"},
                limit=4,
                max_tokens_total=24,
                out=tmp_path / "run",
            )
    assert [body["max_tokens"] == 1 for body in server.asked] == [True, False, False]
    assert sum(1 for _ in run.completions.heads()) == 2


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_server_that_is_not_there_is_said_at_once(
    tmp_path: Path, bench: str, transport: str
) -> None:
    with FaultyServer() as server:
        url = server.url  # nothing listens there when the server has ended
    start = time.monotonic()
    with pytest.raises(ModelError, match=f"model openai/m: no connection .* at {url}"):
        ask(url, tmp_path / "run", bench, transport=transport)
    assert time.monotonic() - start < 20  # and not all retries
    assert not (tmp_path / "run").exists()


def test_a_server_that_hangs(tmp_path: Path, bench: str) -> None:
    with (
        Hanging() as server,
        pytest.raises(ModelError, match=r"for one token within 0\.3 s") as error,
    ):
        ask(server.url, tmp_path / "run", bench, probe="0.3")
    assert server.url in str(error.value)
    assert "-M probe=SECONDS waits longer" in str(error.value)


def test_a_url_without_v1(tmp_path: Path, bench: str) -> None:
    with WithoutV1() as server:
        with pytest.raises(ModelError, match="does not know the model or path") as error:
            ask(server.url.removesuffix("/v1"), tmp_path / "run", bench)
        assert str(error.value).endswith(f"it answers below /v1: -M base-url={server.url}")


def test_a_key_that_is_wrong(tmp_path: Path, bench: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with FaultyServer(key="right") as server:
        with pytest.raises(ModelError, match="does not accept the key"):
            ask(server.url, tmp_path / "run", bench)
        assert len(server.asked) == 1


def test_a_server_that_refuses_one_token_or_is_busy_is_asked_all_the_same(
    tmp_path: Path, bench: str
) -> None:
    def respond(body: Body) -> Any:
        if body["max_tokens"] == 1:
            message = "Invalid 'max_output_tokens': integer below minimum value"
            return web.json_response({"error": {"message": message}}, status=400)
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        assert harness.summarise(ask(server.url, tmp_path / "run", bench)).missing == 0
    with FaultyServer(script=("unavailable",)) as server:
        assert harness.summarise(ask(server.url, tmp_path / "busy", bench)).missing == 0


class Recorder(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.answers: list[Completion] = []

    def status(self, text: str) -> None:
        self.lines.append(text)

    def notice(self, text: str) -> None:
        self.lines.append(text)


def test_repeated_requests_are_summed_up(tmp_path: Path, bench: str) -> None:
    script = ("none", "too_many", "unavailable", "unavailable", "no_json")
    notices = Recorder()
    with FaultyServer(script=script) as server:
        ask(server.url, tmp_path / "run", bench, notices, concurrency="1")
    (line,) = [line for line in notices.lines if "sent again" in line]
    assert line == (
        "model openai/m: 4 requests were sent again "
        "(2 x 503, 1 x 429, 1 x the server's answer cannot be read)"
    )
