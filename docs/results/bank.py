"""Why SymPy keeps so little of its score on perturbed problems: problems and tables.

python docs/results/bank.py problems OUT          # problem files, one for each arm
python docs/results/bank.py table RUNS            # docs/results/bank.json of the finished runs
python docs/results/bank.py print                 # the tables of docs/results/bank.md

docs/results/bank.md has the commands between the two.
"""

from __future__ import annotations

import sys
from itertools import zip_longest
from pathlib import Path

from calculus_harness.benchmarks.bee import bank
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness.store.problem_files import write_problems

SUBSETS = ("lin_comb", "subst_poly", "subst_hard")


def solved_parents(names: set[str]) -> dict[str, list[str]]:
    """By subset: one variation for each competition problem, all of whose parents are solved."""
    chosen: dict[str, list[str]] = {}
    for subset in SUBSETS:
        first: dict[str, str] = {}
        for problem in load(f"bee/{subset}"):
            if all(parent.id in names for parent in problem.parents):
                first.setdefault(str(problem.pair_parent), problem.id)
        chosen[subset] = list(first.values())
    return chosen


def write(out: Path) -> None:
    """The problems as they are shown and as they are composed, the subsets in turn."""
    solved = {
        entry.id: entry
        for partition in ("qualifier", "competition")
        for entry in bank.entries(partition)
        if entry.sympy_solves_in_10s
    }
    chosen = solved_parents(set(solved))
    out.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "_composed"):
        columns: list[list[Problem]] = []
        for subset in SUBSETS:
            wanted = {name.replace(f"-{subset}-", f"-{subset}{suffix}-") for name in chosen[subset]}
            columns.append([p for p in load(f"bee/{subset}{suffix}") if p.id in wanted])
        rows = [problem for row in zip_longest(*columns) for problem in row if problem]
        write_problems(rows, out / f"perturbed{suffix}.jsonl")
        print(out / f"perturbed{suffix}.jsonl", [len(column) for column in columns])
    parents = {parent.id for problem in rows for parent in problem.parents}
    write_problems([solved[name].problem() for name in sorted(parents)], out / "parents.jsonl")


if __name__ == "__main__":
    write(Path(sys.argv[2]))
