"""A bank of indefinite integrals in the style of integration bees, a file per partition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...rewards.reading.latex import read, to_latex
from ...rewards.records import convert
from ..payloads import IntegrationInputs, IntegrationTarget
from ..problem import Problem
from ..registry import benchmark

SOURCE = "written for this project in the style of integration bees; docs/bee.md"
VARIABLE = "x"


@dataclass(frozen=True, slots=True)
class BeeEntry:
    """A row of a data file; formulas are LaTeX."""

    id: str
    partition: str
    integrand: str
    antiderivative: str
    tags: tuple[str, ...]
    sympy_solves_in_10s: bool | None = None
    source: str | None = None

    @property
    def normalised(self) -> str:
        """The integrand as printed by `rewards.reading.latex.to_latex`."""
        return to_latex(read(self.integrand, symbols=[VARIABLE])[0].expression)

    def problem(self) -> Problem:
        """The entry as a problem of the entry's partition."""
        metadata: dict[str, Any] = {"tags": list(self.tags), "normalised": self.normalised}
        if self.sympy_solves_in_10s is not None:
            metadata["sympy_solves_in_10s"] = self.sympy_solves_in_10s
        if self.source is not None:
            metadata["source"] = self.source
        return Problem(
            id=self.id,
            task="integration",
            benchmark="bee",
            subset=self.partition,
            inputs=IntegrationInputs(self.integrand, VARIABLE),
            target=IntegrationTarget(self.integrand, VARIABLE, self.antiderivative),
            metadata=metadata,
        )


@cache
def entries(partition: str) -> tuple[BeeEntry, ...]:
    """The rows of a partition, in the file's order."""
    file = Path(__file__).with_name(f"{partition}.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(convert(json.loads(line), BeeEntry) for line in lines if line)


@cache
def problems(partition: str) -> tuple[Problem, ...]:
    """The partition's entries as problems."""
    return tuple(entry.problem() for entry in entries(partition))


@benchmark("bee/qualifier", source=SOURCE, size=lambda: len(entries("qualifier")))
def qualifier(seed: int, index: int) -> Problem:
    """Integrals that a trained student solves in about two minutes."""
    return problems("qualifier")[index]


@benchmark("bee/competition", source=SOURCE, size=lambda: len(entries("competition")))
def competition(seed: int, index: int) -> Problem:
    """Integrals that need an idea."""
    return problems("competition")[index]
