"""The numbers that Meadows et al. 2023 published."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

from ....benchmarks import derivations

SOURCE = "Meadows et al. 2023"


@cache
def published() -> dict[tuple[str, str, str, str], str]:
    """The published numbers: by place (``table 1``), model, subset and measure; as printed."""
    file = resources.files(derivations) / "published.csv"
    return {
        (row["place"], row["model"], row["subset"], row["measure"]): row["value"]
        for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    }
