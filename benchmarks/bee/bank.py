"""The bank: indefinite integrals in the style of integration bees, as data in ``bank.jsonl``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from benchmarks.problem import Problem
from benchmarks.registry import benchmark

SOURCE = "written for this project in the style of integration bees; docs/bee.md"
VARIABLE = "x"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the bank. ``integrand`` is as a paper prints it, ``normalised`` as `to_latex`."""

    id: str
    partition: str
    integrand: str
    normalised: str
    antiderivative: str
    tags: tuple[str, ...]
    sympy_solves_in_10s: bool | None = None
    source: str | None = None

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Entry:
        return cls(**{**row, "tags": tuple(row["tags"])})

    def problem(self) -> Problem:
        """The entry as a problem of its partition."""
        metadata: dict[str, Any] = {"tags": list(self.tags), "normalised": self.normalised}
        if self.sympy_solves_in_10s is not None:
            metadata["sympy_solves_in_10s"] = self.sympy_solves_in_10s
        if self.source is not None:
            metadata["source"] = self.source
        shown: dict[str, Any] = {"integrand": self.integrand, "variable": VARIABLE}
        return Problem(
            id=self.id,
            task="integration",
            benchmark="bee",
            subset=self.partition,
            inputs=shown,
            target={**shown, "antiderivative": self.antiderivative},
            metadata=metadata,
        )


@cache
def entries(partition: str | None = None) -> tuple[Entry, ...]:
    """The rows of one partition (``qualifier`` or ``competition``), or all, in the file's order."""
    if partition is not None:
        return tuple(entry for entry in entries() if entry.partition == partition)
    text = resources.files("benchmarks.bee").joinpath("bank.jsonl").read_text(encoding="utf-8")
    return tuple(Entry.from_dict(json.loads(line)) for line in text.splitlines() if line)


@benchmark("bee/qualifier", source=SOURCE, size=lambda: len(entries("qualifier")))
def qualifier(seed: int, index: int) -> Problem:
    """Integrals that a trained student solves in about two minutes."""
    return entries("qualifier")[index].problem()


@benchmark("bee/competition", source=SOURCE, size=lambda: len(entries("competition")))
def competition(seed: int, index: int) -> Problem:
    """Integrals that need an idea."""
    return entries("competition")[index].problem()
