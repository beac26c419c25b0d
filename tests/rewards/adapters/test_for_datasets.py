"""Verdicts as columns: of data sets in memory, streams, Parquet files and Ray's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import UserError, verify_dataset
from calculus_harness.rewards.adapters import for_datasets
from calculus_harness.rewards.errors import ArgumentTypeError

pytestmark = pytest.mark.data
COMPLETIONS = [r"\boxed{x^2 + C}", r"\boxed{x^3}", "", None, "x", "x"]
ROWS: dict[str, list[Any]] = {
    "completion": COMPLETIONS,
    "integrand": ["2x", "2x", "2x", "2x", None, "x^"],
    "step": [1, 2, 3, 4, 5, 6],
}
STATUSES = ["correct", "incorrect", "no_answer", "no_answer", "error", "error"]


def data_set(rows: dict[str, list[Any]] = ROWS) -> Any:
    from datasets import Dataset

    return Dataset.from_dict(rows)


def test_a_data_set() -> None:
    verified = verify_dataset(data_set(), workers=1)
    assert list(verified["verdict_status"]) == STATUSES
    assert list(verified["verdict_reward"]) == [1, 0, 0, 0, 0, 0]
    assert list(verified["step"]) == ROWS["step"]
    assert verified["verdict_answer"][0] == "x^2 + C"
    assert "unreadable integrand" in verified["verdict_detail"][5]


def test_a_stream_and_conversations() -> None:
    chat = [[{"role": "assistant", "content": text or ""}] for text in COMPLETIONS]
    stream = data_set(ROWS | {"completion": chat}).to_iterable_dataset()
    assert [row["verdict_status"] for row in verify_dataset(stream, workers=1)] == STATUSES


def test_options_and_names_of_columns() -> None:
    rows = data_set({"answer": ["x^2", r"\boxed{x^2}"], "f": ["2x", "2x"]})
    verified = verify_dataset(rows, completion="answer", integrand="f", strict=True, workers=1)
    assert list(verified["verdict_status"]) == ["no_answer", "correct"]


def test_parquet_files_in_blocks_that_go_on(tmp_path: Path, monkeypatch: Any) -> None:
    import pyarrow.parquet as pq

    (tmp_path / "in").mkdir()
    for name in ("b", "a"):
        data_set().to_parquet(tmp_path / "in" / f"{name}.parquet")
    verified: list[int] = []
    original = for_datasets.map_verdicts

    def counted(task: str, items: list[Any], *options: Any) -> Any:
        verified.append(len(items))
        if len(verified) == 3:
            raise KeyboardInterrupt
        return original(task, items, *options)

    monkeypatch.setattr(for_datasets, "map_verdicts", counted)
    arguments: dict[str, Any] = {"out": tmp_path / "out", "block": 4, "workers": 1}
    with pytest.raises(KeyboardInterrupt):
        verify_dataset(tmp_path / "in", **arguments)
    out = verify_dataset(tmp_path / "in", **arguments)
    assert verified == [4, 2, 4, 4, 2]  # the two blocks that were written are not verified again
    table = pq.read_table(sorted(out.glob("*.parquet")))
    assert table["verdict_status"].to_pylist() == STATUSES * 2
    assert table["step"].to_pylist() == ROWS["step"] * 2
    with pytest.raises(UserError, match="another call"):
        verify_dataset(tmp_path / "in", **arguments, strict=True)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column 'answer'; there are completion"):
        verify_dataset(data_set(), completion="answer")
    with pytest.raises(UserError, match="'verdict_reward' is there already"):
        verify_dataset(data_set(ROWS | {"verdict_reward": [0] * 6}))
    with pytest.raises(ArgumentTypeError, match="no such option: tolerance"):
        verify_dataset(data_set(), tolerance=3)
    with pytest.raises(ArgumentTypeError, match="not a list"):
        verify_dataset([{"completion": "x"}])
    with pytest.raises(UserError, match="out=FOLDER"):
        verify_dataset(tmp_path)
    with pytest.raises(UserError, match="no Parquet files"):
        verify_dataset(tmp_path, out=tmp_path / "out")
    with pytest.raises(UserError, match="out is for"):
        verify_dataset(data_set(), out=tmp_path / "out")


@pytest.mark.ray
def test_a_data_set_of_ray(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    data_set().to_parquet(tmp_path / "rows.parquet")
    root = str(Path(__file__).resolve().parents[3])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": root}},
    )
    try:
        data = ray.data.read_parquet(str(tmp_path / "rows.parquet"))
        rows = sorted(verify_dataset(data).take_all(), key=lambda row: row["step"])
        assert [row["verdict_status"] for row in rows] == STATUSES
        with pytest.raises(UserError, match="no column"):
            verify_dataset(data, completion="answer")
    finally:
        ray.shutdown()
