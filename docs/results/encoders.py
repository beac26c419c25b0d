"""Print the tables of docs/results/encoders.md from encoders.json beside it.

python docs/results/encoders.py record GRID   # write the answers of a `train encoders` to the file
python docs/results/encoders.py print
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calculus_harness.harness.report.sections import markdown_table
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.studies.derivations.items import (
    ItemGroup,
    JudgedLabel,
    ModelItems,
    PerturbedItem,
)
from calculus_harness.harness.studies.derivations.over_seeds import seed_sections, trained_in

RESULTS = Path(__file__).with_suffix(".json")


def record(grid: Path) -> None:
    """Write the items of every subset once, and the labels that each encoder and seed gave."""
    runs = [Run(path) for path in sorted(grid.glob("evaluation-*"))]
    subsets: dict[str, Any] = {}
    for encoder, models in trained_in(runs).items():
        for model in models:
            for (benchmark, subset, perturbations), group in model.groups.items():
                stored = subsets.setdefault(
                    subset,
                    {
                        "benchmark": benchmark,
                        "perturbations": perturbations,
                        "items": [
                            [item.key, item.example, item.operator, *truths(item)]
                            for item in group.items
                        ],
                        "labels": {},
                    },
                )
                answers = "".join(map(labels, group.items))
                stored["labels"].setdefault(encoder, {})[model.label] = answers
    environment = runs[0].manifest["environments"][-1]
    packages = environment["environment"]["packages"]
    result = {
        "date": environment["since"][:10],
        "packages": {name: packages[name] for name in ("torch", "transformers")},
        "config": json.loads((grid / "config.json").read_bytes()),
        "subsets": subsets,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def truths(item: PerturbedItem) -> list[int]:
    """The true labels: unperturbed, then of each twin."""
    return [item.static.truth, *(twin.truth for twin in item.twins.values())]


def labels(item: PerturbedItem) -> str:
    """The answered labels in the order of `truths`, ``-`` without a label."""
    answers = (item.static.given, *(twin.given for twin in item.twins.values()))
    return "".join("-" if answer is None else str(answer) for answer in answers)


def restored(subsets: Mapping[str, Mapping[str, Any]]) -> dict[str, list[ModelItems]]:
    """The items of each encoder's seeds, as `trained_in` gives them for the runs."""
    by_encoder: dict[str, dict[str, dict[Any, ItemGroup]]] = {}
    for subset, stored in subsets.items():
        key = (stored["benchmark"], subset, tuple(stored["perturbations"]))
        for encoder, seeds in stored["labels"].items():
            for label, answers in seeds.items():
                items = _items(label, stored["items"], key[2], answers)
                groups = by_encoder.setdefault(encoder, {}).setdefault(label, {})
                groups[key] = ItemGroup(items, 0, {})
    return {
        encoder: [ModelItems(label, label, 1, groups) for label, groups in seeds.items()]
        for encoder, seeds in by_encoder.items()
    }


def _items(
    model: str, rows: Sequence[Sequence[Any]], perturbations: Sequence[str], answers: str
) -> tuple[PerturbedItem, ...]:
    width = 1 + len(perturbations)
    items = []
    for number, (key, example, operator, *truth) in enumerate(rows):
        text = answers[number * width : (number + 1) * width]
        judged = [
            JudgedLabel(label, None if answer == "-" else int(answer))
            for label, answer in zip(truth, text, strict=True)
        ]
        twins = dict(zip(perturbations, judged[1:], strict=True))
        items.append(PerturbedItem(key, example, operator, judged[0], twins, model))
    return tuple(items)


def tables() -> str:
    """The tables as Markdown, with what made them."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    versions = ", ".join(f"{name} {version}" for name, version in stored["packages"].items())
    made = f"{stored['date']}, {versions}."
    sections = seed_sections(restored(stored["subsets"]))
    return "\n\n".join([made, *map(markdown_table, sections)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"]:
        record(Path(sys.argv[2]))
    else:
        print(tables())
