"""What an audit costs beside the verifier alone, in processor time, and the memory that it takes.

    python tests/perf/harness/audits.py [ROWS]

Indefinite integrals of a table with different rows: sums of a power, an exponential, a sine and a
logarithm with numbers of their own. Printed are rows a second of processor time (twice as many on
two cores), the ratio to `verify_many` on the same rows, and the peak memory of the process that
reads the table, with a tenth of the rows and with all.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
AUDIT = """
import resource, sys
from calculus_harness import audit
counts = audit(sys.argv[1], out=sys.argv[2], workers=2).counts
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, dict(counts))
"""
RIVAL = """
import json, sys
from itertools import islice
from calculus_harness import verify_many
from calculus_harness.rewards.workers.pool import make_pool
with open(sys.argv[1]) as file:
    while rows := [json.loads(line) for line in islice(file, 1024)]:
        answers = [rf"\\\\boxed{{{row['answer']}}}" for row in rows]
        found = verify_many(answers, [row["problem"] for row in rows], workers=2)
        assert all(verdict.correct for verdict in found)
"""


def table(path: Path, rows: int) -> None:
    """Write a table with right references, one of which in a thousand is wrong."""
    with path.open("w") as file:
        for k in range(rows):
            a, b, n = k % 97 + 2, k // 97 % 89 + 2, k // 8633 % 50 + 1
            problem = rf"\int {a} x^{{{n}}} + {b} e^{{{a} x}} - \sin({b} x) + \frac{{{n}}}{{x}}\,dx"
            answer = rf"\frac{{{a} x^{{{n + 1}}}}}{{{n + 1}}} + \frac{{{b}}}{{{a}}} e^{{{a} x}}"
            answer += rf" + \frac{{\cos({b} x)}}{{{b}}} + {n} \ln|x|"
            file.write(json.dumps({"problem": problem, "answer": answer}) + "\n")


def seconds(code: str, *arguments: str) -> tuple[float, str]:
    """Processor time of a program with its workers, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def main(rows: int) -> None:
    """Print rates, their ratio, and memory."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = (rows // 10, rows)
        times: dict[str, list[float]] = {"audit": [], "verify_many": []}
        for size in sizes:
            file = Path(folder) / f"{size}.jsonl"
            table(file, size)
            taken, said = seconds(AUDIT, str(file), str(Path(folder) / f"out-{size}"))
            times["audit"].append(taken)
            times["verify_many"].append(seconds(RIVAL, str(file))[0])
            print(f"{size} rows: {said.strip()} (KB, counts)")
        for name, (few, all_rows) in times.items():  # the start of processes is not counted
            rate = (sizes[1] - sizes[0]) / (all_rows - few)
            print(f"{name}: {rate:.0f} rows a second of processor time")
        ratio = (times["audit"][1] - times["audit"][0]) / (
            times["verify_many"][1] - times["verify_many"][0]
        )
        print(f"ratio of the audit to the verifier alone: {ratio:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
