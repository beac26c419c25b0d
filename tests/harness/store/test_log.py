"""The append-only log: order, sealing, repair, and errors without side effects."""

from __future__ import annotations

import errno
import gzip
import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness.core.errors import RunError
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.log.reader import Counting, LogReader

HEAVY = ("text",)


def row(number: int, size: int = 50) -> dict[str, Any]:
    return {"key": f"k{number}", "number": number, "text": f"{number} " + "é\n\u2028" * size}


def write(directory: Path, numbers: range, shard_bytes: int = 1 << 20, size: int = 50) -> None:
    with Log(directory, HEAVY, shard_bytes=shard_bytes) as log:
        for number in numbers:
            log.append(row(number, size))


def snapshot(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("shard_bytes", [300, 5_000, 1 << 20])
def test_rows_come_back_in_order_across_shards(tmp_path: Path, shard_bytes: int) -> None:
    write(tmp_path, range(40), shard_bytes)
    write(tmp_path, range(40, 50), shard_bytes)
    reader = LogReader(tmp_path, HEAVY)
    assert list(reader.rows()) == [row(number) for number in range(50)]
    heads = list(reader.heads())
    assert [head for _, head in heads] == [
        {"key": f"k{number}", "number": number} for number in range(50)
    ]
    for number, (at, _) in enumerate(heads):
        assert reader.read(at) == row(number)


def test_text_that_is_no_unicode_comes_back_too(tmp_path: Path) -> None:
    odd = {"key": "k", "text": "half \ud83d", "more": ["\udc00 é"]}
    with Log(tmp_path, HEAVY, shard_bytes=1) as log:
        log.append(odd)
        log.append(row(1))
    reader = LogReader(tmp_path, HEAVY)
    assert list(reader.rows()) == [odd, row(1)]
    assert next(head for _, head in reader.heads()) == {"key": "k", "more": ["\udc00 é"]}


def test_a_sealed_shard_is_plain_gzip_and_smaller(tmp_path: Path) -> None:
    write(tmp_path, range(100), shard_bytes=40_000, size=400)
    sealed = sorted(tmp_path.glob("*.jsonl.gz"))
    assert sealed
    lines = gzip.decompress(sealed[0].read_bytes()).splitlines()
    assert json.loads(lines[0]) == row(0, 400)
    assert sealed[0].stat().st_size < 40_000 / 5
    assert not (tmp_path / "00000.jsonl").exists()


def test_a_missing_index_is_made_again(tmp_path: Path) -> None:
    write(tmp_path, range(40), shard_bytes=2_000)
    reader = LogReader(tmp_path, HEAVY)
    heads = list(reader.heads())
    for index in tmp_path.glob("*.columns.gz"):
        index.unlink()
    assert [head for _, head in reader.heads()] == [head for _, head in heads]
    write(tmp_path, range(0), shard_bytes=2_000)
    assert list(reader.heads()) == heads


def test_an_unfinished_last_line_is_dropped_at_every_length(tmp_path: Path) -> None:
    write(tmp_path, range(2))
    shard = tmp_path / "00000.jsonl"
    content = shard.read_bytes()
    start = content.index(b"\n") + 1
    for length in range(start, len(content)):
        shard.write_bytes(content[:length])
        count = 2 if length == len(content) - 1 else 1  # only the newline is missing
        assert len(list(LogReader(tmp_path, HEAVY).rows())) == count
        write(tmp_path, range(7, 8))
        numbers = [stored["number"] for stored in LogReader(tmp_path, HEAVY).rows()]
        assert numbers == [*range(count), 7]


def test_zeros_at_the_end_after_a_power_cut_are_dropped(tmp_path: Path) -> None:
    write(tmp_path, range(2))
    with (tmp_path / "00000.jsonl").open("ab") as file:
        file.write(b"\0" * 100)
    write(tmp_path, range(2, 3))
    assert len(list(LogReader(tmp_path, HEAVY).rows())) == 3


@pytest.mark.parametrize("bad", [b"{broken\n", b"[1]\n", b"{}\n", b"\n", b"\xff\xfe\n"])
def test_a_corrupt_row_is_named_and_nothing_is_touched(tmp_path: Path, bad: bytes) -> None:
    write(tmp_path, range(3))
    shard = tmp_path / "00000.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([lines[0], bad, *lines[1:], b'{"torn']))
    (tmp_path / "left.tmp").write_bytes(b"x")
    files = snapshot(tmp_path)
    with pytest.raises(RunError, match=r"00000\.jsonl, line 2: not a row"):
        write(tmp_path, range(3, 4))
    assert snapshot(tmp_path) == files


def test_a_damaged_sealed_shard_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, range(40), shard_bytes=2_000)
    sealed = tmp_path / "00000.jsonl.gz"
    data = bytearray(sealed.read_bytes())
    data[len(data) // 2] ^= 0xFF
    sealed.write_bytes(data)
    with pytest.raises(RunError, match="damaged"):
        list(LogReader(tmp_path, HEAVY).rows())
    sealed.write_bytes(data[:-20])
    with pytest.raises(RunError, match="damaged"):
        list(LogReader(tmp_path, HEAVY).rows())


def test_a_kill_while_sealing_loses_nothing(tmp_path: Path) -> None:
    """Every state left by a kill between the steps of sealing."""
    write(tmp_path, range(40), shard_bytes=2_000)
    expected = list(LogReader(tmp_path, HEAVY).rows())
    sealed, index = tmp_path / "00000.jsonl.gz", tmp_path / "00000.columns.gz"
    raw = gzip.decompress(sealed.read_bytes())
    # The steps of sealing: write the compressed file under another name, rename, write the columns
    # under another name, rename, remove the raw file.
    states = [
        {"00000.jsonl": raw, "00000.jsonl.gz.tmp": sealed.read_bytes()[:50]},
        {"00000.jsonl": raw, "00000.jsonl.gz": sealed.read_bytes()},
        {"00000.jsonl": raw, "00000.jsonl.gz": sealed.read_bytes(), "00000.columns.gz.tmp": b"x"},
        {
            "00000.jsonl": raw,
            "00000.jsonl.gz": sealed.read_bytes(),
            "00000.columns.gz": index.read_bytes(),
        },
    ]
    for state in states:
        for name in ("00000.jsonl", sealed.name, index.name):
            (tmp_path / name).unlink(missing_ok=True)
        for name, data in state.items():
            (tmp_path / name).write_bytes(data)
        assert list(LogReader(tmp_path, HEAVY).rows()) == expected
        write(tmp_path, range(0), shard_bytes=2_000)
        assert list(LogReader(tmp_path, HEAVY).rows()) == expected
        assert sealed.exists()
        assert index.exists()
        assert not (tmp_path / "00000.jsonl").exists()
        assert not list(tmp_path.glob("*.tmp"))


def test_a_full_disk_leaves_no_half_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, range(3))
    real, calls = os.write, []

    def fills_up(descriptor: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 1:
            return real(descriptor, data[:20])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Log(tmp_path, HEAVY) as log:
        monkeypatch.setattr(os, "write", fills_up)
        with pytest.raises(RunError, match="No space left"):
            log.append(row(3))
        monkeypatch.undo()
    assert (tmp_path / "00000.jsonl").read_bytes().count(b"\n") == 3
    assert len(list(LogReader(tmp_path, HEAVY).rows())) == 3


def test_what_is_synced_later_has_a_future_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, real = threading.Event(), os.fsync

    def waits(descriptor: int) -> None:
        goes_on.wait(60)
        real(descriptor)

    with Log(tmp_path, HEAVY) as log:
        log.append(row(0))
        monkeypatch.setattr(os, "fsync", waits)
        future, again = log.synced(), log.synced()
        log.append(row(1))
        later = log.synced()
        goes_on.set()
    assert future is again is not later


def test_a_row_without_what_every_row_has_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, range(3))
    reader = LogReader(tmp_path, HEAVY, required=("key", "status"))
    with pytest.raises(RunError, match="line 1: not a row"):
        list(reader.heads())


