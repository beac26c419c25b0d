"""Requests a second, and what we add to the client: `python tests/perf/throughput.py`.

A stub server in a process of its own answers at once (or after `--delay` seconds). It is asked
1,000 problems, 4 samples of each, 64 at a time, by

- aiohttp alone, which knows nothing of the protocol: the floor;
- the openai client as everybody calls it, over httpx and over aiohttp, and by the method for paths
  that it has no name for (`client.post`), which is what `openai/NAME` calls: the floor for us;
- our sweep, from the first request to the last verdict: every sample is stored, read as mathematics
  and verified, by workers that share the cores; with `--rounds N`, everything is done N times in
  turn, and the best counts, as anything else that runs takes from all of them;
- inspect_ai and lm-evaluation-harness with its exact match, in the Pythons of `--inspect` and
  `--lm-eval` (they need not be ours), logs and all. What they judge is easier.

*wall* is the whole process, with start and imports; *seconds* is the work alone; *CPU* is what this
process and its children used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: About the length of our own prompt.
ASKED = "Find the antiderivative of x e^{2x} and put the final answer in a box. " * 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.0, help="of the server, in seconds")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--answers", default="trivial,realistic")
    parser.add_argument("--only", help="names of clients, with commas")
    parser.add_argument("--inspect", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--lm-eval", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--json", action="store_true", help="on stdout")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print("\n" + json.dumps(measured(CLIENTS[options.child], options)))
        return
    say(f"{options.problems} problems x {options.samples} samples, {options.concurrency} at a "
        f"time, {options.delay:g} s a request, {os.cpu_count()} cores")  # fmt: skip
    found = {answer: report(answer, options) for answer in options.answers.split(",")}
    if options.json:
        print(json.dumps(found))


def report(answer: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    names = options.only.split(",") if options.only else list(CLIENTS)
    best: dict[str, dict[str, float]] = {}
    missing: dict[str, str] = {}
    with stub(answer, options.delay) as url:
        for _ in range(options.rounds):
            for name in names:
                found = in_a_child(name, url, options)
                if isinstance(found, str):
                    missing[name] = found
                elif name not in best or found["seconds"] < best[name]["seconds"]:
                    best[name] = found
    total = options.problems * options.samples
    say(f"\n{answer} answers\n{'':<24}{'requests/s':>11}{'seconds':>9}{'wall':>8}{'CPU':>8}"
        f"{'ms CPU each':>13}")  # fmt: skip
    for name in names:
        if name not in best:
            say(f"{name:<24}{missing[name]}")
            continue
        row = best[name]
        row["requests/s"] = total / row["seconds"]
        say(f"{name:<24}{row['requests/s']:11.0f}{row['seconds']:9.2f}{row['wall']:8.2f}"
            f"{row['cpu']:8.2f}{1000 * row['cpu'] / total:13.2f}")  # fmt: skip
    return best


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def stub(answer: str, delay: float) -> Any:
    """The URL of a stub server."""
    command = [sys.executable, str(Path(__file__).with_name("stub_server.py")),
               "--answer", answer, "--delay", str(delay)]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()


def in_a_child(name: str, url: str, options: argparse.Namespace) -> dict[str, float] | str:
    """What a client took, or why it could not be asked."""
    python = {"inspect_ai": options.inspect, "lm-eval": options.lm_eval}.get(name, sys.executable)
    command = [python, __file__, "--child", name, "--url", url, "--problems",
               str(options.problems), "--samples", str(options.samples), "--concurrency",
               str(options.concurrency)]  # fmt: skip
    environment = os.environ | {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1",
                                "TOKENIZERS_PARALLELISM": "false"}  # fmt: skip
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=place, env=environment, timeout=3600
        )
    wall = time.perf_counter() - start
    if done.returncode:
        return "not measured: " + done.stderr.strip().splitlines()[-1][:100]
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found | {"wall": wall}


def measured(client: Callable[..., float], options: argparse.Namespace) -> dict[str, float]:
    seconds = client(options.url, options.problems, options.samples, options.concurrency)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {"seconds": seconds, "cpu": sum(item.ru_utime + item.ru_stime for item in used)}


# --- clients: each is run in a process of its own, and returns the seconds of its work -----------


def drive(total: int, concurrency: int, ask: Callable[[int], Any]) -> Any:
    """Ask ``total`` times, so many at once; the seconds that it took."""

    async def work(numbers: Any) -> None:
        for number in numbers:
            await ask(number)

    async def timed() -> float:
        await ask(0)
        numbers = iter(range(total))
        start = time.perf_counter()
        await asyncio.gather(*(work(numbers) for _ in range(concurrency)))
        return time.perf_counter() - start

    return timed()


def body(seed: int) -> dict[str, Any]:
    return {"model": "stub", "messages": [{"role": "user", "content": ASKED}], "temperature": 1.0,
            "top_p": 1.0, "max_tokens": 16384, "seed": seed}  # fmt: skip


def bare_aiohttp(url: str, problems: int, samples: int, concurrency: int) -> float:
    import aiohttp

    async def run() -> float:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def ask(seed: int) -> str:
                async with session.post(f"{url}/chat/completions", json=body(seed)) as response:
                    payload = await response.json()
                return str(payload["choices"][0]["message"]["content"])

            return float(await drive(problems * samples, concurrency, ask))

    return asyncio.run(run())


def openai_client(transport: str, named: bool) -> Callable[..., float]:
    """The openai client, asked through its named method or through `post`."""

    def client(url: str, problems: int, samples: int, concurrency: int) -> float:
        import openai

        make = (
            openai.DefaultAioHttpClient
            if transport == "aiohttp"
            else openai.DefaultAsyncHttpxClient
        )

        async def run() -> float:
            async with openai.AsyncOpenAI(
                base_url=url, max_retries=0, http_client=make()
            ) as client:

                async def by_name(seed: int) -> str:
                    answer = await client.chat.completions.create(**body(seed))
                    return str(answer.choices[0].message.content)

                async def by_post(seed: int) -> str:
                    import httpx2

                    response = await client.post(
                        "/chat/completions", cast_to=httpx2.Response, body=body(seed)
                    )
                    return str(json.loads(response.content)["choices"][0]["message"]["content"])

                ask = by_name if named else by_post
                return float(await drive(problems * samples, concurrency, ask))

        return asyncio.run(run())

    return client


def problem_file(problems: int) -> Path:
    path = Path("problems.jsonl")
    rows = [{"integrand": rf"{n} x e^{{2x}}", "id": str(n)} for n in range(1, problems + 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ours(url: str, problems: int, samples: int, concurrency: int) -> float:
    sys.path.insert(0, str(ROOT))
    import openai  # noqa: F401 (the work alone is timed; *wall* has the imports)

    import harness
    import harness.models.openai_client

    path = problem_file(problems)
    start = time.perf_counter()
    options = {"base-url": url, "concurrency": str(concurrency)}
    run = harness.sweep(["openai/stub"], [str(path)], samples=samples, options=options, out="run")
    seconds = time.perf_counter() - start
    judged = {row["key"] for row in run.verdicts().rows()}
    assert len(judged) == len(list(run.completions.rows())) == problems * samples
    return seconds


def inspect_ai(url: str, problems: int, samples: int, concurrency: int) -> float:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    dataset = [Sample(input=f"{n}: {ASKED}", target="x", id=n) for n in range(1, problems + 1)]
    task = Task(dataset=dataset, solver=generate(), scorer=includes(), epochs=samples)
    model = get_model("openai/stub", base_url=url, api_key="none", responses_api=False)
    start = time.perf_counter()
    (log,) = eval(
        task, model=model, max_connections=concurrency, max_samples=concurrency, max_tokens=16384,
        display="none", log_dir="logs",
    )  # fmt: skip
    seconds = time.perf_counter() - start
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.completed_samples == problems * samples
    return seconds


LM_EVAL_TASK = """\
task: stub
dataset_path: json
dataset_kwargs: {data_files: {test: problems.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{id}}: %s"
doc_to_target: "x"
generation_kwargs: {until: [], do_sample: true, temperature: 1.0, max_gen_toks: 16384}
repeats: %d
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""


def lm_eval(url: str, problems: int, samples: int, concurrency: int) -> float:
    import lm_eval as rival
    from lm_eval.tasks import TaskManager

    problem_file(problems)
    Path("stub.yaml").write_text(
        LM_EVAL_TASK % (ASKED.strip().replace("{", "(").replace("}", ")"), samples)
    )
    start = time.perf_counter()
    manager = TaskManager(include_path=".", include_defaults=False)
    where = f"model=stub,base_url={url}/chat/completions,num_concurrent={concurrency},max_retries=1"
    found = rival.simple_evaluate(
        model="local-chat-completions", model_args=where, tasks=["stub"], task_manager=manager,
        apply_chat_template=True, bootstrap_iters=0,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    assert sum(len(row["resps"][0]) for row in found["samples"]["stub"]) == problems * samples
    return seconds


CLIENTS: dict[str, Callable[..., float]] = {
    "aiohttp": bare_aiohttp,
    "openai httpx": openai_client("httpx", named=True),
    "openai aiohttp": openai_client("aiohttp", named=True),
    "openai aiohttp post": openai_client("aiohttp", named=False),
    "ours": ours,
    "inspect_ai": inspect_ai,
    "lm-eval": lm_eval,
}


if __name__ == "__main__":
    main()
