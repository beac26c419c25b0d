"""A bank of definite integrals: techniques from substitution to residues, with closed forms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from ..payloads import DefiniteInputs, DefiniteTarget
from ..problem import Problem
from ..registry import benchmark
from .integrals import ValuedIntegral, parse

SOURCE = "written for this project; docs/definite.md"


@dataclass(frozen=True)
class DefiniteEntry:
    """A row of the data file; formulas are LaTeX, the value may be ``diverges``."""

    id: str
    integral: str
    value: str
    technique: str
    difficulty: int

    @cached_property
    def parsed(self) -> ValuedIntegral:
        """The integral as trees."""
        return parse(self.integral, self.value)


@cache
def entries() -> tuple[DefiniteEntry, ...]:
    """The rows of the bank, in order."""
    text = Path(__file__).with_name("bank.jsonl").read_text(encoding="utf-8")
    return tuple(DefiniteEntry(**json.loads(line)) for line in text.splitlines())


@benchmark("definite/bank", source=SOURCE, size=lambda: len(entries()), task="definite_integral")
def bank(seed: int, index: int) -> Problem:
    """Definite integrals with closed forms, principal values, and divergent integrals."""
    entry = entries()[index]
    return Problem(
        id=entry.id,
        task="definite_integral",
        benchmark="definite",
        subset="bank",
        inputs=DefiniteInputs(entry.integral),
        target=DefiniteTarget(entry.integral, entry.value),
        metadata={"technique": entry.technique, "difficulty": entry.difficulty},
    )
