"""Print the tables of docs/results/language_model.md from language_model.json beside it.

python docs/results/language_model.py [FEW_SHOT_RUN TRAINING]

With the run of the few-shot prompt and the directory of `train grpo`, the counts are taken from
them first and written to language_model.json.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from calculus_harness.harness.report.numbers import points, with_interval
from calculus_harness.harness.report.sections import Section, markdown_table
from calculus_harness.harness.stats.clusters import ParentIndex, clusters_of
from calculus_harness.harness.stats.intervals import Ratio, interval
from calculus_harness.harness.store.run import Run

COUNTS = Path(__file__).with_suffix(".json")
SYSTEMS = ("few-shot", "SFT", "GRPO")
HOME = ("drills/monomials", "composed/cosines", "composed/exponentials")
#: What an answer that was read may be judged as.
READ = frozenset({"correct", "incorrect", "undecided"})
#: The coefficient of a term and the denominator below it, as all three systems write fractions.
FRACTION = re.compile(r"\\frac\{(\d+)\D[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\{(\d+)\}")
#: Steps of GRPO that a line of the reward curve is the mean of.
STEPS = 5

#: Of one problem: subset, cluster, key of its original, and by system the answers, those that could
#: be read, and the correct ones.
Problem = dict[str, Any]


def counts(few_shot: Path, training: Path) -> dict[str, Any]:
    """The counts of all systems by problem, their verdicts and lengths, and the reward curve."""
    runs = [Run(few_shot), Run(training / "evaluation")]
    models = [(run, model) for run in runs for model in run.models]
    problems: dict[str, Problem] = {}
    verdicts = {system: Counter[str]() for system in SYSTEMS}
    fractions = {system: Counter[str]() for system in SYSTEMS}
    for system, (run, model) in zip(SYSTEMS, models, strict=True):
        clusters, parents = clusters_of(run.problems), ParentIndex(run.problems)
        for row in run.verdicts().rows():
            if row["model"] != model:
                continue
            key, problem = row["problem"], run.problem(row["problem"])
            parent = problem.pair_parent and parents.find(problem, problem.pair_parent)
            entry = problems.setdefault(
                key, {"subset": problem.name, "cluster": clusters[key], "parent": parent}
            )
            asked, read, correct = entry.get(system, (0, 0, 0))
            status = row["status"]
            entry[system] = asked + 1, read + (status in READ), correct + (status == "correct")
            verdicts[system][status] += 1
        correct = {row["key"] for row in run.verdicts().rows() if row["status"] == "correct"}
        for row in run.completions.rows():
            if row["model"] == model and run.problem(row["problem"]).name in HOME:
                fractions[system][form(row["text"])] += 1
                if row["key"] in correct:
                    fractions[system][f"{form(row['text'])}: correct"] += 1
    log = (training / "grpo/log.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [row for row in map(json.loads, log) if "reward" in row]
    curve = [
        [row["step"], row["reward"], row["completions/mean_length"], row["step_time"]]
        for row in steps
    ]
    totals = {"verdicts": verdicts, "fractions": fractions, "curve": curve}
    return {"problems": problems} | totals


def form(text: str) -> str:
    """How an answer to a home problem writes its quotient."""
    shown = FRACTION.search(text)
    if shown is None:
        return "no fraction"
    return "reduced" if math.gcd(int(shown[1]), int(shown[2])) == 1 else "not reduced"


def groups(problems: dict[str, Problem]) -> dict[str, list[Problem]]:
    """Home, the perturbed subsets of both benchmarks together, and the bee's problems."""
    by_group: dict[str, list[Problem]] = {"home": []}
    for entry in problems.values():
        subset = entry["subset"]
        name = subset.partition("/")[2].replace("_", " ")
        if subset in HOME:
            by_group["home"].append(entry)
        group = subset if subset in HOME or subset.startswith("bee") else name
        by_group.setdefault(group, []).append(entry)
    return by_group


