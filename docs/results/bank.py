"""Why SymPy keeps so little of its score on perturbed problems: problems and tables.

python docs/results/bank.py problems OUT             # a problem file for each subset and form
python docs/results/bank.py record FILE ARM=RUN ...  # a result file of finished runs
python docs/results/bank.py print                    # the tables of bank.md, of bank.json beside it
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from calculus_harness.benchmarks.bee import bank
from calculus_harness.benchmarks.bee.perturbations import has_no_trig
from calculus_harness.benchmarks.payloads import IntegrationTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness import Run
from calculus_harness.harness.stats.intervals import clopper_pearson, mean_interval
from calculus_harness.harness.store.problem_files import write_problems
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.reading.latex import read
from calculus_harness.rewards.verdict import Status

SUBSETS = ("lin_comb", "subst_poly", "subst_hard")
RESULTS = Path(__file__).with_name("bank.json")
#: Suffix of the subsets that are not simplified.
COMPOSED = "_composed"
#: Suffix of the subsets made of integrals without trigonometric functions, not simplified.
WITHOUT_TRIG = "_without_trig"
#: What SymPy keeps of its competition score in the paper (table 1).
KEPT_IN_PAPER = {"lin_comb": 0.81, "subst_poly": 0.65, "subst_hard": 0.26}
#: What an arm changes, by the beginning of its name; the rest is a subset.
ARMS = {
    "base": "as shown, 10 s, SymPy 1.14",
    "composed": "without `simplify`",
    "version": "SymPy 1.13.3",
    "long": "30 s, of the problems without an answer in 10 s",
}
#: Of the base arm: problems whose answer is an integral left in whole or in part.
UNEVALUATED = "unevaluated answers count as solved"
#: Smaller limits of processor time. The limit ends a computation and changes nothing before, so
#: that the times of the base arm tell what a smaller limit gives.
LIMITS = (5, 2.5)

Rows = Mapping[str, Mapping[str, Any]]


def chosen_problems() -> dict[str, list[str]]:
    """By subset: a variation of each competition problem, the first with solved parents."""
    solved = {
        entry.id
        for partition in ("qualifier", "competition")
        for entry in bank.entries(partition)
        if entry.sympy_solves_in_10s
    }
    chosen = {}
    for subset in SUBSETS:
        first: dict[str, str] = {}
        for problem in load(f"bee/{subset}"):
            if all(parent.id in solved for parent in problem.parents):
                first.setdefault(str(problem.pair_parent), problem.id)
        chosen[subset] = list(first.values())
    return chosen


def write(out: Path) -> None:
    """The problems as they are shown, as they are composed, and their parents."""
    out.mkdir(parents=True, exist_ok=True)
    parents: set[str] = set()
    for subset, names in chosen_problems().items():
        for suffix in ("", COMPOSED):
            wanted = {name.replace(f"-{subset}-", f"-{subset}{suffix}-") for name in names}
            rows = [problem for problem in load(f"bee/{subset}{suffix}") if problem.id in wanted]
            write_problems(rows, out / f"{subset}{suffix}.jsonl")
            parents |= {parent.id for problem in rows for parent in problem.parents}
    for subset in SUBSETS:
        first: dict[str, Problem] = {}
        for problem in load(f"bee/{subset}{WITHOUT_TRIG}"):
            first.setdefault(str(problem.pair_parent), problem)
        write_problems(first.values(), out / f"{subset}{WITHOUT_TRIG}.jsonl")
    originals = [*load("bee/qualifier"), *load("bee/competition")]
    write_problems(
        [problem for problem in originals if problem.id in parents], out / "parents.jsonl"
    )


def retention() -> str:
    """What SymPy keeps of its score if no parent has trigonometric functions, as Markdown."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    entries = bank.entries("competition")
    solves = {entry.id for entry in entries if entry.sympy_solves_in_10s}
    lines = [
        "| subset | problems | originals solved | solved | keeps | in the paper |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for subset in SUBSETS:
        rows = of_subset(stored["arms"]["without_trig"], subset + WITHOUT_TRIG)
        pairs = [
            (float(problem.pair_parent in solves), float(solved(rows[problem.id])))
            for problem in load(f"bee/{subset}{WITHOUT_TRIG}")
            if problem.id in rows
        ]
        before, after = (sum(values) for values in zip(*pairs, strict=True))
        drawn = np.random.default_rng(0).integers(len(pairs), size=(10_000, len(pairs)))
        sums = np.array(pairs)[drawn].sum(axis=1)
        low, high = np.quantile(sums[:, 1] / sums[:, 0], (0.025, 0.975))
        lines.append(
            f"| {subset}{WITHOUT_TRIG} | {len(pairs)} | {before:.0f} | {after:.0f} "
            f"| {after / before:.2f} [{low:.2f}, {high:.2f}] | {KEPT_IN_PAPER[subset]} |"
        )
    return "\n".join(lines) + "\n"


def rows_of(run: Run) -> dict[str, dict[str, Any]]:
    """Status and seconds of each problem, by the name of its variation and subset."""
    seconds = {row["problem"]: row["latency"] for row in run.completions.rows()}
    outcomes = {}
    for row in run.verdicts(None).rows():
        problem = run.problems[row["problem"]]
        subset = problem.subset.removesuffix(COMPOSED)
        name = problem.id.replace(problem.subset, subset)
        outcomes[name] = {
            "subset": subset,
            "status": row["status"],
            "seconds": round(float(seconds[row["problem"]]), 2),
        }
    return outcomes


def record(file: Path, arms: Mapping[str, list[str]]) -> None:
    """Write the outcomes of runs, with what made them."""
    made: dict[str, Any] = {
        "package": metadata.version("calculus-harness"),
        "verdicts": sorted({str(Run(path).policy) for paths in arms.values() for path in paths}),
        "seed": 0,
        "date": datetime.now(UTC).date().isoformat(),
        "arms": {},
    }
    for arm, paths in arms.items():
        rows: dict[str, Any] = {}
        for path in paths:
            rows |= rows_of(Run(path))
        made["arms"][arm] = dict(sorted(rows.items()))
    file.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


def solved(row: Mapping[str, Any]) -> bool:
    """Whether an answer is correct."""
    return bool(row["status"] == Status.CORRECT)


def share(rows: Iterable[bool]) -> str:
    """A share in percent with its exact interval."""
    values = list(rows)
    low, high = clopper_pearson(sum(values), len(values))
    return f"{100 * sum(values) / len(values):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def difference(first: Rows, second: Rows) -> tuple[int, str]:
    """Of the problems of both arms: the number, and the difference of their shares in points."""
    common = sorted(first.keys() & second.keys())
    values = [float(solved(second[name])) - float(solved(first[name])) for name in common]
    low, high = mean_interval(values, range(len(values)))
    mean = sum(values) / len(values)
    return len(common), f"{100 * mean:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def tables() -> str:
    """The tables as Markdown."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    arms: dict[str, dict[str, dict[str, Any]]] = stored["arms"]
    lines = [
        f"Version {stored['package']}, verdicts {', '.join(stored['verdicts'])}, "
        f"seed {stored['seed']}, "
        f"{stored['date']}.",
        "",
        "| subset | arm | problems | solved | no answer | against the base, in points |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for subset in SUBSETS:
        base = of_subset(arms["base"], subset)
        if not of_subset(arms["composed"], subset):
            continue  # nothing to compare the base with
        for arm, what in ARMS.items():
            rows = of_subset(arms.get(arm, {}), subset)
            if rows:
                lines.append(line(subset, what, rows, None if arm == "base" else base))
        counted = {
            name: {
                **row,
                "status": "correct" if row["status"] == "not_closed_form" else row["status"],
            }
            for name, row in base.items()
        }
        lines.append(line(subset, UNEVALUATED, counted, base))
        lines += [
            line(subset, f"{limit} s, from the times in 10 s", within(base, limit), base)
            for limit in LIMITS
        ]
    lines += [
        "",
        "| `lin_comb` after `simplify` | problems | solved as shown | solved without `simplify` |",
        "| --- | ---: | ---: | ---: |",
    ]
    base, composed = (of_subset(arms[arm], "lin_comb") for arm in ("base", "composed"))
    for is_sum, what in ((True, "a sum"), (False, "one product or quotient")):
        names = [
            problem.id
            for problem in load("bee/lin_comb")
            if problem.id in base and shown_sum(problem) == is_sum
        ]
        shares = (share(solved(rows[name]) for name in names) for rows in (base, composed))
        lines.append(f"| {what} | {len(names)} | {' | '.join(shares)} |")
    lines += [
        "",
        "| `subst_poly`, the functions of the integrand | problems | solved as shown "
        "| solved without `simplify` |",
        "| --- | ---: | ---: | ---: |",
    ]
    base, composed = (of_subset(arms[arm], "subst_poly") for arm in ("base", "composed"))
    circular = {
        problem.id for problem in load("bee/subst_poly") if not has_no_trig(integrand_of(problem))
    }
    for with_circular, what in ((True, "a circular function or an inverse"), (False, "neither")):
        names = [name for name in base if (name in circular) == with_circular]
        shares = (share(solved(rows[name]) for name in names) for rows in (base, composed))
        lines.append(f"| {what} | {len(names)} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def within(rows: Rows, limit: float) -> dict[str, Mapping[str, Any]]:
    """What the rows would be with a smaller limit of processor time."""
    late = {"status": str(Status.NO_ANSWER)}
    return {name: row if row["seconds"] <= limit else {**row, **late} for name, row in rows.items()}


def integrand_of(problem: Problem) -> Expression:
    """The tree of the integrand that is shown."""
    integrand = problem.target_as(IntegrationTarget).integrand
    return read(integrand, symbols=[bank.VARIABLE])[0].expression


def shown_sum(problem: Problem) -> bool:
    """Whether the integrand that is shown is a sum."""
    return integrand_of(problem).function == "add"


def of_subset(rows: Rows, subset: str) -> dict[str, Mapping[str, Any]]:
    """The rows of a subset."""
    return {name: row for name, row in rows.items() if row["subset"] == subset}


def line(subset: str, what: str, rows: Rows, base: Rows | None) -> str:
    """A line of the table."""
    late = sum(row["status"] == "no_answer" for row in rows.values())
    cells = [subset, what, str(len(rows)), share(map(solved, rows.values()))]
    cells.append(f"{100 * late / len(rows):.1f}")
    if base is None:
        cells.append("")
    else:
        number, points = difference(base, rows)
        cells.append(points if number == len(rows) else f"{points} of {number}")
    return f"| {' | '.join(cells)} |"


def main(words: list[str]) -> None:
    """Run one of the three commands."""
    match words:
        case ["problems", out]:
            write(Path(out))
        case ["record", file, *given]:
            arms: dict[str, list[str]] = {}
            for word in given:
                arm, _, path = word.partition("=")
                arms.setdefault(arm, []).append(path)
            record(Path(file), arms)
        case ["print"]:
            print(tables(), retention(), sep="\n", end="")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
