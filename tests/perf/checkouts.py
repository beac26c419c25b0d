"""How fast the verifier is beside another checkout of itself, in the same minutes.

    git worktree add --detach /tmp/before COMMIT
    python tests/perf/checkouts.py /tmp/before --category textbook
    python tests/perf/checkouts.py /tmp/before --source antiderivatives --calls

A process for each checkout judges the same rows, in alternating rounds, each with emptied caches of
integrands. A row's time is the least processor time of all rounds; rates are of the sums of the
rows' times. `round` is the median ratio of neighbouring rounds: load on the machine affects both
rounds. `--calls` counts calls of Python functions instead, independent of the machine, and lists
the largest differences.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[1] / "rewards" / "cases"
#: What runs in each checkout; a line of input is a command, a line of output its result.
CHILD = """
import gc, json, sys, time
from collections import Counter
from calculus_harness.rewards import ProblemError, verify_antiderivative as verify

rows = json.loads(sys.stdin.readline())
caches = [
    module._prepare_text
    for name, module in list(sys.modules.items())
    if name.endswith(".integrand") and hasattr(module, "_prepare_text")
]
for module in list(sys.modules.values()):  # special functions are evaluated here
    if hasattr(module, "verify_in_worker") and hasattr(module, "in_worker"):
        module.in_worker = lambda: True

def judge(integrand, completion, variable):
    try:
        verdict = verify(completion, integrand, variable=variable)
    except ProblemError:
        return "problem"
    return f"{verdict.status} {verdict.evidence.proof}"

def once():
    for cache in caches:
        cache.cache_clear()
    seconds = []
    for row in rows:
        begin = time.process_time()
        judge(*row)
        seconds.append(time.process_time() - begin)
    return seconds

def calls():
    counts = Counter()
    def count(frame, event, argument):
        if event == "call":
            code = frame.f_code
            counts["/".join(code.co_filename.split("/")[-2:]) + " " + code.co_name] += 1
        elif event == "c_call":
            counts["C " + argument.__name__] += 1
    for cache in caches:
        cache.cache_clear()
    sys.setprofile(count)
    for row in rows:
        judge(*row)
    sys.setprofile(None)
    return counts

gc.collect()
gc.freeze()
gc.set_threshold(100_000, 20, 50)
commands = {"verdicts": lambda: [judge(*row) for row in rows], "once": once, "calls": calls}
for line in sys.stdin:
    print(json.dumps(commands[line.strip()]()), flush=True)
"""


def load(source: str, category: str | None) -> list[tuple[str, tuple[str, str, str]]]:
    """Names of rows, with integrand, completion and variable."""
    rows = json.loads((CASES / f"{source}.json").read_text(encoding="utf-8"))
    items = []
    for row in rows:
        completion = row.get("completion", row.get("response"))
        if "answer" in row and completion is None:
            completion = rf"$\boxed{{{row['answer']}}}$"
        of = row.get("category", row.get("kind"))
        if isinstance(completion, str) and category in (None, of) and not row.get("options"):
            items.append((row["id"], (row["integrand"], completion, row.get("variable", "x"))))
    return items


class Checkout:
    """A process that judges rows with a folder's verifier."""

    def __init__(self, folder: Path, rows: list[tuple[str, str, str]]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._send(json.dumps(rows))

    def ask(self, command: str) -> Any:
        """The result of a command."""
        self._send(command)
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def _send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="the folder of the other checkout")
    parser.add_argument("--source", default="verdicts")
    parser.add_argument("--category", help="rows of this category or kind only")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--calls", action="store_true", help="count calls instead of seconds")
    parser.add_argument("--rows", type=int, default=10, help="rows and functions that are listed")
    arguments = parser.parse_args()
    items = load(arguments.source, arguments.category)
    names, rows = [name for name, _ in items], [row for _, row in items]
    folders = arguments.before.resolve(), Path(__file__).resolve().parents[2]
    # The processes of both checkouts take turns: load on the machine affects both.
    before, after = (Checkout(folder, rows) for folder in folders)
    first, second = before.ask("verdicts"), after.ask("verdicts")
    changed = Counter(pair for pair in zip(first, second, strict=True) if pair[0] != pair[1])
    print(f"{len(rows)} rows; other verdicts: {dict(changed)}")
    if arguments.calls:
        show_calls(before.ask("calls"), after.ask("calls"), len(rows), arguments.rows)
        return
    # The least time of a row over all rounds is the least disturbed.
    rounds = [(before.ask("once"), after.ask("once")) for _ in range(arguments.rounds)]
    ratios = [sum(new) / sum(old) for old, new in rounds]
    old, new = (
        [min(times) for times in zip(*runs, strict=True)] for runs in zip(*rounds, strict=True)
    )
    print(f"round: {statistics.median(ratios):.3f} of the time before")
    for title, value in (
        ("sum", sum),
        ("median", statistics.median),
        ("p99", lambda times: sorted(times)[int(0.99 * len(times))]),
        ("largest", max),
    ):
        a, b = value(old), value(new)
        print(f"{title:8} {1e3 * a:10.3f} ms -> {1e3 * b:10.3f} ms  {b / a:.3f}")
    print("largest differences:")
    order = sorted(range(len(rows)), key=lambda at: old[at] - new[at])
    for at in order[: arguments.rows]:
        print(f"{1e3 * old[at]:9.3f} -> {1e3 * new[at]:9.3f}  {names[at]}  {rows[at][0][:60]}")


def show_calls(old: dict[str, int], new: dict[str, int], count: int, limit: int) -> None:
    """Print calls per row, in total and for the functions with the largest differences."""
    print(f"calls a row: {sum(old.values()) / count:.0f} -> {sum(new.values()) / count:.0f}")
    differences = {name: new.get(name, 0) - old.get(name, 0) for name in old.keys() | new.keys()}
    for name in sorted(differences, key=lambda name: -abs(differences[name]))[:limit]:
        a, b = old.get(name, 0) / count, new.get(name, 0) / count
        print(f"{a:9.2f} -> {b:9.2f}  {name}")


if __name__ == "__main__":
    main()
