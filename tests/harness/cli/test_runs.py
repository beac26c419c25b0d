"""Stored runs: listings, and removal of a model or a policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness import Policy, Run
from calculus_harness.harness.store.log import appending
from tests.harness.cli.test_main import refused
from tests.harness.conftest import Command

RIVAL = "def answer(messages, seed):\n    return r'\\boxed{(x-1)e^x}'\n"


@pytest.fixture
def rival(tmp_path: Path) -> str:
    """A second model with a constant answer."""
    (tmp_path / "other.py").write_text(RIVAL)
    return f"python/{tmp_path / 'other.py'}:answer"


@pytest.fixture
def run(model: str, rival: str, bench: str, tmp_path: Path) -> Run:
    return harness.sweep([model, rival], [bench], samples=2, out=tmp_path / "runs" / "one")


def rows_of(run: Run, model: str) -> list[dict[str, object]]:
    return [
        row for row in run.completions.rows() if run.models[str(row["model"])]["label"] == model
    ]


def test_runs_are_listed_with_what_is_stored(
    run: Run, model: str, rival: str, tmp_path: Path, cli: Command
) -> None:
    harness.sweep([model], ["drills"], limit=1, out=tmp_path / "runs" / "more" / "two")
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "manifest.json").write_text("{")
    listed = cli("runs")
    assert listed.returncode == 0
    assert "runs/more/two" in listed.stdout
    assert "warning: runs/broken/manifest.json is damaged" in listed.stderr
    entries = {entry["path"]: entry for entry in json.loads(cli("runs", "--json").stdout)}
    first, second = entries["runs/one"]["models"]
    assert (first["label"], second["label"]) == (model, rival)
    assert (second["planned"], second["answers"], second["judged"]) == (48, 48, 48)
    for entry, label in ((first, model), (second, rival)):
        keys = {row["key"] for row in rows_of(run, label)}
        verdicts = [row["status"] for row in run.verdicts().rows() if row["key"] in keys]
        assert entry["correct"] == verdicts.count("correct")
    assert first["correct"] > 0
    assert entries["runs/broken"]["error"]


def test_no_runs_and_no_folder(tmp_path: Path, cli: Command) -> None:
    refused(cli("runs"), "there is no folder runs")
    (tmp_path / "runs").mkdir()
    assert "there are no runs in runs" in cli("runs").stderr


@pytest.mark.parametrize("shard_bytes", [2_000, 1 << 20])  # sealed shards, or one that is not
def test_a_dropped_model_is_gone_and_can_be_asked_again(
    model: str,
    rival: str,
    bench: str,
    tmp_path: Path,
    cli: Command,
    monkeypatch: pytest.MonkeyPatch,
    shard_bytes: int,
) -> None:
    monkeypatch.setattr(appending, "SHARD_BYTES", shard_bytes)
    words = ["sweep", "--model", model, "--model", rival, "--benchmark", bench, "--limit", "6"]
    words += ["-n", "2", "--out", "run"]
    assert cli(*words).returncode == 0
    run_before = Run(tmp_path / "run")
    kept_rows = rows_of(run_before, model)
    score = harness.score(run_before.path, policy=Policy(strict=True))
    dropped = cli("drop", "run", "--model", rival, "--yes")
    assert dropped.returncode == 0, dropped.stderr
    assert f"removed {rival} with 12 answers" in dropped.stderr
    run_after = Run(run_before.path)
    assert [entry["label"] for entry in run_after.models.values()] == [model]
    assert list(run_after.completions.rows()) == kept_rows
    for policy in score.policies:
        verdicts = list(run_after.verdicts(policy).rows())
        assert {row["key"] for row in verdicts} == {row["key"] for row in kept_rows}
    assert rival not in cli("report", "run", "--format", "csv").stdout
    assert cli(*words).returncode == 0
    assert len(rows_of(Run(run_before.path), rival)) == 12


def test_failures_of_a_dropped_model_go_too(run: Run, model: str, rival: str, cli: Command) -> None:
    first, second = run.models
    failures = run.path / "failures.jsonl"
    rows = [
        {"at": "now", "model": name, "problem": "p", "detail": "down"} for name in (first, second)
    ]
    failures.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"at": "torn')
    assert cli("drop", run.path, "--model", second[:8], "--yes").returncode == 0
    assert failures.read_text() == json.dumps(rows[0]) + "\n" + '{"at": "torn'


def test_the_verdicts_of_a_policy_are_dropped(run: Run, cli: Command) -> None:
    strict = Policy(strict=True)
    harness.score(run.path, policy=strict)
    completions = list(run.completions.rows())
    assert cli("drop", run.path, "--policy", strict.name, "--yes").returncode == 0
    reopened = Run(run.path)
    assert reopened.policies == (Policy().name,)
    assert not (run.path / "verdicts" / strict.name).exists()
    assert list(reopened.completions.rows()) == completions


def test_what_cannot_be_dropped_is_refused(run: Run, model: str, rival: str, cli: Command) -> None:
    manifest = (run.path / "manifest.json").read_bytes()
    refused(cli("drop", run.path), "--model LABEL or --policy NAME")
    refused(cli("drop", run.path, "--model", "python/"), "means 2 models")
    refused(cli("drop", run.path, "--model", "pithon"), "no model 'pithon'")
    refused(cli("drop", run.path, "--policy", "balls-0"), "no verdicts 'balls-0'")
    refused(cli("drop", run.path, "--model", rival), "48 answers", "say --yes")
    assert (run.path / "manifest.json").read_bytes() == manifest
    assert cli("drop", run.path, "--model", rival, "--yes").returncode == 0
    refused(cli("drop", run.path, "--model", model, "--yes"), "the only model")


def test_models_of_one_label_are_told_apart(
    run: Run, model: str, rival: str, bench: str, tmp_path: Path, cli: Command
) -> None:
    (tmp_path / "other.py").write_text(RIVAL.replace("x-1", "x-2"))
    harness.sweep([rival], [bench], samples=2, out=run.path)
    _, hashed, _ = run.models
    refused(cli("drop", run.path, "--model", rival), f"{rival} #{hashed[:6]}")
    done = cli("drop", run.path, "--model", f"{rival} #{hashed[:6]}", "--yes")
    assert done.returncode == 0
    assert hashed not in Run(run.path).models
    assert len(Run(run.path).models) == 2
