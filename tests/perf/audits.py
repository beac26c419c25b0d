"""The cost of an audit beside the verifier alone, in processor time, and the peak memory.

    python tests/perf/audits.py [ROWS]

The rows are indefinite integrals of eight forms with different numbers, up to 2,363,840. Of a
thousand rows fifty are repeated, a row has a wrong reference, and every second thousand has a
broken line. The output has rows per second of processor time (twice as many on two cores), the
ratio to `verify_many` on the same rows, and the peak memory of the reading process, with a tenth of
the rows and with all.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
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
with open(sys.argv[1]) as file:
    whole = (line for line in file if line.endswith("}\\n"))
    while rows := [json.loads(line) for line in islice(whole, 1024)]:
        answers = [rf"\\\\boxed{{{row['answer']}}}" for row in rows]
        verify_many(answers, [row["problem"] for row in rows], workers=2)
"""


def integral(number: int) -> tuple[str, str]:
    """An integral with its antiderivative."""
    index, a, b = number // 8, number // 8 % 89 + 2, number // (8 * 89) % 83 + 2
    n = index // (89 * 83) % 40 + 2
    forms = (
        (
            rf"{a} x^{{{n}}} + {b} e^{{{a} x}} - \sin({b} x) + \frac{{{n}}}{{x}}",
            rf"\frac{{{a} x^{{{n + 1}}}}}{{{n + 1}}} + \frac{{{b}}}{{{a}}} e^{{{a} x}}"
            rf" + \frac{{\cos({b} x)}}{{{b}}} + {n} \ln|x|",
        ),
        (
            rf"({a} x + {n}) e^{{{b} x}}",
            rf"e^{{{b}x}} \left(\frac{{{a}x + {n}}}{{{b}}} - \frac{{{a}}}{{{b * b}}}\right)",
        ),
        (
            rf"{a} x^{{{n}}} \ln({b} x)",
            rf"\frac{{{a} x^{{{n + 1}}}}}{{{n + 1}}}"
            rf"\left(\ln({b} x) - \frac{{1}}{{{n + 1}}}\right)",
        ),
        (
            rf"{n} \sin^2({a} x) + {b}",
            rf"{n}\left(\frac{{x}}{{2}} - \frac{{\sin({2 * a} x)}}{{{4 * a}}}\right) + {b} x",
        ),
        (
            rf"\frac{{{a} x + {n}}}{{x^2 + {b * b}}}",
            rf"\frac{{{a}}}{{2}} \ln(x^2 + {b * b})"
            rf" + \frac{{{n}}}{{{b}}} \arctan\frac{{x}}{{{b}}} + C",
        ),
        (rf"{n} x \cos({a} x^2 + {b})", rf"\frac{{{n}}}{{{2 * a}}} \sin({a} x^2 + {b})"),
        (rf"({a} x + {b})^{{{n}}}", rf"\frac{{({a} x + {b})^{{{n + 1}}}}}{{{a * (n + 1)}}}"),
        (
            rf"\sqrt{{{a} x + {b}}} + {n} x",
            rf"\frac{{2}}{{{3 * a}}} ({a} x + {b})^{{3/2}} + \frac{{{n} x^2}}{{2}}",
        ),
    )
    integrand, answer = forms[number % 8]
    return rf"\int {integrand}\,dx", answer


def table(path: Path, rows: int) -> None:
    """Write a table of a number of rows."""
    rng, fresh = random.Random(1), 0
    with path.open("w") as file:
        for number in range(rows):
            draw = rng.random()
            if draw < 0.05 and fresh:
                problem, answer = integral(rng.randrange(fresh))
            else:
                problem, answer = integral(fresh)
                fresh += 1
            if 0.1 < draw < 0.101:
                answer = answer.replace("2", "3", 1) if "2" in answer else f"-{answer}"
            row = json.dumps({"id": number, "problem": problem, "answer": answer})
            file.write('{"problem":\n' if 0.2 < draw < 0.2005 else f"{row}\n")


def seconds(code: str, *arguments: str) -> tuple[float, str]:
    """Processor time of a program with its workers, and the output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def main(rows: int) -> None:
    """Print rates, the ratio of rates, and memory."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = (rows // 10, rows)
        times: dict[str, list[float]] = {"audit": [], "verify_many": []}
        for size in sizes:
            file = Path(folder) / f"{size}.jsonl"
            table(file, size)
            seconds_taken, output = seconds(AUDIT, str(file), str(Path(folder) / f"out-{size}"))
            times["audit"].append(seconds_taken)
            times["verify_many"].append(seconds(RIVAL, str(file))[0])
            print(f"{size} rows: {output.strip()} (KB, counts)")
        for name, (few, all_rows) in times.items():  # the start of processes is not counted
            rate = (sizes[1] - sizes[0]) / (all_rows - few)
            print(f"{name}: {rate:.0f} rows a second of processor time")
        ratio = (times["audit"][1] - times["audit"][0]) / (
            times["verify_many"][1] - times["verify_many"][0]
        )
        print(f"ratio of the audit to the verifier alone: {ratio:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
