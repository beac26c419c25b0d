"""Verdicts on the corpora, as the table of docs/verifier.md.

    python tests/perf/accuracy.py

For each corpus: right answers with the shares of accepted, proved and undecided answers, and wrong
answers with the shares of accepted, refuted (by a point or a jump) and undecided answers. Rows with
another status as the label ("no_answer", say) count as wrong answers.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from calculus_harness.rewards import Status, verify_many

CASES = Path(__file__).parents[1] / "rewards" / "cases"
#: File -> the fields with an answer and with its label, and the labels of right answers.
CORPORA = {
    "antiderivatives": ("answer", "label", "right"),
    "integral_table": ("answer", "label", "right"),
    "special_integrals": ("answer", "label", "right"),
    "responses": ("response", "label", "right"),
    "verdicts": ("completion", "expected", "correct"),
    "redteam": ("completion", "wanted", "correct"),
}
UNDECIDED = (Status.UNDECIDED, Status.TIMEOUT, Status.ERROR)


def judge(name: str) -> tuple[Counter[str], Counter[str]]:
    """Numbers of verdicts on right and on wrong answers."""
    text, label, right = CORPORA[name]
    rows: list[dict[str, Any]] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    rows = [row for row in rows if isinstance(row[text], str) and not _is_open(row[label], right)]
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row[label] != "problem_error":  # the integrand is refused
            groups.setdefault(json.dumps(row.get("options", {}), sort_keys=True), []).append(row)
    counts = Counter[str](), Counter[str]()
    for options, group in groups.items():
        verdicts = verify_many(
            [row[text] for row in group],
            [row["integrand"] for row in group],
            variable=[row.get("variable") for row in group],
            **json.loads(options),
        )
        for row, verdict in zip(group, verdicts, strict=True):
            count = counts[row[label] != right]
            count["rows"] += 1
            count["accepted"] += verdict.correct
            count["undecided"] += verdict.status in UNDECIDED
            count[verdict.evidence.proof] += 1
    return counts


def _is_open(labels: Any, right: str) -> bool:
    """Whether a row may be judged either way."""
    return isinstance(labels, list) and right in labels


def main() -> None:
    columns = "corpus right accepted proved undecided wrong accepted witness undecided"
    print("|", " | ".join(columns.split()), "|")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in CORPORA:
        right, wrong = judge(name)
        proved = f"{right['identity'] / max(1, right['accepted']):.1%}"
        cells = [right["rows"], right["accepted"], proved, right["undecided"]]
        cells += [wrong["rows"], wrong["accepted"], wrong["witness"], wrong["undecided"]]
        print(f"| `{name}.json` |", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
