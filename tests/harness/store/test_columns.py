"""The columns of sealed shards: any values, any question, made again, and nothing read twice."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness.store import counts
from calculus_harness.harness.store.log import reader
from calculus_harness.harness.store.log.appending import Log
from calculus_harness.harness.store.log.keys import KeyIndex
from calculus_harness.harness.store.log.reader import LogReader
from calculus_harness.harness.store.log.shards import Columns, ColumnsWriter
from calculus_harness.harness.store.run import COMPLETIONS, VERDICTS

ODD: list[dict[str, Any]] = [
    {"key": "a", "n": 1},
    {"key": "b", "n": 1.0, "x": None},
    {"key": "c", "n": True},
    {"key": "d", "n": [1, {"z": 2}], "y": {}},
    {"key": "e", "n": 10**30, "x": math.inf},
    {"key": "f", "x": "half \ud83d", "n": "1"},
    {"key": "g", "n": False, "later": 0},
    {"key": "h", "n": 0, "x": -1.5e-300},
]


@pytest.mark.parametrize("times", [1, 700])  # less than is taken together, and more
def test_every_value_comes_back_as_it_was(times: int) -> None:
    writer = ColumnsWriter()
    rows = [row | {"key": f"{row['key']}{turn}"} for turn in range(times) for row in ODD]
    rows.append({"key": "last", "first": 1})
    for number, row in enumerate(rows):
        writer.add(number // 7, number % 7, row)
    columns = Columns(writer.encoded([1, "x"]), 3)
    assert columns.stamp == [1, "x"]
    heads = list(columns.heads({}))
    assert [head for _, head in heads] == rows
    described = [str(sorted(head.items())) for _, head in heads]
    assert described == [str(sorted(row.items())) for row in rows]  # 1, 1.0 and True
    assert [(position.shard, position.offset, position.line) for position, _ in heads] == [
        (3, number // 7, number % 7) for number in range(len(rows))
    ]


def test_no_rows() -> None:
    columns = Columns(ColumnsWriter().encoded(None), 0)
    assert list(columns.heads({})) == []
    assert columns.places({"key": bool}) == []


def test_damaged_columns_are_refused() -> None:
    writer = ColumnsWriter()
    for number in range(50):
        writer.add(0, number, {"key": str(number), "n": number % 3})
    data = writer.encoded([1])
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1
        try:
            columns = Columns(bytes(damaged), 0)
        except ValueError:
            continue
        # Of the first line only names, the stamp and blanks may differ.
        assert at < data.index(b"\n")
        assert columns.stamp != [1] or columns.rows != 50 or b"columns" in damaged[:at]
    for cut in (0, 1, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match=r"columns|sum|Expecting"):
            Columns(data[:cut], 0)


# --- logs -----------------------------------------------------------------------------------


def completion(model: str, number: int, sample: int) -> dict[str, Any]:
    return {
        "key": f"{model}:{number:016}:answer:{sample}",
        "model": model,
        "problem": f"p{number}",
        "request": f"{number:016}",
        "sample": sample,
        "stage": "answer" if number % 5 else "hint",
        "seed": sample,
        "text": f"{model} {number} {sample} " + "word " * 20,
        "finish_reason": "stop" if sample % 4 else "error",
    }


def verdict(row: dict[str, Any], status: str) -> dict[str, Any]:
    names = ("key", "model", "problem", "sample", "stage", "finish_reason")
    evidence = {"witness": {"point": "x=[1 +/- 1]", "expected": "1", "got": row["key"]}}
    return {name: row[name] for name in names} | {
        "status": status,
        "reward": float(status == "correct"),
        "answer": row["key"],
        "evidence": evidence,
    }


ROWS = [completion(f"m{m}", n, s) for m in range(2) for n in range(12) for s in range(30)]
random.Random(0).shuffle(ROWS)
STATUSES = ("correct", "incorrect", "no_answer")
JUDGED = [verdict(row, STATUSES[at % 3]) for at, row in enumerate(ROWS)]


def written(path: Path, rows: list[dict[str, Any]], columns: Any, shard_bytes: int) -> LogReader:
    with Log(path, *columns, shard_bytes=shard_bytes) as log:
        for row in rows:
            log.append(row)
    return LogReader(path, *columns)


QUESTIONS: list[dict[str, Callable[[Any], bool]]] = [
    {},
    {"sample": range(3).__contains__},
    {"model": "m1".__eq__, "problem": {"p3", "p5"}.__contains__, "stage": "answer".__eq__},
    {"finish_reason": "error".__eq__},
    {"problem": "none".__eq__},
    {"nothing": bool},
]


@pytest.mark.parametrize("shard_bytes", [500, 20_000, 1 << 30])
@pytest.mark.parametrize("question", range(len(QUESTIONS)))
def test_chosen_rows_are_those_that_fit(tmp_path: Path, shard_bytes: int, question: int) -> None:
    tests = QUESTIONS[question]
    log = written(tmp_path, ROWS, COMPLETIONS, shard_bytes)
    fitting = [
        row for row in ROWS if all(name in row and test(row[name]) for name, test in tests.items())
    ]
    assert list(log.rows(tests)) == fitting
    heads = list(log.heads(tests))
    assert [head["key"] for _, head in heads] == [row["key"] for row in fitting]
    assert not any("text" in head for _, head in heads)
    assert [log.read(position) for position, _ in heads[::97]] == fitting[::97]
    assert [row for _, row in log.read_all(position for position, _ in heads)] == fitting


def test_columns_that_are_damaged_or_of_other_rows_are_made_again(tmp_path: Path) -> None:
    log = written(tmp_path, ROWS, COMPLETIONS, 20_000)
    expected = list(log.heads())
    files = sorted(tmp_path.glob("*.columns.gz"))
    content = files[0].read_bytes()
    for damage in (b"", b"no columns", content[:-1], files[1].read_bytes(), None):
        if damage is None:
            files[0].unlink()
        else:
            files[0].write_bytes(damage)
        assert list(log.heads()) == expected
        assert files[0].read_bytes() == content


def test_what_may_only_be_read_is_read_once_for_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path, ROWS, COMPLETIONS, 20_000)
    expected = list(log.heads(QUESTIONS[1]))
    for path in tmp_path.glob("*.co*"):
        path.unlink()
    monkeypatch.setattr(reader.os, "access", lambda *_: False)
    monkeypatch.setattr(reader, "write_atomically", lambda *_: pytest.fail("written"))
    monkeypatch.setattr(reader, "WorkerPool", lambda **_: pytest.fail("workers"))
    monkeypatch.setattr(reader, "_WORTH_WORKERS", 0)
    log.prepare()
    assert list(log.heads(QUESTIONS[1])) == expected


def test_workers_make_what_this_process_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path, JUDGED, VERDICTS, 20_000)
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.co*")}
    assert len(files) > 10
    for name in files:
        (tmp_path / name).unlink()
    monkeypatch.setattr(reader, "_WORTH_WORKERS", 0)
    monkeypatch.setattr(reader, "usable_cores", lambda: 2)
    monkeypatch.setattr(LogReader, "derive", lambda *_: pytest.fail("workers do it"))
    log.prepare()
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.co*")} == files


def test_a_second_count_reads_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report of a million samples used to read the short fields of all samples each time."""
    log = written(tmp_path, JUDGED[:500], VERDICTS, 20_000)
    read: list[Path] = []
    blocks = reader.blocks
    monkeypatch.setattr(
        reader, "blocks", lambda path, *options: read.append(path) or blocks(path, *options)
    )
    counted = counts.totals(log), counts.wrong_answers(log)
    assert not read
    written(tmp_path, JUDGED[500:], VERDICTS, 20_000)
    read.clear()
    again = counts.totals(log), counts.wrong_answers(log)
    assert not read
    assert sum(sums["samples"] for sums in again[0].values()) == len(JUDGED)
    assert sum(sums["samples"] for sums in counted[0].values()) == 500


