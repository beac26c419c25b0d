"""vLLM itself, on the CPU, with a tiny Llama: in process and as a server.

What `transformers` computes with the same weights says what is right.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

import tests.harness.tiny_model as tiny_model
from calculus_harness import harness
from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Run, Sampling
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import Completion, FinishReason, Request, request_hash
from calculus_harness.harness.models import Continuation, Model, Scored, create
from calculus_harness.harness.models.placed.pool import EnginePool, placed
from calculus_harness.prompts import Message, Rendered
from calculus_harness.rewards import use_cluster
from tests.harness.jobs import job_of
from tests.ray_nodes import ray_nodes

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).parents[4]
LENGTH = 256
OPTIONS = {"dtype": "float32", "max-model-len": str(LENGTH), "enforce-eager": "true"}
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "OMP_NUM_THREADS": "1",
}
CHAT = Rendered(messages=(Message("user", "Integrate 2x."),))
TEXT = Rendered(text="Integrate 2x.\nAnswer:")

Item = TypeVar("Item")
Ask = Callable[..., list[Completion]]


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory, environment: None) -> Path:
    """A model that is unsure of itself, but not of everything, and ends now and then."""
    return tiny_model.make(tmp_path_factory.mktemp("models") / "tiny", spread=0.3)


@pytest.fixture(scope="module")
def adapter(weights: Path) -> Path:
    return tiny_model.make_adapter(weights.with_name("adapter"), weights)


class Asked:
    """A model that was started, with the loop that it lives in."""

    def __init__(self, model: Model | EnginePool) -> None:
        self.model, self.runner = model, asyncio.Runner()
        self._started: set[int] = set()

    def complete(self, *requests: Request) -> list[Completion]:
        found = self._collect(self.model.complete(stream(requests)))
        wanted = sorted(key for request in requests for key in request.keys)
        assert sorted(completion.key for completion in found) == wanted
        return sorted(found, key=lambda one: (one.request, one.sample))

    def score(self, *texts: Continuation) -> dict[str, Scored]:
        return {one.key: one for one in self._collect(self.model.score(stream(texts)))}

    def ask(
        self, prompt: Rendered, samples: int = 1, seed: int = 0, **how: Any
    ) -> list[Completion]:
        """So many samples of a prompt, each by itself."""
        first = request(self.model, prompt, seed=seed, **how)
        return self.complete(*(replace(first, sample=n, seed=seed + n) for n in range(samples)))

    def _collect(self, found: AsyncGenerator[Item, None]) -> list[Item]:
        async def collect() -> list[Item]:
            return [item async for item in found]

        before = set(family(os.getpid()))
        try:
            return self.runner.run(collect())
        finally:
            self._started |= set(family(os.getpid(), *NAMES)) - before

    def close(self) -> None:
        """Close the model, and see that what it had started is gone."""
        self.runner.run(self.model.close())
        self.runner.close()
        wait_for(lambda: gone(self._started), 10)


def request(model: Model, prompt: Rendered, seed: int = 0, count: int = 1, **how: Any) -> Request:
    sampling = Sampling(**({"max_tokens": 24} | how))
    shown = {"integrand": "2x", "variable": "x"}
    problem = Problem("p", "integration", "toy", "s", inputs=shown, target=shown)
    return Request(
        model.hash,
        problem,
        prompt,
        sampling,
        request_hash(problem, prompt, sampling),
        seed=seed,
        count=count,
    )


async def stream(items: Iterable[Item]) -> AsyncIterator[Item]:
    for item in items:
        yield item


@pytest.fixture(scope="module")
def engine(weights: Path) -> Iterator[Asked]:
    asked = Asked(create(f"vllm/{weights}", OPTIONS))
    yield asked
    assert asked._started
    asked.close()


@pytest.fixture(scope="module")
def server(weights: Path, adapter: Path) -> Iterator[Asked]:
    """The model with an adapter, behind vLLM's server."""
    options = {**OPTIONS, "lora": str(adapter), "reasoning-parser": "deepseek_r1"}
    asked = Asked(create(f"vllm-server/{weights}", options))
    yield asked
    assert asked._started
    asked.close()


