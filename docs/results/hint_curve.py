"""Write the tables and the figure of docs/results/hint_curve.md from hint_curve.json beside it.

python docs/results/hint_curve.py record DEVICE OUT...  # the logs of `train hint`
python docs/results/hint_curve.py print
python docs/results/hint_curve.py draw
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
#: The steps of the first table.
SHOWN = (1_000, 2_000, 5_000, 10_000, 15_000, 20_000)


def record(device: str, folders: list[Path]) -> None:
    """Write the logs of trainings that share their settings, by model, with what made them."""
    settings, logs = [], {}
    for folder in folders:
        config = json.loads((folder / "config.json").read_bytes())
        (name,) = config.pop("models")
        settings.append(config)
        (log,) = folder.glob("*/log.jsonl")
        logs[name] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    if any(config != settings[0] for config in settings):
        raise SystemExit("the trainings have different settings")
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "device": device,
        "config": settings[0],
        "logs": {name: logs[name] for name in TABLE_3 if name in logs},
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def stored() -> dict[str, Any]:
    """The recorded logs."""
    result: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return result


def means(log: list[dict[str, Any]]) -> dict[int, float]:
    """By step, the mean validation accuracy of the five splits, from 0 to 1."""
    return {row["step"]: mean(row["validation"].values()) for row in log}


def published() -> dict[str, str]:
    """By model, the mean of the five splits in percent: medians of five runs (table 3)."""
    text = (resources.files(hint) / "published.csv").read_text(encoding="utf-8")
    rows = [row["all"] for row in csv.DictReader(text.splitlines()) if row["table"] == "3"]
    return dict(zip(TABLE_3, rows, strict=False))  # the rows of GPT-3 come last


def tables() -> str:
    """The mean accuracy over the steps, and the splits at the last step, as Markdown."""
    result, paper = stored(), published()
    over_steps, at_end = [], []
    for name, log in result["logs"].items():
        by_step = means(log)
        cells = (f"{100 * by_step[step]:.1f}" if step in by_step else "" for step in SHOWN)
        over_steps.append((name, *cells, paper[name]))
        last = log[-1]
        splits = (f"{100 * last['validation'][split]:.1f}" for split in SPLITS)
        at_end.append((name, f"{last['step']:,}", *splits, f"{last['step'] / last['seconds']:.0f}"))
    headings = ("steps of 128", *(f"{step:,}" for step in SHOWN), "100,000, published")
    end_headings = ("model", "last step", *SPLITS, "steps a second")
    return (
        f"{result['date']}, {result['device']}, seed {result['config']['seeds'][0]}.\n\n"
        + markdown_table(Section("Over the steps", headings, tuple(over_steps)))
        + "\n"
        + markdown_table(Section("At the last step", end_headings, tuple(at_end)))
    )


def draw() -> None:
    """Write the figure: the mean accuracy over the steps."""
    curves = {name: means(log) for name, log in stored()["logs"].items()}
    steps = sorted({step for curve in curves.values() for step in curve})
    series = {name: [curve.get(step) for step in steps] for name, curve in curves.items()}
    label = "Validation accuracy in percent over training steps"
    labels = [f"{step:,}" for step in steps]
    figure = category_chart("hint_curve", label, labels, series, ordered=True)
    write_svg([figure], RESULTS.parent)


def main(words: list[str]) -> None:
    """Run one of the three commands."""
    match words:
        case ["record", device, first, *others]:
            record(device, [Path(folder) for folder in (first, *others)])
        case ["print"]:
            print(tables(), end="")
        case ["draw"]:
            draw()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
