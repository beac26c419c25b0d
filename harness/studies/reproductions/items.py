"""The parts of the reproduced papers as a list of items, and which of these items work here.

The data are in `items.toml`. An item *works* if its code runs. A command of the catalogue or a test
is the evidence. If some numbers need weights, data or keys that are missing here, these numbers are
a separate item.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from ....rewards.records import convert
from ...report.sections import Section

State: TypeAlias = Literal["works", "partly", "missing"]
STATES: tuple[State, ...] = ("works", "partly", "missing")


@dataclass(frozen=True, slots=True)
class PaperItem:
    """A part of a paper.

    Attributes:
        paper: the title of the paper.
        item: a description of the part.
        state: whether the item works, works in part, or is missing.
        evidence: the evidence for the state: the name of a reproduction, or a file of the
            repository.
        reason: why the item does not work, or works in part only.

    """

    paper: str
    item: str
    state: State
    evidence: str
    reason: str = ""


@cache
def items() -> tuple[PaperItem, ...]:
    """Read all items, in the order of the file."""
    text = resources.files(__package__).joinpath("items.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["paper"]
    names = ("item", "state", "evidence", "reason")
    return tuple(
        convert({"paper": paper["title"], **dict(zip(names, row, strict=False))}, PaperItem)
        for paper in rows
        for row in paper["items"]
    )


def item_section() -> Section:
    """Make a table of the papers' parts, which says what works here."""
    counts = Counter(item.state for item in items())
    summary = ", ".join(f"{counts[state]} {state}" for state in STATES)
    return Section(
        "What works, item by item",
        ("paper", "item", "state", "shown by", "reason"),
        tuple((i.paper, i.item, i.state, f"`{i.evidence}`", i.reason) for i in items()),
        (f"Of {len(items())} items: {summary}.",),
        names=5,
    )