def test_the_wrong_answers_that_are_kept_do_not_depend_on_the_order_or_the_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "WRONG", 20)
    forward = counts.wrong_answers(written(tmp_path / "a", JUDGED, VERDICTS, 1 << 30))
    backward = counts.wrong_answers(written(tmp_path / "b", JUDGED[::-1], VERDICTS, 3_000))
    assert forward == backward
    assert {model: len(rows) for model, rows in forward.items()} == {"m0": 20, "m1": 20}
    assert all(row["status"] == "incorrect" for rows in forward.values() for row in rows)


def test_what_is_judged_is_not_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`score` used to read every completion of a run for a single new completion."""
    texts = written(tmp_path / "said", ROWS, COMPLETIONS, 20_000)
    judged = written(tmp_path / "judged", JUDGED[:600], VERDICTS, 5_000)
    read: list[int] = []
    heads_of = LogReader.heads_of
    answers = {"stage": "answer".__eq__}

    def lacking() -> set[str]:
        index = KeyIndex(judged)
        with monkeypatch.context() as changed:
            changed.setattr(
                LogReader,
                "heads_of",
                lambda log, shard, *tests: read.append(shard) or heads_of(log, shard, *tests),
            )
            lines = [at for shard in texts.shards() for at in index.lacking(texts, shard, answers)]
        index.close()
        return {row["key"] for _, row in texts.read_all(lines)}

    expected = {row["key"] for row in ROWS[600:] if row["stage"] == "answer"}
    assert lacking() == expected
    reads, read[:] = len(read), []
    assert lacking() == expected
    assert len(read) < reads - len(texts.shards()) // 2
    with Log(tmp_path / "judged", *VERDICTS, shard_bytes=5_000) as log:
        log.discard(lambda row: row["key"] == ROWS[1]["key"])
    assert lacking() == expected | {ROWS[1]["key"]}


def test_of_a_shard_that_grows_only_new_rows_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last shard of a run, of up to 64 MB, was parsed by every report."""
    monkeypatch.setattr(reader, "_WORTH_KEEPING", 3_000)
    log = written(tmp_path, JUDGED[:500], VERDICTS, 1 << 30)
    heads, rows = list(log.heads()), list(log.rows())
    chosen = {"sample": (3).__eq__}
    parsed: list[int] = []
    lines_of = reader.lines_of

    def counting_lines(*arguments: Any) -> Any:
        for offset, row in lines_of(*arguments):
            parsed.append(offset)
            yield offset, row

    counted = counts.totals(log)
    monkeypatch.setattr(reader, "lines_of", counting_lines)
    written(tmp_path, JUDGED[500:520], VERDICTS, 1 << 30)  # fewer than are worth keeping
    parsed.clear()
    again = counts.totals(log)
    assert sum(sums["samples"] for sums in counted.values()) == 500
    assert sum(sums["samples"] for sums in again.values()) == 520
    assert len(parsed) == 20
    assert list(log.heads())[:500] == heads
    assert len(parsed) == 40
    pairs = [(log.read(position), head) for position, head in log.heads(chosen)]
    assert [row for row, _ in pairs] == list(log.rows(chosen))
    assert [row for row in JUDGED[:520] if row["sample"] == 3] == [row for row, _ in pairs]
    assert list(log.rows())[:500] == rows


def test_what_is_kept_of_a_growing_shard_is_not_used_for_other_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_WORTH_KEEPING", 3_000)
    log = written(tmp_path, JUDGED[:500], VERDICTS, 1 << 30)
    counts.totals(log)
    assert list(tmp_path.glob("*.columns.gz"))
    with Log(tmp_path, *VERDICTS) as writer:
        writer.discard(lambda row: row["sample"] == 3)
    rows = [row for row in JUDGED[:500] if row["sample"] != 3]
    assert sum(sums["samples"] for sums in counts.totals(log).values()) == len(rows)
    assert list(log.rows()) == rows
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b'{"key": "torn", "sam')
    assert sum(sums["samples"] for sums in counts.totals(log).values()) == len(rows)
    assert [row["key"] for _, row in log.heads()] == [row["key"] for row in rows]
    written(tmp_path, JUDGED[500:], VERDICTS, 1 << 20)  # repaired; sealed a little later
    assert list(log.rows()) == rows + JUDGED[500:]
    assert sum(sums["samples"] for sums in counts.totals(log).values()) == len(rows + JUDGED[500:])