def passes(chosen: Sequence[Problem], system: str) -> str:
    """pass@1 of a system with its interval."""
    values = [entry[system][2] / entry[system][0] for entry in chosen]
    bounds = interval(values, [entry["cluster"] for entry in chosen])
    return with_interval(sum(values) / len(values), bounds)


def difference(chosen: Sequence[Problem], first: str, second: str, of: int) -> str:
    """The paired difference of two systems; ``of`` is 0 for all answers, 1 for readable ones."""
    both = [entry for entry in chosen if entry[first][of] and entry[second][of]]
    if len({entry["cluster"] for entry in both}) < 2:
        return ""
    change = [
        entry[second][2] / entry[second][of] - entry[first][2] / entry[first][of] for entry in both
    ]
    ratio = Ratio.of(change, [1.0] * len(both), [entry["cluster"] for entry in both])
    left = f" ({len(both)})" if len(both) < len(chosen) else ""
    return points(ratio.value, ratio.interval()) + left


def drop(chosen: Sequence[Problem], problems: dict[str, Problem], system: str) -> str:
    """A perturbed subset's pass@1 minus that of the originals, paired."""
    pairs = [(entry, problems[entry["parent"]]) for entry in chosen if entry["parent"] in problems]
    if not pairs:
        return ""
    change = [
        changed[system][2] / changed[system][0] - original[system][2] / original[system][0]
        for changed, original in pairs
    ]
    ratio = Ratio.of(change, [1.0] * len(pairs), [changed["cluster"] for changed, _ in pairs])
    return f"{points(ratio.value, ratio.interval())} ({len(pairs)})"


def tables(data: dict[str, Any]) -> Iterator[Section]:
    """All tables of the page."""
    problems = data["problems"]
    by_group = groups(problems)

    def table(headings: Sequence[str], cells: Callable[[list[Problem]], list[str]]) -> Section:
        rows = ((name, str(len(of)), *cells(of)) for name, of in by_group.items())
        return Section("", ("", "problems", *headings), tuple(rows))

    yield table(SYSTEMS, lambda of: [passes(of, system) for system in SYSTEMS])
    arms = (("few-shot", "SFT"), ("SFT", "GRPO"))
    yield table(
        [f"{first} to {second}{what}" for first, second in arms for what in ("", ", readable")],
        lambda of: [difference(of, *arm, readable) for arm in arms for readable in (0, 1)],
    )
    perturbed = {name: of for name, of in by_group.items() if any(entry["parent"] for entry in of)}
    yield Section(
        "",
        ("", *SYSTEMS),
        tuple(
            (name, *(drop(of, problems, system) for system in SYSTEMS))
            for name, of in perturbed.items()
        ),
    )
    for kind in ("verdicts", "fractions"):
        names = sorted({name for counted in data[kind].values() for name in counted})
        numbers = {
            name: [str(data[kind][system].get(name, 0)) for system in SYSTEMS] for name in names
        }
        yield Section("", ("", *SYSTEMS), tuple((name, *row) for name, row in numbers.items()))
    curve = data["curve"]
    yield Section(
        "",
        ("steps", "mean reward", "mean tokens"),
        tuple(
            (
                f"{block[0][0]} to {block[-1][0]}",
                *(f"{sum(row[at] for row in block) / len(block):.2f}" for at in (1, 2)),
            )
            for block in (curve[at : at + STEPS] for at in range(0, len(curve), STEPS))
        ),
    )


def markdown() -> str:
    """The tables as the page has them."""
    data = json.loads(COUNTS.read_text(encoding="utf-8"))
    return "\n".join(map(markdown_table, tables(data)))


if __name__ == "__main__":
    if sys.argv[1:]:
        made = counts(*map(Path, sys.argv[1:]))
        COUNTS.write_text(json.dumps(made, indent=None, sort_keys=True) + "\n", encoding="utf-8")
    print(markdown())