class Reference:
    """The same weights under `transformers`."""

    def __init__(self, weights: Path, adapter: Path | None = None) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(weights)
        self.model: Any = AutoModelForCausalLM.from_pretrained(weights)
        if adapter is not None:
            from peft import PeftModel

            self.model = PeftModel.from_pretrained(self.model, adapter).merge_and_unload()

    def logprobs(self, before: Sequence[int], after: Sequence[int]) -> list[float]:
        import torch

        with torch.no_grad():
            found = self.model(torch.tensor([[*before, *after]])).logits[0].log_softmax(-1)
        rows = found[len(before) - 1 : -1]
        return [float(row[token]) for row, token in zip(rows, after, strict=True)]

    def tokens(self, prompt: Rendered, **template: Any) -> list[int]:
        if not prompt.messages:
            return list(self.tokenizer.encode(prompt.text))
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
        text = self.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, **template
        )
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def text_tokens(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))


@pytest.fixture(scope="module")
def truth(weights: Path) -> Reference:
    return Reference(weights)


#: What vLLM's processes are called.
NAMES = ("EngineCore", "VllmWorker", "VLLM::", "api_server", "spawn_main")


def family(pid: int, *names: str) -> list[int]:
    """The descendants of a process, or those that have one of the names."""
    import psutil

    found = []
    for child in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            called = " ".join([child.name(), *child.cmdline()])
            if not names or any(name in called for name in names):
                found.append(child.pid)
    return found


def gone(pids: Iterable[int]) -> bool:
    import psutil

    def runs(pid: int) -> bool:
        try:
            return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    return not any(map(runs, pids))


def wait_for(condition: Callable[[], Any], seconds: float) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not come about")


# --- in process --------------------------------------------------------------------------------


def test_greedy_answers_are_those_of_the_weights(engine: Asked, truth: Reference) -> None:
    for prompt in (CHAT, TEXT):
        (found,) = engine.ask(prompt, temperature=0, logprobs=True)
        before = truth.tokens(prompt)
        after = truth.text_tokens(found.text)
        if found.finish_reason is FinishReason.STOP:
            after.append(truth.tokenizer.eos_token_id)
        likeliest = truth.logprobs(before, after)
        assert found.prompt_tokens == len(before)
        assert found.completion_tokens == len(after)
        assert found.extra["token_logprobs"] == pytest.approx(likeliest, abs=2e-3)
        assert found.logprob == pytest.approx(sum(likeliest), abs=2e-2)


def test_samples_depend_on_their_seeds_alone(engine: Asked) -> None:
    first = engine.ask(CHAT, samples=6, seed=3)
    assert len({one.text for one in first}) == 6
    again = engine.ask(CHAT, samples=6, seed=3)
    assert [one.text for one in again] == [one.text for one in first]
    alone = engine.ask(CHAT, samples=1, seed=5)
    assert alone[0].text == first[2].text
    together = engine.complete(request(engine.model, CHAT, seed=3, count=4, grouped=True))
    assert len({one.text for one in together}) == 4
    assert [one.prompt_tokens for one in together] == [first[0].prompt_tokens, 0, 0, 0]


def test_seeded_prompts_that_fill_several_steps_are_answered(engine: Asked) -> None:
    """Split over two steps, a prompt with a seed ends vLLM's engine on the CPU (0.32)."""
    prompts = [Rendered(text=f"{number:02}{'x' * (LENGTH - 40)}") for number in range(64)]
    found = engine.complete(
        *(
            request(engine.model, prompt, seed=number, max_tokens=4)
            for number, prompt in enumerate(prompts)
        )
    )
    assert {one.finish_reason for one in found} <= {FinishReason.STOP, FinishReason.LENGTH}


