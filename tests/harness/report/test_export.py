"""Samples for other programs: every sample in full, in a fixed order, in the right shape."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report import export, export_summary
from calculus_harness.harness.stats.summary import summarise
from calculus_harness.harness.store import samples
from calculus_harness.harness.store.run import Run
from tests.harness.conftest import Command
from tests.harness.large_run import make


@pytest.fixture
def run(model: str, bench: str, tmp_path: Path) -> Run:
    return harness.sweep([model], [bench], limit=6, samples=3, out=tmp_path / "run")


def read_csv(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(10**8)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_every_sample_with_its_verdict(run: Run, tmp_path: Path) -> None:
    assert export.export_run(run, "csv", tmp_path / "out.csv") == 18
    rows = read_csv(tmp_path / "out.csv")
    completions = {row["key"]: row for row in run.completions.rows()}
    judged = {row["key"]: row for row in run.verdicts().rows()}
    assert {row["key"] for row in rows} == completions.keys()
    for row in rows:
        assert row["completion"] == completions[row["key"]]["text"]
        assert row["status"] == judged[row["key"]]["status"]
        assert row["answer"] == (judged[row["key"]]["answer"] or "")
        assert float(row["reward"]) == judged[row["key"]]["reward"]
        assert json.loads(row["evidence"])["method"] == judged[row["key"]]["evidence"]["method"]
        assert json.loads(row["inputs"])["variable"] == "x"
    assert list(rows[0]) == list(export.FIELDS)
    order = list(run.problems)
    positions = [(order.index(row["problem"]), int(row["sample"])) for row in rows]
    assert positions == sorted(positions)


def test_the_order_does_not_depend_on_when_samples_were_made(
    model: str, bench: str, tmp_path: Path
) -> None:
    # At once, and sample by sample with the model's answers delayed at random.
    at_once = harness.sweep([model], [bench], limit=6, samples=3, out=tmp_path / "a")
    for n in (1, 2, 3):
        in_steps = harness.sweep([model], [bench], limit=6, samples=n, out=tmp_path / "b")
    rows = [
        [(row["problem"], row["sample"], row["completion"]) for row in export.rows(stored)]
        for stored in (at_once, in_steps)
    ]
    assert rows[0] == rows[1]


def test_answers_without_a_verdict_are_exported_too(run: Run, tmp_path: Path) -> None:
    (shard,) = (run.path / "verdicts" / run.policies[0]).glob("*.jsonl")
    shard.write_text("".join(shard.read_text().splitlines(keepends=True)[:5]))
    rows = list(export.rows(run))
    assert len(rows) == 18
    assert sum(row["status"] is not None for row in rows) == 5


@pytest.mark.data
def test_parquet_and_dataset_hold_the_same(run: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    datasets = pytest.importorskip("datasets")
    export.export_run(run, "parquet", tmp_path / "out.parquet")
    export.export_run(run, "dataset", tmp_path / "out")
    table = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert table == list(export.rows(run))
    assert datasets.load_from_disk(str(tmp_path / "out")).to_list() == table


def test_without_the_extra_there_is_a_clear_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.parquet", "datasets"):
        monkeypatch.setitem(sys.modules, name, None)
    for form in ("parquet", "dataset"):
        with pytest.raises(UserError, match=r"\[data\]"):
            export.export_run(run, form, tmp_path / "out")
    assert [path.name for path in tmp_path.glob("*out*")] == []  # and nothing is left behind


def test_what_is_there_is_replaced_only_when_asked(run: Run, tmp_path: Path, cli: Command) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious")
    refused = cli("export", run.path, "--to", "csv", "--out", out)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert out.read_text() == "precious"
    done = cli("export", run.path, "--to", "csv", "--out", out, "--force")
    assert done.returncode == 0, done.stderr
    assert "18 samples" in done.stderr
    assert len(read_csv(out)) == 18
    assert cli("export", run.path, "--to", "lm-eval", "--out", out, "--force").returncode == 2


def test_half_a_surrogate_pair_does_not_stop_it(
    bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model.py"
    model.write_text("def answer(messages, seed):\n    return 'x'\n")
    run = harness.sweep([f"python/{model}:answer"], [bench], limit=2, out=tmp_path / "run")
    (shard,) = (run.path / "completions").glob("*.jsonl")
    shard.write_text(shard.read_text().replace('"text":"x"', '"text":"\\ud83d half"'))
    export.export_run(run, "csv", tmp_path / "out.csv")
    assert [row["completion"] for row in read_csv(tmp_path / "out.csv")] == ["? half"] * 2


# --- lm-evaluation-harness ---


def test_lm_eval_logs_have_their_shape(run: Run, tmp_path: Path) -> None:
    export.export_run(run, "lm-eval", tmp_path / "logs")
    (folder,) = (tmp_path / "logs").iterdir()
    assert "/" not in folder.name
    results = json.loads(next(folder.glob("results_*.json")).read_text())
    tasks = set(results["results"])
    assert tasks == {"bench_easy", "bench_hard"}
    for name in ("configs", "versions", "n-shot", "higher_is_better", "n-samples", "task_hashes"):
        assert set(results[name]) == tasks
    row = next(row for row in harness.summarise(run).rows if row.subset == "bench/easy")
    measured = results["results"]["bench_easy"]
    assert measured["pass@1,verified"] == row.passes[0].value
    low, high = row.passes[0].interval
    assert measured["pass@1_stderr,verified"] == pytest.approx((high - low) / 2 / 1.959964)

    files = sorted(folder.glob("samples_*.jsonl"))
    # Their reader takes the task from between the first and the last underscore of the name.
    assert {path.name[path.name.find("_") + 1 : path.name.rfind("_")] for path in files} == tasks
    lines = [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]
    assert [line["doc_id"] for line in lines] == [0, 1, 2]
    keys = {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    }
    for line in lines:
        assert keys <= line.keys()
        assert isinstance(line["target"], str)
        assert len(line["resps"]) == 1  # of one request
        assert len(line["resps"][0]) == len(line["filtered_resps"][0]) == 3
        prompt = line["arguments"]["gen_args_0"]["arg_0"]
        assert line["doc"]["inputs"]["integrand"] in prompt
        assert line["prompt_hash"] == hashlib.sha256(prompt.encode()).hexdigest()
        doc = json.dumps(line["doc"], indent=2, ensure_ascii=False)
        assert line["doc_hash"] == hashlib.sha256(doc.encode()).hexdigest()
        assert line["metrics"] == ["pass@1", "pass@3"]
        right = line["verdicts"].count("correct")
        assert line["pass@1"] == pytest.approx(right / 3)
        assert line["pass@3"] == float(right > 0)
    joined = "".join(line["doc_hash"] + line["prompt_hash"] + line["target_hash"] for line in lines)
    assert results["task_hashes"]["bench_easy"] == hashlib.sha256(joined.encode()).hexdigest()


@pytest.mark.data
def test_their_logs_load_as_a_data_set(run: Run, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    export.export_run(run, "lm-eval", tmp_path / "logs")
    files = [str(path) for path in (tmp_path / "logs").rglob("samples_*.jsonl")]
    loaded = datasets.load_dataset(
        "json", data_files=files, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert len(loaded) == 6


# --- memory ---


@pytest.mark.slow
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    """The peak for eight times as many samples is about the same."""
    import subprocess

    program = (
        "import sys, resource; from pathlib import Path;"
        "from calculus_harness.harness.report import export;"
        "from calculus_harness.harness.store.run import Run; run, out = sys.argv[1:];"
        "print(export.export_run(Run(run), 'csv', Path(out)),"
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for count in (5, 40):
        run, out = tmp_path / f"run{count}", tmp_path / f"{count}.csv"
        make(run, models=2, problems=100, samples=count, words=300, shard_bytes=4 << 20)
        done = subprocess.run(
            [sys.executable, "-c", program, str(run), str(out)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[3],
        )
        written, peak = map(int, done.stdout.split())
        assert written == 200 * count
        peaks.append(peak)
    size = (tmp_path / "40.csv").stat().st_size / 1024
    assert peaks[1] - peaks[0] < 0.35 * size


def test_nothing_is_left_of_the_scratch_space(run: Run, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert len(list(samples.samples(run, scratch=scratch))) == 18
    assert list(scratch.iterdir()) == []


def test_one_schema_for_pandas_csv_parquet_and_json(run: Run, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = export.to_pandas(run)
    export.export_run(run, "csv", tmp_path / "out.csv")
    assert list(frame.columns) == list(pandas.read_csv(tmp_path / "out.csv").columns)
    assert len(frame) == len(list(export.rows(run)))
    labels = [entry["label"] for entry in run.models.values()]
    assert sorted(frame.groupby("model").reward.mean().index) == sorted(labels)
    summary = json.loads(export_summary(summarise(run), "json"))
    assert {row["model"] for row in summary["rows"]} == set(labels)
    assert {row["model_hash"] for row in summary["rows"]} == set(run.models)
