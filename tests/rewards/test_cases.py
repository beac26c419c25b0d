"""The verifier against the examiner's corpora in ``cases/``: verdicts, responses, antiderivatives.

``verdicts.json`` is walked row by row. The two large corpora are judged as a whole, by the
rates that the verifier promises; a failure lists the rows that broke the promise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import ProblemError, Status, Verdict, verify_antiderivative

CASES = Path(__file__).parent / "cases"
Row = dict[str, Any]


def load(name: str) -> list[Row]:
    rows: list[Row] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return rows


def text_of(completion: str | list[Any]) -> str:
    """The completion; a giant text is a list of parts, some ``{"repeat", "times"}``."""
    if isinstance(completion, str):
        return completion
    return "".join(p if isinstance(p, str) else p["repeat"] * p["times"] for p in completion)


def options_of(row: Row) -> dict[str, Any]:
    options = dict(row.get("options", {}))
    if "variable" in row:
        options["variable"] = row["variable"]
    return options


def judged(row: Row) -> str:
    try:
        verdict = verify_antiderivative(
            text_of(row["completion"]), row["integrand"], **options_of(row)
        )
    except ProblemError:
        return "problem_error"
    assert verdict.correct == (verdict.status is Status.CORRECT)
    return verdict.status.value


def listed(failures: Iterable[tuple[Row, Verdict]]) -> Iterator[str]:
    for row, verdict in failures:
        answer = row.get("answer") or row.get("response")
        yield (
            f"{row['id']}: {row['label']}, got {verdict.status} {verdict.evidence.detail!r}\n"
            f"    f = {row['integrand']}\n    F = {answer!r}\n    read: {verdict.answer!r}"
        )


@pytest.mark.parametrize("row", load("verdicts.json"), ids=lambda row: row["id"])
def test_verdict(row: Row) -> None:
    expected = row["expected"] if isinstance(row["expected"], list) else [row["expected"]]
    assert judged(row) in expected, row["reason"]


def test_verdict_ids_are_unique_and_statuses_known() -> None:
    rows = load("verdicts.json")
    assert len({row["id"] for row in rows}) == len(rows)
    statuses = {status.value for status in Status} | {"problem_error"}
    for row in rows:
        expected = row["expected"]
        assert set(expected if isinstance(expected, list) else [expected]) <= statuses, row["id"]
        assert row["reason"], row["id"]


def test_responses() -> None:
    """Agreement of 99.5 % or better on realistic responses, and no false accept."""
    rows = load("responses.json")
    judgements = [(r, verify_antiderivative(r["response"], r["integrand"])) for r in rows]
    disagree = [(r, v) for r, v in judgements if v.correct != (r["label"] == "right")]
    false_accepts = [(r, v) for r, v in disagree if v.correct]
    assert not false_accepts, "\n".join(listed(false_accepts))
    agreement = 1 - len(disagree) / len(rows)
    assert agreement >= 0.995, "\n".join([f"agreement {agreement:.4f}", *listed(disagree)])


def test_antiderivatives() -> None:
    """99.9 % of the right answers accepted, no mutant accepted, under 0.1 % undecided."""
    rows = load("antiderivatives.json")
    judgements = [(r, verify_antiderivative(r["answer"], r["integrand"])) for r in rows]
    false_accepts = [(r, v) for r, v in judgements if r["label"] == "wrong" and v.correct]
    assert not false_accepts, "\n".join(listed(false_accepts))
    right = [(r, v) for r, v in judgements if r["label"] == "right"]
    rejected = [(r, v) for r, v in right if not v.correct]
    assert len(rejected) <= 0.001 * len(right), "\n".join(listed(rejected))
    open_ = [(r, v) for r, v in judgements if v.status in (Status.UNDECIDED, Status.TIMEOUT)]
    assert len(open_) < 0.001 * len(rows), "\n".join(listed(open_))
