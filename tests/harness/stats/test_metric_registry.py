"""A decorator registers a metric, and every output shows the metric."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from calculus_harness import Run, harness
from calculus_harness.harness.report import export_summary, print_summary, write_page
from calculus_harness.harness.stats.metrics import metric, metrics, registry
from calculus_harness.harness.stats.tallies import Group, group_samples

ROOT = Path(__file__).parents[3]


@pytest.fixture
def registered() -> Iterator[None]:
    """Two metrics; the registry is restored after the test."""
    saved = dict(registry._METRICS)

    @metric("always right", interval="clusters")
    def always_right(group: Group) -> list[float]:
        return [float(tally.correct == tally.samples) for tally in group.tallies]

    @metric("wrong answers", unit="number", direction="lower")
    def wrong_answers(group: Group) -> float:
        return sum(sums.get("incorrect", 0) for sums in group.verdicts)

    @metric("twice@k", interval="clusters")
    def twice_at_k(n: int, c: int, k: int) -> float:
        return float(c >= 2 and k >= 2)

    yield
    registry._METRICS.clear()
    registry._METRICS.update(saved)


@pytest.mark.usefixtures("registered")
def test_every_output_shows_a_new_metric(model: str, bench: str, tmp_path: Path) -> None:
    run = harness.sweep([model], [bench], samples=2, limit=4, out=tmp_path / "run")
    summary = harness.summarise(run)
    names = ("always right", "wrong answers", "twice@1", "twice@2")
    printed = io.StringIO()
    print_summary(run, Console(file=printed, width=400), every=True)
    texts = [printed.getvalue(), write_page(run).read_text()]
    texts += [export_summary(summary, form) for form in ("markdown", "latex")]
    for text in texts:
        assert all(name in text for name in names)
    for row, line in zip(
        summary.rows,
        json.loads(export_summary(summary, "json"))["rows"],
        strict=True,
    ):
        (estimate,) = line["metrics"]["always_right"]
        assert estimate["value"] == row.estimates["always right"][0].value
        assert estimate["interval"][0] <= estimate["value"] <= estimate["interval"][1]
        assert [value["k"] for value in line["metrics"]["twice_at_k"]] == [1, 2]
        assert line["metrics"]["wrong_answers"] == row.rates["incorrect"] * row.samples
    exported = next(csv.DictReader(io.StringIO(export_summary(summary, "csv"))))
    assert float(exported["wrong_answers"]) == summary.rows[0].numbers["wrong answers"]
    assert {"always_right", "twice_at_k"} <= exported.keys()


@pytest.mark.usefixtures("registered")
def test_a_metric_that_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="there is a metric 'always right'"):
        metric("always right")(lambda group: 0.0)
    with pytest.raises(ValueError, match="column 'pass_at_k'"):
        metric("other", column="pass_at_k")(lambda group: 0.0)
    with pytest.raises(ValueError, match="needs interval"):
        metric("some@k")(lambda n, c, k: 0.0)


def test_the_columns_of_our_metrics() -> None:
    assert [column.name for column in metrics()][:4] == ["pass@k", "Fail@k", "accuracy", "F1"]
    assert {column.name for column in metrics()} >= {"truncated", "pass^k", "reward", "$ a problem"}
    assert next(column for column in metrics() if column.name == "Fail@k").heading(5) == "Fail@5"


@pytest.mark.slow
def test_another_package_brings_a_metric(tmp_path: Path) -> None:
    """An entry point, as declared by an installed distribution."""
    (tmp_path / "theirs.py").write_text(
        "from calculus_harness.harness.stats.metrics import metric\n"
        "@metric('their metric')\n"
        "def theirs(group): return 0.5\n"
    )
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[calculus_harness.metrics]\ntheirs = theirs\n")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from calculus_harness.harness.stats.metrics import metrics;"
            "print([one.name for one in metrics()][-1])",
        ],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "their metric"


def test_metrics_of_a_task_are_for_its_problems_only(tmp_path: Path) -> None:
    stored = Path(__file__).parents[1] / "stored_run" / "run"
    run = Run(shutil.copytree(stored, tmp_path / "run"))
    (f1,) = (column for column in metrics() if column.name == "F1")
    (reward,) = (column for column in metrics() if column.name == "reward")
    applies = {group.subset: f1.applies(group) for group in group_samples(run, run.policy, None)}
    assert applies["derivations/step2"]
    assert applies["all"]
    assert not applies["drills/monomials"]
    assert all(reward.applies(group) for group in group_samples(run, run.policy, None))
