"""A sweep: the stored files, resuming, extending, and kills at random moments."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness import Policy, Run, Sampling, UserError
from calculus_harness.harness.report import write_page
from calculus_harness.harness.run.phases import Phase, PhaseResults
from calculus_harness.harness.run.runner import run_job
from calculus_harness.harness.stats.summary import Row
from calculus_harness.rewards.workers.errors import PoolError
from tests.harness.jobs import job_of

ROOT = Path(__file__).parents[3]


def completions(path: Path) -> dict[str, dict[str, Any]]:
    """Completions by key, without the timing; every key must occur once."""
    rows = list(Run(path).completions.rows())
    assert len({row["key"] for row in rows}) == len(rows)
    return {row["key"]: {k: v for k, v in row.items() if k != "latency"} for row in rows}


def verdicts(path: Path) -> dict[str, dict[str, Any]]:
    """Verdicts by key, without the timing; every key must occur once."""
    rows = list(Run(path).verdicts().rows())
    assert len({row["key"] for row in rows}) == len(rows)
    for row in rows:
        row["evidence"].pop("seconds")
    return {row["key"]: row for row in rows}


def test_every_sample_is_stored_and_judged_once(tmp_path: Path, model: str, bench: str) -> None:
    run = harness.sweep([model], [bench], samples=3, limit=4, out=tmp_path / "run")
    stored = completions(run.path)
    assert len(stored) == 12
    assert verdicts(run.path).keys() == stored.keys()
    counts = Counter((row["problem"], row["sample"]) for row in stored.values())
    assert set(counts.values()) == {1}
    assert {key.split("/")[1] for key in run.problems} == {"easy", "hard"}
    summary = harness.summarise(run)
    assert summary.missing == summary.unscored == 0
    assert [row.subset for row in summary.rows] == ["bench/easy", "bench/hard", "all"]
    assert [estimate.k for estimate in summary.rows[-1].passes] == [1, 3]


def test_what_the_verifier_cannot_keep_up_with_is_judged_at_the_end(
    tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calculus_harness.harness.run.runner.WAITING", 1)
    run = harness.sweep([model], [bench], samples=20, out=tmp_path / "run")
    keys = [row["key"] for row in run.completions.rows()]
    assert sorted(row["key"] for row in run.verdicts().rows()) == sorted(keys)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_verifier_that_fails_ends_the_sweep_and_loses_nothing(
    tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    async def fail(*_: object) -> None:
        if not at_once:  # when all was asked, and more waits than there is room for
            await asyncio.sleep(0.5)
        raise PoolError("workers do not start")

    with monkeypatch.context() as broken:
        broken.setattr("calculus_harness.harness.run.runner.WAITING", 2)
        broken.setattr("calculus_harness.harness.run.scoring.stored.grade", fail)
        with pytest.raises(PoolError, match="do not start"):
            harness.sweep([model], [bench], samples=20, out=tmp_path / "run")
    stored = completions(tmp_path / "run")
    run = harness.sweep([model], [bench], samples=20, out=tmp_path / "run")
    everything = completions(run.path)
    assert stored
    assert stored.items() <= everything.items()
    if at_once:
        assert len(stored) < len(everything)
    assert harness.summarise(run).unscored == harness.summarise(run).missing == 0


def test_the_manifest_says_what_the_run_is(tmp_path: Path, model: str, bench: str) -> None:
    run = harness.sweep([model], [bench], limit=2, seed=5, out=tmp_path / "run")
    manifest = run.manifest
    assert manifest["identity"]["seed"] == 5
    assert manifest["identity"]["prompts"]["integration"]["name"] == "antiderivbench"
    assert manifest["environments"][0]["environment"]["packages"]["sympy"]
    assert set(manifest["problem_sets"]) == {"bench/easy", "bench/hard"}
    (entry,) = manifest["models"].values()
    assert (entry["label"], entry["samples"], entry["problems"]) == (model, 1, 2)


def test_the_same_call_again_asks_nothing(
    tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(log))
    for _ in range(2):
        harness.sweep([model], [bench], limit=4, samples=2, out=tmp_path / "run")
    assert len(log.read_text().split()) == 8


def test_a_run_is_extended_by_samples_problems_and_models(
    tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(log))
    out = tmp_path / "run"
    harness.sweep([model], [bench], limit=2, samples=1, out=out)
    stored = completions(out)
    harness.sweep([model], [bench], limit=2, samples=3, out=out)
    harness.sweep([model], [bench], limit=4, samples=3, out=out)
    assert len(log.read_text().split()) == 12
    second = tmp_path / "other.py"
    second.write_text("def answer(messages, seed): return 'x'\n")
    run = harness.sweep([f"python/{second}:answer"], [bench], limit=4, samples=3, out=out)
    extended = completions(out)
    assert len(extended) == 24
    assert stored.items() <= extended.items()
    assert len(run.models) == 2
    assert harness.summarise(run).missing == 0
    direct = harness.sweep([model], [bench], limit=4, samples=3, out=tmp_path / "direct")
    assert completions(direct.path).items() <= extended.items()


def test_more_problems_are_added_in_every_subset(tmp_path: Path, model: str, bench: str) -> None:
    small = job_of([model], [bench], limit=6).problems
    large = job_of([model], [bench], limit=11).problems
    assert {problem.id for problem in small} < {problem.id for problem in large}
    assert Counter(problem.subset for problem in small) == {"easy": 3, "hard": 3}
    assert Counter(problem.subset for problem in large) == {"easy": 6, "hard": 5}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"benchmarks": ["bee"]}, "benchmarks is"),
        ({"sampling": Sampling(temperature=0.5)}, "sampling temperature is 1.0 there and 0.5 here"),
        ({"prompt": "own"}, "prompts integration name is"),
    ],
)
def test_another_configuration_is_refused(
    tmp_path: Path, model: str, bench: str, change: dict[str, Any], named: str
) -> None:
    out = tmp_path / "run"
    arguments: dict[str, Any] = {"benchmarks": [bench], "limit": 2, "out": out}
    harness.sweep([model], **arguments)
    if change.get("prompt") == "own":
        own = tmp_path / "own.jinja"
        own.write_text('+++\ntask = "integration"\n+++\nIntegrate {{ integrand }}\n')
        change = {"prompt": str(own)}
    files = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match=named):
        harness.sweep([model], **(arguments | change))
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == files


def test_a_changed_problem_is_refused(tmp_path: Path, model: str, bench: str) -> None:
    out = tmp_path / "run"
    harness.sweep([model], [bench], limit=2, out=out)
    path = out / "problems.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["problem"]["target"]["integrand"] += "+1"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UserError, match="has changed since"):
        harness.sweep([model], [bench], limit=2, out=out)


def test_a_problem_that_was_lost_is_named(tmp_path: Path, model: str, bench: str) -> None:
    run = harness.sweep([model], [bench], limit=2, out=tmp_path / "run")
    path = run.path / "problems.jsonl"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    with pytest.raises(UserError, match=r"problems\.jsonl lacks bench/hard"):
        write_page(Run(run.path))


def test_an_edited_model_is_another_model(tmp_path: Path, model: str, bench: str) -> None:
    out = tmp_path / "run"
    harness.sweep([model], [bench], limit=2, out=out)
    with (tmp_path / "model.py").open("a") as file:
        file.write("# a change\n")
    run = harness.sweep([model], [bench], limit=2, out=out)
    assert len(run.models) == 2
    assert len(completions(out)) == 4


def test_one_writer_at_a_time(tmp_path: Path, model: str, bench: str) -> None:
    from calculus_harness.harness.store.writer import writing

    job = job_of([model], [bench], limit=2, out=tmp_path / "run")
    with writing(job.out, job.identity), pytest.raises(UserError, match="another process"):
        run_job(job)
    run_job(job)


def test_failures_of_a_model_are_recorded_not_raised(tmp_path: Path, bench: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text("def answer(messages, seed):\n    return 1 / 0 if seed % 2 else None\n")
    run = harness.sweep([f"python/{path}:answer"], [bench], limit=4, out=tmp_path / "run")
    rows = completions(run.path).values()
    assert {row["finish_reason"] for row in rows} == {"error"}
    assert {row["detail"].partition(":")[0] for row in rows} <= {"ZeroDivisionError", "TypeError"}
    assert {row["status"] for row in verdicts(run.path).values()} == {"no_answer"}
    assert harness.summarise(run).rows[-1].rates["failed"] == 1


def test_scoring_again_asks_nothing_and_keeps_both(
    tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    run = harness.sweep([model], [bench], limit=4, samples=4, out=out)
    stored = verdicts(out)
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    scored = harness.score(out, policy=Policy(strict=True))
    assert len(scored.policies) == 2
    assert scored.policies[0] == run.policies[0] == Policy().name
    assert len(verdicts(out)) == 16
    assert not (tmp_path / "asked").exists()
    again = harness.score(out)
    assert again.policies[-1] == Policy().name
    assert verdicts(out) == stored


def test_verdicts_that_were_lost_are_made_again(tmp_path: Path, model: str, bench: str) -> None:
    out = tmp_path / "run"
    harness.sweep([model], [bench], limit=4, samples=4, out=out)
    stored = verdicts(out)
    shutil.rmtree(out / "verdicts")
    harness.sweep([model], [bench], limit=4, samples=4, out=out)
    assert verdicts(out) == stored


def test_it_works_inside_a_running_loop(tmp_path: Path, model: str, bench: str) -> None:
    async def notebook() -> Run:
        return harness.sweep([model], [bench], limit=2, out=tmp_path / "run")

    assert len(completions(asyncio.run(notebook()).path)) == 2


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path, model: str, bench: str) -> None:
    out = tmp_path / "run"
    command = [
        sys.executable,
        str(ROOT / "run.py"),
        *f"sweep --model {model} --limit 2 --benchmark {bench} -n 100 --out {out}".split(),
    ]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"SLOW": "0.5"},
        # Where the tests run in a shell's background, children would ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    shard = out / "completions" / "00000.jsonl"
    deadline = time.monotonic() + 60
    while not (shard.exists() and shard.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in messages
    assert "sweep --model" in messages
    stored = completions(out)
    assert 0 < len(stored) < 200
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert stored.items() <= completions(out).items()
    assert len(completions(out)) == len(verdicts(out)) == 200


@pytest.mark.parametrize("function", ["cli.main", "run.plan", "the lock"])
def test_ctrl_c_before_anything_is_asked_is_one_word(
    tmp_path: Path, model: str, bench: str, function: str
) -> None:
    """During the imports, during the planning, and before the run is created."""
    code = f"""