def test_knobs_reach_the_sampler(engine: Asked) -> None:
    (greedy,) = engine.ask(CHAT, temperature=0)
    for knob in ({"top_k": 1}, {"min_p": 1.0}, {"top_p": 1e-6}):
        (found,) = engine.ask(CHAT, seed=9, **knob)
        assert found.text == greedy.text
    stop = greedy.text[4:6]
    (cut,) = engine.ask(CHAT, temperature=0, stop=(stop,))
    assert cut.text == greedy.text[: greedy.text.index(stop)]
    assert cut.finish_reason is FinishReason.STOP


def test_scoring_agrees_with_the_weights_and_with_generation(
    engine: Asked, truth: Reference
) -> None:
    prompts = {"chat": CHAT, "text": TEXT}
    texts = {"short": "x^2", "empty": "", "long": "x^2 + C, as anyone can see."}
    found = engine.score(
        *(
            Continuation(f"{style} {size}", prompt, text)
            for style, prompt in prompts.items()
            for size, text in texts.items()
        )
    )
    for style, prompt in prompts.items():
        for size, text in texts.items():
            scored = found[f"{style} {size}"]
            after = [*truth.text_tokens(text), truth.tokenizer.eos_token_id]
            expected = truth.logprobs(truth.tokens(prompt), after)
            assert scored.ended
            assert list(scored.token_logprobs) == pytest.approx(expected, abs=2e-3)
    said = [one for one in engine.ask(CHAT, samples=12, logprobs=True) if "<" not in one.text]
    assert {one.finish_reason for one in said} == {FinishReason.STOP, FinishReason.LENGTH}
    scores = engine.score(*(Continuation(str(one.sample), CHAT, one.text) for one in said))
    for one in said:
        parts = scores[str(one.sample)].token_logprobs
        parts = parts if one.finish_reason is FinishReason.STOP else parts[:-1]
        assert list(parts) == pytest.approx(one.extra["token_logprobs"], abs=2e-3)


