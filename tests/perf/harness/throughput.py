"""Requests a second, and our overhead over the client: `tests/perf/harness/throughput.py`.

A stub server in a separate process answers at once (or after `--delay` seconds). With `--vllm`, the
Python of an environment with vLLM, vLLM's own server runs a tiny Llama with random weights instead,
with answers of at most `--max-tokens` characters; with `--server`, a running server is asked. The
server gets 1,000 problems, 4 samples of each, 64 at a time, from

- aiohttp alone, which knows nothing of the protocol: the floor;
- the openai client as everybody calls it, over httpx and over aiohttp;
- our way to send what the openai client would (`harness.models.openai.http`), without all that a
  sweep is for;
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
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
#: What every client asks, about as long as our own prompt; the integrand comes last.
QUESTION = "Find the antiderivative of a function and put the final answer in a box. " * 5
PROMPT = f"""\
+++
task = "integration"
description = "What all clients ask."
+++
{{% call user() %}}{QUESTION}{{{{ integrand }}}}{{% endcall %}}"""


@dataclass(frozen=True)
class Work:
    """A client's work: samples of problems, asked of a model at a URL."""

    url: str
    model: str
    problems: int
    samples: int
    concurrency: int
    max_tokens: int

    @property
    def total(self) -> int:
        return self.problems * self.samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--max-tokens", type=int, default=16384)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0.0, help="of the stub, in seconds")
    parser.add_argument("--answers", default="trivial,realistic", help="of the stub")
    parser.add_argument("--vllm", metavar="PYTHON", help="that serves a tiny model with vLLM")
    parser.add_argument("--server", metavar="URL", help="ending in /v1, of a server that runs")
    parser.add_argument("--model", default="stub", help="its name at --server")
    parser.add_argument("--only", help="names of clients, with commas")
    parser.add_argument("--inspect", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--lm-eval", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--json", action="store_true", help="on stdout")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, work = options.child
        print("\n" + json.dumps(measured(CLIENTS[name], Work(**json.loads(work)))))
        return
    say(
        f"{options.problems} problems x {options.samples} samples, {options.concurrency} at a "
        f"time, {os.cpu_count()} cores"
    )
    times = {}
    for name, server in servers(options).items():
        with server as url:
            times[name] = report(name, url, options)
    if options.json:
        print(json.dumps(times))


def servers(options: argparse.Namespace) -> dict[str, Any]:
    """Servers, each a context with a URL."""
    if options.server:
        return {options.model: nullcontext(options.server)}
    if options.vllm:
        return {"vLLM": vllm(options.vllm, options.model)}
    return {answer: stub(answer, options.delay) for answer in options.answers.split(",")}


