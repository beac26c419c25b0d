"""Print the table of embeddings of docs/results/search.md from search.json beside it.

python docs/results/search.py record SEARCH ...  # write what the archives are to the file
python docs/results/search.py print

Searches of the same name are seeds of one experiment; differences are paired by seed. Searches of
other names have a table of what failed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import fmean
from typing import Any

from calculus_harness.harness.report.numbers import with_interval
from calculus_harness.harness.report.search.records import read_archive, read_record
from calculus_harness.harness.report.sections import Section, markdown_table
from calculus_harness.harness.stats.intervals import clopper_pearson, interval, t_interval
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.studies.search.clusters import FEATURES_BY_NAME
from calculus_harness.harness.studies.search.formulas import read

RESULTS = Path(__file__).with_suffix(".json")
#: The two embeddings, by the names of their searches.
FIRST, SECOND = "ngrams", "minilm"


def measured(folder: Path) -> dict[str, Any]:
    """The numbers of a search: of its generations, and of its archive."""
    stored = read_record(folder)
    if stored is None:
        raise SystemExit(f"{folder} has no search")
    rows = [problem.metadata for problem in read_archive(folder)]
    features = {
        tuple(name for name, test in FEATURES_BY_NAME.items() if test(read(row["formula"])))
        for row in rows
    }
    failed = sum(generation.failed for generation in stored.generations)
    asked = sum(generation.asked for generation in stored.generations)
    run = Run(folder)
    answers: dict[str, list[float]] = {}
    for row in run.verdicts(None).rows():
        answers.setdefault(row["problem"], []).append(row["status"] == "correct")
    passes = [fmean(right) for right in answers.values()]
    return {
        "name": stored.settings["name"],
        "model": [str(entry["label"]) for entry in run.models.values()],
        "asked": asked,
        "failed": failed,
        "answers": sum(map(len, answers.values())),
        "pass@1": [fmean(passes), *interval(passes, list(answers))],
        "seed": run.manifest["identity"]["seed"],
        "embedding": stored.embedding,
        "failures": len(rows),
        "measures": {
            "failed, % of asked": 100 * failed / asked,
            "characters": fmean(len(row["formula"]) for row in rows),
            "nodes": fmean(row["nodes"] for row in rows),
            "depth": fmean(row["depth"] for row in rows),
            "% of one term": 100 * fmean(row["terms"] == 1 for row in rows),
            "kinds of formulas": len(features),
        },
    }


def record(folders: Sequence[Path]) -> None:
    """Write the numbers of searches, with what made them."""
    result = {
        "package": metadata.version("calculus-harness"),
        "date": datetime.now(UTC).date().isoformat(),
        "searches": [measured(folder) for folder in folders],
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def mean(values: Sequence[float], sign: str = "") -> str:
    """The mean of the seeds with Student's interval."""
    shown = (fmean(values), *t_interval(values))
    middle, low, high = (f"{value:{sign}.1f}" for value in shown)
    return f"{middle} [{low}, {high}]"


def tables() -> str:
    """The table as Markdown."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    of = {name: {} for name in (FIRST, SECOND)}
    others = [search for search in stored["searches"] if search["name"] not in of]
    for search in stored["searches"]:
        if search not in others:
            of[search["name"]][search["seed"]] = search["measures"]
    seeds = sorted(of[FIRST].keys() & of[SECOND].keys())
    rows = []
    for measure in of[FIRST][seeds[0]]:
        first, second = ([of[name][seed][measure] for seed in seeds] for name in (FIRST, SECOND))
        change = [b - a for a, b in zip(first, second, strict=True)]
        rows.append((measure, mean(first), mean(second), mean(change, "+")))
    section = Section("", ("mean of the archive", FIRST, SECOND, "difference"), tuple(rows))
    made = f"Version {stored['package']}, {stored['date']}, seeds {', '.join(map(str, seeds))}."
    headings = ("search", "model", "seed", "problems asked", "failed, %", "answers", "pass@1, %")
    failures = Section("", headings, tuple(map(failed_row, others)))
    return "\n".join(
        [made, "", markdown_table(section), *([markdown_table(failures)] * bool(others))]
    )


def failed_row(search: Mapping[str, Any]) -> tuple[str, ...]:
    """A search's share of failures among its problems, and pass@1, with intervals."""
    asked, failed = search["asked"], search["failed"]
    value, low, high = search["pass@1"]
    return (
        search["name"],
        search["model"][0].removeprefix("transformers/"),
        str(search["seed"]),
        str(asked),
        with_interval(failed / asked, clopper_pearson(failed, asked)),
        str(search["answers"]),
        with_interval(value, (low, high)),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"]:
        record([Path(name) for name in sys.argv[2:]])
    else:
        print(tables(), end="")
