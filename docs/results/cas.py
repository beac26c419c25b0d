"""Print the table of docs/results/cas.md: solvers by subset, beside the paper's SymPy.

python run.py report RUN --format json | python docs/results/cas.py
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

PAPER = Path(__file__).resolve().parents[2] / "benchmarks" / "bee" / "published.csv"


def main() -> None:
    rows = json.load(sys.stdin)["rows"]
    with PAPER.open(encoding="utf-8", newline="") as file:
        published = [row for row in csv.DictReader(file) if row["method"] == "sympy"]
    paper = {f"bee/{row['subset']}": row["percent"] for row in published}
    labels = list(dict.fromkeys(row["model"] for row in rows))
    by_cell = {(row["model"], row["subset"]): row for row in rows}
    subsets = [name for name in dict.fromkeys(row["subset"] for row in rows) if name != "all"]
    in_paper = any(subset in paper for subset in subsets)
    header = [
        "subset",
        "problems",
        *labels,
        *(["SymPy in the paper, its problems"] if in_paper else []),
    ]
    print(f"| {' | '.join(header)} |")
    print("|---|" + "---:|" * (len(header) - 1))
    for subset in subsets:
        cells = [cell(by_cell.get((label, subset))) for label in labels]
        count = next(row["problems"] for row in rows if row["subset"] == subset)
        row = [subset, str(count), *cells, *([paper.get(subset, "")] if in_paper else [])]
        print(f"| {' | '.join(row)} |")


def cell(row: dict | None) -> str:
    """The estimate in percent with its interval, and the share that reached the time limit."""
    if row is None:
        return ""
    first = next(item for item in row["passes"] if item["k"] == 1)
    low, high = first["interval"]
    timed_out = row["rates"]["truncated"]
    text = f"{100 * first['value']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{text}, {100 * timed_out:.1f} timed out" if timed_out else text


if __name__ == "__main__":
    main()
