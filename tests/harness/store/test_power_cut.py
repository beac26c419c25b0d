"""After a power cut: either log may have lost the tail, and the rest still fits together."""

from __future__ import annotations

import os
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from calculus_harness.harness import score, sweep
from calculus_harness.harness.core import exclusive as locking
from calculus_harness.harness.core.errors import RunError
from calculus_harness.harness.core.policy import Policy
from calculus_harness.harness.run.progress import Silent
from calculus_harness.harness.store import counts
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.log.keys import KeyIndex
from calculus_harness.harness.store.run import VERDICTS, Run
from calculus_harness.harness.store.samples import samples
from calculus_harness.harness.store.writer import rescoring
from tests.harness.large_run import make

POLICY = "balls-1"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 answers with verdicts: two sealed shards each, and an open shard."""
    path = tmp_path_factory.mktemp("original") / "run"
    make(path, models=1, problems=3, samples=4, words=2, noise=False, shard_bytes=1_300)
    return path


def keys(log: Log | object) -> list[str]:
    return [row["key"] for row in log.rows()]  # type: ignore[attr-defined]


def newest(folder: Path) -> Path:
    return max(path for path in folder.glob("[0-9]*.jsonl") if path.stat().st_size)


def check(path: Path, completions: int) -> int:
    """Open a run for writing as a sweep does; returns how many verdicts went."""
    with rescoring(path) as run, run.scoring(POLICY, run.manifest["policies"][POLICY]):
        stored, dropped = len(run.stored), run.dropped
        judged = set(keys(run.verdicts(POLICY)))
        assert all(key in run.judged[POLICY] for key in judged)
    run = Run(path)
    answers, verdicts = keys(run.completions), keys(run.verdicts(POLICY))
    assert len(answers) == stored == completions
    assert set(verdicts) <= set(answers)
    assert max(Counter(verdicts).values(), default=0) <= 1
    for log, number in ((run.completions, len(answers)), (run.verdicts(POLICY), len(verdicts))):
        assert sum(sums["samples"] for sums in counts.totals(log).values()) == number
    return dropped


@pytest.mark.parametrize("log", ["completions", f"verdicts/{POLICY}"])
def test_a_cut_at_any_byte(original: Path, tmp_path: Path, log: str) -> None:
    data = newest(original / log).read_bytes()
    stored = len(keys(Run(original).completions)) - data.count(b"\n")
    dropped = set()
    # Every byte around the ends of rows, and every seventh elsewhere.
    ends = [at + d for at in range(len(data)) if data[at : at + 1] == b"\n" for d in (-1, 0, 1, 2)]
    for length in sorted({0, *ends, *range(0, len(data), 7), len(data)}):
        path = tmp_path / "run"
        shutil.copytree(original, path)
        os.truncate(newest(path / log), length)
        complete = data[:length].count(b"\n") + (data[length : length + 1] == b"\n")
        count = stored + complete if log == "completions" else 12
        dropped.add(check(path, count))
        assert check(path, count) == 0  # it is mended once
        shutil.rmtree(path)
    assert (len(dropped) > 1) == (log == "completions")


def test_a_lost_shard_and_a_second_verdict(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(original, path)
    lost = newest(path / "completions")
    rows = lost.read_bytes().count(b"\n")
    lost.unlink()
    with Log(path / "verdicts" / POLICY, *VERDICTS) as log:
        log.append(next(log.rows()))
    assert check(path, 12 - rows) == rows + 1


def test_a_sweep_goes_on_and_says_what_went(tmp_path: Path) -> None:
    """Forty verdicts without completions: asked again, judged once, and said."""
    notices: list[str] = []

    class Recorder(Silent):
        def notice(self, text: str) -> None:
            notices.append(text)

    def again() -> Run:
        return sweep(
            [answer], ["drills"], limit=1, samples=60, out=tmp_path / "run", progress=Recorder()
        )

    def answer(messages: object, seed: int) -> str:
        return r"$\boxed{x^2}$"

    run = again()
    log = newest(tmp_path / "run" / "completions")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:20]))
    run = again()
    assert "dropped 40 verdicts" in notices[0]
    assert len(keys(run.completions)) == len(keys(run.verdicts())) == 60
    assert len(set(keys(run.verdicts()))) == 60
    notices.clear()
    again()
    assert not notices


def test_verdicts_wait_for_their_completions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verdict is written before the completion is reported to be on disk."""
    order: list[str] = []
    synced, append = Log.synced, Log.append
    monkeypatch.setattr(Log, "synced", lambda self: (order.append("sync"), synced(self))[1])

    def noted(self: Log, row: dict[str, object]) -> None:
        order.append("verdict" if "status" in row else "completion")
        append(self, row)

    monkeypatch.setattr(Log, "append", noted)
    sweep([lambda messages, seed: "x"], ["drills"], limit=1, samples=3, out=tmp_path / "run")
    for at, what in enumerate(order):
        if what == "verdict":
            earlier = order[:at]
            assert "sync" in earlier[earlier.index("completion") :]