# --- what is counted of a shard ---


def test_counts_are_kept_beside_sealed_shards_and_made_again(tmp_path: Path) -> None:
    sums: list[int] = []

    def total(rows: Iterable[dict[str, Any]]) -> int:
        number_sum = sum(row["number"] for row in rows)
        sums.append(number_sum)
        return number_sum

    counting = Counting("sum-1", total)
    with Log(tmp_path, ("text",), ("key",), counting, shard_bytes=2_000) as log:
        for number in range(100):
            log.append({"key": str(number), "number": number, "text": "x" * 60})
    reader = LogReader(tmp_path, ("text",), ("key",), counting)
    sealed = sorted(tmp_path.glob("*.sum-1.json"))
    assert len(sealed) == len(list(tmp_path.glob("*.gz"))) // 2 >= 4
    sums.clear()
    assert sum(reader.counts()) == sum(range(100))
    assert len(sums) <= 1  # only the shard that is not sealed yet

    truth = sealed[1].read_bytes()
    for damage in (b"", truth[:-5], b"[]", truth.replace(b'"stamp":[', b'"stamp":[1')):
        sealed[1].write_bytes(damage)
        assert sum(reader.counts()) == sum(range(100))
        assert sealed[1].read_bytes() == truth
    sealed[0].unlink()  # as in a run of an earlier version
    assert sum(reader.counts()) == sum(range(100))
    assert sealed[0].exists()

    again = LogReader(tmp_path, ("text",), ("key",), Counting("count-1", lambda rows: len([*rows])))
    assert sum(again.counts()) == 100
    with pytest.raises(ValueError, match="has no counting"):
        list(LogReader(tmp_path, ("text",)).counts())


