"""litellm as a model kind, against local servers with the providers' protocols."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from calculus_harness import harness
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import Capability, create
from calculus_harness.prompts import Message, Rendered
from tests.harness.faulty_server import FaultyServer, text_for

pytestmark = pytest.mark.litellm

CLAUDE = "litellm/anthropic/claude-sonnet-4-5"


class Anthropic(FaultyServer):
    """The same server, with Anthropic's messages."""

    def add_routes(self, application: web.Application) -> None:
        super().add_routes(application)
        application.router.add_post("/v1/messages", self.messages)

    async def messages(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.asked.append(body)
        if request.headers.get("x-api-key") != self.key:
            error = {"type": "authentication_error", "message": f"invalid x-api-key {self.key}"}
            return web.json_response({"type": "error", "error": error}, status=401)
        fault = self._next_fault()
        if fault:
            commit = getattr(self, fault)
            reply: web.StreamResponse = await commit(request, body)
            return reply
        return web.json_response(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [
                    {"type": "thinking", "thinking": "so it is", "signature": "s"},
                    {"type": "text", "text": text_for({"messages": body["messages"]})},
                ],
                "stop_reason": "max_tokens" if "limit" in self.key_words else "end_turn",
                "usage": {
                    "input_tokens": 7,
                    "output_tokens": 5,
                    "cache_read_input_tokens": 3,
                    "cache_creation_input_tokens": 0,
                },
            }
        )

    key_words: tuple[str, ...] = ()


@pytest.fixture
def anthropic(monkeypatch: pytest.MonkeyPatch) -> Iterator[Anthropic]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-12345678")
    with Anthropic(key="sk-ant-12345678") as server:
        yield server


def sweep(spec: str, server: FaultyServer, bench: str, out: Path, **settings: Any) -> harness.Run:
    options = {"base-url": server.url.removesuffix("/v1") if "anthropic" in spec else server.url}
    options |= settings.pop("options", {})
    return harness.sweep([spec], [bench], model_option=options, out=out, limit=4, **settings)


def test_a_provider_is_asked_in_its_protocol(
    anthropic: Anthropic, bench: str, tmp_path: Path
) -> None:
    run = sweep(CLAUDE, anthropic, bench, tmp_path / "run", samples=2)
    rows = list(run.completions.rows())
    assert len(rows) == 8
    for row in rows:
        assert row["text"]
        assert row["reasoning"] == "so it is"
        assert (row["finish_reason"], row["completion_tokens"]) == ("stop", 5)
        assert row["prompt_tokens"] == 10  # as OpenAI counts: cached ones included
        assert row["extra"]["cached_tokens"] == 3
    (body, *_) = anthropic.asked
    assert body["model"] == "claude-sonnet-4-5"
    assert body["temperature"] == 1.0
    assert "top_p" not in body
    assert "seed" not in body
    anthropic.asked.clear()
    sweep(CLAUDE, anthropic, bench, tmp_path / "run", samples=2)
    assert not anthropic.asked


def test_a_cut_answer_is_told(anthropic: Anthropic, bench: str, tmp_path: Path) -> None:
    anthropic.key_words = ("limit",)
    run = sweep(CLAUDE, anthropic, bench, tmp_path / "run")
    assert {row["finish_reason"] for row in run.completions.rows()} == {"length"}


def test_faults_are_retried_by_us(anthropic: Anthropic, bench: str, tmp_path: Path) -> None:
    anthropic.script.extend(["too_many", "unavailable", "broken", "too_many"])
    run = sweep(CLAUDE, anthropic, bench, tmp_path / "run", options={"pause": 0.05})
    assert len(list(run.completions.rows())) == 4
    assert len(anthropic.asked) == 8  # litellm itself asks nothing again


def test_every_fault_of_a_network_is_survived(bench: str, tmp_path: Path) -> None:
    faults = dict.fromkeys(("too_many", "broken", "reset", "half", "no_json"), 0.08)
    with FaultyServer(faults) as server:
        options = {"pause": 0.01, "retries": 20}
        run = sweep("litellm/openai/m", server, bench, tmp_path / "run", samples=8, options=options)
    rows = list(run.completions.rows())
    assert len(rows) == 32
    assert {row["finish_reason"] for row in rows} == {"stop"}
    assert any(row.get("extra", {}).get("attempts", 1) > 1 for row in rows)


def test_a_wrong_key_stops_the_sweep_and_is_not_shown(
    anthropic: Anthropic, bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong-secret-key")
    anthropic.key = "wrong-secret-key2"
    with pytest.raises(ModelError, match="does not accept the key") as raised:
        sweep(CLAUDE, anthropic, bench, tmp_path / "run", options={"concurrency": 1})
    assert "wrong-secret-key" not in str(raised.value)
    assert len(anthropic.asked) == 1
    assert not (tmp_path / "run").exists()


def test_a_missing_key_is_named(
    bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelError, match="no key in the environment: ANTHROPIC_API_KEY"):
        harness.sweep([CLAUDE], [bench], limit=1, out=tmp_path / "run")


def test_a_server_that_is_down_ends_the_sweep(bench: str, tmp_path: Path) -> None:
    with FaultyServer() as server:
        pass
    options = {"retries": 1, "pause": 0.01}
    with pytest.raises(ModelError, match=r"(?i)connection"):
        sweep("litellm/openai/m", server, bench, tmp_path / "run", options=options)


def test_what_is_refused_is_an_error_of_that_problem(bench: str, tmp_path: Path) -> None:
    def respond(body: dict[str, Any]) -> Any:
        text = "This model's maximum context length is 10 tokens"
        error = {"message": text, "code": "context_length_exceeded"}
        return web.json_response({"error": error}, status=400)

    with FaultyServer() as server:
        server.respond = respond
        run = sweep("litellm/openai/m", server, bench, tmp_path / "run")
    assert {row["finish_reason"] for row in run.completions.rows()} == {"error"}


def test_what_a_provider_can_do_is_known_before() -> None:
    claude, openai = create(CLAUDE), create("litellm/openai/gpt-4o")
    assert Capability.SEED in openai.capabilities
    assert Capability.GROUPED in openai.capabilities
    assert not {Capability.SEED, Capability.GROUPED, Capability.TEXT} & claude.capabilities
    with pytest.raises(ModelError, match="litellm does not know the provider"):
        _ = create("litellm/nowhere/model").capabilities
    with pytest.raises(ModelError, match="omit takes"):
        create(CLAUDE, {"omit": "top_q"})


def test_prices_and_tokens_are_litellm_s() -> None:
    price = create(CLAUDE).price()
    assert price is not None
    assert price.prompt < price.completion
    assert price.cached is not None
    assert create(CLAUDE, {"base-url": "http://127.0.0.1:1"}).price() is None
    assert create("litellm/openai/nothing-like-it").price() is None
    prompt = Rendered(messages=(Message("user", "Integrate x."),))
    assert 3 < (create(CLAUDE).count_tokens(prompt) or 0) < 20


def test_options_are_part_of_the_identity_as_far_as_they_change_answers() -> None:
    plain = create(CLAUDE)
    assert create(CLAUDE, {"concurrency": "2", "base-url": "http://x"}).hash == plain.hash
    assert create(CLAUDE, {"reasoning-effort": "low"}).hash != plain.hash
