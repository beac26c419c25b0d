"""The rates of a benchmark in the current and in an older checkout, in a single run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 5


def compare(module: str, code: str, rival: Path) -> None:
    """Run code that prints a rate in both checkouts in turns, and print the rates and the ratio.

    ``module`` is the path of a benchmark in ``tests/perf``, whose names the code may use.
    """
    rates: dict[Path, list[float]] = {ROOT: [], rival.resolve(): []}
    for _ in range(ROUNDS):
        for checkout, measured in rates.items():
            folder = str(checkout / "tests" / "perf")
            script = f"import sys; sys.path.insert(0, {folder!r}); from {module} import *; {code}"
            done = subprocess.run(
                [sys.executable, "-c", script],
                cwd=checkout,
                env={"PYTHONPATH": str(checkout), "PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                check=True,
            )
            measured.append(float(done.stdout.split()[-1]))
    ours, theirs = (median(measured) for measured in rates.values())
    print(
        f"ours {ours:.0f}/s, rival {theirs:.0f}/s, ratio {ours / theirs:.2f} (medians of {ROUNDS})"
    )
