"""A run stored by an earlier version opens, extends and is scored as before.

`run` holds two samples of each problem. `extended_verdicts.json` has, for each set of verdicts, the
status and answer of every completion after the earlier version had extended the run to three
samples and had scored the run with ``--strict``.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from calculus_harness import Policy, Run, score, sweep

FOLDER = Path(__file__).parent
EXPECTED = json.loads((FOLDER / "extended_verdicts.json").read_text(encoding="utf-8"))


def verdicts(run: Run, policy: str) -> dict[str, list[str | None]]:
    return {row["key"]: [row["status"], row["answer"]] for row in run.verdicts(policy).rows()}


def test_an_earlier_run_opens_extends_and_scores_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.py", "run"):
        copy = shutil.copytree if (FOLDER / name).is_dir() else shutil.copyfile
        copy(FOLDER / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    earlier = Run("run")
    assert len(earlier.problems) == 20
    stored = verdicts(earlier, "balls-2")
    assert len(stored) == 40
    assert stored.items() <= EXPECTED["balls-2"].items()

    run = sweep(
        models=["python/model.py:answer"],
        benchmarks=["drills", "bee/qualifier", "bee/lin_comb", "derivations/step2"],
        problems=list(earlier.problems.values()),  # a limit takes other perturbations now
        samples=3,
        limit=20,
        seed=5,
        out="run",
    )
    assert {row["key"] for row in run.completions.rows()} == set(EXPECTED["balls-2"])
    assert verdicts(run, run.policies[-1]) == EXPECTED["balls-2"]

    strict = score("run", policy=Policy(strict=True))
    assert verdicts(strict, strict.policies[-1]) == EXPECTED["balls-2-strict"]


def test_an_earlier_run_with_numbers_for_ids_opens(tmp_path: Path) -> None:
    """Earlier versions stored the ids of a user's whole problems as written in the file."""
    run = tmp_path / "run"
    shutil.copytree(FOLDER / "run", run)
    problems = run / "problems.jsonl"
    rows = [json.loads(line) for line in problems.read_text(encoding="utf-8").splitlines()]
    name = rows[0]["problem"]["id"]
    rows[0]["problem"].update(id=7, subset=2, pair_parent=12)
    problems.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    problem = Run(run).problems[f"drills/monomials/{name}"]
    assert (problem.id, problem.name, problem.pair_parent) == ("7", "drills/2", "12")
