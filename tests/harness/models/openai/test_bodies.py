"""Requests to an OpenAI-compatible server, and the reading of responses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import harness
from calculus_harness.harness import Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason
from calculus_harness.harness.models import Capability, create
from calculus_harness.harness.models.openai.errors import (
    RefusedError,
    UnavailableError,
    redact,
    response_error,
)
from calculus_harness.harness.models.openai.responses import completions, parse_response
from calculus_harness.harness.report import write_page

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import Body, FaultyServer, payload_for
from tests.harness.jobs import job_of
from tests.harness.models.openai.requests import CHAT, TEXT, body, request
from tests.harness.models.openai.test_openai import rows, sweep

pytestmark = pytest.mark.openai


def test_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    local = {"base-url": "http://127.0.0.1:8000/v1"}
    assert body(CHAT, local, stop=("\n",)) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "temperature": 1.0,
        "top_p": 1.0,
        "max_tokens": 50,
        "stop": ["\n"],
        "seed": 7,
    }
    assert body(TEXT, local)["prompt"] == "2+2="
    assert body(CHAT)["max_completion_tokens"] == 50
    assert "max_tokens" not in body(CHAT)
    assert body(TEXT)["max_tokens"] == 50
    assert (
        body(CHAT, local | {"token-field": "max_completion_tokens"})["max_completion_tokens"] == 50
    )
    reduced = body(CHAT, local | {"omit": "seed, temperature,max_tokens"})
    assert not reduced.keys() & {"seed", "temperature", "max_tokens"}
    thinking = {
        "enable-thinking": "false",
        "chat-template-kwargs": '{"tools": 1}',
        "reasoning-effort": "low",
        "service-tier": "flex",
        "extra-body": '{"top_p": 0.5}',
    }
    sent = body(CHAT, local | thinking)
    assert sent["chat_template_kwargs"] == {"tools": 1, "enable_thinking": False}
    assert (sent["reasoning_effort"], sent["service_tier"], sent["top_p"]) == ("low", "flex", 0.5)
    assert not body(TEXT, local | thinking).keys() & {"chat_template_kwargs", "reasoning_effort"}
    assert body(CHAT, local, logprobs=True)["logprobs"] is True
    assert body(TEXT, local, logprobs=True)["logprobs"] == 1
    vllm = body(TEXT, local | {"server": "vllm"}, top_k=20, min_p=0.1)
    assert (vllm["top_k"], vllm["min_p"]) == (20, 0.1)
    assert body(TEXT, local | {"server": "vllm"})["top_k"] == -1
    beams = body(TEXT, local | {"server": "vllm"}, beams=5, count=3)
    assert (beams["n"], beams["temperature"], beams["use_beam_search"]) == (5, 0, True)


def test_capabilities_follow_the_server() -> None:
    plain, vllm = create("openai/m"), create("openai/m", {"server": "vllm"})
    assert vllm.capabilities == frozenset(Capability)
    assert plain.capabilities == vllm.capabilities - {
        Capability.TOP_K,
        Capability.MIN_P,
        Capability.BEAMS,
        Capability.SCORING,
    }
    assert Capability.SEED not in create("openai/m", {"omit": "seed"}).capabilities


@pytest.mark.parametrize("flag", ["top_k", "min_p", "beams"])
def test_what_only_vllm_takes_is_refused_with_a_hint(flag: str, tmp_path: Path, bench: str) -> None:
    sampling = Sampling(**{flag: 1})
    with pytest.raises(ModelError, match=r"which this sweep needs .*; a server of vLLM .* -M serv"):
        job_of(["openai/m"], [bench], sampling=sampling, out=tmp_path / "run")
    assert job_of(
        ["openai/m"], [bench], sampling=sampling, model_option={"server": "vllm"}
    ).problems


def test_reasoning_refusals_and_filters_are_kept_apart() -> None:
    def answer(message: Body, reason: str = "stop", **usage: Any) -> Any:
        payload = {
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "model": "m-2025",
            "usage": usage,
        }
        (parsed,) = completions(request(CHAT), parse_response(json.dumps(payload).encode()), "m")
        return parsed

    thought = answer(
        {"content": "4", "reasoning_content": "hm"},
        prompt_tokens=5,
        completion_tokens=9,
        completion_tokens_details={"reasoning_tokens": 8},
        prompt_tokens_details={"cached_tokens": 3},
    )
    assert (thought.text, thought.reasoning, thought.reasoning_tokens) == ("4", "hm", 8)
    assert (thought.prompt_tokens, thought.completion_tokens) == (5, 9)
    assert thought.extra == {"served_model": "m-2025", "cached_tokens": 3}
    assert answer({"content": "4", "reasoning": "hm"}).reasoning == "hm"
    blocks = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "4"},
    ]
    assert (answer({"content": blocks}).text, answer({"content": blocks}).reasoning) == ("4", "hm")
    cut = answer({"content": None, "reasoning_content": "hm"}, "length")
    assert (cut.text, cut.finish_reason) == ("", FinishReason.LENGTH)
    refused = answer({"content": None, "refusal": "I will not."})
    assert (refused.finish_reason, refused.detail) == (FinishReason.REFUSAL, "I will not.")
    assert answer({"content": "x"}, "content_filter").finish_reason is FinishReason.CONTENT_FILTER
    assert answer({"content": "x"}, "eos_token").finish_reason is FinishReason.STOP


def test_half_a_character_in_an_answer_is_kept_as_far_as_it_goes(
    tmp_path: Path, bench: str
) -> None:
    def respond(body: Body) -> Body:
        payload = payload_for(body) | {"system_fingerprint": "\udcff"}
        message = {"content": "\\boxed{x^2} \ud83d", "reasoning": "\ud83d\ude00 \ude00"}
        payload["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        return payload

    with FaultyServer() as server:
        server.respond = respond
        run = sweep(server, tmp_path / "run", bench)
    stored = rows(run)
    assert len(stored) == 12
    for row in stored.values():
        assert row["text"] == "\\boxed{x^2} \ufffd"
        assert row["reasoning"] == "\N{GRINNING FACE} \ufffd"
        assert row["extra"] == {"system_fingerprint": "\udcff"}
    write_page(run)
    assert harness.summarise(run).unscored == 0


def test_tokens_of_several_choices_add_up() -> None:
    usage = {"usage": {"prompt_tokens": 4, "completion_tokens": 8}}
    payload = payload_for({"model": "m", "messages": [], "n": 3}) | usage
    answer = parse_response(json.dumps(payload).encode())
    parsed = completions(request(CHAT, count=3, grouped=True), answer, "m")
    assert [completion.completion_tokens for completion in parsed] == [3, 3, 2]
    assert [completion.prompt_tokens for completion in parsed] == [4, 0, 0]
    scored = parse_response(
        json.dumps(payload_for({"model": "m", "prompt": "", "n": 2, "logprobs": 1})).encode()
    )
    for completion in completions(request(TEXT, count=2, grouped=True, logprobs=True), scored, "m"):
        assert (completion.logprob, completion.completion_tokens) == (-0.75, 2)
        assert completion.extra["token_logprobs"] == [-0.5, -0.25]


@pytest.mark.parametrize("used", [-5, 10**18, 10**400, 1e308])
def test_tokens_that_cannot_be_are_not_counted(used: float, tmp_path: Path, bench: str) -> None:
    with FaultyServer() as server:
        usage = {"prompt_tokens": used, "completion_tokens": 7}
        server.respond = lambda body: payload_for(body) | {"usage": usage}
        run = sweep(server, tmp_path / "run", bench)
    assert len(rows(run)) == 12
    for row in run.completions.rows():
        assert row["completion_tokens"] == 7
        assert "prompt_tokens" not in row


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "choices",
                        "message",
                        "content",
                        "text",
                        "index",
                        "usage",
                        "logprobs",
                        "finish_reason",
                        "reasoning",
                        "prompt_tokens",
                        "refusal",
                        "type",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_an_answer_or_a_fault(value: Any) -> None:
    for payload in (
        value,
        {"choices": value},
        {"choices": [value]},
        {"choices": [{"message": value}]},
    ):
        try:
            answer = parse_response(json.dumps(payload).encode())
        except UnavailableError:
            continue
        for completion in completions(request(CHAT), answer, "m"):
            json.dumps(completion.to_dict())
            assert isinstance(completion.text, str)


@given(st.binary(max_size=40), st.integers(400, 599))
def test_any_error_means_one_of_three_things(content: bytes, status: int) -> None:
    error = response_error("openai/m", status, {}, redact(content, "key"))
    assert isinstance(error, ModelError | RefusedError | UnavailableError)
    assert "\n" not in str(error)


def test_a_filtered_prompt_is_a_status() -> None:
    error = json.dumps({"error": {"message": "Your prompt was blocked", "code": "content_filter"}})
    raised = response_error("openai/m", 400, {}, error)
    assert isinstance(raised, RefusedError)
    assert raised.reason is FinishReason.CONTENT_FILTER
