"""Items, verdicts and tables of the benchmark of the verifier."""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SOURCES = ("verdicts", "antiderivatives", "responses", "special_integrals")
CASES = Path(__file__).resolve().parents[1] / "rewards" / "cases"


_PLAIN = {"id", "category", "integrand", "completion", "expected", "reason", "variable"}


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    kind: str
    integrand: str
    completion: str
    answer: str
    right: bool
    variable: str = "x"


def load(source: str) -> list[Item]:
    path = CASES / f"{source}.json"
    if not path.exists():
        print(f"(no {path.name})", file=sys.stderr)
        return []
    rows = json.loads(path.read_text())
    if source == "verdicts":
        return [
            Item(
                id=row["id"],
                kind=row["category"],
                integrand=row["integrand"],
                completion=row["completion"],
                answer=row["completion"],
                right=row["expected"] == "correct",
                variable=row.get("variable", "x"),
            )
            for row in rows
            # Those that more than one verdict would suit, or that need options, are for tests.
            if row["expected"] in ("correct", "incorrect", "not_closed_form")
            and row.keys() <= _PLAIN
            and isinstance(row["completion"], str)
        ]
    return [
        Item(
            id=row["id"],
            kind=row.get("kind", source),
            integrand=row["integrand"],
            completion=row.get("response") or rf"$\boxed{{{row['answer']}}}$",
            answer=row.get("answer", ""),
            right=row["label"] == "right",
            variable=row.get("variable", "x"),
        )
        for row in rows
    ]


def sample(items: list[Item], count: int | None) -> list[Item]:
    """Evenly spaced items, for a fair share of every part of a file."""
    if count is None or count >= len(items):
        return items
    return [items[i * len(items) // count] for i in range(count)]


class Judgement(NamedTuple):
    """A method's judgement on an item."""

    verdict: str
    proved: bool = False


@dataclass(slots=True)
class Result:
    """A method's judgement on each item, with the seconds of processor time."""

    name: str
    judgements: list[Judgement]
    seconds: list[float]


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def milliseconds(seconds: float) -> str:
    value = 1e3 * seconds
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for number, row in enumerate([header, *rows]):
        cells = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        print("| " + " | ".join(cells) + " |")
        if not number:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print()


def speed_row(result: Result) -> list[str]:
    seconds = result.seconds
    return [
        result.name,
        f"{len(seconds) / sum(seconds):,.0f}"
        if sum(seconds) < len(seconds)
        else f"{len(seconds) / sum(seconds):.2f}",
        milliseconds(statistics.median(seconds)),
        milliseconds(quantile(seconds, 0.99)),
        milliseconds(max(seconds)),
    ]


def by_kind(result: Result, items: Sequence[Item]) -> list[Result]:
    by_name: dict[str, Result] = {}
    for item, judgement, seconds in zip(items, result.judgements, result.seconds, strict=True):
        one_kind = by_name.setdefault(item.kind, Result(item.kind, [], []))
        one_kind.judgements.append(judgement)
        one_kind.seconds.append(seconds)
    return list(by_name.values())


def agreement_row(result: Result, items: Sequence[Item]) -> list[str]:
    counts = Counter(
        (item.right, judgement.verdict)
        for item, judgement in zip(items, result.judgements, strict=True)
    )
    cells = [(True, "accepted"), (True, "rejected"), (False, "rejected"), (False, "accepted")]
    undecided = len(items) - sum(counts[cell] for cell in cells)
    return [result.name, *(str(counts[cell]) for cell in cells), str(undecided)]


SPEED = ("one core", "verdicts/s", "p50 ms", "p99 ms", "max ms")
AGREEMENT = ("method", "right: accepted", "rejected", "wrong: rejected", "ACCEPTED", "undecided")
