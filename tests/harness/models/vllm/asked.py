"""Models under vLLM, started for tests, and the same weights under `transformers`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Sampling
from calculus_harness.harness.core.requests import Completion, Request, request_hash
from calculus_harness.harness.models import Continuation, Model, Scored
from calculus_harness.harness.models.placed.pool import EnginePool
from calculus_harness.prompts import Message, Rendered

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


class Asked:
    """A started model with an event loop."""

    def __init__(self, model: Model | EnginePool) -> None:
        self.model, self.runner = model, asyncio.Runner()
        self._started: set[int] = set()

    def complete(self, *requests: Request) -> list[Completion]:
        completions = self._collect(self.model.complete(stream(requests)))
        expected_keys = sorted(key for request in requests for key in request.keys)
        assert sorted(completion.key for completion in completions) == expected_keys
        return sorted(completions, key=lambda item: (item.request, item.sample))

    def score(self, *texts: Continuation) -> dict[str, Scored]:
        return {item.key: item for item in self._collect(self.model.score(stream(texts)))}

    def ask(
        self, prompt: Rendered, samples: int = 1, seed: int = 0, **how: Any
    ) -> list[Completion]:
        """A number of samples of a prompt, each in a separate request."""
        template = request(self.model, prompt, seed=seed, **how)
        return self.complete(*(replace(template, sample=n, seed=seed + n) for n in range(samples)))

    def _collect(self, answers: AsyncGenerator[Item, None]) -> list[Item]:
        async def collect() -> list[Item]:
            return [item async for item in answers]

        processes_before = set(family(os.getpid()))
        try:
            return self.runner.run(collect())
        finally:
            self._started |= set(family(os.getpid(), *NAMES)) - processes_before

    def close(self) -> None:
        """Close the model, and check for left-over processes."""
        self.runner.run(self.model.close())
        self.runner.close()
        wait_for(lambda: gone(self._started), 10)


def request(model: Model, prompt: Rendered, seed: int = 0, count: int = 1, **how: Any) -> Request:
    sampling = Sampling(**({"max_tokens": 24} | how))
    inputs = {"integrand": "2x", "variable": "x"}
    problem = Problem("p", "integration", "toy", "s", inputs=inputs, target=inputs)
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


class Reference:
    """The same weights under `transformers`."""

    def __init__(self, weights: Path, adapter: Path | None = None) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(weights)
        self.model: Any = AutoModelForCausalLM.from_pretrained(weights)
        if adapter is not None:
            from peft import PeftModel

            self.model = PeftModel.from_pretrained(self.model, adapter).merge_and_unload()

    def logprobs(self, prompt: Sequence[int], text: Sequence[int]) -> list[float]:
        import torch

        with torch.no_grad():
            values = self.model(torch.tensor([[*prompt, *text]])).logits[0].log_softmax(-1)
        rows = values[len(prompt) - 1 : -1]
        return [float(row[token]) for row, token in zip(rows, text, strict=True)]

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


#: What vLLM's processes are called.
NAMES = ("EngineCore", "VllmWorker", "VLLM::", "api_server", "spawn_main")


def family(pid: int, *names: str) -> list[int]:
    """The descendants of a process, or the descendants with given names."""
    import psutil

    processes = []
    for child in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            called = " ".join([child.name(), *child.cmdline()])
            if not names or any(name in called for name in names):
                processes.append(child.pid)
    return processes


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
        if result := condition():
            return result
        time.sleep(0.1)
    raise AssertionError("it did not come about")