def test_an_index_of_keys_is_made_again(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(original, path)
    log = Run(path).completions
    expected = keys(log)
    for damage in (b"", b"no database", None):
        if damage is not None:
            (path / "completions" / "keys.sqlite").write_bytes(damage)
        index = KeyIndex(log)
        assert len(index) == 12
        assert all(key in index for key in expected)
        assert "model:none" not in index
        index.close()


def test_an_index_takes_in_what_is_sealed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calculus_harness.harness.store.log.keys.RECENT", 10)
    with Log(tmp_path / "log", ("text",), shard_bytes=400) as log:
        index = KeyIndex(log)
        for number in range(200):
            log.append({"key": f"k{number}", "text": "x" * 20})
            index.add(f"k{number}")
            log._worker.submit(lambda: None).result()
        assert len(index) == 200
        assert len(index._recent) < 60
        index.close()
    with_all = KeyIndex(log)
    assert all(f"k{number}" in with_all for number in range(200))
    assert not with_all.strays
    with_all.close()


# --- locks ----------------------------------------------------------------------------------


@pytest.fixture
def locks_that_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """`flock` as on some network disks: every call succeeds."""

    class Nothing:
        def __init__(self, path: Path) -> None: ...
        def acquire(self, timeout: float) -> None: ...
        def release(self) -> None: ...

    monkeypatch.setattr(locking.filelock, "FileLock", Nothing)
    monkeypatch.setattr(locking, "BEAT", 0.05)


@pytest.mark.usefixtures("locks_that_do_nothing")
def test_a_second_writer_is_refused_in_one_line(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(original, path)
    with (
        rescoring(path),
        pytest.raises(RunError, match="written by another process"),
        rescoring(path),
    ):
        pass
    with rescoring(path):  # after a clean end at once
        pass
    assert not (path / ".writer").exists()


@pytest.mark.usefixtures("locks_that_do_nothing")
@pytest.mark.parametrize("record", ['{"place": "elsewhere", "process": 7}', "", '{"place": 1}'])
def test_a_killed_writer_keeps_nobody_out(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: str
) -> None:
    monkeypatch.setattr(locking, "PATIENCE", 0.2)
    path = tmp_path / "run"
    shutil.copytree(original, path)
    (path / ".writer").write_text(record)
    with rescoring(path):
        pass


def together(count: int, work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_that_replace_a_file_do_not_meet(tmp_path: Path) -> None:
    from calculus_harness.harness.store.atomic import write_atomically

    errors: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(50):
                write_atomically(tmp_path / "manifest.json", b"{}" * 1000)
        except OSError as error:
            errors.append(error)

    together(4, write)
    assert not errors
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_scoring_again_after_a_cut_judges_what_is_missing(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(original, path)
    run = score(path, policy=Policy())
    name = run.policies[-1]
    os.truncate(newest(path / "verdicts" / name), 700)
    assert sorted(keys(score(path, policy=Policy()).verdicts(name))) == sorted(
        keys(Run(path).completions)
    )


# --- samples --------------------------------------------------------------------------------


def test_wanted_samples_are_those_of_all(original: Path) -> None:
    run = Run(original)
    everything = list(samples(run, POLICY))
    assert len(everything) == 12
    for limit in (0, 1, 3, 9):
        chosen = list(samples(run, POLICY, tests={"sample": range(limit).__contains__}))
        assert chosen == [sample for sample in everything if sample.completion["sample"] < limit]


def test_rows_that_only_json_reads_come_back(tmp_path: Path) -> None:
    rows = [{"key": "a", "text": "half \ud83d"}, {"key": "b", "n": 10**30, "x": float("inf")}]
    with Log(tmp_path / "log", ("text",), shard_bytes=1) as log:
        for row in rows:
            log.append(row)
    assert list(log.rows()) == rows
    assert [head for _, head in log.heads()] == [{"key": "a"}, rows[1]]
