"""The openai client against servers with every behaviour of servers, in whole sweeps."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness import Run, Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create
from calculus_harness.harness.run.problems import problems_of

pytest.importorskip("openai", reason="needs the extra 'openai'")
from tests.harness.faulty_server import ALL, Body, FaultyServer, payload_for, text_for

pytestmark = pytest.mark.openai
ROOT = Path(__file__).parents[4]
QUICK = {"pause": "0.02", "request-timeout": "0.7", "probe": "0"}


def sweep(server: FaultyServer, out: Path, bench: str, **arguments: Any) -> Run:
    """A sweep of a server, with short pauses."""
    options = {"base-url": server.url} | QUICK | arguments.pop("model_option", {})
    arguments = {"limit": 4, "samples": 3} | arguments
    return harness.sweep(["openai/m"], [bench], model_option=options, out=out, **arguments)


def rows(run: Run) -> dict[tuple[str, int], dict[str, Any]]:
    """The stored completions by problem and sample, each stored once."""
    by_sample = {(row["problem"], row["sample"]): row for row in run.completions.rows()}
    assert len(by_sample) == len(list(run.completions.rows()))
    return by_sample


def failures(run: Run) -> list[dict[str, Any]]:
    path = run.path / "failures.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


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
        assert any(len(seeds_of_sample) > 1 for seeds_of_sample in seeds.values()), (
            "nothing was asked for again"
        )
        assert any(len(seeds_of_sample) == 1 for seeds_of_sample in seeds.values())


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
        stored: set[tuple[str, int]] = set()
        for lines in (30, 200, 400):
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                if shard.exists() and shard.read_bytes().count(b"\n") > lines:
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, "it was over before it was killed"
            stored_before, stored = stored, set(rows(Run(out)))
            assert stored_before < stored
        seeds = {row["seed"] for row in rows(Run(out)).values()}
        requests_before = len(server.asked)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert "Traceback" not in done.stderr
        assert not seeds & {body["seed"] for body in server.asked[requests_before:]}, "asked twice"
    assert len(rows(Run(out))) == 24 * 25
    assert harness.summarise(Run(out)).missing == 0


def test_what_cannot_be_answered_is_recorded_and_what_was_not_is_asked_again(
    tmp_path: Path, bench: str
) -> None:
    """A prompt that is always too long, and a prompt with a failure of today only."""
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
        today, requests_before = False, len(server.asked)
        run = sweep(server, tmp_path / "run", bench, samples=4, model_option=options)
        assert len(rows(run)) == 16
        assert len(server.asked) - requests_before == 4


@pytest.mark.parametrize(
    ("status", "error", "message"),
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
    tmp_path: Path, bench: str, status: int, error: Body, message: str
) -> None:
    from aiohttp import web

    with FaultyServer() as server:
        server.respond = lambda body: web.json_response({"error": error}, status=status)
        options = {"retries": "1", "concurrency": "4"}
        with pytest.raises(ModelError, match=message) as stop:
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
    with FaultyServer() as next_server:
        run = sweep(next_server, tmp_path / "run", bench, model_option=options, limit=24)
        assert len(rows(run)) == 72
        assert rows(run).items() >= stored.items()
        assert len(next_server.asked) == 72 - len(stored)


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
    for options, message in (
        ({"extra-body": "{"}, "no JSON"),
        ({"extra-body": "[1]"}, "JSON object"),
        ({"base-url": "localhost:8000"}, "is a URL"),
        ({"server": "tgi"}, "openai or vllm"),
        ({"base-url": "http://me:pass@host/v1"}, "no password"),
        ({"omit": "model"}, "omit takes"),
        ({"concurrency": "0"}, "positive"),
        ({"enable-thinking": "yes"}, "true or false"),
    ):
        with pytest.raises(ModelError, match=message):
            create("openai/m", options)
