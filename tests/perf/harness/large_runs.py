"""The cost of a report and of a second scoring on a run of many samples: new samples only.

    python tests/perf/harness/large_runs.py [--samples 1000000] [--keep FOLDER]

The output has seconds of processor time and of wall clock, the peak memory of a process, and the
ratio of the processor time to the rival's. The rival is a pass over the rows of the run by `gzip`
and `json`, the least work of any count of all rows.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.harness.large_run import make  # noqa: E402


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(name: str, command: Sequence[str], rival: float = 0.0) -> float:
    used_before, began = children(), time.perf_counter()
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
    elapsed, used = time.perf_counter() - began, children() - used_before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    ratio = f", ratio {used / rival:.2f}" if rival else ""
    print(
        f"{name}: {used:.1f} s of processor time, {elapsed:.1f} s, at most {peak:.0f} MB so far"
        f"{ratio}, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return used


def one_pass(run: Path) -> int:
    """The rival: read every row once."""
    rows = 0
    for path in sorted(run.rglob("[0-9]*.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            rows += sum(1 for line in file if json.loads(line))
    return rows


def forget(run: Path) -> None:
    """Remove all derived files."""
    for pattern in ("*.columns.gz", "*.counts-*.json", "keys.sqlite"):
        for path in run.rglob(pattern):
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--pass-over", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pass_over:
        print(one_pass(options.pass_over))
        return
    with tempfile.TemporaryDirectory() as folder:
        run = options.keep or Path(folder) / "run"
        if not run.exists():
            samples = options.samples // 2500
            make(run, models=5, problems=500, samples=samples, words=20, noise=False)
        rival = measured("one pass", [__file__, "--pass-over", str(run)])
        report = ["run.py", "report", str(run)]
        forget(run)
        measured("report and page, nothing counted", report, rival)
        measured("again", report, rival)
        measured("again, table alone", [*report, "--format", "json"], rival)
        opened = f"from calculus_harness.harness.store.writer import rescoring as r\n\
from pathlib import Path\nwith r(Path({str(run)!r})) as run: assert len(run.stored)"
        measured("opening it to write, nothing indexed", ["-c", opened], rival)
        measured("opening it again", ["-c", opened], rival)


if __name__ == "__main__":
    main()
