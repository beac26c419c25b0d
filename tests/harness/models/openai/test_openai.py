"""The openai client against servers that do all that servers do, in whole sweeps."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import harness
from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Run, Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason, Request, request_hash
from calculus_harness.harness.models import Capability, create
from calculus_harness.harness.models.openai.errors import (
    RefusedError,
    UnavailableError,
    redact,
    response_error,
)
from calculus_harness.harness.models.openai.rate_limits import (
    AdaptiveLimiter,
    RateLimit,
    retry_after,
)
from calculus_harness.harness.models.openai.responses import completions, parse_response
from calculus_harness.harness.report import write_page
from calculus_harness.harness.run.problems import problems_of
from calculus_harness.harness.run.progress import Bar, Lines
from calculus_harness.prompts import Message, Rendered

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import ALL, Body, FaultyServer, payload_for, text_for
from tests.harness.jobs import job_of

pytestmark = pytest.mark.openai
ROOT = Path(__file__).parents[4]
QUICK = {"pause": "0.02", "request-timeout": "0.7", "probe": "0"}


def sweep(server: FaultyServer, out: Path, bench: str, **arguments: Any) -> Run:
    """A sweep of that server, with short pauses."""
    options = {"base-url": server.url} | QUICK | arguments.pop("model_option", {})
    arguments = {"limit": 4, "samples": 3} | arguments
    return harness.sweep(["openai/m"], [bench], model_option=options, out=out, **arguments)


def rows(run: Run) -> dict[tuple[str, int], dict[str, Any]]:
    """The stored completions by problem and sample; each must be there once."""
    found = {(row["problem"], row["sample"]): row for row in run.completions.rows()}
    assert len(found) == len(list(run.completions.rows()))
    return found


def failures(run: Run) -> list[dict[str, Any]]:
    path = run.path / "failures.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# --- whole sweeps ------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", ["aiohttp", pytest.param("httpx", marks=pytest.mark.slow)])
def test_every_fault_and_still_every_sample_once(
    tmp_path: Path, bench: str, transport: str
) -> None:
    with FaultyServer(ALL, script=tuple(ALL), seed=1) as server:
        run = sweep(
            server,
            tmp_path / "run",
            bench,
            limit=24,
            samples=6,
            model_option={"transport": transport, "concurrency": "16"},
        )
        stored = rows(run)
        assert len(stored) == 144
        assert not failures(run)
        assert set(server.counts) == set(ALL), "a fault that never happened is not tested"
        by_seed = {body["seed"]: body for body in server.asked}
        for row in stored.values():
            assert row["text"] == text_for(by_seed[row["seed"]])
            assert row["finish_reason"] == "stop"
        assert harness.summarise(run).missing == harness.summarise(run).unscored == 0
        assert max(row.get("extra", {}).get("attempts", 1) for row in stored.values()) > 1


def test_grouped_samples_that_are_doubled_or_missing_are_asked_for_again(
    tmp_path: Path, bench: str
) -> None:
    faults = ALL | {"duplicated": 0.2, "too_few": 0.2}
    with FaultyServer(faults, seed=2) as server:
        run = sweep(
            server, tmp_path / "run", bench, limit=24, samples=4, sampling=Sampling(grouped=True)
        )
        stored = rows(run)
        assert len(stored) == 96
        by_seed = {body["seed"]: body for body in server.asked}
        for row in stored.values():
            texts = {text_for(by_seed[row["seed"]], index) for index in range(4)}
            assert row["text"] in texts
        seeds: dict[str, set[int]] = {}
        for (problem, _), row in stored.items():
            seeds.setdefault(problem, set()).add(row["seed"])
        assert any(len(found) > 1 for found in seeds.values()), "nothing was asked for again"
        assert any(len(found) == 1 for found in seeds.values())


@pytest.mark.slow
def test_a_kill_in_the_middle_of_it_loses_and_repeats_nothing(tmp_path: Path, bench: str) -> None:
    out = tmp_path / "run"
    faults = {name: 0.02 for name in ALL if name not in ("slow", "too_many_until")}
    with FaultyServer(faults, seed=3, delay=0.02) as server:
        command = [
            sys.executable,
            str(ROOT / "run.py"),
            *(
                f"sweep --model openai/m --benchmark {bench} -n 25 --out {out} "
                f"-M base-url={server.url} -M pause=0.02 -M concurrency=8"
            ).split(),
        ]
        shard = out / "completions" / "00000.jsonl"
        known: set[tuple[str, int]] = set()
        for wanted in (30, 200, 400):
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                if shard.exists() and shard.read_bytes().count(b"\n") > wanted:
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, "it was over before it was killed"
            before, known = known, set(rows(Run(out)))
            assert before < known
        seeds = {row["seed"] for row in rows(Run(out)).values()}
        asked = len(server.asked)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert "Traceback" not in done.stderr
        assert not seeds & {body["seed"] for body in server.asked[asked:]}, "asked twice"
    assert len(rows(Run(out))) == 24 * 25
    assert harness.summarise(Run(out)).missing == 0


def test_what_cannot_be_answered_is_recorded_and_what_was_not_is_asked_again(
    tmp_path: Path, bench: str
) -> None:
    """A prompt that is too long for ever, and one on which the server fails only today."""
    from aiohttp import web

    today = True
    too_long, unlucky = (problem.inputs.integrand for problem in problems_of([bench], 4, 0)[:2])

    def respond(body: Body) -> Any:
        prompt = body["messages"][-1]["content"]
        if too_long in prompt:
            message = "This model's maximum context length is 10 tokens, and you asked for 11."
            return web.json_response({"error": {"message": message}}, status=400)
        if unlucky in prompt and today:
            return web.Response(status=500, text="out of memory")
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        options = {"retries": "2"}
        run = sweep(server, tmp_path / "run", bench, samples=4, model_option=options)
        reasons = Counter(row["finish_reason"] for row in rows(run).values())
        assert (len(failures(run)), reasons) == (4, {"stop": 8, "error": 4})
        assert {row["detail"] for row in failures(run)} == {"500: out of memory (after 3 attempts)"}
        details = [row.get("detail", "") for row in rows(run).values()]
        assert sum("maximum context length" in detail for detail in details) == 4
        today, asked = False, len(server.asked)
        run = sweep(server, tmp_path / "run", bench, samples=4, model_option=options)
        assert len(rows(run)) == 16
        assert len(server.asked) - asked == 4


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (401, {"message": "Incorrect API key: sk-secret-12345"}, "does not accept the key"),
        (404, {"message": "The model `m` does not exist"}, "does not know the model or path"),
        (
            429,
            {"message": "You exceeded your current quota", "code": "insufficient_quota"},
            "no credit left",
        ),
        (
            400,
            {"message": "Unsupported parameter: 'max_tokens'", "code": "unsupported_parameter"},
            "does not take a setting",
        ),
        (500, {"message": "the engine is dead"}, "the first 16 requests all failed"),
        (400, {"message": "I do not like it"}, "the first 16 requests all failed"),
    ],
)
def test_what_holds_for_every_request_stops_the_sweep_at_once(
    tmp_path: Path, bench: str, status: int, error: Body, said: str
) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.json_response({"error": error}, status=status)
        options = {"retries": "1", "concurrency": "4"}
        with pytest.raises(ModelError, match=said) as stop:
            sweep(server, tmp_path / "run", bench, limit=24, samples=10, model_option=options)
        assert "\n" not in str(stop.value)
        assert "secret" not in str(stop.value)
        assert len(server.asked) <= 40
        # What was answered before is kept: the server works again, and nothing is repeated.
        server.respond = payload_for
        run = sweep(server, tmp_path / "run", bench, limit=24, samples=10, model_option=options)
        assert harness.summarise(run).missing == 0


def test_a_wrong_or_missing_key_leaves_no_run_behind(
    tmp_path: Path, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    out = tmp_path / "runs" / "new"
    with pytest.raises(ModelError, match="no key in the environment variable"):
        harness.sweep(["openai/m"], [bench], limit=2, out=out)
    assert not out.exists()
    with FaultyServer(key="right") as server:
        with pytest.raises(ModelError, match="does not accept the key"):
            sweep(server, out, bench)
        assert not out.exists()
        out.mkdir()
        (out / ".keep").touch()  # somebody else's
        with pytest.raises(ModelError, match="does not accept the key"):
            sweep(server, out, bench)
        assert [path.name for path in out.iterdir()] == [".keep"]
        monkeypatch.setenv("OPENAI_API_KEY", "right")
        run = sweep(server, out, bench)
        assert harness.summarise(run).missing == 0
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        with pytest.raises(ModelError, match="does not accept the key"):
            sweep(server, out, bench, samples=4)
        assert len(rows(Run(out))) == 12


def test_a_server_that_goes_away_stops_the_sweep_and_nothing_is_lost(
    tmp_path: Path, bench: str
) -> None:
    options = {"retries": "2", "concurrency": "4"}
    with FaultyServer(delay=0.01) as server:

        def respond(body: Body) -> Any:
            if len(server.asked) >= 20:
                server.stop()
            return payload_for(body)

        server.respond = respond
        with pytest.raises(ModelError, match=r"no connection .* the same command goes on"):
            sweep(server, tmp_path / "run", bench, model_option=options, limit=24)
    stored = rows(Run(tmp_path / "run"))
    assert 16 <= len(stored) < 72
    with FaultyServer() as other:
        run = sweep(other, tmp_path / "run", bench, model_option=options, limit=24)
        assert len(rows(run)) == 72
        assert rows(run).items() >= stored.items()
        assert len(other.asked) == 72 - len(stored)


def test_the_key_is_sent_and_written_nowhere(
    tmp_path: Path, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-test-4242424242"
    monkeypatch.setenv("MY_KEY", key)
    with FaultyServer(key=key) as server:
        run = sweep(server, tmp_path / "run", bench, model_option={"api-key-env": "MY_KEY"})
        assert harness.summarise(run).missing == 0
        monkeypatch.setenv("MY_KEY", key + "7")
        with pytest.raises(ModelError, match=r"provided: \*\*\*") as stop:
            sweep(
                server, tmp_path / "run", bench, samples=9, model_option={"api-key-env": "MY_KEY"}
            )
        assert key not in str(stop.value)
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or b"sk-test" not in path.read_bytes()
    monkeypatch.delenv("MY_KEY")
    options = {"base-url": "https://example.invalid/v1", "api-key-env": "MY_KEY"}
    with pytest.raises(ModelError, match="no key in the environment variable MY_KEY"):
        harness.sweep(["openai/m"], [bench], limit=1, out=tmp_path / "other", model_option=options)


def test_where_it_is_asked_is_no_part_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = create("openai/m")
    same = {
        "base-url": "http://127.0.0.1:1/v1",
        "probe": "0",
        "concurrency": "3",
        "retries": "0",
        "server": "vllm",
        "api-key-env": "K",
        "requests-per-minute": "5",
    }
    assert create("openai/m", same).hash == plain.hash
    for options in (
        {"reasoning-effort": "low"},
        {"extra-body": '{"a": 1}'},
        {"omit": "seed"},
        {"enable-thinking": "false"},
    ):
        assert create("openai/m", options).hash != plain.hash
    for options, said in (
        ({"extra-body": "{"}, "no JSON"),
        ({"extra-body": "[1]"}, "JSON object"),
        ({"base-url": "localhost:8000"}, "is a URL"),
        ({"server": "tgi"}, "openai or vllm"),
        ({"base-url": "http://me:pass@host/v1"}, "no password"),
        ({"omit": "model"}, "omit takes"),
        ({"concurrency": "0"}, "positive"),
        ({"enable-thinking": "yes"}, "true or false"),
    ):
        with pytest.raises(ModelError, match=said):
            create("openai/m", options)


# --- what is sent, and what is read ------------------------------------------------------------


def request(prompt: Rendered, count: int = 1, **sampling: Any) -> Request:
    shown = {"integrand": "x", "variable": "x"}
    problem = Problem("p", "integration", "toy", "s", inputs=shown, target=shown)
    settings = Sampling(**{"max_tokens": 50} | sampling)
    return Request(
        "m", problem, prompt, settings, request_hash(problem, prompt, settings), seed=7, count=count
    )


CHAT = Rendered(messages=(Message("system", "s"), Message("user", "u")))
TEXT = Rendered(text="2+2=")


def body(prompt: Rendered, options: dict[str, str] | None = None, **sampling: Any) -> Body:
    model: Any = create("openai/m", options or {})
    found: Body = model.body(request(prompt, **sampling))
    return found


def test_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    here = {"base-url": "http://127.0.0.1:8000/v1"}
    assert body(CHAT, here, stop=("\n",)) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "temperature": 1.0,
        "top_p": 1.0,
        "max_tokens": 50,
        "stop": ["\n"],
        "seed": 7,
    }
    assert body(TEXT, here)["prompt"] == "2+2="
    assert body(CHAT)["max_completion_tokens"] == 50
    assert "max_tokens" not in body(CHAT)
    assert body(TEXT)["max_tokens"] == 50
    assert (
        body(CHAT, here | {"token-field": "max_completion_tokens"})["max_completion_tokens"] == 50
    )
    left = body(CHAT, here | {"omit": "seed, temperature,max_tokens"})
    assert not left.keys() & {"seed", "temperature", "max_tokens"}
    thinking = {
        "enable-thinking": "false",
        "chat-template-kwargs": '{"tools": 1}',
        "reasoning-effort": "low",
        "service-tier": "flex",
        "extra-body": '{"top_p": 0.5}',
    }
    sent = body(CHAT, here | thinking)
    assert sent["chat_template_kwargs"] == {"tools": 1, "enable_thinking": False}
    assert (sent["reasoning_effort"], sent["service_tier"], sent["top_p"]) == ("low", "flex", 0.5)
    assert not body(TEXT, here | thinking).keys() & {"chat_template_kwargs", "reasoning_effort"}
    assert body(CHAT, here, logprobs=True)["logprobs"] is True
    assert body(TEXT, here, logprobs=True)["logprobs"] == 1
    vllm = body(TEXT, here | {"server": "vllm"}, top_k=20, min_p=0.1)
    assert (vllm["top_k"], vllm["min_p"]) == (20, 0.1)
    assert body(TEXT, here | {"server": "vllm"})["top_k"] == -1
    beams = body(TEXT, here | {"server": "vllm"}, beams=5, count=3)
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
        (found,) = completions(request(CHAT), parse_response(json.dumps(payload).encode()), "m")
        return found

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
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "4"},
    ]
    assert (answer({"content": parts}).text, answer({"content": parts}).reasoning) == ("4", "hm")
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
    found = completions(request(CHAT, count=3, grouped=True), answer, "m")
    assert [completion.completion_tokens for completion in found] == [3, 3, 2]
    assert [completion.prompt_tokens for completion in found] == [4, 0, 0]
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
    found = response_error("openai/m", status, {}, redact(content, "key"))
    assert isinstance(found, ModelError | RefusedError | UnavailableError)
    assert "\n" not in str(found)


def test_a_filtered_prompt_is_a_status() -> None:
    error = json.dumps({"error": {"message": "Your prompt was blocked", "code": "content_filter"}})
    found = response_error("openai/m", 400, {}, error)
    assert isinstance(found, RefusedError)
    assert found.reason is FinishReason.CONTENT_FILTER


# --- limits ------------------------------------------------------------------------------------


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after-ms": "250", "retry-after": "3"}) == 0.25
    soon = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90))})
    assert soon is not None
    assert 85 < soon <= 90
    assert retry_after({"retry-after": format_datetime(datetime.now(UTC) - timedelta(days=9))}) == 0
    for nonsense in ("", "soon", "nan", "-5", "99:99", "Wed, 99 Foo 2000 00:00:00 GMT"):
        assert retry_after({"retry-after": nonsense}) in (None, 0)


@given(st.floats(1, 1e4), st.lists(st.tuples(st.floats(0, 50), st.floats(0, 9)), max_size=50))
def test_no_minute_has_more_than_its_rate(rate: float, asked: list[tuple[float, float]]) -> None:
    """Whatever is asked when, the cost begun in any minute stays within the rate and one item."""
    limiter, now, begun = RateLimit(rate), 0.0, []
    for cost, wait in asked:
        now += wait
        begun.append((limiter.schedule(cost, now), cost))
    for start, _ in begun:
        inside = [cost for time, cost in begun if start <= time < start + 60]
        assert sum(inside) - (inside[-1] if inside else 0) <= rate * (1 + 1e-6)


def test_an_overload_halves_the_limit_once_and_responses_restore_it() -> None:
    async def conduct() -> None:
        limiter = AdaptiveLimiter(16)
        started = [await limiter.acquire(0) for _ in range(16)]
        late = asyncio.create_task(limiter.acquire(0))
        await asyncio.sleep(0)
        for start in started:  # all were under way when the server was overloaded: halved once
            limiter.overloaded(start)
        assert limiter.limit == 8
        for _ in range(8):
            limiter.release()
        await asyncio.sleep(0)
        assert not late.done(), "8 are still under way"
        limiter.release()
        limiter.overloaded(await late)
        assert limiter.limit == 4
        for _ in range(1000):
            limiter.succeeded()
        assert limiter.limit == 16

    asyncio.run(conduct())


def test_a_turn_that_is_given_up_is_not_lost() -> None:
    async def conduct() -> None:
        limiter = AdaptiveLimiter(1)
        await limiter.acquire(0)
        waiting = [asyncio.create_task(limiter.acquire(0)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limiter.release()
        waiting[1].cancel()  # just as it was given its turn
        await asyncio.wait_for(waiting[2], 5)
        assert limiter.active == 1

    asyncio.run(conduct())


def test_a_sweep_that_waits_says_why(
    tmp_path: Path, bench: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(seconds: float) -> list[str]:
        monkeypatch.setattr("calculus_harness.harness.models.openai.session.LOG_INTERVAL", seconds)
        caplog.clear()
        with FaultyServer(script=("too_many",) * 3) as server:
            sweep(server, tmp_path / f"run{seconds}", bench, model_option={"concurrency": "1"})
        return [record.getMessage() for record in caplog.records if "waiting" in record.message]

    assert waits(60) == []
    assert all("openai/m: waiting for the server: 429" in text for text in waits(0))
    assert len(waits(0.001)) == 3


@pytest.mark.parametrize("kind", [Lines, Bar])
def test_a_server_that_asks_to_wait_long_is_named_at_once(
    kind: type[Lines | Bar],
    tmp_path: Path,
    bench: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from aiohttp import web

    monkeypatch.setattr("calculus_harness.harness.models.openai.session.LOG_INTERVAL", 0.9)

    def respond(body: Body) -> Any:
        if len(server.asked) > 3:
            return payload_for(body)
        return web.Response(status=429, headers={"Retry-After": "1"})

    with FaultyServer() as server, kind() as progress:
        server.respond = respond
        options = {"concurrency": "3"}
        sweep(server, tmp_path / "run", bench, model_option=options, progress=progress)
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("warning: model openai/m: waiting for the server: 429") == 1
    assert "it asks to wait for 1 s" in said
    assert logging.getLogger("calculus_harness.harness.models").handlers == []


def test_the_server_is_left_alone_for_as_long_as_it_asks(tmp_path: Path, bench: str) -> None:
    with FaultyServer(script=("too_many_until",)) as server:
        server.until = 2
        start = time.monotonic()
        run = sweep(server, tmp_path / "run", bench, model_option={"concurrency": "1"})
        assert time.monotonic() - start > 1
        assert harness.summarise(run).missing == 0
    with FaultyServer(delay=0.05) as server:
        sweep(server, tmp_path / "slow", bench, model_option={"concurrency": "3"}, samples=6)
        assert server.most == 3
    with FaultyServer() as server:
        start = time.monotonic()
        sweep(server, tmp_path / "rate", bench, model_option={"requests-per-minute": "600"})
        assert time.monotonic() - start >= 1.1


def test_a_wait_longer_than_the_limit_stops_the_sweep(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.Response(status=429, headers={"Retry-After": "86400"})
        with pytest.raises(ModelError, match="it asks to wait for 86400 s"):
            sweep(server, tmp_path / "run", bench)


def test_one_request_s_pause_does_not_stop_the_others(tmp_path: Path, bench: str) -> None:
    """A long prompt over its share of tokens waits alone; the others are answered meanwhile."""
    from aiohttp import web

    turned_away: list[float] = []
    answered: list[float] = []

    def respond(body: Body) -> Any:
        if not turned_away:
            turned_away.append(time.monotonic())
            return web.Response(status=429, headers={"Retry-After": "3"})
        answered.append(time.monotonic())
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        options = {"concurrency": "4", "probe": "0"}
        run = sweep(server, tmp_path / "run", bench, model_option=options)
    assert harness.summarise(run).missing == 0
    early = [at for at in answered if at - turned_away[0] < 2]
    assert len(early) == len(answered) - 1


def test_a_limit_of_the_account_stops_all(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    begun = time.monotonic()

    def respond(body: Body) -> Any:
        if time.monotonic() - begun < 2:
            return web.Response(status=429, headers={"Retry-After": "2"})
        return payload_for(body)

    with FaultyServer() as server:
        server.respond = respond
        options = {"concurrency": "4", "probe": "0"}
        run = sweep(server, tmp_path / "run", bench, model_option=options)
        # Four under way at first, then at most one for each until the pause is everybody's.
        assert len(server.asked) - 12 <= 8
    assert harness.summarise(run).missing == 0


def test_an_engine_that_is_dead_is_known_after_one_round(tmp_path: Path, bench: str) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.Response(status=500, text="the engine is dead")
        with pytest.raises(ModelError, match="the first 16 requests all failed"):
            sweep(
                server, tmp_path / "run", bench, limit=24, samples=10, model_option={"retries": "8"}
            )
        # With pauses of 0.5 s and twice as long each time, 9 attempts are 2 minutes, and 4 are 4 s.
        assert max(Counter(body.get("seed") for body in server.asked).values()) == 4
