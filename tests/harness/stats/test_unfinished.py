"""Missing samples of a run widen the bounds: hard problems take longer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import summarise, sweep
from calculus_harness.harness.report.summary import remarks
from calculus_harness.harness.stats.tallies import group_samples
from calculus_harness.harness.store import counts


def right(messages: object, seed: int) -> str:
    return r"\boxed{x}"


def test_a_table_over_an_unfinished_run_shows_bounds(tmp_path: Path) -> None:
    run = sweep([right], ["drills"], limit=4, out=tmp_path / "run")
    finished = summarise(run)
    assert all(row.passes[0].low == row.passes[0].high for row in finished.rows)
    name = next(iter(run.problems))
    for file in (tmp_path / "run").rglob("*.jsonl"):
        lines = file.read_text().splitlines(keepends=True)
        remaining = [line for line in lines if json.loads(line).get("problem") != name]
        if len(remaining) < len(lines):
            file.write_text("".join(remaining))
    broad = summarise(tmp_path / "run")
    assert broad.missing == 1
    row = broad.rows[-1]
    assert (row.problems, row.planned) == (3, 4)
    assert (row.passes[0].low, row.passes[0].high) == (0.0, 0.25)
    assert any("missing ones not at all" in line for line in remarks(broad))


def test_verdicts_that_a_sweep_adds_meanwhile_are_left_for_the_next_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sweep([right], ["drills"], limit=4, out=tmp_path / "run")
    totals, name = counts.totals, next(iter(run.problems))
    readings = 0

    def growing(log: Any) -> Mapping[Any, Any]:
        """The first reading and the table lack a problem; later readings have the problem."""
        nonlocal readings
        readings += 1
        sums = totals(log)
        return sums if readings > 1 else {key: sums[key] for key in sums if key[1] != name}

    monkeypatch.setattr(counts, "totals", growing)
    assert [len(group.problems) for group in group_samples(run)][-1] == 3
