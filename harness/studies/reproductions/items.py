"""What the papers describe, item by item: what works here, what in part, and what is missing.

`items.toml` is the data. An item *works* if its machinery runs: a command of the catalogue or a
test shows it. Numbers that take weights, data or keys which are not here are items of their own.
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
        paper: its title.
        item: what it is.
        state: whether it works.
        evidence: the name of a reproduction, or a file of the repository.
        reason: why it does not work whole.

    """

    paper: str
    item: str
    state: State
    evidence: str
    reason: str = ""


@cache
def items() -> tuple[PaperItem, ...]:
    """All items, in the order of the file."""
    text = resources.files(__package__).joinpath("items.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["paper"]
    names = ("item", "state", "evidence", "reason")
    return tuple(
        convert({"paper": paper["title"], **dict(zip(names, row, strict=False))}, PaperItem)
        for paper in rows
        for row in paper["items"]
    )


def item_section() -> Section:
    """The table of the items."""
    counts = Counter(item.state for item in items())
    summary = ", ".join(f"{counts[state]} {state}" for state in STATES)
    return Section(
        "What works, item by item",
        ("paper", "item", "state", "shown by", "reason"),
        tuple((i.paper, i.item, i.state, f"`{i.evidence}`", i.reason) for i in items()),
        (f"Of {len(items())} items: {summary}.",),
        names=5,
    )
