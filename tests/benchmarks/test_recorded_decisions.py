"""Recorded decisions: the package's file, the cache, and incomplete lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.benchmarks.recorded_decisions import RecordedDecisions, cache_file

Decision = tuple[str, int]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CALCULUS_HARNESS_CACHE", str(tmp_path / "cache"))
    return cache_file("test.jsonl")


def opened(shipped: Path) -> RecordedDecisions[Decision]:
    return RecordedDecisions(
        shipped,
        "test.jsonl",
        key=lambda decision: decision[0],
        from_row=lambda row: (str(row["name"]), int(row["value"])),
        to_row=lambda decision: {"name": decision[0], "value": decision[1]},
    )


def test_the_package_comes_before_the_cache(tmp_path: Path, cache: Path) -> None:
    shipped = tmp_path / "shipped.jsonl"
    shipped.write_text('{"name": "é", "value": 1}\n', encoding="utf-8")
    decisions = opened(shipped)
    decisions.add([("é", 2), ("b", 3)])
    assert decisions.shipped == {"é"}
    assert cache.read_text(encoding="utf-8").splitlines()[0] == '{"name": "é", "value": 2}'
    for again in (decisions, opened(shipped)):
        assert again.find("é") == [("é", 1), ("é", 2)]
        assert again.find("b") == [("b", 3)]
        assert again.find("c") == ()
    assert shipped.read_text(encoding="utf-8").count("\n") == 1


def test_incomplete_lines_are_skipped(tmp_path: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text('{"name": "a", "value": 1}\n{"name": "a"}\n[]\n{"name": "b", "val')
    decisions = opened(tmp_path / "none.jsonl")
    assert decisions.find("a") == [("a", 1)]
    assert not decisions.find("b")
    assert not decisions.shipped


def test_without_a_writable_cache_decisions_are_kept_in_memory(tmp_path: Path, cache: Path) -> None:
    cache.parent.write_text("a file, not a folder")
    decisions = opened(tmp_path / "none.jsonl")
    decisions.add([("a", 1)])
    assert decisions.find("a") == [("a", 1)]
