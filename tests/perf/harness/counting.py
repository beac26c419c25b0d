"""How long counting and comparing take on a million samples: tests/perf/harness/counting.py.

Four models, five subsets (an original and four perturbations of it), 64 samples of each problem, in
a run directory as a sweep leaves it: the table with pass@1, 4, 16, 64 and pass^k and intervals from
2,000 resamples, every perturbation against its originals, every two models on every subset. Each
table has a separate process that reads everything from disk, on a single core. The goal is for the
processor time of all three together, with imports of our package. `--samples 8` is a smaller run
(without a goal), `--run DIR` keeps the run for later.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
MODELS, SUBSETS, PROBLEMS, SAMPLES = 4, 5, 782, 64
GOAL = 10.0  # seconds of CPU for all that is measured, of `SAMPLES` samples

MEASURED = {
    "table": "harness.summarise(harness.Run(run))",
    "perturbations": "harness.compare(run, by='perturbation')",
    "models": "harness.compare(run)",
    "all three": "harness.summarise(harness.Run(run)); harness.compare(run, by='perturbation'); "
    "harness.compare(run)",
}
CHILD = """
import resource, sys, time
from calculus_harness import harness
import numpy, scipy.special
run = sys.argv[1]
start, cpu = time.perf_counter(), time.process_time()
{work}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(time.perf_counter() - start, time.process_time() - cpu, peak)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--run", type=Path)
    options = parser.parse_args()
    total = MODELS * SUBSETS * PROBLEMS * options.samples
    with tempfile.TemporaryDirectory() as folder:
        run = options.run or Path(folder) / "run"
        if not run.exists():
            make_run(run, options.samples)
        size = sum(file.stat().st_size for file in run.rglob("*") if file.is_file())
        print(f"{total:,} samples, {size / 2**20:.0f} MiB on disk")
        print(f"{'':<15}{'seconds':>8}{'of CPU':>8}{'peak GiB':>10}")
        for name, work in MEASURED.items():
            seconds, cpu, peak = measure(work, run)
            print(f"{name:<15}{seconds:8.1f}{cpu:8.1f}{peak:10.2f}", flush=True)
        print(f"total: {cpu:.1f} s of CPU, {peak:.2f} GiB at its peak", end="")
        if options.samples == SAMPLES:
            print(f"; {'within' if cpu < GOAL else 'over'} the goal of {GOAL:.0f} s", end="")
        print()


def make_run(run: Path, samples: int) -> None:
    from tests.harness.large_run import make

    start = time.perf_counter()
    make(
        run,
        models=MODELS,
        problems=PROBLEMS,
        samples=samples,
        subsets=SUBSETS,
        words=20,
        noise=False,
    )
    print(f"made in {time.perf_counter() - start:.0f} s", flush=True)


def measure(work: str, run: Path) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and peak memory in GiB, in a fresh process on a core."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(work=work), str(run)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | threads,
    )
    seconds, cpu, peak = map(float, done.stdout.split())
    return seconds, cpu, peak


if __name__ == "__main__":
    main()
