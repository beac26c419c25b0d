"""The models' door: registry, options, the stream, and SymPy under its time limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass

import pytest

from benchmarks import Problem
from harness.errors import ModelError, UnknownNameError
from harness.models import Model, ask_each, create, describe, register
from harness.requests import Completion, FinishReason, Request, Sampling, request_hash
from prompts import default_for


def problem(integrand: str, name: str = "p") -> Problem:
    shown = {"integrand": integrand, "variable": "x"}
    return Problem(name, "integration", "toy", "s", inputs=shown, target=shown)


def request(problem: Problem, model: Model, sample: int = 0) -> Request:
    prompt, sampling = default_for("integration").render(problem), Sampling()
    return Request(model.hash, problem, prompt, sampling, request_hash(problem, prompt, sampling),
                   sample=sample)  # fmt: skip


async def stream(requests: Iterable[Request]) -> AsyncIterator[Request]:
    for item in requests:
        yield item


def answers(model: Model, problems: Iterable[Problem]) -> dict[str, Completion]:
    async def collect() -> dict[str, Completion]:
        requests = [request(p, model) for p in problems]
        return {c.problem: c async for c in model.complete(stream(requests))}

    return asyncio.run(collect())


def test_sympy_answers_in_a_box_and_is_stopped_in_time() -> None:
    model = create("solver/sympy", {"time-limit": "2", "concurrency": "2"})
    hard = r"\frac{x^2 \sqrt{\tan x} \ln(1+\sin^3 x)}{\sqrt{1+x^7}\,(e^{x}+\cos x)}"
    found = answers(model, [problem("x e^x", "easy"), problem(hard, "hard"),
                            problem(r"\frac{", "broken")])  # fmt: skip
    easy, broken = found["toy/s/easy"], found["toy/s/broken"]
    assert easy.text.startswith(r"\boxed{")
    assert easy.finish_reason is FinishReason.STOP
    from rewards import verify_antiderivative

    assert verify_antiderivative(easy.text, "x e^x").correct
    assert broken.finish_reason is FinishReason.ERROR
    assert "ReadError" in broken.detail
    late = found["toy/s/hard"]
    assert late.finish_reason is FinishReason.TIME_LIMIT
    assert late.text == ""
    assert late.latency == 2


def test_an_unevaluated_integral_is_shown_as_such() -> None:
    (found,) = answers(create("solver/sympy"), [problem(r"x^x")]).values()
    assert r"\int" in found.text


def test_options_are_converted_checked_and_part_of_the_identity() -> None:
    plain = create("solver/sympy")
    assert create("solver/sympy", {"time-limit": "10"}).hash == plain.hash
    assert create("solver/sympy", {"concurrency": "1"}).hash == plain.hash
    other = create("solver/sympy", {"time_limit": 5})
    assert other.hash != plain.hash
    assert other.label == "solver/sympy (time-limit=5.0)"
    with pytest.raises(UnknownNameError, match="did you mean 'time-limit'"):
        create("solver/sympy", {"timelimit": 5})
    with pytest.raises(ModelError, match="a whole number"):
        create("solver/sympy", {"concurrency": "two"})
    for spec in ("solver", "python", "sovler/sympy", "", "/"):
        with pytest.raises(UnknownNameError, match="unknown model"):
            create(spec)


@dataclass(frozen=True, kw_only=True)
class Echo(Model):
    """Says what it was asked for."""

    loud: bool = False

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for item in requests:
            yield Completion.to(item, self.spec.upper() if self.loud else self.spec)


def test_a_kind_of_ones_own() -> None:
    register("echo", Echo)
    model = create("echo/there", {"loud": "true"})
    (found,) = answers(model, [problem("x")]).values()
    assert found.text == "ECHO/THERE"
    assert "echo/NAME" in dict(describe())
    with pytest.raises(ModelError, match="true or false"):
        create("echo/there", {"loud": "very"})


def test_asking_keeps_to_the_concurrency_and_lets_answers_make_requests() -> None:
    """The next request may depend on an answer: neither side may wait for the other forever."""
    model = Echo(spec="echo/x")
    running, most = 0, 0

    async def ask(item: Request) -> Completion:
        nonlocal running, most
        running += 1
        most = max(most, running)
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

        count = 0
        async for completion in ask_each(requests(), ask, 4):
            count += 1
            if completion.sample < 20:
                queue.put_nowait(request(problem("x"), model, completion.sample + 20))
            elif count == 40:
                queue.put_nowait(None)
        return count

    assert asyncio.run(asyncio.wait_for(conduct(), 20)) == 40
    assert most == 4


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
