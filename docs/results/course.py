"""Print the tables of docs/results/course.md from course.json beside it.

python docs/results/course.py [print | REPORT COMPARISON]

With the files that `run.py report RUN --format json` and `run.py compare RUN --by perturbation
--json` write, the facts are taken from them first and written to course.json.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

FACTS = Path(__file__).with_suffix(".json")
#: The kinds of questions, by the name of their bank.
KINDS = ("derivatives", "differential_equations", "limits", "sums")
SYSTEMS = {"solver/sympy": "SymPy", "solver/maxima": "Maxima", "solver/fricas": "FriCAS"}
#: What became of answers; the remaining ones are correct.
FAILURES = (
    "incorrect",
    "undecided",
    "unparseable",
    "not_closed_form",
    "no_answer",
    "truncated",
    "failed",
)


def facts(report: dict[str, Any], comparison: dict[str, Any]) -> dict[str, Any]:
    """The counts by system and subset, and the differences by system and perturbation."""
    subsets = [
        {
            "system": _system(row["model"]),
            "subset": row["subset"].partition("/")[2],
            "problems": row["problems"],
            "correct": round(row["rates"]["correct"] * row["problems"]),
            "interval": row["passes"][0]["interval"],
            **{name: round(row["rates"][name] * row["problems"]) for name in FAILURES},
        }
        for row in report["rows"]
        if row["subset"] != "all"
    ]
    pairs = [
        {
            "system": _system(contrast["system"]),
            "perturbation": contrast["second"],
            "pairs": contrast["pairs"],
            **{
                name: contrast["differences"][0][name]
                for name in ("first", "second", "value", "interval", "adjusted")
            },
        }
        for contrast in comparison["contrasts"]
    ]
    return {"subsets": subsets, "pairs": pairs}


def _system(label: str) -> str:
    return SYSTEMS[label.partition(" ")[0]]


def main(arguments: list[str]) -> None:
    """Print the tables by kind, the failures, and the pairs."""
    if len(arguments) == 2:
        report, comparison = (
            json.loads(Path(name).read_text(encoding="utf-8")) for name in arguments
        )
        text = json.dumps(facts(report, comparison), indent=1)
        FACTS.write_text(f"{text}\n", encoding="utf-8")
    stored = json.loads(FACTS.read_text(encoding="utf-8"))
    cells = {(row["subset"], row["system"]): row for row in stored["subsets"]}
    subsets = list(dict.fromkeys(row["subset"] for row in stored["subsets"]))
    systems = [name for name in SYSTEMS.values() if any(key[1] == name for key in cells)]
    print(f"| subset | problems | {' | '.join(systems)} |")
    print("|---|---:|" + "---:|" * len(systems))
    for subset in subsets:
        rows = [cells.get((subset, system)) for system in systems]
        count = next(row["problems"] for row in rows if row)
        print(f"| {subset} | {count} | {' | '.join(map(_solved, rows))} |")
    _print_failures(stored["subsets"], systems)
    print("\n| system | perturbation | pairs | original | perturbed | difference | p (Holm) |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for pair in stored["pairs"]:
        if pair["value"]:
            low, high = (f"{100 * bound:+.1f}" for bound in pair["interval"])
            cells_of_pair = (
                pair["system"],
                pair["perturbation"],
                str(pair["pairs"]),
                f"{100 * pair['first']:.1f}",
                f"{100 * pair['second']:.1f}",
                f"{100 * pair['value']:+.1f} [{low}, {high}]",
                f"{pair['adjusted']:.4f}",
            )
            print(f"| {' | '.join(cells_of_pair)} |")
    same = sum(not pair["value"] for pair in stored["pairs"])
    print(f"\n{same} of {len(stored['pairs'])} pairs of subsets have no difference.")


def _print_failures(rows: list[dict[str, Any]], systems: list[str]) -> None:
    """The outcomes of all answers by kind and system."""
    titles = [name.replace("_", " ") for name in FAILURES]
    print(f"\n| kind | system | problems | correct | {' | '.join(titles)} |")
    print("|---|---|" + "---:|" * (len(titles) + 2))
    for kind in KINDS:
        for system in systems:
            chosen = [
                row
                for row in rows
                if row["system"] == system and re.fullmatch(rf"{kind}(_.*)?", row["subset"])
            ]
            sums = [sum(row[name] for row in chosen) for name in ("problems", "correct", *FAILURES)]
            print(f"| {kind.replace('_', ' ')} | {system} | {' | '.join(map(str, sums))} |")


def _solved(row: dict[str, Any] | None) -> str:
    """The share of correct answers in percent with its interval."""
    if row is None:
        return ""
    low, high = row["interval"]
    share = 100 * row["correct"] / row["problems"]
    return f"{share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


if __name__ == "__main__":
    main(sys.argv[1:])