def report(title: str, url: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    names = options.only.split(",") if options.only else list(CLIENTS)
    work = Work(
        url,
        options.model,
        options.problems,
        options.samples,
        options.concurrency,
        options.max_tokens,
    )
    best: dict[str, dict[str, float]] = {}
    missing: dict[str, str] = {}
    for _ in range(options.rounds):
        for name in names:
            times = in_a_child(name, work, options)
            if isinstance(times, str):
                missing[name] = times
            elif name not in best or times["seconds"] < best[name]["seconds"]:
                best[name] = times
    say(
        f"\n{title}\n{'':<24}{'requests/s':>11}{'seconds':>9}{'wall':>8}{'CPU':>8}"
        f"{'ms CPU each':>13}{'ours to it':>12}"
    )
    for name in names:
        if name not in best:
            say(f"{name:<24}{missing[name]}")
            continue
        row = best[name]
        row["requests/s"] = work.total / row["seconds"]
        ratio = f"{row['seconds'] / best['ours']['seconds']:.2f}" if "ours" in best else ""
        say(
            f"{name:<24}{row['requests/s']:11.0f}{row['seconds']:9.2f}{row['wall']:8.2f}"
            f"{row['cpu']:8.2f}{1000 * row['cpu'] / work.total:13.2f}{ratio:>12}"
        )
    return best


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def stub(answer: str, delay: float) -> Iterator[str]:
    """The URL of a stub server."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("stub_server.py")),
        "--answer",
        answer,
        "--delay",
        str(delay),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()


MAKE_TINY = """\
import sys
from pathlib import Path
from tests.harness import tiny_model
tiny_model.make(Path(sys.argv[1]), spread=0.3, length=4096)
"""


@contextmanager
def vllm(python: str, name: str) -> Iterator[str]:
    """The URL of vLLM's server, for a tiny random model with high entropy.

    Each prompt is read in a single step: vLLM 0.32 for the CPU cannot combine seeds and chunks.
    """
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
    }
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-c", MAKE_TINY, folder], check=True, env=environment)
        command = [
            python,
            "-m",
            "vllm.entrypoints.openai.api_server",
            "--model",
            folder,
            "--served-model-name",
            name,
            "--port",
            str(port),
            "--dtype",
            "float32",
            "--host",
            "127.0.0.1",
            "--disable-log-stats",
            "--no-enable-chunked-prefill",
        ]
        log = Path(folder, "log")
        with (
            log.open("w") as out,
            subprocess.Popen(command, stdout=out, stderr=out, env=environment) as server,
        ):
            try:
                until_healthy(f"http://127.0.0.1:{port}/health", server, log)
                yield f"http://127.0.0.1:{port}/v1"
            finally:
                server.terminate()


def until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    while server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(1)
    raise SystemExit(log.read_text()[-2000:])


def in_a_child(name: str, work: Work, options: argparse.Namespace) -> dict[str, float] | str:
    """A client's times, or the reason for a failure."""
    python = {"inspect_ai": options.inspect, "lm-eval": options.lm_eval}.get(name, sys.executable)
    command = [python, __file__, "--child", name, json.dumps(asdict(work))]
    environment = os.environ | {
        "OPENAI_API_KEY": "none",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=environment, timeout=3600
        )
    wall = time.perf_counter() - start
    if done.returncode:
        return "not measured: " + done.stderr.strip().splitlines()[-1][:100]
    times: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return times | {"wall": wall}


def measured(client: Callable[[Work], float], work: Work) -> dict[str, float]:
    seconds = client(work)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {"seconds": seconds, "cpu": sum(item.ru_utime + item.ru_stime for item in used)}


# --- clients: each is run in a process of its own, and returns the seconds of its work -----------


def drive(work: Work, ask: Callable[[int], Any]) -> Any:
    """Ask ``total`` times, ``work.concurrency`` at once. Returns the seconds."""

    async def worker(numbers: Any) -> None:
        for number in numbers:
            await ask(number)

    async def timed() -> float:
        await ask(0)
        numbers = iter(range(work.total))
        start = time.perf_counter()
        await asyncio.gather(*(worker(numbers) for _ in range(work.concurrency)))
        return time.perf_counter() - start

    return timed()


def integrand(number: int) -> str:
    """The request body of a problem, counted from 1."""
    return rf"{number} x e^{{2x}}"


def body(work: Work, seed: int) -> dict[str, Any]:
    prompt = QUESTION + integrand(1 + seed // work.samples)
    return {
        "model": work.model,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 1.0,
        "top_p": 1.0,
        "max_tokens": work.max_tokens,
        "seed": seed,
    }


def bare_aiohttp(work: Work) -> float:
    import aiohttp

    async def run() -> float:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def ask(seed: int) -> str:
                async with session.post(
                    f"{work.url}/chat/completions", json=body(work, seed)
                ) as response:
                    payload = await response.json()
                return str(payload["choices"][0]["message"]["content"])

            return float(await drive(work, ask))

    return asyncio.run(run())


def openai_client(transport: str) -> Callable[[Work], float]:
    def client(work: Work) -> float:
        import openai

        make = (
            openai.DefaultAioHttpClient
            if transport == "aiohttp"
            else openai.DefaultAsyncHttpxClient
        )

        async def run() -> float:
            async with openai.AsyncOpenAI(
                base_url=work.url, max_retries=0, http_client=make()
            ) as client:

                async def ask(seed: int) -> str:
                    answer = await client.chat.completions.create(**body(work, seed))
                    return str(answer.choices[0].message.content)

                return float(await drive(work, ask))

        return asyncio.run(run())

    return client


def connection(work: Work) -> float:
    sys.path.insert(0, str(ROOT))
    from calculus_harness.harness.models import create
    from calculus_harness.harness.models.openai.http import Connection

    async def run() -> float:
        model: Any = create(f"openai/{work.model}", {"base-url": work.url})
        line = Connection(model, connections=work.concurrency)

        async def ask(seed: int) -> str:
            content = await line.post("/chat/completions", body(work, seed))
            return str(json.loads(content)["choices"][0]["message"]["content"])

        try:
            return float(await drive(work, ask))
        finally:
            await line.close()

    return asyncio.run(run())


def problem_file(problems: int) -> Path:
    path = Path("problems.jsonl")
    rows = [{"integrand": integrand(n), "id": str(n)} for n in range(1, problems + 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ours(work: Work) -> float:
    sys.path.insert(0, str(ROOT))
    import openai  # noqa: F401 (the work alone is timed; *wall* has the imports)

    from calculus_harness import harness
    from calculus_harness.rewards.workers.pool import shared_pool

    path = problem_file(work.problems)
    Path("asked.jinja").write_text(PROMPT)
    start = time.perf_counter()
    run = harness.sweep(
        [f"openai/{work.model}"],
        [str(path)],
        samples=work.samples,
        out="run",
        prompt="asked.jinja",
        sampling=harness.Sampling(max_tokens=work.max_tokens),
        model_option={"base-url": work.url, "concurrency": str(work.concurrency)},
    )
    seconds = time.perf_counter() - start
    judged = {row["key"] for row in run.verdicts().rows()}
    assert len(judged) == len(list(run.completions.rows())) == work.total
    shared_pool().close()  # so that what the workers used is counted
    return seconds


def inspect_ai(work: Work) -> float:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    numbers = range(1, work.problems + 1)
    dataset = [Sample(input=QUESTION + integrand(n), target="x", id=n) for n in numbers]
    task = Task(dataset=dataset, solver=generate(), scorer=includes(), epochs=work.samples)
    model = get_model(
        f"openai/{work.model}", base_url=work.url, api_key="none", responses_api=False
    )
    start = time.perf_counter()
    (log,) = eval(
        task,
        model=model,
        max_connections=work.concurrency,
        max_samples=work.concurrency,
        max_tokens=work.max_tokens,
        display="none",
        log_dir="logs",
    )
    seconds = time.perf_counter() - start
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.completed_samples == work.total
    return seconds


LM_EVAL_TASK = """\
task: stub
dataset_path: json
dataset_kwargs: {data_files: {test: problems.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "%s{{integrand}}"
doc_to_target: "x"
generation_kwargs: {until: [], do_sample: true, temperature: 1.0, max_gen_toks: %d}
repeats: %d
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""


def lm_eval(work: Work) -> float:
    import lm_eval as rival
    from lm_eval.tasks import TaskManager

    problem_file(work.problems)
    Path("stub.yaml").write_text(LM_EVAL_TASK % (QUESTION, work.max_tokens, work.samples))
    start = time.perf_counter()
    manager = TaskManager(include_path=".", include_defaults=False)
    where = (
        f"model={work.model},base_url={work.url}/chat/completions,"
        f"num_concurrent={work.concurrency},max_retries=5"
    )
    results = rival.simple_evaluate(
        model="local-chat-completions",
        model_args=where,
        tasks=["stub"],
        task_manager=manager,
        apply_chat_template=True,
        bootstrap_iters=0,
    )
    seconds = time.perf_counter() - start
    assert sum(len(row["resps"][0]) for row in results["samples"]["stub"]) == work.total
    return seconds


CLIENTS: dict[str, Callable[[Work], float]] = {
    "aiohttp": bare_aiohttp,
    "openai httpx": openai_client("httpx"),
    "openai aiohttp": openai_client("aiohttp"),
    "our connections": connection,
    "ours": ours,
    "inspect_ai": inspect_ai,
    "lm-eval": lm_eval,
}


if __name__ == "__main__":
    main()
