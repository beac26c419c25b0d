"""Write the tables and the figures of docs/results/hint_curve.md from hint_curve.json beside it.

python docs/results/hint_curve.py record RUN DEVICE OUT...  # the logs of `train hint`
python docs/results/hint_curve.py print RUN
python docs/results/hint_curve.py draw

RUN is `published` (the published sizes) or `four_operators` (a smaller task and smaller models).
"""

from __future__ import annotations

import csv
import json
import sys
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from statistics import mean
from typing import Any

from calculus_harness.benchmarks import hint
from calculus_harness.benchmarks.hint.splits import SPLITS
from calculus_harness.harness.models.seq2seq.sizes import TABLE_3
from calculus_harness.harness.report.figures.curves import category_chart
from calculus_harness.harness.report.figures.files import write_svg
from calculus_harness.harness.report.sections import Section, markdown_table

RESULTS = Path(__file__).with_suffix(".json")
#: By run, the steps of the first table.
SHOWN = {
    "published": (1_000, 2_000, 5_000, 10_000, 15_000),
    "four_operators": (1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000),
}


def record(run: str, device: str, folders: list[Path]) -> None:
    """Write the logs of trainings of one model each, with what made them."""
    configs, logs = {}, {}
    for folder in folders:
        config = json.loads((folder / "config.json").read_bytes())
        (name,) = config["models"]
        configs[name] = config
        (log,) = folder.glob("*/log.jsonl")
        logs[name] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    names = [name for name in TABLE_3 if name in logs]
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "device": device,
        "configs": {name: configs[name] for name in names},
        "logs": {name: logs[name] for name in names},
    }
    results = {**stored(), run: result}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def stored() -> dict[str, Any]:
    """By run, the recorded logs."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def means(log: list[dict[str, Any]]) -> dict[int, float]:
    """By step, the mean validation accuracy of the five splits, from 0 to 1."""
    return {row["step"]: mean(row["validation"].values()) for row in log}


def published() -> dict[str, str]:
    """By model, the mean of the five splits in percent: medians of five runs (table 3)."""
    text = (resources.files(hint) / "published.csv").read_text(encoding="utf-8")
    rows = [row["all"] for row in csv.DictReader(text.splitlines()) if row["table"] == "3"]
    return dict(zip(TABLE_3, rows, strict=False))  # the rows of GPT-3 come last


def tables(run: str) -> str:
    """The mean accuracy over the steps, and the splits at the last step, as Markdown."""
    result, paper, shown = stored()[run], published(), SHOWN[run]
    over_steps, at_end = [], []
    for name, log in result["logs"].items():
        by_step = means(log)
        cells = (f"{100 * by_step[step]:.1f}" if step in by_step else "" for step in shown)
        over_steps.append((name, *cells, paper[name]))
        last = log[-1]
        splits = (f"{100 * last['validation'][split]:.1f}" for split in SPLITS)
        at_end.append((name, f"{last['step']:,}", *splits, f"{last['step'] / last['seconds']:.0f}"))
    config = next(iter(result["configs"].values()))
    steps = f"steps of {config['training']['batch_size']}"
    headings = (steps, *(f"{step:,}" for step in shown), "Table 3, 100,000")
    end_headings = ("model", "last step", *SPLITS, "steps a second")
    return (
        f"{result['date']}, {result['device']}, seed {config['seeds'][0]}.\n\n"
        + markdown_table(Section("Over the steps", headings, tuple(over_steps)))
        + "\n"
        + markdown_table(Section("At the last step", end_headings, tuple(at_end)))
    )


def draw() -> None:
    """Write a figure of each run: the mean accuracy over the steps."""
    for run, result in stored().items():
        curves = {name: means(log) for name, log in result["logs"].items()}
        steps = sorted({step for curve in curves.values() for step in curve})
        series = {name: [curve.get(step) for step in steps] for name, curve in curves.items()}
        label = "Validation accuracy in percent over training steps"
        labels = [f"{step:,}" for step in steps]
        figure = category_chart(f"hint_curve_{run}", label, labels, series, ordered=True)
        write_svg([figure], RESULTS.parent)


def main(words: list[str]) -> None:
    """Run one of the three commands."""
    match words:
        case ["record", run, device, first, *others]:
            record(run, device, [Path(folder) for folder in (first, *others)])
        case ["print", run]:
            print(tables(run), end="")
        case ["draw"]:
            draw()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
