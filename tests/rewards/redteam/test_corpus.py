"""The verifier against ``cases/redteam.json`` and ``cases/special_integrals.json``, row by row.

Rows with a wrong verdict of today's verifier are listed by id in ``cases/known_failures.json``. The
rows are expected to fail strictly: a mended verifier makes the test fail until the row leaves the
list. Rows under ``slow`` ran into the deadline; a faster machine may meet the deadline.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import verify_many

pytestmark = pytest.mark.slow

CASES = Path(__file__).parents[1] / "cases"
FAILURES: dict[str, list[str]] = json.loads((CASES / "known_failures.json").read_text("utf-8"))
#: Seconds for one row: a row that takes longer fails.
DEADLINE = {"redteam": 5.0, "special_integrals": 20.0}
Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    loaded: list[Row] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def parameters(name: str) -> list[Any]:
    def marks(id: str) -> list[pytest.MarkDecorator]:
        if id in FAILURES[name]:
            return [pytest.mark.xfail(reason="judged wrongly today", strict=True)]
        if id in FAILURES["slow"]:
            return [pytest.mark.xfail(reason="may take longer than the deadline", strict=False)]
        return []

    return [pytest.param(row, id=row["id"], marks=marks(row["id"])) for row in rows(name)]


def status(name: str, row: Row) -> str:
    options = row.get("options", {})
    text = row.get("completion") or row["answer"]
    verdict = verify_many([text], row["integrand"], deadline=DEADLINE[name], **options)[0]
    return verdict.status.value


@pytest.mark.parametrize("row", parameters("redteam"))
def test_class_of_wrong_verdicts(row: Row) -> None:
    got = status("redteam", row)
    if row["wanted"] == "correct":
        assert got == "correct", row["note"]
    else:
        assert got not in ("correct", "error", "timeout"), row["note"]


@pytest.mark.parametrize("row", parameters("special_integrals"))
def test_special_integral(row: Row) -> None:
    got = status("special_integrals", row)
    if row["label"] == "right":
        assert got == "correct"
    else:
        assert got not in ("correct", "error", "timeout")


@pytest.mark.parametrize("name", ["redteam", "special_integrals"])
def test_ids_are_unique_and_known_failures_exist(name: str) -> None:
    ids = Counter(row["id"] for row in rows(name))
    assert max(ids.values()) == 1
    assert len(FAILURES[name]) == len(set(FAILURES[name]))
    assert set(FAILURES[name]) <= ids.keys()
    assert not set(FAILURES[name]) & set(FAILURES["slow"])


def test_every_row_says_why() -> None:
    for row in rows("redteam"):
        assert row["wanted"] in ("correct", "not correct")
        assert len(row["note"]) > 20
    assert len(rows("redteam")) >= 200


def test_special_integrals_cover_their_families() -> None:
    right = Counter(row["kind"] for row in rows("special_integrals") if row["label"] == "right")
    assert sum(right.values()) >= 400
    assert len(right) >= 14
    assert min(right.values()) >= 5
