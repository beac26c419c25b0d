"""The models' door: registry, options, and the stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError, UnknownNameError
from calculus_harness.harness.core.requests import Completion, Request, Sampling, request_hash
from calculus_harness.harness.models import Model, ask_each, create, describe, register
from calculus_harness.harness.models.registry import _settings, option_names
from calculus_harness.harness.tasks import default_prompt


def problem(integrand: str, name: str = "p") -> Problem:
    inputs = {"integrand": integrand, "variable": "x"}
    return Problem(name, "integration", "toy", "s", inputs=inputs, target=inputs)


def request(problem: Problem, model: Model, sample: int = 0) -> Request:
    prompt, sampling = default_prompt("integration").render(problem), Sampling()
    return Request(
        model.hash,
        problem,
        prompt,
        sampling,
        request_hash(problem, prompt, sampling),
        sample=sample,
    )


async def stream(requests: Iterable[Request]) -> AsyncIterator[Request]:
    for item in requests:
        yield item


def answers(model: Model, problems: Iterable[Problem]) -> dict[str, Completion]:
    async def collect() -> dict[str, Completion]:
        requests = [request(p, model) for p in problems]
        return {c.problem: c async for c in model.complete(stream(requests))}

    return asyncio.run(collect())


@given(st.text("x\ud83d\ude00\udfff\ufeffé\U0001f600", max_size=8), st.text(max_size=8))
def test_what_a_completion_says_is_unicode(odd: str, sound: str) -> None:
    asked_request = request(problem("x"), create("solver/sympy"))
    completion = Completion.to(asked_request, odd, reasoning=sound, detail=f"{odd}{sound}")
    assert completion.text.encode().decode() == completion.text
    assert (completion.reasoning, completion.detail) == (sound, completion.text + sound)
    assert Completion.from_dict(completion.to_dict()) == completion


def test_options_are_converted_checked_and_part_of_the_identity() -> None:
    plain = create("solver/sympy")
    assert create("solver/sympy", {"time-limit": "10"}).hash == plain.hash
    assert create("solver/sympy", {"concurrency": "1"}).hash == plain.hash
    limited = create("solver/sympy", {"time_limit": 5})
    assert limited.hash != plain.hash
    assert limited.label == "solver/sympy (time-limit=5.0)"
    with pytest.raises(UnknownNameError, match="did you mean 'time-limit'"):
        create("solver/sympy", {"timelimit": 5})
    for value in ("two", "2.5", 2.5, True):
        with pytest.raises(ModelError, match="a whole number"):
            create("solver/sympy", {"concurrency": value})
    with pytest.raises(ModelError, match="a number, not True"):
        create("solver/sympy", {"time-limit": True})
    for spec in ("solver", "python", "sovler/sympy", "", "/"):
        with pytest.raises(UnknownNameError, match="unknown model"):
            create(spec)


@dataclass(frozen=True, kw_only=True)
class Echo(Model):
    """Answers with the question."""

    loud: bool = False

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for item in requests:
            yield Completion.to(item, self.spec.upper() if self.loud else self.spec)


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("opnai/stub", "did you mean 'openai/stub'?"),
        ("vlm/Qwen/Qwen3-8B", "did you mean 'vllm/Qwen/Qwen3-8B'?"),
        ("opnai", "did you mean 'openai/NAME'?"),
        ("openai", "did you mean 'openai/NAME'?"),
        ("solver/simpy", "did you mean 'solver/sympy'"),
        ("gpt-5-mini", "known: encoder/NAME, "),
    ],
)
def test_a_mistyped_kind_is_suggested_with_the_name(spec: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        create(spec)
    assert f"unknown model {spec!r}; {meant}" in str(refused.value)


@pytest.mark.parametrize(
    "model_kind", ["openai", "openai-batch", "vllm", "vllm-server", "transformers"]
)
def test_thinking_is_said_in_one_way(model_kind: str) -> None:
    model = dict(describe())[f"{model_kind}/NAME"]
    assert option_names(model)["enable-thinking"] is None  # the template decides
    for value, meant in (
        ("true", True),
        ("false", False),
        (True, True),
        (False, False),
        (None, None),
    ):
        for name in ("enable-thinking", "enable_thinking"):
            assert _settings(model, f"{model_kind}/m", {name: value}) == {"enable_thinking": meant}
    with pytest.raises(ModelError, match="enable-thinking must be true or false, not 'no'"):
        _settings(model, f"{model_kind}/m", {"enable-thinking": "no"})


def test_a_kind_of_ones_own() -> None:
    register("echo", Echo)
    model = create("echo/there", {"loud": "true"})
    (completion,) = answers(model, [problem("x")]).values()
    assert completion.text == "ECHO/THERE"
    assert "echo/NAME" in dict(describe())
    with pytest.raises(ModelError, match="true or false"):
        create("echo/there", {"loud": "very"})


def test_asking_keeps_to_the_concurrency_and_lets_answers_make_requests() -> None:
    """The next request may depend on an answer: no deadlock of the two sides."""
    model = Echo(spec="echo/x")
    running, peak = 0, 0

    async def ask(item: Request) -> Completion:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.001)
        running -= 1
        return Completion.to(item, "")

    async def conduct() -> int:
        queue: asyncio.Queue[Request | None] = asyncio.Queue()
        for sample in range(20):
            queue.put_nowait(request(problem("x"), model, sample))

        async def requests() -> AsyncIterator[Request]:
            while (item := await queue.get()) is not None:
                yield item

        # Every answer of the first twenty makes a further request.
        count = 0
        async for completion in ask_each(requests(), ask, 4):
            count += 1
            if completion.sample < 20:
                queue.put_nowait(request(problem("x"), model, completion.sample + 20))
            elif count == 40:
                queue.put_nowait(None)
        return count

    assert asyncio.run(asyncio.wait_for(conduct(), 20)) == 40
    assert peak == 4


def test_closing_the_stream_ends_what_was_started() -> None:
    model = Echo(spec="echo/x")
    cancelled = []

    async def ask(item: Request) -> Completion:
        try:
            await asyncio.sleep(0.02 if item.sample == 0 else 60)
        except asyncio.CancelledError:
            cancelled.append(item.sample)
            raise
        return Completion.to(item, "")

    async def conduct() -> None:
        completions = ask_each(
            stream(request(problem("x"), model, sample) for sample in range(3)), ask, 3
        )
        assert (await anext(completions)).sample == 0
        await completions.aclose()

    asyncio.run(asyncio.wait_for(conduct(), 20))
    assert sorted(cancelled) == [1, 2]


def test_a_closed_stream_has_ended_what_was_under_way(tmp_path: Path) -> None:
    """By the time of the return, without a wait for a garbage collector."""
    (tmp_path / "slow.py").write_text(
        "import asyncio\n"
        "ended = []\n"
        "async def answer(messages, seed):\n"
        "    if 'quick' not in messages[-1]['content']:\n"
        "        try:\n"
        "            await asyncio.sleep(60)\n"
        "        finally:\n"
        "            ended.append(True)\n"
        "    return 'said'\n"
    )
    model = create(f"python/{tmp_path / 'slow.py'}:answer")

    async def begin_and_close() -> None:
        requests = [request(problem(f"x + {n}"), model) for n in ("quick", 1, 2)]
        completions = model.complete(stream(requests))
        assert (await anext(completions)).text == "said"
        await completions.aclose()
        assert model._function.__globals__["ended"] == [True, True]  # type: ignore[attr-defined]

    asyncio.run(begin_and_close())


def test_a_failure_ends_the_stream_after_what_is_under_way() -> None:
    """No paid answer is lost, and no further request is sent, wherever the failure occurs."""
    model = Echo(spec="echo/x")
    samples = []

    async def ask(item: Request) -> Completion:
        samples.append(item.sample)
        await asyncio.sleep(0.005)
        if item.sample == 1:
            raise ModelError("the key is wrong")
        await asyncio.sleep(0.02)
        return Completion.to(item, "")

    async def conduct(wait_for_more: bool) -> list[int]:
        async def requests() -> AsyncIterator[Request]:
            for sample in range(3):
                yield request(problem("x"), model, sample)
            if wait_for_more:
                await asyncio.sleep(60)
            for sample in range(3, 50):
                yield request(problem("x"), model, sample)

        got = []

        async def collect() -> None:
            async for completion in ask_each(requests(), ask, 3 + wait_for_more):
                got.append(completion.sample)

        with pytest.raises(ModelError, match="the key is wrong"):
            await collect()
        return got

    for wait_for_more in (False, True):
        samples.clear()
        assert sorted(asyncio.run(asyncio.wait_for(conduct(wait_for_more), 20))) == [0, 2]
        assert sorted(samples) == [0, 1, 2]
