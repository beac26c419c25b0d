"""Small decisions of the store: places of logs, searches for runs, merged sums."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.store import overview
from calculus_harness.harness.store.counts import FIRST_CORRECT, WRONG, count_verdicts, merge
from calculus_harness.harness.store.log.appending import SHARD_BYTES, Log
from calculus_harness.harness.store.log.reader import LogReader
from calculus_harness.harness.store.manifest import environment
from calculus_harness.harness.store.problem_files import write_splits
from calculus_harness.harness.store.run import Run


def test_the_first_correct_of_two_shards_is_the_earlier_one() -> None:
    shards = [
        {"sums": [["m", "p", {"samples": 3, FIRST_CORRECT: 7}], ["m", "q", {"samples": 1}]]},
        {
            "sums": [
                ["m", "p", {"samples": 2, FIRST_CORRECT: 4}],
                ["m", "q", {"samples": 1, FIRST_CORRECT: 0}],
            ]
        },
        {"sums": [["m", "p", {"samples": 1}]]},
    ]
    total = merge(shards)
    assert total["m", "p"] == {"samples": 6, FIRST_CORRECT: 4}
    assert total["m", "q"] == {"samples": 2, FIRST_CORRECT: 0}


def test_runs_are_looked_for_three_folders_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "exists", staticmethod(lambda path: path.name.startswith("run")))
    for folder in ("run1", "a/run2", "a/b/run3", "a/b/c/run4", "a/.hidden/run5"):
        (tmp_path / folder).mkdir(parents=True)
    assert [path.name for path in overview.runs_under(tmp_path)] == ["run3", "run2", "run1"]


def test_a_folder_that_may_not_be_read_has_no_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refused)
    assert list(overview.runs_under(tmp_path)) == []


def test_a_log_makes_its_folders_and_is_rotated_while_small(tmp_path: Path) -> None:
    with Log(tmp_path / "a" / "b" / "log", ()) as log:
        log.append({"key": "x"})
    assert 1 << 20 < SHARD_BYTES < 1 << 30


def test_columns_that_were_lost_are_made_again(tmp_path: Path) -> None:
    with Log(tmp_path, (), shard_bytes=500) as log:
        for number in range(100):
            log.append({"key": str(number), "text": "x" * 20})
    reader = LogReader(tmp_path, ())
    sealed = next(shard for shard in reader.shards() if reader.stamp(shard) is not None)
    reader._columns(sealed).unlink(missing_ok=True)
    assert LogReader(tmp_path, ())._columns_of(sealed) is not None
    assert reader._columns(sealed).exists()


def test_which_wrong_answers_are_kept_depends_on_no_order() -> None:
    alike = {"model": "m", "problem": "p", "status": "incorrect", "finish_reason": "stop"}
    rows = [alike | {"key": str(n), "sample": n, "reward": 0.0} for n in range(3 * WRONG)]
    ranks = sorted(rank for rank, _ in count_verdicts(rows)["wrong"]["m"])
    random.Random(1).shuffle(rows)
    assert sorted(rank for rank, _ in count_verdicts(rows)["wrong"]["m"]) == ranks
    assert len(ranks) == WRONG


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_is_known_in_a_checkout_alone() -> None:
    commit = environment()["git"]
    assert (commit is not None) == (Path(__file__).parents[3] / ".git").exists()


def test_a_file_is_no_folder_to_write_problems_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write .*problems.jsonl: File exists$"):
        write_splits({"": [{"id": "p"}]}, tmp_path / "file" / "problems.jsonl")