import builtins, sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
place = {function!r}
find = builtins.__import__
def interrupted(name, *arguments):  # relative names, as the packages import each other
    if name == place:
        raise KeyboardInterrupt
    return find(name, *arguments)
if place == "the lock":
    from calculus_harness.harness.store import writer
    def interrupted_writing(*arguments):
        raise KeyboardInterrupt
    writer._lock = interrupted_writing
else:
    builtins.__import__ = interrupted
sys.argv = ["run.py", "sweep", "--model", {model!r}, "--benchmark", {bench!r}, "--out", "run"]
from calculus_harness.harness.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stderr.strip() == "interrupted"
    assert (done.returncode, done.stdout) == (130, "")


def counts(path: Path) -> list[Row]:
    """The rows of the result table, without times."""
    return [replace(row, usage=None) for row in harness.summarise(Run(path)).rows]


@pytest.mark.slow
def test_twenty_kills_lose_and_repeat_nothing(tmp_path: Path, model: str, bench: str) -> None:
    """After SIGKILLs at random moments the run equals an undisturbed run."""
    chance = random.Random(20)
    arguments = [
        sys.executable,
        str(ROOT / "run.py"),
        *f"sweep --model {model} --benchmark {bench} --limit 6 -n 300 -M concurrency=16".split(),
    ]
    out, calls = tmp_path / "killed", tmp_path / "asked"
    disturbed = [*arguments, "--out", str(out)]
    kills = 0
    while kills < 24:
        stored = set(completions(out)) if (out / "manifest.json").exists() else set()
        known_seeds = {row["seed"] for row in completions(out).values()} if stored else set()
        calls.unlink(missing_ok=True)
        process = subprocess.Popen(
            disturbed,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"SLOW": "0.6", "ASKED": str(calls), "SHARD": "20000"},
        )
        # Some die while starting, most while asking and scoring.
        try:
            process.wait(timeout=chance.uniform(0.1, 2.6))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        else:
            assert process.returncode == 0
            pytest.fail("the run was over before it had been killed often enough")
        seeds = {int(line) for line in calls.read_text().split()} if calls.exists() else set()
        assert not seeds & known_seeds, "a stored sample was asked again"
        if stored:
            assert stored <= completions(out).keys(), "a stored sample was lost"
    subprocess.run(
        disturbed,
        check=True,
        capture_output=True,
        timeout=300,
        env=os.environ | {"SHARD": "20000"},
    )
    undisturbed = tmp_path / "undisturbed"
    subprocess.run(
        [*arguments, "--out", str(undisturbed)], check=True, capture_output=True, timeout=300
    )
    assert completions(out) == completions(undisturbed)
    assert verdicts(out) == verdicts(undisturbed)
    assert len(completions(out)) == 1800
    for log in ("completions", "verdicts/*"):
        assert len(list(out.glob(f"{log}/*.jsonl.gz"))) > 5
    assert counts(out) == counts(undisturbed)


def test_a_deterministic_model_is_asked_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solver, subset = ["solver/sympy"], ["brittleness/primitive_sin"]
    phases: list[PhaseResults] = []
    phase = Phase("none", lambda results: (phases.append(results), ())[1])
    settings: Any = {"samples": 64, "limit": 2, "sampling": Sampling(temperature=1.0)}
    run = harness.sweep(solver, subset, phases=[phase], out=tmp_path / "run", **settings)
    assert (phases[0].samples, phases[0].sampled) == (1, False)
    assert len(completions(run.path)) == 2
    summary = harness.summarise(run)
    assert summary.missing == 0
    assert [estimate.k for estimate in summary.rows[0].passes] == [1]
    harness.print_summary(summary, every=True)
    assert "solver/sympy, deterministic: asked once" in capsys.readouterr().out
    replayed = [f"replay/{run.path}"]
    again = harness.sweep(replayed, subset, samples=64, limit=2, out=tmp_path / "again")
    assert len(completions(again.path)) == 2