def test_the_state_of_a_log_changes_with_every_row(tmp_path: Path) -> None:
    states = set()
    with Log(tmp_path, HEAVY, shard_bytes=500) as log:
        for number in range(30):
            log.append({"key": str(number), "text": "x" * 50})
            states.add(LogReader(tmp_path, HEAVY).state())
    assert len(states) == 30


@pytest.mark.parametrize("shard_bytes", [300, 5_000, 1 << 20])
def test_discarded_rows_are_gone_and_the_others_stay(tmp_path: Path, shard_bytes: int) -> None:
    counting = Counting("sums", lambda rows: sum(item["number"] for item in rows))
    remaining = [row(number) for number in range(40) if number % 3]
    with Log(tmp_path, HEAVY, counting=counting, shard_bytes=shard_bytes) as log:
        for number in range(40):
            log.append(row(number))
        assert log.discard(lambda head: head["number"] % 3 == 0) == 14
        assert list(log.rows()) == remaining
        log.append(row(41))
    reader = LogReader(tmp_path, HEAVY, counting=counting)
    assert list(reader.rows()) == [*remaining, row(41)]
    assert [reader.read(at) for at, _ in reader.heads()] == [*remaining, row(41)]
    assert sum(reader.counts()) == sum(item["number"] for item in [*remaining, row(41)])


def test_a_discard_that_fails_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the middle: shards are as before or without the rows, and never torn."""
    from calculus_harness.harness.store.log import appending

    write(tmp_path, range(40), 2_000)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Log(tmp_path, HEAVY, shard_bytes=2_000) as log, monkeypatch.context() as changed:
        changed.setattr(appending, "_compress", full)
        with pytest.raises(OSError, match="No space"):
            log.discard(lambda head: head["number"] % 2 == 0)
    with Log(tmp_path, HEAVY, shard_bytes=2_000) as log:  # makes the index again
        assert list(log.rows()) == [row(number) for number in range(40)]
        assert [log.read(at) for at, _ in log.heads()] == list(log.rows())
        log.discard(lambda head: head["number"] % 2 == 0)
        assert list(log.rows()) == [row(number) for number in range(1, 40, 2)]
