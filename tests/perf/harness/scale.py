"""Cost and gain of a Ray cluster on the local machine, beside the plain path in the same run.

    python tests/perf/harness/scale.py                        # 20,000 completions, minutes
    python tests/perf/harness/scale.py --completions 100000 --rows 1000000

Needs the extra ``ray``. Printed are, with wall-clock seconds:

- `verify_dataset` on a Parquet file of a tenth of ``--rows`` and of all, with the peak of this
  process's memory after each;
- scoring completions with the workers of this machine, with a local cluster of as many workers, and
  with one of one worker, in turns: the overhead of the cluster, and what all workers gain over one;
- in the same turns, plain processes that verify them with neither pool nor Ray, one and as many as
  there are cores: what the machine itself lets all gain over one;
- where the cluster's processor time goes (on Linux);
- the bytes of a completion on the way to a node and back;
- what the store takes a second from blocks.

Half of the completions are right; integrands are powers, exponentials and products, so that a
verdict takes about a millisecond.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import pickle
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Barrier
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import ray

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.harness.store.log.appending import Log
from calculus_harness.rewards import (
    use_cluster,
    verify_antiderivative,
    verify_dataset,
    verify_many,
)
from calculus_harness.rewards.workers.cluster import CHUNK as BLOCK
from calculus_harness.rewards.workers.pool import WorkerPool, pools_from, usable_cores
from calculus_harness.rewards.workers.ray_connection import NICENESS
from tests.ray_nodes import wait_until

FORMS = (
    (r"x^{{{n}}}", r"\boxed{{\frac{{x^{{{m}}}}}{{{m}}}}}"),
    (r"e^{{{n}x}}", r"\boxed{{\frac{{e^{{{n}x}}}}{{{n}}} + C}}"),
    (r"x\cos({n}x)", r"\boxed{{\frac{{x\sin({n}x)}}{{{n}}}+\frac{{\cos({n}x)}}{{{n}^2}}}}"),
)


def completions(count: int) -> Iterator[tuple[str, str]]:
    """Completions with their integrands; every second completion is wrong."""
    for i in range(count):
        f, answer = FORMS[i % len(FORMS)]
        n = 1 + i // len(FORMS) % 997
        text = answer.format(n=n, m=n + 1)
        yield (text if i % 2 else text.replace("frac", "frac{2}{3}\\frac")), f.format(n=n)


def seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@contextmanager
def local_workers() -> Iterator[None]:
    """New workers of the local machine, as on a cluster."""
    with pools_from(lambda size, memory_mb, tasks: WorkerPool(size, memory_mb, tasks=tasks)):
        yield


@contextmanager
def cluster_workers(workers: int) -> Iterator[None]:
    """Workers of the local cluster, ended afterwards."""
    with use_cluster(workers=workers) as cluster:
        assert cluster.size == workers
        yield
        for actor in ray.util.list_named_actors(all_namespaces=True):
            ray.kill(ray.get_actor(**actor))
    wait_until(lambda: not ray.util.list_named_actors(all_namespaces=True))


def plainly(processes: int, answers: list[str], integrands: list[str]) -> float:
    """Seconds of verification by a number of processes, after all have begun."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes + 1)
    shares = [(answers[i::processes], integrands[i::processes]) for i in range(processes)]
    workers = [context.Process(target=_verify, args=(barrier, *share)) for share in shares]
    for worker in workers:
        worker.start()
    barrier.wait()
    elapsed = seconds(barrier.wait)
    for worker in workers:
        worker.join()
    return elapsed


def _verify(barrier: Barrier, answers: list[str], integrands: list[str]) -> None:
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)  # as in workers
    for answer, integrand in zip(answers[:100], integrands[:100], strict=True):
        verify_antiderivative(answer, integrand)
    barrier.wait()
    for answer, integrand in zip(answers, integrands, strict=True):
        verify_antiderivative(answer, integrand)
    barrier.wait()


#: Parts of command lines, and what such a process is; the first that fits counts.
ROLES = (
    ("workers/child.py", "verifying"),
    ("ray::", "actors of the nodes"),
    ("scale.py", "this process"),
    ("ray", "Ray's own processes"),
)