def test_a_search_gives_ranked_texts_with_their_probabilities(
    engine: Asked, truth: Reference
) -> None:
    beams = engine.complete(
        request(engine.model, TEXT, count=8, beams=8, max_tokens=12, logprobs=True)
    )
    assert [one.rank for one in beams] == list(range(8))
    assert len({(one.text, one.finish_reason) for one in beams}) == 8
    scores = [one.score for one in beams if one.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 8
    for one in beams:
        after = truth.text_tokens(one.text)
        if one.finish_reason is FinishReason.STOP:
            after.append(truth.tokenizer.eos_token_id)
        expected = truth.logprobs(truth.tokens(TEXT), after)
        assert one.logprob == pytest.approx(sum(expected), abs=2e-2)
        assert one.score == pytest.approx(sum(expected) / len(after), abs=2e-3)
    (greedy,) = engine.ask(TEXT, temperature=0, max_tokens=12, logprobs=True)
    assert beams[0].score is not None
    assert greedy.logprob is not None
    assert greedy.completion_tokens is not None
    # So wide a search finds more than the greedy path.
    assert beams[0].score >= greedy.logprob / greedy.completion_tokens - 1e-4


def test_a_prompt_too_long_is_that_samples_error_and_answers_end_at_the_models_length(
    engine: Asked,
) -> None:
    long, fits = Rendered(text="x" * LENGTH), Rendered(text="x" * (LENGTH - 6))
    found = engine.complete(
        request(engine.model, long, max_tokens=8),
        request(engine.model, fits, max_tokens=99, temperature=0, stop=("\x00",)),
        request(engine.model, TEXT),
    )
    by_reason = {one.finish_reason: one for one in found}
    error = by_reason[FinishReason.ERROR]
    assert error.text == ""
    assert f"{LENGTH + 1} tokens" in error.detail
    assert f"max-model-len is {LENGTH}" in error.detail
    cut = [one for one in found if one.prompt_tokens == LENGTH - 5]
    assert [(one.finish_reason, one.completion_tokens) for one in cut] == [(FinishReason.LENGTH, 5)]
    scored = engine.score(Continuation("long one", TEXT, "x" * LENGTH))["long one"]
    assert scored.token_logprobs == ()
    assert f"max-model-len is {LENGTH}" in scored.detail


def test_finished_samples_come_while_others_run_and_the_rest_is_dropped(engine: Asked) -> None:
    slow = [request(engine.model, CHAT, seed=n, max_tokens=220, stop=("\x00",)) for n in range(4)]
    quick = request(engine.model, TEXT, max_tokens=1)

    async def first() -> tuple[Completion, int]:
        answers = engine.model.complete(stream([*slow, quick]))
        found = await anext(answers)
        await answers.aclose()
        llm = (await engine.model._engine.started()).llm  # type: ignore[attr-defined]
        return found, int(llm.get_num_unfinished_requests())

    found, left = engine.runner.run(first())
    assert found.request == quick.hash
    assert left == 0
    assert engine.ask(TEXT)[0].finish_reason in (FinishReason.STOP, FinishReason.LENGTH)


# --- templates and reasoning, without an engine -------------------------------------------------


def text_of(weights: Path, **options: str) -> Any:
    return create(f"vllm/{weights}", OPTIONS | options)._tokenizer  # type: ignore[attr-defined]


def test_thinking_is_told_to_the_template(weights: Path, truth: Reference) -> None:
    plain, off, on = (
        text_of(weights, **options).encode(CHAT)
        for options in ({}, {"enable-thinking": "false"}, {"enable-thinking": "true"})
    )
    assert plain == on == truth.tokens(CHAT)
    assert (
        off
        == truth.tokens(CHAT, enable_thinking=False)
        == [*on, *truth.text_tokens("<think></think>")]
    )
    told = text_of(weights, **{"chat-template-kwargs": '{"enable_thinking": false}'})
    assert told.encode(CHAT) == off


def test_a_template_of_ones_own_and_none(weights: Path, tmp_path: Path) -> None:
    template = tmp_path / "own.jinja"
    template.write_text("{% for m in messages %}Q: {{ m.content }}\nA:{% endfor %}")
    text = text_of(weights, **{"chat-template": str(template)})
    assert text.decode(CHAT, text.encode(CHAT)) == "Q: Integrate 2x.\nA:"
    model = create(f"vllm/{weights}", OPTIONS | {"chat-template": str(template)})
    first = model.hash
    template.write_text("{{ messages[0].content }}{{ raise_exception('no chats') }}")
    other = create(f"vllm/{weights}", OPTIONS | {"chat-template": str(template)})
    assert other.hash != first
    with pytest.raises(ModelError, match="its chat template failed: no chats"):
        other._tokenizer.encode(CHAT)  # type: ignore[attr-defined]


def test_reasoning_is_split_from_the_answer_of_a_chat_only(weights: Path) -> None:
    text = text_of(weights, **{"reasoning-parser": "deepseek_r1"})
    said = "<think>2x is even</think>x^2"
    tokens = text.tokenizer.encode(said, add_special_tokens=False)
    assert text.split(CHAT, said, tokens) == {
        "text": "x^2",
        "reasoning": "2x is even",
        "reasoning_tokens": len("2x is even"),
    }
    unfinished = text.split(CHAT, "<think>2x is", tokens[:5])
    assert (unfinished["text"], unfinished["reasoning"]) == ("", "2x is")
    assert text.split(TEXT, said, tokens) == {"text": said}
    assert text_of(weights).split(CHAT, said, tokens) == {"text": said}


class Merging:
    """A tokenizer of two-character tokens, which merges across the end of a prompt."""

    eos_token_id = 0

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
        return [1] * add_special_tokens + [
            sum(ord(letter) * 1000**place for place, letter in enumerate(pair)) for pair in pairs
        ]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(
            chr(token % 1000) + (chr(token // 1000) if token >= 1000 else "")
            for token in tokens
            if token > 1
        )


def test_a_scored_text_goes_on_from_the_prompts_own_tokens(weights: Path) -> None:
    text = text_of(weights)
    text.tokenizer = Merging()
    for prompt, after in (("abcd", "efg"), ("abc", "defg"), ("abc", "")):
        first, rest = text.continuation(Rendered(text=prompt), after)
        assert first == Merging().encode(prompt)
        assert text.tokenizer.decode(rest) == after


# --- options -----------------------------------------------------------------------------------


def test_vllms_own_options_are_checked_and_sorted_into_identity_and_operation(
    weights: Path,
) -> None:
    spec = f"vllm/{weights}"
    model = create(spec, OPTIONS)
    assert model.config["engine"] == {"dtype": "float32", "max-model-len": str(LENGTH)}
    assert "max-model-len" in model.label
    assert "enforce-eager" not in model.label
    same = create(spec, OPTIONS | {"gpu-memory-utilization": "0.5", "max-num-seqs": "4"})
    assert same.hash == model.hash
    assert create(spec, OPTIONS | {"quantization": "awq"}).hash != model.hash
    arguments = create(spec, OPTIONS | {"tensor-parallel-size": 2}).engine_arguments  # type: ignore[attr-defined]
    assert arguments.tensor_parallel_size == 2
    assert arguments.max_model_len == LENGTH
    assert arguments.enforce_eager is True
    for options, message in {
        ("max-model-length", "9"): "did you mean 'max-model-len'",
        ("max-model-len", "many"): "max-model-len",
        ("hf-token", "secret"): "HF_TOKEN",
        ("no-such-thing", "1"): "no option 'no-such-thing'",
        ("reasoning-parser", "deepseek"): "did you mean .*deepseek_r1",
        ("chat-template", "none.jinja"): "no chat template none.jinja",
        ("chat-template-kwargs", "[]"): "must be a JSON object",
        ("lora", "nowhere"): "no adapter_config.json in nowhere",
    }.items():
        with pytest.raises(ModelError, match=message) as caught:
            create(spec, dict([options]))
        assert "secret" not in str(caught.value)
    with pytest.raises(ModelError, match=r"no config\.json in \./nowhere"):
        create("vllm/./nowhere")
    with pytest.raises(ModelError, match="did you mean 'api-server-count'"):
        create(f"vllm-server/{weights}", {"api-server-counts": "2"})


def test_without_a_chat_template_a_sweep_of_chats_is_refused(weights: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in weights.iterdir():
        if path.name != "chat_template.jinja":
            (bare / path.name).symlink_to(path)
    with pytest.raises(ModelError, match="no chat prompts"):
        harness.sweep([f"vllm/{bare}"], ["bee"], limit=1, out=tmp_path / "run")


def test_an_engine_that_cannot_start_is_one_clear_line(weights: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for path in weights.iterdir():
        if path.suffix != ".safetensors":
            (broken / path.name).symlink_to(path)
    (broken / "config.json").unlink()
    (broken / "config.json").write_text('{"model_type": "no-such-model"}')
    asked = Asked(create(f"vllm/{broken}"))
    with pytest.raises(ModelError, match=r"model vllm/.*broken: "):
        asked.ask(TEXT)
    asked.close()


# --- the server --------------------------------------------------------------------------------


def test_the_server_answers_with_the_adapter_and_scores(
    server: Asked, weights: Path, adapter: Path, truth: Reference
) -> None:
    changed = Reference(weights, adapter)
    before, after = truth.tokens(TEXT), truth.text_tokens("x^2 + C")
    scored = server.score(Continuation("k", TEXT, "x^2 + C"))["k"]
    expected = changed.logprobs(before, after)
    assert list(scored.token_logprobs)[: len(after)] == pytest.approx(expected, abs=2e-3)
    assert expected != pytest.approx(truth.logprobs(before, after), abs=0.1)
    first = server.ask(TEXT, samples=4, logprobs=True)
    assert [one.text for one in server.ask(TEXT, samples=4)] == [one.text for one in first]
    assert len({one.text for one in first}) == 4
    for one in first:
        assert len(one.extra["token_logprobs"]) == one.completion_tokens


def test_asked_as_any_server_that_echoes_it_scores_the_same(server: Asked) -> None:
    texts = [Continuation(text, TEXT, text) for text in ("x^2 + C", "∫2x", "y")]
    exact = server.score(*texts)
    running: Any = server.model._server._server.client  # type: ignore[attr-defined]
    # One at a time, as vLLM on the CPU must with an adapter.
    plain = Asked(
        create(running.spec, {"base-url": running.base_url, "echo": "true", "concurrency": "1"})
    )
    found = plain.score(*texts)
    plain.close()
    assert plain.model.capabilities < running.capabilities
    for key, scored in found.items():
        assert len(scored.token_logprobs) == len(key)
        expected = list(exact[key].token_logprobs)
        assert list(scored.token_logprobs) == pytest.approx(expected, abs=2e-3)


def test_the_server_takes_what_the_engine_takes(server: Asked) -> None:
    beams = server.complete(request(server.model, TEXT, count=3, beams=4, max_tokens=8))
    assert len({one.text for one in beams}) == 3
    together = server.complete(request(server.model, TEXT, count=3, grouped=True))
    assert len({one.text for one in together}) == 3
    (long,) = server.ask(Rendered(text="x" * LENGTH))
    assert long.finish_reason is FinishReason.ERROR
    assert str(LENGTH) in long.detail
    (chat,) = server.ask(CHAT, seed=2)
    assert "<think>" not in chat.text
    (cut,) = server.ask(Rendered(text="x" * (LENGTH - 6)), max_tokens=99, stop=("\x00",))
    assert cut.finish_reason is FinishReason.LENGTH or cut.completion_tokens in range(1, 6)


def test_a_server_that_dies_says_how_and_leaves_nothing(weights: Path) -> None:
    asked = Asked(create(f"vllm-server/{weights}", OPTIONS | {"quantization": "awq"}))
    with pytest.raises(ModelError, match=r"(?s)did not start \(exit status 1\); its log, .*awq"):
        asked.ask(TEXT)
    asked.close()


@pytest.mark.ray
def test_engines_on_a_cluster_answer_as_one_here(engine: Asked, weights: Path) -> None:
    asked = [request(engine.model, TEXT, seed=seed) for seed in range(12)]
    here = engine.complete(*asked)
    with ray_nodes(), use_cluster():
        model = create(f"vllm/{weights}", OPTIONS | {"data-parallel-size": "2"})
        assert model.hash == engine.model.hash
        engines = placed(model)
        assert isinstance(engines, EnginePool)
        assert engines.size == 2
        there = Asked(engines)
        assert [one.text for one in there.complete(*asked)] == [one.text for one in here]
        there.close()


# --- ways out ----------------------------------------------------------------------------------

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
    options = [part for name, value in OPTIONS.items() for part in ("-M", f"{name}={value}")]
    command = [
        *(sys.executable, "run.py", "sweep", "--model", f"vllm/{weights}", *options),
        *("--benchmark", str(bench), "--prompt", str(prompt), "-n", "8", "--max-tokens", "160"),
        *("-M", "concurrency=4", "--out", str(tmp_path / "killed")),
    ]

    def stored(path: Path) -> dict[str, Any]:
        found = Run(path).completions.rows() if (path / "manifest.json").exists() else ()
        return {row["key"]: row["text"] for row in found}

    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    wait_for(lambda: stored(tmp_path / "killed"), 240)
    engines = family(process.pid, *NAMES)
    assert engines
    process.kill()
    output = process.communicate()[0]
    assert output == ""  # nothing of vLLM's: results go there
    first = stored(tmp_path / "killed")
    assert 0 < len(first) < 96
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
    undisturbed = {one.key: one.text for one in engine.complete(*job.requests(engine.model))}
    assert len(undisturbed) == 96
    assert stored(tmp_path / "killed") == undisturbed
    assert first.items() <= undisturbed.items()
