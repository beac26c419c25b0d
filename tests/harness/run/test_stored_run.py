"""A run of an earlier version opens, is extended by the same answers, and judged alike."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from calculus_harness.harness import Policy, Run, score, summarise, sweep

STORED = Path(__file__).parents[1] / "stored_run"


def test_a_stored_run_is_extended_and_judged_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(STORED / "run", tmp_path / "run")
    shutil.copy(STORED / "model.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    before = {row["key"]: row for row in Run("run").completions.rows()}
    assert summarise(Run("run")).missing == 0
    benchmarks = Run("run").manifest["identity"]["benchmarks"]
    for _ in range(2):  # the second call asks nothing
        run = sweep(["python/model.py:answer"], benchmarks, samples=3, limit=20, seed=5, out="run")
        rows = {row["key"]: row for row in run.completions.rows()}
        assert len(rows) == 60
        assert before.items() <= rows.items()
    score("run", policy=Policy(strict=True))
    expected = json.loads((STORED / "extended_verdicts.json").read_text(encoding="utf-8"))
    assert set(run.policies) <= expected.keys()
    for policy, verdicts in expected.items():
        judged = Run("run").verdicts(policy).rows()
        assert {row["key"]: [row["status"], row["answer"]] for row in judged} == verdicts
