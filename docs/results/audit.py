"""Print the tables of docs/results/audit.md from the facts in audit.json.

python docs/results/audit.py
"""

from __future__ import annotations

import json
from pathlib import Path

FACTS = Path(__file__).with_suffix(".json")
STATUSES = ("proved", "agreed", "refuted", "suspect", "disputed", "undecided", "unread")


def main() -> None:
    """Print the counts by set, and every refuted row with its witness."""
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    print("| set | version, licence | rows |", " | ".join(STATUSES), "|")
    print("|---|---|" + "---:|" * (1 + len(STATUSES)))
    for name, entry in facts.items():
        counts = " | ".join(f"{entry['counts'][status]:,}" for status in STATUSES)
        print(
            f"| {name} | `{entry['version']}`, {entry['licence']} | {entry['rows']:,} | {counts} |"
        )
    print("\n| set | row | kind | point | expected | got |\n|---|---|---|---|---:|---:|")
    for name, entry in facts.items():
        for row in entry["refuted"]:
            kind = f"`{row['kind']}`" if "\\" in row["kind"] else row["kind"]
            values = f"{row['point']} | {row['expected']} | {row['got']}"
            print(f"| {name} | {row['id']} | {kind} | {values} |")


if __name__ == "__main__":
    main()
