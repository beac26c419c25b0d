"""Scoring in lanes: the same verdicts, whatever is killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import score
from calculus_harness.harness.core.errors import RunError
from calculus_harness.harness.core.exclusive import exclusive
from calculus_harness.harness.core.policy import Policy
from calculus_harness.harness.run.progress import Silent
from calculus_harness.harness.run.scoring import lanes
from calculus_harness.harness.store import counts
from calculus_harness.harness.store.log import adoption
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.run import VERDICTS, Run
from tests.harness.large_run import make

POLICY = Policy(strict_domain=True)
COMPLETIONS = 2 * 6 * 60


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "run"
    make(path, models=2, problems=6, samples=60, words=3, noise=False, shard_bytes=15_000)
    assert len(Run(path).completions.shards()) > 8
    return path


@pytest.fixture(scope="module")
def judged(original: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The store of a single process."""
    path = tmp_path_factory.mktemp("judged") / "run"
    shutil.copytree(original, path)
    return rows(score(path, policy=POLICY, progress=Silent(), lanes=1))


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "run")
    return tmp_path / "run"


def rows(run: Run) -> dict[str, Any]:
    """The verdicts by key, without times; each key occurs once."""
    log = run.verdicts(POLICY.name)
    stored = list(log.rows())
    assert max(Counter(row["key"] for row in stored).values()) == 1
    assert len(stored) == COMPLETIONS
    assert sum(sums["samples"] for sums in counts.totals(log).values()) == COMPLETIONS
    for row in stored:
        row["evidence"].pop("seconds", None)
    return {row["key"]: row for row in stored}


def test_lanes_store_what_one_process_stores(path: Path, judged: dict[str, Any]) -> None:
    notices: list[str] = []

    class Recorder(Silent):
        def judged(self, *_: object) -> None:
            notices.append("by this process")

    assert rows(score(path, policy=POLICY, progress=Recorder(), lanes=3)) == judged
    assert len(notices) < COMPLETIONS / 8  # the last shard, which is not sealed
    assert not (path / "verdicts" / POLICY.name / "lanes").exists()
    assert rows(score(path, policy=POLICY, progress=Silent(), lanes=3)) == judged


def test_lanes_that_die_leave_the_work_to_one_process(
    path: Path, judged: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes.sys, "executable", "/bin/false")
    assert rows(score(path, policy=POLICY, progress=Silent(), lanes=3)) == judged


def test_what_a_dead_lane_has_written_is_taken_in(path: Path, judged: dict[str, Any]) -> None:
    directory = path / "verdicts" / POLICY.name
    with Log(directory / "lanes" / "000", *VERDICTS, shard_bytes=3_000) as log:
        for row in list(judged.values())[:100]:
            log.append(row)
    newest = max(path for path in (directory / "lanes" / "000").glob("*.jsonl"))
    newest.write_bytes(newest.read_bytes() + b'{"key": "torn", "mod')
    answered: list[str] = []

    class Recorder(Silent):
        def judged(self, verdict: object, completion: Any) -> None:
            answered.append(completion.key)

    assert rows(score(path, policy=POLICY, progress=Recorder(), lanes=1)) == judged
    assert len(answered) == COMPLETIONS - 100


def test_a_lane_that_still_writes_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adoption, "PATIENCE", 0.3)
    lane = path / "verdicts" / POLICY.name / "lanes" / "000"
    lane.mkdir(parents=True)
    command = [
        *(sys.executable, "-c"),
        "import sys; from pathlib import Path\n"
        f"from {exclusive.__module__} import exclusive\n"
        f"with exclusive(Path({str(lane)!r})): print('held', flush=True); sys.stdin.read()",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        with pytest.raises(RunError, match="being written by another process"):
            score(path, policy=POLICY, progress=Silent())


@pytest.mark.slow
def test_killing_the_command_at_any_time_loses_and_repeats_nothing(
    path: Path, judged: dict[str, Any]
) -> None:
    code = (
        "from calculus_harness import score\n"
        "from calculus_harness.harness.core.policy import Policy\n"
        f"score({str(path)!r}, policy=Policy(strict_domain=True), lanes=2)"
    )
    for pause in (0.5, 2.0, 4.0, 8.0):
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as command:
            time.sleep(pause)
            command.send_signal(signal.SIGKILL)
    assert rows(score(path, policy=POLICY, progress=Silent(), lanes=2)) == judged
