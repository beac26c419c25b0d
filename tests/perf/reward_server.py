"""What the reward server costs beside the verifier: processor time of a completion over HTTP.

    python tests/perf/reward_server.py [--items 20000]

Printed are microseconds of processor time of a completion, of the server's process and of its
workers, the ratio of the first to the second, and completions a second of wall clock (which says
something on an idle machine only). Half of the completions are right and no two answers are equal;
in a second pass every group of 16 has four different answers, each of which is decided once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from calculus_harness.rewards.adapters.server.client import RewardClient  # noqa: E402

TEXT = "We substitute, so that the integral becomes simple, and get the following. " * 8
FORMS = (
    (r"{n} x^{{{m}}} e^{{x^{{{n}}}}}", r"e^{{x^{{{n}}}}} + {c}"),
    (r"x\cos({n}x)", r"\frac{{x\sin({n}x)}}{{{n}}}+\frac{{\cos({n}x)}}{{{n}^2}} + {c}"),
    (
        r"\frac{{1}}{{x^2+{n}}}",
        r"\frac{{1}}{{\sqrt{{{n}}}}}\arctan\frac{{x}}{{\sqrt{{{n}}}}} + {c}",
    ),
)


def group(number: int, answers: int) -> list[dict[str, Any]]:
    """16 completions of a problem, with a number of different answers."""
    integrand, answer = FORMS[number % len(FORMS)]
    n = 2 + number // len(FORMS)
    rows = []
    for at in range(16):
        c = number * 16 + at % answers
        text = answer.format(n=n, c=c) + ("" if at % 2 else "x")
        problem = integrand.format(n=n, m=n - 1)
        rows.append({"completion": rf"{at} {TEXT}$\boxed{{{text}}}$", "integrand": problem})
    return rows


def used(process: int) -> tuple[float, float]:
    """Seconds of processor time of a process, and of its descendants."""

    def ticks(at: Path) -> tuple[int, list[int]]:
        fields = (at / "stat").read_text().rpartition(")")[2].split()
        own = int(fields[11]) + int(fields[12])
        files = at.glob("task/*/children")
        return own, [int(child) for path in files for child in path.read_text().split()]

    own, children = ticks(Path(f"/proc/{process}"))
    used_below = sum(ticks(Path(f"/proc/{child}"))[0] for child in children)
    hertz = os.sysconf("SC_CLK_TCK")
    return own / hertz, used_below / hertz


async def measured(address: str, process: int, items: list[dict[str, Any]], name: str) -> None:
    async with RewardClient(address, batch=256, parallel=4) as client:
        await client.score(items[:512])
        used_before, began = used(process), time.perf_counter()
        await client.score(items)
        elapsed = time.perf_counter() - began
    server, workers = (
        1e6 * (b - a) / len(items) for a, b in zip(used_before, used(process), strict=True)
    )
    print(
        f"{name}: server {server:.0f} µs, workers {workers:.0f} µs a completion, ratio "
        f"{server / workers:.2f}; {len(items) / elapsed:.0f} completions/s, load "
        f"{os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=20_000)
    count = parser.parse_args().items // 16
    command = [sys.executable, "run.py", "serve-reward", "--port", "0", "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2].removesuffix("/score,")
        for answers, name in ((16, "all answers differ"), (4, "four answers a group")):
            items = [row for number in range(count) for row in group(number, answers)]
            asyncio.run(measured(address, process.pid, items, name))
        process.terminate()


if __name__ == "__main__":
    main()
