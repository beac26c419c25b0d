"""Attacks on verdicts of definite integrals, row by row (``cases/definite.json``).

``wanted`` is "correct", "not correct", or "not wrong" where an undecided verdict is no fault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import verify_definite_integral

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "cases" / "definite.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_class_of_wrong_verdicts(row: dict[str, Any]) -> None:
    verdict = verify_definite_integral(rf"So $\boxed{{{row['answer']}}}$.", row["integral"])
    assert verdict.status not in ("error", "timeout")
    if row["wanted"] == "not wrong":
        assert verdict.status != "incorrect", row["note"]
    else:
        assert verdict.correct == (row["wanted"] == "correct"), (row["note"], verdict)


def test_rows_have_names_and_reasons() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 60
    assert {row["wanted"] for row in ROWS} == {"correct", "not correct", "not wrong"}
    assert all(row["note"] for row in ROWS)
