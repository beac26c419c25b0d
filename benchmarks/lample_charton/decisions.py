"""The recorded decisions of generators with SymPy: the pair of each address."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from ..recorded_decisions import RecordedDecisions
from .generators import GeneratorSettings
from .pairs import IntegralPair

#: Method, settings, seed and index.
Address: TypeAlias = tuple[str, GeneratorSettings, int, int]
Decision: TypeAlias = tuple[Address, IntegralPair]


@cache
def decisions() -> RecordedDecisions[Decision]:
    """The decisions recorded on the machine; the package has the decisions of FWD with seed 0."""
    return RecordedDecisions(
        Path(__file__).with_name("decisions.jsonl"),
        "lample-charton-decisions.jsonl",
        key=itemgetter(0),
        from_row=_from_row,
        to_row=_to_row,
    )


def recorded_pair(address: Address) -> IntegralPair | None:
    """The pair recorded for an address."""
    return next((pair for _, pair in decisions().find(address)), None)


def shipped_count(method: str) -> int:
    """How many pairs of seed 0 the package has, counted from index 0 to the first gap."""
    shipped = decisions().shipped
    return next(i for i in count() if (method, GeneratorSettings(), 0, i) not in shipped)


def _from_row(row: dict[str, Any]) -> Decision:
    address = (row["method"], GeneratorSettings(**row["settings"]), row["seed"], row["index"])
    return address, IntegralPair.from_row(row["pair"])


def _to_row(decision: Decision) -> dict[str, Any]:
    """The row of a decision, with the settings other than the defaults."""
    (method, settings, seed, index), pair = decision
    defaults = asdict(GeneratorSettings())
    changed = {name: value for name, value in asdict(settings).items() if value != defaults[name]}
    return {
        "method": method,
        "seed": seed,
        "index": index,
        "settings": changed,
        "pair": pair.to_row(),
    }