def processor_times() -> Counter[str]:
    """Seconds of processor time until now of the process and its descendants, by role."""
    processes: dict[int, tuple[int, float, str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_text().replace("\0", " ")
            ticks = int(fields[11]) + int(fields[12])
            processes[int(entry.name)] = int(fields[1]), ticks / os.sysconf("SC_CLK_TCK"), command
    used: Counter[str] = Counter()
    for process, (parent, cpu, command) in processes.items():
        while process != os.getpid() and parent in processes:
            process, parent = parent, processes[parent][0]
        if process == os.getpid():
            used[next((role for word, role in ROLES if word in command), "others")] += cpu
    return used


def scoring(count: int, rounds: int) -> None:
    answers, integrands = map(list, zip(*completions(count), strict=True))
    cores = usable_cores()
    methods: dict[str, Callable[[], AbstractContextManager[None]]] = {
        "this machine": local_workers,
        f"cluster, {cores} workers": lambda: cluster_workers(cores),
        "cluster, 1 worker": lambda: cluster_workers(1),
    }
    times: dict[str, list[float]] = {name: [] for name in methods}
    used: dict[str, Counter[str]] = {name: Counter() for name in methods}
    plain: dict[int, list[float]] = {1: [], cores: []}
    environment = {"env_vars": {"PYTHONPATH": sys.path[0]}}
    os.environ[NICENESS] = "0"  # as here
    settings = {"include_dashboard": False, "log_to_driver": False, "runtime_env": environment}
    ray.init("local", num_cpus=cores, **settings)
    try:
        for turn in range(rounds):
            rows = answers[turn::rounds], integrands[turn::rounds]
            for name, method in methods.items():
                with method():
                    verify_many(answers[:100], integrands[:100])  # workers have begun
                    used_before = processor_times()
                    times[name].append(seconds(lambda rows=rows: verify_many(*rows)))
                    used[name] += processor_times() - used_before
                print(f"{name:22} {len(rows[0]) / times[name][-1]:10.0f} verdicts/s", flush=True)
            for number in plain:
                plain[number].append(plainly(number, *rows))
                speed = len(rows[0]) / plain[number][-1]
                print(f"{f'plain processes: {number}':22} {speed:10.0f} verdicts/s", flush=True)
    finally:
        ray.shutdown()
    alone, many, single = times.values()
    over = [100 * (a / b - 1) for a, b in zip(many, alone, strict=True)]
    gain = [a / b for a, b in zip(single, many, strict=True)]
    print(f"overhead of the cluster: {median(over):+.1f} % ({min(over):+.1f} to {max(over):+.1f})")
    ceiling = [a / b for a, b in zip(*plain.values(), strict=True)]
    reached = [a / b for a, b in zip(gain, ceiling, strict=True)]
    for what, values in (
        (f"{cores} workers of the cluster, times as fast as one", gain),
        (f"{cores} plain processes, times as fast as one", ceiling),
        ("the first by the second", reached),
    ):
        print(f"{what}: {median(values):.2f} ({min(values):.2f} to {max(values):.2f})")
    for name, total in used.items():
        shares = (f"{role} {1e6 * cost / count:.0f}" for role, cost in total.most_common())
        print(f"{name}, µs of processor time a completion: {', '.join(shares)}")
    print(flush=True)


def data_set(count: int) -> None:
    schema = pa.schema([("completion", "string"), ("integrand", "string")])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.parquet"
        with pq.ParquetWriter(path, schema) as file:
            rows = completions(count)
            for start in range(0, count, 50_000):
                block = [next(rows) for _ in range(min(50_000, count - start))]
                columns = [pa.array(list(column)) for column in zip(*block, strict=True)]
                file.write_table(pa.Table.from_arrays(columns, schema=schema))
        memory_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        elapsed = seconds(lambda: verify_dataset(path, out=Path(folder) / "verified"))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"verify_dataset: {count} rows in {elapsed:.1f} s, {count / elapsed:.0f} rows/s")
    print(f"peak of this process: {memory / 1024:.0f} MB ({memory_before / 1024:.0f} MB before)\n")


def message() -> None:
    items = [[answer, integrand, {}] for answer, integrand in completions(BLOCK)]
    with WorkerPool(1) as pool:
        results = pool.map("verify", items, deadline=60.0)
    sent, back = (len(pickle.dumps(batch)) / BLOCK for batch in (items, results))
    print(f"a completion and its verdict in a message: {sent:.0f} bytes there, {back:.0f} back")


def store(count: int, rounds: int) -> None:
    row = {"key": "", "model": "m" * 16, "problem": "p" * 16, "text": "x" * 600, "stage": "answer"}
    speeds = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            blocks = [
                [row | {"key": f"{at + i:016d}"} for i in range(BLOCK)]
                for at in range(0, count // rounds, BLOCK)
            ]
            used = time.process_time()

            def write(path: Path = Path(folder, str(turn)), blocks: Any = blocks) -> None:
                with Log(path, {"text"}, ("key",)) as log:
                    for block in blocks:
                        for stored in block:
                            log.append(stored)

            elapsed = seconds(write)
            used = time.process_time() - used
            written = len(blocks) * BLOCK
            speeds.append((written / elapsed, written / used))
    for what, rates in zip(("", " of processor time"), zip(*speeds, strict=True), strict=True):
        print(
            f"store: {median(rates):.0f} completions of 600 characters a second{what}, from blocks "
            f"of {BLOCK} ({min(rates):.0f} to {max(rates):.0f})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--completions", type=int, default=20_000)
    parser.add_argument("--rows", type=int, help="of the data set; as --completions")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = options.rows or options.completions
    print(f"load {os.getloadavg()[0]:.1f}, {usable_cores()} cores")
    for count in (rows // 10, rows):  # first: a peak of memory is never forgotten
        data_set(count)
    scoring(options.completions, options.rounds)
    message()
    store(options.completions, options.rounds)


if __name__ == "__main__":
    main()
