"""vLLM's server as a model of the harness: answers and the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import Run, Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import FinishReason
from calculus_harness.harness.models import Continuation, create
from calculus_harness.prompts import Rendered
from tests.harness.jobs import job_of
from tests.harness.models.vllm.asked import (
    CHAT,
    ENVIRONMENT,
    LENGTH,
    NAMES,
    OPTIONS,
    ROOT,
    TEXT,
    Asked,
    Reference,
    family,
    gone,
    request,
    wait_for,
)

pytestmark = [pytest.mark.vllm, pytest.mark.usefixtures("environment")]


def test_the_server_answers_with_the_adapter_and_scores(
    server: Asked, weights: Path, adapter: Path, truth: Reference
) -> None:
    changed = Reference(weights, adapter)
    prompt, text = truth.tokens(TEXT), truth.text_tokens("x^2 + C")
    scored = server.score(Continuation("k", TEXT, "x^2 + C"))["k"]
    expected = changed.logprobs(prompt, text)
    assert list(scored.token_logprobs)[: len(text)] == pytest.approx(expected, abs=2e-3)
    assert expected != pytest.approx(truth.logprobs(prompt, text), abs=0.1)
    samples = server.ask(TEXT, samples=4, logprobs=True)
    assert [sample.text for sample in server.ask(TEXT, samples=4)] == [
        sample.text for sample in samples
    ]
    assert len({sample.text for sample in samples}) == 4
    for sample in samples:
        assert len(sample.extra["token_logprobs"]) == sample.completion_tokens


def test_asked_as_any_server_that_echoes_it_scores_the_same(server: Asked) -> None:
    texts = [Continuation(text, TEXT, text) for text in ("x^2 + C", "∫2x", "y")]
    exact = server.score(*texts)
    running: Any = server.model._server._server.client  # type: ignore[attr-defined]
    # One at a time, as vLLM on the CPU must with an adapter.
    plain = Asked(
        create(running.spec, {"base-url": running.base_url, "echo": "true", "concurrency": "1"})
    )
    scores = plain.score(*texts)
    plain.close()
    assert plain.model.capabilities < running.capabilities
    for key, scored in scores.items():
        assert len(scored.token_logprobs) == len(key)
        expected = list(exact[key].token_logprobs)
        assert list(scored.token_logprobs) == pytest.approx(expected, abs=2e-3)


def test_the_server_takes_what_the_engine_takes(server: Asked) -> None:
    beams = server.complete(request(server.model, TEXT, count=3, beams=4, max_tokens=8))
    assert len({sample.text for sample in beams}) == 3
    together = server.complete(request(server.model, TEXT, count=3, grouped=True))
    assert len({sample.text for sample in together}) == 3
    (long,) = server.ask(Rendered(text="x" * LENGTH))
    assert long.finish_reason is FinishReason.ERROR
    assert str(LENGTH) in long.detail
    (chat,) = server.ask(CHAT, seed=2)
    assert "<think>" not in chat.text
    (cut,) = server.ask(Rendered(text="x" * (LENGTH - 6)), max_tokens=99, stop=("\x00",))
    assert cut.finish_reason is FinishReason.LENGTH or cut.completion_tokens in range(1, 6)


def test_a_server_that_dies_says_how_and_leaves_nothing(weights: Path) -> None:
    dying = Asked(create(f"vllm-server/{weights}", OPTIONS | {"quantization": "awq"}))
    with pytest.raises(ModelError, match=r"(?s)did not start \(exit status 1\); its log, .*awq"):
        dying.ask(TEXT)
    dying.close()


STARTER = """
import asyncio, signal, sys
from calculus_harness.harness.models import create

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

async def main():
    model = create(sys.argv[1], {"dtype": "float32"})
    await model._server.started()

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_server_outlives_the_sweep(weights: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STARTER, f"vllm-server/{weights}"],
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        stderr=subprocess.DEVNULL,
    )
    servers = wait_for(lambda: family(process.pid, "api_server"), 60)
    time.sleep(1)
    process.send_signal(number)
    process.wait(60)
    wait_for(lambda: gone(servers), 30)


PROMPT = '+++\ntask = "integration"\ndescription = "Short."\n+++\nIntegrate {{ integrand }}.\n'


def test_a_sweep_killed_and_resumed_is_that_of_one_undisturbed(
    engine: Asked, weights: Path, tmp_path: Path
) -> None:
    rows = [{"integrand": f"{n} x", "id": f"p{n}"} for n in range(1, 13)]
    bench, prompt = tmp_path / "bench.jsonl", tmp_path / "short.jinja"
    bench.write_text("".join(json.dumps(row) + "\n" for row in rows))
    prompt.write_text(PROMPT)
    options = [word for name, value in OPTIONS.items() for word in ("-M", f"{name}={value}")]
    command = [
        *(sys.executable, "run.py", "sweep", "--model", f"vllm/{weights}", *options),
        *("--benchmark", str(bench), "--prompt", str(prompt), "-n", "8", "--max-tokens", "160"),
        *("-M", "concurrency=4", "--out", str(tmp_path / "killed")),
    ]

    def stored(path: Path) -> dict[str, Any]:
        stored_rows = Run(path).completions.rows() if (path / "manifest.json").exists() else ()
        return {row["key"]: row["text"] for row in stored_rows}

    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    wait_for(lambda: stored(tmp_path / "killed"), 240)
    engines = family(process.pid, *NAMES)
    assert engines
    process.kill()
    output = process.communicate()[0]
    assert output == ""  # nothing of vLLM's: results go there
    stored_texts = stored(tmp_path / "killed")
    assert 0 < len(stored_texts) < 96
    wait_for(lambda: gone(engines), 30)

    resumed = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        check=True,
        timeout=300,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Traceback" not in resumed.stderr  # the end of the engine is no failure

    job = job_of(
        [engine.model],
        [str(bench)],
        prompt=str(prompt),
        samples=8,
        sampling=Sampling(max_tokens=160),
        out=tmp_path / "undisturbed",
    )
    undisturbed = {item.key: item.text for item in engine.complete(*job.requests(engine.model))}
    assert len(undisturbed) == 96
    assert stored(tmp_path / "killed") == undisturbed
    assert stored_texts.items() <= undisturbed.items()
