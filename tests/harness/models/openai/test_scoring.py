"""Given texts, scored by servers with echo: vLLM's protocol with tokens, and other protocols."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import harness
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import Capability, Continuation, Model, Scored, create
from calculus_harness.harness.models.openai.errors import UnavailableError
from calculus_harness.harness.models.openai.scoring import Echo, parse_echo, text_logprobs
from calculus_harness.harness.studies.brittleness.teacher_forcing import (
    ScoringResult,
    ranked_candidates,
    score_texts,
)
from calculus_harness.prompts import Message, Rendered

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import Body, FaultyServer, payload_for

pytestmark = pytest.mark.openai
CHAT = Rendered(messages=(Message("user", "Integrate 2x."),))
TEXT = Rendered(text="Integrate 2x.")


def score(model: Model, *texts: Continuation) -> dict[str, Scored]:
    async def continuations() -> AsyncIterator[Continuation]:
        for text in texts:
            yield text

    async def collect() -> dict[str, Scored]:
        return {scored.key: scored async for scored in model.score(continuations())}

    return asyncio.run(collect())


def logprob(token: str) -> float:
    return -len(token) - sum(map(ord, token)) / 1000


def pieces(text: str, size: int = 3) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def echoing(body: Body, mark: str = "<s>", split: Any = pieces) -> Body:
    """A server that begins every text with a mark and ends with an extra token."""
    assert (body["echo"], body["logprobs"], body["max_tokens"]) == (True, 1, 1)
    tokens = [mark, *split(body["prompt"]), "!?"]
    return {
        "choices": [
            {
                "index": 0,
                "text": "".join(tokens),
                "logprobs": {
                    "tokens": tokens,
                    "token_logprobs": [None, *map(logprob, tokens[1:])],
                    "text_offset": list(accumulate(map(len, tokens[:-1]), initial=0)),
                },
            }
        ]
    }


def test_a_given_text_is_scored_by_echo() -> None:
    """The text has the last tokens' log-probabilities. Each kind of prompt is asked once."""
    from aiohttp import web

    class Echoing(FaultyServer):
        def add_routes(self, application: web.Application) -> None:
            super().add_routes(application)
            application.router.add_post("/tokenize", self.tokenise)

        async def tokenise(self, http: web.Request) -> web.StreamResponse:
            received = json.loads(await http.read())
            self.counts["tokenise"] += 1
            text = received.get("prompt") or "".join(
                turn["content"] for turn in received["messages"]
            )
            assert ("messages" in received) == received.get("add_generation_prompt", False)
            tokens = [ord(letter) for letter in text]
            return web.json_response(
                {"tokens": tokens if "add_special_tokens" in received else [0, *tokens]}
            )

    def respond(body: Body) -> Body:
        assert (body["max_tokens"], body["echo"]) == (0, True)
        logprobs = [None] + [-token / 100 for token in body["prompt"][1:]]
        return {"choices": [{"index": 0, "text": "", "logprobs": {"token_logprobs": logprobs}}]}

    texts = [
        Continuation("a", TEXT, "AB"),
        Continuation("b", CHAT, "C"),
        Continuation("c", TEXT, ""),
        Continuation("d", TEXT, "D"),
    ]
    with Echoing() as server:
        server.respond = respond
        model = create("openai/m", {"base-url": server.url, "server": "vllm", "concurrency": "2"})
        scores = score(model, *texts)
        assert {key: scored.token_logprobs for key, scored in scores.items()} == {
            "a": (-0.65, -0.66),
            "b": (-0.67,),
            "c": (),
            "d": (-0.68,),
        }
        assert server.counts["tokenise"] == 5


