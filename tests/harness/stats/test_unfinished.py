"""What is missing of a run widens its bounds: the hard problems are the ones that take long."""

from __future__ import annotations

import json
from pathlib import Path

from calculus_harness.harness import summarise, sweep
from calculus_harness.harness.report.summary import remarks


def right(messages: object, seed: int) -> str:
    return r"\boxed{x}"


def test_a_table_over_an_unfinished_run_shows_bounds(tmp_path: Path) -> None:
    run = sweep([right], ["drills"], limit=4, out=tmp_path / "run")
    whole = summarise(run)
    assert all(row.passes[0].low == row.passes[0].high for row in whole.rows)
    first = next(iter(run.problems))
    for file in (tmp_path / "run").rglob("*.jsonl"):
        lines = file.read_text().splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line).get("problem") != first]
        if len(kept) < len(lines):
            file.write_text("".join(kept))
    broad = summarise(tmp_path / "run")
    assert broad.missing == 1
    row = broad.rows[-1]
    assert (row.problems, row.planned) == (3, 4)
    assert (row.passes[0].low, row.passes[0].high) == (0.0, 0.25)
    assert any("missing ones not at all" in line for line in remarks(broad))
