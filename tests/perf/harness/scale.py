"""What a Ray cluster costs and gains, on this machine, beside the plain path in the same run.

    python tests/perf/harness/scale.py                        # 20,000 completions, minutes
    python tests/perf/harness/scale.py --completions 100000

Needs the extra ``ray``. Printed are, with processor and wall-clock seconds:

- scoring stored completions with the workers of this machine, and with those of a local cluster of
  as many cores: the overhead of the cluster;
- the same with a cluster of one worker: what two workers gain over one;
- `verify_dataset` on a Parquet file, with the peak of this process's memory;
- what the store takes: verdicts and completions appended a second.

Half of the completions are right; integrands are powers, exponentials and products, so that a
verdict takes about a millisecond.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])

from calculus_harness.rewards import use_cluster, verify_dataset, verify_many
from calculus_harness.rewards.workers.pool import usable_cores

FORMS = (
    (r"x^{{{n}}}", r"\boxed{{\frac{{x^{{{m}}}}}{{{m}}}}}"),
    (r"e^{{{n}x}}", r"\boxed{{\frac{{e^{{{n}x}}}}{{{n}}} + C}}"),
    (r"x\cos({n}x)", r"\boxed{{\frac{{x\sin({n}x)}}{{{n}}}+\frac{{\cos({n}x)}}{{{n}^2}}}}"),
)


def completions(count: int) -> Iterator[tuple[str, str]]:
    """Completions with their integrands; every other one is wrong."""
    for i in range(count):
        f, answer = FORMS[i % len(FORMS)]
        n = 1 + i // len(FORMS) % 997
        shown = answer.format(n=n, m=n + 1)
        yield (shown if i % 2 else shown.replace("frac", "frac{2}{3}\\frac")), f.format(n=n)


def seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@contextmanager
def cluster(cores: int) -> Iterator[None]:
    import ray

    root = os.environ["PYTHONPATH"]
    ray.init(
        num_cpus=cores,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": root}},
    )
    try:
        with use_cluster():
            yield
    finally:
        ray.shutdown()


def scoring(count: int) -> None:
    answers, integrands = map(list, zip(*completions(count), strict=True))
    cores = usable_cores()
    times: dict[str, float] = {}
    for name, place in (
        ("this machine", nullcontext()),
        (f"cluster, {cores} workers", cluster(cores)),
        ("cluster, 1 worker", cluster(1)),
    ):
        with place:
            verify_many(answers[:100], integrands[:100])  # workers have begun
            times[name] = seconds(lambda: verify_many(answers, integrands))
        print(f"{name:22} {times[name]:8.1f} s {count / times[name]:10.0f} verdicts/s", flush=True)
    here, many, one = times.values()
    print(f"overhead of the cluster: {100 * (many / here - 1):+.1f} %")
    print(f"{cores} workers are {one / many:.2f} times as fast as one\n")


def data_set(count: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("completion", "string"), ("integrand", "string")])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.parquet"
        with pq.ParquetWriter(path, schema) as file:
            rows = completions(count)
            for start in range(0, count, 50_000):
                part = [next(rows) for _ in range(min(50_000, count - start))]
                columns = [pa.array(list(column)) for column in zip(*part, strict=True)]
                file.write_table(pa.Table.from_arrays(columns, schema=schema))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        taken = seconds(lambda: verify_dataset(path, out=Path(folder) / "verified"))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"verify_dataset: {count} rows in {taken:.1f} s, {count / taken:.0f} rows/s")
    print(f"peak of this process: {after / 1024:.0f} MB ({before / 1024:.0f} MB before)\n")


def store(count: int) -> None:
    from calculus_harness.harness.store.jsonl_log import Log

    row = {"key": "", "model": "m" * 16, "problem": "p" * 16, "text": "x" * 600, "stage": "answer"}
    with tempfile.TemporaryDirectory() as folder:

        def append() -> None:
            with Log(Path(folder) / "log", {"text"}, ("key",)) as log:
                for i in range(count):
                    log.append(row | {"key": f"{i:016d}"})

        taken = seconds(append)
    print(f"store: {count / taken:.0f} completions of 600 characters appended a second")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--completions", type=int, default=20_000)
    count = parser.parse_args().completions
    scoring(count)
    data_set(count)
    store(count)


if __name__ == "__main__":
    main()