def test_any_server_that_echoes_can_score_what_follows_a_text() -> None:
    prompt = Rendered(text="Integrate 2x")
    texts = [
        Continuation("a", prompt, "x^2 + C"),
        Continuation("b", prompt, ""),
        Continuation("merged", Rendered(text="Integrate 2x."), "x^2"),
    ]
    with FaultyServer() as server:
        options = {"base-url": server.url, "echo": "true"}
        model = create("openai/m", options)
        assert Capability.SCORING in model.capabilities
        for mark in ("<s>", ""):
            server.respond = lambda body, mark=mark: echoing(body, mark)
            scores = score(model, *texts)
            assert scores["a"].token_logprobs == tuple(map(logprob, pieces("x^2 + C")))
            assert not scores["a"].ended
            assert scores["b"].token_logprobs == ()
            assert "merges its beginning with the end of the prompt" in scores["merged"].detail
        assert len(server.asked) == 4
        with pytest.raises(ModelError, match="-M server=vllm"):
            score(model, Continuation("chat", CHAT, "x^2"))
        assert len(server.asked) == 4
        server.respond = lambda body: echoing(body | {"prompt": ""})
        with pytest.raises(ModelError, match="does not echo"):
            score(model, texts[0])
        elsewhere = create("openai/m", {"base-url": server.url})
        assert elsewhere.hash == model.hash
        with pytest.raises(ModelError, match=r"server=vllm.*echo=true"):
            score(elsewhere, texts[0])


def test_the_texts_of_a_run_are_scored_and_those_that_cannot_be_are_remarked_on(
    tmp_path: Path,
) -> None:
    with FaultyServer() as server:
        server.respond = lambda body: echoing(body) if "echo" in body else payload_for(body)
        options = {"base-url": server.url, "echo": "true"}
        run = harness.sweep(
            ["openai/m"],
            ["bee"],
            limit=12,
            prompt="completion",
            model_option=options,
            out=tmp_path / "run",
        )
        model = create("openai/m", options)
        result = score_texts(run.path, model)
        assert score_texts(run.path, model) == ScoringResult(0)  # nothing is asked twice
    # One prompt of three ends with the end of a piece.
    assert result.scored > 0
    assert set(result.remarks) == {
        "the server's tokenizer merges its beginning with the end of the prompt"
    }
    references = [problem.reference for problem in ranked_candidates(run, model.hash).values()]
    assert len(references) == 12
    assert 0 < sum(reference is not None for reference in references) < 12


def test_an_echo_that_lacks_a_log_probability_is_none() -> None:
    def answer(values: Iterable[Any]) -> bytes:
        logprobs = {"tokens": ["a", "b"], "token_logprobs": list(values), "text_offset": [0, 1]}
        return json.dumps({"choices": [{"text": "ab", "logprobs": logprobs}]}).encode()

    assert parse_echo(answer([None, -1])).logprobs == (None, -1.0)
    assert parse_echo(answer([-1, -math.inf])).logprobs == (-1.0, -math.inf)
    broken = (
        answer([-1, None]),
        answer(["x", -1]),
        b"{}",
        b"[" * 100_000,
        b"\xff",
        b'{"choices": [{"logprobs": null}]}',
    )
    for content in broken:
        with pytest.raises(UnavailableError, match="cannot be read"):
            parse_echo(content)


def test_tokens_of_parts_of_a_character_are_found_by_their_offsets() -> None:
    """OpenAI's names of tokens: all tokens of a character stand at the character's place."""
    tokens = ("2", "x", "=", "bytes:\\xe2\\x88", "bytes:\\xab", "2", "!")
    values = (None, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0)
    echo = Echo("2x=\u222b2!", tokens, values, (0, 1, 2, 3, 3, 4, 5))
    assert text_logprobs(echo, "2x=", "\u222b2") == (-3.0, -4.0, -5.0)
    assert text_logprobs(echo, "2x", "=\u222b2") == (-2.0, -3.0, -4.0, -5.0)
    assert text_logprobs(echo, "2x=", "\u222b3") is None


@given(
    prompt=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5),
    text=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5),
    mark=st.sampled_from(["", "<s>", "\ufffd"]),
    behind=st.sampled_from([(), ("",), ("x",)]),
)
def test_the_tokens_of_a_text_are_those_from_its_beginning_on(
    prompt: list[str], text: list[str], mark: str, behind: tuple[str, ...]
) -> None:
    tokens = (mark, *prompt, *text, *behind)
    values = (None, *(-float(number) for number in range(1, len(tokens))))
    echo = Echo("".join(tokens), tokens, values, ())
    logprobs = text_logprobs(echo, "".join(prompt), "".join(text))
    start = 1 + len(prompt)
    spelt = "".join(tokens).find("".join(prompt + text))
    if spelt == len(mark):  # not also earlier, by chance
        assert logprobs == values[start : start + len(text)]
